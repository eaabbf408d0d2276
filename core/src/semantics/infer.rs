//! Type and shape inference: from an operation and its operands' types to the result's type and
//! shape.
//!
//! Checks come in the order of XLA's shape inference: for binary operations types before shapes,
//! for select, clamp and next_after shapes before types. `Builder` and `Expr` both infer here, so
//! there is one set of rules. `placement` infers operations of class `Move`.

use crate::semantics::broadcast;
use crate::semantics::broadcast_error::{BroadcastError, Side};
use crate::semantics::data_movement;
use crate::semantics::element::ElementType;
use crate::semantics::error::{BuilderError, Error, Result};
use crate::semantics::opcode::{OpClass, Opcode};
use crate::semantics::shape::{Shape, ShapeError};
use crate::semantics::type_error::TypeError;
use crate::semantics::view_error::ViewError;

/// The element type and shape of a value; StableHLO's term for the two.
#[derive(Debug, Clone, Copy)]
pub struct TensorType<'a> {
    pub element_type: ElementType,
    pub shape: &'a Shape,
}

/// The inferred type of an operation's result.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inferred {
    pub element_type: ElementType,
    pub shape: Shape,
}

impl Inferred {
    /// Checks rule C1 on the result.
    pub(crate) fn new(op: Opcode, element_type: ElementType, shape: Shape) -> Result<Self> {
        shape.element_count().map_err(Error::shape(op.method()))?;
        Ok(Self { element_type, shape })
    }
}

pub(crate) fn expect_class(op: Opcode, wanted: &'static str, ok: bool) -> Result<()> {
    if ok {
        return Ok(());
    }
    Err(BuilderError::WrongMethod { op: op.method(), wanted }.into())
}

/// Returns an error of types.
pub(crate) fn type_error(op: Opcode, source: TypeError) -> Error {
    Error::Type { op: op.method(), source }
}

/// Checks rule T1.
pub(crate) fn accept(op: Opcode, operand: &'static str, found: ElementType) -> Result<()> {
    if op.accepts(found) {
        return Ok(());
    }
    let accepted = op.accepted().collect();
    Err(type_error(op, TypeError::NotAccepted { operand, found, accepted }))
}

/// Checks T1 where XLA does so early, T2, B7, T1, then B1 to B8, and C1.
pub(crate) fn binary(
    op: Opcode,
    lhs: TensorType<'_>,
    rhs: TensorType<'_>,
    broadcast_dimensions: &[i64],
) -> Result<Inferred> {
    let class = op.class();
    expect_class(op, "a binary", matches!(class, OpClass::Binary | OpClass::Compare))?;
    binary_types(op, lhs.element_type, rhs.element_type)?;
    let joined = broadcast::binary(lhs.shape, rhs.shape, broadcast_dimensions);
    // XLA checks this one rule of shapes before the last rule of types.
    if !matches!(joined, Err(BroadcastError::NotIdentity { .. })) {
        accept(op, "lhs", lhs.element_type)?;
    }
    let shape = joined.map_err(Error::broadcast(op.method()))?;
    Inferred::new(op, op.result_of(lhs.element_type), shape)
}

/// Checks rule T2, and first rule T1 where XLA does: the bitwise operations check lhs, and all
/// operations check a PRED operand, on which arithmetic may have no meaning.
fn binary_types(op: Opcode, lhs: ElementType, rhs: ElementType) -> Result<()> {
    let bitwise = matches!(op, Opcode::And | Opcode::Or | Opcode::Xor);
    if bitwise || lhs == ElementType::Pred {
        accept(op, "lhs", lhs)?;
    }
    if rhs == ElementType::Pred {
        accept(op, "rhs", rhs)?;
    }
    if lhs != rhs {
        return Err(type_error(
            op,
            TypeError::Differ { first: "lhs", first_type: lhs, second: "rhs", second_type: rhs },
        ));
    }
    Ok(())
}

/// Checks rule B9 if an operand carries its own `broadcast_dimensions`, and returns those of the
/// operation.
pub fn in_dim_of(
    op: Opcode,
    lhs: (&Shape, Option<&[i64]>),
    rhs: (&Shape, Option<&[i64]>),
) -> Result<Vec<i64>> {
    let refuse = |source| Err(Error::Broadcast { op: op.method(), source });
    let (side, shape, other, given) = match (lhs, rhs) {
        ((_, None), (_, None)) => return Ok(Vec::new()),
        ((_, Some(l)), (_, Some(r))) => {
            return refuse(BroadcastError::InDimTwice { lhs: l.to_vec(), rhs: r.to_vec() });
        }
        ((shape, Some(given)), (other, None)) => (Side::Lhs, shape, other, given),
        ((other, None), (shape, Some(given))) => (Side::Rhs, shape, other, given),
    };
    if shape.rank() > other.rank() {
        let (shape, other_shape, given) = (shape.clone(), other.clone(), given.to_vec());
        return refuse(BroadcastError::InDimOnHigherRank { side, shape, other_shape, given });
    }
    Ok(given.to_vec())
}

