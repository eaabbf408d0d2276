// Exponentials, logarithms, powers and roots on f64. Coefficients marked (C) are
// printed by scripts/coefficients_f64.py under the name given.

// ln 2 in two parts; the first has 41 bits, so an exponent times it is exact.
const XLA_LN2_HI_F64: f64 = 0x1.62e42fefa4p-1lf;
const XLA_LN2_LO_F64: f64 = -0x1.8432a1b0e2634p-43lf;
const XLA_LOG2E_F64: f64 = 1.4426950408889634lf;

// ln 2, 2/ln 2 and 2/(3 ln 2), each as 26 bits and the rest.
const XLA_POW_LN2_HI_F64: f64 = 0x1.62e43p-1lf;
const XLA_POW_LN2_LO_F64: f64 = -0x1.05c610ca86c39p-29lf;
const XLA_POW_C0_HI_F64: f64 = 0x1.7154768p+1lf;
const XLA_POW_C0_LO_F64: f64 = -0x1.6a3e80f444178p-26lf;
const XLA_POW_C1_HI_F64: f64 = 0x1.ec709ep-1lf;
const XLA_POW_C1_LO_F64: f64 = -0x1.e2fe0145b01f5p-28lf;

// p * 2^n for a positive p near 1, on bits: no intermediate result overflows.
// Overflow gives infinity, a subnormal result 0.
fn xla_scale_f64(p: f64, n: i32) -> f64 {
    let b = bitcast<u64>(p);
    let e = xla_exponent_f64(b) + n;
    var r = b + (u64(bitcast<u32>(n)) << 52u);
    r = select(r, XLA_INF_F64, e >= 2047);
    r = select(r, 0lu, e <= 0);
    return bitcast<f64>(r);
}

// The integer nearest to x / ln 2.
fn xla_exp_whole_f64(x: f64) -> f64 {
    return floor(x * XLA_LOG2E_F64 + 0.5lf);
}

// (C: exp) e^r - 1 = r + r^2 P(r) for r = hi - lo, |r| <= ln(2)/2, to be added to
// something larger. The linear term takes hi, which has no rounding error, and
// leaves lo to the small terms.
fn xla_exp_tail_f64(hi: f64, lo: f64) -> f64 {
    let r = hi - lo;
    var p = 2.0927077480807565e-09lf;
    p = p * r + 2.511234374735221e-08lf;
    p = p * r + 2.7557232915188265e-07lf;
    p = p * r + 2.755723394406974e-06lf;
    p = p * r + 2.480158737426339e-05lf;
    p = p * r + 0.00019841269897345927lf;
    p = p * r + 0.001388888888885819lf;
    p = p * r + 0.008333333333316626lf;
    p = p * r + 0.04166666666666673lf;
    p = p * r + 0.16666666666666685lf;
    p = p * r + 0.5lf;
    return hi + xla_keep_f64(r * r * p - lo);
}

// The same of x, n its whole part by xla_exp_whole_f64, and of a small rest.
// Reduction by a two-part ln 2: W. J. Cody and W. Waite, "Software Manual for
// the Elementary Functions", 1980, chapter 6.
fn xla_exp_part_f64(x: f64, n: f64, rest: f64) -> f64 {
    return xla_exp_tail_f64(xla_keep_f64(x - n * XLA_LN2_HI_F64), n * XLA_LN2_LO_F64 - rest);
}

// p e^(x + rest) 2^shift for a positive p near 1; the product is rounded once.
fn xla_exp_times_f64(p: f64, x: f64, rest: f64, shift: i32) -> f64 {
    let t = clamp(x, -800.0lf, 800.0lf);
    let n = xla_exp_whole_f64(t);
    let r = p + p * xla_exp_part_f64(t, n, rest);
    return xla_scale_f64(r, i32(n) + shift);
}

fn xla_exp_f64(x: f64) -> f64 {
    return xla_keep_nan_f64(xla_exp_times_f64(1.0lf, x, 0.0lf, 0), x);
}

