//! Judges functions on F64: correctly rounded and exact ones by the CPU's IEEE bits, approximations
//! by pairs of float64 numbers.

use indim_reference::{Wide, WideBinary, WideUnary, wide_ulps};

use crate::judge::Verdict;
use crate::numpy_division;

/// From this many ULP on, an infinity in place of a number, or the reverse, cannot come from
/// rounding.
const OVERFLOW_ULPS: f64 = 8.0;

/// A result's bits for the operands' bits.
pub type Bits = fn([u64; 2]) -> u64;

/// The reference that a result is judged by.
#[derive(Debug, Clone, Copy)]
pub enum Double {
    /// A function of one operand: in float64, which gives the special values, and the truth.
    Unary(fn(f64) -> f64, WideUnary),
    /// A function of two operands.
    Binary(fn(f64, f64) -> f64, WideBinary),
    /// A function that float64 alone loses too many digits of: its value where the truth is not a
    /// number, and the truth.
    Poles(fn(f64) -> Option<f64>, WideUnary),
    /// The expected bits of a float, which is rounded once or exact.
    Float(Bits),
    /// An operation whose results are PRED.
    Pred(Bits),
}

/// The largest errors of the platform's functions, in ULP ("Errors in Math Functions", The GNU C
/// Library Reference Manual, and the comments in its source; erf is of the crate libm): if such a
/// function gives the result's bits, and a larger error is known already, the truth need not be
/// computed. There is no sine: some versions are 8 ULP off beside multiples of pi/2.
const BOUNDS: &[(&str, f64)] = &[
    ("Acos", 0.6),
    ("Asin", 0.6),
    ("Atan", 0.6),
    ("Atan2", 0.6),
    ("Erf", 1.0),
    ("Exp", 0.6),
    ("Expm1", 1.0),
    ("Log", 0.6),
    ("Log1p", 1.0),
    ("Pow", 0.6),
];

/// Returns the error bound of the platform's float64 function, if known.
pub fn bound(name: &str) -> Option<f64> {
    BOUNDS.iter().find(|(known, _)| *known == name).map(|&(_, bound)| bound)
}

/// Clears the bit that makes a NaN signal: C's pow(1, NaN) is 1 only where it does not.
fn quiet(x: f64) -> f64 {
    if x.is_nan() { f64::NAN } else { x }
}

impl Double {
    /// Returns the reference of the operation of this XLA name.
    pub fn of(name: &str) -> Option<Self> {
        if let Some(due) = due(name) {
            return Some(due);
        }
        if let Some(wide) = indim_reference::wide_binary(name) {
            return Some(Self::Binary(indim_reference::binary(name)?, wide));
        }
        let wide = indim_reference::wide_unary(name)?;
        Some(match name {
            "Digamma" => Self::Poles(digamma_at_poles, wide),
            "Lgamma" => Self::Poles(lgamma_at_poles, wide),
            _ => Self::Unary(indim_reference::unary(name)?, wide),
        })
    }

    /// Returns whether results must be exact.
    pub fn is_exact(self) -> bool {
        matches!(self, Self::Float(_) | Self::Pred(_))
    }

    /// Returns the result in float64, for special values and for reports.
    pub fn quick(self, operands: [u64; 2]) -> f64 {
        let [a, b] = operands.map(f64::from_bits);
        match self {
            Self::Unary(quick, _) => quick(a),
            Self::Binary(quick, _) => quick(quiet(a), quiet(b)),
            Self::Poles(special, wide) => special(a).unwrap_or_else(|| wide(a).to_f64()),
            Self::Float(bits) => f64::from_bits(bits(operands)),
            Self::Pred(bits) => bits(operands) as f64,
        }
    }

    /// Returns the true value, for operands whose result is finite and not exactly zero.
    fn wide(self, [a, b]: [f64; 2]) -> Option<Wide> {
        let wide = match self {
            Self::Unary(_, wide) | Self::Poles(_, wide) if a.is_finite() && a != 0.0 => wide(a),
            // cosh(0) and the like are exact in float64.
            Self::Binary(_, wide) if a.is_finite() && b.is_finite() && a != 0.0 && b != 0.0 => {
                wide(a, b)
            }
            _ => return None,
        };
        wide.value.high.is_finite().then_some(wide)
    }

