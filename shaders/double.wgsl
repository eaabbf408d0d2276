// Exact scalar functions on f64: bits, rounding, order, remainder, conversions.
//
// The rules at the top of exact.wgsl hold here, too. On f64 an adapter has
// + - * / sqrt floor ceil abs min max, compares, select and conversions, and
// nothing more: exp(x) of an f64 passes validation, and returns anything, and
// trunc(x) beyond 2^24 returns x on lavapipe where the CPU lacks AVX-512.
// These files rest on +, -, * and conversions of integers being rounded to
// nearest even, and on floor and ceil being exact; / and sqrt are the
// adapter's own. An f64 is seen as bits by way of u64.

const XLA_INF_F64: u64 = 0x7ff0000000000000lu;
const XLA_NAN_F64: u64 = 0x7ff8000000000000lu;
const XLA_SIGN_F64: u64 = 0x8000000000000000lu;
const XLA_QUIET_F64: u64 = 0x0008000000000000lu;

// Returns the bits of |x|.
fn xla_abs_bits_f64(x: f64) -> u64 {
    return bitcast<u64>(x) & 0x7ffffffffffffffflu;
}

// Returns x, by its bits OR a zero that no compiler knows, so that none contracts,
// cancels or regroups across it.
fn xla_keep_f64(x: f64) -> f64 {
    return bitcast<f64>(bitcast<u64>(x) | u64(params.zero));
}

// The leading 26 of 53 significant bits, truncated: products of two such are exact.
fn xla_head_f64(x: f64) -> f64 {
    return bitcast<f64>(bitcast<u64>(x) & 0xfffffffff8000000lu);
}

// 2^n for -1022 <= n <= 1023.
fn xla_exp2_int_f64(n: i32) -> f64 {
    return bitcast<f64>(u64(u32(n + 1023)) << 52u);
}

// Returns the exponent field, 0 to 2047, of the bits of |x|.
fn xla_exponent_f64(magnitude: u64) -> i32 {
    return i32(u32(magnitude >> 52u));
}

// Returns r, or a quiet NaN with x's payload where x is NaN.
fn xla_keep_nan_f64(r: f64, x: f64) -> f64 {
    let b = bitcast<u64>(x) | XLA_QUIET_F64;
    return bitcast<f64>(select(bitcast<u64>(r), b, xla_is_nan_f64(x)));
}

// Result r for |x|, given x's sign; odd functions are computed on |x|.
fn xla_odd_f64(r: f64, x: f64) -> f64 {
    return bitcast<f64>(bitcast<u64>(r) | (bitcast<u64>(x) & XLA_SIGN_F64));
}

fn xla_is_nan_f64(x: f64) -> bool {
    return xla_abs_bits_f64(x) > XLA_INF_F64;
}

fn xla_is_finite_f64(x: f64) -> bool {
    return xla_abs_bits_f64(x) < XLA_INF_F64;
}

fn xla_is_inf_f64(x: f64) -> bool {
    return xla_abs_bits_f64(x) == XLA_INF_F64;
}

fn xla_signbit_f64(x: f64) -> bool {
    return bitcast<u64>(x) >= XLA_SIGN_F64;
}

fn xla_copysign_f64(x: f64, y: f64) -> f64 {
    return bitcast<f64>(xla_abs_bits_f64(x) | (bitcast<u64>(y) & XLA_SIGN_F64));
}

fn xla_is_unordered_f64(a: f64, b: f64) -> bool {
    return xla_is_nan_f64(a) | xla_is_nan_f64(b);
}

fn xla_eq_f64(a: f64, b: f64) -> bool {
    return (a == b) & !xla_is_unordered_f64(a, b);
}

fn xla_ne_f64(a: f64, b: f64) -> bool {
    return (a != b) | xla_is_unordered_f64(a, b);
}

fn xla_lt_f64(a: f64, b: f64) -> bool {
    return (a < b) & !xla_is_unordered_f64(a, b);
}

fn xla_le_f64(a: f64, b: f64) -> bool {
    return (a <= b) & !xla_is_unordered_f64(a, b);
}

