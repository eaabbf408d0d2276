// Integers to floats, to nearest, ties to even. Functions of other files call these where
// an integer of more than 24 bits becomes a float.
//
// This file is for adapters that round so, which a probe in src/calibration finds out, for
// WGSL leaves it open. Others take conversion_integer.wgsl instead.

fn xla_s32_to_f32(x: i32) -> f32 {
    return f32(x);
}

fn xla_u32_to_f32(x: u32) -> f32 {
    return f32(x);
}
