//! Results that must be right bit for bit: by the CPU's IEEE arithmetic if they are correctly
//! rounded, else by definitions written here or in Rust's library. Operands and results are bits;
//! functions of one operand ignore the second one.

use crate::numpy_division;

/// The result's bits for the operands' bits.
pub type Bits = fn([u32; 2]) -> u32;

/// A result that is due bit for bit.
#[derive(Debug, Clone, Copy)]
pub enum Due {
    /// The true value rounded to the nearest float, ties to even; the first function gives it in
    /// float64, to measure errors by.
    Rounded(fn([u32; 2]) -> f64, Bits),
    /// A float that is exact.
    Float(Bits),
    /// An integer, or 0 and 1 for a truth value.
    Integer(Bits),
}

fn f(bits: u32) -> f32 {
    f32::from_bits(bits)
}

fn d(bits: u32) -> f64 {
    f64::from(f(bits))
}

/// Returns the expected result of the unary or binary operation of this XLA name on F32, if it is
/// exact.
pub fn due(name: &str) -> Option<Due> {
    use Due::{Float, Integer, Rounded};
    Some(match name {
        "Add" => Rounded(|[a, b]| d(a) + d(b), |[a, b]| (f(a) + f(b)).to_bits()),
        "Sub" => Rounded(|[a, b]| d(a) - d(b), |[a, b]| (f(a) - f(b)).to_bits()),
        "Mul" => Rounded(|[a, b]| d(a) * d(b), |[a, b]| (f(a) * f(b)).to_bits()),
        "Div" => Rounded(|[a, b]| d(a) / d(b), |[a, b]| (f(a) / f(b)).to_bits()),
        "Sqrt" => Rounded(|[a, _]| d(a).sqrt(), |[a, _]| f(a).sqrt().to_bits()),
        "Reciprocal" => Rounded(|[a, _]| 1.0 / d(a), |[a, _]| (1.0 / f(a)).to_bits()),
        "Square" => Rounded(|[a, _]| d(a) * d(a), |[a, _]| (f(a) * f(a)).to_bits()),
        "Rem" => Float(|[a, b]| (f(a) % f(b)).to_bits()),
        "FloorDivide" => Float(|[a, b]| numpy_division::f32::floor_divide(f(a), f(b)).to_bits()),
        "Remainder" => Float(|[a, b]| numpy_division::f32::remainder(f(a), f(b)).to_bits()),
        "Copysign" => Float(|[a, b]| f(a).copysign(f(b)).to_bits()),
        "Max" => Float(|[a, b]| larger(f(a), f(b)).to_bits()),
        "Min" => Float(|[a, b]| (-larger(-f(a), -f(b))).to_bits()),
        "NextAfter" => Float(|[a, b]| next_after(f(a), f(b))),
        "Abs" => Float(|[a, _]| f(a).abs().to_bits()),
        "Neg" => Float(|[a, _]| (-f(a)).to_bits()),
        "Sign" => Float(|[a, _]| sign(f(a)).to_bits()),
        "Ceil" => Float(|[a, _]| f(a).ceil().to_bits()),
        "Floor" => Float(|[a, _]| f(a).floor().to_bits()),
        "Trunc" => Float(|[a, _]| f(a).trunc().to_bits()),
        "Round" => Float(|[a, _]| f(a).round().to_bits()),
        "RoundNearestEven" => Float(|[a, _]| f(a).round_ties_even().to_bits()),
        "Real" => Float(|[a, _]| a),
        "Imag" => Float(|_| 0),
        "IsFinite" => Integer(|[a, _]| f(a).is_finite().into()),
        "IsInf" => Integer(|[a, _]| f(a).is_infinite().into()),
        "IsNan" => Integer(|[a, _]| f(a).is_nan().into()),
        "Signbit" => Integer(|[a, _]| f(a).is_sign_negative().into()),
        "Eq" => Integer(|[a, b]| (f(a) == f(b)).into()),
        "Ne" => Integer(|[a, b]| (f(a) != f(b)).into()),
        "Lt" => Integer(|[a, b]| (f(a) < f(b)).into()),
        "Le" => Integer(|[a, b]| (f(a) <= f(b)).into()),
        "Gt" => Integer(|[a, b]| (f(a) > f(b)).into()),
        "Ge" => Integer(|[a, b]| (f(a) >= f(b)).into()),
        "EqTotalOrder" => Integer(|[a, b]| f(a).total_cmp(&f(b)).is_eq().into()),
        "NeTotalOrder" => Integer(|[a, b]| f(a).total_cmp(&f(b)).is_ne().into()),
        "LtTotalOrder" => Integer(|[a, b]| f(a).total_cmp(&f(b)).is_lt().into()),
        "LeTotalOrder" => Integer(|[a, b]| f(a).total_cmp(&f(b)).is_le().into()),
        "GtTotalOrder" => Integer(|[a, b]| f(a).total_cmp(&f(b)).is_gt().into()),
        "GeTotalOrder" => Integer(|[a, b]| f(a).total_cmp(&f(b)).is_ge().into()),
        _ => return None,
    })
}

/// Returns the expected result of a conversion from or to F32, by the names of the types.
pub fn conversion(from: &str, to: &str) -> Option<Due> {
    Some(match (from, to) {
        // Rust's casts truncate and saturate, and make 0 of NaN, as XLA's conversions do.
        ("f32", "s32") => Due::Integer(|[a, _]| (f(a) as i32).cast_unsigned()),
        ("f32", "u32") => Due::Integer(|[a, _]| f(a) as u32),
        ("f32", "pred") => Due::Integer(|[a, _]| (a & 0x7fff_ffff != 0).into()),
        ("s32", "f32") => Due::Rounded(
            |[a, _]| f64::from(a.cast_signed()),
            |[a, _]| (a.cast_signed() as f32).to_bits(),
        ),
        ("u32", "f32") => Due::Rounded(|[a, _]| f64::from(a), |[a, _]| (a as f32).to_bits()),
        _ => return None,
    })
}

