// x + in_dim(v, 1), as on a software adapter; x: f32[64,128], v: f32[128]
struct Params {
    total: u32,
    fold: u32,
    zero: u32,
    columns: u32,
    rows: u32,
    result_offset: u32,
    offset_0: u32,
    stride_0_0: u32,
    offset_1: u32,
    stride_1_0: u32,
    pad_10: u32,
    pad_11: u32,
}
@group(0) @binding(0) var<uniform> params: Params;
@group(0) @binding(1) var<storage, read> in_0: array<vec4<u64>>;
@group(0) @binding(2) var<storage, read> in_1: array<vec4<u64>>;
@group(0) @binding(3) var<storage, read_write> result: array<vec4<u64>>;

fn word_low(w: vec4<u64>) -> vec4<u32> {
    return vec4<u32>(u32(w.x), u32(w.x >> 32u), u32(w.y), u32(w.y >> 32u));
}

fn word_high(w: vec4<u64>) -> vec4<u32> {
    return vec4<u32>(u32(w.z), u32(w.z >> 32u), u32(w.w), u32(w.w >> 32u));
}

fn word_pair(low: u32, high: u32) -> u64 {
    return u64(low) | (u64(high) << 32u);
}

fn word_of(a: vec4<u32>, b: vec4<u32>) -> vec4<u64> {
    return vec4<u64>(word_pair(a.x, a.y), word_pair(a.z, a.w), word_pair(b.x, b.y), word_pair(b.z, b.w));
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let line = group.y * params.fold + group.x;
    let unit = line * 64u + local;
    let rows = unit / params.columns;
    let column = unit - rows * params.columns;
    let row = rows;
    let o0 = params.offset_0 + unit * 2u;
    let w0_0 = in_0[o0];
    let w0_1 = in_0[o0 + 1u];
    let x0_0 = bitcast<vec4<f32>>(word_low(w0_0));
    let x0_1 = bitcast<vec4<f32>>(word_high(w0_0));
    let x0_2 = bitcast<vec4<f32>>(word_low(w0_1));
    let x0_3 = bitcast<vec4<f32>>(word_high(w0_1));
    let b1 = params.offset_1 + column * 2u;
    let o1 = b1 + row * params.stride_1_0;
    let w1_0 = in_1[o1];
    let w1_1 = in_1[o1 + 1u];
    let x1_0 = bitcast<vec4<f32>>(word_low(w1_0));
    let x1_1 = bitcast<vec4<f32>>(word_high(w1_0));
    let x1_2 = bitcast<vec4<f32>>(word_low(w1_1));
    let x1_3 = bitcast<vec4<f32>>(word_high(w1_1));
    let to = params.result_offset + unit * 2u;
    let v0_0 = (x0_0 + x1_0);
    let v0_1 = (x0_1 + x1_1);
    let r0 = bitcast<vec4<u32>>(v0_0);
    let r1 = bitcast<vec4<u32>>(v0_1);
    result[to] = word_of(r0, r1);
    let v0_2 = (x0_2 + x1_2);
    let v0_3 = (x0_3 + x1_3);
    let r2 = bitcast<vec4<u32>>(v0_2);
    let r3 = bitcast<vec4<u32>>(v0_3);
    result[to + 1u] = word_of(r2, r3);
}
