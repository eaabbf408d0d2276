// Quotient and square root by integers, for adapters whose own are not rounded
// correctly. Of the native ones only a first guess is taken, on significands,
// where nothing over- or underflows; its remainder is exact modulo 2^32, which
// tells how far off it is up to some 60 units in the last place (WGSL promises
// 2.5 for a quotient and about 5 for a root). Subnormals are what they are.

fn xla_quotient(a: f32, b: f32) -> f32 {
    let ab = bitcast<u32>(a);
    let bb = bitcast<u32>(b);
    let am = ab & 0x7fffffffu;
    let bm = bb & 0x7fffffffu;
    // n 2^shift / d lies in [2^23, 2^24).
    let a_parts = xla_significand(am);
    let b_parts = xla_significand(bm);
    let n = a_parts.x;
    let d = max(b_parts.x, 1u);
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
    let e = bitcast<i32>(a_parts.y) - bitcast<i32>(b_parts.y) + select(127, 126, less);
    // A quotient of 24 bits is never in the middle. Rounded up to 2^24, it carries into
    // the exponent.
    let normal = (clamp(e, 1, 254) << 23u) + bitcast<i32>(q - 0x00800000u)
        + select(0, 1, 2 * rest > bitcast<i32>(d));
    // A subnormal one has fewer bits, and may be in the middle: what is dropped is
    // compared with half a unit, and is more than its bits say where a rest is left.
    let drop = bitcast<u32>(clamp(1 - e, 1, 25));
    let kept = q >> drop;
    let dropped = (q & ((1u << drop) - 1u)) * 2u + select(0u, 1u, rest > 0) + (kept & 1u);
    let tiny = kept + select(0u, 1u, dropped > (1u << drop));

    let a_zero = am == 0u;
    let b_zero = bm == 0u;
    let a_inf = am == 0x7f800000u;
    let b_inf = bm == 0x7f800000u;
    var u = select(select(bitcast<u32>(normal), tiny, e < 1), 0u, a_zero | b_inf);
    u = select(u, 0x7f800000u, (e > 254) | b_zero | a_inf) | ((ab ^ bb) & 0x80000000u);
    u = select(u, u | 0x7fc00000u, (a_zero & b_zero) | (a_inf & b_inf));
    u = select(u, bb | 0x00400000u, bm > 0x7f800000u);
    u = select(u, ab | 0x00400000u, am > 0x7f800000u);
    return bitcast<f32>(u);
}

fn xla_root(x: f32) -> f32 {
    let b = bitcast<u32>(x);
    // n 2^shift is a square between 2^46 and 2^48, with an even power of 2 left.
    let significand = xla_significand(b & 0x7fffffffu);
    let n = max(significand.x, 1u);
    let e = bitcast<i32>(significand.y);
    let odd = (e & 1) == 1;
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
    var u = (bitcast<u32>((e + 127) >> 1u) << 23u) + (s - 0x00800000u);
    u = select(u, b, b == 0x7f800000u);
    u = select(u, b | 0x7fc00000u, ((b & 0x7fffffffu) > 0x7f800000u) | (b >= 0x80000000u));
    u = select(u, b, (b & 0x7fffffffu) == 0u);
    return bitcast<f32>(u);
}
