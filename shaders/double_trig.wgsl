// Circular functions and their inverses on f64. Coefficients marked (C) are
// printed by scripts/coefficients_f64.py under the name given.

// pi/2 in three parts, of 26 bits, 26 bits and the rest.
const XLA_PIO2_1_F64: f64 = 0x1.921fb58p+0lf;
const XLA_PIO2_2_F64: f64 = -0x1.dde974p-27lf;
const XLA_PIO2_3_F64: f64 = 0x1.1a62633145c07p-54lf;

// pi/4 in two parts; the first has 50 bits, so three times it is exact.
const XLA_PIO4_HI_F64: f64 = 0x1.921fb54442d18p-1lf;
const XLA_PIO4_LO_F64: f64 = 0x1.1a62633145c07p-55lf;

// The high 64 bits of a * b, by 32-bit halves (Knuth, 4.3.1, algorithm M).
fn xla_high_product_f64(a: u64, b: u64) -> u64 {
    let al = a & 0xfffffffflu;
    let ah = a >> 32u;
    let bl = b & 0xfffffffflu;
    let bh = b >> 32u;
    let m1 = ah * bl + ((al * bl) >> 32u);
    let m2 = al * bh + (m1 & 0xfffffffflu);
    return ah * bh + (m1 >> 32u) + (m2 >> 32u);
}

// Four words of 2/pi from word i <= 16 on; the first is what stands before the
// point. By selects, because a table that is indexed goes through memory.
fn xla_two_over_pi_f64(i: u32) -> vec4<u64> {
    let w0 = vec4<u64>(
        0lu, 0xa2f9836e4e441529lu,
        0xfc2757d1f534ddc0lu, 0xdb6295993c439041lu,
    );
    let w4 = vec4<u64>(
        0xfe5163abdebbc561lu, 0xb7246e3a424dd2e0lu,
        0x06492eea09d1921clu, 0xfe1deb1cb129a73elu,
    );
    let w8 = vec4<u64>(
        0xe88235f52ebb4484lu, 0xe99c7026b45f7e41lu,
        0x3991d639835339f4lu, 0x9c845f8bbdf9283blu,
    );
    let w12 = vec4<u64>(
        0x1ff897ffde05980flu, 0xef2f118b5a0a6d1flu,
        0x6d367ecf27cb09b7lu, 0x4f463f669e5fea2dlu,
    );
    let w16 = vec4<u64>(
        0x7527bac7ebe5f17blu, 0x3d0739f78a5292ealu,
        0x6bfb5fb11f8d5d08lu, 0x56033046fc7b6bablu,
    );
    let by_8 = (i & 8u) != 0u;
    let by_4 = (i & 4u) != 0u;
    let a0 = select(w0, w8, by_8);
    let a4 = select(w4, w12, by_8);
    let a8 = select(w8, w16, by_8);
    let b0 = select(select(a0, a4, by_4), w16, i >= 16u);
    let b4 = select(a4, a8, by_4);
    let by_2 = (i & 2u) != 0u;
    let c0 = select(b0, vec4<u64>(b0.zw, b4.xy), by_2);
    let c4 = select(b4.x, b4.z, by_2);
    return select(c0, vec4<u64>(c0.yzw, c4), (i & 1u) != 0u);
}

