// Conversions between floats and 64-bit magnitudes of two words (x = low, y = high), which both ways
// to compute on S64 and U64 (long_native.wgsl, long_words.wgsl) share.

// Returns the leading 32 bits of a magnitude, with the last one set if any further bit is, and
// the number of leading zeros. To round these to 24 bits or fewer is to round the whole.
fn xla_leading_word(m: vec2<u32>) -> vec2<u32> {
    let small = m.y == 0u;
    let high = select(m.y, m.x, small);
    let low = select(m.x, 0u, small);
    let zeros = countLeadingZeros(high);
    let n = zeros & 31u;
    let top = (high << n) | ((low >> 1u) >> (31u - n));
    return vec2<u32>(top | select(0u, 1u, (low << n) != 0u), zeros + select(0u, 32u, small));
}

// Nearest, ties to even.
fn xla_magnitude_to_f32(m: vec2<u32>) -> f32 {
    let leading = xla_leading_word(m);
    return xla_u32_to_f32(leading.x) * bitcast<f32>((159u - leading.y) << 23u);
}

// Rounds to odd: truncates, and sets the last bit if that lost anything. To round the result once
// more, to a shorter format, gives the integer rounded once (Boldo and Melquiond, "When double
// rounding is odd").
fn xla_magnitude_to_f32_odd(m: vec2<u32>) -> f32 {
    let leading = xla_leading_word(m);
    let lost = (leading.x & 0xffu) != 0u;
    let top = (leading.x & 0xffffff00u) | select(0u, 0x100u, lost);
    return f32(top) * bitcast<f32>((159u - leading.y) << 23u);
}

// Truncates |x| to an integer of at most 2^64-1; NaN gives 0.
fn xla_f32_to_magnitude(x: f32) -> vec2<u32> {
    let b = xla_abs_bits(x);
    let top = (b << 8u) | 0x80000000u;
    // The shift that moves the leading bit from bit 63 to its position.
    let down = 190 - bitcast<i32>(b >> 23u);
    let n = bitcast<u32>(down) & 31u;
    var r = vec2<u32>((top << 1u) << (31u - n), top >> n);
    r = select(r, vec2<u32>(top >> n, 0u), down >= 32);
    r = select(r, vec2<u32>(0u), (down >= 64) | (b > 0x7f800000u));
    return select(r, vec2<u32>(0xffffffffu), (down < 0) & (b <= 0x7f800000u));
}

// Does the same with an f64, in a 64-bit integer, which every adapter with f64 has.
fn xla_f64_to_magnitude(x: f64) -> u64 {
    let b = bitcast<u64>(x) & 0x7ffffffffffffffflu;
    let top = (b << 11u) | 0x8000000000000000lu;
    let down = 1086 - bitcast<i32>(u32(b >> 52u));
    let nan = b > 0x7ff0000000000000lu;
    let r = select(top >> (bitcast<u32>(down) & 63u), 0lu, (down >= 64) | nan);
    return select(r, 0xfffffffffffffffflu, (down < 0) & !nan);
}
