//! Chooses how `ConvertElementType` is written, by the forms in which shaders hold values.
//!
//! A conversion goes to the form of the target type, and then to the type itself if that is
//! narrower than its form (see [`Narrowing`]); a complex number is converted by its real part.

use super::narrowing::Narrowing;
use super::spelling::Spelling::{self, Any, Each};
use indim_core::semantics::element::{ElementType, Form};

/// Returns how a value of one type becomes one of another's form, and how that is narrowed. A
/// conversion to the same type does not narrow.
pub(super) fn conversion(from: ElementType, to: ElementType) -> (Spelling, Narrowing) {
    let real = |form| matches!(form, Form::F32 | Form::F64 | Form::C64);
    let narrowing = match Narrowing::to_type(to) {
        Narrowing::Wrap if real(from.form()) => Narrowing::Saturate,
        // A value of the same type, or a PRED, is already a value of the type.
        Narrowing::Round | Narrowing::Wrap if from == to || from.form() == Form::Bool => {
            Narrowing::Keep
        }
        narrowing => narrowing,
    };
    // Two roundings, the first of them to odd, are as good as one (Boldo & Melquiond, "When double
    // rounding is odd", 2005).
    let spelling = match narrowing {
        Narrowing::Round => to_odd(from.form()),
        _ => between(from.form(), to.form()),
    };
    (spelling, narrowing)
}

/// Returns how a value becomes an f32 that may be rounded once more.
fn to_odd(from: Form) -> Spelling {
    match from {
        Form::Bool | Form::F32 | Form::C64 => between(from, Form::F32),
        _ => Each("xla_{T}_to_f32_odd({a})"),
    }
}

/// Returns how a value of one form becomes one of another.
fn between(from: Form, to: Form) -> Spelling {
    use Form::{Bool, C64, F32, F64, S32, U32};
    match (from, to) {
        _ if from == to => Any("{a}"),
        (Bool, S32) => Any("select({I}(0), {I}(1), {a})"),
        (Bool, U32) => Any("select({U}(0u), {U}(1u), {a})"),
        (Bool, F32) => Any("select({F}(0.0), {F}(1.0), {a})"),
        (Bool, F64) => Any("select({D}(0.0), {D}(1.0), {a})"),
        (Bool, C64) => Each("vec2<f32>(select(0.0, 1.0, {a}), 0.0)"),
        (S32, Bool) => Any("({a} != {I}(0))"),
        (U32, Bool) => Any("({a} != {U}(0u))"),
        (S32, U32) => Any("bitcast<{U}>({a})"),
        (U32, S32) => Any("bitcast<{I}>({a})"),
        (S32 | U32, F64) => Each("f64({a})"),
        (F32, C64) => Each("vec2<f32>({a}, 0.0)"),
        (_, C64) => Each("vec2<f32>(xla_{T}_to_f32({a}), 0.0)"),
        (C64, F32) => Each("{a}.x"),
        (C64, _) => Each("xla_f32_to_{to}({a}.x)"),
        _ => Each("xla_{T}_to_{to}({a})"),
    }
}
