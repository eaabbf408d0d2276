//! XLA's result for one element of any type, or all results that it may give: written from its
//! documented and measured semantics, on the CPU. It shares nothing with the library but the names
//! of element types and opcodes.
//!
//! `tests/golden/oracle.rs` compares it with XLA's recorded answers; since it agrees with XLA
//! there, it may judge the library on inputs that XLA was never given.

pub mod approximate;
pub mod complex;
pub mod convert;
pub mod float;
pub mod format;
pub mod integer;
pub mod order;
pub mod reduce;
pub mod value;

use indim::{ElementType, OpClass, Opcode};

use crate::operations;

use ElementType::{C64, F32, Pred};
use value::Value;

/// An operation of two operands of a type, compares included.
pub fn binary(opcode: Opcode, element: ElementType, a: Value, b: Value) -> Value {
    match format::of(element) {
        _ if opcode == Opcode::Complex => {
            let part = |value| value::Span::from_value(value, format::F32);
            match (a, b) {
                (Value::Bits(a), Value::Bits(b)) => Value::Bits(a | b << 32),
                _ => Value::complex(part(a), part(b)),
            }
        }
        _ if element == C64 => complex::binary(opcode, a, b),
        Some(format) => float::binary(opcode, format, a, b),
        None => integer::binary(opcode, element, a, b),
    }
}

/// An operation of one operand of a type.
pub fn unary(opcode: Opcode, element: ElementType, x: Value) -> Value {
    match format::of(element) {
        _ if opcode == Opcode::Conj => complex::conjugate(element, x),
        _ if element == C64 => complex::unary(opcode, x),
        Some(format) => float::unary(opcode, format, x),
        None => integer::unary(opcode, element, x),
    }
}

/// An elementwise operation on operands of a type, as [`crate::operations::elementwise`] applies
/// it; for Select the type is that of the values.
pub fn elementwise(opcode: Opcode, element: ElementType, operands: &[Value]) -> Value {
    let float = || format::of(element).expect("a float");
    match (opcode.class(), operands) {
        (OpClass::Unary, &[x]) => unary(opcode, element, x),
        (OpClass::Binary | OpClass::Compare, &[x, y]) => binary(opcode, element, x, y),
        (OpClass::Pair, &[x, y]) => float::next_after(float(), x, y),
        (OpClass::Format, &[x]) => {
            let (exponent_bits, mantissa_bits) = operations::FORMAT;
            float::reduce_precision(float(), x, exponent_bits, mantissa_bits)
        }
        (OpClass::Ternary, &[pred, x, y]) if opcode == Opcode::Select => {
            if pred == Value::Bits(1) {
                x
            } else {
                y
            }
        }
        (OpClass::Ternary, &[min, x, max]) => clamp(element, min, x, max),
        (class, _) => panic!("{} of class {class:?}", opcode.name()),
    }
}

/// The type of an elementwise operation's result.
pub fn elementwise_type(opcode: Opcode, element: ElementType) -> ElementType {
    match opcode.class() {
        OpClass::Unary => unary_type(opcode, element),
        _ => binary_type(opcode, element),
    }
}

/// The type of a binary operation's result.
pub fn binary_type(opcode: Opcode, element: ElementType) -> ElementType {
    use Opcode::*;
    match opcode {
        Eq | Ne | Lt | Le | Gt | Ge => Pred,
        EqTotalOrder | NeTotalOrder | LtTotalOrder | LeTotalOrder | GtTotalOrder | GeTotalOrder => {
            Pred
        }
        Complex => C64,
        _ => element,
    }
}

/// The type of a unary operation's result.
pub fn unary_type(opcode: Opcode, element: ElementType) -> ElementType {
    match opcode {
        Opcode::IsFinite | Opcode::IsInf | Opcode::IsNan | Opcode::Signbit => Pred,
        Opcode::Conj => C64,
        Opcode::Abs | Opcode::Real | Opcode::Imag if element == C64 => F32,
        _ => element,
    }
}

pub fn clamp(element: ElementType, min: Value, x: Value, max: Value) -> Value {
    match format::of(element) {
        Some(format) => float::clamp(format, min, x, max),
        None => {
            let lower = integer::binary(Opcode::Max, element, min, x);
            integer::binary(Opcode::Min, element, lower, max)
        }
    }
}