// |x| - n pi/2 as hi + lo (two floats' bits) and n mod 4, for finite |x|, given
// as bits. M. H. Payne and R. N. Hanek, "Radian reduction for trigonometric
// functions", 1983: only the bits of 2/pi that matter modulo 4 are multiplied.
// No f64 is nearer to a multiple of pi/2 than 2^-61 (Muller, section 11.3), so
// that 126 bits of fraction leave 64. All in integers, also for small
// arguments: some drivers run both sides of a branch, and most have slow f64.
fn xla_reduce_f64(b: u64) -> vec3<u64> {
    // 192 bits of 2/pi from this bit on.
    let start = u32(max(xla_exponent_f64(b) - 1013, 0));
    let w = xla_two_over_pi_f64(start >> 6u);
    let shift = start & 63u;
    // Two shifts to the right, since one by 64 is not defined.
    let back = 63u - shift;
    let a0 = (w.x << shift) | ((w.y >> 1u) >> back);
    let a1 = (w.y << shift) | ((w.z >> 1u) >> back);
    let a2 = (w.z << shift) | ((w.w >> 1u) >> back);
    // m * a modulo 2^192 without the last word; the point is after two bits.
    let m = (b & 0x000ffffffffffffflu) | 0x0010000000000000lu;
    let m1 = m * a1;
    let p1 = m1 + xla_high_product_f64(m, a2);
    let p0 = m * a0 + xla_high_product_f64(m, a1) + select(0lu, 1lu, p1 < m1);
    // The fraction, to nearest: with its top bit set it is negative.
    let negative = (p0 >> 61u) & 1lu;
    let quadrant = ((p0 >> 62u) + negative) & 3lu;
    let flip = 0lu - negative;
    let f0 = ((p0 << 2u) | (p1 >> 62u)) ^ flip;
    let f1 = (p1 << 2u) ^ flip;
    // The fraction becomes floats of 26, 26 and 62 bits, times pi/2.
    let top = f64(i32(u32(f0 >> 38u))) * 0x1p-26lf;
    let middle = f64(i32(u32(f0 >> 12u) & 0x03ffffffu)) * 0x1p-52lf;
    let third = f64(i32(((u32(f0) & 0xfffu) << 19u) | u32(f1 >> 45u)));
    let fourth = f64(i32(u32(f1 >> 14u) & 0x7fffffffu));
    let last = third * 0x1p-83lf + fourth * 0x1p-114lf;
    let lead = top * XLA_PIO2_1_F64;
    let tiny = middle * XLA_PIO2_2_F64 + last * (2.0lf * XLA_PIO4_HI_F64);
    let small = (top + middle) * XLA_PIO2_3_F64 + tiny;
    let rest = middle * XLA_PIO2_1_F64 + (top * XLA_PIO2_2_F64 + small);
    let hi = xla_keep_f64(lead + rest);
    let lo = (lead - hi) + rest;
    let sign = negative << 63u;
    // Up to pi/4 there is nothing to be done.
    let reduced = vec3<u64>(bitcast<u64>(hi) ^ sign, bitcast<u64>(lo) ^ sign, quadrant);
    return select(reduced, vec3<u64>(b, 0lu, 0lu), b <= 0x3fe921fb54442d18lu);
}

// (C: sin) sin(r + rest) - r, where sin r = r + r^3 P(r^2), for |r| <= pi/4 and
// a rest below the last place of r.
fn xla_sine_tail_f64(r: f64, rest: f64) -> f64 {
    let z = r * r;
    var p = 1.5896195515864356e-10lf;
    p = p * z - 2.5050747178257583e-08lf;
    p = p * z + 2.7557313617740148e-06lf;
    p = p * z - 0.00019841269829579304lf;
    p = p * z + 0.008333333333322106lf;
    p = p * z - 0.1666666666666663lf;
    return r * z * p + rest * (1.0lf - 0.5lf * z);
}

// (C: cos) 1 - cos(r + rest), where cos r = 1 - r^2/2 + r^4 P(r^2), likewise.
fn xla_cosine_tail_f64(r: f64, rest: f64) -> f64 {
    let z = r * r;
    var p = -1.135965001766015e-11lf;
    p = p * z + 2.087572331681213e-09lf;
    p = p * z - 2.755731435266032e-07lf;
    p = p * z + 2.4801587289483346e-05lf;
    p = p * z - 0.0013888888888874127lf;
    p = p * z + 0.0416666666666666lf;
    return 0.5lf * z - (z * z * p - r * rest);
}

// sin(|x| + turn pi/2) with the sign bit `sign` flipped in.
fn xla_sin_turned_f64(x: f64, turn: u32, sign: u64) -> f64 {
    let b = xla_abs_bits_f64(x);
    let reduced = xla_reduce_f64(b);
    let r = bitcast<f64>(reduced.x);
    let rest = bitcast<f64>(reduced.y);
    let quadrant = u32(reduced.z) + turn;
    let sine = r + xla_sine_tail_f64(r, rest);
    let cosine = 1.0lf - xla_cosine_tail_f64(r, rest);
    var u = bitcast<u64>(select(sine, cosine, (quadrant & 1u) != 0u));
    u ^= (u64(quadrant & 2u) << 62u) ^ sign;
    u = select(u, bitcast<u64>(x) | XLA_NAN_F64, b >= XLA_INF_F64);
    return bitcast<f64>(u);
}

fn xla_sin_f64(x: f64) -> f64 {
    return xla_sin_turned_f64(x, 0u, bitcast<u64>(x) & XLA_SIGN_F64);
}