// e^x - 1 = 2^n * ((e^r - 1) + (1 - 2^-n)), reduced as exp is, but not below 1/2:
// just above ln(2)/2 the two terms would cancel.
fn xla_expm1_f64(x: f64) -> f64 {
    let t = clamp(x, -60.0lf, 800.0lf);
    let n = select(xla_exp_whole_f64(t), 0.0lf, (t > 0.0lf) & (t < 0.5lf));
    let hi = xla_keep_f64(t - n * XLA_LN2_HI_F64);
    let lo = n * XLA_LN2_LO_F64;
    let r = hi - lo;
    // (C: expm1)
    var p = 1.8389456588182154e-10lf;
    p = p * r + 2.07986170531069e-09lf;
    p = p * r + 2.5045215404230922e-08lf;
    p = p * r + 2.755768547754311e-07lf;
    p = p * r + 2.7557326148377512e-06lf;
    p = p * r + 2.4801586783489598e-05lf;
    p = p * r + 0.00019841269838668775lf;
    p = p * r + 0.0013888888889203113lf;
    p = p * r + 0.008333333333333567lf;
    p = p * r + 0.04166666666666589lf;
    p = p * r + 0.16666666666666666lf;
    p = p * r + 0.5lf;
    let ni = i32(n);
    let inverse = bitcast<f64>(u64(u32(max(1023 - ni, 0))) << 52u);
    let tail = xla_keep_f64(r * r * p - lo) - select(0.0lf, inverse, ni > 53);
    let c = 1.0lf - select(inverse, 0.0lf, ni > 53);
    // c + hi is exact where it makes the sum smaller.
    let s = select(c + (hi + tail), (c + hi) + tail, (ni >= 1) & (hi < 0.0lf));
    let b = bitcast<u64>(s);
    let e = xla_exponent_f64(b & 0x7ffffffffffffffflu) + ni;
    var u = b + (u64(bitcast<u32>(ni)) << 52u);
    u = select(u, XLA_INF_F64, e >= 2047);
    // Below 2^-54 the result is x, which keeps the sign of zero.
    u = select(u, bitcast<u64>(x), xla_abs_bits_f64(x) < 0x3c90000000000000lu);
    return xla_keep_nan_f64(bitcast<f64>(u), x);
}

// The logistic function 1/(1 + e^-x). The 1 and the power of two are added first,
// so that the sum is rounded but once; where they need 54 bits, the 1 is added to
// the small part.
fn xla_logistic_f64(x: f64) -> f64 {
    let t = clamp(-x, -100.0lf, 709.0lf);
    let n = xla_exp_whole_f64(t);
    let scale = xla_exp2_int_f64(i32(n));
    let part = scale * xla_exp_part_f64(t, n, 0.0lf);
    let r = 1.0lf / select((1.0lf + scale) + part, scale + (1.0lf + part), n > 52.0lf);
    // Below ln(2^-1022) the result is subnormal.
    return xla_keep_nan_f64(select(r, 0.0lf, x < -708.3964185322641lf), x);
}

// (C: log) z P(z), where z = s^2 <= 0.04 and 2 atanh(s) = 2 s + s z P(z).
fn xla_log_tail_f64(z: f64) -> f64 {
    var p = 0.13844276090283575lf;
    p = p * z + 0.13173412536827706lf;
    p = p * z + 0.1539112336773204lf;
    p = p * z + 0.18181665513479417lf;
    p = p * z + 0.22222224302801766lf;
    p = p * z + 0.28571428555768663lf;
    p = p * z + 0.40000000000056946lf;
    p = p * z + 0.666666666666666lf;
    return z * p;
}

// k ln 2 + log(1 + f) + rest for 3/4 <= 1 + f < 3/2, with s = f/(2 + f):
// log(1 + f) = 2 atanh(s), J.-M. Muller, "Elementary Functions", 3rd ed., chapter
// 4, written as f less something small, because f is exact and s is not.
fn xla_log_kernel_f64(f: f64, k: f64, rest: f64) -> f64 {
    let s = f / (2.0lf + f);
    // 2 s = f - f s, and f s = (f^2 - f^2 s) / 2.
    let half = 0.5lf * f * f;
    let tail = half - (s * (half + xla_log_tail_f64(s * s)) + (k * XLA_LN2_LO_F64 + rest));
    return xla_keep_f64(f - tail) + k * XLA_LN2_HI_F64;
}

// The k for which b * 2^-k lies in [3/4, 3/2); b is positive, normal. With
// these bounds, not sqrt(1/2) and sqrt(2), log1p's f is exact up to x = 2.
fn xla_log_exponent_f64(b: u64) -> i32 {
    return bitcast<i32>(u32(b >> 32u) - 0x3fe80000u) >> 20u;
}

// log x for a positive normal x.
fn xla_log_positive_f64(x: f64) -> f64 {
    let b = bitcast<u64>(x);
    let k = xla_log_exponent_f64(b);
    let m = bitcast<f64>(b - (u64(bitcast<u32>(k)) << 52u));
    return xla_log_kernel_f64(m - 1.0lf, f64(k), 0.0lf);
}

