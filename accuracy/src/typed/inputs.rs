//! The operands that are measured. They are numbered, so that any part of them can be made alone.

use std::collections::BTreeSet;
use std::f64::consts::{E, FRAC_PI_2, LN_2};

use indim::ElementType;

use crate::special::mix;

const SIGN: u64 = 1 << 63;
const FRACTION: u64 = (1 << 52) - 1;
/// The number of special values of F64 of which pairs are made, each with each.
const SPECIAL: u64 = 1024;

/// The shaders whose numbers are the functions' own thresholds.
const SHADERS: &[&str] = &[
    include_str!("../../../shaders/double.wgsl"),
    include_str!("../../../shaders/double_exp_log.wgsl"),
    include_str!("../../../shaders/double_hyperbolic.wgsl"),
    include_str!("../../../shaders/double_special.wgsl"),
    include_str!("../../../shaders/double_trig.wgsl"),
];

/// Makes operands.
#[derive(Debug)]
pub struct Inputs {
    boundaries: Vec<u64>,
    special: Vec<u64>,
}

impl Default for Inputs {
    fn default() -> Self {
        let boundaries = boundaries();
        let chosen =
            [0.0, 1.0, 0.5, 2.0, 3.0, f64::MIN_POSITIVE, f64::MAX, f64::INFINITY, f64::NAN];
        let mut special: Vec<u64> =
            chosen.iter().flat_map(|x| [x.to_bits(), (-x).to_bits()]).collect();
        special.push(1);
        let left = SPECIAL as usize - special.len();
        special.extend(boundaries.iter().step_by(boundaries.len() / left).take(left));
        Self { boundaries, special }
    }
}

impl Inputs {
    /// Returns how many operands of this type there are, or as many as are asked for.
    pub fn count(element_type: ElementType, asked: u64) -> u64 {
        match element_type {
            ElementType::F16 | ElementType::Bf16 => 1 << 16,
            ElementType::F64 | ElementType::S64 | ElementType::U64 => asked,
            _ => asked.min(1 << 32),
        }
    }

    /// Returns the operand of this number: of up to 32 bits each of them once, without a pattern.
    pub fn unary(&self, element_type: ElementType, number: u64) -> u64 {
        match element_type {
            ElementType::F16 | ElementType::Bf16 => number,
            ElementType::F64 => match self.boundaries.get(number as usize) {
                Some(&bits) => bits,
                None => stratified(number),
            },
            // Values have all sizes equally often, and both signs.
            ElementType::S64 | ElementType::U64 => {
                let bits = mix(number) >> (number / 2 % 64);
                if number.is_multiple_of(2) { bits } else { bits.wrapping_neg() }
            }
            _ => number.wrapping_mul(0x9e37_79b1) & 0xffff_ffff,
        }
    }

    /// Returns the pair of this number. Of 16 bits, 2^32 are all pairs.
    pub fn pair(&self, element_type: ElementType, number: u64) -> [u64; 2] {
        if element_type != ElementType::F64 {
            let bits = permuted(number as u32);
            return [u64::from(bits >> 16), u64::from(bits & 0xffff)];
        }
        if number < SPECIAL * SPECIAL {
            let of = |i: u64| self.special[i as usize % self.special.len()];
            return [of(number / SPECIAL), of(number % SPECIAL)];
        }
        let (a, b) = (mix(number), mix(!number));
        match number % 6 {
            0 => [a, b],
            1 => [moderate(a), moderate(b)],
            // Neighbours of both signs.
            2 => [a, a.wrapping_add_signed((b >> 32) as i64 % (1 << (b % 30))) ^ (b << 63)],
            3 => ends(a, b),
            4 => middle(a, b),
            _ => powers(a, b),
        }
    }
}

/// Permutes the 32-bit numbers: every step can be undone.
fn permuted(number: u32) -> u32 {
    let x = number.wrapping_mul(0x9e37_79b1);
    let x = (x ^ (x >> 15)).wrapping_mul(0x85eb_ca6b);
    x ^ (x >> 13)
}