fn xla_gt_f64(a: f64, b: f64) -> bool {
    return (a > b) & !xla_is_unordered_f64(a, b);
}

fn xla_ge_f64(a: f64, b: f64) -> bool {
    return (a >= b) & !xla_is_unordered_f64(a, b);
}

// Does what xla_total_order_key does on f32.
fn xla_total_order_key_f64(x: f64) -> i64 {
    let b = bitcast<i64>(x);
    return b ^ ((b >> 63u) & 0x7fffffffffffffffli);
}

// Compares by the total order, which tells the zeros apart; NaN wins over both.
fn xla_max_f64(a: f64, b: f64) -> f64 {
    let ab = bitcast<u64>(a);
    let bb = bitcast<u64>(b);
    var r = select(bb, ab, xla_total_order_key_f64(a) >= xla_total_order_key_f64(b));
    r = select(r, bb, xla_is_nan_f64(b));
    r = select(r, ab, xla_is_nan_f64(a));
    return bitcast<f64>(r);
}

fn xla_min_f64(a: f64, b: f64) -> f64 {
    let ab = bitcast<u64>(a);
    let bb = bitcast<u64>(b);
    var r = select(bb, ab, xla_total_order_key_f64(a) <= xla_total_order_key_f64(b));
    r = select(r, bb, xla_is_nan_f64(b));
    r = select(r, ab, xla_is_nan_f64(a));
    return bitcast<f64>(r);
}

fn xla_clamp_f64(lo: f64, x: f64, hi: f64) -> f64 {
    return xla_min_f64(xla_max_f64(lo, x), hi);
}

fn xla_abs_f64(x: f64) -> f64 {
    return bitcast<f64>(xla_abs_bits_f64(x));
}

fn xla_neg_f64(x: f64) -> f64 {
    return bitcast<f64>(bitcast<u64>(x) ^ XLA_SIGN_F64);
}

// Returns -1 or 1; zeros and NaN stay.
fn xla_sign_f64(x: f64) -> f64 {
    let b = bitcast<u64>(x);
    let magnitude = xla_abs_bits_f64(x);
    let keep = (magnitude == 0lu) | (magnitude > XLA_INF_F64);
    return bitcast<f64>(select((b & XLA_SIGN_F64) | 0x3ff0000000000000lu, b, keep));
}

// Finishes the five roundings as xla_rounded does; from 2^52 on every f64 is an integer.
fn xla_rounded_f64(r: f64, x: f64) -> f64 {
    let b = bitcast<u64>(x);
    let signed_bits = xla_abs_bits_f64(r) | (b & XLA_SIGN_F64);
    return bitcast<f64>(select(signed_bits, b, xla_abs_bits_f64(x) >= 0x4330000000000000lu));
}

fn xla_floor_f64(x: f64) -> f64 {
    return xla_rounded_f64(floor(x), x);
}

fn xla_ceil_f64(x: f64) -> f64 {
    return xla_rounded_f64(ceil(x), x);
}

fn xla_trunc_f64(x: f64) -> f64 {
    return xla_rounded_f64(floor(xla_abs_f64(x)), x);
}

// Ties to even, by the parity of the integer below; round() has no f64.
fn xla_round_nearest_even_f64(x: f64) -> f64 {
    let ax = xla_abs_f64(x);
    let whole = floor(ax);
    let part = ax - whole;
    let half = 0.5lf * whole;
    let up = (part > 0.5lf) | ((part == 0.5lf) & (floor(half) != half));
    return xla_rounded_f64(whole + select(0.0lf, 1.0lf, up), x);
}

// Ties away from zero.
fn xla_round_f64(x: f64) -> f64 {
    let ax = xla_abs_f64(x);
    let whole = floor(ax);
    let part = ax - whole;
    return xla_rounded_f64(whole + select(0.0lf, 1.0lf, part >= 0.5lf), x);
}

