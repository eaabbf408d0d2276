//! Judges whether an adapter rounds integers to the nearest F32, halves to even.

use super::inputs::Random;
use super::tried::{Row, Tried};
use indim_compiler::arithmetic::Conversion;

/// Returns integers of any number of bits, just below, at and above the middle of two floats.
pub(super) fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let mut random = Random::new(7);
    for number in 0..512 {
        let bits = random.next() >> (number % 9);
        let middle = (bits & !0xff) | 0x80;
        for x in [bits, middle, middle - 1, middle + 1, u32::MAX - number / 4] {
            rows.extend([(Tried::Unsigned, [x, 0]), (Tried::Signed, [x, 0])]);
        }
    }
    rows
}

/// Returns native if all floats are right.
pub(super) fn judged(rows: &[Row], results: &[f32]) -> Conversion {
    let is_right =
        |(&(tried, operands), got): (&Row, &f32)| got.to_bits() == tried.of(operands).to_bits();
    if results.len() == rows.len() && rows.iter().zip(results).all(is_right) {
        Conversion::Native
    } else {
        Conversion::ByIntegers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(unsigned: impl Fn(u32) -> f32) -> Conversion {
        let result = |&(tried, operands): &Row| match tried {
            Tried::Unsigned => unsigned(operands[0]),
            _ => tried.of(operands),
        };
        let rows = rows();
        let results: Vec<f32> = rows.iter().map(result).collect();
        judged(&rows, &results)
    }

    #[test]
    fn wrong_floats_are_told_from_right_ones() {
        assert_eq!(found(|x| x as f32), Conversion::Native);
        // Truncated; rounded with halves away from zero; and by way of halves of the integer.
        let truncated = |x: u32| (x & (u32::MAX << (8 - x.leading_zeros().min(8)))) as f32;
        let away = |x: u32| {
            let nearest = x as f32;
            let below = f64::from(x) - f64::from(nearest);
            let next = f32::from_bits(nearest.to_bits() + 1);
            if below * 2.0 >= f64::from(next) - f64::from(nearest) { next } else { nearest }
        };
        let halved = |x: u32| (x >> 1) as f32 + (x - (x >> 1)) as f32;
        for convert in [&truncated as &dyn Fn(u32) -> f32, &away, &halved] {
            assert_eq!(found(convert), Conversion::ByIntegers);
        }
        assert_eq!(judged(&rows(), &[]), Conversion::ByIntegers);
    }
}
