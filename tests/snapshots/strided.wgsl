// slice(x, [0, 1], [64, 128], [1, 2]); x: f32[64,128]
struct Params {
    total: u32,
    fold: u32,
    zero: u32,
    result_offset: u32,
    offset_0: u32,
    pad_5: u32,
    pad_6: u32,
    pad_7: u32,
}
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> in_0: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read_write> result: array<vec4<u32>>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let line = group.y * params.fold + group.x;
    let first = line * 256u + local;
    if first >= params.total { return; }
    let units = min(4u, (params.total - first + 63u) / 64u);
    for (var k = 0u; k < units; k++) {
        let unit = first + k * 64u;
        let o0 = params.offset_0 + unit * 2u;
        let w0_0 = in_0[o0];
        let w0_1 = in_0[o0 + 1u];
        let x0 = vec4<f32>(bitcast<f32>(w0_0.y), bitcast<f32>(w0_0.w), bitcast<f32>(w0_1.y), bitcast<f32>(w0_1.w));
        let to = params.result_offset + unit * 1u;
        let r0 = bitcast<vec4<u32>>(x0);
        result[to] = r0;
    }
}
