// Exact scalar functions on f32: bits, rounding, order, remainder.
//
// Rules that every file in this folder keeps, and why:
// - A WGSL implementation may assume that NaN and infinity never occur. They
//   are therefore tested, and made, as u32 bits that depend on runtime values.
// - A driver may contract a*b+c to an fma, regroup a sum, and simplify (a+b)-a
//   to b; Mesa does. Where a rounding error is wanted back, the leading part is
//   cut to 12 bits with a mask (xla_head): no compiler sees through that, and a
//   product of two 12-bit parts is exact, fused or not. Where the order of a sum
//   matters, xla_keep stands between its terms.
// - `&` and `|` stand between conditions, and a function computes what it may not need
//   where that is short: `&&`, `||` and `if` are branches, after which a software adapter
//   masks whatever follows. SwiftShader's compiler follows every path of those within a
//   loop: 16 copies of a remainder with four each took it 7 GB.
// - A function takes a subnormal operand for what it is, and gives a subnormal
//   result by an operation on floats, which rounds it or flushes it. Where an adapter
//   flushes, the generator makes zeros of a function's operands and results
//   (xla_flushed). A term of a sum must not be subnormal where the sum is normal:
//   what it is worth is lost on an adapter that flushes.
// - `fn` and `const` and the closing brace stand at column 0: the kernel
//   generator takes from here only the functions that a kernel needs.

// Returns the bits of |x|.
fn xla_abs_bits(x: f32) -> u32 {
    return bitcast<u32>(x) & 0x7fffffffu;
}

// Truncates x to its leading 12 of 24 significant bits.
fn xla_head(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) & 0xfffff000u);
}

// Returns x, for x < 2^100. No compiler regroups a sum across the minimum in it.
fn xla_keep(x: f32) -> f32 {
    return min(x, 0x1p+100);
}

// Returns any x, by its bits OR a zero that no compiler knows. The guards of operations
// are by XOR, which does not cancel this one.
fn xla_keep_bits(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) | params.zero);
}

// Returns x, or a zero of its sign for a subnormal x.
fn xla_flushed(x: f32) -> f32 {
    let b = bitcast<u32>(x);
    return bitcast<f32>(select(b, b & 0x80000000u, (b & 0x7f800000u) == 0u));
}

fn xla_flushed_4(x: vec4<f32>) -> vec4<f32> {
    let b = bitcast<vec4<u32>>(x);
    let small = (b & vec4<u32>(0x7f800000u)) == vec4<u32>();
    return bitcast<vec4<f32>>(select(b, b & vec4<u32>(0x80000000u), small));
}

fn xla_flushed_c64(z: vec2<f32>) -> vec2<f32> {
    return vec2<f32>(xla_flushed(z.x), xla_flushed(z.y));
}

// The bits of a positive x, of a subnormal one of 2^32 x, with the exponent 32 or 0 of
// that factor.
fn xla_normalized(b: u32) -> vec2<u32> {
    let large = bitcast<u32>(bitcast<f32>(b) * 0x1p+32);
    return select(vec2<u32>(b, 0u), vec2<u32>(large, 32u), b < 0x00800000u);
}

// 2^n for -126 <= n <= 127.
fn xla_exp2_int(n: i32) -> f32 {
    return bitcast<f32>(u32(n + 127) << 23u);
}

// Returns r, or a quiet NaN with x's payload where x is NaN.
fn xla_keep_nan(r: f32, x: f32) -> f32 {
    let b = bitcast<u32>(x);
    return bitcast<f32>(select(bitcast<u32>(r), b | 0x00400000u, (b & 0x7fffffffu) > 0x7f800000u));
}

fn xla_is_nan(x: f32) -> bool {
    return xla_abs_bits(x) > 0x7f800000u;
}

fn xla_is_finite(x: f32) -> bool {
    return xla_abs_bits(x) < 0x7f800000u;
}

fn xla_is_unordered(a: f32, b: f32) -> bool {
    // The comparison is signed, because vector units do that in one step.
    return max(bitcast<i32>(a) & 0x7fffffff, bitcast<i32>(b) & 0x7fffffff) > 0x7f800000;
}

fn xla_eq_f32(a: f32, b: f32) -> bool {
    return (a == b) & !xla_is_unordered(a, b);
}

fn xla_ne_f32(a: f32, b: f32) -> bool {
    return (a != b) | xla_is_unordered(a, b);
}

