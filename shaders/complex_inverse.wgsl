// Inverse functions and powers on C64, as in complex.wgsl.

// Returns n such that asin and acos may take y 2^n for y: 40 where y is so small that
// parts of the roots are proportional to it, and would be subnormal; else 0.
fn xla_asin_exponent(z: vec2<f32>) -> i32 {
    return select(0, 40, (abs(z.y) < 0x1p-100) & (xla_abs_bits(z.x) != 0x3f800000u));
}

// Returns the argument of asin and acos in the upper half plane, such that nothing
// overflows: divided by 16 from 2^100 on, and with infinite parts as 2^100.
fn xla_asin_argument(z: vec2<f32>) -> vec2<f32> {
    let far = xla_large_bits(z) >= 0x71800000;
    let s = z * select(1.0, 0.0625, far) * vec2<f32>(1.0, xla_exp2_int(xla_asin_exponent(z)));
    let r = select(s, xla_infinite_direction(z) * 0x1p+100, xla_has_infinity(z));
    return vec2<f32>(r.x, abs(r.y));
}

// r, t, p, q of sqrt(1-z) = r - it and sqrt(1+z) = p + iq. asin z is then the angle
// of (rp + tq, x) and i asinh(rq + tp), acos z twice the angle of (p, r) and
// -i asinh(rq + tp); all terms are positive. W. Kahan, "Branch cuts for complex
// elementary functions", 1987.
fn xla_asin_roots(z: vec2<f32>) -> vec4<f32> {
    let lower = xla_sqrt_parts(vec2<f32>(1.0 - z.x, z.y));
    let upper = xla_sqrt_parts(vec2<f32>(1.0 + z.x, z.y));
    return vec4<f32>(select(lower, lower.yx, z.x > 1.0), select(upper, upper.yx, z.x < -1.0));
}

// Returns asinh(rq + tp), plus log 16 where z was divided by 16. Between the cuts it is
// proportional to a small imaginary part. For small z it is |y|, of which both terms are
// a half that may be subnormal.
fn xla_asin_height(z: vec2<f32>, roots: vec4<f32>) -> f32 {
    let scale = xla_exp2_int(select(0, -xla_asin_exponent(z), abs(z.x) < 1.0));
    let height = xla_asinh(roots.x * roots.w + roots.y * roots.z) * scale;
    let h = select(height, abs(z.y), xla_large_bits(z) < 0x39000000);
    let far = select(0.0, 2.77258872, xla_large_bits(z) >= 0x71800000);
    return bitcast<f32>(select(bitcast<u32>(h + far), 0x7f800000u, xla_has_infinity(z)));
}

// Returns twice the angle of (p, r), the real part of acos z: as the angle of (p, 2r)
// where it is small, since its half may be subnormal. On the cut's right part it is
// proportional to a small imaginary part.
fn xla_acos_angle(z: vec2<f32>, roots: vec4<f32>) -> f32 {
    let small = roots.x < 0x1p-13 * roots.z;
    let angle = select(2.0, 1.0, small) * xla_atan2(select(1.0, 2.0, small) * roots.x, roots.z);
    let scale = xla_exp2_int(select(0, -xla_asin_exponent(z), z.x > 1.0));
    return xla_keep_nan_c64(angle * scale, z);
}

// Returns the angle, or NaN if a part of z is NaN.
fn xla_keep_nan_c64(angle: f32, z: vec2<f32>) -> f32 {
    return xla_keep_nan(xla_keep_nan(angle, z.x), z.y);
}

// The imaginary part is above zero on both sides of the cuts, where |x| > 1.
fn xla_asin_c64(z: vec2<f32>) -> vec2<f32> {
    let s = xla_asin_argument(z);
    let r = xla_asin_roots(s);
    let h = xla_asin_height(z, r);
    let angle = xla_atan2(s.x, r.x * r.z + r.y * r.w);
    return vec2<f32>(xla_keep_nan_c64(angle, z), select(h, -h, xla_is_below_zero(z.y)));
}

