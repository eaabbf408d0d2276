//! Computes XLA's operations on integers of every width and on PRED, one element at a time. Nothing
//! is approximate here; an unknown operand makes an unknown result.

use indim::{ElementType, Opcode};

use super::value::{Value, is_signed_integer, mask, width};
use ElementType::Pred;

/// The number that these bits are.
pub fn decode(element: ElementType, bits: u64) -> i128 {
    let above = 128 - width(element);
    let unsigned = i128::from(bits & mask(element));
    if is_signed_integer(element) { (unsigned << above) >> above } else { unsigned }
}

/// The low bits of a number.
pub fn encode(element: ElementType, number: i128) -> u64 {
    number as u64 & mask(element)
}

/// The least and the largest number.
pub fn limits(element: ElementType) -> (i128, i128) {
    let width = width(element);
    if is_signed_integer(element) {
        (-(1 << (width - 1)), (1 << (width - 1)) - 1)
    } else {
        (0, (1 << width) - 1)
    }
}

/// A binary operation of two elements of one type that is not a float.
pub fn binary(opcode: Opcode, element: ElementType, a: Value, b: Value) -> Value {
    let (Some(a), Some(b)) = (a.bits(), b.bits()) else {
        return Value::Unknown;
    };
    Value::Bits(if element == Pred { pred(opcode, a, b) } else { number(opcode, element, a, b) })
}

fn pred(opcode: Opcode, a: u64, b: u64) -> u64 {
    match opcode {
        Opcode::Add | Opcode::Max | Opcode::Or => a | b,
        Opcode::Mul | Opcode::Min | Opcode::And => a & b,
        Opcode::Xor => a ^ b,
        other => compare(other, a.into(), b.into()),
    }
}

/// The order of a type without NaN is total, so that both kinds of compares are one.
fn compare(opcode: Opcode, a: i128, b: i128) -> u64 {
    u64::from(match opcode {
        Opcode::Eq | Opcode::EqTotalOrder => a == b,
        Opcode::Ne | Opcode::NeTotalOrder => a != b,
        Opcode::Lt | Opcode::LtTotalOrder => a < b,
        Opcode::Le | Opcode::LeTotalOrder => a <= b,
        Opcode::Gt | Opcode::GtTotalOrder => a > b,
        Opcode::Ge | Opcode::GeTotalOrder => a >= b,
        other => unreachable!("{} is not an operation of integers", other.name()),
    })
}

/// Computes in numbers that hold every result but a power's, then wraps.
fn number(opcode: Opcode, element: ElementType, a: u64, b: u64) -> u64 {
    let (x, y) = (decode(element, a), decode(element, b));
    let width = width(element);
    // A shift's amount is read as unsigned.
    let amount = u32::try_from(b).ok().filter(|&amount| amount < width);
    let result = match opcode {
        Opcode::Add => x + y,
        Opcode::Sub => x - y,
        Opcode::Mul => x.wrapping_mul(y),
        Opcode::Div if y == 0 => -1,
        Opcode::Div => x / y,
        Opcode::Rem if y == 0 => x,
        Opcode::Rem => x % y,
        Opcode::FloorDivide | Opcode::Remainder if y == 0 => 0,
        Opcode::FloorDivide => (x - remainder(x, y)) / y,
        Opcode::Remainder => remainder(x, y),
        Opcode::Pow if y < 0 => i128::from(x == 1),
        Opcode::Pow => power(a, b),
        Opcode::Max => x.max(y),
        Opcode::Min => x.min(y),
        Opcode::And => x & y,
        Opcode::Or => x | y,
        Opcode::Xor => x ^ y,
        Opcode::ShiftLeft => amount.map_or(0, |amount| x << amount),
        Opcode::ShiftRightLogical => amount.map_or(0, |amount| i128::from(a) >> amount),
        // The top bit fills, also for unsigned types.
        Opcode::ShiftRightArithmetic => {
            let above = 128 - width;
            ((i128::from(a) << above) >> above) >> amount.unwrap_or(width - 1)
        }
        other => return compare(other, x, y),
    };
    encode(element, result)
}

/// Returns the remainder of x, with the sign of y.
fn remainder(x: i128, y: i128) -> i128 {
    (x % y + y) % y
}

