//! [`Precision`]: what float operations promise, and how the relaxed ones are written.

use std::fmt;

use crate::semantics::element::ElementType;
use crate::semantics::opcode::{OpClass, Opcode, Spelling};
use Spelling::Any;

/// A promise about the results of a computation's float operations.
///
/// It is set for a context ([`ContextOptions::precision`](crate::ContextOptions::precision)), an
/// expression ([`Expr::with_precision`](crate::Expr::with_precision)) or the operations that a
/// [`Builder`](crate::Builder) adds from then on; the innermost one holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
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
    /// infinity do not occur. As with [`Precision::Accurate`] are integers, booleans, comparisons,
    /// is_finite, conversions, reduce_precision, next_after, data movement (views, broadcasts, select,
    /// bitcasts), abs and neg.
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
    /// Returns the requested precision where it makes a difference to this operation, and else none,
    /// so that instructions that compute the same compare equal.
    pub(crate) fn of(requested: Option<Self>, opcode: Opcode, result: ElementType) -> Option<Self> {
        use Opcode::{Abs, Clamp, Imag, Neg, Real};
        let rounds = match opcode.class() {
            OpClass::Binary | OpClass::Unary => !matches!(opcode, Abs | Imag | Neg | Real),
            _ => opcode == Clamp,
        };
        requested.filter(|_| rounds && result == ElementType::F32)
    }
}

/// How a relaxed operation on F32 is written, where that is another way than the accurate one: as
/// WGSL's own function where it has one that was measured to be faster.
///
/// How many times faster, on lavapipe, is beside each: in the first column one application to 4 million
/// elements, memory included; in the second the sum of eight applications to `x * c`, where memory
/// counts for little. Both are medians by turns. What has no function in WGSL stays as it is: what could
/// be put together for expm1, log1p and cbrt is up to 2.5 times as fast, and loses what they are for.
/// Quotients and roots are native, which is faster where an adapter does not round them correctly.
// The figures in columns.
#[rustfmt::skip]
pub(crate) fn relaxed_spelling(opcode: Opcode) -> Option<Spelling> {
    Some(match opcode {
        Opcode::Div => Any("({a} / {b})"),                      // 1.0  1.0
        Opcode::Reciprocal => Any("({F}(1.0) / {a})"),          // 1.0  1.0
        Opcode::Sqrt => Any("sqrt({a})"),                       // 1.0  1.0
        Opcode::Rsqrt => Any("inverseSqrt({a})"),               // 1.2  1.2
        Opcode::Rem => Any("({a} % {b})"),                      // 1.4  3.9
        Opcode::Pow => Any("pow({a}, {b})"),                    // 1.6  3.6
        Opcode::Max => Any("max({a}, {b})"),                    // 1.1  1.4
        Opcode::Min => Any("min({a}, {b})"),                    // 1.1  1.4
        Opcode::Clamp => Any("min(max({a}, {b}), {c})"),        // 1.2  1.6
        Opcode::Sign => Any("sign({a})"),                       // 1.2  1.1
        Opcode::Ceil => Any("ceil({a})"),                       // 1.0  1.2
        Opcode::Floor => Any("floor({a})"),                     // 1.3  1.2
        Opcode::RoundNearestEven => Any("round({a})"),          // 1.1  1.2
        Opcode::Exp => Any("exp({a})"),                         // 1.4  2.2
        Opcode::Logistic => Any("(1.0 / (1.0 + exp(-{a})))"),   // 1.3  2.0
        Opcode::Log => Any("log({a})"),                         // 1.2  1.6
        Opcode::Sin => Any("sin({a})"),                         // 1.7  2.9
        Opcode::Cos => Any("cos({a})"),                         // 1.6  3.0
        Opcode::Tan => Any("tan({a})"),                         // 1.6  2.7
        Opcode::Asin => Any("asin({a})"),                       // 1.1  1.2
        Opcode::Acos => Any("acos({a})"),                       // 1.2  1.7
        Opcode::Atan => Any("atan({a})"),                       // 1.2  1.4
        Opcode::Atan2 => Any("atan2({a}, {b})"),                // 1.0  1.3
        Opcode::Sinh => Any("sinh({a})"),                       // 1.4  2.1
        Opcode::Cosh => Any("cosh({a})"),                       // 1.3  1.6
        Opcode::Tanh => Any("tanh({a})"),                       // 1.1  1.6
        Opcode::Asinh => Any("asinh({a})"),                     // 1.6  2.5
        Opcode::Acosh => Any("acosh({a})"),                     // 1.2  2.0
        Opcode::Atanh => Any("atanh({a})"),                     // 1.6  2.5
        _ => return None,
    })
}