    /// Judges a result of an approximation.
    pub fn judge(self, operands: [u64; 2], got: u64) -> Verdict {
        if let Self::Poles(special, wide) = self {
            let x = f64::from_bits(operands[0]);
            if special(x).is_none() {
                return numbers(f64::from_bits(got), wide(x), false);
            }
        }
        let quick = self.quick(operands);
        let got = f64::from_bits(got);
        if quick.is_nan() || got.is_nan() {
            let both = quick.is_nan() && got.is_nan();
            return if both { Verdict::Error(0.0) } else { Verdict::Mistake };
        }
        // Signs are exact, also those of zeros.
        let tiny = quick.abs() < f64::MIN_POSITIVE && got.abs() < f64::MIN_POSITIVE;
        if tiny && got == 0.0 {
            let same = got.is_sign_negative() == quick.is_sign_negative();
            return if same { Verdict::Error(0.0) } else { Verdict::Mistake };
        }
        if quick.is_infinite() && got == quick {
            return Verdict::Error(0.0);
        }
        let Some(wide) = self.wide(operands.map(f64::from_bits)) else {
            return if got == quick { Verdict::Error(0.0) } else { near(got, quick) };
        };
        numbers(got, wide, quick.is_infinite())
    }

    /// Returns how far a result is off as it stands, in units of 1.
    pub fn distance(self, operands: [u64; 2], got: u64) -> f64 {
        let Some(wide) = self.wide(operands.map(f64::from_bits)) else { return f64::INFINITY };
        let scale = 2f64.powi(wide.exponent.clamp(-1000, 1000));
        let got = f64::from_bits(got);
        ((got - wide.value.high * scale) - wide.value.low * scale).abs()
    }
}

/// Judges by the true value, which may overflow.
fn numbers(got: f64, truth: Wide, overflows: bool) -> Verdict {
    let error = if got.is_nan() { f64::NAN } else { wide_ulps(got, truth) };
    let special = got.is_infinite() || overflows;
    if error.is_nan() || special && error >= OVERFLOW_ULPS {
        return Verdict::Mistake;
    }
    Verdict::Error(error)
}

/// Judges a result of operands that are zero or infinite: float64 gives the function's value there,
/// since nothing cancels.
fn near(got: f64, quick: f64) -> Verdict {
    if !got.is_finite() || !quick.is_finite() || quick == 0.0 || got == 0.0 {
        return Verdict::Mistake;
    }
    let spacing = quick.abs().next_up() - quick.abs();
    // Rounding the float64 value may have cost half a ULP.
    Verdict::Error((got - quick).abs() / spacing)
}

/// Returns the value at poles, infinities, and where it is 0.
fn lgamma_at_poles(x: f64) -> Option<f64> {
    let infinite = x.is_infinite() || is_pole(x);
    let zero = (x == 1.0 || x == 2.0).then_some(0.0);
    if x.is_nan() {
        Some(x)
    } else if infinite {
        Some(f64::INFINITY)
    } else {
        zero
    }
}

fn digamma_at_poles(x: f64) -> Option<f64> {
    let undefined = x.is_nan() || x == f64::NEG_INFINITY || is_pole(x);
    if undefined { Some(f64::NAN) } else { (x == f64::INFINITY).then_some(x) }
}

fn is_pole(x: f64) -> bool {
    x <= 0.0 && x == x.trunc()
}

fn f(bits: u64) -> f64 {
    f64::from_bits(bits)
}

/// Returns the expected result of the operation of this XLA name, if it is exact.
fn due(name: &str) -> Option<Double> {
    use Double::{Float, Pred};
    Some(match name {
        "Add" => Float(|[a, b]| (f(a) + f(b)).to_bits()),
        "Sub" => Float(|[a, b]| (f(a) - f(b)).to_bits()),
        "Mul" => Float(|[a, b]| (f(a) * f(b)).to_bits()),
        "Div" => Float(|[a, b]| (f(a) / f(b)).to_bits()),
        "Sqrt" => Float(|[a, _]| f(a).sqrt().to_bits()),
        "Reciprocal" => Float(|[a, _]| (1.0 / f(a)).to_bits()),
        "Square" => Float(|[a, _]| (f(a) * f(a)).to_bits()),
        "Rem" => Float(|[a, b]| (f(a) % f(b)).to_bits()),
        "FloorDivide" => Float(|[a, b]| numpy_division::f64::floor_divide(f(a), f(b)).to_bits()),
        "Remainder" => Float(|[a, b]| numpy_division::f64::remainder(f(a), f(b)).to_bits()),
        "Copysign" => Float(|[a, b]| f(a).copysign(f(b)).to_bits()),
        "Max" => Float(|[a, b]| larger(f(a), f(b)).to_bits()),
        "Min" => Float(|[a, b]| (-larger(-f(a), -f(b))).to_bits()),
        "Abs" => Float(|[a, _]| f(a).abs().to_bits()),
        "Neg" => Float(|[a, _]| (-f(a)).to_bits()),
        "Real" => Float(|[a, _]| a),
        "Imag" => Float(|_| 0),
        "Sign" => Float(|[a, _]| sign(f(a)).to_bits()),
        "Ceil" => Float(|[a, _]| f(a).ceil().to_bits()),
        "Floor" => Float(|[a, _]| f(a).floor().to_bits()),
        "Trunc" => Float(|[a, _]| f(a).trunc().to_bits()),
        "Round" => Float(|[a, _]| f(a).round().to_bits()),
        "RoundNearestEven" => Float(|[a, _]| f(a).round_ties_even().to_bits()),
        "NextAfter" => Float(|[a, b]| next_after(a, b)),
        "IsFinite" => Pred(|[a, _]| f(a).is_finite().into()),
        "IsInf" => Pred(|[a, _]| f(a).is_infinite().into()),
        "IsNan" => Pred(|[a, _]| f(a).is_nan().into()),
        "Signbit" => Pred(|[a, _]| f(a).is_sign_negative().into()),
        "Eq" => Pred(|[a, b]| (f(a) == f(b)).into()),
        "Ne" => Pred(|[a, b]| (f(a) != f(b)).into()),
        "Lt" => Pred(|[a, b]| (f(a) < f(b)).into()),
        "Le" => Pred(|[a, b]| (f(a) <= f(b)).into()),
        "Gt" => Pred(|[a, b]| (f(a) > f(b)).into()),
        "Ge" => Pred(|[a, b]| (f(a) >= f(b)).into()),
        "EqTotalOrder" => Pred(|[a, b]| f(a).total_cmp(&f(b)).is_eq().into()),
        "NeTotalOrder" => Pred(|[a, b]| f(a).total_cmp(&f(b)).is_ne().into()),
        "LtTotalOrder" => Pred(|[a, b]| f(a).total_cmp(&f(b)).is_lt().into()),
        "LeTotalOrder" => Pred(|[a, b]| f(a).total_cmp(&f(b)).is_le().into()),
        "GtTotalOrder" => Pred(|[a, b]| f(a).total_cmp(&f(b)).is_gt().into()),
        "GeTotalOrder" => Pred(|[a, b]| f(a).total_cmp(&f(b)).is_ge().into()),
        _ => return None,
    })
}

