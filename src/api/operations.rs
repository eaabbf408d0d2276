//! Typed operations on expressions. Operators, methods, eager functions and NumPy's rule all build
//! with these, which infer types and shapes as [`Builder`](crate::Builder) does.

use std::panic::Location;
use std::sync::Arc;

use crate::api::expr::{Expr, IntoExpr, Operand};
use crate::api::expr_node::{Node, NodeKind};
use crate::graph::computation::Payload;
use crate::graph::moves::{self, Assembler};
use crate::semantics::element::Element;
use crate::semantics::error::{Error, Result};
use crate::semantics::infer::{self, Inferred, TensorType};
use crate::semantics::opcode::Opcode;
use crate::semantics::shape::Shape;
use crate::semantics::view::View;

/// Returns a binary operation or comparison, with XlaBuilder's arguments.
pub(crate) fn binary<T: Element, R: Element>(
    opcode: Opcode,
    lhs: &Expr<T>,
    rhs: &Expr<T>,
    broadcast_dimensions: &[i64],
) -> Result<Expr<R>> {
    let (lhs, rhs) = (lhs.node()?, rhs.node()?);
    let inferred =
        infer::binary(opcode, lhs.tensor_type(), rhs.tensor_type(), broadcast_dimensions)?;
    Ok(operation(opcode, inferred, vec![lhs, rhs]))
}

/// Returns a binary operation or comparison of operands that may carry `in_dim`. An error is kept
/// in the expression, with the place of the call.
pub(crate) fn binary_operands<T: Element, R: Element>(
    opcode: Opcode,
    lhs: impl Operand<T>,
    rhs: impl Operand<T>,
    location: &'static Location<'static>,
) -> Expr<R> {
    let ((lhs, lhs_dims), (rhs, rhs_dims)) = (lhs.into_operand(), rhs.into_operand());
    let made = lhs.shape().and_then(|lhs_shape| {
        let dims = infer::in_dim_of(
            opcode,
            (lhs_shape, lhs_dims.as_deref()),
            (rhs.shape()?, rhs_dims.as_deref()),
        )?;
        binary(opcode, &lhs, &rhs, &dims)
    });
    or_error(made, location)
}

pub(crate) fn unary<T: Element, R: Element>(opcode: Opcode, x: &Expr<T>) -> Result<Expr<R>> {
    let x = x.node()?;
    let inferred = infer::unary(opcode, x.tensor_type())?;
    Ok(operation(opcode, inferred, vec![x]))
}

pub(crate) fn convert<T: Element, R: Element>(opcode: Opcode, x: &Expr<T>) -> Result<Expr<R>> {
    let x = x.node()?;
    let inferred = infer::convert(opcode, x.tensor_type(), R::ELEMENT_TYPE)?;
    Ok(operation(opcode, inferred, vec![x]))
}

pub(crate) fn select<T: Element>(
    pred: &Expr<bool>,
    on_true: &Expr<T>,
    on_false: &Expr<T>,
) -> Result<Expr<T>> {
    let (pred, on_true, on_false) = (pred.node()?, on_true.node()?, on_false.node()?);
    let inferred =
        infer::select(pred.tensor_type(), on_true.tensor_type(), on_false.tensor_type())?;
    Ok(operation(Opcode::Select, inferred, vec![pred, on_true, on_false]))
}

pub(crate) fn clamp<T: Element>(min: &Expr<T>, x: &Expr<T>, max: &Expr<T>) -> Result<Expr<T>> {
    let (min, x, max) = (min.node()?, x.node()?, max.node()?);
    let inferred = infer::clamp(min.tensor_type(), x.tensor_type(), max.tensor_type())?;
    Ok(operation(Opcode::Clamp, inferred, vec![min, x, max]))
}

pub(crate) fn next_after<T: Element>(from: &Expr<T>, to: &Expr<T>) -> Result<Expr<T>> {
    let (from, to) = (from.node()?, to.node()?);
    let inferred = infer::next_after(from.tensor_type(), to.tensor_type())?;
    Ok(operation(Opcode::NextAfter, inferred, vec![from, to]))
}

pub(crate) fn reduce_precision<T: Element>(
    x: &Expr<T>,
    exponent_bits: i64,
    mantissa_bits: i64,
) -> Result<Expr<T>> {
    let x = x.node()?;
    let (inferred, format) =
        infer::reduce_precision(x.tensor_type(), exponent_bits, mantissa_bits)?;
    let [exponent, mantissa] =
        format.map(|bits| Expr::<u32>::leaf(NodeKind::Constant(bits), Shape::scalar()).node());
    Ok(operation(Opcode::ReducePrecision, inferred, vec![exponent?, mantissa?, x]))
}

pub(crate) fn broadcast<T: Element>(x: &Expr<T>, sizes: &[i64]) -> Result<Expr<T>> {
    let x = x.node()?;
    let inferred = infer::broadcast(x.tensor_type(), sizes)?;
    Ok(operation(Opcode::Broadcast, inferred, vec![x]))
}

