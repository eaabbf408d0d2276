// F16 and BF16. A value is held as an f32 that the format can represent, and every result
// is rounded to the format. Its bits lie in the lower half of a u32.
//
// WGSL's own pack2x16float leaves the rounding open, and unpack2x16float may flush. Here bits
// move as integers, and a sum in f32 rounds, because its last place is the format's. Subnormals
// of F16 are ordinary f32, so that none is flushed; XLA flushes none of them either.
//
// Functions work on four values, since arrays are loaded in quads. Those on one value take
// lane x of the result, and compilers leave the other lanes out.

// Converts the lower half of h. NaN keeps its payload, quiet or not.
fn xla_f16_of_bits_4(h: vec4<u32>) -> vec4<f32> {
    let b = bitcast<vec4<u32>>(bitcast<vec4<i32>>(h << vec4<u32>(16u)) >> vec4<u32>(3u));
    let m = bitcast<vec4<i32>>(b & vec4<u32>(0x0fffe000u));
    // The exponents of the two formats differ by 112, those of infinity and NaN by twice that.
    let special = m >= vec4<i32>(0x0f800000);
    let normal = m + select(vec4<i32>(0x38000000), vec4<i32>(0x70000000), special);
    // A subnormal becomes the fraction of 2^-14 plus itself, from which 2^-14 is subtracted.
    let subnormal = bitcast<vec4<i32>>(bitcast<vec4<f32>>(m + 0x38800000) - 0x1p-14);
    let r = select(normal, subnormal, m < vec4<i32>(0x00800000));
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(r) | (b & vec4<u32>(0x80000000u)));
}

fn xla_f16_of_bits(h: u32) -> f32 {
    return xla_f16_of_bits_4(vec4<u32>(h)).x;
}

// Returns 2^(e+13) for a magnitude 2^e <= m < 2^(e+1), with e = -14 for smaller ones. Its sum
// with m has F16's last place, so that the addition rounds as F16 does.
fn xla_f16_magic_4(m: vec4<i32>) -> vec4<i32> {
    return max(m & vec4<i32>(0x7f800000), vec4<i32>(0x38800000)) + 0x06800000;
}

// Rounds to nearest, ties to even. A NaN becomes quiet and keeps the leading bits of its payload.
fn xla_f16_to_bits_4(x: vec4<f32>) -> vec4<u32> {
    let b = bitcast<vec4<u32>>(x);
    let m = bitcast<vec4<i32>>(b & vec4<u32>(0x7fffffffu));
    // From 2^16 on the result is infinity; from 65520 on a carry makes it infinity.
    let finite = min(m, vec4<i32>(0x47800000));
    let magic = xla_f16_magic_4(finite);
    let sum = bitcast<vec4<i32>>(bitcast<vec4<f32>>(finite) + bitcast<vec4<f32>>(magic));
    let r = bitcast<vec4<u32>>(sum - magic + (magic >> vec4<u32>(13u)) - 0x1f800);
    let nan = ((b >> vec4<u32>(13u)) & vec4<u32>(0x3ffu)) | vec4<u32>(0x7e00u);
    let sign = (b >> vec4<u32>(16u)) & vec4<u32>(0x8000u);
    return select(r, nan, m > vec4<i32>(0x7f800000)) | sign;
}

fn xla_f16_to_bits(x: f32) -> u32 {
    return xla_f16_to_bits_4(vec4<f32>(x)).x;
}

// Returns the bits of a value that is an F16, for bitcasts: a signalling NaN stays signalling.
fn xla_f16_kept_bits(x: f32) -> u32 {
    let u = bitcast<u32>(x);
    let nan = ((u >> 16u) & 0x8000u) | 0x7c00u | ((u >> 13u) & 0x3ffu);
    return select(xla_f16_to_bits(x), nan, (u & 0x7fffffffu) > 0x7f800000u);
}

// Rounds to the nearest F16, ties to even.
fn xla_f16_round_4(x: vec4<f32>) -> vec4<f32> {
    let b = bitcast<vec4<u32>>(x);
    let m = bitcast<vec4<i32>>(b & vec4<u32>(0x7fffffffu));
    let sign = b & vec4<u32>(0x80000000u);
    let magic = xla_f16_magic_4(m);
    let sum = bitcast<vec4<i32>>(bitcast<vec4<f32>>(m) + bitcast<vec4<f32>>(magic));
    // The integer maximum changes nothing, but no compiler cancels across it.
    let r = bitcast<vec4<f32>>(max(sum, magic)) - bitcast<vec4<f32>>(magic);
    let nan = (b & vec4<u32>(0xffffe000u)) | vec4<u32>(0x00400000u);
    let large = select(sign | vec4<u32>(0x7f800000u), nan, m > vec4<i32>(0x7f800000));
    let too_large = m >= vec4<i32>(0x477ff000);
    return bitcast<vec4<f32>>(select(bitcast<vec4<u32>>(r) | sign, large, too_large));
}

