//! XLA's operations on S32, U32 and PRED, one element at a time. Nothing is approximate here; an
//! operand that is not known makes a result that is not known.

use indim::{ElementType, Opcode};

use crate::value::Value;
use ElementType::{Pred, S32};

/// A binary operation of two elements of one type that is no float.
pub(crate) fn binary(opcode: Opcode, element: ElementType, a: Value, b: Value) -> Value {
    let (Some(a), Some(b)) = (a.bits(), b.bits()) else {
        return Value::Unknown;
    };
    match element {
        Pred => Value::Bits(pred(opcode, a, b)),
        S32 => signed(opcode, a.cast_signed(), b.cast_signed()),
        _ => unsigned(opcode, a, b),
    }
}

fn pred(opcode: Opcode, a: u32, b: u32) -> u32 {
    match opcode {
        Opcode::Add | Opcode::Max | Opcode::Or => a | b,
        Opcode::Mul | Opcode::Min | Opcode::And => a & b,
        Opcode::Xor => a ^ b,
        other => compare(other, a, b),
    }
}

/// The order of a type without NaN is total, so that both kinds of compares are one.
fn compare<T: PartialOrd>(opcode: Opcode, a: T, b: T) -> u32 {
    u32::from(match opcode {
        Opcode::Eq | Opcode::EqTotalOrder => a == b,
        Opcode::Ne | Opcode::NeTotalOrder => a != b,
        Opcode::Lt | Opcode::LtTotalOrder => a < b,
        Opcode::Le | Opcode::LeTotalOrder => a <= b,
        Opcode::Gt | Opcode::GtTotalOrder => a > b,
        Opcode::Ge | Opcode::GeTotalOrder => a >= b,
        other => unreachable!("{} is no operation of integers", other.name()),
    })
}

fn signed(opcode: Opcode, a: i32, b: i32) -> Value {
    let shift = b.cast_unsigned();
    let result = match opcode {
        Opcode::Add => a.wrapping_add(b),
        Opcode::Sub => a.wrapping_sub(b),
        Opcode::Mul => a.wrapping_mul(b),
        Opcode::Div if b == 0 => -1,
        Opcode::Div => a.wrapping_div(b),
        Opcode::Rem if b == 0 => a,
        Opcode::Rem => a.wrapping_rem(b),
        Opcode::Pow if b < 0 => i32::from(a == 1),
        Opcode::Pow => a.wrapping_pow(shift),
        Opcode::Max => a.max(b),
        Opcode::Min => a.min(b),
        Opcode::And => a & b,
        Opcode::Or => a | b,
        Opcode::Xor => a ^ b,
        Opcode::ShiftLeft => a.checked_shl(shift).unwrap_or(0),
        Opcode::ShiftRightLogical => {
            a.cast_unsigned().checked_shr(shift).unwrap_or(0).cast_signed()
        }
        Opcode::ShiftRightArithmetic => a >> shift.min(31),
        other => return Value::Bits(compare(other, a, b)),
    };
    Value::Bits(result.cast_unsigned())
}

fn unsigned(opcode: Opcode, a: u32, b: u32) -> Value {
    Value::Bits(match opcode {
        Opcode::Div if b == 0 => u32::MAX,
        Opcode::Div => a / b,
        Opcode::Rem if b == 0 => a,
        Opcode::Rem => a % b,
        // XLA's compiler takes such an exponent for a negative one, its folding does not.
        Opcode::Pow if b > i32::MAX.cast_unsigned() => return Value::Unknown,
        Opcode::Pow => a.wrapping_pow(b),
        Opcode::Max => a.max(b),
        Opcode::Min => a.min(b),
        Opcode::Add
        | Opcode::Sub
        | Opcode::Mul
        | Opcode::And
        | Opcode::Or
        | Opcode::Xor
        | Opcode::ShiftLeft
        | Opcode::ShiftRightLogical
        // Sign fill on unsigned, too.
        | Opcode::ShiftRightArithmetic => {
            return signed(opcode, a.cast_signed(), b.cast_signed());
        }
        other => compare(other, a, b),
    })
}

pub(crate) fn unary(opcode: Opcode, element: ElementType, x: Value) -> Value {
    let Some(x) = x.bits() else {
        return Value::Unknown;
    };
    let signed = x.cast_signed();
    Value::Bits(match opcode {
        Opcode::Not if element == Pred => 1 - x,
        Opcode::Square if element == Pred => x,
        Opcode::Not => !x,
        Opcode::Square => x.wrapping_mul(x),
        Opcode::Neg => x.wrapping_neg(),
        Opcode::Abs => signed.wrapping_abs().cast_unsigned(),
        Opcode::Sign => signed.signum().cast_unsigned(),
        Opcode::Clz => x.leading_zeros(),
        Opcode::PopulationCount => x.count_ones(),
        other => unreachable!("{} is no operation of integers", other.name()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_of_s32() {
        let op = |opcode, a: i32, b: i32| match signed(opcode, a, b) {
            Value::Bits(bits) => bits.cast_signed(),
            other => panic!("{other:?}"),
        };
        assert_eq!(op(Opcode::Div, 7, 0), -1);
        assert_eq!(op(Opcode::Rem, 7, 0), 7);
        assert_eq!(op(Opcode::Div, i32::MIN, -1), i32::MIN);
        assert_eq!(op(Opcode::Rem, i32::MIN, -1), 0);
        assert_eq!(op(Opcode::Rem, -7, 2), -1);
        assert_eq!(op(Opcode::Pow, -1, -1), 0);
        assert_eq!(op(Opcode::Pow, 1, -5), 1);
        assert_eq!(op(Opcode::Pow, 0, 0), 1);
        assert_eq!(op(Opcode::ShiftLeft, 1, 32), 0);
        assert_eq!(op(Opcode::ShiftRightLogical, -1, 31), 1);
        assert_eq!(op(Opcode::ShiftRightArithmetic, -1, -1), -1);
    }

    #[test]
    fn edges_of_u32() {
        let op = |opcode, a, b| unsigned(opcode, a, b);
        assert_eq!(op(Opcode::Div, 7, 0), Value::Bits(u32::MAX));
        assert_eq!(op(Opcode::ShiftRightArithmetic, 1 << 31, 99), Value::Bits(u32::MAX));
        assert_eq!(op(Opcode::Lt, 1, u32::MAX), Value::Bits(1));
        assert_eq!(op(Opcode::Pow, 3, u32::MAX), Value::Unknown);
    }
}