pub(crate) fn broadcast_in_dim<T: Element>(
    x: &Expr<T>,
    out_sizes: &[i64],
    broadcast_dimensions: &[i64],
) -> Result<Expr<T>> {
    // The operand's own error comes before one of the sizes.
    x.node()?;
    let output =
        Shape::from_signed(out_sizes).map_err(Error::shape(Opcode::BroadcastInDim.method()))?;
    broadcast_to(x, &output, broadcast_dimensions)
}

/// Does the same as [`broadcast_in_dim`] to a shape, whose sizes are not negative.
pub(crate) fn broadcast_to<T: Element>(
    x: &Expr<T>,
    output: &Shape,
    broadcast_dimensions: &[i64],
) -> Result<Expr<T>> {
    let x = x.node()?;
    let inferred = infer::broadcast_in_dim(x.tensor_type(), output, broadcast_dimensions)?;
    Ok(operation(Opcode::BroadcastInDim, inferred, vec![x]))
}

pub(crate) fn transpose<T: Element>(x: &Expr<T>, permutation: &[i64]) -> Result<Expr<T>> {
    let x = x.node()?;
    let inferred = infer::transpose(x.tensor_type(), permutation)?;
    Ok(operation(Opcode::Transpose, inferred, vec![x]))
}

pub(crate) fn slice<T: Element>(
    x: &Expr<T>,
    start_indices: &[i64],
    limit_indices: &[i64],
    strides: &[i64],
) -> Result<Expr<T>> {
    let x = x.node()?;
    let inferred = infer::slice(x.tensor_type(), start_indices, limit_indices, strides)?;
    Ok(operation(Opcode::Slice, inferred, vec![x]))
}

pub(crate) fn reverse<T: Element>(x: &Expr<T>, dimensions: &[i64]) -> Result<Expr<T>> {
    let x = x.node()?;
    let inferred = infer::reverse(x.tensor_type(), dimensions)?;
    Ok(operation(Opcode::Reverse, inferred, vec![x]))
}

pub(crate) fn reshape<T: Element>(x: &Expr<T>, new_sizes: &[i64]) -> Result<Expr<T>> {
    let x = x.node()?;
    let inferred = infer::reshape(x.tensor_type(), new_sizes)?;
    Ok(operation(Opcode::Reshape, inferred, vec![x]))
}

pub(crate) fn pad<T: Element>(
    x: &Expr<T>,
    padding_value: &Expr<T>,
    low: &[i64],
    high: &[i64],
    interior: &[i64],
) -> Result<Expr<T>> {
    let (x, padding_value) = (x.node()?, padding_value.node()?);
    moves::pad(&mut Nodes, &x, &padding_value, [low, high, interior]).map(Expr::of_shared)
}

pub(crate) fn concatenate<T: Element>(
    operands: impl IntoIterator<Item = impl IntoExpr<T>>,
    dimension: i64,
) -> Result<Expr<T>> {
    let nodes = operands.into_iter().map(|operand| operand.into_expr().node());
    let nodes = nodes.collect::<Result<Vec<_>>>()?;
    moves::concatenate(&mut Nodes, &nodes, dimension).map(Expr::of_shared)
}

pub(crate) fn roll<T: Element>(x: &Expr<T>, shifts: &[i64], dimensions: &[i64]) -> Result<Expr<T>> {
    moves::roll(&mut Nodes, &x.node()?, shifts, dimensions).map(Expr::of_shared)
}

/// Makes the nodes that a move is assembled from.
struct Nodes;

impl Assembler for Nodes {
    type Value = Arc<Node>;

    fn tensor_type<'a>(&'a self, value: &'a Arc<Node>) -> TensorType<'a> {
        value.tensor_type()
    }

    fn instruction(
        &mut self,
        opcode: Opcode,
        inferred: Inferred,
        operands: &[&Arc<Node>],
        payload: Payload,
    ) -> Arc<Node> {
        let kind = match payload {
            Payload::Constant(value) => NodeKind::Constant(value),
            Payload::Iota(dimension) => NodeKind::Iota(dimension),
            Payload::None | Payload::Parameter(_) => NodeKind::Operation(opcode),
        };
        let inputs = operands.iter().map(|&operand| Arc::clone(operand)).collect();
        Arc::new(Node::new(kind, inferred, inputs))
    }

    fn beside(&mut self, value: Arc<Node>, operands: &[&Arc<Node>]) -> Arc<Node> {
        let TensorType { element_type, shape } = value.tensor_type();
        let of_operands = operands.iter().map(|operand| View::identity(&operand.shape));
        let views = std::iter::once(View::identity(shape)).chain(of_operands).collect();
        let inferred = Inferred { element_type, shape: shape.clone(), views };
        let mut inputs = vec![value];
        inputs.extend(operands.iter().map(|&operand| Arc::clone(operand)));
        Arc::new(Node::new(NodeKind::Beside, inferred, inputs))
    }
}

fn operation<R: Element>(opcode: Opcode, inferred: Inferred, inputs: Vec<Arc<Node>>) -> Expr<R> {
    Expr::of_node(Node::new(NodeKind::Operation(opcode), inferred, inputs))
}

/// Returns the expression, or one that keeps the error with the place of the call.
pub(crate) fn or_error<R: Element>(
    made: Result<Expr<R>>,
    location: &'static Location<'static>,
) -> Expr<R> {
    made.unwrap_or_else(|error| Expr::failed(error, location))
}
