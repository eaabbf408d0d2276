// C64, held as vec2<f32>(real, imaginary). An error is measured as |z - w| / |w|,
// so a part that is small beside the other one may lose digits.
//
// Arguments are scaled by powers of two where squares would overflow. Branch cuts are
// XLA's, which differ from C's where a comment says so. Where a part is infinite the
// other one is what XLA gives, or what C99's annex G says where XLA gives NaN.

// x 2^n on bits, for any n: nothing overflows on the way, as products by two powers
// could. A subnormal result is 0; zero, infinity and NaN stay.
fn xla_scaled(x: f32, n: i32) -> f32 {
    let b = bitcast<i32>(x);
    let field = (b >> 23u) & 0xff;
    let e = field + n;
    let sign = b & bitcast<i32>(0x80000000u);
    var r = b + (n << 23u);
    r = select(r, sign | 0x7f800000, e >= 255);
    r = select(r, sign, e <= 0);
    return bitcast<f32>(select(r, b, (field == 0) | (field == 255)));
}

// The larger of the parts' magnitudes, as bits; NaN is above infinity.
fn xla_large_bits(z: vec2<f32>) -> i32 {
    return max(bitcast<i32>(z.x) & 0x7fffffff, bitcast<i32>(z.y) & 0x7fffffff);
}

// The exponent of the larger part, so that z 2^-n has one in [1, 4) unless z is
// zero, infinite or NaN, and both 2^n and 2^-n are normal.
fn xla_exponent_c64(z: vec2<f32>) -> i32 {
    return clamp((xla_large_bits(z) >> 23u) - 127, -126, 126);
}

// Returns z, such that no compiler sees how it was computed.
fn xla_keep_c64(z: vec2<f32>) -> vec2<f32> {
    return bitcast<vec2<f32>>(bitcast<vec2<u32>>(z) ^ vec2<u32>(params.zero));
}

// Returns z 2^n for |n| <= 126, such that no compiler sees the factor. Mesa takes common
// factors out of sums, and the sum of values scaled against overflow would overflow.
fn xla_times_power(z: vec2<f32>, n: i32) -> vec2<f32> {
    return xla_keep_c64(z * xla_exp2_int(n));
}

fn xla_is_infinite(x: f32) -> bool {
    return xla_abs_bits(x) == 0x7f800000u;
}

fn xla_has_infinity(z: vec2<f32>) -> bool {
    return xla_is_infinite(z.x) | xla_is_infinite(z.y);
}

// Returns x with y's sign.
fn xla_copy_sign(x: f32, y: f32) -> f32 {
    return bitcast<f32>((bitcast<u32>(x) & 0x7fffffffu) | (bitcast<u32>(y) & 0x80000000u));
}

// Returns -x, also of zeros and NaN, by its bits.
fn xla_flip(x: f32) -> f32 {
    return bitcast<f32>(bitcast<u32>(x) ^ 0x80000000u);
}

// Checks for zero. A subnormal counts as zero, for the side of a branch cut.
fn xla_is_zero(x: f32) -> bool {
    return xla_abs_bits(x) < 0x00800000u;
}

// Checks for negative numbers; zeros and subnormals are none.
fn xla_is_below_zero(x: f32) -> bool {
    return bitcast<u32>(x) >= 0x80800000u;
}

// Returns the direction of infinite parts: 1 for infinity, 0 for others, with their signs.
fn xla_infinite_direction(z: vec2<f32>) -> vec2<f32> {
    let x = select(0.0, 1.0, xla_is_infinite(z.x));
    let y = select(0.0, 1.0, xla_is_infinite(z.y));
    return vec2<f32>(xla_copy_sign(x, z.x), xla_copy_sign(y, z.y));
}

fn xla_eq_c64(a: vec2<f32>, b: vec2<f32>) -> bool {
    return xla_eq_f32(a.x, b.x) & xla_eq_f32(a.y, b.y);
}

fn xla_ne_c64(a: vec2<f32>, b: vec2<f32>) -> bool {
    return xla_ne_f32(a.x, b.x) | xla_ne_f32(a.y, b.y);
}

fn xla_neg_c64(z: vec2<f32>) -> vec2<f32> {
    return vec2<f32>(xla_flip(z.x), xla_flip(z.y));
}

fn xla_conj_c64(z: vec2<f32>) -> vec2<f32> {
    return vec2<f32>(z.x, xla_flip(z.y));
}

fn xla_abs_c64(z: vec2<f32>) -> f32 {
    let n = xla_exponent_c64(z);
    let s = xla_times_power(z, -n);
    return xla_scaled(xla_root(s.x * s.x + s.y * s.y), n);
}