/// Returns the expected result of `ReducePrecision` to these numbers of exponent and mantissa bits.
pub fn reduction<const EXPONENT: u32, const MANTISSA: u32>() -> Due {
    Due::Float(|[a, _]| reduced(a, EXPONENT, MANTISSA))
}

/// Returns the value in a format of these widths, nearest, ties to even, by XLA's
/// `ReducePrecision`: too large values become infinite, those below the format's normal numbers
/// zero; f32's range has subnormals.
pub fn reduced(bits: u32, exponent_bits: u32, mantissa_bits: u32) -> u32 {
    let sign = bits & 0x8000_0000;
    let x = d(bits).abs();
    if !x.is_finite() {
        return bits;
    }
    let bias = (1i32 << (exponent_bits - 1)) - 1;
    let exponent = (((x.to_bits() >> 52) & 0x7ff) as i32 - 1023).max(-126);
    let unit = 2f64.powi(exponent - mantissa_bits.min(23) as i32);
    let rounded = (x / unit).round_ties_even() * unit;
    if rounded >= 2f64.powi(bias + 1) {
        return sign | f32::INFINITY.to_bits();
    }
    let smallest = if exponent_bits < 8 { 2f64.powi(1 - bias) } else { 0.0 };
    let kept = if rounded < smallest { 0.0 } else { rounded };
    sign | (kept as f32).to_bits()
}

/// Returns the larger one; NaN if either is, and +0 over -0.
fn larger(a: f32, b: f32) -> f32 {
    if a.is_nan() || b.is_nan() {
        return f32::NAN;
    }
    if a == b {
        return if a.is_sign_negative() { b } else { a };
    }
    if a > b { a } else { b }
}

/// Returns -1 or 1; zeros and NaN stay as they are.
fn sign(a: f32) -> f32 {
    if a == 0.0 || a.is_nan() { a } else { 1f32.copysign(a) }
}

/// Returns C99's `nextafter`, except that `to` is returned where both are equal.
fn next_after(from: f32, to: f32) -> u32 {
    if from.is_nan() || to.is_nan() {
        return f32::NAN.to_bits();
    }
    if from == to {
        return to.to_bits();
    }
    if from == 0.0 {
        return 1 | (to.to_bits() & 0x8000_0000);
    }
    let away = (from < to) == (from > 0.0);
    if away { from.to_bits() + 1 } else { from.to_bits() - 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(name: &str, a: f32, b: f32) -> f32 {
        match due(name) {
            Some(Due::Float(bits) | Due::Rounded(_, bits)) => f(bits([a.to_bits(), b.to_bits()])),
            _ => panic!("{name}"),
        }
    }

    #[test]
    fn zeros_and_nan() {
        let negative = |x: f32| x == 0.0 && x.is_sign_negative();
        assert!(negative(bits("Min", 0.0, -0.0)) && negative(bits("Min", -0.0, 0.0)));
        assert!(!negative(bits("Max", 0.0, -0.0)) && !negative(bits("Max", -0.0, 0.0)));
        assert!(bits("Max", f32::NAN, 1.0).is_nan() && bits("Min", 1.0, f32::NAN).is_nan());
        assert!(negative(bits("Sign", -0.0, 0.0)) && bits("Sign", f32::NAN, 0.0).is_nan());
        assert!(negative(bits("Ceil", -0.5, 0.0)) && negative(bits("Rem", -4.0, 2.0)));
        assert_eq!(bits("Round", 2.5, 0.0), 3.0);
        assert_eq!(bits("RoundNearestEven", 2.5, 0.0), 2.0);
    }

    #[test]
    fn next_after_steps() {
        assert_eq!(bits("NextAfter", 1.0, 2.0), 1.0 + f32::EPSILON);
        assert_eq!(bits("NextAfter", -1.0, -2.0), -1.0 - f32::EPSILON);
        assert_eq!(bits("NextAfter", 0.0, -1.0).to_bits(), 0x8000_0001);
        assert_eq!(bits("NextAfter", f32::MAX, f32::INFINITY), f32::INFINITY);
        assert_eq!(bits("NextAfter", f32::INFINITY, 0.0), f32::MAX);
        assert_eq!(bits("NextAfter", 0.0, -0.0).to_bits(), 0x8000_0000);
    }

    #[test]
    fn precision_is_reduced() {
        let reduce = |x: f32, e, m| f(reduced(x.to_bits(), e, m));
        // IEEE half: 11 bits, from 2^-14 to 65504.
        assert_eq!(reduce(2049.0, 5, 10), 2048.0);
        assert_eq!(reduce(2051.0, 5, 10), 2052.0);
        assert_eq!(reduce(65519.0, 5, 10), 65504.0);
        assert_eq!(reduce(-65520.0, 5, 10), f32::NEG_INFINITY);
        assert_eq!(reduce(6.1035156e-5, 5, 10), 6.1035156e-5);
        assert_eq!(reduce(6.1e-5, 5, 10).to_bits(), 0);
        assert_eq!(reduce(1.5, 8, 0), 2.0);
        for x in [1.0f32, 3.4e38, 1.3e-38, -7.0 / 3.0] {
            assert_eq!(reduce(x, 8, 23), x);
        }
    }
}
