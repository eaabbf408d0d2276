//! Judges functions on F16 and BF16 by float64, which has their true values with bits to spare.

use std::cmp::Ordering;

use indim_reference::may_be_flushed;

use crate::exact::{self, Due};
use crate::judge::Verdict;
use crate::typed::format::Format;

/// From this many ULP on, an infinity in place of a number, or the reverse, cannot come from
/// rounding.
const OVERFLOW_ULPS: f64 = 8.0;

/// The reference that a result is judged by.
#[derive(Debug, Clone, Copy)]
pub enum Narrow {
    /// The true value of a function of one operand.
    Unary(fn(f64) -> f64),
    /// A function of two operands.
    Binary(fn(f64, f64) -> f64),
    /// The expected result on F32 for operands that F32 also has; floats still need one rounding.
    Due(Due),
    /// The neighbour, which is another one than on F32.
    NextAfter,
    /// A comparison by total order, which asks for all bits of a NaN.
    TotalOrder(fn(Ordering) -> bool),
}

impl Narrow {
    /// Returns the reference of the operation of this XLA name.
    pub fn of(name: &str) -> Option<Self> {
        let special = match name {
            "NextAfter" => Some(Self::NextAfter),
            "EqTotalOrder" => Some(Self::TotalOrder(Ordering::is_eq)),
            "NeTotalOrder" => Some(Self::TotalOrder(Ordering::is_ne)),
            "LtTotalOrder" => Some(Self::TotalOrder(Ordering::is_lt)),
            "LeTotalOrder" => Some(Self::TotalOrder(Ordering::is_le)),
            "GtTotalOrder" => Some(Self::TotalOrder(Ordering::is_gt)),
            "GeTotalOrder" => Some(Self::TotalOrder(Ordering::is_ge)),
            _ => None,
        };
        if special.is_some() {
            return special;
        }
        exact::due(name)
            .map(Self::Due)
            .or_else(|| indim_reference::unary(name).map(Self::Unary))
            .or_else(|| indim_reference::binary(name).map(Self::Binary))
    }

    /// Returns whether results must be exact.
    pub fn is_exact(self) -> bool {
        !matches!(self, Self::Unary(_) | Self::Binary(_))
    }

    /// Returns the limit in ULP: half of one for correctly rounded operations, one for
    /// approximations, which are rounded twice.
    pub fn limit(self) -> f64 {
        match self {
            Self::Due(Due::Rounded(..)) => 0.5,
            Self::Due(_) | Self::NextAfter | Self::TotalOrder(_) => 0.0,
            Self::Unary(_) | Self::Binary(_) => 1.0,
        }
    }

    /// Returns the true value; for an integer, that number.
    pub fn truth(self, format: Format, operands: [u64; 2]) -> f64 {
        let [a, b] = operands.map(|bits| format.decode(bits));
        // Exact: F32 has all of these numbers.
        let wide = [a, b].map(|x| (x as f32).to_bits());
        let float = |bits: u32| f64::from(f32::from_bits(bits));
        match self {
            Self::Unary(truth) => truth(a),
            Self::Binary(truth) => truth(a, b),
            Self::Due(Due::Rounded(truth, _)) => truth(wide),
            Self::Due(Due::Float(bits)) => float(bits(wide)),
            Self::Due(Due::Integer(bits)) => bits(wide).into(),
            Self::NextAfter => format.decode(format.next_after(operands[0], operands[1])),
            Self::TotalOrder(holds) => {
                let [a, b] = operands.map(|bits| format.total_order_key(bits));
                u8::from(holds(a.cmp(&b))).into()
            }
        }
    }

    /// Returns the expected bits, if exact ones are required.
    pub fn due(self, format: Format, operands: [u64; 2]) -> Option<u64> {
        match self {
            Self::Unary(_) | Self::Binary(_) => None,
            Self::NextAfter => Some(format.next_after(operands[0], operands[1])),
            Self::Due(Due::Integer(_)) | Self::TotalOrder(_) => {
                Some(self.truth(format, operands) as u64)
            }
            Self::Due(_) => Some(format.round(self.truth(format, operands))),
        }
    }
}

/// Judges a number of a format against the true value, as [`crate::judge::judge`] does on F32.
pub fn judge(format: Format, got: u64, truth: f64) -> Verdict {
    let number = format.decode(got);
    if number.is_nan() || truth.is_nan() {
        let both = number.is_nan() && truth.is_nan();
        return if both { Verdict::Error(0.0) } else { Verdict::Mistake };
    }
    let zero = number == 0.0 && truth.abs() < format.smallest_normal();
    if zero && number.is_sign_negative() != truth.is_sign_negative() {
        return Verdict::Mistake;
    }
    let beyond = format.beyond();
    let same_side = number.is_sign_positive() == truth.is_sign_positive();
    if number.is_infinite() && same_side && truth.abs() >= beyond {
        return Verdict::Error(0.0);
    }
    let nearest = number.clamp(-beyond, beyond);
    let mut off = (nearest - truth).abs();
    if zero && format.flushes && may_be_flushed(truth) {
        // It is computed on F32, and rounded to the format after that.
        off = 0.0;
    } else if zero && format.flushes {
        off = (truth.abs() - format.largest_subnormal()).max(0.0);
    }
    let error = off / format.spacing(truth);
    let special = number.is_infinite() || truth.abs() >= beyond;
    if error.is_nan() || error.is_infinite() || special && error >= OVERFLOW_ULPS {
        return Verdict::Mistake;
    }
    Verdict::Error(error)
}