// Does what xla_next_after does on f32.
fn xla_next_after_f64(a: f64, b: f64) -> f64 {
    let ab = bitcast<u64>(a);
    let bb = bitcast<u64>(b);
    let am = xla_abs_bits_f64(a);
    let bm = xla_abs_bits_f64(b);
    let inwards = (am > bm) | ((ab ^ bb) >= XLA_SIGN_F64);
    var r = select(ab + 1lu, ab - 1lu, inwards);
    r = select(r, (bb & XLA_SIGN_F64) | 1lu, am == 0lu);
    r = select(r, bb, (ab == bb) | ((am | bm) == 0lu));
    r = select(r, bb | XLA_QUIET_F64, bm > XLA_INF_F64);
    r = select(r, ab | XLA_QUIET_F64, am > XLA_INF_F64);
    return bitcast<f64>(r);
}

// Does what xla_reduce_precision does, with up to 11 exponent bits and 52 mantissa bits.
fn xla_reduce_precision_f64(exponent_bits: u32, mantissa_bits: u32, x: f64) -> f64 {
    let b = bitcast<u64>(x);
    let magnitude = xla_abs_bits_f64(x);
    let dropped = 52u - mantissa_bits;
    let unit = 1lu << dropped;
    let last = (magnitude >> dropped) & 1lu;
    let bias = select((unit >> 1u) - 1lu + last, 0lu, dropped == 0u);
    var r = (magnitude + bias) & ~(unit - 1lu);
    let range = (1u << (exponent_bits - 1u)) - 1u;
    let e = u32(r >> 52u);
    r = select(r, XLA_INF_F64, e > 1023u + range);
    r = select(r, 0lu, (e <= 1023u - range) & (exponent_bits < 11u)) | (b & XLA_SIGN_F64);
    let nan = select(b, XLA_INF_F64, mantissa_bits == 0u);
    return bitcast<f64>(select(r, nan, magnitude > XLA_INF_F64));
}

// 1/sqrt(x), two roundings. rsqrt(+-0) = +-inf, of a negative number NaN.
fn xla_rsqrt_f64(x: f64) -> f64 {
    let b = bitcast<u64>(x);
    let magnitude = xla_abs_bits_f64(x);
    var r = bitcast<u64>(1.0lf / sqrt(bitcast<f64>(magnitude)));
    r = select(r, (b & XLA_SIGN_F64) | XLA_INF_F64, magnitude == 0lu);
    r = select(r, 0lu, magnitude == XLA_INF_F64);
    r = select(r, b | XLA_NAN_F64, (b > XLA_SIGN_F64) | (magnitude > XLA_INF_F64));
    return bitcast<f64>(r);
}

// Significand and exponent of a finite nonzero magnitude: b = s * 2^(e - 1075)
// with 2^52 <= s < 2^53. Subnormals are normalised, so e may be below 1. Leading
// zeros by halves, as WGSL counts them in 32 bits only.
fn xla_significand_f64(b: u64) -> vec2<u64> {
    let e = b >> 52u;
    let m = b & 0x000ffffffffffffflu;
    let high = u32(m >> 32u);
    let zeros = select(countLeadingZeros(high), 32u + countLeadingZeros(u32(m)), high == 0u);
    let shift = select(0u, zeros - 11u, e == 0lu);
    let s = select(m | 0x0010000000000000lu, m << (shift & 63u), e == 0lu);
    return vec2<u64>(s, max(e, 1lu) - u64(shift));
}

// The remainder of magnitudes as bits, for finite xm >= ym > 0, exact: long division in
// base 2^48 on the significands, at most 43 steps. Each quotient digit is guessed by a
// reciprocal; the guess is off by at most one, and the remainder, computed
// modulo 2^64, is put right by one addition. Where turned is true, a remainder other than
// 0 is taken from the divisor.
fn xla_rem_magnitude_f64(xm: u64, ym: u64, turned: bool) -> u64 {
    let xs = xla_significand_f64(xm);
    let ys = xla_significand_f64(ym);
    let divisor = ys.x;
    let inverse = 1.0lf / f64(bitcast<i64>(divisor));
    var left = i32(bitcast<i64>(xs.y) - bitcast<i64>(ys.y));
    var r = xs.x;
    r = select(r, r - divisor, r >= divisor);
    for (var step = 0u; (step < 43u) & (left > 0); step++) {
        let digits = u32(min(left, 48));
        let scale = xla_exp2_int_f64(i32(digits));
        let quotient = bitcast<u64>(i64(f64(bitcast<i64>(r)) * (inverse * scale)));
        var rest = (r << digits) - quotient * divisor;
        rest = select(rest, rest + divisor, bitcast<i64>(rest) < 0li);
        r = select(rest, rest - divisor, rest >= divisor);
        left -= 48;
    }
    r = select(r, divisor - r, turned & (r != 0lu));
    return xla_of_significand_f64(r, i32(bitcast<i64>(ys.y)));
}

