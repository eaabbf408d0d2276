//! Asks a builder for any operation, with arguments that suit its class.

use indim::{Builder, ElementType, Error, Op, OpClass, Opcode};

/// The format that ReducePrecision rounds to here: some of F16's exponents, fewer digits than
/// BF16's.
pub const FORMAT: (i64, i64) = (4, 3);

/// Returns how many arrays an operation takes.
pub fn operand_count(opcode: Opcode) -> usize {
    match opcode.class() {
        OpClass::Nullary => 0,
        OpClass::Binary | OpClass::Compare | OpClass::Pair => 2,
        OpClass::Ternary => 3,
        OpClass::Move if opcode != Opcode::Roll => 2,
        _ => 1,
    }
}

/// Returns the type of operand `place` of an operation on elements of this type.
pub fn operand_type(opcode: Opcode, element: ElementType, place: usize) -> ElementType {
    if opcode == Opcode::Select && place == 0 { ElementType::Pred } else { element }
}

/// Returns whether an operation computes each element of its result from those of its operands at
/// the same place, and has no other arguments, except the format of ReducePrecision.
pub fn is_elementwise(opcode: Opcode) -> bool {
    use OpClass::{Binary, Compare, Format, Pair, Ternary, Unary};
    matches!(opcode.class(), Unary | Binary | Compare | Pair | Format | Ternary)
}

/// Applies an elementwise operation to as many operands as it takes, of one shape.
///
/// # Errors
///
/// The builder's.
pub fn elementwise(builder: &mut Builder, opcode: Opcode, operands: &[Op]) -> Result<Op, Error> {
    match (opcode.class(), operands) {
        (OpClass::Unary, &[x]) => builder.unary(opcode, x),
        (OpClass::Binary | OpClass::Compare, &[x, y]) => builder.binary(opcode, x, y, &[]),
        (OpClass::Pair, &[x, y]) => builder.next_after(x, y),
        (OpClass::Format, &[x]) => builder.reduce_precision(x, FORMAT.0, FORMAT.1),
        (OpClass::Ternary, &[a, x, y]) => match opcode {
            Opcode::Select => builder.select(a, x, y),
            _ => builder.clamp(a, x, y),
        },
        (class, _) => {
            panic!("{} of class {class:?} and {} operands", opcode.name(), operands.len())
        }
    }
}

/// Applies a conversion.
///
/// # Errors
///
/// The builder's.
pub fn conversion(
    builder: &mut Builder,
    opcode: Opcode,
    x: Op,
    to: ElementType,
) -> Result<Op, Error> {
    match opcode {
        Opcode::BitcastConvertType => builder.bitcast_convert_type(x, to),
        _ => builder.convert_element_type(x, to),
    }
}

/// Applies an operation that only moves elements of a matrix of these sizes: transposed, each
/// second column, rows backwards, as a matrix of as many columns as there were rows, twice, rolled,
/// with a row once more, padded with its first element, or some elements of each row.
///
/// # Errors
///
/// The builder's.
pub fn movement(
    builder: &mut Builder,
    opcode: Opcode,
    x: Op,
    [rows, columns]: [i64; 2],
) -> Result<Op, Error> {
    match opcode {
        Opcode::Transpose => builder.transpose(x, &[1, 0]),
        Opcode::Slice => builder.slice(x, &[0, 1], &[rows, columns], &[1, 2]),
        Opcode::Reverse => builder.reverse(x, &[0]),
        Opcode::Reshape => builder.reshape(x, &[columns, rows]),
        Opcode::Roll => builder.roll(x, &[1, -2], &[0, 1]),
        Opcode::Concatenate => {
            let first = builder.slice(x, &[0, 0], &[1, columns], &[1, 1])?;
            builder.concatenate(&[x, first, x], 0)
        }
        Opcode::Pad => {
            let value = builder.slice(x, &[0, 0], &[1, 1], &[1, 1])?;
            let value = builder.reshape(value, &[])?;
            builder.pad(x, value, &[1, -1], &[0, 2], &[0, 1])
        }
        Opcode::Take => {
            let indices = builder.iota(ElementType::S32, &[2, 3], 1)?;
            builder.take(x, indices, 1)
        }
        Opcode::TakeAlongDimension => {
            let indices = builder.iota(ElementType::U8, &[rows, 3], 0)?;
            builder.take_along_dimension(x, indices, 1)
        }
        Opcode::Broadcast => builder.broadcast(x, &[2]),
        Opcode::BroadcastInDim => builder.broadcast_in_dim(x, &[2, rows, columns], &[1, 2]),
        other => panic!("{} moves nothing", other.name()),
    }
}
