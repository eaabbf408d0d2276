// Numbers of some 45 bits as pairs hi + lo of floats: T. J. Dekker, "A floating-
// point technique for extending the available precision", 1971; the sum of two
// floats by D. E. Knuth, "The Art of Computer Programming", 4.2.2. All of them
// below 2^100. xla_keep stands wherever a compiler could cancel or contract. The
// pairs among the coefficients are 1/n and 1/n!, as a float and the rest.

// a + b, exactly.
fn xla_pair_sum(a: f32, b: f32) -> vec2<f32> {
    let s = xla_keep(a + b);
    let v = xla_keep(s - a);
    return vec2<f32>(s, xla_keep(a - xla_keep(s - v)) + xla_keep(b - v));
}

// The same for |a| >= |b|, where b may be a sum itself.
fn xla_pair_of(a: f32, rest: f32) -> vec2<f32> {
    let b = xla_keep(rest);
    let s = xla_keep(a + b);
    return vec2<f32>(s, xla_keep(b - xla_keep(s - a)));
}

// a * b, exactly: in this order every partial sum is.
fn xla_pair_product(a: f32, b: f32) -> vec2<f32> {
    let p = xla_keep(a * b);
    let a_hi = xla_head(a);
    let a_lo = a - a_hi;
    let b_hi = xla_head(b);
    let b_lo = b - b_hi;
    let rest = xla_keep(xla_keep(a_hi * b_hi - p) + a_hi * b_lo);
    return vec2<f32>(p, xla_keep(rest + a_lo * b_hi) + a_lo * b_lo);
}

fn xla_pair_add(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    let s = xla_pair_sum(a.x, b.x);
    return xla_pair_of(s.x, s.y + (a.y + b.y));
}

fn xla_pair_mul(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    let p = xla_pair_product(a.x, b.x);
    return xla_pair_of(p.x, p.y + (a.x * b.y + a.y * b.x));
}

// The remainder corrects the native quotients, whatever error they have.
fn xla_pair_div(a: vec2<f32>, b: vec2<f32>) -> vec2<f32> {
    let q = xla_keep(a.x / b.x);
    let p = xla_pair_product(q, b.x);
    let rest = (xla_keep(a.x - p.x) - p.y) + (a.y - q * b.y);
    return xla_pair_of(q, rest / b.x);
}

// p x + c, a step of Horner's scheme.
fn xla_pair_step(p: vec2<f32>, x: vec2<f32>, c: vec2<f32>) -> vec2<f32> {
    return xla_pair_add(xla_pair_mul(p, x), c);
}

// 2 atanh(s) = log((1 + s) / (1 - s)) for |s| <= 1/5, by its series: Muller,
// "Elementary Functions", chapter 4.
fn xla_pair_twice_atanh(s: vec2<f32>) -> vec2<f32> {
    let z = xla_pair_mul(s, s);
    var p = 0.0588235296;
    p = p * z.x + 0.0666666701;
    p = p * z.x + 0.0769230798;
    p = p * z.x + 0.0909090936;
    p = p * z.x + 0.111111112;
    var t = xla_pair_step(vec2<f32>(p, 0.0), z, vec2<f32>(0.142857149, -6.386212e-9));
    t = xla_pair_step(t, z, vec2<f32>(0.200000003, -2.98023228e-9));
    t = xla_pair_step(t, z, vec2<f32>(0.333333343, -9.93410776e-9));
    t = xla_pair_step(t, z, vec2<f32>(1.0, 0.0));
    return 2.0 * xla_pair_mul(s, t);
}

// log x for a normal x >= 1. ln 2 in three parts, of which the first two have 15 bits.
fn xla_pair_log(x: vec2<f32>) -> vec2<f32> {
    let k = xla_log_exponent(bitcast<u32>(x.x));
    let m = x * xla_exp2_int(-k);
    let one = vec2<f32>(1.0, 0.0);
    let s = xla_pair_div(xla_pair_add(m, -one), xla_pair_add(m, one));
    let n = f32(k);
    let whole = xla_pair_sum(n * 0x1.62e4p-1, n * 0x1.7f7cp-20);
    let fraction = xla_pair_add(xla_pair_twice_atanh(s), vec2<f32>(n * 0x1.1cf79ap-36, 0.0));
    return xla_pair_add(whole, fraction);
}

// log(1 + e) for 0 < e <= 1; above 1/2 it is ln 2 + log((1 + e) / 2).
fn xla_pair_log1p(e: vec2<f32>) -> vec2<f32> {
    let upper = e.x > 0.5;
    let above = select(e, xla_pair_add(e, vec2<f32>(-1.0, 0.0)), upper);
    let below = xla_pair_add(e, vec2<f32>(select(2.0, 3.0, upper), 0.0));
    let r = xla_pair_twice_atanh(xla_pair_div(above, below));
    return select(r, xla_pair_add(vec2<f32>(0x1.62e43p-1, -0x1.05c61p-29), r), upper);
}

