// x + in_dim(y, 0, 2, 4); x: f32[2,3,4,5,8], y: f32[2,4,8]
struct Params {
    total: u32,
    fold: u32,
    zero: u32,
    columns: u32,
    tiles: u32,
    rows: u32,
    row_step: u32,
    size_0: u32,
    size_1: u32,
    size_2: u32,
    result_offset: u32,
    result_stride_0: u32,
    result_stride_1: u32,
    result_stride_2: u32,
    result_stride_3: u32,
    offset_0: u32,
    stride_0_0: u32,
    stride_0_1: u32,
    stride_0_2: u32,
    stride_0_3: u32,
    offset_1: u32,
    stride_1_0: u32,
    stride_1_1: u32,
    stride_1_2: u32,
    stride_1_3: u32,
    pad_25: u32,
    pad_26: u32,
    pad_27: u32,
}
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> in_0: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> in_1: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> result: array<vec4<u32>>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let line = group.y * params.fold + group.x;
    let id = line * 64u + local;
    if id >= params.total { return; }
    let place = id;
    let tiles = place / params.columns;
    let column = place - tiles * params.columns;
    let outer = tiles / params.tiles;
    let tile = tiles - outer * params.tiles;
    let outer_2 = outer;
    let rest_2 = outer_2 / params.size_2;
    let i2 = outer_2 - rest_2 * params.size_2;
    let outer_1 = rest_2;
    let rest_1 = outer_1 / params.size_1;
    let i1 = outer_1 - rest_1 * params.size_1;
    let i0 = rest_1;
    let first = tile;
    let to = params.result_offset + column + i0 * params.result_stride_0 + i1 * params.result_stride_1 + i2 * params.result_stride_2;
    let b0 = params.offset_0 + column + i0 * params.stride_0_0 + i1 * params.stride_0_1 + i2 * params.stride_0_2;
    let b1 = params.offset_1 + column + i0 * params.stride_1_0 + i1 * params.stride_1_1 + i2 * params.stride_1_2;
    let o1 = b1;
    let w1_0 = in_1[o1];
    let x1 = bitcast<vec4<f32>>(w1_0);
    let last = params.rows - 1u;
    let row_k0 = first;
    let o0_k0 = b0 + row_k0 * params.stride_0_3;
    let w0_0_k0 = in_0[o0_k0];
    let x0_k0 = bitcast<vec4<f32>>(w0_0_k0);
    let next_k1 = row_k0 + params.row_step;
    let row_k1 = select(row_k0, next_k1, next_k1 <= last);
    let o0_k1 = b0 + row_k1 * params.stride_0_3;
    let w0_0_k1 = in_0[o0_k1];
    let x0_k1 = bitcast<vec4<f32>>(w0_0_k1);
    let at_k0 = to + row_k0 * params.result_stride_3;
    let v0_k0 = (x0_k0 + x1);
    let r0_k0 = bitcast<vec4<u32>>(v0_k0);
    result[at_k0] = r0_k0;
    let at_k1 = to + row_k1 * params.result_stride_3;
    let v0_k1 = (x0_k1 + x1);
    let r0_k1 = bitcast<vec4<u32>>(v0_k1);
    result[at_k1] = r0_k1;
}
