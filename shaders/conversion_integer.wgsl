// Integers to floats, to nearest, ties to even, for adapters that round otherwise: they are
// rounded to 24 bits as integers, which every adapter converts exactly.

fn xla_u32_to_f32(x: u32) -> f32 {
    let dropped = 8u - min(countLeadingZeros(x), 8u);
    let unit = 1u << dropped;
    let whole = x & ~(unit - 1u);
    // Twice the rest is more than a unit, or as much where the last bit kept is odd.
    let up = 2u * (x - whole) + ((x >> dropped) & 1u) > unit;
    // The sum is exact, 2^32 too.
    return f32(whole) + select(0.0, f32(unit), up);
}

fn xla_s32_to_f32(x: i32) -> f32 {
    let r = xla_u32_to_f32(bitcast<u32>(select(x, -x, x < 0)));
    return select(r, -r, x < 0);
}
