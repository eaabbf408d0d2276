//! The functions in two float64 numbers: what a float64 result is judged by.
//!
//! On every normal float64 operand a value is within 2^-70 of the true one, relative to it: an
//! error of a float64 result is known to 2^-16 ULP. Next to the zeros of lgamma below 0, and of
//! digamma, that is so relative to 1/8.

mod angle;
mod exponential;
mod special;
mod ulps;

use crate::double_double::DoubleDouble;
use crate::real::Real as _;

pub use ulps::wide_ulps;

/// A number `value * 2^exponent`, so that nothing over- or underflows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Wide {
    /// Two numbers whose sum it is, but for the power of two; its magnitude is moderate.
    pub value: DoubleDouble,
    /// The power of two.
    pub exponent: i32,
}

impl Wide {
    fn of(x: f64) -> Self {
        Self::from(DoubleDouble::of(x))
    }

    /// The nearest float64 number; infinite where that is too large.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        let sum = self.value.high + self.value.low;
        DoubleDouble::of(sum).scaled(self.exponent.clamp(-2000, 2000)).high
    }
}

impl From<DoubleDouble> for Wide {
    fn from(value: DoubleDouble) -> Self {
        Self { value, exponent: 0 }
    }
}

/// A function of one operand.
pub type WideUnary = fn(f64) -> Wide;

/// A function of two operands, lhs and rhs.
pub type WideBinary = fn(f64, f64) -> Wide;

/// The unary operation of this name, for finite operands whose result is a finite number other
/// than zero; None where there is none, or it is exact or correctly rounded in float64 itself.
#[must_use]
pub fn wide_unary(name: &str) -> Option<WideUnary> {
    let function: WideUnary = match name {
        "Acos" => angle::acos,
        "Acosh" => exponential::acosh,
        "Asin" => angle::asin,
        "Asinh" => exponential::asinh,
        "Atan" => angle::atan,
        "Atanh" => exponential::atanh,
        "BesselI0e" => special::i0e,
        "BesselI1e" => special::i1e,
        "Cbrt" => exponential::cbrt,
        "Cos" => angle::cos,
        "Cosh" => exponential::cosh,
        "Digamma" => special::digamma,
        "Erf" => special::erf,
        "Erfc" => special::erfc,
        "ErfInv" => special::erf_inv,
        "Exp" => exponential::exp,
        "Expm1" => exponential::expm1,
        "Lgamma" => special::lgamma,
        "Log" => exponential::log,
        "Log1p" => exponential::log1p,
        "Logistic" => exponential::logistic,
        "Rsqrt" => exponential::rsqrt,
        "Sin" => angle::sin,
        "Sinh" => exponential::sinh,
        "Tan" => angle::tan,
        "Tanh" => exponential::tanh,
        _ => return None,
    };
    Some(function)
}

/// The binary operation of this name; as [`wide_unary`].
#[must_use]
pub fn wide_binary(name: &str) -> Option<WideBinary> {
    match name {
        "Atan2" => Some(angle::atan2),
        "Pow" => Some(exponential::pow),
        _ => None,
    }
}
