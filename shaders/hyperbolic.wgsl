// Hyperbolic functions, their inverses, and erf. Coefficients marked (C) are
// printed by scripts/coefficients.py under the name given.

// Result r for |x|, given x's sign; odd functions are computed on |x|.
fn xla_odd(r: f32, x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(r) | (bitcast<u32>(x) & 0x80000000u));
}

// Near 0 a polynomial, else 1 - 2/(e^2|x| + 1): Cody & Waite, chapter 13.
// From 9.1 on the result is 1, so the exponential never overflows.
fn xla_tanh(x: f32) -> f32 {
    let ax = abs(x);
    let z = ax * ax;
    // (C: tanh) tanh x = x + x^3 P(x^2) for |x| <= 0.55
    var p = -0.00624284893;
    p = p * z + 0.021050714;
    p = p * z - 0.0538475476;
    p = p * z + 0.133325443;
    p = p * z - 0.333333164;
    let small = ax + ax * z * p;
    let large = 1.0 - xla_quotient(2.0, xla_exp_and_one(min(2.0 * ax, 20.0)));
    return xla_keep_nan(xla_odd(select(large, small, ax < 0.55), x), x);
}

// With h = e^|x|/2, which overflows only where sinh does: h - 1/(4h). The quotient
// is less than a seventh of h, so a native division will do.
fn xla_sinh(x: f32) -> f32 {
    let ax = abs(x);
    let z = ax * ax;
    // (C: sinh) sinh x = x + x^3 P(x^2) for |x| <= 1
    var p = 2.78223024e-6;
    p = p * z + 0.000198428941;
    p = p * z + 0.00833331048;
    p = p * z + 0.166666672;
    let small = ax + ax * z * p;
    let h = xla_exp_scaled(ax, -1.0, XLA_EXP_HALF_MOST);
    let large = select(h - 0.25 / h, h, ax > 30.0);
    return xla_keep_nan(xla_odd(select(large, small, ax < 1.0), x), x);
}

fn xla_cosh(x: f32) -> f32 {
    let ax = abs(x);
    let h = xla_exp_scaled(ax, -1.0, XLA_EXP_HALF_MOST);
    return xla_keep_nan(select(h + xla_quotient(0.25, h), h, ax > 30.0), x);
}

// Near 0 a polynomial, else log(|x| + sqrt(x^2 + 1)) as log1p of an exact sum's
// small part (Muller, section 12.2); far up log(2|x|).
fn xla_asinh(x: f32) -> f32 {
    let b = xla_abs_bits(x);
    let ax = bitcast<f32>(b);
    let t = min(ax, 65536.0);
    let z = t * t;
    // (C: asinh) asinh x = x + x^3 P(x^2) for |x| <= 1/2
    var p = 0.00924023986;
    p = p * z - 0.0200390965;
    p = p * z + 0.0300311781;
    p = p * z - 0.0446158685;
    p = p * z + 0.0749990642;
    p = p * z - 0.166666657;
    let small = t + t * z * p;
    let far = ax > 4096.0;
    let u = t + xla_quotient(z, 1.0 + xla_root(1.0 + z));
    let k = xla_log_exponent(select(bitcast<u32>(1.0 + u), b, far));
    let scale = xla_exp2_int(-clamp(k, 0, 60));
    let m = bitcast<f32>(b - (bitcast<u32>(k) << 23u));
    let f = select(u * scale + xla_keep(scale - 1.0), m - 1.0, far);
    let large = xla_log_kernel(f, f32(k) + select(0.0, 1.0, far));
    let r = xla_odd(select(large, small, ax < 0.5), x);
    return bitcast<f32>(select(bitcast<u32>(r), bitcast<u32>(x), b >= 0x7f800000u));
}

// log1p(t + sqrt(2t + t^2)) with t = x - 1; far up log(2x). NaN below 1.
fn xla_acosh(x: f32) -> f32 {
    let b = bitcast<u32>(x);
    let far = x > 4096.0;
    let t = xla_keep(clamp(x, 1.0, 65536.0) - 1.0);
    let u = t + xla_root(t * (t + 2.0));
    let k = xla_log_exponent(select(bitcast<u32>(1.0 + u), b, far));
    let scale = xla_exp2_int(-clamp(k, 0, 60));
    let m = bitcast<f32>(b - (bitcast<u32>(k) << 23u));
    let f = select(u * scale + xla_keep(scale - 1.0), m - 1.0, far);
    let r = xla_log_kernel(f, f32(k) + select(0.0, 1.0, far));
    var w = select(bitcast<u32>(r), b, b >= 0x7f800000u);
    w = select(w, b | 0x7fc00000u, (b < 0x3f800000u) | (b > 0x7f800000u));
    return bitcast<f32>(w);
}

// Near 0 a polynomial, else log1p(2|x|/(1-|x|))/2. NaN beyond 1.
fn xla_atanh(x: f32) -> f32 {
    let b = xla_abs_bits(x);
    let ax = bitcast<f32>(b);
    let z = ax * ax;
    // (C: atanh) atanh x = x + x^3 P(x^2) for |x| <= 1/2
    var p = 0.177738994;
    p = p * z + 0.0506473221;
    p = p * z + 0.118415281;
    p = p * z + 0.142207593;
    p = p * z + 0.200026155;
    p = p * z + 0.333332986;
    let small = ax + ax * z * p;
    let u = xla_quotient(2.0 * ax, max(1.0 - ax, 1e-8));
    let k = xla_log_exponent(bitcast<u32>(1.0 + u));
    let scale = xla_exp2_int(-clamp(k, 0, 60));
    let large = 0.5 * xla_log_kernel(u * scale + xla_keep(scale - 1.0), f32(k));
    var r = bitcast<u32>(select(large, small, ax < 0.5));
    r = select(r, 0x7f800000u, b == 0x3f800000u) | (bitcast<u32>(x) & 0x80000000u);
    r = select(r, bitcast<u32>(x) | 0x7fc00000u, b > 0x3f800000u);
    return bitcast<f32>(r);
}

// (C: erf_small) P(x^2) of erf x = x + x P(x^2), for |x| <= 0.92.
fn xla_erf_tail(x: f32) -> f32 {
    let z = x * x;
    var p = 7.99504851e-5;
    p = p * z - 0.000804951473;
    p = p * z + 0.00519239251;
    p = p * z - 0.0268557295;
    p = p * z + 0.112836257;
    p = p * z - 0.376126289;
    return p * z + 0.128379166;
}

// The error function: near 0 as said, else 1 - e^Q(|x|), where Q is a polynomial
// for log(erfc). From 4 on the result is 1.
fn xla_erf(x: f32) -> f32 {
    let ax = abs(x);
    // Far down 2^64 times as large, so that both terms are normal.
    let tiny = ax < 0x1p-64;
    let term = ax * select(1.0, 0x1p+64, tiny);
    let small = (term + term * xla_erf_tail(ax)) * select(1.0, 0x1p-64, tiny);
    // (C: erf_large) for 0.91 <= |x| <= 4
    let t = min(ax, 4.0);
    var q = -5.55181202e-7;
    q = q * t - 1.38238538e-5;
    q = q * t + 0.00039365844;
    q = q * t - 0.00404285779;
    q = q * t + 0.0248726215;
    q = q * t - 0.107981816;
    q = q * t - 0.633568048;
    q = q * t - 1.1294229;
    q = q * t + 0.000158214534;
    let large = 1.0 - xla_exp_bounded(q);
    return xla_keep_nan(xla_odd(select(large, small, ax < 0.92), x), x);
}
