// F16 and BF16, which are held as an f32 that the format has, and rounded to the format
// after every operation. Bits lie in the lower half of a u32.
//
// WGSL's own pack2x16float leaves the rounding open, and unpack2x16float may flush. Here bits
// are moved as integers, and a sum in f32 rounds, whose last place is the format's. Subnormals
// of F16 are ordinary f32, so that none is flushed: XLA flushes none of them either.
//
// Four at a time, since arrays come in quads; what is done with one is lane x of that, and
// compilers leave the other lanes out.

// The upper half is ignored. NaN keeps its payload, quiet or not.
fn xla_f16_of_bits_4(h: vec4<u32>) -> vec4<f32> {
    let b = bitcast<vec4<u32>>(bitcast<vec4<i32>>(h << vec4<u32>(16u)) >> vec4<u32>(3u));
    let m = bitcast<vec4<i32>>(b & vec4<u32>(0x0fffe000u));
    // Exponents differ by 112, those of infinity and NaN by twice that.
    let special = m >= vec4<i32>(0x0f800000);
    let normal = m + select(vec4<i32>(0x38000000), vec4<i32>(0x70000000), special);
    // As a fraction of 2^-14 behind a leading one, which is then taken away.
    let subnormal = bitcast<vec4<i32>>(bitcast<vec4<f32>>(m + 0x38800000) - 0x1p-14);
    let r = select(normal, subnormal, m < vec4<i32>(0x00800000));
    return bitcast<vec4<f32>>(bitcast<vec4<u32>>(r) | (b & vec4<u32>(0x80000000u)));
}

fn xla_f16_of_bits(h: u32) -> f32 {
    return xla_f16_of_bits_4(vec4<u32>(h)).x;
}

// For a magnitude 2^e <= m < 2^(e+1), with -14 for what is smaller: 2^(e+13), in whose sum
// with m the last place is F16's, so that it rounds as F16 does.
fn xla_f16_magic_4(m: vec4<i32>) -> vec4<i32> {
    return max(m & vec4<i32>(0x7f800000), vec4<i32>(0x38800000)) + 0x06800000;
}

// Ties to even; a NaN is made quiet and keeps the leading bits of its payload.
fn xla_f16_to_bits_4(x: vec4<f32>) -> vec4<u32> {
    let b = bitcast<vec4<u32>>(x);
    let m = bitcast<vec4<i32>>(b & vec4<u32>(0x7fffffffu));
    // Everything from 2^16 on is infinity; 65520 to there comes to it by a carry.
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

// The bits of a value that is an F16, signalling NaN included: for bitcasts.
fn xla_f16_kept_bits(x: f32) -> u32 {
    let u = bitcast<u32>(x);
    let nan = ((u >> 16u) & 0x8000u) | 0x7c00u | ((u >> 13u) & 0x3ffu);
    return select(xla_f16_to_bits(x), nan, (u & 0x7fffffffu) > 0x7f800000u);
}

// The nearest value that F16 has, ties to even.
fn xla_f16_round_4(x: vec4<f32>) -> vec4<f32> {
    let b = bitcast<vec4<u32>>(x);
    let m = bitcast<vec4<i32>>(b & vec4<u32>(0x7fffffffu));
    let sign = b & vec4<u32>(0x80000000u);
    let magic = xla_f16_magic_4(m);
    let sum = bitcast<vec4<i32>>(bitcast<vec4<f32>>(m) + bitcast<vec4<f32>>(magic));
    // No compiler cancels across an integer maximum, which changes nothing.
    let r = bitcast<vec4<f32>>(max(sum, magic)) - bitcast<vec4<f32>>(magic);
    let nan = (b & vec4<u32>(0xffffe000u)) | vec4<u32>(0x00400000u);
    let large = select(sign | vec4<u32>(0x7f800000u), nan, m > vec4<i32>(0x7f800000));
    let too_large = m >= vec4<i32>(0x477ff000);
    return bitcast<vec4<f32>>(select(bitcast<vec4<u32>>(r) | sign, large, too_large));
}

fn xla_f16_round(x: f32) -> f32 {
    return xla_f16_round_4(vec4<f32>(x)).x;
}

// Subnormals of BF16 are those of f32, and only moved here.
fn xla_bf16_of_bits(h: u32) -> f32 {
    return bitcast<f32>(h << 16u);
}

// In the upper 16 bits the nearest value, ties to even; a NaN is made quiet.
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

// The nearest value that BF16 has, ties to even.
fn xla_bf16_round_4(x: vec4<f32>) -> vec4<f32> {
    return bitcast<vec4<f32>>(xla_bf16_rounded_4(x) & vec4<u32>(0xffff0000u));
}

fn xla_bf16_round(x: f32) -> f32 {
    return xla_bf16_round_4(vec4<f32>(x)).x;
}

// The neighbour of a on b's side, on 16 bits of a sign and a magnitude whose infinity is given,
// as xla_next_after does it on 32. The lowest bit that infinity lacks makes a NaN quiet.
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

// xla_reduce_precision on the 16 bits of a format with so many mantissa bits: of more bits than
// it has it keeps them all, and with all its exponent bits its subnormals.
fn xla_reduce_precision_bits(exponent_bits: u32, mantissa_bits: u32, h: u32, own: u32) -> u32 {
    let magnitude = h & 0x7fffu;
    let infinity = 0x8000u - (1u << own);
    let dropped = own - min(mantissa_bits, own);
    let unit = 1u << dropped;
    let last = (magnitude >> dropped) & 1u;
    let bias = select((unit >> 1u) - 1u + last, 0u, dropped == 0u);
    var r = (magnitude + bias) & ~(unit - 1u);
    // The middle of the exponents, and how far from it the fewer bits reach.
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