/// The low 64 bits of a power.
fn power(base: u64, mut exponent: u64) -> i128 {
    let (mut square, mut product) = (base, 1u64);
    while exponent > 0 {
        if exponent & 1 == 1 {
            product = product.wrapping_mul(square);
        }
        square = square.wrapping_mul(square);
        exponent >>= 1;
    }
    product.into()
}

pub fn unary(opcode: Opcode, element: ElementType, x: Value) -> Value {
    let Some(bits) = x.bits() else {
        return Value::Unknown;
    };
    let x = decode(element, bits);
    let result = match opcode {
        Opcode::Square if element == Pred => x,
        Opcode::Not => !x,
        Opcode::Square => x.wrapping_mul(x),
        Opcode::Neg => -x,
        Opcode::Abs => x.abs(),
        Opcode::Sign => x.signum(),
        Opcode::Clz => i128::from(bits.leading_zeros() + width(element)) - 64,
        Opcode::PopulationCount => i128::from(bits.count_ones()),
        other => unreachable!("{} is not an operation of integers", other.name()),
    };
    Value::Bits(encode(element, result))
}

#[cfg(test)]
mod tests {
    use super::*;
    use ElementType::{S4, S8, S32, S64, U4, U32, U64};

    #[test]
    fn edges_of_signed_integers() {
        for t in [S4, S8, S32, S64] {
            let op =
                |opcode, a: i128, b: i128| decode(t, number(opcode, t, encode(t, a), encode(t, b)));
            let least = limits(t).0;
            let width = i128::from(width(t));
            assert_eq!(op(Opcode::Div, 7, 0), -1);
            assert_eq!(op(Opcode::Rem, 7, 0), 7);
            assert_eq!(op(Opcode::Div, least, -1), least);
            assert_eq!(op(Opcode::Rem, least, -1), 0);
            assert_eq!(op(Opcode::Rem, -7, 2), -1);
            assert_eq!(op(Opcode::FloorDivide, -7, 2), -4);
            assert_eq!(op(Opcode::FloorDivide, 7, 0), 0);
            assert_eq!(op(Opcode::FloorDivide, least, -1), least);
            assert_eq!(op(Opcode::Remainder, -7, 2), 1);
            assert_eq!(op(Opcode::Remainder, 7, -2), -1);
            assert_eq!(op(Opcode::Remainder, 7, 0), 0);
            assert_eq!(op(Opcode::Remainder, least, -1), 0);
            assert_eq!(op(Opcode::Pow, -1, -1), 0);
            assert_eq!(op(Opcode::Pow, 1, -5), 1);
            assert_eq!(op(Opcode::Pow, 0, 0), 1);
            assert_eq!(op(Opcode::Mul, least, least), 0);
            assert_eq!(op(Opcode::ShiftLeft, 1, width), 0);
            assert_eq!(op(Opcode::ShiftRightLogical, -1, width - 1), 1);
            assert_eq!(op(Opcode::ShiftRightArithmetic, -1, -1), -1);
        }
    }

    #[test]
    fn edges_of_unsigned_integers() {
        assert_eq!(number(Opcode::Div, U32, 7, 0), u64::from(u32::MAX));
        assert_eq!(number(Opcode::Div, U4, 7, 0), 15);
        assert_eq!(number(Opcode::ShiftRightArithmetic, U32, 1 << 31, 99), u64::from(u32::MAX));
        assert_eq!(number(Opcode::ShiftRightArithmetic, U4, 8, 1), 12);
        assert_eq!(number(Opcode::Lt, U64, 1, u64::MAX), 1);
        assert_eq!(number(Opcode::Mul, U64, u64::MAX, u64::MAX), 1);
        assert_eq!(number(Opcode::Pow, U64, 3, 1 << 63), 1);
        assert_eq!(unary(Opcode::Clz, S4, Value::Bits(1)), Value::Bits(3));
        assert_eq!(unary(Opcode::Abs, S4, Value::Bits(8)), Value::Bits(8));
        assert_eq!(unary(Opcode::Not, U4, Value::Bits(1)), Value::Bits(14));
    }
}
