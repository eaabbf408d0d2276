// x + y, as on a software adapter; x, y: f32[64,128]
struct Params {
    zero: u32,
    total: u32,
    fold: u32,
    offset_0: u32,
    stride_0_0: u32,
    offset_1: u32,
    stride_1_0: u32,
    pad_7: u32,
}
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> in_0: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> in_1: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> result: array<vec4<u32>>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let line = group.y * params.fold + group.x;
    let first = (line * 64u + local) * 4u;
    if first >= params.total { return; }
    let quads = min(4u, params.total - first);
    for (var k = 0u; k < quads; k++) {
        let quad = first + k;
        let o0 = params.offset_0 + quad * 4u * params.stride_0_0;
        let x0 = bitcast<vec4<f32>>(in_0[o0 >> 2u]);
        let o1 = params.offset_1 + quad * 4u * params.stride_1_0;
        let x1 = bitcast<vec4<f32>>(in_1[o1 >> 2u]);
        let v0 = (x0 + x1);
        result[quad] = bitcast<vec4<u32>>(v0);
    }
}
