// Exponentials, logarithms, powers and roots. Coefficients marked (C) are
// printed by scripts/coefficients.py under the name given.

// ln 2 in two parts; the first has 15 bits, so n * XLA_LN2_HI is exact for
// |n| < 512.
const XLA_LN2_HI: f32 = 0x1.62e4p-1;
const XLA_LN2_LO: f32 = 0x1.7f7d1cp-20;

// 2/ln 2, the first part with 12 bits.
const XLA_2_LN2_HI: f32 = 0x1.716p+1;
const XLA_2_LN2_LO: f32 = -0x1.7135a8p-12;

// The first coefficient of log2_atanh, split likewise.
const XLA_POW_C1_HI: f32 = 0x1.ec6p-1;
const XLA_POW_C1_LO: f32 = 0x1.09ep-13;

// p * 2^n for a positive normal p below 2^64, on bits: no intermediate result
// overflows. Overflow gives infinity. A subnormal result is computed 2^64 times as
// large, so that the last product rounds it, or flushes it, as this adapter does.
fn xla_scale(p: f32, n: i32) -> f32 {
    let b = bitcast<i32>(p);
    let e = (b >> 23u) + n;
    var r = bitcast<u32>(b + (n << 23u));
    r = select(r, 0x7f800000u, e >= 255);
    let large = bitcast<f32>(b + ((max(e, -63) - (b >> 23u) + 64) << 23u));
    r = select(r, bitcast<u32>(large * 0x1p-64), e <= 0);
    return bitcast<f32>(r);
}

// (C: exp) e^r - 1 = r + r^2 P(r) for r = hi - lo, |r| <= ln(2)/2, to be added to
// something larger. The linear term takes hi, which has no rounding error, and
// leaves lo to the small terms.
fn xla_exp_tail(hi: f32, lo: f32) -> f32 {
    let r = hi - lo;
    var p = 0.00139225973;
    p = p * r + 0.00836946815;
    p = p * r + 0.0416665822;
    p = p * r + 0.166665137;
    p = p * r + 0.5;
    return hi + xla_keep(r * r * p - lo);
}

// 2^n e^r = 2^n + 2^n (e^r - 1). Scaling inside costs nothing, and 2^n is no
// constant that a compiler would add to hi first, as Mesa does with a 1.
fn xla_exp_kernel(hi: f32, lo: f32, n: i32) -> f32 {
    let scale = xla_exp2_int(n);
    return scale + scale * xla_exp_tail(hi, lo);
}

// The bits of the largest x whose e^x is finite, and of that whose e^x/2 is.
const XLA_EXP_MOST: i32 = 0x42b17217;
const XLA_EXP_HALF_MOST: i32 = 0x42b2d4fc;

// 2^n as a float whose exponent is also moved by `more`, the bits of a power of two. A whole n
// stands in the last bits of its sum with 1.5 * 2^23. The product is a shift that SwiftShader
// does not make for one component after the other.
fn xla_exp2_whole(n: f32, more: u32) -> f32 {
    return bitcast<f32>(bitcast<u32>(n + 12582912.0) * 0x800000u + more);
}

// e^x * 2^shift; x is no NaN, and `most` are the bits of the largest one for which that is finite.
// Reduction by a two-part ln 2: W. J. Cody and W. Waite, "Software Manual for the Elementary
// Functions", 1980, chapter 6.
fn xla_exp_scaled(x: f32, shift: f32, most: i32) -> f32 {
    let t = max(x, -110.0);
    let n = round(t * 1.44269504);
    let total = n + shift;
    // From 2^-60 on all terms of the kernel are normal. Half of the result is computed, since
    // 2^128 is not a float, and the last product rounds what is subnormal, or flushes it.
    let inner = max(total, -59.0);
    let scale = xla_exp2_whole(inner, 0x3f000000u);
    let tail = xla_exp_tail(xla_keep(t - n * XLA_LN2_HI), n * XLA_LN2_LO);
    let half = scale + scale * tail;
    let r = half * xla_exp2_whole(total - inner, 0x40000000u);
    return bitcast<f32>(select(bitcast<u32>(r), 0x7f800000u, bitcast<i32>(x) > most));
}

// p e^(x + rest) for x in [-87, 88], where nothing over- or underflows, and a
// small rest; p is rounded once.
fn xla_exp_times(p: f32, x: f32, rest: f32) -> f32 {
    let n = round(x * 1.44269504);
    let e = xla_exp_tail(xla_keep(x - n * XLA_LN2_HI), n * XLA_LN2_LO - rest);
    return xla_exp2_int(i32(n)) * (p + p * e);
}

// e^x for |x| <= 88, where nothing over- or underflows.
fn xla_exp_bounded(x: f32) -> f32 {
    let n = round(x * 1.44269504);
    return xla_exp_kernel(xla_keep(x - n * XLA_LN2_HI), n * XLA_LN2_LO, i32(n));
}

