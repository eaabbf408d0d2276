//! How `ConvertElementType` is written, by the forms in which shaders hold values.
//!
//! A conversion goes to the form of the other type, and from there to the type itself where it is
//! narrower than its form (see [`Narrowing`]); a complex number gives its real part.

use super::narrowing::Narrowing;
use super::spelling::Spelling::{self, Any, Scalar as Each};
use crate::semantics::element::{ElementType, Form};

/// Returns how a value of one type becomes one of another's form, and how that is narrowed. Nothing
/// is narrowed where the type stays the same.
pub(super) fn conversion(from: ElementType, to: ElementType) -> (Spelling, Narrowing) {
    let real = |form| matches!(form, Form::F32 | Form::F64 | Form::C64);
    let narrowing = match Narrowing::to_type(to) {
        Narrowing::Wrap if real(from.form()) => Narrowing::Saturate,
        // Every number of a type with fewer bits is there.
        Narrowing::Round | Narrowing::Wrap if from == to || from.form() == Form::Bool => {
            Narrowing::Keep
        }
        narrowing => narrowing,
    };
    // Two roundings, of which the first is to odd, are as good as one (Boldo & Melquiond, "When
    // double rounding is odd", 2005).
    let spelling = match narrowing {
        Narrowing::Round => to_odd(from.form()),
        _ => between(from.form(), to.form()),
    };
    (spelling, narrowing)
}

/// Returns how a value becomes an f32 that may be rounded once more.
fn to_odd(from: Form) -> Spelling {
    match from {
        Form::S32 => Each("xla_s32_to_f32_odd({a})"),
        Form::U32 => Each("xla_u32_to_f32_odd({a})"),
        Form::S64 => Each("xla_s64_to_f32_odd({a})"),
        Form::U64 => Each("xla_u64_to_f32_odd({a})"),
        Form::F64 => Each("xla_f64_to_f32_odd({a})"),
        Form::Bool | Form::F32 | Form::C64 => between(from, Form::F32),
    }
}

// The table has a pair a line.
#[rustfmt::skip]
fn between(from: Form, to: Form) -> Spelling {
    use Form::{Bool, C64, F32, F64, S32, S64, U32, U64};
    match (from, to) {
        (Bool, Bool) | (S32, S32) | (U32, U32) | (S64, S64) | (U64, U64) | (F32, F32) | (F64, F64) | (C64, C64) => Any("{a}"),
        (Bool, S32) => Any("select({I}(0), {I}(1), {a})"),
        (Bool, U32) => Any("select({U}(0u), {U}(1u), {a})"),
        (Bool, F32) => Any("select({F}(0.0), {F}(1.0), {a})"),
        (Bool, F64) => Any("select({D}(0.0), {D}(1.0), {a})"),
        (Bool, S64) => Each("xla_pred_to_s64({a})"),
        (Bool, U64) => Each("xla_pred_to_u64({a})"),
        (Bool, C64) => Each("vec2<f32>(select(0.0, 1.0, {a}), 0.0)"),
        (S32, Bool) => Any("({a} != {I}(0))"),
        (S32, U32) => Any("bitcast<{U}>({a})"),
        (S32, S64) => Each("xla_s32_to_s64({a})"),
        (S32, U64) => Each("xla_s32_to_u64({a})"),
        (S32, F32) => Each("xla_s32_to_f32({a})"),
        (S32, F64) => Each("f64({a})"),
        (S32, C64) => Each("vec2<f32>(xla_s32_to_f32({a}), 0.0)"),
        (U32, Bool) => Any("({a} != {U}(0u))"),
        (U32, S32) => Any("bitcast<{I}>({a})"),
        (U32, S64) => Each("xla_u32_to_s64({a})"),
        (U32, U64) => Each("xla_u32_to_u64({a})"),
        (U32, F32) => Each("xla_u32_to_f32({a})"),
        (U32, F64) => Each("f64({a})"),
        (U32, C64) => Each("vec2<f32>(xla_u32_to_f32({a}), 0.0)"),
        (S64, Bool) => Each("xla_s64_to_pred({a})"),
        (S64, S32) => Each("xla_s64_to_s32({a})"),
        (S64, U32) => Each("xla_s64_to_u32({a})"),
        (S64, U64) => Each("xla_s64_to_u64({a})"),
        (S64, F32) => Each("xla_s64_to_f32({a})"),
        (S64, F64) => Each("xla_s64_to_f64({a})"),
        (S64, C64) => Each("vec2<f32>(xla_s64_to_f32({a}), 0.0)"),
        (U64, Bool) => Each("xla_u64_to_pred({a})"),
        (U64, S32) => Each("xla_u64_to_s32({a})"),
        (U64, U32) => Each("xla_u64_to_u32({a})"),
        (U64, S64) => Each("xla_u64_to_s64({a})"),
        (U64, F32) => Each("xla_u64_to_f32({a})"),
        (U64, F64) => Each("xla_u64_to_f64({a})"),
        (U64, C64) => Each("vec2<f32>(xla_u64_to_f32({a}), 0.0)"),
        (F32, Bool) => Each("xla_f32_to_pred({a})"),
        (F32, S32) => Each("xla_f32_to_s32({a})"),
        (F32, U32) => Each("xla_f32_to_u32({a})"),
        (F32, S64) => Each("xla_f32_to_s64({a})"),
        (F32, U64) => Each("xla_f32_to_u64({a})"),
        (F32, F64) => Each("xla_f32_to_f64({a})"),
        (F32, C64) => Each("vec2<f32>({a}, 0.0)"),
        (F64, Bool) => Each("xla_f64_to_pred({a})"),
        (F64, S32) => Each("xla_f64_to_s32({a})"),
        (F64, U32) => Each("xla_f64_to_u32({a})"),
        (F64, S64) => Each("xla_f64_to_s64({a})"),
        (F64, U64) => Each("xla_f64_to_u64({a})"),
        (F64, F32) => Each("xla_f64_to_f32({a})"),
        (F64, C64) => Each("vec2<f32>(xla_f64_to_f32({a}), 0.0)"),
        (C64, Bool) => Each("xla_f32_to_pred({a}.x)"),
        (C64, S32) => Each("xla_f32_to_s32({a}.x)"),
        (C64, U32) => Each("xla_f32_to_u32({a}.x)"),
        (C64, S64) => Each("xla_f32_to_s64({a}.x)"),
        (C64, U64) => Each("xla_f32_to_u64({a}.x)"),
        (C64, F32) => Each("{a}.x"),
        (C64, F64) => Each("xla_f32_to_f64({a}.x)"),
    }
}
