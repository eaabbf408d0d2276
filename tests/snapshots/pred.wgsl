// (p & in_dim(q, 0)) != (x > 0); p: pred[6,8], q: pred[6], x: f32[6,8]
struct Params {
    total: u32,
    fold: u32,
    zero: u32,
    columns: u32,
    tiles: u32,
    rows: u32,
    lanes: u32,
    result_offset: u32,
    result_stride_0: u32,
    offset_0: u32,
    stride_0_0: u32,
    offset_1: u32,
    stride_1_0: u32,
    offset_2: u32,
    stride_2_0: u32,
    pad_15: u32,
    constants: array<vec4<u32>, 1>,
}
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> in_0: array<u32>;
@group(0) @binding(2) var<storage, read> in_1: array<u32>;
@group(0) @binding(3) var<storage, read> in_2: array<vec4<u32>>;
@group(0) @binding(4) var<storage, read_write> result: array<u32>;

fn xla_whole_u32(w: u32) -> u32 {
    return max(w, params.zero);
}

fn xla_is_unordered(a: f32, b: f32) -> bool {
    return max(bitcast<i32>(a) & 0x7fffffff, bitcast<i32>(b) & 0x7fffffff) > 0x7f800000;
}

fn xla_gt_f32(a: f32, b: f32) -> bool {
    return (a > b) & !xla_is_unordered(a, b);
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let line = group.y * params.fold + group.x;
    let id = line * 64u + local;
    if id >= params.total { return; }
    let place = id;
    let tiles = place / params.columns;
    let column = place - tiles * params.columns;
    let block = tiles / params.lanes;
    let first = block * (8u * params.lanes) + (tiles - block * params.lanes);
    let to = params.result_offset + column * 1u;
    let b0 = params.offset_0 + column * 1u;
    let b1 = params.offset_1;
    let b2 = params.offset_2 + column * 1u;
    let c0 = bitcast<f32>(params.constants[0].x);
    let last = min(first + 8u * params.lanes, params.rows);
    for (var row = first; row < last; row += params.lanes) {
        let o0 = b0 + row * params.stride_0_0;
        let w0_0 = in_0[o0];
        let x0 = (((vec4<u32>(w0_0) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u)) != vec4<u32>(0u));
        let o1 = b1 + row * params.stride_1_0;
        let x1 = (((in_1[(o1 >> 2u)] >> ((o1 & 3u) * 8u)) & u32(255u)) != u32(0u));
        let o2 = b2 + row * params.stride_2_0;
        let w2_0 = in_2[o2];
        let x2 = bitcast<vec4<f32>>(w2_0);
        let v0 = (x0 & vec4<bool>(x1));
        let v1 = vec4<bool>(xla_gt_f32(x2.x, c0), xla_gt_f32(x2.y, c0), xla_gt_f32(x2.z, c0), xla_gt_f32(x2.w, c0));
        let v2 = (v0 != v1);
        let at = to + row * params.result_stride_0;
        let r0 = dot(select(vec4<u32>(0u), vec4<u32>(1u, 256u, 65536u, 16777216u), v2), vec4<u32>(1u));
        result[at] = xla_whole_u32(r0);
    }
}