fn xla_cos_f64(x: f64) -> f64 {
    return xla_sin_turned_f64(x, 1u, 0lu);
}

// sin/cos, or -cos/sin; what the rounding of the two lost is added to the
// quotient.
fn xla_tan_f64(x: f64) -> f64 {
    let b = xla_abs_bits_f64(x);
    let reduced = xla_reduce_f64(b);
    let r = bitcast<f64>(reduced.x);
    let rest = bitcast<f64>(reduced.y);
    let sine_tail = xla_sine_tail_f64(r, rest);
    let cosine_tail = xla_cosine_tail_f64(r, rest);
    let sine = xla_keep_f64(r + sine_tail);
    let cosine = xla_keep_f64(1.0lf - cosine_tail);
    let sine_rest = (r - sine) + sine_tail;
    let cosine_rest = (1.0lf - cosine) - cosine_tail;
    let odd = (reduced.z & 1lu) != 0lu;
    let divisor = select(cosine, sine, odd);
    let q = select(sine, -cosine, odd) / divisor;
    let lost = select(sine_rest, -cosine_rest, odd) - q * select(cosine_rest, sine_rest, odd);
    var u = bitcast<u64>(q + lost / divisor);
    u ^= bitcast<u64>(x) & XLA_SIGN_F64;
    u = select(u, bitcast<u64>(x) | XLA_NAN_F64, b >= XLA_INF_F64);
    // Below 2^-27 the result is x, which keeps the sign of zero.
    u = select(u, bitcast<u64>(x), b < 0x3e40000000000000lu);
    return bitcast<f64>(u);
}

// The angle between 0 and pi/4 of tan = small/large, as quarters of pi to begin
// from, an argument t and a tail: angle = quarters pi/4 + (t + tail). From
// 35/64 on t = (small - large)/(small + large).
fn xla_octant_f64(small: f64, large: f64) -> vec3<f64> {
    let outer = small > 0.546875lf * large;
    let t = select(small, small - large, outer) / select(large, small + large, outer);
    let z = t * t;
    // (C: atan) atan t = t + t^3 P(t^2)
    var p = -0.00425935889244541lf;
    p = p * z + 0.014734166891708195lf;
    p = p * z - 0.026853440173752862lf;
    p = p * z + 0.03616105998133081lf;
    p = p * z - 0.0424102358866343lf;
    p = p * z + 0.04739816448349925lf;
    p = p * z - 0.05259756348798937lf;
    p = p * z + 0.05881964869397836lf;
    p = p * z - 0.06666634286719265lf;
    p = p * z + 0.07692305760332101lf;
    p = p * z - 0.09090909011359154lf;
    p = p * z + 0.11111111108972656lf;
    p = p * z - 0.14285714285679985lf;
    p = p * z + 0.1999999999999972lf;
    p = p * z - 0.3333333333333333lf;
    return vec3<f64>(select(0.0lf, 1.0lf, outer), t, t * z * p);
}

// quarters pi/4 + (t + tail), which is not negative, with the sign of y.
fn xla_angle_f64(quarters: f64, t: f64, tail: f64, y: f64) -> f64 {
    let r = quarters * XLA_PIO4_HI_F64 + (t + (tail + quarters * XLA_PIO4_LO_F64));
    return xla_odd_f64(xla_abs_f64(r), y);
}

// atan |x| = pi/2 - atan(1/|x|) above 1.
fn xla_atan_f64(x: f64) -> f64 {
    let ax = xla_abs_f64(x);
    let inverted = ax > 1.0lf;
    let small = select(select(ax, 1.0lf, inverted), 0.0lf, xla_abs_bits_f64(x) == XLA_INF_F64);
    let a = xla_octant_f64(small, select(1.0lf, ax, inverted));
    let quarters = select(a.x, 2.0lf - a.x, inverted);
    let r = xla_angle_f64(quarters, select(a.y, -a.y, inverted), select(a.z, -a.z, inverted), x);
    return xla_keep_nan_f64(r, x);
}

