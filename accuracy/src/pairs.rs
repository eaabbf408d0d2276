//! Makes pairs of operands for functions of two. They are numbered, so that any part of them can be
//! made alone.
//!
//! First come all pairs of the special values, then pairs of eight kinds by turns. What a kind
//! aims at is a property of some operation; all of them serve every operation.

use crate::special::{self, mix};

/// The number of pairs.
pub const COUNT: u64 = 1 << 32;

/// The number of pairs of special values.
pub const SPECIAL: u64 = (special::COUNT * special::COUNT) as u64;

const SIGN: u32 = 0x8000_0000;
const FRACTION: u32 = 0x007f_ffff;

/// Makes pairs.
#[derive(Debug)]
pub struct Pairs {
    special: Vec<u32>,
}

impl Default for Pairs {
    fn default() -> Self {
        Self { special: special::values() }
    }
}

impl Pairs {
    /// Returns the pair of this number, as bits.
    pub fn get(&self, number: u64) -> [u32; 2] {
        if number < SPECIAL {
            let (i, j) = (number as usize / special::COUNT, number as usize % special::COUNT);
            return [self.special[i], self.special[j]];
        }
        let (kind, place) = (number % 8, number / 8);
        let random = mix(number);
        match kind {
            0 | 1 => every_exponent(place, random),
            2 => moderate(random),
            3 => near(random),
            4 => multiple(random),
            5 => at_the_ends(place, random),
            6 => midpoint(place, random),
            _ => powers(place, random),
        }
    }
}

/// Returns a float's bits, of a sign, an exponent field and a fraction.
fn float(sign: u64, exponent: u32, fraction: u64) -> u32 {
    ((sign as u32 & 1) << 31) | ((exponent & 0xff) << 23) | (fraction as u32 & FRACTION)
}

/// Returns all pairs of exponents equally often, signs and fractions at random; some fractions have
/// few bits, or few that are 0, so that sums and products come out even.
fn every_exponent(place: u64, random: u64) -> [u32; 2] {
    let (mut a, mut b) = (random, random >> 23);
    match random >> 60 {
        0 => a &= 0x7ff0_0000,
        1 => b &= 0x7ff0_0000,
        2 => (a, b) = (a & 0x7ff_f000, b & 0x7ff_f000),
        3 => (a, b) = (a | 0xfff, b | 0xfff),
        _ => {}
    }
    let (ea, eb) = (place as u32 & 0xff, (place >> 8) as u32 & 0xff);
    [float(random >> 58, ea, a), float(random >> 59, eb, b)]
}

/// Returns numbers from 2^-12 to 2^12, where results are also numbers.
fn moderate(random: u64) -> [u32; 2] {
    let exponent = |bits: u64| 115 + (bits % 24) as u32;
    [
        float(random >> 58, exponent(random >> 46), random),
        float(random >> 59, exponent(random >> 51), random >> 23),
    ]
}

/// Returns neighbours, of both signs: sums that cancel, quotients near 1, angles near pi/4.
fn near(random: u64) -> [u32; 2] {
    let a = random as u32;
    let reach = 1 << (random >> 59 & 0xf);
    let steps = (random >> 32) as i32 % reach;
    let b = a.wrapping_add_signed(steps);
    [a, b ^ if random >> 63 == 0 { 0 } else { SIGN }]
}

/// Returns numbers and about a multiple, or a simple fraction, of them.
fn multiple(random: u64) -> [u32; 2] {
    let a = f32::from_bits(random as u32);
    let numerator = (random >> 32 & 0xff) as f64 + 1.0;
    let denominator = (random >> 40 & 0xf) as f64 + 1.0;
    let b = ((f64::from(a) * numerator / denominator) as f32).to_bits();
    let b = b.wrapping_add_signed((random >> 44 & 3) as i32 - 1);
    if random >> 63 == 0 { [a.to_bits(), b] } else { [b, a.to_bits()] }
}

/// Returns pairs whose sum, product, quotient or power is about where results overflow, become
/// subnormal, or vanish.
fn at_the_ends(place: u64, random: u64) -> [u32; 2] {
    let a = f64::from(f32::from_bits(float(0, 1 + (random >> 32) as u32 % 254, random)));
    let exponent = [128.0, -126.0, -149.0, 127.0][place as usize % 4];
    // Within some 2^-10 to 2^-24 of it.
    let off =
        ((random >> 40 & 0xffff) as f64 - 32768.0) / 2f64.powi(25 + (random >> 56 & 7) as i32);
    let end = exponent + off;
    let b = match place / 4 % 4 {
        0 => end.exp2() - a,
        1 => end.exp2() / a,
        2 => a / end.exp2(),
        _ => end / a.log2(),
    };
    let sign = (random >> 62) as u32 & 1;
    [(a as f32).to_bits() | sign << 31, (b as f32).to_bits() ^ (random >> 63 << 31) as u32]
}

