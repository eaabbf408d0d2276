// iota(s32[9,16], 0) * 3 + clamp(-5, x, 5); x: s32[9,16]
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
    pad_13: u32,
    pad_14: u32,
    pad_15: u32,
    constants: array<vec4<u32>, 1>,
}
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> in_0: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> result: array<vec4<u32>>;

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
    let b0 = params.offset_0;
    let b1 = params.offset_1 + column;
    let c0 = bitcast<i32>(params.constants[0].x);
    let c1 = bitcast<i32>(params.constants[0].y);
    let c2 = bitcast<i32>(params.constants[0].z);
    let last = params.rows - 1u;
    let row_k0 = first;
    let o0_k0 = b0 + row_k0 * params.stride_0_0;
    let x0_k0 = i32((o0_k0 ^ min(local, params.zero)));
    let o1_k0 = b1 + row_k0 * params.stride_1_0;
    let w1_0_k0 = in_0[o1_k0];
    let x1_k0 = bitcast<vec4<i32>>(w1_0_k0);
    let next_k1 = row_k0 + params.row_step;
    let row_k1 = select(row_k0, next_k1, next_k1 <= last);
    let o0_k1 = b0 + row_k1 * params.stride_0_0;
    let x0_k1 = i32((o0_k1 ^ min(local, params.zero)));
    let o1_k1 = b1 + row_k1 * params.stride_1_0;
    let w1_0_k1 = in_0[o1_k1];
    let x1_k1 = bitcast<vec4<i32>>(w1_0_k1);
    let at_k0 = to + row_k0 * params.result_stride_0;
    let v0_k0 = (x0_k0 * c0);
    let v1_k0 = min(max(vec4<i32>(c1), x1_k0), vec4<i32>(c2));
    let v2_k0 = (vec4<i32>(v0_k0) + v1_k0);
    let r0_k0 = bitcast<vec4<u32>>(v2_k0);
    result[at_k0] = r0_k0;
    let at_k1 = to + row_k1 * params.result_stride_0;
    let v0_k1 = (x0_k1 * c0);
    let v1_k1 = min(max(vec4<i32>(c1), x1_k1), vec4<i32>(c2));
    let v2_k1 = (vec4<i32>(v0_k1) + v1_k1);
    let r0_k1 = bitcast<vec4<u32>>(v2_k1);
    result[at_k1] = r0_k1;
}
