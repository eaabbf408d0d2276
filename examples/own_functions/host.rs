//! The operands, and what the host computes of them, each for a row and a column.

/// The columns after which the values of [`of_row`] begin anew.
const PERIOD: usize = 96;

pub(crate) fn at(row: usize, column: usize) -> f32 {
    ((row * PERIOD + column) % 257) as f32 / 128.5 - 1.0
}

pub(crate) fn of_row(column: usize) -> f32 {
    (column % PERIOD) as f32 / PERIOD as f32
}

pub(crate) fn squared_diff(row: usize, column: usize) -> f32 {
    (at(row, column) - of_row(column)).powi(2)
}

pub(crate) fn leaky(row: usize, column: usize) -> f32 {
    let x = at(row, column);
    if x > 0.0 { x.min(0.75) } else { 0.1 * x }
}

pub(crate) fn huber(row: usize, column: usize) -> f32 {
    let e = (at(row, column) - of_row(column)).abs();
    if e <= 0.5 { 0.5 * e * e } else { 0.5 * (e - 0.25) }
}

pub(crate) fn smooth(row: usize, column: usize) -> f32 {
    let t = (at(row, column) + 0.5).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

pub(crate) fn uniform_of(x: u32, y: u32) -> f32 {
    let x = x.wrapping_add(y.wrapping_mul(1_664_525));
    let state = x.wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let word = ((state >> ((state >> 28) + 4)) ^ state).wrapping_mul(277_803_737);
    (((word >> 22) ^ word) >> 8) as f32 / 16_777_216.0
}

pub(crate) fn noise(row: usize, column: usize) -> f32 {
    let (x, y) = (column as f32 / 8.0, row as f32 / 8.0);
    let (left, top) = (x as u32, y as u32);
    let fade = |t: f32| t * t * (3.0 - 2.0 * t);
    let mix = |a: f32, b: f32, t: f32| a + (b - a) * t;
    let along = |y: u32| mix(uniform_of(left, y), uniform_of(left + 1, y), fade(x.fract()));
    mix(along(top), along(top + 1), fade(y.fract()))
}

pub(crate) fn morton(row: usize, column: usize) -> f32 {
    let pair = |bit: usize| (column >> bit & 1) | (row >> bit & 1) << 1;
    (0..8).map(|bit| pair(bit) << (2 * bit)).sum::<usize>() as f32 / 16384.0
}

pub(crate) fn escape(row: usize, column: usize) -> f32 {
    let (x, y) = (at(row, column), of_row(column));
    let square = |(a, b): (f32, f32)| (a * a - b * b + x, 2.0 * a * b + y);
    let (re, im) = square(square((x, y)));
    re.hypot(im)
}

pub(crate) fn linear(row: usize, column: usize) -> f32 {
    let v = at(row, column).abs();
    if v <= 0.04045 { v / 12.92 } else { ((v + 0.055) / 1.055).powf(2.4) }
}