fn xla_log_f64(x: f64) -> f64 {
    let b = xla_normal_bits_f64(x);
    let k = xla_log_exponent_f64(b.x);
    let m = bitcast<f64>(b.x - (u64(bitcast<u32>(k)) << 52u));
    let r = xla_log_kernel_f64(m - 1.0lf, f64(k - i32(b.y)), 0.0lf);
    return xla_log_special_f64(r, x);
}

// The bits of a normal number that is |x| times a power of two, and the exponent of the power, for a
// finite x other than 0. A subnormal is an integer times 2^-1074.
fn xla_normal_bits_f64(x: f64) -> vec2<u64> {
    let magnitude = xla_abs_bits_f64(x);
    let subnormal = magnitude < 0x0010000000000000lu;
    let normal = select(magnitude, bitcast<u64>(f64(bitcast<i64>(magnitude))), subnormal);
    return vec2<u64>(normal, select(0lu, 1074lu, subnormal));
}

// log(1 + x) + more ln 2 + rest for x > -1, where 1 + x is normal, without the
// rounding error of 1 + x: with 1 + x = 2^k (1 + f), f = x 2^-k + (2^-k - 1),
// where the product is exact.
fn xla_log1p_more_f64(x: f64, more: f64, rest: f64) -> f64 {
    let b = bitcast<u64>(1.0lf + x);
    let k = xla_log_exponent_f64(b);
    let scale = xla_exp2_int_f64(-clamp(k, -60, 100));
    // Far up the 1 is lost anyway, and 2^-k would be subnormal.
    let m = bitcast<f64>(b - (u64(bitcast<u32>(k)) << 52u));
    let f = select(x * scale + (scale - 1.0lf), m - 1.0lf, k > 60);
    return xla_log_kernel_f64(f, f64(k) + more, rest);
}

fn xla_log1p_f64(x: f64) -> f64 {
    let r = xla_log_special_f64(xla_log1p_more_f64(x, 0.0lf, 0.0lf), 1.0lf + x);
    // Below 2^-54 the result is x, which keeps the sign of zero.
    return xla_keep_nan_f64(select(r, x, xla_abs_bits_f64(x) < 0x3c90000000000000lu), x);
}

// log2 m for the m of 2^k m with m in [sqrt(1/2), sqrt(2)), plus k, carried to
// some 66 bits in two parts, of which the first has 26. By atanh, as log is;
// parts by masks: T. J. Dekker, "A floating-point technique for extending the
// available precision", 1971.
fn xla_log2_parts_f64(m: f64, k: f64) -> vec2<f64> {
    // s = (m-1)/(m+1) in two parts, whatever error `inverse` has.
    let f = m - 1.0lf;
    let d = f + 2.0lf;
    let d_hi = xla_head_f64(d);
    let d_lo = f - xla_keep_f64(d_hi - 2.0lf);
    let inverse = 1.0lf / d;
    let s_hi = xla_head_f64(f * inverse);
    let s_lo = (xla_keep_f64(f - s_hi * d_hi) - s_hi * d_lo) * inverse;
    // z = s^2 in two parts.
    let square = s_hi * s_hi;
    let z_hi = xla_head_f64(square);
    let z_lo = (square - z_hi) + s_lo * (s_hi + (s_hi + s_lo));
    let z = z_hi + z_lo;
    // (C: log2_atanh) log2((1+s)/(1-s)) = s t, t = 2/ln2 + z (2/(3 ln2) + z P(z)),
    // in two parts up to 2/(3 ln2).
    var p = 0.17297211982638647lf;
    p = p * z + 0.168431164114431lf;
    p = p * z + 0.1924024324031347lf;
    p = p * z + 0.22195223794402963lf;
    p = p * z + 0.26230819920145815lf;
    p = p * z + 0.3205988979075938lf;
    p = p * z + 0.4121985831113716lf;
    p = p * z + 0.5770780163555851lf;
    let w_hi = z_hi * XLA_POW_C1_HI_F64;
    let w_lo = z_lo * XLA_POW_C1_HI_F64 + (z * XLA_POW_C1_LO_F64 + z * z * p);
    let t = 2.885390081777927lf + (w_hi + w_lo);
    let t_hi = xla_head_f64(t);
    let t_lo = xla_keep_f64((XLA_POW_C0_HI_F64 - t_hi) + w_hi) + (w_lo + XLA_POW_C0_LO_F64);
    let lead = s_hi * t_hi;
    let small = s_hi * t_lo + s_lo * t;
    let hi = xla_head_f64(k + (lead + small));
    return vec2<f64>(hi, xla_keep_f64((k - hi) + lead) + small);
}

