//! Computes short functions that the standard library does not have, or not as exactly as is needed
//! here.

use std::f64::consts::LN_2;

use crate::wide::logaddexp as wide_logaddexp;

/// The magnitude from which asinh and acosh are log(2 |x|); squares of much larger numbers
/// overflow.
const LARGE: f64 = 1e100;

/// Returns the inverse hyperbolic cosine. The standard library's goes by the logarithm of a number
/// near 1 and loses digits there; `x - 1` is exact for a float32 x near 1.
pub(crate) fn acosh(x: f64) -> f64 {
    if x.is_nan() || x < 1.0 {
        return f64::NAN;
    }
    if x >= LARGE {
        return x.ln() + LN_2;
    }
    let t = x - 1.0;
    (t + (t * (x + 1.0)).sqrt()).ln_1p()
}

/// Returns the inverse hyperbolic sine.
pub(crate) fn asinh(x: f64) -> f64 {
    if x.abs() < LARGE { x.asinh() } else { (x.abs().ln() + LN_2).copysign(x) }
}

/// Returns the inverse hyperbolic tangent, by the magnitude: `1 - x` is exact for a float32 x near
/// 1, and the logarithm never is of a number near 0.
pub(crate) fn atanh(x: f64) -> f64 {
    let magnitude = x.abs();
    (0.5 * (2.0 * magnitude / (1.0 - magnitude)).ln_1p()).copysign(x)
}

/// Returns `1 / (1 + exp(-x))`.
pub(crate) fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + (-x).exp())
}

/// Returns `1 / sqrt(x)`, with -inf for -0 as XLA has it.
pub(crate) fn rsqrt(x: f64) -> f64 {
    1.0 / x.sqrt()
}

/// Returns -1, 0 or 1; a zero keeps its sign, NaN stays NaN.
pub(crate) fn sign(x: f64) -> f64 {
    if x.is_nan() || x == 0.0 { x } else { 1f64.copysign(x) }
}

/// Returns the logarithm of `exp(lhs) + exp(rhs)`, by the larger operand and its distance to the
/// other one. Beside zeros, where the two terms cancel, it is computed in two float64 numbers.
pub(crate) fn logaddexp(lhs: f64, rhs: f64) -> f64 {
    if lhs == rhs && lhs.is_infinite() {
        return lhs;
    }
    let (larger, smaller) = if lhs >= rhs { (lhs, rhs) } else { (rhs, lhs) };
    let quick = larger + (smaller - larger).exp().ln_1p();
    let cancels = larger < 0.0 && quick.abs() < 0.25 && larger > -1.0;
    if cancels { wide_logaddexp(lhs, rhs).to_f64() } else { quick }
}

/// Returns Python's `lhs % rhs`, with the sign of rhs.
pub(crate) fn remainder(lhs: f64, rhs: f64) -> f64 {
    let rest = lhs % rhs;
    if rest == 0.0 {
        rest.copysign(rhs)
    } else if (rest < 0.0) == (rhs < 0.0) {
        rest
    } else {
        rest + rhs
    }
}

/// Returns the larger one; NaN if either is, and +0 over -0.
pub(crate) fn max(lhs: f64, rhs: f64) -> f64 {
    choose(lhs, rhs, lhs > rhs || (lhs == rhs && lhs.is_sign_positive()))
}

/// Returns the smaller one; NaN if either is, and -0 over +0.
pub(crate) fn min(lhs: f64, rhs: f64) -> f64 {
    choose(lhs, rhs, lhs < rhs || (lhs == rhs && lhs.is_sign_negative()))
}

fn choose(lhs: f64, rhs: f64, left: bool) -> f64 {
    if lhs.is_nan() || rhs.is_nan() {
        f64::NAN
    } else if left {
        lhs
    } else {
        rhs
    }
}

/// Returns the float32 value next to lhs on the way to rhs; both are float32 values.
pub(crate) fn next_after(lhs: f64, rhs: f64) -> f64 {
    if lhs.is_nan() || rhs.is_nan() {
        return f64::NAN;
    }
    if lhs == rhs {
        // C99: the second one, so that -0 comes from +0 and -0.
        return rhs;
    }
    let (from, up) = (lhs as f32, rhs > lhs);
    let next = if up { from.next_up() } else { from.next_down() };
    f64::from(next)
}