fn xla_f16_round(x: f32) -> f32 {
    return xla_f16_round_4(vec4<f32>(x)).x;
}

// Shifts the bits only, because subnormals of BF16 are those of f32 and might be flushed.
fn xla_bf16_of_bits(h: u32) -> f32 {
    return bitcast<f32>(h << 16u);
}

// Rounds to the nearest BF16, ties to even, in the upper 16 bits. A NaN becomes quiet.
fn xla_bf16_rounded_4(x: vec4<f32>) -> vec4<u32> {
    let b = bitcast<vec4<u32>>(x);
    let nan = bitcast<vec4<i32>>(b & vec4<u32>(0x7fffffffu)) > vec4<i32>(0x7f800000);
    let last = (b >> vec4<u32>(16u)) & vec4<u32>(1u);
    return select(b + 0x7fffu + last, b | vec4<u32>(0x00400000u), nan);
}

fn xla_bf16_to_bits_4(x: vec4<f32>) -> vec4<u32> {
    return xla_bf16_rounded_4(x) >> vec4<u32>(16u);
}

fn xla_bf16_to_bits(x: f32) -> u32 {
    return xla_bf16_to_bits_4(vec4<f32>(x)).x;
}

// Rounds to the nearest BF16, ties to even.
fn xla_bf16_round_4(x: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(xla_bf16_rounded_4(x) & vec4<u32>(0xffff0000u));
}

fn xla_bf16_round(x: f32) -> f32 {
    return xla_bf16_round_4(vec4<f32>(x)).x;
}

// Returns the value next to a towards b, as xla_next_after does, on the 16 bits of a format whose
// infinity has the bits `infinity`. The highest mantissa bit makes a NaN quiet.
fn xla_next_after_bits(a: u32, b: u32, infinity: u32) -> u32 {
    let am = a & 0x7fffu;
    let bm = b & 0x7fffu;
    let quiet = (infinity >> 1u) & ~infinity;
    let inwards = (am > bm) | ((a ^ b) >= 0x8000u);
    var r = select(a + 1u, a - 1u, inwards);
    r = select(r, (b & 0x8000u) | 1u, am == 0u);
    r = select(r, b, (a == b) | ((am | bm) == 0u));
    r = select(r, b | quiet, bm > infinity);
    return select(r, a | quiet, am > infinity);
}

fn xla_next_after_f16(a: f32, b: f32) -> f32 {
    return xla_f16_of_bits(xla_next_after_bits(xla_f16_to_bits(a), xla_f16_to_bits(b), 0x7c00u));
}

fn xla_next_after_bf16(a: f32, b: f32) -> f32 {
    return xla_bf16_of_bits(xla_next_after_bits(xla_bf16_to_bits(a), xla_bf16_to_bits(b), 0x7f80u));
}

// Does xla_reduce_precision on the 16 bits of a format with `own` mantissa bits. If asked for more
// mantissa bits, it keeps all; if asked for all exponent bits, it keeps subnormals.
fn xla_reduce_precision_bits(exponent_bits: u32, mantissa_bits: u32, h: u32, own: u32) -> u32 {
    let magnitude = h & 0x7fffu;
    let infinity = 0x8000u - (1u << own);
    let dropped = own - min(mantissa_bits, own);
    let unit = 1u << dropped;
    let last = (magnitude >> dropped) & 1u;
    let bias = select((unit >> 1u) - 1u + last, 0u, dropped == 0u);
    var r = (magnitude + bias) & ~(unit - 1u);
    // `middle` is the exponent of 1; fewer bits reach from it as far as `range` up and down.
    let middle = 0x3fffu >> own;
    let range = (1u << min(exponent_bits - 1u, 14u - own)) - 1u;
    let e = r >> own;
    r = select(r, infinity, e > middle + range);
    r = select(r, 0u, (e <= middle - range) & (exponent_bits < 15u - own));
    let nan = select(h, infinity, mantissa_bits == 0u);
    return select(r | (h & 0x8000u), nan, magnitude > infinity);
}

fn xla_reduce_precision_f16(exponent_bits: u32, mantissa_bits: u32, x: f32) -> f32 {
    let h = xla_f16_to_bits(x);
    return xla_f16_of_bits(xla_reduce_precision_bits(exponent_bits, mantissa_bits, h, 10u));
}

fn xla_reduce_precision_bf16(exponent_bits: u32, mantissa_bits: u32, x: f32) -> f32 {
    let h = xla_bf16_to_bits(x);
    return xla_bf16_of_bits(xla_reduce_precision_bits(exponent_bits, mantissa_bits, h, 7u));
}
