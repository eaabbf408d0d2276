//! Second operands with which an operation is simpler. Kernels take constants as arguments, so that
//! computations whose constants differ share a program; these constants belong to the structure instead.

use crate::graph::operation::Operation;
use crate::graph::powers::Exponent;
use crate::semantics::element::{ElementType, Scalar, ScalarValue};
use crate::semantics::opcode::Opcode;

/// A second operand that is part of a computation's structure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum KnownOperand {
    /// The exponent of a power.
    Exponent(Exponent),
    /// The distance 32 of a shift of 64 bits to the left, which moves the low word into the high one.
    Word,
}

impl KnownOperand {
    /// Returns true if an operation is simpler with some second operands: a power of real numbers, or a
    /// shift of 64 bits to the left.
    pub fn may_be_of(operation: &Operation, element_type: ElementType) -> bool {
        match operation.opcode() {
            Opcode::Pow => element_type != ElementType::C64,
            Opcode::ShiftLeft => matches!(element_type, ElementType::S64 | ElementType::U64),
            _ => false,
        }
    }

    /// Returns the second operand of this value, if the operation, one of those above, is simpler
    /// with it.
    pub fn of(operation: &Operation, value: Scalar) -> Option<Self> {
        match operation.opcode() {
            Opcode::ShiftLeft => (value.value() == ScalarValue::Integer(32)).then_some(Self::Word),
            _ => Exponent::of(value).map(Self::Exponent),
        }
    }
}

/// Returns true if an operation repeats its operand, so that a constant below it is known, too.
pub fn repeats(operation: &Operation) -> bool {
    matches!(operation.opcode(), Opcode::Broadcast | Opcode::BroadcastInDim)
}