// The same of |x|, for a finite x other than 0.
fn xla_log2_of_f64(x: f64) -> vec2<f64> {
    let b = xla_normal_bits_f64(x);
    let e = bitcast<i32>(u32(b.x >> 32u) - 0x3fe6a09eu) >> 20u;
    let m = bitcast<f64>(b.x - (u64(bitcast<u32>(e)) << 52u));
    return xla_log2_parts_f64(m, f64(e - i32(b.y)));
}

// The logarithm of +-0 is -inf, of a negative number NaN, of infinity infinity.
fn xla_log_special_f64(r: f64, x: f64) -> f64 {
    let b = bitcast<u64>(x);
    let magnitude = xla_abs_bits_f64(x);
    var u = select(bitcast<u64>(r), b, magnitude >= XLA_INF_F64);
    u = select(u, XLA_SIGN_F64 | XLA_INF_F64, magnitude == 0lu);
    u = select(u, b | XLA_NAN_F64, b > XLA_SIGN_F64);
    return bitcast<f64>(u);
}

fn xla_log2_f64(x: f64) -> f64 {
    let l = xla_log2_of_f64(x);
    return xla_log_special_f64(xla_keep_f64(l.x) + l.y, x);
}

// log10(2) as 26 bits and the rest, as in xla_log10.
const XLA_LOG10_2_HI_F64: f64 = 0x1.344135p-2lf;
const XLA_LOG10_2_LO_F64: f64 = 0x1.3ef3fde623e25p-31lf;

fn xla_log10_f64(x: f64) -> f64 {
    let l = xla_log2_of_f64(x);
    let small = l.x * XLA_LOG10_2_LO_F64 + l.y * 0.3010299956639812lf;
    return xla_log_special_f64(xla_keep_f64(l.x * XLA_LOG10_2_HI_F64) + xla_keep_f64(small), x);
}

// 2^(y l) for y and a logarithm in two parts; overflow gives infinity, a
// subnormal result 0.
fn xla_exp2_product_f64(y: f64, l: vec2<f64>) -> f64 {
    let y_hi = xla_head_f64(y);
    let y_lo = y - y_hi;
    let product = y_hi * l.x;
    let rest = y_lo * l.x + y * l.y;
    let n = clamp(floor(product + rest + 0.5lf), -3000.0lf, 3000.0lf);
    let whole = clamp(xla_keep_f64(product - n), -1.0lf, 1.0lf);
    let r = clamp(whole + rest, -1.0lf, 1.0lf);
    // r ln 2, its first part without a rounding error.
    let r_hi = xla_head_f64(r);
    let r_lo = xla_keep_f64(whole - r_hi) + rest;
    let lo = r_hi * XLA_POW_LN2_LO_F64 + r_lo * 0.6931471805599453lf;
    return xla_scale_f64(1.0lf + xla_exp_tail_f64(r_hi * XLA_POW_LN2_HI_F64, -lo), i32(n));
}

// |x|^y = 2^(y log2|x|). Special cases: C99, F.9.4.4.
fn xla_pow_f64(x: f64, y: f64) -> f64 {
    let xb = bitcast<u64>(x);
    let yb = bitcast<u64>(y);
    let xm = xla_abs_bits_f64(x);
    let ym = xla_abs_bits_f64(y);
    // Beyond 2^65 any |x| but 1 over- or underflows.
    let yc = clamp(y, -0x1p+65lf, 0x1p+65lf);
    var u = bitcast<u64>(xla_exp2_product_f64(yc, xla_log2_of_f64(x)));

    let x_zero = xm == 0lu;
    let x_inf = xm == XLA_INF_F64;
    let y_negative = yb >= XLA_SIGN_F64;
    u = select(u, select(0lu, XLA_INF_F64, x_zero == y_negative), x_zero | x_inf);
    let whole = (floor(y) == y) | (ym >= 0x4330000000000000lu);
    let half = 0.5lf * y;
    let odd = whole & (ym < 0x4340000000000000lu) & (floor(half) != half);
    u |= select(0lu, xb & XLA_SIGN_F64, odd);
    let no_root = (xb > XLA_SIGN_F64) & !whole & !x_zero & !x_inf;
    u = select(u, xb | XLA_NAN_F64, no_root);
    u = select(u, yb | XLA_QUIET_F64, ym > XLA_INF_F64);
    u = select(u, xb | XLA_QUIET_F64, xm > XLA_INF_F64);
    u = select(u, 0x3ff0000000000000lu, (xb == 0x3ff0000000000000lu) | (ym == 0lu));
    return bitcast<f64>(u);
}

