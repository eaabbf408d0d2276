//! The table of the largest error that each function of the library may have, in ULP, over all
//! inputs on any adapter. `indim-accuracy` and the golden tests judge by it.

/// CUDA's published maximum errors for the functions that its library has ("CUDA C++ Programming
/// Guide", mathematical functions, single precision), or 1 where that is kept, and 4 for those that
/// follow XLA alone.
const LIMITS: &[(&str, f64)] = &[
    ("Exp", 1.0),
    ("Expm1", 1.0),
    ("Log", 1.0),
    ("Log1p", 1.0),
    ("Log2", 1.0),
    ("Log10", 1.0),
    ("Hypot", 1.0),
    ("Logaddexp", 2.0),
    ("Sin", 2.0),
    ("Cos", 2.0),
    ("Tan", 4.0),
    ("Asin", 2.0),
    ("Acos", 2.0),
    ("Atan", 2.0),
    ("Atan2", 3.0),
    ("Sinh", 3.0),
    ("Cosh", 2.0),
    ("Tanh", 2.0),
    ("Asinh", 3.0),
    ("Acosh", 4.0),
    ("Atanh", 3.0),
    ("Pow", 4.0),
    ("Cbrt", 1.0),
    ("Rsqrt", 2.0),
    ("Erf", 2.0),
    ("Logistic", 3.0),
    ("Erfc", 4.0),
    ("ErfInv", 4.0),
    ("Lgamma", 4.0),
    ("Digamma", 4.0),
    ("BesselI0e", 4.0),
    ("BesselI1e", 4.0),
];

/// The limit of every function on F64 that is not exact: about XLA's errors, and half of those of
/// its gamma functions.
pub const DOUBLE: f64 = 4.0;

/// Returns the same as [`absolute`], on F64: lgamma and digamma beside their zeros on the negative
/// axis, digamma beside its one above 0, and logaddexp, whose terms are floats there.
#[must_use]
pub fn absolute_double(name: &str) -> f64 {
    if matches!(name, "Lgamma" | "Digamma" | "Logaddexp") { 2f64.powi(-50) } else { 0.0 }
}

/// Returns the limit on F32 of the function of this XLA name; `None` for one that is correctly
/// rounded or exact.
#[must_use]
pub fn approximate(name: &str) -> Option<f64> {
    LIMITS.iter().find(|(known, _)| *known == name).map(|&(_, limit)| limit)
}

/// Returns an error that the function of this name may have whatever its limit is, as it stands:
/// near zeros that lie between floats, where results are far more finely spaced than the terms they
/// are the sum of.
///
/// Digamma crosses zero once between any two poles. Computed in pairs of floats, its terms of about
/// 4 are exact to some 2^-46; XLA's, in single floats, to 2^-22. Logaddexp is zero along the curve
/// on which the two exponentials add up to 1, and its terms are below 1 there.
#[must_use]
pub fn absolute(name: &str) -> f64 {
    if matches!(name, "Digamma" | "Logaddexp") { 2f64.powi(-44) } else { 0.0 }
}
