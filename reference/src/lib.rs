//! Computes the float functions of `indim` in float64, by which float32 results are judged.
//!
//! [`unary`] and [`binary`] find a function by XLA's name for it. On every operand that is a
//! float32 value, what it gives is within 2^-40 of the true value, relative to it: an error of a
//! float32 result is known to 2^-16 ULP. Special values (NaN, infinities, the signs of zeros) are
//! XLA's, which are C99's where C99 has the function. Results are not rounded to float32 and
//! nothing is flushed to zero: [`ulps`] does what is needed of that, and [`flushed`] is the operand
//! as an adapter without subnormals sees it.
//!
//! Where float64 is not enough for this, near the zeros of lgamma, digamma and logaddexp, the same
//! formulas are computed in two float64 numbers. `tests/mpmath.rs` holds every function to the bound, with
//! values by mpmath; where the standard library takes a function from the platform, that also
//! checks the platform.
//!
//! [`wide_unary`] and [`wide_binary`] give the same functions in two float64 numbers, for float64
//! operands: a float64 result is judged by these, and [`wide_ulps`] says how far off it is.
//!
//! Nothing here uses the library or its shaders: the two must not share a mistake.

mod bessel;
mod double_double;
mod elementary;
mod error_function;
mod gamma;
pub mod limits;
mod real;
mod ulps;
mod wide;

pub use double_double::DoubleDouble;
pub use ulps::{flushed, may_be_flushed, ulps};
pub use wide::{Wide, WideBinary, WideUnary, wide_binary, wide_ulps, wide_unary};

/// A function of one operand.
pub type Unary = fn(f64) -> f64;

/// A function of two operands, lhs and rhs.
pub type Binary = fn(f64, f64) -> f64;

/// Returns the unary operation of this name; None where there is none whose results are floats.
#[must_use]
pub fn unary(name: &str) -> Option<Unary> {
    let function: Unary = match name {
        "Abs" => f64::abs,
        "Acos" => f64::acos,
        "Acosh" => elementary::acosh,
        "Asin" => f64::asin,
        "Asinh" => elementary::asinh,
        "Atan" => f64::atan,
        "Atanh" => elementary::atanh,
        "BesselI0e" => bessel::i0e,
        "BesselI1e" => bessel::i1e,
        "Cbrt" => f64::cbrt,
        "Ceil" => f64::ceil,
        "Cos" => f64::cos,
        "Cosh" => f64::cosh,
        "Digamma" => gamma::digamma,
        "Erf" => libm::erf,
        "Erfc" => libm::erfc,
        "ErfInv" => error_function::erf_inv,
        "Exp" => f64::exp,
        "Expm1" => f64::exp_m1,
        "Floor" => f64::floor,
        "Imag" => |_| 0.0,
        "Lgamma" => gamma::lgamma,
        "Log" => f64::ln,
        "Log10" => f64::log10,
        "Log1p" => f64::ln_1p,
        "Log2" => f64::log2,
        "Logistic" => elementary::logistic,
        "Neg" => |x| -x,
        "Real" => |x| x,
        "Reciprocal" => f64::recip,
        "Round" => f64::round,
        "RoundNearestEven" => f64::round_ties_even,
        "Rsqrt" => elementary::rsqrt,
        "Sign" => elementary::sign,
        "Sin" => f64::sin,
        "Sinh" => f64::sinh,
        "Sqrt" => f64::sqrt,
        "Square" => |x| x * x,
        "Tan" => f64::tan,
        "Tanh" => f64::tanh,
        "Trunc" => f64::trunc,
        _ => return None,
    };
    Some(function)
}

/// Returns the binary operation of this name; None where there is none whose results are floats.
///
/// `Add`, `Sub`, `Div` and `Remainder` are rounded to float64: to 2^-53, and never onto or across
/// the middle between two float32 values unless the exact result is there. `FloorDivide` is not
/// here: its results are those of NumPy's steps, each of which is rounded to the operands' type.
#[must_use]
pub fn binary(name: &str) -> Option<Binary> {
    let function: Binary = match name {
        "Add" => |lhs, rhs| lhs + rhs,
        "Atan2" => f64::atan2,
        "Copysign" => f64::copysign,
        "Div" => |lhs, rhs| lhs / rhs,
        "Hypot" => f64::hypot,
        "Logaddexp" => elementary::logaddexp,
        "Max" => elementary::max,
        "Min" => elementary::min,
        "Mul" => |lhs, rhs| lhs * rhs,
        "NextAfter" => elementary::next_after,
        "Pow" => f64::powf,
        "Rem" => |lhs, rhs| lhs % rhs,
        "Remainder" => elementary::remainder,
        "Sub" => |lhs, rhs| lhs - rhs,
        _ => return None,
    };
    Some(function)
}
