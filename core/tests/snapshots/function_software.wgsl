// tanh(x * y), as on a software adapter; x, y: f32[64,128]
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

fn xla_keep(x: f32) -> f32 {
    return min(x, 0x1p+100);
}

fn xla_keep_nan(r: f32, x: f32) -> f32 {
    let b = bitcast<u32>(x);
    return bitcast<f32>(select(bitcast<u32>(r), b | 0x00400000u, (b & 0x7fffffffu) > 0x7f800000u));
}

fn xla_quotient(a: f32, b: f32) -> f32 {
    return a / b;
}

const XLA_LN2_HI: f32 = 0x1.62e4p-1;

const XLA_LN2_LO: f32 = 0x1.7f7d1cp-20;

fn xla_exp_tail(hi: f32, lo: f32) -> f32 {
    let r = hi - lo;
    var p = 0.00139225973;
    p = p * r + 0.00836946815;
    p = p * r + 0.0416665822;
    p = p * r + 0.166665137;
    p = p * r + 0.5;
    return hi + xla_keep(r * r * p - lo);
}

fn xla_exp2_whole(n: f32, more: u32) -> f32 {
    return bitcast<f32>(bitcast<u32>(n + 12582912.0) * 0x800000u + more);
}

fn xla_exp_and_one(x: f32) -> f32 {
    let n = round(x * 1.44269504);
    let scale = xla_exp2_whole(n, 0x3f800000u);
    let tail = xla_exp_tail(xla_keep(x - n * XLA_LN2_HI), n * XLA_LN2_LO);
    return (scale + 1.0) + scale * tail;
}

fn xla_odd(r: f32, x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(r) | (bitcast<u32>(x) & 0x80000000u));
}

fn xla_tanh(x: f32) -> f32 {
    let ax = abs(x);
    let z = ax * ax;
    var p = -0.00624284893;
    p = p * z + 0.021050714;
    p = p * z - 0.0538475476;
    p = p * z + 0.133325443;
    p = p * z - 0.333333164;
    let small = ax + ax * z * p;
    let large = 1.0 - xla_quotient(2.0, xla_exp_and_one(min(2.0 * ax, 20.0)));
    return xla_keep_nan(xla_odd(select(large, small, ax < 0.55), x), x);
}

@compute @workgroup_size(64)
fn main(@builtin(workgroup_id) group: vec3<u32>, @builtin(local_invocation_index) local: u32) {
    let line = group.y * params.fold + group.x;
    let unit = line * 64u + local;
    let o0 = params.offset_0 + unit * 2u;
    let w0_0 = in_0[o0];
    let w0_1 = in_0[o0 + 1u];
    let x0_0 = bitcast<vec4<f32>>(word_low(w0_0));
    let x0_1 = bitcast<vec4<f32>>(word_high(w0_0));
    let x0_2 = bitcast<vec4<f32>>(word_low(w0_1));
    let x0_3 = bitcast<vec4<f32>>(word_high(w0_1));
    let o1 = params.offset_1 + unit * 2u;
    let w1_0 = in_1[o1];
    let w1_1 = in_1[o1 + 1u];
    let x1_0 = bitcast<vec4<f32>>(word_low(w1_0));
    let x1_1 = bitcast<vec4<f32>>(word_high(w1_0));
    let x1_2 = bitcast<vec4<f32>>(word_low(w1_1));
    let x1_3 = bitcast<vec4<f32>>(word_high(w1_1));
    let to = params.result_offset + unit * 2u;
    let v0_0 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_0 * x1_0)) ^ vec4<u32>(params.zero));
    let v0_1 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_1 * x1_1)) ^ vec4<u32>(params.zero));
    let v0_2 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_2 * x1_2)) ^ vec4<u32>(params.zero));
    let v0_3 = bitcast<vec4<f32>>(bitcast<vec4<u32>>((x0_3 * x1_3)) ^ vec4<u32>(params.zero));
    let v1_0 = vec4<f32>(xla_tanh(v0_0.x), xla_tanh(v0_0.y), xla_tanh(v0_0.z), xla_tanh(v0_0.w));
    let v1_1 = vec4<f32>(xla_tanh(v0_1.x), xla_tanh(v0_1.y), xla_tanh(v0_1.z), xla_tanh(v0_1.w));
    let r0 = bitcast<vec4<u32>>(v1_0);
    let r1 = bitcast<vec4<u32>>(v1_1);
    result[to] = word_of(r0, r1);
    let v1_2 = vec4<f32>(xla_tanh(v0_2.x), xla_tanh(v0_2.y), xla_tanh(v0_2.z), xla_tanh(v0_2.w));
    let v1_3 = vec4<f32>(xla_tanh(v0_3.x), xla_tanh(v0_3.y), xla_tanh(v0_3.z), xla_tanh(v0_3.w));
    let r2 = bitcast<vec4<u32>>(v1_2);
    let r3 = bitcast<vec4<u32>>(v1_3);
    result[to + 1u] = word_of(r2, r3);
}
