// (p & in_dim(q, 0)) != (x > 0); p: pred[6,8], q: pred[6], x: f32[6,8]
struct Params {
    total: u32,
    fold: u32,
    zero: u32,
    columns: u32,
    tiles: u32,
    rows: u32,
    row_step: u32,
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
    let first = tiles;
    let to = params.result_offset + column;
    let b0 = params.offset_0 + column;
    let b1 = params.offset_1;
    let b2 = params.offset_2 + column;
    let c0 = bitcast<f32>(params.constants[0].x);
    let last = params.rows - 1u;
    let row_k0 = first;
    let o0_k0 = b0 + row_k0 * params.stride_0_0;
    let w0_0_k0 = in_0[o0_k0];
    let x0_k0 = (((vec4<u32>(w0_0_k0) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u)) != vec4<u32>(0u));
    let o1_k0 = b1 + row_k0 * params.stride_1_0;
    let x1_k0 = (((in_1[(o1_k0 >> 2u)] >> ((o1_k0 & 3u) * 8u)) & u32(255u)) != u32(0u));
    let o2_k0 = b2 + row_k0 * params.stride_2_0;
    let w2_0_k0 = in_2[o2_k0];
    let x2_k0 = bitcast<vec4<f32>>(w2_0_k0);
    let next_k1 = row_k0 + params.row_step;
    let row_k1 = select(row_k0, next_k1, next_k1 <= last);
    let o0_k1 = b0 + row_k1 * params.stride_0_0;
    let w0_0_k1 = in_0[o0_k1];
    let x0_k1 = (((vec4<u32>(w0_0_k1) >> vec4<u32>(0u, 8u, 16u, 24u)) & vec4<u32>(255u)) != vec4<u32>(0u));
    let o1_k1 = b1 + row_k1 * params.stride_1_0;
    let x1_k1 = (((in_1[(o1_k1 >> 2u)] >> ((o1_k1 & 3u) * 8u)) & u32(255u)) != u32(0u));
    let o2_k1 = b2 + row_k1 * params.stride_2_0;
    let w2_0_k1 = in_2[o2_k1];
    let x2_k1 = bitcast<vec4<f32>>(w2_0_k1);
    let at_k0 = to + row_k0 * params.result_stride_0;
    let v0_k0 = (x0_k0 & vec4<bool>(x1_k0));
    let v1_k0 = vec4<bool>(xla_gt_f32(x2_k0.x, c0), xla_gt_f32(x2_k0.y, c0), xla_gt_f32(x2_k0.z, c0), xla_gt_f32(x2_k0.w, c0));
    let v2_k0 = (v0_k0 != v1_k0);
    let r0_k0 = dot(select(vec4<u32>(0u), vec4<u32>(1u, 256u, 65536u, 16777216u), v2_k0), vec4<u32>(1u));
    result[at_k0] = xla_whole_u32(r0_k0);
    let at_k1 = to + row_k1 * params.result_stride_0;
    let v0_k1 = (x0_k1 & vec4<bool>(x1_k1));
    let v1_k1 = vec4<bool>(xla_gt_f32(x2_k1.x, c0), xla_gt_f32(x2_k1.y, c0), xla_gt_f32(x2_k1.z, c0), xla_gt_f32(x2_k1.w, c0));
    let v2_k1 = (v0_k1 != v1_k1);
    let r0_k1 = dot(select(vec4<u32>(0u), vec4<u32>(1u, 256u, 65536u, 16777216u), v2_k1), vec4<u32>(1u));
    result[at_k1] = xla_whole_u32(r0_k1);
}