fn xla_lt_f32(a: f32, b: f32) -> bool {
    return (a < b) & !xla_is_unordered(a, b);
}

fn xla_le_f32(a: f32, b: f32) -> bool {
    return (a <= b) & !xla_is_unordered(a, b);
}

fn xla_gt_f32(a: f32, b: f32) -> bool {
    return (a > b) & !xla_is_unordered(a, b);
}

fn xla_ge_f32(a: f32, b: f32) -> bool {
    return (a >= b) & !xla_is_unordered(a, b);
}

// IEEE 754-2008 totalOrder as an integer order: a negative number's magnitude
// bits are flipped, so that -NaN < -inf < ... < -0 < +0 < ... < +inf < +NaN.
fn xla_total_order_key(x: f32) -> i32 {
    let b = bitcast<i32>(x);
    return b ^ ((b >> 31u) & 0x7fffffff);
}

// Compares by the total order, which tells the zeros apart; NaN wins over both.
fn xla_max(a: f32, b: f32) -> f32 {
    let ab = bitcast<u32>(a);
    let bb = bitcast<u32>(b);
    var r = select(bb, ab, xla_total_order_key(a) >= xla_total_order_key(b));
    r = select(r, bb, xla_is_nan(b));
    r = select(r, ab, xla_is_nan(a));
    return bitcast<f32>(r);
}

fn xla_min(a: f32, b: f32) -> f32 {
    let ab = bitcast<u32>(a);
    let bb = bitcast<u32>(b);
    var r = select(bb, ab, xla_total_order_key(a) <= xla_total_order_key(b));
    r = select(r, bb, xla_is_nan(b));
    r = select(r, ab, xla_is_nan(a));
    return bitcast<f32>(r);
}

fn xla_clamp(lo: f32, x: f32, hi: f32) -> f32 {
    return xla_min(xla_max(lo, x), hi);
}

// Returns -1 or 1; zeros and NaN stay.
fn xla_sign(x: f32) -> f32 {
    let b = bitcast<u32>(x);
    let magnitude = b & 0x7fffffffu;
    let keep = (magnitude == 0u) | (magnitude > 0x7f800000u);
    return bitcast<f32>(select((b & 0x80000000u) | 0x3f800000u, b, keep));
}

// Finishes the five roundings. From 2^23 on every float is an integer, and x stays,
// as infinity and NaN do. Below it the result takes the operand's sign, so that
// ceil(-0.3) is -0 even on drivers that lose the sign of zero.
fn xla_rounded(r: f32, x: f32) -> f32 {
    let b = bitcast<u32>(x);
    let signed_bits = (bitcast<u32>(r) & 0x7fffffffu) | (b & 0x80000000u);
    return bitcast<f32>(select(signed_bits, b, (b & 0x7fffffffu) >= 0x4b000000u));
}

fn xla_floor(x: f32) -> f32 {
    return xla_rounded(floor(x), x);
}

fn xla_ceil(x: f32) -> f32 {
    return xla_rounded(ceil(x), x);
}

fn xla_trunc(x: f32) -> f32 {
    return xla_rounded(trunc(x), x);
}

// Ties to even is what WGSL's round does.
fn xla_round_nearest_even(x: f32) -> f32 {
    return xla_rounded(round(x), x);
}

// Ties away from zero. floor(|x| + 0.5) would be wrong for 0.49999997, where
// the sum rounds up to 1; the difference below is exact.
fn xla_round(x: f32) -> f32 {
    let whole = trunc(abs(x));
    let part = abs(x) - whole;
    return xla_rounded(whole + select(0.0, 1.0, part >= 0.5), x);
}

// Significand and exponent of a finite nonzero magnitude: b = s * 2^(e - 150)
// with 2^23 <= s < 2^24. Subnormals are normalised, so e may be below 1.
fn xla_significand(b: u32) -> vec2<u32> {
    let e = b >> 23u;
    let shift = select(0u, countLeadingZeros(b & 0x007fffffu) - 8u, e == 0u);
    let s = select((b & 0x007fffffu) | 0x00800000u, (b & 0x007fffffu) << (shift & 31u), e == 0u);
    return vec2<u32>(s, max(e, 1u) - shift);
}

