//! Computes the functions in pairs of float64 numbers, by which float64 results are judged.
//!
//! On every normal float64 operand a value is within 2^-70 of the true one, relative to it: an
//! error of a float64 result is known to 2^-16 ULP. Next to the zeros of lgamma below 0, and of
//! digamma, that is so relative to 1/8; and next to those of logaddexp.

mod angle;
mod exponential;
pub(crate) mod number;
mod special;
mod ulps;

pub(crate) use exponential::logaddexp;
pub use number::Wide;
pub use ulps::wide_ulps;

/// A function of one operand.
pub type WideUnary = fn(f64) -> Wide;

/// A function of two operands, lhs and rhs.
pub type WideBinary = fn(f64, f64) -> Wide;

/// Returns the unary operation of this name, for finite operands whose result is a finite number
/// other than zero; None where there is none, or it is exact or correctly rounded in float64
/// itself.
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
        "Log10" => exponential::log10,
        "Log1p" => exponential::log1p,
        "Log2" => exponential::log2,
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

/// Returns the binary operation of this name; as [`wide_unary`].
#[must_use]
pub fn wide_binary(name: &str) -> Option<WideBinary> {
    match name {
        "Atan2" => Some(angle::atan2),
        "Hypot" => Some(exponential::hypot),
        "Logaddexp" => Some(exponential::logaddexp),
        "Pow" => Some(exponential::pow),
        _ => None,
    }
}
