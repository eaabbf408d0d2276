// iota(s32[9,16], 0) * 3 + clamp(-5, x, 5); x: s32[9,16]
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
    let block = tiles / params.lanes;
    let first = block * (8u * params.lanes) + (tiles - block * params.lanes);
    let to = params.result_offset + column * 1u;
    let b0 = params.offset_0;
    let b1 = params.offset_1 + column * 1u;
    let c0 = bitcast<i32>(params.constants[0].x);
    let c1 = bitcast<i32>(params.constants[0].y);
    let c2 = bitcast<i32>(params.constants[0].z);
    let last = min(first + 8u * params.lanes, params.rows);
    for (var row = first; row < last; row += params.lanes) {
        let o0 = b0 + row * params.stride_0_0;
        let x0 = i32((o0 ^ min(local, params.zero)));
        let o1 = b1 + row * params.stride_1_0;
        let w1_0 = in_0[o1];
        let x1 = bitcast<vec4<i32>>(w1_0);
        let v0 = (x0 * c0);
        let v1 = min(max(vec4<i32>(c1), x1), vec4<i32>(c2));
        let v2 = (vec4<i32>(v0) + v1);
        let at = to + row * params.result_stride_0;
        let r0 = bitcast<vec4<u32>>(v2);
        result[at] = r0;
    }
}