/// Returns a number from 2^-12 to 2^12.
fn moderate(random: u64) -> u64 {
    random & (SIGN | FRACTION) | (1011 + (random >> 52) % 24) << 52
}

fn unit(random: u64) -> f64 {
    (random >> 11) as f64 / (1u64 << 53) as f64
}

fn signed(x: f64, random: u64) -> u64 {
    x.to_bits() ^ (random << 63)
}

/// Returns operands of one argument by kinds that take turns, each aimed at where some function
/// changes.
fn stratified(number: u64) -> u64 {
    let random = mix(number);
    let more = mix(random);
    match number % 8 {
        // Every exponent as often.
        0 | 1 => (number / 8 % 2048) << 52 | random & (SIGN | FRACTION),
        2 => moderate(random),
        // Half of the values are where exponentials are in range, half where they are of moderate
        // size.
        3 => signed(unit(random) * if more & 2 == 0 { 760.0 } else { 40.0 }, more),
        4 => signed(unit(random), more),
        // Near 1 and near integers.
        5 => {
            let whole = (more >> 8) % [2, 50][(more >> 1) as usize & 1];
            let off = 2f64.powi(-((more >> 20) as i32 & 63)) * unit(random);
            signed(whole as f64 + if more & 4 == 0 { off } else { -off }, more)
        }
        // Near multiples of pi/2, the closer the fewer.
        6 => {
            let multiple = (more >> 8) >> (8 + (more >> 1) % 48);
            let near = (multiple as f64 * FRAC_PI_2).to_bits();
            signed(f64::from_bits(near + random % (1 << (random >> 58 & 31))), more)
        }
        // Below 40, where the gamma functions turn, by all sizes.
        _ => signed(40.0 * unit(random) * 2f64.powi(-((more >> 20) as i32 & 31)), more),
    }
}

/// Returns pairs whose sum, product, quotient or power is about where results overflow or become
/// subnormal.
fn ends(random: u64, more: u64) -> [u64; 2] {
    let a = f64::from_bits(random & !SIGN & !(1 << 62)) * 2f64.powi((more % 1000) as i32);
    let end = [1024.0, -1022.0, -1074.0, 1023.0][more as usize >> 10 & 3];
    let off = (unit(more) - 0.5) * 2f64.powi(-((more >> 12) as i32 & 31));
    let power = 2f64.powf((end + off) / 2.0);
    let b = match more >> 17 & 3 {
        0 => power * power - a,
        1 => power / a * power,
        2 => a / power / power,
        _ => (end + off) / a.log2(),
    };
    [signed(a, random), signed(b, more >> 20)]
}

/// Returns pairs whose sum or product lies on or beside the middle between two numbers.
fn middle(random: u64, more: u64) -> [u64; 2] {
    let exponent = |bits: u64| (523 + bits % 1000) << 52;
    let a = exponent(random >> 52) | random & (SIGN | FRACTION);
    if more & 1 == 0 {
        // Half a ULP and a little.
        let gap = 53 << 52;
        let fraction = if more & 2 == 0 { more >> 8 & 3 } else { more & FRACTION };
        return [a, ((a & 0x7ff0_0000_0000_0000) - gap) | fraction | more & SIGN];
    }
    // 27 bits by 27 are a product of 54.
    let head = FRACTION << 26 & FRACTION;
    let last = 1 << 26;
    [a & !FRACTION | a & head | last, exponent(more >> 4) | more >> 8 & head | last]
}

/// Returns bases and exponents whose power is a number.
fn powers(random: u64, more: u64) -> [u64; 2] {
    let result = unit(more) * 2100.0 - 1075.0;
    let base = match more & 3 {
        0 => f64::from_bits((random & !SIGN).min(0x7fef_ffff_ffff_ffff)),
        1 => 1.0 + (unit(random) - 0.5) * 2f64.powi(-((more >> 2) as i32 & 51)),
        _ => f64::from_bits(moderate(random) & !SIGN),
    };
    if more & 3 == 3 {
        // Integers and halves, also where the last bit says whether one is odd.
        let exponent = ((random >> 3) >> (more >> 8 & 63)) as f64 * 0.5;
        return [signed((result / exponent).exp2(), more >> 20), signed(exponent, more >> 21)];
    }
    [base.to_bits(), (result / base.log2()).to_bits()]
}

