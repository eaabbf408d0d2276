// x + in_dim(v, 1); x: f32[64,128], v: f32[128]
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
    pad_14: u32,
    pad_15: u32,
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
    let column = id % params.row_quads;
    let tiles = id / params.row_quads;
    let first = (tiles % params.row_tiles) * params.tile_rows;
    let outer = tiles / params.row_tiles;
    let rows = min(params.tile_rows, params.size_0 - first);
    var quad = (outer * params.size_0 + first) * params.row_quads + column;
    var o0 = params.offset_0 + column * 4u * params.stride_0_1 + first * params.stride_0_0;
    var o1 = params.offset_1 + column * 4u * params.stride_1_1 + first * params.stride_1_0;
    let x1 = bitcast<vec4<f32>>(in_1[o1 >> 2u]);
    for (var row = 0u; row < rows; row++) {
        let x0 = bitcast<vec4<f32>>(in_0[o0 >> 2u]);
        let v0 = (x0 + x1);
        result[quad] = bitcast<vec4<u32>>(v0);
        quad += params.row_quads;
        o0 += params.stride_0_0;
    }
}
