// Circular functions and their inverses. Coefficients marked (C) are printed
// by scripts/coefficients.py under the name given.

// pi/2 in four parts of at most 13 bits, the last in full: n times a part is
// exact for n < 2^11.
const XLA_PIO2_1: f32 = 0x1.922p+0;
const XLA_PIO2_2: f32 = -0x1.2afp-18;
const XLA_PIO2_3: f32 = 0x1.0b4p-34;
const XLA_PIO2_4: f32 = 0x1.84698ap-48;

// pi/2 and pi as an f32 and the rest.
const XLA_PIO2_HI: f32 = 0x1.921fb6p+0;
const XLA_PIO2_LO: f32 = -0x1.777a5cp-25;
const XLA_PI_HI: f32 = 0x1.921fb6p+1;
const XLA_PI_LO: f32 = -0x1.777a5cp-24;

// From this |x| on, the reduction is with integers; below it n < 2^11.
const XLA_LARGE_ANGLE: u32 = 0x45400000u;

// |x| - n pi/2 as hi + lo (two floats' bits) and n mod 4, for |x| < 3072.
// Cody & Waite, chapter 8, with each part's product exact. The two masked
// sums keep what a plain sum would round away near a multiple of pi/2.
fn xla_reduce_medium(x: f32) -> vec3<u32> {
    let n = round(x * 0.636619772);
    let t = xla_keep(x - n * XLA_PIO2_1);
    let w2 = n * XLA_PIO2_2;
    let a_hi = xla_head(t - w2);
    let a_lo = xla_keep(xla_keep(t - a_hi) - w2);
    let w3 = n * XLA_PIO2_3;
    let hi = xla_head(a_hi - w3);
    let lo = xla_keep(xla_keep(a_hi - hi) - w3) + (a_lo - n * XLA_PIO2_4);
    // A sum in [2^23, 2^24) has n in its last bits, which is cheaper than to convert it.
    return vec3<u32>(bitcast<u32>(hi), bitcast<u32>(lo), bitcast<u32>(n + 0x1p+23) & 3u);
}

// The high 32 bits of a * b, by 16-bit halves (Knuth, 4.3.1, algorithm M).
fn xla_mul_high(a: u32, b: u32) -> u32 {
    let al = a & 0xffffu;
    let ah = a >> 16u;
    let bl = b & 0xffffu;
    let bh = b >> 16u;
    let m1 = ah * bl + ((al * bl) >> 16u);
    let m2 = al * bh + (m1 & 0xffffu);
    return ah * bh + (m1 >> 16u) + (m2 >> 16u);
}

// Returns word i of five.
fn xla_pick(i: u32, a: u32, b: u32, c: u32, d: u32, e: u32) -> u32 {
    return select(select(select(select(a, b, i == 1u), c, i == 2u), d, i == 3u), e, i >= 4u);
}

// Returns the 96 bits of 2/pi that matter modulo 4 for finite |x| >= 2^11 as bits.
// There is no table and no normalising, because some drivers run both sides of a branch.
fn xla_two_over_pi(b: u32) -> vec3<u32> {
    // They begin with this bit of words of which the first is 0.
    let start = (b >> 23u) - 120u;
    let i = start >> 5u;
    let w0 = xla_pick(i, 0u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u);
    let w1 = xla_pick(i, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u);
    let w2 = xla_pick(i, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u);
    let w3 = xla_pick(i, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu);
    let shift = start & 31u;
    // Two shifts to the right, since one by 32 is not defined.
    let back = 31u - shift;
    return vec3<u32>(
        (w0 << shift) | ((w1 >> 1u) >> back),
        (w1 << shift) | ((w2 >> 1u) >> back),
        (w2 << shift) | ((w3 >> 1u) >> back),
    );
}

// Returns |x|'s distance from the nearest multiple of pi/2, as 62 bits of a fraction of
// pi/2 in two words, that multiple modulo 4, and the distance's sign bit. m are |x|'s
// significant bits, a their bits of 2/pi, and high is the high word of m a.z. The float
// nearest to a multiple (7.729179e28) misses it by 2^-29.9 of pi/2, by a search over all
// of them, so that 62 bits leave 32.
fn xla_large_turn(m: u32, a: vec3<u32>, high: u32) -> vec4<u32> {
    // m * a modulo 2^96 without the last word; the point is after two bits.
    let m1 = m * a.y;
    let p1 = m1 + high;
    let p0 = m * a.x + xla_mul_high(m, a.y) + select(0u, 1u, p1 < m1);
    // The fraction, to nearest: with its top bit set it is negative.
    let negative = (p0 >> 29u) & 1u;
    let quadrant = ((p0 >> 30u) + negative) & 3u;
    let flip = 0u - negative;
    return vec4<u32>(((p0 << 2u) | (p1 >> 30u)) ^ flip, (p1 << 2u) ^ flip, quadrant, negative << 31u);
}

