// x + in_dim(v, 0); x: f32[65,33], v: f32[65]
struct Params {
    total: u32,
    fold: u32,
    zero: u32,
    columns: u32,
    tiles: u32,
    rows: u32,
    row_step: u32,
    units: u32,
    size_1: u32,
    result_offset: u32,
    result_stride_0: u32,
    offset_0: u32,
    stride_0_0: u32,
    offset_1: u32,
    stride_1_0: u32,
    row_stride_1: u32,
}
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> in_0: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> in_1: array<u32>;
@group(0) @binding(3) var<storage, read_write> result: array<vec4<u32>>;

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
    let row_in_period = column * 4u / params.size_1;
    let j_0 = column * 4u - row_in_period * params.size_1;
    let left = params.size_1 - j_0;
    let next_0 = vec4<u32>(0u, 1u, 2u, 3u) >= vec4<u32>(left);
    let b0 = params.offset_0 + column;
    let s1 = select(0u, params.row_stride_1, left < 4u);
    let b1 = params.offset_1 + row_in_period * params.row_stride_1;
    let ends = (params.rows - 1u) * params.columns + column >= params.units;
    let last = params.rows - select(1u, 2u, ends);
    let row_k0 = first;
    let o0_k0 = b0 + row_k0 * params.stride_0_0;
    let w0_0_k0 = in_0[o0_k0];
    let x0_k0 = bitcast<vec4<f32>>(w0_0_k0);
    let o1_k0 = b1 + row_k0 * params.stride_1_0;
    let x1_a_k0 = bitcast<f32>(in_1[o1_k0]);
    let x1_b_k0 = bitcast<f32>(in_1[(o1_k0 + s1)]);
    let x1_k0 = select(vec4<f32>(x1_a_k0), vec4<f32>(x1_b_k0), next_0);
    let next_k1 = row_k0 + params.row_step;
    let row_k1 = select(row_k0, next_k1, next_k1 <= last);
    let o0_k1 = b0 + row_k1 * params.stride_0_0;
    let w0_0_k1 = in_0[o0_k1];
    let x0_k1 = bitcast<vec4<f32>>(w0_0_k1);
    let o1_k1 = b1 + row_k1 * params.stride_1_0;
    let x1_a_k1 = bitcast<f32>(in_1[o1_k1]);
    let x1_b_k1 = bitcast<f32>(in_1[(o1_k1 + s1)]);
    let x1_k1 = select(vec4<f32>(x1_a_k1), vec4<f32>(x1_b_k1), next_0);
    let at_k0 = to + row_k0 * params.result_stride_0;
    let v0_k0 = (x0_k0 + x1_k0);
    let r0_k0 = bitcast<vec4<u32>>(v0_k0);
    result[at_k0] = r0_k0;
    let at_k1 = to + row_k1 * params.result_stride_0;
    let v0_k1 = (x0_k1 + x1_k1);
    let r0_k1 = bitcast<vec4<u32>>(v0_k1);
    result[at_k1] = r0_k1;
}
