// (p & in_dim(q, 0)) != (x > 0); p: pred[6,8], q: pred[6], x: f32[6,8]
struct Params {
    zero: u32,
    total: u32,
    fold: u32,
    tile_rows: u32,
    row_tiles: u32,
    row_quads: u32,
    size_0: u32,
    size_1: u32,
    offset_0: u32,
    stride_0_0: u32,
    stride_0_1: u32,
    offset_1: u32,
    stride_1_0: u32,
    stride_1_1: u32,
    offset_2: u32,
    stride_2_0: u32,
    stride_2_1: u32,
    pad_17: u32,
    pad_18: u32,
    pad_19: u32,
    constants: array<vec4<u32>, 1>,
}
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> in_0: array<u32>;
@group(0) @binding(2) var<storage, read> in_1: array<u32>;
@group(0) @binding(3) var<storage, read> in_2: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read_write> result: array<u32>;

fn xla_abs_bits(x: f32) -> u32 {
    return bitcast<u32>(x) & 0x7fffffffu;
}

fn xla_is_unordered(a: f32, b: f32) -> bool {
    return max(xla_abs_bits(a), xla_abs_bits(b)) > 0x7f800000u;
}

fn xla_gt_f32(a: f32, b: f32) -> bool {
    return a > b && !xla_is_unordered(a, b);
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let line = group.y * params.fold + group.x;
    let id = line * 64u + local;
    if id >= params.total { return; }
    let column = id % params.row_quads;
    let tiles = id / params.row_quads;
    let first = (tiles % params.row_tiles) * params.tile_rows;
    let outer = tiles / params.row_tiles;
    let rows = min(params.tile_rows, params.size_0 - first);
    var quad = (outer * params.size_0 + first) * params.row_quads + column;
    var o0 = params.offset_0 + column * 4u * params.stride_0_1 + first * params.stride_0_0;
    var o1 = params.offset_1 + column * 4u * params.stride_1_1 + first * params.stride_1_0;
    var o2 = params.offset_2 + column * 4u * params.stride_2_1 + first * params.stride_2_0;
    let c0 = bitcast<f32>(params.constants[0].x);
    for (var row = 0u; row < rows; row++) {
        let x0 = ((vec4<u32>(in_0[o0 >> 2u]) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u)) != vec4<u32>(0u);
        let x1 = (((in_1[o1 >> 2u] >> ((o1 & 3u) * 8u)) & 255u) != 0u);
        let x2 = bitcast<vec4<f32>>(in_2[o2 >> 2u]);
        let v0 = (x0 & vec4<bool>(x1));
        let v1 = vec4<bool>(xla_gt_f32(x2.x, c0), xla_gt_f32(x2.y, c0), xla_gt_f32(x2.z, c0), xla_gt_f32(x2.w, c0));
        let v2 = (v0 != v1);
        result[quad] = dot(select(vec4<u32>(0u), vec4<u32>(1u, 256u, 65536u, 16777216u), v2), vec4<u32>(1u));
        quad += params.row_quads;
        o0 += params.stride_0_0;
        o1 += params.stride_1_0;
        o2 += params.stride_2_0;
    }
}
