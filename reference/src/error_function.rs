//! Computes the inverse of the error function.

use std::f64::consts::{FRAC_2_SQRT_PI, PI};

/// Below this magnitude three terms of Taylor's series are exact to float64.
const SMALL: f64 = 1.0 / 1024.0;

/// Returns the y whose erf is x; infinite at 1 and -1, NaN beyond.
///
/// The start is S. Winitzki's, "A handy approximation for the error function and its inverse"
/// (2008), right to some 2e-3; each step of Halley's method triples the digits. Where x is near 1
/// the steps solve `erfc(y) = 1 - x`, which is exact.
pub(crate) fn erf_inv(x: f64) -> f64 {
    let magnitude = x.abs();
    if x.is_nan() || magnitude > 1.0 {
        return f64::NAN;
    }
    if magnitude == 1.0 {
        return f64::INFINITY.copysign(x);
    }
    if magnitude < SMALL {
        let square = PI * x * x;
        return x / FRAC_2_SQRT_PI * (1.0 + square * (1.0 / 12.0 + square * (7.0 / 480.0)));
    }
    let mut y = winitzki(magnitude);
    for _ in 0..3 {
        let excess = if magnitude < 0.5 {
            libm::erf(y) - magnitude
        } else {
            (1.0 - magnitude) - libm::erfc(y)
        };
        // Newton's step, and Halley's correction by the second derivative, -2 y times the first.
        let step = excess / (FRAC_2_SQRT_PI * (-y * y).exp());
        let correction = step / (1.0 + y * step);
        y -= correction;
        // The next step would be of this one's third power.
        if correction.abs() < 1e-6 * y {
            break;
        }
    }
    y.copysign(x)
}

fn winitzki(x: f64) -> f64 {
    const A: f64 = 0.147;
    let log = ((1.0 - x) * (1.0 + x)).ln();
    let half = 2.0 / (PI * A) + log / 2.0;
    // half - sqrt(half^2 - log / A), without the loss where both are near.
    (-log / A / ((half * half - log / A).sqrt() + half)).sqrt()
}
