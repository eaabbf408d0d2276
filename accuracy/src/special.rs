//! Values at which functions change, near which errors are likely.

use std::collections::BTreeSet;

/// The number of special values of which pairs are made, each with each.
pub const COUNT: usize = 4096;

/// The shaders, whose numbers are the functions' own thresholds.
const SHADERS: &[&str] = &[
    include_str!("../../shaders/division.wgsl"),
    include_str!("../../shaders/division_f64.wgsl"),
    include_str!("../../shaders/division_integer.wgsl"),
    include_str!("../../shaders/exact.wgsl"),
    include_str!("../../shaders/exp_log.wgsl"),
    include_str!("../../shaders/hyperbolic.wgsl"),
    include_str!("../../shaders/pair.wgsl"),
    include_str!("../../shaders/special.wgsl"),
    include_str!("../../shaders/trig.wgsl"),
];

/// One splitmix64 step (Guy Steele, Doug Lea and Christine Flood, "Fast splittable pseudorandom
/// number generators", 2014): numbers without a pattern from numbers in a row.
pub fn mix(x: u64) -> u64 {
    let x = x.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Returns the values of which all pairs are measured: zeros, infinities, NaN, powers of two and
/// their neighbours, integers and halves, the ends of the ranges of functions; the rest are numbers
/// of all exponents. As bits, in ascending order.
pub fn values() -> Vec<u32> {
    let mut magnitudes: BTreeSet<u32> = [0, 1, 2, 0x0040_0000, 0x007f_ffff].into();
    // Quiet and signalling NaN, and infinity.
    magnitudes.extend([0x7f80_0000, 0x7f80_0001, 0x7fc0_0000, 0x7fff_ffff]);
    // The neighbours of infinity are the largest number and a NaN.
    for exponent in 1..=255u32 {
        let power = exponent << 23;
        magnitudes.extend([power - 1, power, power + 1]);
    }
    for n in 1..=48u8 {
        magnitudes.extend([f32::from(n).to_bits(), (f32::from(n) + 0.5).to_bits()]);
    }
    for value in landmarks() {
        let bits = (value as f32).to_bits();
        magnitudes.extend([bits - 1, bits, bits + 1]);
    }
    let mut seed = 0;
    while magnitudes.len() < COUNT / 2 {
        let exponent = (seed % 254 + 1) as u32;
        magnitudes.insert(exponent << 23 | (mix(seed) as u32 & 0x007f_ffff));
        seed += 1;
    }
    let magnitudes: Vec<u32> = magnitudes.into_iter().take(COUNT / 2).collect();
    [0, 0x8000_0000].iter().flat_map(|sign| magnitudes.iter().map(move |m| m | sign)).collect()
}

/// Returns numbers at which some function of two overflows, underflows, or turns.
fn landmarks() -> Vec<f64> {
    use std::f64::consts::{E, LN_2, PI, SQRT_2};
    let max = f64::from(f32::MAX);
    let least = f64::from(f32::MIN_POSITIVE);
    let tiny = 2f64.powi(-149);
    let mut landmarks = vec![E, LN_2, SQRT_2, 1.0 / E, 2f64.sqrt() / 2.0, 1e-3, 0.1, 1e3, 1e10];
    landmarks.extend((1..=16).map(|k| f64::from(k) * PI / 4.0));
    landmarks.extend([2u8, 3, 5, 7].map(|n| PI / f64::from(n)));
    for end in [max, least, tiny] {
        landmarks.extend([end.ln().abs(), end.log2().abs(), end.sqrt(), end.cbrt()]);
    }
    for step in 1..=24 {
        let near = 2f64.powi(-step);
        landmarks.extend([1.0 + near, 1.0 - near]);
    }
    for k in 22..=26 {
        landmarks.extend([2f64.powi(k) - 1.0, 2f64.powi(k) + 2.0, 1.5 * 2f64.powi(k)]);
    }
    landmarks
}

/// Returns operands of one argument that the sampled sweep adds to its stride: special values and
/// all numbers that the shaders name, with their neighbours. As bits.
pub fn boundaries() -> Vec<u32> {
    let mut bits: BTreeSet<u32> = values().into_iter().collect();
    bits.extend(SHADERS.iter().flat_map(|text| numbers(text)));
    let mut near = BTreeSet::new();
    for bits in bits {
        let magnitude = bits & 0x7fff_ffff;
        for magnitude in magnitude.saturating_sub(2)..=(magnitude + 2).min(0x7fff_ffff) {
            near.extend([magnitude, magnitude | 0x8000_0000]);
        }
    }
    near.into_iter().collect()
}

/// Returns the floats that a shader's text names: as decimal or hexadecimal numbers, or by their
/// bits.
fn numbers(text: &str) -> Vec<u32> {
    let word = |c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '_');
    let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    let words = code.flat_map(|line| line.split(word));
    words.filter(|word| word.starts_with(|c: char| c.is_ascii_digit())).filter_map(number).collect()
}

fn number(word: &str) -> Option<u32> {
    let Some(hex) = word.strip_prefix("0x") else {
        let digits = word.trim_end_matches(['u', 'f']);
        // Exponents are cut off at their sign, which costs a power of ten at most.
        let digits = digits.trim_end_matches('e');
        return Some(digits.parse::<f32>().ok()?.to_bits());
    };
    if let Some(bits) = hex.strip_suffix('u') {
        return u32::from_str_radix(bits, 16).ok();
    }
    // The significand alone; powers of two are among the special values.
    let digits: String = hex.split('p').next()?.chars().filter(|&c| c != '.').collect();
    let significand = u64::from_str_radix(&digits, 16).ok()? as f32;
    let places = hex.split('p').next()?.split_once('.').map_or(0, |(_, after)| after.len());
    Some((significand * 16f32.powi(-(places as i32))).to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_as_many_as_said() {
        let values = values();
        let distinct: BTreeSet<u32> = values.iter().copied().collect();
        assert_eq!((values.len(), distinct.len()), (COUNT, COUNT));
        for value in [0.0, -0.0, 1.0, -1.5, f32::INFINITY, f32::MIN_POSITIVE, f32::MAX, 88.722_84] {
            assert!(distinct.contains(&value.to_bits()), "{value}");
        }
    }

    #[test]
    fn boundaries_hold_the_shaders_thresholds() {
        let boundaries: BTreeSet<u32> = boundaries().into_iter().collect();
        // The number in trig.wgsl from which angles are large.
        assert!(boundaries.contains(&0x4540_0000) && boundaries.contains(&0xc53f_ffff));
        assert!(numbers("let x = min(ax, 4.0) - 0.91; // 7.5").contains(&0.91f32.to_bits()));
        let found = numbers("0x1.8p-9 + bitcast<f32>(0x3fc12345u)");
        assert!(found.contains(&1.5f32.to_bits()) && found.contains(&0x3fc1_2345));
    }
}
