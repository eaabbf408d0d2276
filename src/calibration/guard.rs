//! Determines whether the compiler sees through the minimum with which functions guard their sums.

use super::tried::{Row, Tried, row};
use indim_compiler::arithmetic::Guard;

/// The number of arguments.
const COUNT: usize = 256;

/// The largest allowed error of `exp`, in units in the last place. Regrouped across its guards, it
/// has errors of thousands.
const LIMIT: f64 = 1.0;

/// Returns exponentials of arguments of either sign up to the largest that neither over- nor
/// underflows. Those that are far from 0 lose the most where their reduction is regrouped.
pub(super) fn rows() -> Vec<Row> {
    let argument = |i: usize| (i as f32 - 127.5) * 0.6817;
    (0..COUNT).map(|i| row(Tried::Exponential, argument(i), 0.0)).collect()
}

/// Returns the minimum where all exponentials, which are guarded by it, are right, else the guard
/// that is right everywhere.
pub(super) fn judged(rows: &[Row], results: &[f32]) -> Guard {
    let is_right = |(&(_, [x, _]), &got): (&Row, &f32)| {
        let exact = f64::from(f32::from_bits(x)).exp();
        let spacing = 2f64.powi(exact.log2().floor() as i32 - 23);
        (f64::from(got) - exact).abs() <= LIMIT * spacing
    };
    if results.len() == rows.len() && rows.iter().zip(results).all(is_right) {
        Guard::Minimum
    } else {
        Guard::Bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn are_right(exp: fn(f32) -> f32) -> bool {
        let rows = rows();
        let results: Vec<f32> = rows.iter().map(|(_, [x, _])| exp(f32::from_bits(*x))).collect();
        judged(&rows, &results) == Guard::Minimum
    }

    #[test]
    fn wrong_exponentials_are_told_from_right_ones() {
        assert!(are_right(f32::exp));
        assert!(!are_right(|x| (f64::from(x).exp() * (1.0 + 2e-7)) as f32));
        // The reduced argument is rounded once more.
        assert!(!are_right(|x| {
            let n = (x * std::f32::consts::LOG2_E).round();
            let multiple = n * 0.693_115_23 + n * 3.194_618_3e-5;
            (f64::from(x - multiple).exp() * 2f64.powi(n as i32)) as f32
        }));
        assert_eq!(judged(&rows(), &[]), Guard::Bits);
    }
}
