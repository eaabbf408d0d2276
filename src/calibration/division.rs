//! Judges whether quotients and square roots are rounded correctly.

use super::hard_cases;
use super::tried::{Row, Tried, row};

/// Returns thousands of hard quotients, reciprocals and roots.
pub(super) fn rows() -> Vec<Row> {
    let quotients = hard_cases::quotients().into_iter().map(|[x, y]| row(Tried::Quotient, x, y));
    let reciprocals = hard_cases::reciprocals().into_iter().map(|y| row(Tried::Reciprocal, 1.0, y));
    let roots = hard_cases::square_roots().into_iter().map(|x| row(Tried::Root, x, 1.0));
    quotients.chain(reciprocals).chain(roots).collect()
}

/// Returns whether all quotients and reciprocals are right, and whether all roots are.
pub(super) fn are_right(rows: &[Row], results: &[f32]) -> [bool; 2] {
    let mut right = [results.len() == rows.len(); 2];
    for (&(tried, operands), &got) in rows.iter().zip(results) {
        let [x, y] = operands.map(|bits| f64::from(f32::from_bits(bits)));
        let is_root = tried == Tried::Root;
        let exact = if is_root { x.sqrt() } else { x / y };
        right[usize::from(is_root)] &= is_correctly_rounded(got, exact);
    }
    right
}

/// Returns whether a result is the exact one, rounded once; a subnormal one may be flushed to zero.
fn is_correctly_rounded(got: f32, exact: f64) -> bool {
    let nearest = exact as f32;
    let flushed = exact.abs() < f64::from(f32::MIN_POSITIVE)
        && got == 0.0
        && got.is_sign_negative() == exact.is_sign_negative();
    got.to_bits() == nearest.to_bits() || (got.is_nan() && nearest.is_nan()) || flushed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(quotient: fn(f32, f32) -> f32, root: fn(f32) -> f32) -> [bool; 2] {
        judged_with(quotient, f32::recip, root)
    }

    fn judged_with(
        quotient: fn(f32, f32) -> f32,
        reciprocal: fn(f32) -> f32,
        root: fn(f32) -> f32,
    ) -> [bool; 2] {
        let result = |&(tried, operands): &Row| {
            let [x, y] = operands.map(f32::from_bits);
            match tried {
                Tried::Root => root(x),
                Tried::Reciprocal => reciprocal(y),
                _ => quotient(x, y),
            }
        };
        let rows = rows();
        let all: Vec<f32> = rows.iter().map(result).collect();
        are_right(&rows, &all)
    }

    #[test]
    fn wrong_results_are_told_from_right_ones() {
        assert_eq!(judged(|x, y| x / y, f32::sqrt), [true, true]);
        assert_eq!(judged(|x, y| x * (1.0 / y), f32::sqrt), [false, true]);
        assert_eq!(judged(|x, y| x / y, |x| x * (1.0 / x.sqrt())), [true, false]);
        // Only special values are wrong.
        assert_eq!(judged(|x, y| (x / y).abs().copysign(1.0), f32::sqrt), [false, true]);
        assert_eq!(judged(|x, y| x / y, |x| x.sqrt() + 0.0), [true, false]);
        assert_eq!(judged(|_, _| 0.0, |_| 0.0), [false, false]);
        assert_eq!(are_right(&rows(), &[]), [false, false]);
        // Only reciprocals are wrong: by the last bit, as of 44 bits, and of one special value.
        let reciprocals: [fn(f32) -> f32; 4] = [
            |x| f32::from_bits((1.0 / x).to_bits() & !1),
            |x| (f64::from(x).recip() * (1.0 + 4e-12)) as f32,
            |x| (f64::from(x).recip() * (1.0 - 4e-12)) as f32,
            |x| if x == 0.0 { f32::INFINITY } else { 1.0 / x },
        ];
        for reciprocal in reciprocals {
            assert_eq!(judged_with(|x, y| x / y, reciprocal, f32::sqrt), [false, true]);
        }
    }
}