// e^x + 1 for 0 <= x <= 88. The 1 is added to 2^n, as Mesa does with a constant beside a
// sum that ends in a product, so that all adapters round alike.
fn xla_exp_and_one(x: f32) -> f32 {
    let n = round(x * 1.44269504);
    let scale = xla_exp2_whole(n, 0x3f800000u);
    let tail = xla_exp_tail(xla_keep(x - n * XLA_LN2_HI), n * XLA_LN2_LO);
    return (scale + 1.0) + scale * tail;
}

fn xla_exp(x: f32) -> f32 {
    return xla_keep_nan(xla_exp_scaled(x, 0.0, XLA_EXP_MOST), x);
}

// e^x - 1 = 2^n * ((e^r - 1) + (1 - 2^-n)), reduced as exp is, but not below 1/2:
// just above ln(2)/2 the two terms would cancel.
fn xla_expm1(x: f32) -> f32 {
    let t = clamp(x, -30.0, 110.0);
    let n = select(round(t * 1.44269504), 0.0, (t > 0.0) & (t < 0.5));
    let hi = xla_keep(t - n * XLA_LN2_HI);
    let lo = n * XLA_LN2_LO;
    let r = hi - lo;
    // (C: expm1)
    var p = 0.000195427987;
    p = p * r + 0.00140370429;
    p = p * r + 0.00833331794;
    p = p * r + 0.041664727;
    p = p * r + 0.166666687;
    p = p * r + 0.50000006;
    let ni = i32(n);
    let inverse = bitcast<f32>(u32(max(127 - ni, 0)) << 23u);
    let tail = xla_keep(xla_keep(r * r * p - lo) - select(0.0, inverse, ni > 24));
    let c = xla_keep(1.0 - select(inverse, 0.0, ni > 24));
    // c + hi is exact where it makes the sum smaller.
    let near = c + xla_keep(hi + tail);
    let s = select(near, xla_keep(c + hi) + tail, (ni >= 1) & (hi < 0.0));
    let b = bitcast<u32>(s);
    let e = bitcast<i32>((b >> 23u) & 0xffu) + ni;
    var u = b + (bitcast<u32>(ni) << 23u);
    u = select(u, 0x7f800000u, e >= 255);
    // Below 2^-25 the result is x, which keeps the sign of zero.
    let xb = bitcast<u32>(x);
    u = select(u, xb, (xb & 0x7fffffffu) < 0x33000000u);
    return xla_keep_nan(bitcast<f32>(u), x);
}

// The logistic function 1/(1 + e^-x), which below -80 is e^x.
fn xla_logistic(x: f32) -> f32 {
    let far = x < -80.0;
    let e = xla_exp_scaled(select(-x, x, far), 0.0, XLA_EXP_MOST);
    return xla_keep_nan(select(xla_quotient(1.0, 1.0 + e), e, far), x);
}

// k ln 2 + log(1 + f) for 3/4 <= 1 + f < 3/2. Cody & Waite's
// reduction (chapter 5) with a polynomial in place of their rational.
// (C: log) log(1 + f) = f - f^2/2 + f^3 P(f)
fn xla_log_kernel(fraction: f32, k: f32) -> f32 {
    // Callers take it from a sum with 1, whose terms must not be added to others.
    let f = xla_keep(fraction);
    var p = 0.0374317802;
    p = p * f - 0.0909215882;
    p = p * f + 0.116979867;
    p = p * f - 0.127313212;
    p = p * f + 0.142770484;
    p = p * f - 0.166551486;
    p = p * f + 0.199995652;
    p = p * f - 0.250001669;
    p = p * f + 0.333333403;
    let z = f * f;
    let tail = xla_keep((f * z * p + k * XLA_LN2_LO) - 0.5 * z);
    return xla_keep(f + tail) + k * XLA_LN2_HI;
}

// The k for which b * 2^-k lies in [3/4, 3/2); b is positive, normal. With
// these bounds, not sqrt(1/2) and sqrt(2), log1p's f is exact up to x = 2.
fn xla_log_exponent(b: u32) -> i32 {
    return (bitcast<i32>(b) - 0x3f400000) >> 23u;
}

// log(+-0) = -inf, of a negative number NaN, of infinity infinity.
fn xla_log_special(r: f32, x: f32) -> f32 {
    let b = bitcast<u32>(x);
    var u = select(bitcast<u32>(r), b, (b & 0x7f800000u) == 0x7f800000u);
    u = select(u, 0xff800000u, (b & 0x7fffffffu) == 0u);
    u = select(u, b | 0x7fc00000u, b > 0x80000000u);
    return bitcast<f32>(u);
}