// Does what xla_reduce_medium does, for finite |x| >= 2^11 as bits. M. H. Payne and
// R. N. Hanek, "Radian reduction for trigonometric functions", 1983: only the
// bits of 2/pi that matter modulo 4 are multiplied. A rough high word is enough.
fn xla_reduce_large(b: u32) -> vec3<u32> {
    let a = xla_two_over_pi(b);
    let m = (b & 0x007fffffu) | 0x00800000u;
    let turn = xla_large_turn(m, a, ((m >> 8u) * (a.z >> 16u)) >> 8u);
    let f0 = turn.x;
    let f1 = turn.y;
    // The fraction becomes floats of 12, 12 and 24 bits, times pi/2, whose first part has 12.
    let top = f32(i32(f0 >> 20u)) * 0x1p-12;
    let middle = f32(i32((f0 >> 8u) & 0xfffu)) * 0x1p-24;
    let last = f32(i32(((f0 & 0xffu) << 23u) | (f1 >> 9u))) * 0x1p-55;
    let hi = top * XLA_PIO2_1;
    let lo = middle * XLA_PIO2_1 + ((top + middle) * (XLA_PIO2_2 + XLA_PIO2_3) + last * XLA_PIO2_HI);
    return vec3<u32>(bitcast<u32>(hi) ^ turn.w, bitcast<u32>(lo) ^ turn.w, turn.z);
}

fn xla_reduce(b: u32) -> vec3<u32> {
    var r = xla_reduce_medium(bitcast<f32>(min(b, XLA_LARGE_ANGLE)));
    // A branch, since large arguments are rare.
    if (b >= XLA_LARGE_ANGLE) {
        r = xla_reduce_large(b);
    }
    return r;
}

// sin(x + turn pi/2) of a reduced x >= 0, as bits.
fn xla_sin_reduced(reduced: vec3<u32>, turn: u32) -> u32 {
    let hi = bitcast<f32>(reduced.x);
    let lo = bitcast<f32>(reduced.y);
    let quadrant = reduced.z + turn;
    let r = hi + lo;
    let z = r * r;
    // (C: sin) sin r = r + r^3 P(r^2)
    var p = 2.83251029e-6;
    p = p * z - 0.000198530644;
    p = p * z + 0.0083333794;
    p = p * z - 0.166666672;
    let sine = hi + xla_keep(lo + r * z * p);
    // (C: cos) cos r = 1 - r^2/2 + r^4 P(r^2)
    var q = 2.44306702e-5;
    q = q * z - 0.00138873013;
    q = q * z + 0.0416666456;
    let cosine = 1.0 - xla_keep(0.5 * z - z * z * q);
    let u = bitcast<u32>(select(sine, cosine, (quadrant & 1u) != 0u));
    return u ^ ((quadrant & 2u) << 30u);
}

// tan x of a reduced x >= 0, as bits.
fn xla_tan_reduced(reduced: vec3<u32>) -> u32 {
    let hi = bitcast<f32>(reduced.x);
    let lo = bitcast<f32>(reduced.y);
    let r = hi + lo;
    let z = r * r;
    // (C: tan) tan r = r + r^3 P(r^2)
    var p = 0.00438772654;
    p = p * z + 6.99554439e-05;
    p = p * z + 0.0108477045;
    p = p * z + 0.0212793872;
    p = p * z + 0.0540599748;
    p = p * z + 0.133326694;
    p = p * z + 0.333333492;
    let t = hi + (lo + r * z * p);
    let odd = (reduced.z & 1u) != 0u;
    return bitcast<u32>(select(t, xla_quotient(-1.0, t), odd));
}

// Returns u, or the magnitude bits b below 2^-12, where sine and tangent are their angle:
// its leading part would leave a rest that some adapters flush.
fn xla_unless_tiny(u: u32, b: u32) -> u32 {
    return select(u, b, b < 0x39800000u);
}

// Returns u, or a NaN made of the magnitude bits b where these are infinity or NaN.
fn xla_unless_infinite(u: u32, b: u32) -> u32 {
    return select(u, b | 0x7fc00000u, b >= 0x7f800000u);
}

fn xla_sin(x: f32) -> f32 {
    let b = xla_abs_bits(x);
    let u = xla_unless_tiny(xla_unless_infinite(xla_sin_reduced(xla_reduce(b), 0u), b), b);
    return bitcast<f32>(u ^ (bitcast<u32>(x) & 0x80000000u));
}

fn xla_cos(x: f32) -> f32 {
    let b = xla_abs_bits(x);
    return bitcast<f32>(xla_unless_infinite(xla_sin_reduced(xla_reduce(b), 1u), b));
}

fn xla_tan(x: f32) -> f32 {
    let b = xla_abs_bits(x);
    let u = xla_unless_tiny(xla_unless_infinite(xla_tan_reduced(xla_reduce(b)), b), b);
    return bitcast<f32>(u ^ (bitcast<u32>(x) & 0x80000000u));
}

// (C: atan) atan a for 0 <= a <= 1, without its leading a.
fn xla_atan_tail(a: f32) -> f32 {
    let z = a * a;
    var p = -0.00178250833;
    p = p * z + 0.0108676823;
    p = p * z - 0.0310957432;
    p = p * z + 0.0578806512;
    p = p * z - 0.0839928538;
    p = p * z + 0.109508783;
    p = p * z - 0.142640159;
    p = p * z + 0.199985296;
    p = p * z - 0.333332986;
    return a * z * p;
}

