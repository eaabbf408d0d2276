// Quotient and square root by integers, for adapters whose own are not rounded
// correctly. Of the native ones only a first guess is taken, on significands,
// where nothing over- or underflows; its remainder is exact modulo 2^32, which
// tells how far off it is up to some 60 units in the last place (WGSL promises
// 2.5 for a quotient and about 5 for a root). Subnormals count as zero.

fn xla_quotient(a: f32, b: f32) -> f32 {
    let ab = bitcast<u32>(a);
    let bb = bitcast<u32>(b);
    let am = ab & 0x7fffffffu;
    let bm = bb & 0x7fffffffu;
    // n 2^shift / d lies in [2^23, 2^24).
    let n = (am & 0x007fffffu) | 0x00800000u;
    let d = (bm & 0x007fffffu) | 0x00800000u;
    let less = n < d;
    let shift = select(23u, 24u, less);
    let divisor = f32(d);
    var q = u32(f32(n) / divisor * select(0x1p+23, 0x1p+24, less));
    var rest = bitcast<i32>((n << shift) - q * d);
    let step = i32(floor(f32(rest) / divisor));
    q += bitcast<u32>(step);
    rest -= step * bitcast<i32>(d);
    // The step may be one off, too.
    let under = rest < 0;
    q = select(q, q - 1u, under);
    rest = select(rest, rest + bitcast<i32>(d), under);
    let over = rest >= bitcast<i32>(d);
    q = select(q, q + 1u, over);
    rest = select(rest, rest - bitcast<i32>(d), over);
    // A quotient is never in the middle. Rounded up to 2^24, it carries into the
    // exponent.
    q = select(q, q + 1u, 2 * rest > bitcast<i32>(d));
    let e = bitcast<i32>(am >> 23u) - bitcast<i32>(bm >> 23u) + select(127, 126, less);
    let r = (clamp(e, -1, 254) << 23u) + bitcast<i32>(q - 0x00800000u);

    let a_zero = am < 0x00800000u;
    let b_zero = bm < 0x00800000u;
    let a_inf = am == 0x7f800000u;
    let b_inf = bm == 0x7f800000u;
    var u = select(bitcast<u32>(r), 0u, (r < 0x00800000) | a_zero | b_inf);
    u = select(u, 0x7f800000u, (e > 254) | b_zero | a_inf) | ((ab ^ bb) & 0x80000000u);
    u = select(u, u | 0x7fc00000u, (a_zero & b_zero) | (a_inf & b_inf));
    u = select(u, bb | 0x00400000u, bm > 0x7f800000u);
    u = select(u, ab | 0x00400000u, am > 0x7f800000u);
    return bitcast<f32>(u);
}

fn xla_root(x: f32) -> f32 {
    let b = bitcast<u32>(x);
    let e = b >> 23u;
    // n 2^shift is a square between 2^46 and 2^48, with an even power of 2 left.
    let n = (b & 0x007fffffu) | 0x00800000u;
    let odd = (e & 1u) == 1u;
    let shift = select(24u, 23u, odd);
    let guess = sqrt(f32(n) * select(0x1p+24, 0x1p+23, odd));
    var s = u32(guess);
    // One step of Newton's method; its second term is far below 1 where the guess
    // is good.
    let first = bitcast<i32>((n << shift) - s * s);
    s += bitcast<u32>(i32(round(0.5 * f32(first) / guess)));
    // s is nearest where -s < rest <= s: (s + 1/2)^2 = s^2 + s + 1/4.
    let rest = bitcast<i32>((n << shift) - s * s);
    s = select(s, s + 1u, rest > bitcast<i32>(s));
    s = select(s, s - 1u, rest <= -bitcast<i32>(s));
    var u = (((e + 127u) >> 1u) << 23u) + (s - 0x00800000u);
    u = select(u, b & 0x80000000u, (b & 0x7fffffffu) < 0x00800000u);
    u = select(u, b, b == 0x7f800000u);
    u = select(u, b | 0x7fc00000u, ((b & 0x7fffffffu) > 0x7f800000u) | (b >= 0x80800000u));
    return bitcast<f32>(u);
}
