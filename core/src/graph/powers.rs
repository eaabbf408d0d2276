//! Exponents whose powers are computed by simpler operations. Kernels take constants as arguments, so a
//! computation whose constants differ shares their program; these exponents belong to its structure.

use crate::graph::operation::Operation;
use crate::semantics::element::{ElementType, Scalar, ScalarValue};
use crate::semantics::opcode::Opcode;

/// An exponent of this value.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Exponent {
    Zero,
    One,
    Two,
    Three,
    MinusOne,
    Half,
    MinusHalf,
}

impl Exponent {
    /// Returns the exponent of this value, of a real type.
    pub fn of(value: Scalar) -> Option<Self> {
        let value = match value.value() {
            ScalarValue::Float(value) => value,
            // Negative powers of integers are left to `pow`.
            ScalarValue::Integer(value @ 0..=3) => value as f64,
            _ => return None,
        };
        let known = [
            (0.0, Self::Zero),
            (1.0, Self::One),
            (2.0, Self::Two),
            (3.0, Self::Three),
            (-1.0, Self::MinusOne),
            (0.5, Self::Half),
            (-0.5, Self::MinusHalf),
        ];
        known.into_iter().find(|(of, _)| *of == value).map(|(_, exponent)| exponent)
    }
}

/// Returns true if an operation is a power of real numbers, whose exponent is its second operand.
pub fn is_power(operation: &Operation, element_type: ElementType) -> bool {
    operation.opcode() == Opcode::Pow && element_type != ElementType::C64
}

/// Returns true if an operation repeats its operand, so that an exponent is one below it, too.
pub fn repeats(operation: &Operation) -> bool {
    matches!(operation.opcode(), Opcode::Broadcast | Opcode::BroadcastInDim)
}
