//! The table of F32 operations in WGSL under [`Precision::Relaxed`].
//!
//! [`Precision::Relaxed`]: indim_core::semantics::precision::Precision::Relaxed

use super::spelling::Spelling::{self, Any};
use indim_core::semantics::opcode::Opcode;

/// Returns how a relaxed operation on F32 is written if that differs from the accurate one: WGSL's
/// own function, if it has one that was measured to be faster.
///
/// The figures are speedups on lavapipe: the first applies the operation once to 4 million
/// elements, memory included; the second sums eight applications to `x * c`, where memory counts
/// for little. Both are medians by turns. Operations without a function in WGSL stay accurate: a
/// formula for expm1, log1p or cbrt would be up to 2.5 times as fast, and lose the digits that they
/// exist for. Quotients and roots are native, which is faster where an adapter does not round them
/// correctly.
// rustfmt would break the columns of the figures.
#[rustfmt::skip]
pub(super) fn relaxed_spelling(opcode: Opcode) -> Option<Spelling> {
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
