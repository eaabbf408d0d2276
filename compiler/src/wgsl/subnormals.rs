//! Decides which operands and results are flushed by their bits, so that one rule on subnormals
//! holds for all operations of a kernel.

use super::wgsl_type::WgslType;
use crate::arithmetic::Subnormals;
use crate::kernel::body::KernelOp;
use indim_core::semantics::element::{ElementType, Form};
use indim_core::semantics::opcode::{OpClass, Opcode};
use indim_core::semantics::precision::Precision;

/// The parts of an operation that are flushed by bits: only 32-bit floats, and parts of complex
/// numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Flush {
    pub(super) operands: bool,
    pub(super) result: bool,
}

impl Flush {
    pub(super) const NEVER: Self = Self { operands: false, result: false };
    const ALWAYS: Self = Self { operands: true, result: true };

    /// Returns the parts of an operation that are flushed; the operation may be native to the
    /// shader.
    ///
    /// A native operation flushes by itself where the adapter flushes everything. Functions also
    /// work on bits, and so need explicit flushes.
    pub(super) fn of(op: &KernelOp, is_own: bool, subnormals: Subnormals) -> Self {
        if op.precision == Precision::Relaxed || !computes(op) {
            return Self::NEVER;
        }
        if subnormals == Subnormals::Flushed && (is_own || is_native(op)) {
            return Self::NEVER;
        }
        Self::of_function(subnormals)
    }

    /// Returns the parts of a function on floats that are flushed.
    pub(super) fn of_function(subnormals: Subnormals) -> Self {
        if subnormals == Subnormals::Kept { Self::NEVER } else { Self::ALWAYS }
    }
}

/// Returns true if an operation computes with 32-bit floats. Operations that move their bits,
/// compare them as integers or round them on the bits keep subnormals on every adapter, and an F16
/// is never subnormal as an f32.
fn computes(op: &KernelOp) -> bool {
    use Opcode::{
        Abs, BitcastConvertType, Clamp, Complex, Conj, Copysign, Imag, IsFinite, IsInf, IsNan, Max,
        Min, Neg, NextAfter, Real, ReducePrecision, Select, Signbit,
    };
    use Opcode::{
        EqTotalOrder, GeTotalOrder, GtTotalOrder, LeTotalOrder, LtTotalOrder, NeTotalOrder,
    };
    let is_single =
        |ty: ElementType| matches!(ty.form(), Form::F32 | Form::C64) && ty != ElementType::F16;
    match op.opcode {
        // The magnitude of a complex number is computed.
        Abs => op.from.form() == Form::C64,
        Neg | Copysign | Conj | Real | Imag | Complex | Select | BitcastConvertType => false,
        IsFinite | IsInf | IsNan | Signbit => false,
        Max | Min | Clamp | NextAfter | ReducePrecision => false,
        EqTotalOrder | NeTotalOrder | LtTotalOrder | LeTotalOrder | GtTotalOrder | GeTotalOrder => {
            false
        }
        // Among F32, BF16 and C64 bits are moved or rounded, and of the conversions to other types
        // only these distinguish a subnormal from zero.
        Opcode::ConvertElementType => match (op.from, op.element_type) {
            (from, ElementType::Pred | ElementType::F64) => is_single(from),
            (ElementType::F64, to) => is_single(to),
            _ => false,
        },
        _ => is_single(op.from),
    }
}

/// Returns true if a function leaves the floats to a native operation of the shader.
fn is_native(op: &KernelOp) -> bool {
    let sum = matches!(op.opcode, Opcode::Add | Opcode::Sub);
    op.opcode.class() == OpClass::Compare || (sum && op.from.form() == Form::C64)
}

/// Returns the text of a value of this type with zeros in place of subnormals.
pub(super) fn flush(text: &str, ty: WgslType, quad: bool) -> String {
    match ty {
        WgslType::F32 if quad => format!("xla_flushed_4({text})"),
        WgslType::F32 => format!("xla_flushed({text})"),
        WgslType::Complex => format!("xla_flushed_c64({text})"),
        _ => text.to_owned(),
    }
}