// pi/2 - asin z. The cuts belong to the upper half plane.
fn xla_acos_c64(z: vec2<f32>) -> vec2<f32> {
    let r = xla_asin_roots(xla_asin_argument(z));
    let h = xla_asin_height(z, r);
    return vec2<f32>(xla_acos_angle(z, r), select(-h, h, xla_is_below_zero(z.y)));
}

// -i asin(iz).
fn xla_asinh_c64(z: vec2<f32>) -> vec2<f32> {
    return xla_asin_c64(z.yx).yx;
}

// i acos z above the cut, which belongs to the upper half plane, and -i acos z below it:
// the real part is not negative.
fn xla_acosh_c64(z: vec2<f32>) -> vec2<f32> {
    let r = xla_asin_roots(xla_asin_argument(z));
    let h = xla_asin_height(z, r);
    let angle = xla_acos_angle(z, r);
    return vec2<f32>(h, select(angle, -angle, xla_is_below_zero(z.y)));
}

// The imaginary part of atan: log(|n| / |m|) / 2 with |n|^2 - |m|^2 = 4k. Near a pole
// the smaller of the two is scaled, as its square may be subnormal.
fn xla_atan_height(n: vec2<f32>, m: vec2<f32>, k: f32) -> f32 {
    let w = select(n, m, k < 0.0);
    let e = min(xla_exponent_c64(w), 0);
    let s = xla_times_power(w, -e);
    let q = xla_quotient(4.0 * abs(k), s.x * s.x + s.y * s.y);
    let pole = 0.25 * xla_log(q) - f32(e) * 0.34657359;
    let h = select(0.25 * xla_log1p(q * xla_exp2_int(-2 * max(e, -30))), pole, e < -30);
    return xla_copy_sign(h, k);
}

// Computes atan z from 1 - iz and 1 + iz. Their parts are rounded once, so that it is
// accurate even near its poles, where it is (0, inf). z and the 1 are scaled alike. On
// the cuts, beyond +-i, the real part has the sign of z's.
fn xla_atan_c64(z: vec2<f32>) -> vec2<f32> {
    let e = max(xla_exponent_c64(z), 0);
    let scale = xla_exp2_int(-e);
    let s = xla_times_power(z, -e);
    let n = vec2<f32>(scale - s.y, s.x);
    let m = vec2<f32>(scale + s.y, -s.x);
    let height = xla_atan_height(n, m, scale * s.y);
    let angle = 0.5 * xla_atan2(2.0 * scale * s.x, n.x * m.x - s.x * s.x);
    let r = vec2<f32>(angle, height);
    let right = xla_keep_nan(xla_copy_sign(XLA_PIO2_HI, z.x), z.x);
    return select(r, vec2<f32>(right, xla_copy_sign(0.0, z.y)), xla_has_infinity(z));
}

// -i atan(iz).
fn xla_atanh_c64(z: vec2<f32>) -> vec2<f32> {
    return xla_atan_c64(z.yx).yx;
}

// (a.x b.x + a.y b.y) 2^e as if all were exact up to the end: the products are pairs of
// scaled factors. A result below the normal numbers is a zero of its sign.
fn xla_scaled_dot(a: vec2<f32>, b: vec2<f32>, e: i32) -> f32 {
    let n = vec2<i32>(xla_exponent_c64(a.xx), xla_exponent_c64(a.yy));
    let m = vec2<i32>(xla_exponent_c64(b.xx), xla_exponent_c64(b.yy));
    let p = xla_pair_product(xla_scaled(a.x, -n.x), xla_scaled(b.x, -m.x));
    let q = xla_pair_product(xla_scaled(a.y, -n.y), xla_scaled(b.y, -m.y));
    let none = vec2<bool>(xla_is_zero(p.x), xla_is_zero(q.x));
    let k = select(n + m, vec2<i32>(-1000), none);
    let top = max(k.x, k.y);
    let u = p * xla_exp2_int(max(k.x - top, -126));
    let v = q * xla_exp2_int(max(k.y - top, -126));
    let sum = xla_pair_add(u, v).x;
    return xla_scaled(select(sum, u.x + v.x, xla_is_zero(sum)), top + e);
}