/// Returns pairs whose sum, product or quotient lies on or beside the middle between two floats.
fn midpoint(place: u64, random: u64) -> [u32; 2] {
    let exponent = |bits: u64| 64 + (bits & 0x7f) as u32;
    let (ea, eb) = (exponent(random >> 46), exponent(random >> 53));
    let signs = (random >> 62, random >> 63);
    match place % 3 {
        // The second number is half a ULP of the first one and a little.
        0 => {
            let gap = 23 + (random >> 60 & 1) as u32;
            let fraction = if random >> 61 & 1 == 0 { random >> 23 & 3 } else { random >> 23 };
            [float(signs.0, ea, random), float(signs.1, ea - gap, fraction)]
        }
        // 12 bits by 13 are a product of 25.
        1 => {
            let (a, b) = ((random & 0x7ff) << 12, (random >> 12 & 0xfff) << 11);
            [float(signs.0, ea, a | 1 << 12), float(signs.1, eb, b | 1 << 11)]
        }
        // A quotient of 25 bits times a number, rounded.
        _ => {
            let b = float(signs.1, eb, random);
            let quotient = f64::from(f32::from_bits(float(signs.0, 127, random >> 23)));
            let middle = quotient + 2f64.powi(-24).copysign(quotient);
            [((middle * f64::from(f32::from_bits(b))) as f32).to_bits(), b]
        }
    }
}

/// Returns bases and exponents whose power is a number: over the whole range, near 1, and with
/// integers and halves as exponents, under bases of both signs.
fn powers(place: u64, random: u64) -> [u32; 2] {
    let unit = |bits: u64| (bits & 0xff_ffff) as f64 / 2f64.powi(24);
    // The result's binary logarithm, from -150 to 129.
    let result = unit(random) * 279.0 - 150.0;
    let sign = (random >> 63 << 31) as u32;
    match place % 4 {
        0 => {
            let base = f32::from_bits(float(0, 1 + (random >> 24) as u32 % 254, random >> 32));
            let exponent = result / f64::from(base).log2();
            [base.to_bits(), (exponent as f32).to_bits()]
        }
        1 => {
            let distance = 2f64.powi(-((random >> 24 & 31) as i32).min(24)) * unit(random >> 29);
            let base = (1.0 + distance * if random >> 62 & 1 == 0 { 1.0 } else { -0.5 }) as f32;
            let exponent = result / f64::from(base).log2();
            [base.to_bits(), (exponent as f32).to_bits()]
        }
        2 => {
            let exponent = (random >> 24 & 0x7f) as f64 - 63.5 + 0.5 * (random >> 31 & 1) as f64;
            let base = (result / exponent).exp2() as f32;
            [base.to_bits() | sign, (exponent as f32).to_bits()]
        }
        // Exponents about 2^23 and 2^24, where the last bit says whether a float is odd or whole.
        _ => {
            let exponent = 0x4a00_0000 + (random >> 24 & 0x1ff_ffff) as u32;
            let base = (result / f64::from(f32::from_bits(exponent))).exp2() as f32;
            [base.to_bits() | sign, exponent ^ ((random >> 62 & 1) << 31) as u32]
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Returns the first pairs after the special ones.
    fn sample() -> impl Iterator<Item = [f32; 2]> {
        let pairs = Pairs::default();
        (SPECIAL..SPECIAL + (1 << 20)).map(move |number| pairs.get(number).map(f32::from_bits))
    }

    #[test]
    fn special_values_meet_each_other() {
        let pairs = Pairs::default();
        let firsts: BTreeSet<[u32; 2]> = (0..4096).map(|number| pairs.get(number)).collect();
        assert_eq!(firsts.len(), 4096);
        assert_eq!(pairs.get(SPECIAL - 1), [0xffff_ffff; 2]);
    }

    #[test]
    fn all_exponents_meet_each_other() {
        let exponent = |x: f32| (x.to_bits() >> 23) & 0xff;
        let met: BTreeSet<(u32, u32)> = sample().map(|[a, b]| (exponent(a), exponent(b))).collect();
        assert_eq!(met.len(), 256 * 256);
    }

    #[test]
    fn kinds_reach_what_they_aim_at() {
        let mut counts = [0; 5];
        for [a, b] in sample() {
            let [wide_a, wide_b] = [f64::from(a), f64::from(b)];
            let middle = |x: f64| x.to_bits().trailing_zeros() == 28 && x.is_normal();
            let end = |x: f64| (x.abs().log2() - 128.0).abs() < 1e-3;
            counts[0] += usize::from(middle(wide_a * wide_b));
            counts[1] += usize::from(middle(wide_a + wide_b));
            counts[2] += usize::from(end(wide_a * wide_b) || end(wide_a / wide_b));
            counts[3] += usize::from(end(wide_a.powf(wide_b)));
            let power = wide_a.powf(wide_b);
            counts[4] += usize::from(power != 1.0 && (1e-37..1e37).contains(&power.abs()));
        }
        assert!(
            counts.iter().zip([10_000, 10_000, 5_000, 2_000, 80_000]).all(|(n, m)| *n > m),
            "{counts:?}"
        );
    }
}
