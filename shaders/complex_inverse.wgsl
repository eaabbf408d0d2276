// Inverse functions and powers on C64, as in complex.wgsl.

// Returns the argument of asin and acos in the upper half plane, such that nothing
// overflows: divided by 16 from 2^100 on, and with infinite parts as 2^100.
fn xla_asin_argument(z: vec2<f32>) -> vec2<f32> {
    let far = xla_large_bits(z) >= 0x71800000;
    let s = z * select(1.0, 0.0625, far);
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

// Returns asinh(rq + tp), plus log 16 where z was divided by 16.
fn xla_asin_height(z: vec2<f32>, roots: vec4<f32>) -> f32 {
    let h = xla_asinh(roots.x * roots.w + roots.y * roots.z);
    let far = select(0.0, 2.77258872, xla_large_bits(z) >= 0x71800000);
    return bitcast<f32>(select(bitcast<u32>(h + far), 0x7f800000u, xla_has_infinity(z)));
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

// pi/2 - asin z. The cuts belong to the upper half plane on the left and to the
// lower one on the right.
fn xla_acos_c64(z: vec2<f32>) -> vec2<f32> {
    let r = xla_asin_roots(xla_asin_argument(z));
    let h = xla_asin_height(z, r);
    let real = xla_is_zero(z.y);
    let below = select(xla_is_below_zero(z.y), z.x > 0.0, real);
    let angle = xla_keep_nan_c64(2.0 * xla_atan2(r.x, r.z), z);
    return vec2<f32>(angle, select(-h, h, below));
}

// -i asin(iz).
fn xla_asinh_c64(z: vec2<f32>) -> vec2<f32> {
    return xla_asin_c64(z.yx).yx;
}

// log(z + sqrt((z + 1)(z - 1))) as XLA has it: left of the imaginary axis, and on
// its lower half, the negative of C's.
fn xla_acosh_c64(z: vec2<f32>) -> vec2<f32> {
    let r = xla_asin_roots(xla_asin_argument(z));
    let h = xla_asin_height(z, r);
    let left = xla_is_below_zero(z.x);
    let real = xla_is_zero(z.y);
    let below = select(xla_is_below_zero(z.y), left, real);
    let negative = left | (xla_is_zero(z.x) & below & !real);
    let angle = xla_keep_nan_c64(2.0 * xla_atan2(r.x, r.z), z);
    return vec2<f32>(select(h, -h, negative), select(angle, -angle, below != negative));
}

// The imaginary part of atan: log(|n| / |m|) / 2 with |n|^2 - |m|^2 = 4k.
fn xla_atan_height(n: vec2<f32>, m: vec2<f32>, k: f32) -> f32 {
    let near = select(n, m, k < 0.0);
    let d = near.x * near.x + near.y * near.y;
    return xla_copy_sign(0.25 * xla_log1p(xla_quotient(4.0 * abs(k), d)), k);
}

// Computes atan z from 1 - iz and 1 + iz. Their parts are rounded once, so that it is
// accurate even near its poles, where it is (NaN, inf). z and the 1 are scaled alike.
fn xla_atan_off_cut(z: vec2<f32>) -> vec2<f32> {
    let e = max(xla_exponent_c64(z), 0);
    let scale = xla_exp2_int(-e);
    let s = xla_times_power(z, -e);
    let n = vec2<f32>(scale - s.y, s.x);
    let m = vec2<f32>(scale + s.y, -s.x);
    let height = xla_atan_height(n, m, scale * s.y);
    let angle = 0.5 * xla_atan2(2.0 * scale * s.x, n.x * m.x - s.x * s.x);
    let pole = (xla_abs_bits(z.x) == 0u) & (xla_abs_bits(z.y) == 0x3f800000u);
    let nan = bitcast<f32>(bitcast<u32>(z.x) | 0x7fc00000u);
    let r = vec2<f32>(select(angle, nan, pole), height);
    let end = vec2<f32>(xla_copy_sign(XLA_PIO2_HI, z.x), xla_copy_sign(0.0, z.y));
    return select(r, end, xla_large_bits(z) == 0x7f800000);
}

// On the cuts, beyond +-i, the real part has the imaginary part's sign.
fn xla_atan_c64(z: vec2<f32>) -> vec2<f32> {
    let r = xla_atan_off_cut(z);
    let cut = xla_is_zero(z.x) & (xla_abs_bits(z.y) > 0x3f800000u);
    return vec2<f32>(select(r.x, xla_copy_sign(r.x, z.y), cut), r.y);
}

// -i atan(iz), but that on its cuts the imaginary part keeps the sign of zero.
fn xla_atanh_c64(z: vec2<f32>) -> vec2<f32> {
    return xla_atan_off_cut(z.yx).yx;
}

// -i log(n / sqrt(nm)) for n = x + iy and m = x - iy. The real part is the angle of
// the root of n conj(m), or half a turn from it where n / sqrt(nm) is opposite to that
// root. Imaginary parts of the products are taken from n and m near the poles, where
// y = +-ix, and else from x and y, which is right near zeros.
fn xla_atan2_c64(y: vec2<f32>, x: vec2<f32>) -> vec2<f32> {
    let e = max(xla_exponent_c64(x), xla_exponent_c64(y));
    let a = xla_times_power(x, -e);
    let b = xla_times_power(y, -e);
    let n = vec2<f32>(a.x - b.y, a.y + b.x);
    let m = vec2<f32>(a.x + b.y, a.y - b.x);
    let near_pole = dot(n, n) * dot(m, m) < dot(a, a) * dot(b, b);
    let turn = select(2.0 * dot(a, b), n.y * m.x - n.x * m.y, near_pole);
    let u = xla_signed_sqrt(vec2<f32>(dot(n, m), turn));
    let sum = select(2.0 * (a.x * a.y + b.x * b.y), n.y * m.x + n.x * m.y, near_pole);
    let root = xla_signed_sqrt(vec2<f32>(n.x * m.x - n.y * m.y, sum));
    let v = vec2<f32>(dot(n, root), n.y * root.x - n.x * root.y);
    let angle = xla_atan2(u.y, u.x);
    let turned = angle + select(XLA_PI_HI, -XLA_PI_HI, angle > 0.0);
    let r = select(angle, turned, dot(u, v) < 0.0);
    let height = xla_atan_height(n, m, a.x * b.y - a.y * b.x);
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

// log z for a finite z other than 0, to some 45 bits: the real part as the first
// pair, the imaginary one as the second. z is scaled as in xla_log_abs, so that |z|^2
// lies in [0.49, 4].
fn xla_pair_log_c64(z: vec2<f32>) -> vec4<f32> {
    let xb = bitcast<i32>(z.x) & 0x7fffffff;
    let yb = bitcast<i32>(z.y) & 0x7fffffff;
    let n = clamp((max(xb, yb) - 0x3f340000) >> 23u, -126, 126);
    let a = bitcast<f32>(max(xb, yb)) * xla_exp2_int(-n);
    let b = bitcast<f32>(min(xb, yb)) * xla_exp2_int(-n);
    let square = xla_pair_add(xla_pair_product(a, a), xla_pair_product(b, b));
    let e = f32(n);
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

// z^w = e^(w log z), the logarithm and the product as pairs: an error of theirs is
// multiplied by |w log z|, which may be up to 2^20. z^0 and 1^w are 1; 0^w is 0 if w's
// real part is above 0, else NaN, as is anything of infinite parts but real powers of
// infinity.
fn xla_pow_c64(z: vec2<f32>, w: vec2<f32>) -> vec2<f32> {
    let logarithm = xla_pair_log_c64(z);
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
    let zero = xla_large_bits(z) < 0x00800000;
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
