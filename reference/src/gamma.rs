//! Computes the logarithm of the gamma function's magnitude, and its derivative.
//!
//! Both by Stirling's series, after the recurrence has brought the operand up to where a dozen
//! terms do, and by the reflection formula for negative operands: P. J. Davis, "Gamma Function and
//! Related Functions", chapter 6 of M. Abramowitz and I. A. Stegun, "Handbook of Mathematical
//! Functions" (6.1.15, 6.1.17, 6.1.40, 6.3.5, 6.3.7, 6.3.18). Near a zero of the function its terms
//! cancel, and the same formulas are computed in two float64 numbers.

use crate::double_double::{DoubleDouble, two_sum};
use crate::real::Real;
use crate::wide::number::Wide;

/// Bernoulli's numbers B2, B4, ..., B24, numerator and denominator.
const BERNOULLI: [(f64, f64); 12] = [
    (1.0, 6.0),
    (-1.0, 30.0),
    (1.0, 42.0),
    (-1.0, 30.0),
    (5.0, 66.0),
    (-691.0, 2730.0),
    (7.0, 6.0),
    (-3617.0, 510.0),
    (43867.0, 798.0),
    (-174_611.0, 330.0),
    (854_513.0, 138.0),
    (-236_364_091.0, 2730.0),
];

/// Euler's constant.
const EULER: f64 = 0.577_215_664_901_532_9;
/// pi^2 / 6.
const ZETA_2: f64 = 1.644_934_066_848_226_4;

/// Below this magnitude, `1/x` and two terms of Taylor's series are exact to float64.
const SMALL: f64 = 1.0 / (1u64 << 20) as f64;
/// The magnitude from which every number is an integer.
const INTEGERS: f64 = (1u64 << 52) as f64;
/// Beyond this, all but the logarithm is below 2^-110 of the functions.
const VAST: f64 = (1u128 << VAST_EXPONENT) as f64;
const VAST_EXPONENT: i32 = 120;
/// Smaller results have lost more than 8 bits when float64 computed them.
const CANCELLED: f64 = 1.0 / 32.0;

/// Returns `log(|gamma(x)|)` of a float32 x; +inf at the poles and at both infinities.
pub(crate) fn lgamma(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x.is_infinite() || is_pole(x) {
        return f64::INFINITY;
    }
    if x.abs() < SMALL {
        return -x.abs().ln() - EULER * x + 0.5 * ZETA_2 * x * x;
    }
    if x == 1.0 || x == 2.0 {
        return 0.0;
    }
    in_enough_digits(x, lgamma_in::<f64>, lgamma_in::<DoubleDouble>)
}

/// Returns the derivative of [`lgamma`]; NaN at the poles and at -inf.
pub(crate) fn digamma(x: f64) -> f64 {
    if x == f64::INFINITY {
        return x;
    }
    if x.is_nan() || is_pole(x) {
        return f64::NAN;
    }
    if x.abs() < SMALL {
        return -1.0 / x - EULER + ZETA_2 * x;
    }
    in_enough_digits(x, digamma_in::<f64>, digamma_in::<DoubleDouble>)
}

fn is_pole(x: f64) -> bool {
    x <= 0.0 && (x <= -INTEGERS || x == x.round())
}

fn in_enough_digits(x: f64, quickly: fn(f64) -> f64, exactly: fn(f64) -> DoubleDouble) -> f64 {
    let result = quickly(x);
    if result.abs() < CANCELLED { exactly(x).to_f64() } else { result }
}

/// Returns `log(|gamma(x)|)` of a float64 x that is neither a pole nor next to 1 or 2, nor so small
/// that its logarithm is all.
pub(crate) fn wide_lgamma(x: f64) -> Wide {
    // Nothing but x (log(x) - 1) is left, whose products must not overflow.
    if x > VAST {
        let scaled = DoubleDouble::of(x).scaled(-VAST_EXPONENT);
        let value = scaled * (DoubleDouble::of(x).ln() - DoubleDouble::of(1.0));
        return Wide { value, exponent: VAST_EXPONENT };
    }
    if x > 0.0 {
        return lgamma_of_positive(DoubleDouble::of(x)).into();
    }
    let (sin, _) = DoubleDouble::sin_cos_pi((x - x.round()).abs());
    ((DoubleDouble::pi() / sin).ln() - lgamma_of_positive(two_sum(1.0, -x))).into()
}

