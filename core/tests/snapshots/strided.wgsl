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
    let first = line * 128u + local;
    if first >= params.total { return; }
    let unit_k0 = first;
    let o0_k0 = params.offset_0 + unit_k0 * 2u;
    let w0_0_k0 = in_0[o0_k0];
    let w0_1_k0 = in_0[o0_k0 + 1u];
    let x0_k0 = vec4<f32>(bitcast<f32>(w0_0_k0.y), bitcast<f32>(w0_0_k0.w), bitcast<f32>(w0_1_k0.y), bitcast<f32>(w0_1_k0.w));
    let next_k1 = unit_k0 + 64u;
    let unit_k1 = select(unit_k0, next_k1, next_k1 < params.total);
    let o0_k1 = params.offset_0 + unit_k1 * 2u;
    let w0_0_k1 = in_0[o0_k1];
    let w0_1_k1 = in_0[o0_k1 + 1u];
    let x0_k1 = vec4<f32>(bitcast<f32>(w0_0_k1.y), bitcast<f32>(w0_0_k1.w), bitcast<f32>(w0_1_k1.y), bitcast<f32>(w0_1_k1.w));
    let to_k0 = params.result_offset + unit_k0;
    let r0_k0 = bitcast<vec4<u32>>(x0_k0);
    result[to_k0] = r0_k0;
    let to_k1 = params.result_offset + unit_k1;
    let r0_k1 = bitcast<vec4<u32>>(x0_k1);
    result[to_k1] = r0_k1;
}
