//! The operations that are one instruction. Each function lists the rules that it checks.

use crate::graph::build::node_graph::Graph;
use crate::graph::computation::Payload;
use crate::semantics::data_movement;
use crate::semantics::dims::Dims as _;
use crate::semantics::element::{ElementType, Scalar};
use crate::semantics::error::{BuilderError, Error, Result};
use crate::semantics::infer::{self, Inferred, TensorType};
use crate::semantics::opcode::{OpClass, Opcode};
use crate::semantics::shape::Shape;

/// Adds an operation on operands of any number, whose result `infer` gives.
fn add<G: Graph, const N: usize>(
    g: &mut G,
    opcode: Opcode,
    operands: [&G::Value; N],
    infer: impl FnOnce([TensorType<'_>; N]) -> Result<Inferred>,
) -> Result<G::Value> {
    for operand in operands {
        g.operand(opcode, operand)?;
    }
    let inferred = infer(operands.map(|operand| g.tensor_type(operand)))?;
    Ok(g.push(opcode, inferred, &operands, Payload::None))
}

/// Adds a constant of rank 0.
pub(crate) fn constant<G: Graph>(g: &mut G, value: Scalar) -> G::Value {
    let element_type = value.element_type();
    let inferred = Inferred { element_type, shape: Shape::scalar(), views: Vec::new() };
    g.push(Opcode::Constant, inferred, &[], Payload::Constant(value))
}

/// Adds an iota (rules N1, T1, I1, C1).
pub(crate) fn iota<G: Graph>(
    g: &mut G,
    element_type: ElementType,
    sizes: &[i64],
    iota_dimension: i64,
) -> Result<G::Value> {
    let (inferred, dimension) = infer::iota(element_type, sizes, iota_dimension)?;
    Ok(g.push(Opcode::Iota, inferred, &[], Payload::Iota(dimension)))
}

/// Adds a binary operation or a comparison (rules T1, T2, B1 to B8, C1).
pub(crate) fn binary<G: Graph>(
    g: &mut G,
    opcode: Opcode,
    lhs: &G::Value,
    rhs: &G::Value,
    broadcast_dimensions: &[i64],
) -> Result<G::Value> {
    add(g, opcode, [lhs, rhs], |[lhs, rhs]| infer::binary(opcode, lhs, rhs, broadcast_dimensions))
}

/// Adds a unary operation (rule T1).
pub(crate) fn unary<G: Graph>(g: &mut G, opcode: Opcode, operand: &G::Value) -> Result<G::Value> {
    add(g, opcode, [operand], |[operand]| infer::unary(opcode, operand))
}

/// Adds an elementwise operation of any number of operands. A binary one takes operands of one rank,
/// or scalars.
pub(crate) fn elementwise<G: Graph>(
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
pub(crate) fn convert<G: Graph>(
    g: &mut G,
    opcode: Opcode,
    operand: &G::Value,
    to: ElementType,
) -> Result<G::Value> {
    add(g, opcode, [operand], |[operand]| infer::convert(opcode, operand, to))
}

/// Adds a select (rules S1, T2, T3).
pub(crate) fn select<G: Graph>(
    g: &mut G,
    pred: &G::Value,
    on_true: &G::Value,
    on_false: &G::Value,
) -> Result<G::Value> {
    let infer =
        |[pred, on_true, on_false]: [TensorType<'_>; 3]| infer::select(pred, on_true, on_false);
    add(g, Opcode::Select, [pred, on_true, on_false], infer)
}

/// Adds a clamp (rules S1, T2, T1).
pub(crate) fn clamp<G: Graph>(
    g: &mut G,
    min: &G::Value,
    x: &G::Value,
    max: &G::Value,
) -> Result<G::Value> {
    add(g, Opcode::Clamp, [min, x, max], |[min, x, max]| infer::clamp(min, x, max))
}

/// Adds the float next to `from` in the direction of `to` (rules S1, T2, T1).
pub(crate) fn next_after<G: Graph>(g: &mut G, from: &G::Value, to: &G::Value) -> Result<G::Value> {
    add(g, Opcode::NextAfter, [from, to], |[from, to]| infer::next_after(from, to))
}

/// Adds a rounding to a format (rules T1, T5). The format's numbers of bits become two operands.
pub(crate) fn reduce_precision<G: Graph>(
    g: &mut G,
    operand: &G::Value,
    exponent_bits: i64,
    mantissa_bits: i64,
) -> Result<G::Value> {
    let op = Opcode::ReducePrecision;
    let value = g.operand(op, operand)?;
    let (inferred, format) = infer::reduce_precision(value, exponent_bits, mantissa_bits)?;
    let [exponent, mantissa] = format.map(|bits| constant(g, bits));
    Ok(g.push(op, inferred, &[&exponent, &mantissa, operand], Payload::None))
}

/// Adds a broadcast along new dimensions (rules N1, C1).
pub(crate) fn broadcast<G: Graph>(
    g: &mut G,
    operand: &G::Value,
    sizes: &[i64],
) -> Result<G::Value> {
    add(g, Opcode::Broadcast, [operand], |[operand]| infer::broadcast(operand, sizes))
}

/// Adds a broadcast to output sizes (rules N1, D1 to D5, C1).
pub(crate) fn broadcast_in_dim<G: Graph>(
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
pub(crate) fn broadcast_to<G: Graph>(
    g: &mut G,
    operand: &G::Value,
    output: &Shape,
    broadcast_dimensions: &[i64],
) -> Result<G::Value> {
    let infer = |[operand]: [TensorType<'_>; 1]| {
        infer::broadcast_in_dim(operand, output, broadcast_dimensions)
    };
    add(g, Opcode::BroadcastInDim, [operand], infer)
}

/// Adds a transpose (rule V1).
pub(crate) fn transpose<G: Graph>(
    g: &mut G,
    operand: &G::Value,
    permutation: &[i64],
) -> Result<G::Value> {
    add(g, Opcode::Transpose, [operand], |[operand]| infer::transpose(operand, permutation))
}

/// Adds a slice (rules V2, V3, V4).
pub(crate) fn slice<G: Graph>(
    g: &mut G,
    operand: &G::Value,
    start_indices: &[i64],
    limit_indices: &[i64],
    strides: &[i64],
) -> Result<G::Value> {
    let infer = |[operand]: [TensorType<'_>; 1]| {
        infer::slice(operand, start_indices, limit_indices, strides)
    };
    add(g, Opcode::Slice, [operand], infer)
}

/// Adds the elements at one position along a dimension, which is dropped (rule V3).
pub(crate) fn index<G: Graph>(
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
pub(crate) fn step_by<G: Graph>(g: &mut G, operand: &G::Value, steps: &[i64]) -> Result<G::Value> {
    let sizes = g.operand(Opcode::Slice, operand)?.shape.to_signed().into_owned();
    slice(g, operand, &vec![0; sizes.len()], &sizes, steps)
}

/// Adds a reversal along some dimensions (rule V5).
pub(crate) fn reverse<G: Graph>(
    g: &mut G,
    operand: &G::Value,
    dimensions: &[i64],
) -> Result<G::Value> {
    add(g, Opcode::Reverse, [operand], |[operand]| infer::reverse(operand, dimensions))
}

/// Adds a reshape (rules N1, C1, V6).
pub(crate) fn reshape<G: Graph>(
    g: &mut G,
    operand: &G::Value,
    new_sizes: &[i64],
) -> Result<G::Value> {
    add(g, Opcode::Reshape, [operand], |[operand]| infer::reshape(operand, new_sizes))
}