// Returns z / |z|, and 0 for 0.
fn xla_sign_c64(z: vec2<f32>) -> vec2<f32> {
    let s = xla_times_power(z, -xla_exponent_c64(z));
    let m = xla_root(s.x * s.x + s.y * s.y);
    let r = vec2<f32>(xla_quotient(s.x, m), xla_quotient(s.y, m));
    return select(r, s, xla_abs_bits(m) == 0u);
}

// Multiplies parts. Large operands are halved first, because a product of parts may
// overflow where the difference of two products does not. Each product is rounded before
// the sum: contracted to an fma, z conj(z) would have an imaginary part.
fn xla_mul_c64(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    let a_large = xla_large_bits(a) >= 0x5f000000;
    let b_large = xla_large_bits(b) >= 0x5f000000;
    let p = xla_times_power(a, select(0, -1, a_large));
    let q = xla_times_power(b, select(0, -1, b_large));
    let straight = xla_keep_c64(p * q);
    let crossed = xla_keep_c64(p * q.yx);
    let r = vec2<f32>(straight.x - straight.y, crossed.x + crossed.y);
    return r * (select(1.0, 2.0, a_large) * select(1.0, 2.0, b_large));
}

// (x - y)(x + y) has no cancellation that x^2 - y^2 would have. 2 xy is doubled on
// bits: compilers make (2 x) y of a product, which may overflow before.
fn xla_square_c64(z: vec2<f32>) -> vec2<f32> {
    return vec2<f32>((z.x - z.y) * (z.x + z.y), xla_scaled(z.x * z.y, 1));
}

// a conj(b) / |b|^2 with both scaled to the size of 1, which is what R. L. Smith's
// "Algorithm 116: Complex division", 1962, and its successors avoid overflow for.
// A finite number by an infinite one is 0; by 0, each part is divided by itself.
fn xla_div_c64(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    let n = xla_exponent_c64(a);
    let m = xla_exponent_c64(b);
    let p = xla_times_power(a, -n);
    let infinite = xla_has_infinity(b);
    let q = select(xla_times_power(b, -m), xla_infinite_direction(b), infinite);
    let d = q.x * q.x + q.y * q.y;
    let zero = xla_abs_bits(d) == 0u;
    let over = select(d, q.x, zero);
    // z / z is real, as in xla_mul_c64.
    let crossed = xla_keep_c64(p * q.yx);
    let x = xla_quotient(select(p.x * q.x + p.y * q.y, p.x, zero), over);
    let y = xla_quotient(select(crossed.y - crossed.x, p.y, zero), over);
    let shrink = select(1.0, 0.0, infinite);
    return vec2<f32>(xla_scaled(x * shrink, n - m), xla_scaled(y * shrink, n - m));
}

fn xla_reciprocal_c64(z: vec2<f32>) -> vec2<f32> {
    return xla_div_c64(vec2<f32>(1.0, 0.0), z);
}

// sqrt(|x| + |y| i), componentwise to a few units: P. Friedland, "Algorithm 312:
// Absolute value and square root of a complex number", 1967. For x below zero the
// parts change places.
fn xla_sqrt_parts(z: vec2<f32>) -> vec2<f32> {
    let n = xla_exponent_c64(z) & -2;
    let s = abs(xla_times_power(z, -n));
    let m = xla_root(s.x * s.x + s.y * s.y);
    let t = xla_root(0.5 * (s.x + m));
    var u = xla_quotient(0.5 * s.y, t);
    u = select(u, s.y, xla_abs_bits(t) == 0u);
    u = select(u, t, xla_is_infinite(s.y));
    return vec2<f32>(t, u) * xla_exp2_int(n >> 1u);
}

// Returns the root with a real part >= 0 and an imaginary part of z's sign, even that of zero.
fn xla_signed_sqrt(z: vec2<f32>) -> vec2<f32> {
    let r = xla_sqrt_parts(z);
    let w = select(r, r.yx, bitcast<u32>(z.x) >= 0x80000000u);
    return vec2<f32>(w.x, xla_copy_sign(w.y, z.y));
}

// The root of a negative real number has a positive imaginary part, whatever the sign of zero.
fn xla_sqrt_c64(z: vec2<f32>) -> vec2<f32> {
    let r = xla_signed_sqrt(z);
    return vec2<f32>(r.x, select(r.y, abs(r.y), xla_is_zero(z.y)));
}

