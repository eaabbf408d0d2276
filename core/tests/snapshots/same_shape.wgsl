// x + y; x, y: f32[64,128]
struct Params {
    total: u32,
    fold: u32,
    zero: u32,
    result_offset: u32,
    offset_0: u32,
    offset_1: u32,
    pad_6: u32,
    pad_7: u32,
}
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> in_0: array<vec4<u32>>;
@group(0) @binding(2) var<storage, read> in_1: array<vec4<u32>>;
@group(0) @binding(3) var<storage, read_write> result: array<vec4<u32>>;

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let line = group.y * params.fold + group.x;
    let first = line * 128u + local;
    if first >= params.total { return; }
    let unit_k0 = first;
    let o0_k0 = params.offset_0 + unit_k0;
    let w0_0_k0 = in_0[o0_k0];
    let x0_k0 = bitcast<vec4<f32>>(w0_0_k0);
    let o1_k0 = params.offset_1 + unit_k0;
    let w1_0_k0 = in_1[o1_k0];
    let x1_k0 = bitcast<vec4<f32>>(w1_0_k0);
    let next_k1 = unit_k0 + 64u;
    let unit_k1 = select(unit_k0, next_k1, next_k1 < params.total);
    let o0_k1 = params.offset_0 + unit_k1;
    let w0_0_k1 = in_0[o0_k1];
    let x0_k1 = bitcast<vec4<f32>>(w0_0_k1);
    let o1_k1 = params.offset_1 + unit_k1;
    let w1_0_k1 = in_1[o1_k1];
    let x1_k1 = bitcast<vec4<f32>>(w1_0_k1);
    let to_k0 = params.result_offset + unit_k0;
    let v0_k0 = (x0_k0 + x1_k0);
    let r0_k0 = bitcast<vec4<u32>>(v0_k0);
    result[to_k0] = r0_k0;
    let to_k1 = params.result_offset + unit_k1;
    let v0_k1 = (x0_k1 + x1_k1);
    let r0_k1 = bitcast<vec4<u32>>(v0_k1);
    result[to_k1] = r0_k1;
}
