//! The operations that a formula needs of its numbers, so that one formula serves for float64 and,
//! where that loses too many digits, for pairs of float64 numbers.

use std::ops::{Add, Div, Mul, Sub};

/// A kind of number.
pub(crate) trait Real:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self>
{
    /// The operand from which an asymptotic series with a dozen terms is as exact as the numbers
    /// are.
    const LARGE: f64;
    /// A term of this size, relative to the sum, and all after it change nothing.
    const NEGLIGIBLE: f64;

    fn of(x: f64) -> Self;
    /// Returns the nearest float64 number.
    fn to_f64(self) -> f64;
    /// Returns the natural logarithm of a positive number.
    fn ln(self) -> Self;
    /// Returns sine and cosine of pi * z, for z from -1/2 to 1/2.
    fn sin_cos_pi(z: f64) -> (Self, Self);
    fn pi() -> Self;
    /// Returns `log(2 * pi) / 2`.
    fn half_ln_tau() -> Self;
}

impl Real for f64 {
    const LARGE: f64 = 9.0;
    const NEGLIGIBLE: f64 = 1e-18;

    fn of(x: f64) -> f64 {
        x
    }

    fn to_f64(self) -> f64 {
        self
    }

    fn ln(self) -> f64 {
        f64::ln(self)
    }

    fn sin_cos_pi(z: f64) -> (f64, f64) {
        let sin = (std::f64::consts::PI * z).sin();
        // Near its zeros cosine is a sine, of an argument that is exact.
        let cos = if z.abs() > 0.25 {
            (std::f64::consts::PI * (0.5 - z.abs())).sin()
        } else {
            (std::f64::consts::PI * z).cos()
        };
        (sin, cos)
    }

    fn pi() -> f64 {
        std::f64::consts::PI
    }

    fn half_ln_tau() -> f64 {
        0.918_938_533_204_672_8
    }
}