// The remainder of magnitudes as bits, for finite xm >= ym > 0, exact: long division in
// base 2^20 on the significands, at most 14 steps. Each quotient digit is guessed by a
// float reciprocal; the guess is off by at most one, since `/` is within 2.5 ULP and
// the digit below 2^20,
// and the remainder, computed modulo 2^32, is put right by one addition. Where turned is
// true, a remainder other than 0 is taken from the divisor, which is exact, too.
fn xla_rem_magnitude(xm: u32, ym: u32, turned: bool) -> u32 {
    let xs = xla_significand(xm);
    let ys = xla_significand(ym);
    let divisor = ys.x;
    let inverse = 1.0 / f32(divisor);
    var left = bitcast<i32>(xs.y) - bitcast<i32>(ys.y);
    var r = xs.x;
    r = select(r, r - divisor, r >= divisor);
    for (var step = 0u; (step < 14u) & (left > 0); step++) {
        let digits = u32(min(left, 20));
        let quotient = u32(f32(r) * (inverse * f32(1u << digits)));
        var rest = bitcast<i32>((r << digits) - quotient * divisor);
        rest += select(0, bitcast<i32>(divisor), rest < 0);
        r = bitcast<u32>(rest);
        r = select(r, r - divisor, r >= divisor);
        left -= 20;
    }
    r = select(r, divisor - r, turned & (r != 0u));
    // r * 2^(ys.y - 150) back to a float; r = 0 has 32 leading zeros.
    let shift = countLeadingZeros(r) - 8u;
    let e = bitcast<i32>(ys.y) - bitcast<i32>(shift);
    let normal = (u32(max(e, 1)) << 23u) + (r << (shift & 31u)) - 0x00800000u;
    // Below 2^-126 the significand keeps the exponent field 0.
    let up = bitcast<i32>(ys.y) - 1;
    let tiny = select(r << (u32(max(up, 0)) & 31u), r >> (u32(max(-up, 0)) & 31u), up < 0);
    return select(select(tiny, normal, e >= 1), 0u, r == 0u);
}

// Remainder with the dividend's sign.
fn xla_rem(x: f32, y: f32) -> f32 {
    let xb = bitcast<u32>(x);
    let yb = bitcast<u32>(y);
    let xm = xb & 0x7fffffffu;
    let ym = yb & 0x7fffffffu;
    let large = (xm >= ym) & (ym != 0u) & (xm < 0x7f800000u);
    var result = select(xm, xla_rem_magnitude(xm, ym, false), large) | (xb & 0x80000000u);
    result = select(result, yb | 0x7fc00000u, (ym == 0u) | (xm == 0x7f800000u) | (ym > 0x7f800000u));
    result = select(result, xb | 0x00400000u, xm > 0x7f800000u);
    return bitcast<f32>(result);
}

// Remainder with the divisor's sign, as Python's and NumPy's. Where |x| < |y| and the signs
// differ, it is x + y, rounded once.
fn xla_remainder(x: f32, y: f32) -> f32 {
    let xb = bitcast<u32>(x);
    let yb = bitcast<u32>(y);
    let xm = xb & 0x7fffffffu;
    let ym = yb & 0x7fffffffu;
    let turned = (xb ^ yb) >= 0x80000000u;
    let sum = select(bitcast<u32>(x + y), ym, ym == 0x7f800000u);
    let small = select(xm, sum, turned & (xm != 0u));
    let large = (xm >= ym) & (ym != 0u) & (xm < 0x7f800000u);
    var result = select(small, xla_rem_magnitude(xm, ym, turned), large);
    result = (result & 0x7fffffffu) | (yb & 0x80000000u);
    result = select(result, yb | 0x7fc00000u, (ym == 0u) | (xm == 0x7f800000u) | (ym > 0x7f800000u));
    result = select(result, xb | 0x00400000u, xm > 0x7f800000u);
    return bitcast<f32>(result);
}