/// Returns values at which functions of F64 change, with their neighbours and with both signs.
fn boundaries() -> Vec<u64> {
    let mut values: BTreeSet<u64> = [0, 1, 2, FRACTION, 1 << 51].into();
    // Infinity, quiet and signalling NaN.
    values.extend([0x7ff0_0000_0000_0000, 0x7ff0_0000_0000_0001, 0x7ff8_0000_0000_0000]);
    values.extend((1..=2046u64).map(|exponent| exponent << 52));
    let mut landmarks = vec![E, LN_2, 6_381_956_970_095_103.0 * 2f64.powi(797), 709.78, 745.13];
    landmarks.extend((1..=64).flat_map(|n| [f64::from(n), f64::from(n) + 0.5]));
    landmarks.extend((1..=64).map(|k| f64::from(k) * FRAC_PI_2));
    for step in 1..=53 {
        landmarks.extend([1.0 + 2f64.powi(-step), 1.0 - 2f64.powi(-step)]);
    }
    values.extend(landmarks.into_iter().map(f64::to_bits));
    values.extend(SHADERS.iter().flat_map(|text| numbers(text)));
    let mut near = BTreeSet::new();
    for bits in values {
        for bits in bits.saturating_sub(1)..=bits + 1 {
            near.extend([bits & !SIGN, bits | SIGN]);
        }
    }
    near.into_iter().collect()
}

/// Returns the numbers that a shader's text has as decimal ones.
fn numbers(text: &str) -> Vec<u64> {
    let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    let word = |c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_'));
    code.flat_map(|line| line.split(word))
        .filter_map(|word| word.strip_suffix("lf")?.parse::<f64>().ok())
        .map(|x| x.to_bits() & !SIGN)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_pairs_of_16_bits_are_there_once() {
        // The numbers are permuted, so that no two of a sample are the same.
        let met: BTreeSet<u32> = (0..1 << 20).map(|number| permuted(number << 12 | 5)).collect();
        assert_eq!(met.len(), 1 << 20);
        let inputs = Inputs::default();
        let [a, b] = inputs.pair(ElementType::F16, 12345);
        assert!(a < 1 << 16 && b < 1 << 16);
    }

    #[test]
    fn kinds_reach_what_they_aim_at() {
        let inputs = Inputs::default();
        let start = inputs.boundaries.len() as u64;
        let exponents: BTreeSet<u64> = (start..start + (1 << 18))
            .map(|number| inputs.unary(ElementType::F64, number) >> 52)
            .collect();
        assert_eq!(exponents.len(), 4096);
        assert!(inputs.boundaries.contains(&1f64.to_bits()));
        // The number in double_special.wgsl at which erf_inv's tail begins.
        assert!(inputs.boundaries.contains(&0.984_785f64.to_bits()));
        let mut counts = [0; 4];
        for number in SPECIAL * SPECIAL..SPECIAL * SPECIAL + (1 << 16) {
            let [a, b] = inputs.pair(ElementType::F64, number).map(f64::from_bits);
            let power = a.powf(b);
            counts[0] += usize::from(power.is_normal() && power != 1.0);
            counts[1] += usize::from((a * b).is_infinite() || (a / b).is_infinite());
            counts[2] += usize::from((a * b).is_subnormal() || (a + b).is_subnormal());
            counts[3] += usize::from(
                a.mul_add(b, -(a * b)).abs() * 2.0 == (a * b).abs().next_up() - (a * b).abs(),
            );
        }
        assert!(counts.iter().zip([10_000, 2000, 100, 1000]).all(|(n, m)| *n > m), "{counts:?}");
    }
}
