//! Computes the modified Bessel functions of the first kind, orders 0 and 1, times `exp(-|x|)`.
//!
//! By their power series, whose terms are all positive, and from 20 on by Hankel's asymptotic
//! expansion: F. W. J. Olver, "Bessel Functions of Integer Order", chapter 9 of M. Abramowitz and
//! I. A. Stegun, "Handbook of Mathematical Functions" (9.6.10, 9.7.1). What the expansion leaves
//! out is a multiple of `exp(-2 x)`, below 2^-57 there.

use std::f64::consts::TAU;

/// The operand from which the expansion is used.
const LARGE: f64 = 20.0;
/// Terms of this size, relative to the sum, and all after them are left out.
const NEGLIGIBLE: f64 = 1e-17;

/// Returns the function of order 0.
pub(crate) fn i0e(x: f64) -> f64 {
    let magnitude = x.abs();
    if magnitude < LARGE { series(0.0, magnitude) } else { expansion(0.0, magnitude) }
}

/// Returns the function of order 1, which is odd.
pub(crate) fn i1e(x: f64) -> f64 {
    let magnitude = x.abs();
    let result = if magnitude < LARGE {
        0.5 * magnitude * series(1.0, magnitude)
    } else {
        expansion(1.0, magnitude)
    };
    result.copysign(x)
}

/// Returns the sum of `(x^2 / 4)^k / (k! (k + order)!)`, times `exp(-x)`.
fn series(order: f64, x: f64) -> f64 {
    let quarter = 0.25 * x * x;
    let (mut term, mut sum, mut k) = (1.0, 1.0, 0.0);
    while term > NEGLIGIBLE * sum {
        k += 1.0;
        term *= quarter / (k * (k + order));
        sum += term;
    }
    sum * (-x).exp()
}

/// Returns `1 - (m - 1) / (8 x) + (m - 1)(m - 9) / (2! (8 x)^2) - ...`, m being four times the
/// order's square, over `sqrt(2 pi x)`. NaN stays NaN.
fn expansion(order: f64, x: f64) -> f64 {
    let m = 4.0 * order * order;
    let (mut term, mut sum, mut k) = (1f64, 1.0, 0.0);
    while term.abs() > NEGLIGIBLE {
        k += 1.0;
        let odd = 2.0 * k - 1.0;
        let next = term * (odd * odd - m) / (8.0 * k * x);
        // An asymptotic series is of use as long as its terms fall.
        if next.abs() >= term.abs() {
            break;
        }
        term = next;
        sum += term;
    }
    // There are two roots, since 2 pi x may overflow.
    sum / (TAU.sqrt() * x.sqrt())
}
