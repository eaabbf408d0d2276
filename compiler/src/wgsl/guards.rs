//! Finds the values of a body that compilers must be kept from rewriting together with their
//! uses.

use crate::kernel::body::{KernelOp, ValueRef};
use crate::plan::kernel::{PlannedBody, PlannedFold};
use crate::wgsl::wgsl_type::GuardBy;
use indim_core::semantics::element::{ElementType, Form};
use indim_core::semantics::opcode::{Cost, Opcode};
use indim_core::semantics::precision::Precision;

/// Returns the operations whose results are guarded: floats that accurate operations use.
///
/// Compilers rewrite neighbouring operations together: they contract a product and a sum, cancel
/// `(x + y) - x` and `-(-x) - x`, take `1 / (1 / x)` for `x` and `0 * x` for 0. XLA rounds each
/// separately. (Measured: lavapipe does all of these but the contraction, which GPUs do.) Compilers
/// see through moves, which therefore need no guard among themselves. A relaxed operation may be
/// rewritten with its operands: that changes only its own value, not theirs. A value rounded to F16
/// or BF16 on its bits needs no guard, because compilers cannot see through that.
pub(super) fn guarded_ops(body: &PlannedBody, is_half: bool) -> Vec<bool> {
    let mut guarded = vec![false; body.ops.len()];
    for op in body.ops.iter().filter(|op| !moves_float(op) && !is_relaxed(op)) {
        for &operand in &op.operands {
            if let ValueRef::Op(number) = operand {
                guarded[number] = match body.ops[number].element_type {
                    ElementType::F16 => is_half,
                    ElementType::F32 | ElementType::F64 | ElementType::C64 => true,
                    _ => false,
                };
            }
        }
    }
    guarded
}

/// Guards the floats that a fold adds or multiplies, too.
pub(super) fn guard_folded(body: &PlannedBody, fold: &PlannedFold, guarded: &mut [bool]) {
    let computes = |by: Opcode| matches!(by, Opcode::Add | Opcode::Mul);
    for accumulator in fold.accumulators.iter().filter(|accumulator| computes(accumulator.by)) {
        for value in accumulator.values.iter().flatten() {
            if let ValueRef::Op(number) = *value {
                let form = body.ops[number].element_type.form();
                guarded[number] |= matches!(form, Form::F32 | Form::F64 | Form::C64);
            }
        }
    }
}

/// Returns true if an operation only passes on the bits of another value, or changes its sign.
fn moves_float(op: &KernelOp) -> bool {
    use Opcode::{Abs, BitcastConvertType, Neg, Select};
    // The magnitude of a complex number is computed.
    let real = op.from.form() != Form::C64;
    matches!(op.opcode, BitcastConvertType | Neg | Select) || (op.opcode == Abs && real)
}

/// Returns the guard of an operation's result, if it has one: a different one if the result may be
/// bits of a guarded operand, perhaps with another sign.
pub(super) fn guard_by(op: &KernelOp, guarded: bool) -> Option<GuardBy> {
    use Opcode::{Complex, Conj, ConvertElementType, Copysign, Imag, Real};
    let passes_on = match op.opcode {
        Complex | Conj | Copysign | Imag | Real => true,
        ConvertElementType => matches!(op.element_type.form(), Form::F32 | Form::C64),
        _ => moves_float(op),
    };
    guarded.then_some(if passes_on { GuardBy::Or } else { GuardBy::Xor })
}

pub(super) fn is_relaxed(op: &KernelOp) -> bool {
    op.precision == Precision::Relaxed
}

/// Returns the constants from which much may be computed without arrays: operands of costly
/// operations, which begin by computing on each operand alone, and operands of operations on
/// constants only.
///
/// For every condition, lavapipe checks whether it depends on uniforms alone, and visits shared
/// operands once for each use: in `z ** w` with a complex constant this does not finish. A zero
/// that depends on the invocation stops it at once.
pub(super) fn guarded_constants(body: &PlannedBody) -> Vec<bool> {
    let mut guarded = vec![false; body.constants.len()];
    let mut is_constant: Vec<bool> = Vec::with_capacity(body.ops.len());
    for op in &body.ops {
        let of_constants = op.operands.iter().all(|&operand| match operand {
            ValueRef::Constant(_) => true,
            ValueRef::Op(number) => is_constant[number],
            ValueRef::Load(_) | ValueRef::Folded(_) => false,
        });
        is_constant.push(of_constants);
        let is_costly = op.cost().class != Cost::Cheap;
        for &operand in op.operands.iter().filter(|_| of_constants || is_costly) {
            if let ValueRef::Constant(number) = operand {
                guarded[number] = true;
            }
        }
    }
    guarded
}
