// Hyperbolic functions and their inverses on f64. Coefficients marked (C) are
// printed by scripts/coefficients_f64.py under the name given.

// Near 0 a polynomial, else 1 - 2/(e^2|x| + 1): Cody & Waite, chapter 13. The
// divisor is added up as logistic's; from 19.1 on the result is 1.
fn xla_tanh_f64(x: f64) -> f64 {
    let ax = xla_abs_f64(x);
    let z = ax * ax;
    // (C: tanh) tanh x = x + x^3 P(x^2) for |x| <= 0.55
    var p = -1.949509091488481e-05lf;
    p = p * z + 8.331708558052017e-05lf;
    p = p * z - 0.00023338199866136203lf;
    p = p * z + 0.000588444651414711lf;
    p = p * z - 0.0014555428845740162lf;
    p = p * z + 0.003592092036253923lf;
    p = p * z - 0.008863232601998011lf;
    p = p * z + 0.021869488385889025lf;
    p = p * z - 0.05396825396376178lf;
    p = p * z + 0.13333333333326622lf;
    p = p * z - 0.333333333333333lf;
    let small = ax + ax * z * p;
    let t = min(2.0lf * ax, 40.0lf);
    let n = xla_exp_whole_f64(t);
    let scale = xla_exp2_int_f64(i32(n));
    let divisor = (1.0lf + scale) + scale * xla_exp_part_f64(t, n, 0.0lf);
    let r = select(1.0lf - 2.0lf / divisor, small, ax < 0.55lf);
    return xla_keep_nan_f64(xla_odd_f64(r, x), x);
}

// With h = e^|x|/2, which overflows only where sinh does: h - 1/(4h).
fn xla_sinh_f64(x: f64) -> f64 {
    let ax = xla_abs_f64(x);
    let z = ax * ax;
    // (C: sinh) sinh x = x + x^3 P(x^2) for |x| <= 1
    var p = 2.8482317709316225e-15lf;
    p = p * z + 7.646482942702322e-13lf;
    p = p * z + 1.6059050600550665e-10lf;
    p = p * z + 2.5052108346514458e-08lf;
    p = p * z + 2.7557319224116268e-06lf;
    p = p * z + 0.000198412698412696lf;
    p = p * z + 0.008333333333333333lf;
    p = p * z + 0.16666666666666666lf;
    let small = ax + ax * z * p;
    let h = xla_exp_times_f64(1.0lf, ax, 0.0lf, -1);
    let large = select(h - 0.25lf / h, h, ax > 30.0lf);
    return xla_keep_nan_f64(xla_odd_f64(select(large, small, ax < 1.0lf), x), x);
}

fn xla_cosh_f64(x: f64) -> f64 {
    let ax = xla_abs_f64(x);
    let h = xla_exp_times_f64(1.0lf, ax, 0.0lf, -1);
    return xla_keep_nan_f64(select(h + 0.25lf / h, h, ax > 30.0lf), x);
}

// log1p(|x| + x^2/(1 + sqrt(x^2 + 1))) (Muller, section 12.2); far up log(2|x|).
fn xla_asinh_f64(x: f64) -> f64 {
    let b = xla_abs_bits_f64(x);
    let ax = bitcast<f64>(b);
    let far = ax > 0x1p+60lf;
    let t = min(ax, 0x1p+60lf);
    let z = t * t;
    let u = t + z / (1.0lf + sqrt(1.0lf + z));
    let r = xla_log1p_more_f64(select(u, ax, far), select(0.0lf, 1.0lf, far), 0.0lf);
    // Below 2^-28 the result is x, and infinity stays.
    let same = (b < 0x3e30000000000000lu) | (b == XLA_INF_F64);
    return xla_keep_nan_f64(select(xla_odd_f64(r, x), x, same), x);
}

// log1p(t + sqrt(2t + t^2)) with t = x - 1, and what the rounding of that sum
// lost; far up log(2x). NaN below 1.
fn xla_acosh_f64(x: f64) -> f64 {
    let b = bitcast<u64>(x);
    let far = x > 0x1p+60lf;
    let t = clamp(x, 1.0lf, 0x1p+60lf) - 1.0lf;
    let root = sqrt(2.0lf * t + t * t);
    let u = xla_keep_f64(root + t);
    let rest = ((root - u) + t) / (1.0lf + u);
    let r = xla_log1p_more_f64(select(u, x, far), select(0.0lf, 1.0lf, far), rest);
    var w = select(bitcast<u64>(r), b, b >= XLA_INF_F64);
    w = select(w, b | XLA_NAN_F64, (b < 0x3ff0000000000000lu) | (b > XLA_INF_F64));
    return bitcast<f64>(w);
}

// Near 0 the series that log is made of, else log1p(2|x|/(1-|x|))/2. NaN beyond 1.
fn xla_atanh_f64(x: f64) -> f64 {
    let b = xla_abs_bits_f64(x);
    let ax = bitcast<f64>(b);
    let small = ax + 0.5lf * ax * xla_log_tail_f64(ax * ax);
    let u = 2.0lf * ax / max(1.0lf - ax, 1e-17lf);
    let large = 0.5lf * xla_log1p_more_f64(u, 0.0lf, 0.0lf);
    var r = bitcast<u64>(select(large, small, ax < 0.2lf));
    r = select(r, XLA_INF_F64, b == 0x3ff0000000000000lu) | (bitcast<u64>(x) & XLA_SIGN_F64);
    r = select(r, bitcast<u64>(x) | XLA_NAN_F64, b > 0x3ff0000000000000lu);
    return bitcast<f64>(r);
}