// a * a as its float and the rest.
fn xla_square_parts_f64(a: f64) -> vec2<f64> {
    let p = xla_keep_f64(a * a);
    let hi = xla_head_f64(a);
    let lo = a - hi;
    return vec2<f64>(p, xla_keep_f64(xla_keep_f64(hi * hi - p) + 2.0lf * hi * lo) + lo * lo);
}

// Does what xla_hypot does on f32.
fn xla_hypot_f64(x: f64, y: f64) -> f64 {
    let xm = xla_abs_bits_f64(x);
    let ym = xla_abs_bits_f64(y);
    let large = max(xm, ym);
    let n = clamp(xla_exponent_f64(large) - 1023, -1022, 1022);
    let power = xla_exp2_int_f64(-n);
    let p = xla_square_parts_f64(xla_keep_f64(bitcast<f64>(large) * power));
    let q = xla_square_parts_f64(xla_keep_f64(bitcast<f64>(min(xm, ym)) * power));
    let s = xla_keep_f64(p.x + q.x);
    let low = xla_keep_f64(q.x - xla_keep_f64(s - p.x)) + (p.y + q.y);
    let root = sqrt(s);
    let square = xla_square_parts_f64(root);
    let rest = (xla_keep_f64(s - square.x) - square.y) + low;
    let length = xla_keep_f64(root + 0.5lf * rest / root);
    let half = n >> 1u;
    var r = bitcast<u64>(xla_keep_f64(length * xla_exp2_int_f64(half)) * xla_exp2_int_f64(n - half));
    r = select(r, 0lu, large == 0lu);
    r = select(r, large | XLA_QUIET_F64, large > XLA_INF_F64);
    return bitcast<f64>(select(r, XLA_INF_F64, (xm == XLA_INF_F64) | (ym == XLA_INF_F64)));
}

// m + log(1 + e^-d), where m is the larger operand and d its distance to the other one,
// whose rounding error goes with it. Beside zeros it is right to some 2^-52, since the
// terms are floats.
fn xla_logaddexp_f64(x: f64, y: f64) -> f64 {
    let above = x >= y;
    let m = select(y, x, above);
    // From 2^60 on m is all of the result.
    let far = xla_abs_bits_f64(m) >= 0x43b0000000000000lu;
    let a = select(m, 0.0lf, far);
    let b = select(select(x, y, above), 0.0lf, far);
    let d = xla_keep_f64(b - a);
    let v = xla_keep_f64(d - b);
    let rest = xla_keep_f64(b - xla_keep_f64(d - v)) - xla_keep_f64(a + v);
    let tail = select(0.0lf, rest, xla_is_finite_f64(d));
    let e = xla_exp_times_f64(1.0lf, d, tail, 0);
    let r = select(a + xla_log1p_f64(e), m, far);
    return xla_keep_nan_f64(xla_keep_nan_f64(r, y), x);
}

// A start to 13 bits as for xla_cbrt, one step of Newton's method in f32, and one
// of Halley's (E. Halley 1694) with a residual m - t^3 that is exact: t has 24
// bits, t^2 has 48, and its two halves times t as many as fit.
fn xla_cbrt_f64(x: f64) -> f64 {
    let b = xla_abs_bits_f64(x);
    // A subnormal is an integer times 2^-1074.
    let subnormal = b < 0x0010000000000000lu;
    let normal = select(b, bitcast<u64>(f64(bitcast<i64>(b))), subnormal);
    // Exponent + 1023 = 3 third + left, by a multiplication.
    let e = u32(normal >> 52u);
    let third = (e * 21846u) >> 16u;
    let left = e - 3u * third;
    let factor = select(select(1.0, 2.0, left == 1u), 4.0, left == 2u);
    let m = bitcast<f64>((normal & 0x000ffffffffffffflu) | 0x3ff0000000000000lu) * f64(factor);
    let m1 = f32(m) / factor;
    var t = 0.0231049284;
    t = t * m1 - 0.162969634;
    t = t * m1 + 0.587114394;
    t = t * m1 + 0.552823305;
    t *= select(select(1.0, 1.25992105, left == 1u), 1.58740105, left == 2u);
    t = t - (t - f32(m) / (t * t)) * 0.333333333;
    let start = f64(t);
    let square = start * start;
    let square_hi = xla_head_f64(square);
    let residual = xla_keep_f64(m - square_hi * start) - (square - square_hi) * start;
    let root = start + start * residual / (2.0lf * square * start + m);
    let scale = third - select(341u, 699u, subnormal);
    var u = bitcast<u64>(root) + (u64(scale) << 52u);
    u = select(u, 0lu, b == 0lu);
    let r = xla_odd_f64(bitcast<f64>(u), x);
    return xla_keep_nan_f64(select(r, x, b >= XLA_INF_F64), x);
}