// Remainder with the dividend's sign.
fn xla_rem_f64(x: f64, y: f64) -> f64 {
    let xb = bitcast<u64>(x);
    let yb = bitcast<u64>(y);
    let xm = xla_abs_bits_f64(x);
    let ym = xla_abs_bits_f64(y);
    let large = (xm >= ym) & (ym != 0lu) & (xm < XLA_INF_F64);
    var result = select(xm, xla_rem_magnitude_f64(xm, ym, false), large) | (xb & XLA_SIGN_F64);
    let invalid = (ym == 0lu) | (xm == XLA_INF_F64) | (ym > XLA_INF_F64);
    result = select(result, yb | XLA_NAN_F64, invalid);
    result = select(result, xb | XLA_QUIET_F64, xm > XLA_INF_F64);
    return bitcast<f64>(result);
}

// Does what xla_remainder does on f32.
fn xla_remainder_f64(x: f64, y: f64) -> f64 {
    let xb = bitcast<u64>(x);
    let yb = bitcast<u64>(y);
    let xm = xla_abs_bits_f64(x);
    let ym = xla_abs_bits_f64(y);
    let turned = (xb ^ yb) >= XLA_SIGN_F64;
    let sum = select(xla_abs_bits_f64(x + y), ym, ym == XLA_INF_F64);
    let small = select(xm, sum, turned & (xm != 0lu));
    let large = (xm >= ym) & (ym != 0lu) & (xm < XLA_INF_F64);
    var result = select(small, xla_rem_magnitude_f64(xm, ym, turned), large);
    result |= yb & XLA_SIGN_F64;
    let invalid = (ym == 0lu) | (xm == XLA_INF_F64) | (ym > XLA_INF_F64);
    result = select(result, yb | XLA_NAN_F64, invalid);
    result = select(result, xb | XLA_QUIET_F64, xm > XLA_INF_F64);
    return bitcast<f64>(result);
}

// Does what xla_floor_divide does on f32.
fn xla_floor_divide_f64(x: f64, y: f64) -> f64 {
    let xb = bitcast<u64>(x);
    let yb = bitcast<u64>(y);
    let xm = xla_abs_bits_f64(x);
    let ym = xla_abs_bits_f64(y);
    let sign = (xb ^ yb) & XLA_SIGN_F64;
    let up = select(1.0lf, 0x1p+512lf, xm < 0x1ff0000000000000lu);
    let a = xla_keep_f64(x * up);
    let b = xla_keep_f64(y * up);
    let rest = xla_rem_f64(a, b);
    let down = (sign != 0lu) & (xla_abs_bits_f64(rest) != 0lu);
    let quotient = xla_keep_f64(xla_keep_f64(a - rest) / b);
    let q = xla_keep_f64(quotient - select(0.0lf, 1.0lf, down));
    let whole = floor(q);
    let near = xla_keep_f64(q - whole) > 0.5lf;
    var result = bitcast<u64>(whole + select(0.0lf, 1.0lf, near));
    result = select(result, sign | XLA_INF_F64, xla_abs_bits_f64(q) == XLA_INF_F64);
    let minus_one = (sign != 0lu) & (xm != 0lu);
    result = select(result, select(sign, 0xbff0000000000000lu, minus_one), xm < ym);
    result = select(result, sign | XLA_INF_F64, ym == 0lu);
    let invalid = ((xm | ym) == 0lu) | ((xm == XLA_INF_F64) & (ym != 0lu));
    result = select(result, yb | XLA_NAN_F64, invalid | (ym > XLA_INF_F64));
    result = select(result, xb | XLA_QUIET_F64, xm > XLA_INF_F64);
    return bitcast<f64>(result);
}