/// Returns the larger one; NaN if either is, and +0 over -0.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        return f64::NAN;
    }
    if a == b {
        return if a.is_sign_negative() { b } else { a };
    }
    if a > b { a } else { b }
}

/// Returns -1 or 1; zeros and NaN stay as they are.
fn sign(a: f64) -> f64 {
    if a == 0.0 || a.is_nan() { a } else { 1f64.copysign(a) }
}

fn next_after(from: u64, to: u64) -> u64 {
    let (a, b) = (f(from), f(to));
    if a.is_nan() || b.is_nan() {
        return f64::NAN.to_bits();
    }
    if a == b {
        return to;
    }
    if b > a { a.next_up().to_bits() } else { a.next_down().to_bits() }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "in tests a panic is the report")]

    use indim::ElementType;

    use super::*;
    use crate::typed::inputs::Inputs;

    #[test]
    fn the_platform_keeps_to_the_bounds() {
        let inputs = Inputs::default();
        for &(name, bound) in BOUNDS {
            let double = Double::of(name).unwrap();
            let (mut worst, mut at) = (0f64, [0; 2]);
            for number in (0..1 << 14).chain(1 << 20..(1 << 20) + (1 << 14)) {
                let operands = match double {
                    Double::Binary(..) => inputs.pair(ElementType::F64, number),
                    _ => [inputs.unary(ElementType::F64, number), 0],
                };
                let quick = double.quick(operands);
                if quick.is_normal()
                    && let Verdict::Error(error) = double.judge(operands, quick.to_bits())
                {
                    (worst, at) = if error > worst { (error, operands) } else { (worst, at) };
                }
            }
            assert!(worst > 0.49 && worst <= bound, "{name}: {worst} at {at:x?}");
        }
    }

    #[test]
    fn special_values_are_exact() {
        let judge = |name: &str, x: f64, got: f64| {
            Double::of(name).unwrap().judge([x.to_bits(), 0], got.to_bits())
        };
        assert_eq!(judge("Lgamma", -3.0, f64::INFINITY), Verdict::Error(0.0));
        assert_eq!(judge("Lgamma", -3.0, 1e300), Verdict::Mistake);
        assert_eq!(judge("Lgamma", 2.6e305, f64::INFINITY), Verdict::Error(0.0));
        assert_eq!(judge("Lgamma", 1.0, 0.0), Verdict::Error(0.0));
        assert_eq!(judge("Digamma", 0.0, f64::INFINITY), Verdict::Mistake);
        assert_eq!(judge("Digamma", 3.0, f64::NAN), Verdict::Mistake);
        assert_eq!(judge("Sin", -0.0, -0.0), Verdict::Error(0.0));
        assert_eq!(judge("Sin", -0.0, 0.0), Verdict::Mistake);
        assert_eq!(judge("Exp", 800.0, f64::INFINITY), Verdict::Error(0.0));
        assert_eq!(judge("Exp", 800.0, f64::MAX), Verdict::Mistake);
        assert_eq!(judge("Exp", -800.0, 0.0), Verdict::Error(0.0));
    }
}
