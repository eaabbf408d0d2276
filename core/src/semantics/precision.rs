//! [`Precision`]: what float operations promise.

use std::fmt;

use crate::semantics::element::ElementType;
use crate::semantics::opcode::Opcode;

/// A promise about the results of a computation's float operations.
///
/// It is set for a context (`ContextOptions::precision`), an expression (`Expr::with_precision`) or
/// the operations that a [`Builder`](crate::Builder) adds from then on; the innermost one holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
#[non_exhaustive]
pub enum Precision {
    /// Results are XLA's on every adapter: each operation rounds by itself, functions keep to their
    /// error bounds, and NaN, infinities and signed zeros follow IEEE 754 and C99.
    #[default]
    Accurate,
    /// Operations compute in the fastest way: with WGSL's own functions where these are faster, and
    /// the driver may rewrite neighbouring operations together.
    ///
    /// Nothing is promised about the bits of computed floats, nor about NaN, infinities and zeros:
    /// WGSL lets its functions be far off (sin and cos by 2^-11), and compilers assume that NaN and
    /// infinity do not occur. The promises of [`Precision::Accurate`] still hold for integers,
    /// booleans, comparisons, is_finite, conversions, reduce_precision, next_after, data movement
    /// (views, broadcasts, select, bitcasts), abs, neg, copysign, is_inf, is_nan and signbit.
    Relaxed,
}

impl fmt::Display for Precision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Accurate => "accurate",
            Self::Relaxed => "relaxed",
        })
    }
}

impl Precision {
    /// Returns the requested precision if it makes a difference to this operation, else `None`, so
    /// that instructions that compute the same compare equal.
    #[doc(hidden)]
    pub fn of(requested: Option<Self>, opcode: Opcode, result: ElementType) -> Option<Self> {
        use ElementType::{Bf16, F16, F32};
        let is_in_f32 = match opcode {
            Opcode::ReduceSum | Opcode::ReduceProd => matches!(result, F32 | F16 | Bf16),
            _ => result == F32,
        };
        requested.filter(|_| opcode.rounds() && is_in_f32)
    }
}