/// Returns the derivative of it, for a float64 x.
pub(crate) fn wide_digamma(x: f64) -> Wide {
    if x > VAST {
        return DoubleDouble::of(x).ln().into();
    }
    if x > 0.0 {
        return digamma_of_positive(DoubleDouble::of(x)).into();
    }
    let (sin, cos) = DoubleDouble::sin_cos_pi(x - x.round());
    (digamma_of_positive(two_sum(1.0, -x)) - DoubleDouble::pi() * cos / sin).into()
}

/// Returns `log(|gamma(x)|)` where neither x nor 1 - x is a pole.
fn lgamma_in<T: Real>(x: f64) -> T {
    if x > 0.0 {
        return lgamma_of_positive(T::of(x));
    }
    // |gamma(x) gamma(1 - x)| = pi / |sin(pi x)|, and 1 - x is exact for a float32 x of the
    // magnitudes in question.
    let (sin, _) = T::sin_cos_pi((x - x.round()).abs());
    (T::pi() / sin).ln() - lgamma_of_positive(T::of(1.0 - x))
}

fn lgamma_of_positive<T: Real>(x: T) -> T {
    // gamma(x) = gamma(x + n) / (x (x + 1) ... (x + n - 1)).
    let mut large = x;
    let mut product = T::of(1.0);
    while large.to_f64() < T::LARGE {
        product = product * large;
        large = large + T::of(1.0);
    }
    let main = (large - T::of(0.5)) * large.ln() - large + T::half_ln_tau();
    let mut sum = T::of(0.0);
    let (mut power, inverse) = (T::of(1.0) / large, T::of(1.0) / large);
    let mut n = 0.0;
    for (numerator, denominator) in BERNOULLI {
        n += 2.0;
        let term = T::of(numerator) / T::of(denominator * n * (n - 1.0)) * power;
        sum = sum + term;
        if term.to_f64().abs() < T::NEGLIGIBLE {
            break;
        }
        power = power * inverse * inverse;
    }
    let result = main + sum;
    if x.to_f64() < T::LARGE { result - product.ln() } else { result }
}

/// Returns the derivative where x is not a pole.
fn digamma_in<T: Real>(x: f64) -> T {
    if x > 0.0 {
        return digamma_of_positive(T::of(x));
    }
    // digamma(1 - x) - digamma(x) = pi / tan(pi x).
    let (sin, cos) = T::sin_cos_pi(x - x.round());
    digamma_of_positive(T::of(1.0 - x)) - T::pi() * cos / sin
}

fn digamma_of_positive<T: Real>(x: T) -> T {
    // digamma(x) = digamma(x + n) - 1/x - ... - 1/(x + n - 1).
    let mut large = x;
    let mut sum = T::of(0.0);
    while large.to_f64() < T::LARGE {
        sum = sum + T::of(1.0) / large;
        large = large + T::of(1.0);
    }
    let inverse = T::of(1.0) / large;
    sum = sum + inverse * T::of(0.5);
    let square = inverse * inverse;
    let (mut power, mut n) = (square, 0.0);
    for (numerator, denominator) in BERNOULLI {
        n += 2.0;
        let term = T::of(numerator) / T::of(denominator * n) * power;
        sum = sum + term;
        if term.to_f64().abs() < T::NEGLIGIBLE {
            break;
        }
        power = power * square;
    }
    large.ln() - sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns f32 numbers from 2^-19 to 2^22, of both signs, poles excepted.
    fn operands() -> impl Iterator<Item = f64> {
        let bits = (0x3600_0000u32..0x4a80_0000).step_by(65_537);
        bits.flat_map(|bits| [bits, bits | 1 << 31])
            .map(|bits| f64::from(f32::from_bits(bits)))
            .filter(|&x| !is_pole(x))
    }

    /// Returns the largest relative difference of the two precisions, where float64 is trusted.
    fn difference(quickly: fn(f64) -> f64, exactly: fn(f64) -> DoubleDouble) -> f64 {
        operands()
            .map(|x| (quickly(x), exactly(x).to_f64()))
            .filter(|(quick, _)| quick.abs() >= CANCELLED)
            .map(|(quick, exact)| (quick / exact - 1.0).abs())
            .fold(0.0, f64::max)
    }

    #[test]
    fn float64_is_enough_where_it_is_trusted() {
        let bound = 1.0 / (1u64 << 40) as f64;
        let of_lgamma = difference(lgamma_in, lgamma_in);
        let of_digamma = difference(digamma_in, digamma_in);
        assert!(of_lgamma < bound, "lgamma: {of_lgamma:e}");
        assert!(of_digamma < bound, "digamma: {of_digamma:e}");
    }
}