// The quotient rounded down, by the steps of NumPy's npy_divmod (npy_math_internal.h.src),
// which are those of Python's float_divmod: (x - x fmod y) / y, one less where the remainder
// has not the divisor's sign, and the integer nearest to that. Each step is rounded, so that
// from 2^23 on a quotient may be off by one in its last place. Small operands are scaled up, by
// which no remainder is subnormal.
fn xla_floor_divide(x: f32, y: f32) -> f32 {
    let xb = bitcast<u32>(x);
    let yb = bitcast<u32>(y);
    let xm = xb & 0x7fffffffu;
    let ym = yb & 0x7fffffffu;
    let sign = (xb ^ yb) & 0x80000000u;
    let up = select(1.0, 0x1p+64, xm < 0x21800000u);
    let a = xla_keep_bits(x * up);
    let b = xla_keep_bits(y * up);
    let rest = xla_rem(a, b);
    let down = (sign != 0u) & (xla_abs_bits(rest) != 0u);
    let quotient = xla_keep_bits(xla_quotient(xla_keep_bits(a - rest), b));
    let q = xla_keep_bits(quotient - select(0.0, 1.0, down));
    let whole = floor(q);
    var result = bitcast<u32>(whole + select(0.0, 1.0, xla_keep_bits(q - whole) > 0.5));
    result = select(result, sign | 0x7f800000u, xla_abs_bits(q) == 0x7f800000u);
    result = select(result, select(sign, 0xbf800000u, (sign != 0u) & (xm != 0u)), xm < ym);
    // x / 0 is infinite, 0 / 0 is NaN; an infinite x leaves no number as its remainder.
    result = select(result, sign | 0x7f800000u, ym == 0u);
    let invalid = ((xm | ym) == 0u) | ((xm == 0x7f800000u) & (ym != 0u));
    result = select(result, yb | 0x7fc00000u, invalid | (ym > 0x7f800000u));
    result = select(result, xb | 0x00400000u, xm > 0x7f800000u);
    return bitcast<f32>(result);
}

// 1/sqrt(x), two roundings. rsqrt(+-0) = +-inf, of a negative number NaN.
fn xla_rsqrt(x: f32) -> f32 {
    let b = bitcast<u32>(x);
    let magnitude = b & 0x7fffffffu;
    var r = bitcast<u32>(xla_quotient(1.0, xla_root(abs(x))));
    r = select(r, (b & 0x80000000u) | 0x7f800000u, magnitude == 0u);
    r = select(r, 0u, magnitude == 0x7f800000u);
    r = select(r, b | 0x7fc00000u, (b > 0x80000000u) | (magnitude > 0x7f800000u));
    return bitcast<f32>(r);
}

// Returns the float next to a towards b, by its bits: the magnitude plus or minus
// one, and from zero the smallest subnormal. Equal operands, or two zeros, give b.
fn xla_next_after(a: f32, b: f32) -> f32 {
    let ab = bitcast<u32>(a);
    let bb = bitcast<u32>(b);
    let am = ab & 0x7fffffffu;
    let bm = bb & 0x7fffffffu;
    let inwards = (am > bm) | ((ab ^ bb) >= 0x80000000u);
    var r = select(ab + 1u, ab - 1u, inwards);
    r = select(r, (bb & 0x80000000u) | 1u, am == 0u);
    r = select(r, bb, (ab == bb) | ((am | bm) == 0u));
    r = select(r, bb | 0x00400000u, bm > 0x7f800000u);
    r = select(r, ab | 0x00400000u, am > 0x7f800000u);
    return bitcast<f32>(r);
}

// Rounds x to a format of 1 to 8 exponent bits and 0 to 23 mantissa bits. The
// significand is rounded to nearest even on the bits as an integer, whose carry goes
// into the exponent; then exponents out of range become zero or infinity. The
// smallest exponent stands for zero, so that there are no subnormals, but for 8
// exponent bits, where XLA keeps them. Without mantissa bits a NaN is infinity.
fn xla_reduce_precision(exponent_bits: u32, mantissa_bits: u32, x: f32) -> f32 {
    let b = bitcast<u32>(x);
    let sign = b & 0x80000000u;
    let magnitude = b & 0x7fffffffu;
    let dropped = 23u - mantissa_bits;
    let unit = 1u << dropped;
    let last = (magnitude >> dropped) & 1u;
    let bias = select((unit >> 1u) - 1u + last, 0u, dropped == 0u);
    var r = (magnitude + bias) & ~(unit - 1u);
    let range = (1u << (exponent_bits - 1u)) - 1u;
    let e = r >> 23u;
    r = select(r, 0x7f800000u, e > 127u + range);
    r = select(r, 0u, (e <= 127u - range) & (exponent_bits < 8u)) | sign;
    let nan = select(b, 0x7f800000u, mantissa_bits == 0u);
    return bitcast<f32>(select(r, nan, magnitude > 0x7f800000u));
}