// Returns conj(w) / |w|^2 for the root w that keeps the sign of zero. 0 gives (inf, NaN),
// as 1/0 does. Large roots are halved, so that |w|^2 does not overflow.
fn xla_rsqrt_c64(z: vec2<f32>) -> vec2<f32> {
    let n = select(0, -1, xla_large_bits(z) >= 0x5f000000);
    let w = xla_times_power(xla_signed_sqrt(z), n);
    let d = w.x * w.x + w.y * w.y;
    let x = select(xla_quotient(w.x, d), xla_quotient(1.0, d), xla_abs_bits(d) == 0u);
    let y = xla_flip(xla_quotient(w.y, d));
    return select(vec2<f32>(x, y) * xla_exp2_int(n), vec2<f32>(0.0), xla_has_infinity(z));
}

// Returns sin and cos of a pair whose second part is small.
fn xla_sin_cos(x: vec2<f32>) -> vec2<f32> {
    let b = xla_abs_bits(x.x);
    var reduced = xla_reduce(b);
    reduced.y = bitcast<u32>(bitcast<f32>(reduced.y) + xla_copy_sign(1.0, x.x) * x.y);
    let sine = xla_unless_infinite(xla_sin_reduced(reduced, 0u), b);
    let cosine = xla_unless_infinite(xla_sin_reduced(reduced, 1u), b);
    let sign = bitcast<u32>(x.x) & 0x80000000u;
    return bitcast<vec2<f32>>(vec2<u32>(sine ^ sign, cosine));
}

// Returns m and n of e^x = m 2^n for a pair x. A product with a sine is computed from m,
// so that it overflows or underflows only if the product itself does. The sine may be
// 2^-126, so m is some 2^24; from x = 300 on the product overflows whatever the sine.
fn xla_exp_parts(x: vec2<f32>) -> vec2<f32> {
    let t = clamp(x.x, -300.0, 300.0);
    let n = round(t * 1.44269504);
    // The power is not constant, for the reason that xla_exp_kernel gives.
    let power = 24 + (i32(n) & 1);
    let lo = n * XLA_LN2_LO - clamp(x.y, -1.0, 1.0);
    let m = xla_exp_kernel(xla_keep(t - n * XLA_LN2_HI), lo, power);
    return vec2<f32>(xla_keep_nan(m, x.x), n - f32(power));
}

// e^(x + iy) for pairs x and y.
fn xla_pair_exp_c64(x: vec2<f32>, y: vec2<f32>) -> vec2<f32> {
    let e = xla_exp_parts(x);
    let s = e.x * xla_sin_cos(y);
    return vec2<f32>(xla_scaled(s.y, i32(e.y)), xla_scaled(s.x, i32(e.y)));
}

// The exponential of a real number is real, even that of NaN.
fn xla_exp_c64(z: vec2<f32>) -> vec2<f32> {
    let r = xla_pair_exp_c64(vec2<f32>(z.x, 0.0), vec2<f32>(z.y, 0.0));
    return vec2<f32>(r.x, select(r.y, z.y, xla_abs_bits(z.y) == 0u));
}

// 1 + cos y for s = sin y and c = cos y, without cancellation.
fn xla_one_plus_cos(s: f32, c: f32) -> f32 {
    return select(1.0 + c, xla_quotient(s * s, 1.0 - c), c < 0.0);
}

// The real part is (e^x - 1) cos y - (1 - cos y); above 20 the 1 is lost.
fn xla_expm1_c64(z: vec2<f32>) -> vec2<f32> {
    let e = xla_exp_c64(z);
    let s = xla_sin_cos(vec2<f32>(z.y, 0.0));
    let x = xla_expm1(z.x) * s.y - xla_one_plus_cos(s.x, -s.y);
    return vec2<f32>(select(x, e.x, z.x > 20.0), e.y);
}

// 1/(1 + e^-z). The sum's real part is (e^-x - 1) cos y + (1 + cos y), which is
// right near the poles, odd multiples of i pi.
fn xla_logistic_c64(z: vec2<f32>) -> vec2<f32> {
    let e = xla_expm1(clamp(-z.x, -100.0, 88.0));
    let s = xla_sin_cos(vec2<f32>(z.y, 0.0));
    let sum = vec2<f32>(xla_one_plus_cos(s.x, s.y) + e * s.y, -(e * s.x + s.x));
    let r = xla_reciprocal_c64(sum);
    return select(r, z.xx, xla_is_nan(z.x));
}

// s, c and n of sinh x = s 2^n and cosh x = c 2^n for x >= 0, otherwise as xla_sinh
// and xla_cosh compute them.
fn xla_sinh_cosh(x: f32) -> vec3<f32> {
    let z = x * x;
    var p = 2.78223024e-6;
    p = p * z + 0.000198428941;
    p = p * z + 0.00833331048;
    p = p * z + 0.166666672;
    let small = x + x * z * p;
    let e = xla_exp_parts(vec2<f32>(x, 0.0));
    let far = x > 30.0;
    let h = 0.5 * e.x * xla_exp2_int(select(i32(e.y), 0, far));
    let back = select(xla_quotient(0.25, h), 0.0, far);
    let sinh = select(h - back, small, x < 1.0);
    return vec3<f32>(xla_keep_nan(sinh, x), h + back, select(0.0, e.y, far));
}

