// F16 and BF16, which are held as an f32 that the format has, and rounded to the format
// after every operation. Bits lie in the lower half of a u32.
//
// All on integers: WGSL's own pack2x16float leaves the rounding open, and subnormals of
// F16 are ordinary f32, so that nothing here is flushed that XLA keeps.

// The upper half is ignored.
fn xla_f16_of_bits(h: u32) -> f32 {
    let sign = (h << 16u) & 0x80000000u;
    let m = bitcast<i32>((h << 13u) & 0x0fffe000u);
    // Exponents differ by 112, those of infinity and NaN by twice that.
    var r = m + select(0x38000000, 0x70000000, m >= 0x0f800000);
    let subnormal = bitcast<i32>(f32(h & 0x3ffu) * 0x1p-24);
    r = select(r, subnormal, m < 0x00800000);
    return bitcast<f32>(bitcast<u32>(r) | sign);
}

fn xla_f16_to_bits(x: f32) -> u32 {
    let b = bitcast<u32>(x);
    let m = bitcast<i32>(b & 0x7fffffffu);
    let nan = ((b >> 13u) & 0x3ffu) | 0x7e00u;
    // Everything from 2^16 on is infinity; 65520 to there comes to it by a carry.
    let finite = min(m, 0x47800000);
    let normal = (finite - 0x37fff001 + ((finite >> 13u) & 1)) >> 13u;
    // Here f32's last place is 2^-24, so that the sum rounds to multiples of it.
    let subnormal = bitcast<i32>(bitcast<f32>(finite) + 0.5) - 0x3f000000;
    let r = bitcast<u32>(select(normal, subnormal, m < 0x38800000));
    return select(r, nan, m > 0x7f800000) | ((b >> 16u) & 0x8000u);
}

// The nearest value that F16 has, ties to even.
fn xla_f16_round(x: f32) -> f32 {
    return xla_f16_of_bits(xla_f16_to_bits(x));
}

fn xla_bf16_of_bits(h: u32) -> f32 {
    return bitcast<f32>(h << 16u);
}

// Above the 16 bits that are dropped, the nearest with ties to even; a NaN is made quiet.
fn xla_bf16_rounded(x: f32) -> u32 {
    let b = bitcast<u32>(x);
    let nan = bitcast<i32>(b & 0x7fffffffu) > 0x7f800000;
    return select(b + 0x7fffu + ((b >> 16u) & 1u), b | 0x00400000u, nan);
}

fn xla_bf16_to_bits(x: f32) -> u32 {
    return xla_bf16_rounded(x) >> 16u;
}

// The nearest value that BF16 has, ties to even.
fn xla_bf16_round(x: f32) -> f32 {
    return bitcast<f32>(xla_bf16_rounded(x) & 0xffff0000u);
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