/// Checks rule T1.
pub(crate) fn unary(op: Opcode, operand: TensorType<'_>) -> Result<Inferred> {
    expect_class(op, "a unary", op.class() == OpClass::Unary)?;
    accept(op, "operand", operand.element_type)?;
    same_shape(op, op.result_of(operand.element_type), operand.shape)
}

/// Checks rule T4 of a bitcast; a conversion accepts any pair of types.
pub(crate) fn convert(op: Opcode, operand: TensorType<'_>, to: ElementType) -> Result<Inferred> {
    expect_class(op, "a conversion", op.class() == OpClass::Convert)?;
    if op == Opcode::BitcastConvertType {
        return bitcast(op, operand, to);
    }
    same_shape(op, to, operand.shape)
}

/// Checks rule T4.
fn bitcast(op: Opcode, operand: TensorType<'_>, to: ElementType) -> Result<Inferred> {
    use ElementType::{C64, Pred};
    let (from, shape) = (operand.element_type, operand.shape);
    if from == to || from.bits() == to.bits() && ![from, to].iter().any(|t| [Pred, C64].contains(t))
    {
        return same_shape(op, to, shape);
    }
    if [from, to].iter().any(|t| [Pred, C64].contains(t)) {
        return Err(type_error(op, TypeError::NoBitcast { from, to }));
    }
    let mut dims = shape.dims().to_vec();
    if from.bits() > to.bits() {
        dims.push(from.bits() / to.bits());
    } else {
        let ratio = to.bits() / from.bits();
        if dims.pop() != Some(ratio) {
            let shape = shape.clone();
            return Err(type_error(op, TypeError::BitcastRatio { from, to, shape, ratio }));
        }
    }
    Inferred::new(op, to, Shape::from(dims))
}

fn same_shape(op: Opcode, element_type: ElementType, shape: &Shape) -> Result<Inferred> {
    Inferred::new(op, element_type, shape.clone())
}

/// Checks rules S1, T2 and T3.
pub(crate) fn select(
    pred: TensorType<'_>,
    on_true: TensorType<'_>,
    on_false: TensorType<'_>,
) -> Result<Inferred> {
    let op = Opcode::Select;
    let operands = [("pred", pred), ("on_true", on_true), ("on_false", on_false)];
    let shape = one_shape(op, operands)?;
    if on_true.element_type != on_false.element_type {
        return Err(differ(op, operands[1], operands[2]));
    }
    if pred.element_type != ElementType::Pred {
        return Err(type_error(op, TypeError::NotPred { found: pred.element_type }));
    }
    Inferred::new(op, on_true.element_type, shape)
}

/// Checks rules S1, T2 and T1.
pub(crate) fn clamp(
    min: TensorType<'_>,
    x: TensorType<'_>,
    max: TensorType<'_>,
) -> Result<Inferred> {
    let op = Opcode::Clamp;
    let operands = [("min", min), ("x", x), ("max", max)];
    let shape = one_shape(op, operands)?;
    for other in [operands[0], operands[2]] {
        if other.1.element_type != x.element_type {
            return Err(differ(op, other, operands[1]));
        }
    }
    accept(op, "x", x.element_type)?;
    Inferred::new(op, x.element_type, shape)
}

/// Checks rules S1, T2 and T1.
pub(crate) fn next_after(from: TensorType<'_>, to: TensorType<'_>) -> Result<Inferred> {
    let op = Opcode::NextAfter;
    let operands = [("from", from), ("to", to)];
    let shape = one_shape(op, operands)?;
    if from.element_type != to.element_type {
        return Err(differ(op, operands[0], operands[1]));
    }
    accept(op, "from", from.element_type)?;
    Inferred::new(op, from.element_type, shape)
}

/// Checks rules T1 and T5.
pub(crate) fn reduce_precision(
    operand: TensorType<'_>,
    exponent_bits: i64,
    mantissa_bits: i64,
) -> Result<Inferred> {
    let op = Opcode::ReducePrecision;
    accept(op, "operand", operand.element_type)?;
    if format_of(operand.element_type, exponent_bits, mantissa_bits).is_none() {
        return Err(type_error(op, TypeError::Format { exponent_bits, mantissa_bits }));
    }
    same_shape(op, operand.element_type, operand.shape)
}