// sin(x) / x and cos(x) by their series in q = x^2, for |x| <= pi/4.
fn xla_pair_sinc(q: vec2<f32>) -> vec2<f32> {
    var p = -7.64716361e-13;
    p = p * q.x + 1.60590444e-10;
    p = p * q.x - 2.50521079e-8;
    p = p * q.x + 2.75573188e-6;
    var t = xla_pair_step(vec2<f32>(p, 0.0), q, vec2<f32>(-0.000198412701, 2.72559687e-12));
    t = xla_pair_step(t, q, vec2<f32>(0.00833333377, -4.34617203e-10));
    t = xla_pair_step(t, q, vec2<f32>(-0.166666672, 4.96705388e-9));
    return xla_pair_step(t, q, vec2<f32>(1.0, 0.0));
}

fn xla_pair_cos(q: vec2<f32>) -> vec2<f32> {
    var p = -1.14707454e-11;
    p = p * q.x + 2.08767559e-9;
    p = p * q.x - 2.755732e-7;
    var t = xla_pair_step(vec2<f32>(p, 0.0), q, vec2<f32>(2.48015876e-5, -3.40699383e-13));
    t = xla_pair_step(t, q, vec2<f32>(-0.00138888892, 3.36310944e-11));
    t = xla_pair_step(t, q, vec2<f32>(0.0416666679, -1.24176347e-9));
    t = xla_pair_step(t, q, vec2<f32>(-0.5, 0.0));
    return xla_pair_step(t, q, vec2<f32>(1.0, 0.0));
}

// Does what xla_pair_reduce does, for finite |y| >= 2^11 as bits. All bits of the
// fraction count, since the first 30 may be 0.
fn xla_pair_reduce_large(b: u32) -> vec3<u32> {
    let a = xla_two_over_pi(b);
    let m = (b & 0x007fffffu) | 0x00800000u;
    let turn = xla_large_turn(m, a, xla_mul_high(m, a.z));
    let middle = ((turn.x & 0xffu) << 8u) | (turn.y >> 24u);
    let head = xla_pair_sum(f32(i32(turn.x >> 8u)) * 0x1p-24, f32(i32(middle)) * 0x1p-40);
    let fraction = xla_pair_sum(head.x, head.y + f32(i32(turn.y & 0xffffffu)) * 0x1p-64);
    let r = xla_pair_mul(fraction, vec2<f32>(XLA_PIO2_HI, XLA_PIO2_LO));
    return vec3<u32>(bitcast<vec2<u32>>(r) ^ vec2<u32>(turn.w), turn.z);
}

// |y| - n pi/2 as a pair's bits, and n mod 4, of the bits of |y|: as xla_reduce, to 45 bits.
fn xla_pair_reduce(b: u32) -> vec3<u32> {
    let y = bitcast<f32>(min(b, XLA_LARGE_ANGLE));
    let n = round(y * 0.636619772);
    let s = xla_pair_sum(xla_keep(y - n * XLA_PIO2_1), -n * XLA_PIO2_2);
    let t = xla_pair_sum(s.x, -n * XLA_PIO2_3);
    let sum = xla_pair_sum(t.x, xla_keep(t.y + (s.y - n * XLA_PIO2_4)));
    var r = vec3<u32>(bitcast<vec2<u32>>(sum), u32(n) & 3u);
    if (b >= XLA_LARGE_ANGLE) {
        r = xla_pair_reduce_large(b);
    }
    return r;
}

// sin(r)/r - 1 where odd is true, else cos(r) - 1, by their series in q = r^2, for
// |r| <= pi/4.
fn xla_pair_circular(q: vec2<f32>, odd: bool) -> vec2<f32> {
    var p = select(-1.14707454e-11, -7.64716361e-13, odd);
    p = p * q.x + select(2.08767559e-9, 1.60590444e-10, odd);
    p = p * q.x + select(-2.755732e-7, -2.50521079e-8, odd);
    let c4 = select(vec2<f32>(2.48015876e-5, -3.40699383e-13), vec2<f32>(2.75573188e-6, 3.7935712e-14), odd);
    let c3 = select(vec2<f32>(-0.00138888892, 3.36310944e-11), vec2<f32>(-0.000198412701, 2.72559687e-12), odd);
    let c2 = select(vec2<f32>(0.0416666679, -1.24176347e-9), vec2<f32>(0.00833333377, -4.34617203e-10), odd);
    let c1 = select(vec2<f32>(-0.5, 0.0), vec2<f32>(-0.166666672, 4.96705388e-9), odd);
    var t = xla_pair_of(c4.x, c4.y + p * q.x);
    t = xla_pair_step(t, q, c3);
    t = xla_pair_step(t, q, c2);
    t = xla_pair_step(t, q, c1);
    return xla_pair_mul(t, q);
}