// The angle of the point (x, y): atan of the smaller over the larger magnitude,
// turned into its octant. Special cases: C99, F.9.1.4.
fn xla_atan2_f64(y: f64, x: f64) -> f64 {
    let xm = xla_abs_bits_f64(x);
    let ym = xla_abs_bits_f64(y);
    var large = max(xm, ym);
    var small = min(xm, ym);
    // Zeros and infinities are replaced by 0/1 and 1/1. Large numbers, whose sum
    // overflows, and small ones, whose quotient has no bits left, are scaled.
    let equal = small == large;
    let end = (large == 0lu) | (large == XLA_INF_F64);
    let up = select(1.0lf, 0x1p+200lf, large < 0x1000000000000000lu);
    let scale = select(up, 0x1p-200lf, large > 0x7000000000000000lu);
    let one = 0x3ff0000000000000lu;
    small = select(small, select(0lu, one, equal & (large != 0lu)), end);
    large = select(large, one, end);
    // xla_keep_f64 hides the scaling, because a compiler could scale their sum instead,
    // which may overflow.
    let near = xla_keep_f64(bitcast<f64>(small) * scale);
    let a = xla_octant_f64(near, xla_keep_f64(bitcast<f64>(large) * scale));
    let steep = ym > xm;
    let left = bitcast<u64>(x) >= XLA_SIGN_F64;
    // The angle counts from 0, 2 or 4 quarters of pi, forwards or backwards.
    let base = select(select(0.0lf, 4.0lf, left), 2.0lf, steep);
    let back = steep != left;
    let quarters = base + select(a.x, -a.x, back);
    let r = xla_angle_f64(quarters, select(a.y, -a.y, back), select(a.z, -a.z, back), y);
    return xla_keep_nan_f64(xla_keep_nan_f64(r, y), x);
}

// (C: asin) asin s = s + s^3 P(s^2) for s <= 1/2; this is P(z) z.
fn xla_asin_tail_f64(z: f64) -> f64 {
    var p = 0.03265268386279589lf;
    p = p * z - 0.021036658698629696lf;
    p = p * z + 0.021733385406951786lf;
    p = p * z + 0.0036960105631947044lf;
    p = p * z + 0.010782934861317853lf;
    p = p * z + 0.011398446602388961lf;
    p = p * z + 0.013980875839958103lf;
    p = p * z + 0.017351607539945087lf;
    p = p * z + 0.022372215228740663lf;
    p = p * z + 0.030381942699515378lf;
    p = p * z + 0.04464285717477825lf;
    p = p * z + 0.0749999999997063lf;
    p = p * z + 0.1666666666666676lf;
    return p * z;
}

// For asin and acos, of |x|: sqrt((1-|x|)/2) above 1/2, else |x|, and how much
// more its asin is.
fn xla_asin_parts_f64(ax: f64, outer: bool) -> vec2<f64> {
    let z = select(ax * ax, 0.5lf - 0.5lf * ax, outer);
    let s = select(ax, sqrt(max(z, 0.0lf)), outer);
    return vec2<f64>(s, s * xla_asin_tail_f64(z));
}

// Above 1/2, asin x = pi/2 - 2 asin(sqrt((1-x)/2)): Cody & Waite, chapter 10.
fn xla_asin_f64(x: f64) -> f64 {
    let b = xla_abs_bits_f64(x);
    let outer = b > 0x3fe0000000000000lu;
    let a = xla_asin_parts_f64(bitcast<f64>(b), outer);
    let r = select(a.x + a.y, 2.0lf * (XLA_PIO4_HI_F64 - (a.x + (a.y - XLA_PIO4_LO_F64))), outer);
    let u = bitcast<u64>(xla_odd_f64(r, x));
    return bitcast<f64>(select(u, bitcast<u64>(x) | XLA_NAN_F64, b > 0x3ff0000000000000lu));
}

fn xla_acos_f64(x: f64) -> f64 {
    let b = xla_abs_bits_f64(x);
    let negative = bitcast<u64>(x) >= XLA_SIGN_F64;
    let outer = b > 0x3fe0000000000000lu;
    let a = xla_asin_parts_f64(bitcast<f64>(b), outer);
    // 2 a, pi - 2 a, pi/2 - a or pi/2 + a.
    let back = negative == outer;
    let quarters = select(2.0lf, select(0.0lf, 4.0lf, negative), outer);
    let times = select(1.0lf, 2.0lf, outer);
    let t = times * select(a.x, -a.x, back);
    let r = xla_angle_f64(quarters, t, times * select(a.y, -a.y, back), 1.0lf);
    let u = select(bitcast<u64>(r), bitcast<u64>(x) | XLA_NAN_F64, b > 0x3ff0000000000000lu);
    return bitcast<f64>(u);
}