// log x for a positive x.
fn xla_log_positive(x: f32) -> f32 {
    let normal = xla_normalized(bitcast<u32>(x));
    let k = xla_log_exponent(normal.x);
    let m = bitcast<f32>(normal.x - (bitcast<u32>(k) << 23u));
    return xla_log_kernel(m - 1.0, f32(k - bitcast<i32>(normal.y)));
}

fn xla_log(x: f32) -> f32 {
    return xla_log_special(xla_log_positive(x), x);
}

// log(1 + x) without the rounding error of 1 + x: with 1 + x = 2^k (1 + f),
// f = x 2^-k + (2^-k - 1), where the product is exact.
fn xla_log1p(x: f32) -> f32 {
    let u = 1.0 + x;
    let b = bitcast<u32>(u);
    let k = xla_log_exponent(b);
    let scale = xla_exp2_int(-clamp(k, -60, 60));
    // Far up the 1 is lost anyway, and 2^-k would be subnormal.
    let m = bitcast<f32>(b - (bitcast<u32>(k) << 23u));
    let f = select(x * scale + xla_keep(scale - 1.0), m - 1.0, k > 40);
    let xb = bitcast<u32>(x);
    let r = xla_log_special(xla_log_kernel(f, f32(k)), u);
    // Below 2^-25 the result is x, which keeps the sign of zero.
    return xla_keep_nan(select(r, x, (xb & 0x7fffffffu) < 0x33000000u), x);
}

// log2|x| for a finite x other than 0, carried to some 34 bits in two parts, of which
// the first has 12. log2 by atanh: J.-M. Muller, "Elementary Functions", 3rd ed.,
// chapter 4; parts by masks: T. J. Dekker, "A floating-point technique for extending
// the available precision", 1971.
fn xla_log2_parts(x: f32) -> vec2<f32> {
    let normal = xla_normalized(xla_abs_bits(x));
    let xm = normal.x;
    // |x| = 2^k m with m in [sqrt(1/2), sqrt(2)); s = (m-1)/(m+1) in two parts,
    // whatever error `inverse` has.
    let ki = (bitcast<i32>(xm) - 0x3f3504f3) >> 23u;
    let k = f32(ki - bitcast<i32>(normal.y));
    let f = xla_keep(bitcast<f32>(xm - (bitcast<u32>(ki) << 23u)) - 1.0);
    let d = f + 2.0;
    let d_hi = xla_head(d);
    let d_lo = f - xla_keep(d_hi - 2.0);
    let inverse = 1.0 / d;
    let s_hi = xla_head(f * inverse);
    let s_lo = (xla_keep(f - s_hi * d_hi) - s_hi * d_lo) * inverse;
    // z = s^2 in two parts.
    let square = s_hi * s_hi;
    let z_hi = xla_head(square);
    let z_lo = xla_keep(square - z_hi) + s_lo * (s_hi + (s_hi + s_lo));
    let z = z_hi + z_lo;
    // (C: log2_atanh) log2((1+s)/(1-s)) = s t, t = 2/ln2 + z P(z), in two parts
    // up to the first coefficient of P.
    var p = 0.336624831;
    p = p * z + 0.411921471;
    p = p * z + 0.577078879;
    let w_hi = z_hi * XLA_POW_C1_HI;
    let w_lo = z_lo * XLA_POW_C1_HI + (z * XLA_POW_C1_LO + z * z * p);
    let t = 2.88539004 + (w_hi + w_lo);
    let t_hi = xla_head(t);
    let t_lo = xla_keep(xla_keep(XLA_2_LN2_HI - t_hi) + w_hi) + (w_lo + XLA_2_LN2_LO);
    let lead = s_hi * t_hi;
    let small = s_hi * t_lo + s_lo * t;
    let log_hi = xla_head(k + (lead + small));
    return vec2<f32>(log_hi, xla_keep(xla_keep(k - log_hi) + lead) + small);
}

// The logarithm's parts are added once: a power of two has no second one.
fn xla_log2(x: f32) -> f32 {
    let l = xla_log2_parts(x);
    return xla_log_special(xla_keep(l.x) + l.y, x);
}

// log10(2) in two parts, the first with 11 bits, so that its product with the
// logarithm's first part is exact.
const XLA_LOG10_2_HI: f32 = 0x1.344p-2;
const XLA_LOG10_2_LO: f32 = 0x1.3509f8p-18;

// log10(2) log2 x, of which 10 bits are left beyond the last place: at a power of ten
// the sum is rounded to the integer. Mesa would add the small terms one by one.
fn xla_log10(x: f32) -> f32 {
    let l = xla_log2_parts(x);
    let small = l.x * XLA_LOG10_2_LO + l.y * 0.30103001;
    return xla_log_special(xla_keep(l.x * XLA_LOG10_2_HI) + xla_keep(small), x);
}