// atan |x| = pi/2 - atan(1/|x|) above 1.
fn xla_atan(x: f32) -> f32 {
    let b = xla_abs_bits(x);
    let ax = bitcast<f32>(b);
    let inverted = b > 0x3f800000u;
    var a = select(ax, xla_quotient(1.0, ax), inverted);
    a = select(a, 0.0, b >= 0x7f800000u);
    let tail = xla_atan_tail(a);
    let r = select(a + tail, XLA_PIO2_HI - (a + (tail - XLA_PIO2_LO)), inverted);
    let u = bitcast<u32>(r) | (bitcast<u32>(x) & 0x80000000u);
    return xla_keep_nan(bitcast<f32>(u), x);
}

// The angle of the point (x, y): atan of the smaller over the larger
// magnitude, turned into its octant. Special cases: C99, F.9.1.4.
fn xla_atan2(y: f32, x: f32) -> f32 {
    let xb = bitcast<u32>(x);
    let yb = bitcast<u32>(y);
    let xm = xb & 0x7fffffffu;
    let ym = yb & 0x7fffffffu;
    let large = max(xm, ym);
    let small = min(xm, ym);
    // Division is only accurate for divisors up to 2^126.
    let scale = select(1.0, 0x1p-64, large >= 0x5f800000u);
    var a = xla_quotient(bitcast<f32>(small) * scale, bitcast<f32>(large) * scale);
    a = select(a, 1.0, small == large);
    a = select(a, 0.0, (small == 0u) | ((large == 0x7f800000u) & (small < large)));
    let tail = xla_atan_tail(a);
    let steep = ym > xm;
    let left = xb >= 0x80000000u;
    // Either a, pi/2 - a, pi/2 + a or pi - a.
    let base_hi = select(select(0.0, XLA_PI_HI, left), XLA_PIO2_HI, steep);
    let base_lo = select(select(0.0, XLA_PI_LO, left), XLA_PIO2_LO, steep);
    let flip = select(0u, 0x80000000u, steep != left);
    let a_signed = bitcast<f32>(bitcast<u32>(a) ^ flip);
    let tail_signed = bitcast<f32>(bitcast<u32>(tail) ^ flip);
    let r = base_hi + (a_signed + (tail_signed + base_lo));
    var u = (bitcast<u32>(r) & 0x7fffffffu) | (yb & 0x80000000u);
    u = select(u, yb | 0x00400000u, ym > 0x7f800000u);
    u = select(u, xb | 0x00400000u, xm > 0x7f800000u);
    return bitcast<f32>(u);
}

// (C: asin) asin s = s + s^3 P(s^2) for s <= 1/2; this is P(z) z.
fn xla_asin_tail(z: f32) -> f32 {
    var p = 0.0422310643;
    p = p * z + 0.0241437666;
    p = p * z + 0.0454771072;
    p = p * z + 0.0749524832;
    p = p * z + 0.166667536;
    return p * z;
}

// Above 1/2, asin x = pi/2 - 2 asin(sqrt((1-x)/2)): Cody & Waite, chapter 10.
// The root is cut in two so that its leading part leaves pi/2 without error.
fn xla_asin(x: f32) -> f32 {
    let b = xla_abs_bits(x);
    let ax = bitcast<f32>(b);
    let outer = b > 0x3f000000u;
    let z = select(ax * ax, 0.5 - 0.5 * ax, outer);
    let s = select(ax, xla_root(max(z, 0.0)), outer);
    let tail = s * xla_asin_tail(z);
    let s_hi = xla_head(s);
    let s_lo = xla_keep(s - s_hi);
    let rest = xla_keep(2.0 * (s_lo + tail) - XLA_PIO2_LO);
    let r = select(s + tail, xla_keep(XLA_PIO2_HI - 2.0 * s_hi) - rest, outer);
    var u = bitcast<u32>(r) | (bitcast<u32>(x) & 0x80000000u);
    u = select(u, bitcast<u32>(x) | 0x7fc00000u, b > 0x3f800000u);
    return bitcast<f32>(u);
}

fn xla_acos(x: f32) -> f32 {
    let b = xla_abs_bits(x);
    let ax = bitcast<f32>(b);
    let negative = bitcast<u32>(x) >= 0x80000000u;
    let outer = b > 0x3f000000u;
    let z = select(ax * ax, 0.5 - 0.5 * ax, outer);
    let s = select(ax, xla_root(max(z, 0.0)), outer);
    let tail = s * xla_asin_tail(z);
    let twice = 2.0 * (s + tail);
    let r_outer = select(twice, XLA_PI_HI - (twice - XLA_PI_LO), negative);
    let signed_s = select(s, -s, negative);
    let signed_tail = select(tail, -tail, negative);
    let r_inner = XLA_PIO2_HI - (signed_s + (signed_tail - XLA_PIO2_LO));
    var u = bitcast<u32>(select(r_inner, r_outer, outer));
    u = select(u, bitcast<u32>(x) | 0x7fc00000u, b > 0x3f800000u);
    return bitcast<f32>(u);
}
