//! [`Precision`]: what float operations promise.

use std::fmt;

use crate::semantics::element::ElementType;
use crate::semantics::opcode::{OpClass, Opcode};

/// What the float operations of a computation promise.
///
/// It is set for a context ([`ContextOptions::precision`](crate::ContextOptions::precision)), an
/// expression ([`Expr::with_precision`](crate::Expr::with_precision)) or the operations that a
/// [`Builder`](crate::Builder) adds from then on; the innermost one holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Precision {
    /// XLA's results on every adapter: each operation rounds by itself, functions keep to their
    /// error bounds, NaN, infinities and signed zeros are what IEEE 754 and C99 say.
    #[default]
    Accurate,
    /// Whatever is fastest: WGSL's own functions where they are, and neighbouring operations
    /// rewritten together as the driver sees fit.
    ///
    /// Nothing is promised about the bits of floats that are computed, NaN, infinities and zeros
    /// among them: WGSL lets its functions be far off (sin and cos by 2^-11), and compilers assume
    /// that NaN and infinity do not occur. Integers, truth values, compares, is_finite, conversions,
    /// reduce_precision, next_after, moves (views, broadcasts, select, bitcasts) and what only moves
    /// bits (abs, neg) are as accurate ones are.
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
    /// What an operation keeps of the precision that was asked for: nothing where there is only
    /// one, so that equal instructions stay equal.
    pub(crate) fn of(asked: Option<Self>, opcode: Opcode, result: ElementType) -> Option<Self> {
        use Opcode::{Abs, Clamp, Imag, Neg, Real};
        let rounds = match opcode.class() {
            OpClass::Binary | OpClass::Unary => !matches!(opcode, Abs | Imag | Neg | Real),
            _ => opcode == Clamp,
        };
        asked.filter(|_| rounds && result == ElementType::F32)
    }
}