// r * 2^(e - 1075) as bits, for r < 2^53 where this is exact.
fn xla_of_significand_f64(r: u64, e: i32) -> u64 {
    let high = u32(r >> 32u);
    let zeros = select(countLeadingZeros(high), 32u + countLeadingZeros(u32(r)), high == 0u);
    let shift = i32(zeros) - 11;
    let normal_e = e - shift;
    let s = (r << (u32(shift) & 63u)) - 0x0010000000000000lu;
    let normal = (u64(u32(max(normal_e, 1))) << 52u) + s;
    // Below 2^-1022 the significand keeps the exponent field 0.
    let up = e - 1;
    let tiny = select(r << (u32(max(up, 0)) & 63u), r >> (u32(max(-up, 0)) & 63u), up < 0);
    return select(select(tiny, normal, normal_e >= 1), 0lu, r == 0lu);
}

// Returns x != 0. The test is on bits, so that NaN and subnormals are true.
fn xla_f64_to_pred(x: f64) -> bool {
    return xla_abs_bits_f64(x) != 0lu;
}

// Truncates and saturates; NaN gives 0.
fn xla_f64_to_s32(x: f64) -> i32 {
    return select(i32(clamp(x, -2147483648.0lf, 2147483647.0lf)), 0, xla_is_nan_f64(x));
}

// Truncates and saturates; NaN and negative numbers give 0.
fn xla_f64_to_u32(x: f64) -> u32 {
    return select(u32(clamp(x, 0.0lf, 4294967295.0lf)), 0u, xla_is_nan_f64(x));
}

// To nearest, ties to even, as Vulkan's conversions are; NaN on bits.
fn xla_f64_to_f32(x: f64) -> f32 {
    let b = bitcast<u64>(x);
    let nan = (u32(b >> 29u) & 0x003fffffu) | (u32(b >> 32u) & 0x80000000u) | 0x7fc00000u;
    return bitcast<f32>(select(bitcast<u32>(f32(x)), nan, xla_is_nan_f64(x)));
}

// Rounds to odd: truncates, and sets the last bit if anything was lost. To round it
// once more, to 22 bits or less, gives x rounded once (S. Boldo and
// G. Melquiond, "When double rounding is odd", 2005). Overflow gives the largest
// finite f32, whose last bit is set, too; subnormal results are kept.
fn xla_f64_to_f32_odd(x: f64) -> f32 {
    let m = xla_abs_bits_f64(x);
    let sign = u32(bitcast<u64>(x) >> 32u) & 0x80000000u;
    let e = xla_exponent_f64(m);
    // Below 2^-126 the leading 1 is shifted to its place; far below only the last bit is left.
    let shift = 29u + u32(clamp(897 - e, 0, 30));
    let with_leading = (m & 0x000ffffffffffffflu) | 0x0010000000000000lu;
    let leading = select(m - (896lu << 52u), with_leading, e < 897);
    let lost = (leading & ((1lu << shift) - 1lu)) != 0lu;
    var r = u32(leading >> shift) | select(0u, 1u, lost);
    r = select(r, 0u, m == 0lu);
    r = select(r, 0x7f7fffffu, e >= 1151);
    r = select(r, 0x7f800000u, m == XLA_INF_F64);
    r = select(r, (u32(m >> 29u) & 0x003fffffu) | 0x7fc00000u, m > XLA_INF_F64);
    return bitcast<f32>(r | sign);
}

// Exact; NaN on bits.
fn xla_f32_to_f64(x: f32) -> f64 {
    let b = bitcast<u32>(x);
    let nan = (u64(b & 0x80000000u) << 32u) | (u64(b & 0x007fffffu) << 29u) | XLA_NAN_F64;
    return bitcast<f64>(select(bitcast<u64>(f64(x)), nan, (b & 0x7fffffffu) > 0x7f800000u));
}
