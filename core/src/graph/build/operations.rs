//! The operations. Each function lists the rules that it checks.

use crate::graph::build::node_graph::Graph;
use crate::graph::moves::Move;
use crate::graph::operation::{Operation, Words};
use crate::semantics::data_movement;
use crate::semantics::dims::{Dims as _, List};
use crate::semantics::element::{ElementType, Scalar};
use crate::semantics::error::{BuilderError, Error, Result};
use crate::semantics::infer::{self, Inferred, TensorType};
use crate::semantics::opcode::{OpClass, Opcode};
use crate::semantics::placement;
use crate::semantics::reduce;
use crate::semantics::shape::Shape;

/// Adds an operation on operands of any number, whose result `infer` gives.
fn add<G: Graph, const N: usize>(
    g: &mut G,
    operands: [&G::Value; N],
    opcode: Opcode,
    infer: impl FnOnce([TensorType<'_>; N]) -> Result<Inferred>,
    operation: impl FnOnce() -> Operation,
) -> Result<G::Value> {
    for operand in operands {
        g.operand(opcode, operand)?;
    }
    let inferred = infer(operands.map(|operand| g.tensor_type(operand)))?;
    Ok(g.push(operation(), inferred, &operands))
}

/// Adds a constant of rank 0.
pub fn constant<G: Graph>(g: &mut G, value: Scalar) -> G::Value {
    let inferred = Inferred { element_type: value.element_type(), shape: Shape::scalar() };
    g.push(Operation::Constant(value), inferred, &[])
}

/// Adds an iota (rules N1, T1, I1, C1).
pub fn iota<G: Graph>(
    g: &mut G,
    element_type: ElementType,
    sizes: &[i64],
    iota_dimension: i64,
) -> Result<G::Value> {
    let inferred = infer::iota(element_type, sizes, iota_dimension)?;
    Ok(g.push(Operation::Iota { dimension: iota_dimension }, inferred, &[]))
}

/// Adds a binary operation or a comparison (rules T1, T2, B1 to B8, C1).
pub fn binary<G: Graph>(
    g: &mut G,
    opcode: Opcode,
    lhs: &G::Value,
    rhs: &G::Value,
    broadcast_dimensions: &[i64],
) -> Result<G::Value> {
    let infer =
        |[lhs, rhs]: [TensorType<'_>; 2]| infer::binary(opcode, lhs, rhs, broadcast_dimensions);
    add(g, [lhs, rhs], opcode, infer, || Operation::Binary {
        opcode,
        broadcast_dimensions: broadcast_dimensions.into(),
    })
}

/// Adds a unary operation (rule T1).
pub fn unary<G: Graph>(g: &mut G, opcode: Opcode, operand: &G::Value) -> Result<G::Value> {
    let infer = |[operand]: [TensorType<'_>; 1]| infer::unary(opcode, operand);
    add(g, [operand], opcode, infer, || Operation::Elementwise(opcode))
}

/// Adds an elementwise operation of any number of operands. A binary one takes operands of one rank,
/// or scalars.
pub fn elementwise<G: Graph>(
    g: &mut G,
    opcode: Opcode,
    operands: &[&G::Value],
) -> Result<G::Value> {
    let wanted = match (opcode.class(), operands) {
        (OpClass::Unary, &[x]) => return unary(g, opcode, x),
        (OpClass::Binary | OpClass::Compare, &[lhs, rhs]) => {
            return binary(g, opcode, lhs, rhs, &[]);
        }
        (OpClass::Pair, &[from, to]) => return next_after(g, from, to),
        (OpClass::Ternary, &[min, x, max]) if opcode == Opcode::Clamp => {
            return clamp(g, min, x, max);
        }
        (OpClass::Ternary, &[pred, on_true, on_false]) => {
            return select(g, pred, on_true, on_false);
        }
        (OpClass::Unary, _) => 1,
        (OpClass::Binary | OpClass::Compare | OpClass::Pair, _) => 2,
        (OpClass::Ternary, _) => 3,
        _ => {
            let op = opcode.method();
            return Err(BuilderError::WrongMethod { op, wanted: "an elementwise" }.into());
        }
    };
    let (op, given) = (opcode.method(), operands.len());
    Err(BuilderError::OperandCount { op, wanted, given }.into())
}

/// Adds a conversion of values or of bits (rules T4, C1).
pub fn convert<G: Graph>(
    g: &mut G,
    opcode: Opcode,
    operand: &G::Value,
    to: ElementType,
) -> Result<G::Value> {
    let infer = |[operand]: [TensorType<'_>; 1]| infer::convert(opcode, operand, to);
    add(g, [operand], opcode, infer, || match opcode {
        Opcode::BitcastConvertType => Operation::BitcastConvertType,
        _ => Operation::ConvertElementType,
    })
}

/// Returns a value in an element type: the value itself where it has that.
pub(crate) fn in_type<G: Graph>(g: &mut G, x: &G::Value, to: ElementType) -> Result<G::Value> {
    if g.tensor_type(x).element_type == to {
        return Ok(x.clone());
    }
    convert(g, Opcode::ConvertElementType, x, to)
}

/// Adds a select (rules S1, T2, T3).
pub fn select<G: Graph>(
    g: &mut G,
    pred: &G::Value,
    on_true: &G::Value,
    on_false: &G::Value,
) -> Result<G::Value> {
    let infer =
        |[pred, on_true, on_false]: [TensorType<'_>; 3]| infer::select(pred, on_true, on_false);
    let op = Opcode::Select;
    add(g, [pred, on_true, on_false], op, infer, || Operation::Elementwise(op))
}

/// Adds a clamp (rules S1, T2, T1).
pub fn clamp<G: Graph>(
    g: &mut G,
    min: &G::Value,
    x: &G::Value,
    max: &G::Value,
) -> Result<G::Value> {
    let infer = |[min, x, max]: [TensorType<'_>; 3]| infer::clamp(min, x, max);
    add(g, [min, x, max], Opcode::Clamp, infer, || Operation::Elementwise(Opcode::Clamp))
}

/// Adds the float next to `from` in the direction of `to` (rules S1, T2, T1).
pub fn next_after<G: Graph>(g: &mut G, from: &G::Value, to: &G::Value) -> Result<G::Value> {
    let infer = |[from, to]: [TensorType<'_>; 2]| infer::next_after(from, to);
    add(g, [from, to], Opcode::NextAfter, infer, || Operation::Elementwise(Opcode::NextAfter))
}

/// Adds a rounding to a format (rules T1, T5).
pub fn reduce_precision<G: Graph>(
    g: &mut G,
    operand: &G::Value,
    exponent_bits: i64,
    mantissa_bits: i64,
) -> Result<G::Value> {
    let infer = |[operand]: [TensorType<'_>; 1]| {
        infer::reduce_precision(operand, exponent_bits, mantissa_bits)
    };
    let operation = || Operation::ReducePrecision { exponent_bits, mantissa_bits };
    add(g, [operand], Opcode::ReducePrecision, infer, operation)
}

/// Adds a broadcast along new dimensions (rules N1, C1).
pub fn broadcast<G: Graph>(g: &mut G, operand: &G::Value, sizes: &[i64]) -> Result<G::Value> {
    let infer = |[operand]: [TensorType<'_>; 1]| infer::broadcast(operand, sizes);
    add(g, [operand], Opcode::Broadcast, infer, || Operation::Broadcast)
}

/// Adds a broadcast to output sizes (rules N1, D1 to D5, C1).
pub fn broadcast_in_dim<G: Graph>(
    g: &mut G,
    operand: &G::Value,
    out_sizes: &[i64],
    broadcast_dimensions: &[i64],
) -> Result<G::Value> {
    let op = Opcode::BroadcastInDim;
    g.operand(op, operand)?;
    let output = Shape::from_signed(out_sizes).map_err(Error::shape(op.method()))?;
    broadcast_to(g, operand, &output, broadcast_dimensions)
}

/// Version of [`broadcast_in_dim`] for a [`Shape`], whose sizes are not negative.
pub fn broadcast_to<G: Graph>(
    g: &mut G,
    operand: &G::Value,
    output: &Shape,
    broadcast_dimensions: &[i64],
) -> Result<G::Value> {
    let infer = |[operand]: [TensorType<'_>; 1]| {
        infer::broadcast_in_dim(operand, output, broadcast_dimensions)
    };
    add(g, [operand], Opcode::BroadcastInDim, infer, || Operation::BroadcastInDim {
        broadcast_dimensions: broadcast_dimensions.into(),
    })
}

/// Adds a transpose (rule V1).
pub fn transpose<G: Graph>(g: &mut G, operand: &G::Value, permutation: &[i64]) -> Result<G::Value> {
    let infer = |[operand]: [TensorType<'_>; 1]| infer::transpose(operand, permutation);
    let operation = || Operation::Transpose { permutation: permutation.into() };
    add(g, [operand], Opcode::Transpose, infer, operation)
}

/// Adds a slice (rules V2, V3, V4).
pub fn slice<G: Graph>(
    g: &mut G,
    operand: &G::Value,
    start_indices: &[i64],
    limit_indices: &[i64],
    strides: &[i64],
) -> Result<G::Value> {
    let infer = |[operand]: [TensorType<'_>; 1]| {
        infer::slice(operand, start_indices, limit_indices, strides)
    };
    add(g, [operand], Opcode::Slice, infer, || Operation::Slice {
        start_indices: start_indices.into(),
        limit_indices: limit_indices.into(),
        strides: strides.into(),
    })
}

/// Adds the elements at one position along a dimension, which is dropped (rule V3).
pub fn index<G: Graph>(
    g: &mut G,
    operand: &G::Value,
    dimension: i64,
    index: i64,
) -> Result<G::Value> {
    let shape = g.operand(Opcode::Slice, operand)?.shape;
    let [start, limit, sizes] =
        data_movement::index(shape, dimension, index).map_err(Error::view("index"))?;
    let row = slice(g, operand, &start, &limit, &vec![1; start.len()])?;
    reshape(g, &row, &sizes)
}

/// Adds the elements of a slice, every `steps[d]`-th of dimension d (rules V2, V4).
pub fn step_by<G: Graph>(g: &mut G, operand: &G::Value, steps: &[i64]) -> Result<G::Value> {
    let sizes = g.operand(Opcode::Slice, operand)?.shape.to_signed().into_owned();
    slice(g, operand, &vec![0; sizes.len()], &sizes, steps)
}

/// Adds a reversal along some dimensions (rule V5).
pub fn reverse<G: Graph>(g: &mut G, operand: &G::Value, dimensions: &[i64]) -> Result<G::Value> {
    let infer = |[operand]: [TensorType<'_>; 1]| infer::reverse(operand, dimensions);
    let operation = || Operation::Reverse { dimensions: dimensions.into() };
    add(g, [operand], Opcode::Reverse, infer, operation)
}

/// Adds a reshape (rules N1, C1, V6).
pub fn reshape<G: Graph>(g: &mut G, operand: &G::Value, new_sizes: &[i64]) -> Result<G::Value> {
    let infer = |[operand]: [TensorType<'_>; 1]| infer::reshape(operand, new_sizes);
    add(g, [operand], Opcode::Reshape, infer, || Operation::Reshape)
}

/// Adds a pad (rules V7, T2, V8, C1). Each list has one entry for each dimension.
pub fn pad<G: Graph>(
    g: &mut G,
    operand: &G::Value,
    padding_value: &G::Value,
    low: &[i64],
    high: &[i64],
    interior: &[i64],
) -> Result<G::Value> {
    let infer =
        |[operand, value]: [TensorType<'_>; 2]| placement::pad(operand, value, low, high, interior);
    add(g, [operand, padding_value], Opcode::Pad, infer, || {
        let [low, high, interior] = [low, high, interior].map(List::from);
        Operation::Move(Move::Pad { low, high, interior })
    })
}

/// Adds a concatenation (rules V9, T2, C1).
pub fn concatenate<G: Graph>(g: &mut G, operands: &[G::Value], dimension: i64) -> Result<G::Value> {
    let types = operands.iter().map(|value| g.operand(Opcode::Concatenate, value));
    let types: Vec<TensorType<'_>> = types.collect::<Result<_>>()?;
    let inferred = placement::concatenate(&types, dimension)?;
    let operands: Vec<&G::Value> = operands.iter().collect();
    Ok(g.push(Operation::Move(Move::Concatenate { dimension }), inferred, &operands))
}

/// Adds a roll (rule V10).
pub fn roll<G: Graph>(
    g: &mut G,
    operand: &G::Value,
    shifts: &[i64],
    dimensions: &[i64],
) -> Result<G::Value> {
    let infer = |[operand]: [TensorType<'_>; 1]| placement::roll(operand, shifts, dimensions);
    add(g, [operand], Opcode::Roll, infer, || {
        let [shifts, dimensions] = [shifts, dimensions].map(List::from);
        Operation::Move(Move::Roll { shifts, dimensions })
    })
}

/// Adds a reduction along some dimensions (rules T1, R1, R2).
pub fn reduce<G: Graph>(
    g: &mut G,
    opcode: Opcode,
    operand: &G::Value,
    dimensions: &[i64],
) -> Result<G::Value> {
    let infer = |[operand]: [TensorType<'_>; 1]| reduce::reduce(opcode, operand, dimensions);
    let operation =
        || Operation::Reduce { opcode, dimensions: dimensions.into(), words: Words::Rounded };
    add(g, [operand], opcode, infer, operation)
}

macro_rules! reductions {
    ($($method:ident $opcode:ident,)*) => {$(
        #[doc = concat!("Adds a reduction, [`Opcode::", stringify!($opcode), "`] (rules T1, R1, R2).")]
        pub fn $method<G: Graph>(g: &mut G, x: &G::Value, dimensions: &[i64]) -> Result<G::Value> {
            reduce(g, Opcode::$opcode, x, dimensions)
        }
    )*};
}

reductions! {
    reduce_sum ReduceSum,
    reduce_prod ReduceProd,
    reduce_max ReduceMax,
    reduce_min ReduceMin,
    reduce_and ReduceAnd,
    reduce_or ReduceOr,
    reduce_xor ReduceXor,
}

/// Adds an operation with these attributes. Sizes and element types that are given to an operation are
/// those of `given`. Returns `None` for another number of operands than it takes, and for parameters
/// and calls, which are more than their attributes.
pub(crate) fn by_attributes<G: Graph>(
    g: &mut G,
    operation: &Operation,
    given: TensorType<'_>,
    operands: &[G::Value],
) -> Option<Result<G::Value>> {
    let TensorType { element_type, shape } = given;
    // Sizes that were given fit signed numbers.
    let signed = |size: &usize| i64::try_from(*size).unwrap_or(i64::MAX);
    let sizes = || shape.dims().iter().map(signed).collect::<Vec<i64>>();
    Some(match (operation, operands) {
        (Operation::Constant(value), []) => Ok(constant(g, *value)),
        (Operation::Iota { dimension }, []) => iota(g, element_type, &sizes(), *dimension),
        (Operation::Binary { opcode, broadcast_dimensions }, [lhs, rhs]) => {
            binary(g, *opcode, lhs, rhs, broadcast_dimensions)
        }
        (Operation::Elementwise(opcode), _) => {
            elementwise(g, *opcode, &operands.iter().collect::<Vec<_>>())
        }
        (Operation::ReducePrecision { exponent_bits, mantissa_bits }, [x]) => {
            reduce_precision(g, x, *exponent_bits, *mantissa_bits)
        }
        (Operation::ConvertElementType | Operation::BitcastConvertType, [x]) => {
            convert(g, operation.opcode(), x, element_type)
        }
        (Operation::BroadcastInDim { broadcast_dimensions }, [x]) => {
            broadcast_to(g, x, shape, broadcast_dimensions)
        }
        (Operation::Broadcast, [x]) => {
            let new = shape.rank().saturating_sub(g.tensor_type(x).shape.rank());
            broadcast(g, x, &sizes()[..new])
        }
        (Operation::Transpose { permutation }, [x]) => transpose(g, x, permutation),
        (Operation::Slice { start_indices, limit_indices, strides }, [x]) => {
            slice(g, x, start_indices, limit_indices, strides)
        }
        (Operation::Reverse { dimensions }, [x]) => reverse(g, x, dimensions),
        (Operation::Reshape, [x]) => reshape(g, x, &sizes()),
        (Operation::Move(operation), _) => return moved(g, operation, operands),
        (Operation::Reduce { opcode, dimensions, words: Words::Rounded }, [x]) => {
            reduce(g, *opcode, x, dimensions)
        }
        _ => return None,
    })
}

/// Adds an operation of class `Move` with these attributes, as [`by_attributes`] does.
fn moved<G: Graph>(g: &mut G, operation: &Move, operands: &[G::Value]) -> Option<Result<G::Value>> {
    Some(match (operation, operands) {
        (Move::Pad { low, high, interior }, [x, value]) => pad(g, x, value, low, high, interior),
        (Move::Concatenate { dimension }, _) => concatenate(g, operands, *dimension),
        (Move::Roll { shifts, dimensions }, [x]) => roll(g, x, shifts, dimensions),
        _ => return None,
    })
}