// -i log(n / sqrt(nm)) for n = x + iy and m = x - iy. The real part is the angle of
// the root of n conj(m), or half a turn from it where n / sqrt(nm) is opposite to that
// root. Imaginary parts of the products are taken from n and m near the poles, where
// y = +-ix, and else from x and y, which is right near zeros and has the zeros' signs as
// XLA has them; their sign decides on half a turn, however small they are. On the cut of
// the logarithm alone the real part is pi, as in JAX; where the root of nm is on its cut,
// too, n is imaginary and the sign of pi is opposite to that of n, as the cosine of pi/2
// in F32 has it there. An imaginary part of zero has the sign of the real one.
fn xla_atan2_c64(y: vec2<f32>, x: vec2<f32>) -> vec2<f32> {
    let e = max(xla_exponent_c64(x), xla_exponent_c64(y));
    let a = xla_times_power(x, -e);
    let b = xla_times_power(y, -e);
    let n = vec2<f32>(a.x - b.y, a.y + b.x);
    let m = vec2<f32>(a.x + b.y, a.y - b.x);
    let near_pole = dot(n, n) * dot(m, m) < dot(a, a) * dot(b, b);
    let straight = xla_scaled_dot(x, y, 1 - 2 * e);
    let turn = select(straight, n.y * m.x - n.x * m.y, near_pole & (xla_abs_bits(straight) != 0u));
    let u = xla_signed_sqrt(vec2<f32>(dot(n, m), turn));
    let crossed = xla_scaled_dot(vec2<f32>(x.x, y.x), vec2<f32>(x.y, y.y), 1 - 2 * e);
    let sum = select(crossed, n.y * m.x + n.x * m.y, near_pole & (xla_abs_bits(crossed) != 0u));
    let root = xla_signed_sqrt(vec2<f32>(n.x * m.x - n.y * m.y, sum));
    let v = vec2<f32>(dot(n, root), n.y * root.x - n.x * root.y);
    let angle = xla_atan2(u.y, u.x);
    let both = ((xla_abs_bits(angle) | xla_abs_bits(root.x)) == 0u) & (n.y > 0.0);
    let turned = angle + select(XLA_PI_HI, -XLA_PI_HI, (angle > 0.0) | both);
    let r = select(angle, turned, dot(u, v) < 0.0);
    let h = xla_atan_height(n, m, a.x * b.y - a.y * b.x);
    let height = select(h, xla_copy_sign(0.0, r), xla_abs_bits(h) == 0u);
    // Infinite operands give NaN, because the formula says nothing about them.
    let unknown = max(xla_large_bits(x), xla_large_bits(y)) >= 0x7f800000;
    let nan = bitcast<u32>(height) | 0x7fc00000u;
    return bitcast<vec2<f32>>(select(bitcast<vec2<u32>>(vec2<f32>(r, height)), vec2<u32>(nan), unknown));
}

// The angle of the point (x, y) in the first quadrant, to some 45 bits, with y <= x:
// one step of Newton's method, (y cos t - x sin t) / |z|, from what xla_atan2 gives.
fn xla_pair_angle(y: f32, x: f32) -> vec2<f32> {
    let t = xla_atan2(y, x);
    let q = xla_pair_product(t, t);
    let s = xla_pair_mul(xla_pair_sinc(q), vec2<f32>(t, 0.0));
    let c = xla_pair_cos(q);
    let up = xla_pair_mul(c, vec2<f32>(y, 0.0));
    let down = xla_pair_mul(s, vec2<f32>(-x, 0.0));
    let d = xla_pair_add(up, down);
    return xla_pair_of(t, (d.x + d.y) / (c.x * x + s.x * y));
}