// e^r - 1 for |r| <= ln(2)/2, by its series.
fn xla_pair_exp_series(r: vec2<f32>) -> vec2<f32> {
    var p = 2.08767565e-9;
    p = p * r.x + 2.5052108e-8;
    p = p * r.x + 2.755732e-7;
    p = p * r.x + 2.7557319e-6;
    p = p * r.x + 2.48015876e-5;
    p = p * r.x + 0.000198412701;
    var t = xla_pair_of(0.00138888892, p * r.x - 3.36310944e-11);
    t = xla_pair_step(t, r, vec2<f32>(0.00833333377, -4.34617203e-10));
    t = xla_pair_step(t, r, vec2<f32>(0.0416666679, -1.24176347e-9));
    t = xla_pair_step(t, r, vec2<f32>(0.166666672, -4.96705388e-9));
    t = xla_pair_step(t, r, vec2<f32>(0.5, 0.0));
    t = xla_pair_step(t, r, vec2<f32>(1.0, 0.0));
    return xla_pair_mul(t, r);
}

// e^x - 1 = 2^n (e^r - 1) + (2^n - 1) for |x| <= 60.
fn xla_pair_expm1(x: f32) -> vec2<f32> {
    let n = round(x * 1.44269504);
    let s = xla_pair_sum(xla_keep(x - n * XLA_LN2_HI), -n * 0x1.7f7cp-20);
    let e = xla_pair_exp_series(xla_pair_of(s.x, s.y - n * 0x1.1cf79ap-36));
    let power = xla_exp2_int(i32(n));
    return xla_pair_add(xla_pair_sum(power, -1.0), power * e);
}

// e^(x + rest) for |x| <= 61 and a small rest.
fn xla_pair_exp(x: f32, rest: f32) -> vec2<f32> {
    let n = round(x * 1.44269504);
    let s = xla_pair_sum(xla_keep(x - n * XLA_LN2_HI), -n * 0x1.7f7cp-20);
    let r = xla_pair_sum(s.x, xla_keep(s.y - n * 0x1.1cf79ap-36) + rest);
    let power = xla_exp2_int(i32(n));
    return power * xla_pair_add(vec2<f32>(1.0, 0.0), xla_pair_exp_series(r));
}

// sqrt(x^2 + y^2), with the larger one scaled to [1, 4) and squares as pairs. The root of
// the sum's first part, which is rounded, is put right by what its square leaves of the
// sum: W. Kahan's way, "Mathematics written in sand", 1983. An infinity wins over NaN.
fn xla_hypot(x: f32, y: f32) -> f32 {
    let xm = xla_abs_bits(x);
    let ym = xla_abs_bits(y);
    let large = max(xm, ym);
    let n = clamp((bitcast<i32>(large) >> 23u) - 127, -126, 126);
    let s = xla_times_power(bitcast<vec2<f32>>(vec2<u32>(large, min(xm, ym))), -n);
    let p = xla_pair_product(s.x, s.x);
    let q = xla_pair_product(s.y, s.y);
    let sum = xla_pair_of(p.x, q.x);
    let root = xla_root(sum.x);
    let square = xla_pair_product(root, root);
    let rest = (xla_keep(sum.x - square.x) - square.y) + (sum.y + (p.y + q.y));
    let length = root + xla_keep(0.5 * rest / root);
    let half = n >> 1u;
    let scaled = xla_keep_bits(length * xla_exp2_int(half)) * xla_exp2_int(n - half);
    var r = select(bitcast<u32>(scaled), 0u, large == 0u);
    r = select(r, large | 0x00400000u, large > 0x7f800000u);
    r = select(r, 0x7f800000u, (xm == 0x7f800000u) | (ym == 0x7f800000u));
    return bitcast<f32>(r);
}

// log(e^x + e^y) = m + log(1 + e^-d), where m is the larger operand and d its distance to
// the other one, in pairs, since the terms cancel beside zeros. Where d is above 60, the
// second term is e^-d, and counts beside a small m only: both are computed 2^64 times as
// large.
fn xla_logaddexp(x: f32, y: f32) -> f32 {
    let above = x >= y;
    let m = select(y, x, above);
    // From 2^30 on m is all of the result.
    let far = xla_abs_bits(m) >= 0x4e800000u;
    let a = select(m, 0.0, far);
    let d = xla_pair_sum(select(select(x, y, above), 0.0, far), -a);
    let l = xla_pair_log1p(xla_pair_exp(max(d.x, -61.0), d.y));
    let s = xla_pair_sum(a, l.x);
    let near = s.x + xla_keep(s.y + l.y);
    let tiny = (xla_keep(a * 0x1p+64) + xla_exp_scaled(d.x, 64.0, XLA_EXP_MOST)) * 0x1p-64;
    let small = select(a, tiny, xla_abs_bits(a) < 0x2b800000u);
    let r = select(select(near, small, d.x < -60.0), m, far);
    return xla_keep_nan(xla_keep_nan(r, y), x);
}