// sin x cosh y + i cos x sinh y.
fn xla_sin_c64(z: vec2<f32>) -> vec2<f32> {
    let s = xla_sin_cos(vec2<f32>(z.x, 0.0));
    let h = xla_sinh_cosh(abs(z.y));
    let n = i32(h.z);
    let x = select(s.x * h.y, z.x, xla_abs_bits(z.x) == 0u);
    return vec2<f32>(xla_scaled(x, n), xla_scaled(s.y * xla_copy_sign(h.x, z.y), n));
}

// cos x cosh y - i sin x sinh y.
fn xla_cos_c64(z: vec2<f32>) -> vec2<f32> {
    let s = xla_sin_cos(vec2<f32>(z.x, 0.0));
    let h = xla_sinh_cosh(abs(z.y));
    let n = i32(h.z);
    let y = select(s.x * xla_copy_sign(h.x, z.y), z.x, xla_abs_bits(z.x) == 0u);
    return vec2<f32>(xla_scaled(s.y * h.y, n), xla_flip(xla_scaled(y, n)));
}

// -i sin(iz).
fn xla_sinh_c64(z: vec2<f32>) -> vec2<f32> {
    return xla_sin_c64(z.yx).yx;
}

// cos(iz), where iz is the mirror image of z with its parts exchanged.
fn xla_cosh_c64(z: vec2<f32>) -> vec2<f32> {
    return xla_conj_c64(xla_cos_c64(z.yx));
}

// (sin x cos x + i sinh y cosh y) / (cos^2 x + sinh^2 y), of positive terms as in W.
// Kahan, "Branch cuts for complex elementary functions", 1987. Beyond 44.4 the real
// part is subnormal.
fn xla_tan_c64(z: vec2<f32>) -> vec2<f32> {
    let s = xla_sin_cos(vec2<f32>(z.x, 0.0));
    let h = xla_sinh_cosh(min(abs(z.y), 44.4));
    let sinh = xla_scaled(h.x, i32(h.z));
    let cosh = xla_scaled(h.y, i32(h.z));
    let d = s.y * s.y + sinh * sinh;
    var r = vec2<f32>(xla_quotient(s.x * s.y, d), xla_quotient(sinh * cosh, d));
    r = select(r, vec2<f32>(0.0, 1.0), xla_is_infinite(z.y));
    r.x = select(xla_keep_nan(r.x, z.y), z.x, xla_abs_bits(z.x) == 0u);
    return vec2<f32>(r.x, xla_copy_sign(xla_keep_nan(r.y, z.y), z.y));
}

// -i tan(iz).
fn xla_tanh_c64(z: vec2<f32>) -> vec2<f32> {
    return xla_tan_c64(z.yx).yx;
}

// log|z|, given |z.x| - 1 without rounding error where |z.x| is near 1. With the
// larger part scaled into [0.7, 1.4), where it is unscaled if |z| is near 1,
// |z|^2 = 1 + v has no cancellation that the imaginary part of log z does not hide.
fn xla_log_abs(z: vec2<f32>, above_one: f32) -> f32 {
    let xb = bitcast<i32>(z.x) & 0x7fffffff;
    let yb = bitcast<i32>(z.y) & 0x7fffffff;
    let large = max(xb, yb);
    let n = clamp((large - 0x3f340000) >> 23u, -126, 126);
    let a = bitcast<f32>(large) * xla_exp2_int(-n);
    let b = bitcast<f32>(min(xb, yb)) * xla_exp2_int(-n);
    let t = select(a - 1.0, above_one, (n == 0) & (xb >= yb));
    let v = t * (a + 1.0) + b * b;
    let k = xla_log_exponent(bitcast<u32>(1.0 + v));
    let scale = xla_exp2_int(-clamp(k, -60, 60));
    let r = 0.5 * xla_log_kernel(v * scale + xla_keep(scale - 1.0), f32(k + 2 * n));
    return xla_log_special(r, bitcast<f32>(large));
}

fn xla_log_c64(z: vec2<f32>) -> vec2<f32> {
    return vec2<f32>(xla_log_abs(z, abs(z.x) - 1.0), xla_atan2(z.y, z.x));
}

fn xla_log1p_c64(z: vec2<f32>) -> vec2<f32> {
    let w = vec2<f32>(1.0 + z.x, z.y);
    let above_one = select(z.x, -2.0 - z.x, z.x < -1.0);
    return vec2<f32>(xla_log_abs(w, above_one), xla_atan2(w.y, w.x));
}
