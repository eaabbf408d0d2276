//! Measures how far a float64 result is from the true value.

use crate::double_double::DoubleDouble;
use crate::real::Real as _;
use crate::wide::number::Wide;

/// The exponent of the smallest normal number.
const LEAST: i32 = -1022;
/// The exponent after that of the largest number.
const BEYOND: i32 = 1024;

/// The largest subnormal number, in spacings of these.
const LARGEST_SUBNORMAL: f64 = ((1u64 << 52) - 1) as f64;

/// Returns the exponent of a number other than 0.
fn exponent_of(x: f64) -> i32 {
    ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023
}

/// Returns the error as [`crate::ulps`] does, for a float64 result other than NaN: in the spacing
/// of float64 numbers at the true value, an infinity standing for all numbers from 2^1024 on, a
/// zero for all subnormal ones.
#[must_use]
pub fn wide_ulps(got: f64, truth: Wide) -> f64 {
    let Wide { value, exponent } = truth;
    if value.high == 0.0 {
        return if got.abs() < f64::MIN_POSITIVE { 0.0 } else { f64::INFINITY };
    }
    let size = exponent_of(value.high) + exponent;
    let spacing = size.clamp(LEAST, BEYOND - 1) - 52;
    let in_spacings =
        |x: DoubleDouble, exponent: i32| x.scaled((exponent - spacing).clamp(-2000, 1100));
    let due = in_spacings(value, exponent);
    if got == 0.0 {
        let flushed = in_spacings(DoubleDouble::of(LARGEST_SUBNORMAL), LEAST - 52);
        return (due.high.abs() - flushed.high).max(0.0);
    }
    if got.is_infinite() {
        let is_beyond = size >= BEYOND && (due.high > 0.0) == (got > 0.0);
        let beyond = in_spacings(DoubleDouble::of(1f64.copysign(got)), BEYOND);
        if !is_beyond && due.high.is_infinite() {
            return f64::INFINITY;
        }
        return if is_beyond { 0.0 } else { (beyond - due).to_f64().abs() };
    }
    (DoubleDouble::of(got).scaled(-spacing) - due).to_f64().abs()
}