// log z + shift ln 2 for a finite normal z, to some 45 bits: the real part as the first
// pair, the imaginary one as the second. The larger part is scaled into [0.7, 1.4), so
// that |z|^2 lies in [0.49, 4].
fn xla_pair_log_c64(z: vec2<f32>, shift: i32) -> vec4<f32> {
    let xb = bitcast<i32>(z.x) & 0x7fffffff;
    let yb = bitcast<i32>(z.y) & 0x7fffffff;
    let n = clamp((max(xb, yb) - 0x3f340000) >> 23u, -126, 126);
    let a = bitcast<f32>(max(xb, yb)) * xla_exp2_int(-n);
    let b = bitcast<f32>(min(xb, yb)) * xla_exp2_int(-n);
    let square = xla_pair_add(xla_pair_product(a, a), xla_pair_product(b, b));
    let e = f32(n + shift);
    let whole = xla_pair_sum(e * 0x1.62e4p-1, e * 0x1.7f7cp-20);
    let rest = vec2<f32>(e * 0x1.1cf79ap-36, 0.0);
    let height = xla_pair_add(whole, xla_pair_add(rest, 0.5 * xla_pair_log(square)));

    var angle = xla_pair_angle(b, a);
    let right = vec2<f32>(XLA_PIO2_HI, XLA_PIO2_LO);
    angle = select(angle, xla_pair_add(right, -angle), yb > xb);
    let back = vec2<f32>(XLA_PI_HI, XLA_PI_LO);
    angle = select(angle, xla_pair_add(back, -angle), bitcast<u32>(z.x) >= 0x80000000u);
    return vec4<f32>(height, select(angle, -angle, bitcast<u32>(z.y) >= 0x80000000u));
}

// z^w = e^(w log z), the logarithm and the product as pairs: their error is
// multiplied by |w log z|, which may be up to 2^20. z^0 and 1^w are 1; 0^w is 0 if w's
// real part is above 0, else NaN, as is anything of infinite parts but real powers of
// infinity.
fn xla_pow_c64(z: vec2<f32>, w: vec2<f32>) -> vec2<f32> {
    let n = select(0, 24, xla_large_bits(z) < 0x00800000);
    let base = xla_times_power(z, n);
    let logarithm = xla_pair_log_c64(base, -n);
    let u = clamp(w, vec2<f32>(-0x1p+90), vec2<f32>(0x1p+90));
    let a = vec2<f32>(u.x, 0.0);
    let b = vec2<f32>(u.y, 0.0);
    let x = xla_pair_add(xla_pair_mul(logarithm.xy, a), xla_pair_mul(logarithm.zw, -b));
    let y = xla_pair_add(xla_pair_mul(logarithm.zw, a), xla_pair_mul(logarithm.xy, b));
    let r = xla_pair_exp_c64(x, vec2<f32>(y.x, clamp(y.y, -0.5, 0.5)));

    // For 0 and infinity the result is one of these, or NaN.
    let number = !xla_is_nan(w.x) & !xla_is_nan(w.y);
    let up = xla_is_below_zero(xla_flip(w.x)) & number;
    let down = xla_is_below_zero(w.x) & number;
    let real = (xla_abs_bits(z.y) | xla_abs_bits(w.y)) == 0u;
    let zero = xla_large_bits(base) == 0;
    let infinite = real & (bitcast<u32>(z.x) == 0x7f800000u);
    let unbounded = max(xla_large_bits(z), xla_large_bits(w)) >= 0x7f800000;
    let nan = bitcast<u32>(w.x) | 0x7fc00000u;
    var s = select(bitcast<vec2<u32>>(r), vec2<u32>(nan), zero | unbounded);
    s = select(s, vec2<u32>(0u), (zero & up) | (infinite & down));
    s = select(s, vec2<u32>(0x7f800000u, 0u), infinite & up);
    let one = (bitcast<u32>(z.x) == 0x3f800000u) & (xla_abs_bits(z.y) == 0u);
    s = select(s, vec2<u32>(0x3f800000u, 0u), one | (xla_large_bits(w) < 0x00800000));
    return bitcast<vec2<f32>>(s);
}
