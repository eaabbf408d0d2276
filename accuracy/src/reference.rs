//! The true values in float64.

/// The function of this XLA name.
pub fn unary(name: &str) -> Option<fn(f64) -> f64> {
    Some(match name {
        "Rsqrt" => |x: f64| if x == 0.0 { 1.0 / x } else { 1.0 / x.sqrt() },
        "Cbrt" => f64::cbrt,
        "Exp" => f64::exp,
        "Expm1" => f64::exp_m1,
        "Log" => f64::ln,
        "Log1p" => f64::ln_1p,
        "Logistic" => |x: f64| 1.0 / (1.0 + (-x).exp()),
        "Sin" => f64::sin,
        "Cos" => f64::cos,
        "Tan" => f64::tan,
        "Tanh" => f64::tanh,
        "Sinh" => f64::sinh,
        "Cosh" => f64::cosh,
        "Asin" => f64::asin,
        "Acos" => f64::acos,
        "Atan" => f64::atan,
        "Asinh" => f64::asinh,
        "Acosh" => f64::acosh,
        "Atanh" => f64::atanh,
        _ => return None,
    })
}

/// The function of this XLA name.
pub fn binary(name: &str) -> Option<fn(f64, f64) -> f64> {
    Some(match name {
        "Pow" => f64::powf,
        "Atan2" => f64::atan2,
        _ => return None,
    })
}