// |x|^y = 2^(y log2|x|) as p and n for p 2^n. Right for a finite x other than 0 and
// |y| < 2^32, as far as |n| < 300.
fn xla_pow_parts(x: f32, y: f32) -> vec2<f32> {
    let l = xla_log2_parts(x);
    // y log2|x| = n + r.
    let y_hi = xla_head(y);
    let y_lo = y - y_hi;
    let product = y_hi * l.x;
    let rest = y_lo * l.x + y * l.y;
    let n = round(product + rest);
    return vec2<f32>(xla_pow_exp2(xla_keep(product - n) + rest), n);
}

// 2^r for |r| <= 1/2.
fn xla_pow_exp2(r: f32) -> f32 {
    // (C: exp2) 2^r = 1 + r P(r)
    var q = 0.00015446679;
    q = q * r + 0.00133916747;
    q = q * r + 0.0096181035;
    q = q * r + 0.0555036068;
    q = q * r + 0.240226507;
    q = q * r + 0.693147182;
    return 1.0 + r * q;
}

// x^y as bits, from the parts of |x|^y, for all x and y: C99, F.9.4.4.
fn xla_pow_whole(xb: u32, yb: u32, parts: vec2<f32>) -> u32 {
    let xm = xb & 0x7fffffffu;
    let ym = yb & 0x7fffffffu;
    let y = bitcast<f32>(yb);
    let y_negative = yb >= 0x80000000u;
    // From |y| = 2^32 on the parts are not numbers; any |x| but 1 over- or underflows.
    let y_large = ym >= 0x4f800000u;
    var limit = select(-300.0, 300.0, (xm > 0x3f800000u) != y_negative);
    limit = select(limit, 0.0, xm == 0x3f800000u);
    let n = select(clamp(parts.y, -300.0, 300.0), limit, y_large);
    let p = select(parts.x, 1.0, y_large | (abs(n) >= 300.0));
    var u = bitcast<u32>(xla_scale(p, i32(n)));

    let x_zero = xm == 0u;
    let x_inf = xm == 0x7f800000u;
    u = select(u, select(0u, 0x7f800000u, x_zero == y_negative), x_zero | x_inf);
    let whole = (trunc(y) == y) | (ym >= 0x4b000000u);
    let half = y * 0.5;
    let odd = whole & (ym < 0x4b800000u) & (trunc(half) != half);
    u |= select(0u, xb & 0x80000000u, odd);
    u = select(u, xb | 0x7fc00000u, (xb > 0x80000000u) & !whole & !x_zero & !x_inf);
    u = select(u, yb | 0x00400000u, ym > 0x7f800000u);
    u = select(u, xb | 0x00400000u, xm > 0x7f800000u);
    return select(u, 0x3f800000u, (xb == 0x3f800000u) | (ym == 0u));
}

fn xla_pow(x: f32, y: f32) -> f32 {
    return bitcast<f32>(xla_pow_whole(bitcast<u32>(x), bitcast<u32>(y), xla_pow_parts(x, y)));
}

// A cubic start to 13 bits (C: cbrt), cut to 12, then one step of Halley's
// method (E. Halley 1694), whose residual m - t^3 is exact: t^2 has 24 bits,
// and its two halves times t have as many.
fn xla_cbrt(x: f32) -> f32 {
    let xb = bitcast<u32>(x);
    let b = xb & 0x7fffffffu;
    // A subnormal is an integer times 2^-149.
    let subnormal = b < 0x00800000u;
    let normal = select(b, bitcast<u32>(f32(i32(b))), subnormal);
    // Exponent + 279 = 3 third + left, by a multiplication.
    let e = (normal >> 23u) + select(152u, 3u, subnormal);
    let third = (e * 21846u) >> 16u;
    let left = e - 3u * third;
    let m1 = bitcast<f32>((normal & 0x007fffffu) | 0x3f800000u);
    var t = 0.0231049284;
    t = t * m1 - 0.162969634;
    t = t * m1 + 0.587114394;
    t = t * m1 + 0.552823305;
    t *= select(select(1.0, 1.25992105, left == 1u), 1.58740105, left == 2u);
    t = xla_head(t);
    let m = m1 * select(select(1.0, 2.0, left == 1u), 4.0, left == 2u);
    let square = t * t;
    let square_hi = xla_head(square);
    let residual = xla_keep(m - square_hi * t) - (square - square_hi) * t;
    let root = t + t * residual / (2.0 * square * t + m);
    var u = bitcast<u32>(root) + ((third - 93u) << 23u);
    u = select(u, 0u, b == 0u);
    u = select(u | (xb & 0x80000000u), xb, b >= 0x7f800000u);
    return bitcast<f32>(u);
}