/// Returns numbers of exponent and mantissa bits, limited to those of an element type; `None` if no
/// format has these.
pub fn format_of(
    element_type: ElementType,
    exponent_bits: i64,
    mantissa_bits: i64,
) -> Option<[u32; 2]> {
    let bits = |given: i64, min: i64, max: u32| {
        let given = u32::try_from(given.min(i64::from(max))).ok();
        given.filter(|&bits| i64::from(bits) >= min)
    };
    let max = match element_type {
        ElementType::F16 => (5, 10),
        ElementType::Bf16 => (8, 7),
        ElementType::F64 => (11, 52),
        _ => (8, 23),
    };
    Some([bits(exponent_bits, 1, max.0)?, bits(mantissa_bits, 0, max.1)?])
}

/// An operand with its name for messages.
pub(crate) type NamedOperand<'a> = (&'static str, TensorType<'a>);

/// Returns the error of two operands whose types must be the same (rule T2).
pub(crate) fn differ(op: Opcode, first: NamedOperand<'_>, second: NamedOperand<'_>) -> Error {
    type_error(
        op,
        TypeError::Differ {
            first: first.0,
            first_type: first.1.element_type,
            second: second.0,
            second_type: second.1.element_type,
        },
    )
}

fn one_shape<const N: usize>(op: Opcode, operands: [NamedOperand<'_>; N]) -> Result<Shape> {
    broadcast::one_shape(operands.map(|(name, operand)| (name, operand.shape)))
        .map_err(Error::broadcast(op.method()))
}

/// Checks rules D1 to D5.
pub(crate) fn broadcast_in_dim(
    operand: TensorType<'_>,
    output: &Shape,
    broadcast_dimensions: &[i64],
) -> Result<Inferred> {
    let op = Opcode::BroadcastInDim;
    broadcast::broadcast_in_dim(operand.shape, output, broadcast_dimensions)
        .map_err(Error::broadcast(op.method()))?;
    Inferred::new(op, operand.element_type, output.clone())
}

/// Checks rules N1 and C1. The new dimensions stand before the operand's.
pub(crate) fn broadcast(operand: TensorType<'_>, sizes: &[i64]) -> Result<Inferred> {
    let op = Opcode::Broadcast;
    let new = Shape::from_signed(sizes).map_err(Error::shape(op.method()))?;
    let dims = [new.dims(), operand.shape.dims()].concat();
    Inferred::new(op, operand.element_type, Shape::from(dims))
}

/// Checks rule V1.
pub(crate) fn transpose(operand: TensorType<'_>, permutation: &[i64]) -> Result<Inferred> {
    viewed(Opcode::Transpose, operand, data_movement::transpose(operand.shape, permutation))
}

/// Checks rules V2, V3 and V4.
pub fn slice(
    operand: TensorType<'_>,
    start_indices: &[i64],
    limit_indices: &[i64],
    strides: &[i64],
) -> Result<Inferred> {
    let made = data_movement::slice(operand.shape, start_indices, limit_indices, strides);
    viewed(Opcode::Slice, operand, made)
}

/// Checks rule V5.
pub fn reverse(operand: TensorType<'_>, dimensions: &[i64]) -> Result<Inferred> {
    viewed(Opcode::Reverse, operand, data_movement::reverse(operand.shape, dimensions))
}

/// Checks rules N1, C1 and V6.
pub(crate) fn reshape(operand: TensorType<'_>, new_sizes: &[i64]) -> Result<Inferred> {
    let op = Opcode::Reshape;
    let result = Shape::from_signed(new_sizes).map_err(Error::shape(op.method()))?;
    result.element_count().map_err(Error::shape(op.method()))?;
    viewed(op, operand, data_movement::reshape(operand.shape, result))
}

fn viewed(
    op: Opcode,
    operand: TensorType<'_>,
    made: std::result::Result<Shape, ViewError>,
) -> Result<Inferred> {
    Inferred::new(op, operand.element_type, made.map_err(Error::view(op.method()))?)
}

/// Checks rules N1, T1, I1 and C1.
pub(crate) fn iota(
    element_type: ElementType,
    sizes: &[i64],
    iota_dimension: i64,
) -> Result<Inferred> {
    let op = Opcode::Iota;
    let shape = Shape::from_signed(sizes).map_err(Error::shape(op.method()))?;
    accept(op, "the result", element_type)?;
    match usize::try_from(iota_dimension) {
        Ok(dimension) if dimension < shape.rank() => Inferred::new(op, element_type, shape),
        _ => Err(Error::shape(op.method())(ShapeError::IotaDimension {
            dimension: iota_dimension,
            shape,
        })),
    }
}
