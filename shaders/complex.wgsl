// C64, held as vec2<f32>(real, imaginary). Roots, logarithms, exponentials and inverse
// functions have each part right; of the others an error is measured as |z - w| / |w|, so
// that a part that is small beside the other one may lose digits (docs/numerics.md).
//
// Arguments are scaled by powers of two where squares would overflow or be subnormal. Off
// the cuts values are principal ones, on them they are JAX's, which differ from C's where
// a comment says so. Where a part is infinite the other one is what XLA gives, or what
// C99's annex G says where XLA gives NaN.

// x 2^n on bits, for any n: nothing overflows on the way, as products by two powers
// could. Zero, infinity and NaN stay. A subnormal result is computed 2^64 times as large,
// so that it is rounded or flushed by a product, as a subnormal x is.
fn xla_scaled(x: f32, n: i32) -> f32 {
    let b = bitcast<i32>(x);
    let field = (b >> 23u) & 0xff;
    let e = field + n;
    let sign = b & bitcast<i32>(0x80000000u);
    let large = bitcast<f32>((b & bitcast<i32>(0x807fffffu)) | ((max(e, -63) + 64) << 23u));
    var r = b + (n << 23u);
    r = select(r, sign | 0x7f800000, e >= 255);
    r = select(r, bitcast<i32>(large * 0x1p-64), e <= 0);
    let small = bitcast<i32>(x * xla_exp2_int(clamp(n, -126, 126)));
    return bitcast<f32>(select(select(r, small, field == 0), b, field == 255));
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
    return bitcast<vec2<f32>>(bitcast<vec2<u32>>(z) | vec2<u32>(params.zero));
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

// Checks for zero. A subnormal is one where the adapter's products flush it, so that it
// is on the same side of a branch cut as what is computed of it.
fn xla_is_zero(x: f32) -> bool {
    return xla_abs_bits(xla_times_power(vec2<f32>(x), 24).x) == 0u;
}

// Checks for negative numbers, in the same way.
fn xla_is_below_zero(x: f32) -> bool {
    return (bitcast<u32>(x) >= 0x80000000u) & !xla_is_zero(x);
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

fn xla_is_inf_c64(z: vec2<f32>) -> bool {
    return xla_has_infinity(z);
}

fn xla_is_nan_c64(z: vec2<f32>) -> bool {
    return xla_is_nan(z.x) | xla_is_nan(z.y);
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
    return xla_root(s.x * s.x + s.y * s.y) * xla_exp2_int(n);
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

// (x - y)(x + y) has no cancellation that x^2 - y^2 would have; as there, it is +0
// where the parts are equal. Large parts are halved, because their sum may overflow
// where their difference is 0. Of 2 xy the smaller part is doubled, such that no
// compiler makes 2 (xy) of it, where xy may be subnormal.
fn xla_square_c64(z: vec2<f32>) -> vec2<f32> {
    let halved = xla_large_bits(z) >= 0x7e800000;
    let s = xla_times_power(z, select(0, -1, halved));
    let d = s.x - s.y;
    let e = s.x + s.y;
    let zero = (xla_abs_bits(d) == 0u) | (xla_abs_bits(e) == 0u);
    let x = select(d * e, 0.0, zero) * select(1.0, 4.0, halved);
    let twice = xla_times_power(z, 1);
    return vec2<f32>(x, select(twice.x * z.y, z.x * twice.y, abs(z.y) < abs(z.x)));
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
// parts change places. The smaller part y / 2t takes y as it is scaled for the result:
// scaled for the square, it would be subnormal beside a large x.
fn xla_sqrt_parts(z: vec2<f32>) -> vec2<f32> {
    let n = xla_exponent_c64(z) & -2;
    let half = n >> 1u;
    let s = abs(xla_times_power(z, -n));
    let m = xla_root(s.x * s.x + s.y * s.y);
    let t = xla_root(0.5 * (s.x + m));
    let y = abs(xla_times_power(z, -half).y);
    var u = xla_quotient(0.5 * y, t);
    u = select(u, y, xla_abs_bits(t) == 0u);
    u = select(u, t, xla_is_infinite(s.y));
    return vec2<f32>(t * xla_exp2_int(half), u);
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
// as 1/0 does. z is scaled, so that neither |w|^2 nor a part of w is subnormal.
fn xla_rsqrt_c64(z: vec2<f32>) -> vec2<f32> {
    let n = max(xla_exponent_c64(z) - 40, -126) & -2;
    let w = xla_signed_sqrt(xla_times_power(z, -n));
    let d = w.x * w.x + w.y * w.y;
    let s = w * xla_exp2_int(-(n >> 1u));
    let x = xla_quotient(select(s.x, 1.0, xla_abs_bits(d) == 0u), d);
    return select(vec2<f32>(x, xla_flip(xla_quotient(s.y, d))), vec2<f32>(0.0), xla_has_infinity(z));
}

// Returns sin and cos of a pair whose second part is small. A small sine is its angle;
// the reduction of the angle loses digits where products are flushed.
fn xla_sin_cos(x: vec2<f32>) -> vec2<f32> {
    let b = xla_abs_bits(x.x);
    var reduced = xla_reduce(b);
    reduced.y = bitcast<u32>(bitcast<f32>(reduced.y) + xla_copy_sign(1.0, x.x) * x.y);
    let small = bitcast<u32>(abs(x.x + x.y));
    let sine = select(xla_unless_infinite(xla_sin_reduced(reduced, 0u), b), small, b < 0x39000000u);
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

// Returns sin y for the reduced |y|. A small sine is its angle.
fn xla_reduced_sine(reduced: vec3<u32>, y: f32) -> f32 {
    let b = xla_abs_bits(y);
    let sine = select(xla_unless_infinite(xla_sin_reduced(reduced, 0u), b), b, b < 0x39000000u);
    return bitcast<f32>(sine ^ (bitcast<u32>(y) & 0x80000000u));
}

// Returns cos y and cos y - 1, of a reduced y, as pairs.
fn xla_pair_cosine(reduced: vec3<u32>) -> vec4<f32> {
    let r = bitcast<vec2<f32>>(reduced.xy);
    let odd = (reduced.z & 1u) != 0u;
    let negative = ((reduced.z + 1u) & 2u) != 0u;
    let v = xla_pair_circular(xla_pair_mul(r, r), odd);
    let near = select(vec2<f32>(1.0, 0.0), r, odd);
    let w = xla_pair_add(near, xla_pair_mul(near, v));
    let cosine = select(w, -w, negative);
    let below = xla_pair_add(cosine, vec2<f32>(-1.0, 0.0));
    return vec4<f32>(cosine, select(below, v, !odd & !negative));
}

// Returns e^x cos y - 1 = (e^x - 1) cos y + (cos y - 1) for e = e^x - 1. Next to the curve
// on which the terms cancel, what is left of them has as many bits less.
fn xla_exp_cos_minus_one(e: vec2<f32>, cosine: vec4<f32>) -> f32 {
    let sum = xla_pair_add(xla_pair_mul(e, cosine.xy), cosine.zw);
    return sum.x + sum.y;
}

// The real part is e^x cos y - 1; that of a small z is x - y^2/2, computed 2^80 times as
// large, so that no part of the square is subnormal. Far right the 1 is lost.
fn xla_expm1_c64(z: vec2<f32>) -> vec2<f32> {
    let b = xla_abs_bits(z.y);
    let reduced = xla_pair_reduce(b);
    let e = xla_exp_parts(vec2<f32>(z.x, 0.0));
    let y = xla_scaled(e.x * xla_reduced_sine(reduced, z.y), i32(e.y));
    let cosine = xla_pair_cosine(reduced);
    let near = xla_exp_cos_minus_one(xla_pair_expm1(clamp(z.x, -60.0, 60.0)), cosine);
    let half = xla_pair_product(z.y * 0x1p+40, z.y * -0x1p+39);
    let sum = xla_pair_sum(z.x * 0x1p+80, half.x);
    let tiny = (sum.x + (sum.y + half.y)) * 0x1p-80;
    let small = abs(z.x) < 0x1p-44;
    var x = select(near, tiny, small & (b < 0x35000000u));
    x = select(x, xla_scaled(e.x * cosine.x, i32(e.y)), z.x > 60.0);
    x = select(x, z.x, small & (b == 0u));
    x = bitcast<f32>(xla_unless_infinite(bitcast<u32>(x), b));
    return vec2<f32>(xla_keep_nan(x, z.x), select(y, z.y, b == 0u));
}

// 1/(1 + w) for w = e^-z, which is conj(1 + w) / |1 + w|^2. The real part of 1 + w is
// -(e^-x cos(y + pi) - 1), and |1 + w|^2 = (e^-x - 1)^2 + 2 e^-x (1 + cos y) has no terms
// of different signs. Far left it is e^z.
fn xla_logistic_c64(z: vec2<f32>) -> vec2<f32> {
    let b = xla_abs_bits(z.y);
    let reduced = xla_pair_reduce(b);
    let left = z.x < -40.0;
    let w = xla_exp_parts(vec2<f32>(select(-z.x, z.x, left), 0.0));
    let y = xla_scaled(w.x * xla_reduced_sine(reduced, z.y), i32(w.y));
    let cosine = xla_pair_cosine(reduced + vec3<u32>(0u, 0u, 2u));
    let e = xla_pair_expm1(clamp(-z.x, -60.0, 40.0));
    let d = e.x * e.x - (2.0 + 2.0 * e.x) * cosine.z;
    let near = vec2<f32>(xla_quotient(-xla_exp_cos_minus_one(e, cosine), d), xla_quotient(y, d));
    let far = vec2<f32>(xla_scaled(w.x * -cosine.x, i32(w.y)), y);
    let r = bitcast<vec2<u32>>(select(select(near, far, left), z.xx, xla_is_nan(z.x)));
    return bitcast<vec2<f32>>(vec2<u32>(xla_unless_infinite(r.x, b), xla_unless_infinite(r.y, b)));
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

// Returns |x|^2 + |y|^2 - 1 for x = z.x + tail, with both parts and the tail multiplied
// by `up` where |x| is near 1: the terms cancel if |z| is near 1, so that squares are
// exact, and so are the sums in which the leading ones cancel.
fn xla_square_minus_one(z: vec2<f32>, tail: f32, up: f32) -> f32 {
    let x = xla_pair_product(z.x, z.x);
    let y = xla_pair_product(z.y * up, z.y * up);
    let cross = (2.0 * up) * xla_pair_product(z.x, tail * up);
    let above = x.x > y.x;
    let a = xla_pair_sum(select(y.x, x.x, above), -1.0);
    let b = xla_pair_sum(a.x, select(x.x, y.x, above));
    let c = xla_pair_sum(b.x, cross.x);
    let low = xla_pair_sum(x.y, y.y);
    let rest = xla_keep(c.y + b.y) + a.y;
    let tails = xla_keep(low.y + cross.y) + (tail * up) * (tail * up);
    return xla_keep(c.x + low.x) + (rest + tails);
}

// log|z| + shift ln 2 for z with z.x + tail as its real part, where the tail is not above
// a unit in the last place. With the larger part scaled into [0.7, 1.4), or into
// [0.5, 1.4) if both are at least 1/2, |z|^2 = 1 + v: this leaves z as it is wherever |z|
// is near 1, and v has no rounding error that is large beside it.
fn xla_log_abs(z: vec2<f32>, tail: f32, shift: i32) -> f32 {
    let large = xla_large_bits(z);
    let halves = min(xla_abs_bits(z.x), xla_abs_bits(z.y)) >= 0x3f000000u;
    let n = clamp((large - 0x3f340000) >> 23u, select(-126, 0, halves), 126);
    let power = xla_exp2_int(-n);
    let v = xla_square_minus_one(z * power, tail * power, 1.0);
    let k = xla_log_exponent(bitcast<u32>(1.0 + v));
    let scale = xla_exp2_int(-clamp(k, -60, 60));
    let r = 0.5 * xla_log_kernel(v * scale + xla_keep(scale - 1.0), f32(k + 2 * (n + shift)));
    return xla_log_special(r, bitcast<f32>(large));
}

// log w for w.x + tail as its real part. A w of subnormal parts is scaled up first: it is
// then normal, or 0 where the adapter flushes it.
fn xla_log_parts(w: vec2<f32>, tail: f32) -> vec2<f32> {
    let n = select(0, 24, xla_large_bits(w) < 0x00800000);
    let s = xla_times_power(w, n);
    return vec2<f32>(xla_log_abs(s, tail, -n), xla_atan2(s.y, s.x));
}

fn xla_log_c64(z: vec2<f32>) -> vec2<f32> {
    return xla_log_parts(z, 0.0);
}

// log(z) / ln 2.
fn xla_log2_c64(z: vec2<f32>) -> vec2<f32> {
    return xla_log_parts(z, 0.0) * 1.44269502;
}

// log(z) / ln 10.
fn xla_log10_c64(z: vec2<f32>) -> vec2<f32> {
    return xla_log_parts(z, 0.0) * 0.434294492;
}

// log(1 + z). The rounding error of 1 + x goes with the sum as its tail, up to 2^25, from
// where on the 1 is lost. For small z, |1 + z|^2 - 1 is all there is to the real part, and
// scaled by 2^80 no square is subnormal.
fn xla_log1p_c64(z: vec2<f32>) -> vec2<f32> {
    let sum = xla_pair_sum(1.0, clamp(z.x, -0x1p+26, 0x1p+26));
    let far = abs(z.x) > 0x1p+25;
    let w = vec2<f32>(xla_keep_nan(select(sum.x, z.x, far), z.x), z.y);
    let r = xla_log_parts(w, select(sum.y, 0.0, far));
    let small = xla_large_bits(z) < 0x30800000;
    let tiny = 0.5 * xla_square_minus_one(vec2<f32>(1.0, z.y), z.x, 0x1p+40) * 0x1p-80;
    return vec2<f32>(select(r.x, tiny, small), r.y);
}
