//! Typed operations on expressions, for operators, methods, eager functions and NumPy's rule.
//! [`node_operations`] infers their types and shapes.

use std::panic::Location;
use std::sync::Arc;

use crate::api::expr::Expr;
use crate::api::expr_node::Node;
use crate::api::node_operations;
use crate::api::operand::{InDim, IntoExpr, Operand, Parts};
use crate::semantics::element::Element;
use crate::semantics::error::Result;
use crate::semantics::infer;
use crate::semantics::opcode::Opcode;
use crate::semantics::shape::Shape;

/// Returns a binary operation or comparison, with XlaBuilder's arguments.
pub(crate) fn binary<T: Element, R: Element>(
    opcode: Opcode,
    lhs: &Expr<T>,
    rhs: &Expr<T>,
    broadcast_dimensions: &[i64],
) -> Result<Expr<R>> {
    typed(node_operations::binary(opcode, lhs.node()?, rhs.node()?, broadcast_dimensions))
}

/// Returns a binary operation or comparison of operands that may carry `in_dim`. An error is kept
/// in the expression, with the place of the call.
pub(crate) fn binary_operands<T: Element, R: Element>(
    opcode: Opcode,
    lhs: impl Operand<T>,
    rhs: impl Operand<T>,
    location: &'static Location<'static>,
) -> Expr<R> {
    binary_parts(opcode, lhs.into_operand(), rhs.into_operand(), location)
}

/// Version of [`binary_operands`] for an operand with `in_dim` on the left, which is kept if the
/// other is a scalar.
pub(crate) fn beside_in_dim<T: Element, R: Element, O: Operand<T>>(
    opcode: Opcode,
    lhs: InDim<T>,
    rhs: O,
    location: &'static Location<'static>,
) -> O::BesideInDim<R> {
    rhs.beside_in_dim(lhs, |lhs, rhs| binary_parts(opcode, lhs, rhs, location))
}

fn binary_parts<T: Element, R: Element>(
    opcode: Opcode,
    (lhs, lhs_dims): Parts<T>,
    (rhs, rhs_dims): Parts<T>,
    location: &'static Location<'static>,
) -> Expr<R> {
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
    typed(node_operations::unary(opcode, x.node()?))
}

pub(crate) fn convert<T: Element, R: Element>(opcode: Opcode, x: &Expr<T>) -> Result<Expr<R>> {
    typed(node_operations::convert(opcode, x.node()?, R::ELEMENT_TYPE))
}

pub(crate) fn select<T: Element>(
    pred: &Expr<bool>,
    on_true: &Expr<T>,
    on_false: &Expr<T>,
) -> Result<Expr<T>> {
    typed(node_operations::select(pred.node()?, on_true.node()?, on_false.node()?))
}

pub(crate) fn clamp<T: Element>(min: &Expr<T>, x: &Expr<T>, max: &Expr<T>) -> Result<Expr<T>> {
    typed(node_operations::clamp(min.node()?, x.node()?, max.node()?))
}

pub(crate) fn next_after<T: Element>(from: &Expr<T>, to: &Expr<T>) -> Result<Expr<T>> {
    typed(node_operations::next_after(from.node()?, to.node()?))
}

pub(crate) fn reduce_precision<T: Element>(
    x: &Expr<T>,
    exponent_bits: i64,
    mantissa_bits: i64,
) -> Result<Expr<T>> {
    typed(node_operations::reduce_precision(x.node()?, exponent_bits, mantissa_bits))
}

pub(crate) fn broadcast<T: Element>(x: &Expr<T>, sizes: &[i64]) -> Result<Expr<T>> {
    typed(node_operations::broadcast(x.node()?, sizes))
}

pub(crate) fn broadcast_in_dim<T: Element>(
    x: &Expr<T>,
    out_sizes: &[i64],
    broadcast_dimensions: &[i64],
) -> Result<Expr<T>> {
    typed(node_operations::broadcast_in_dim(x.node()?, out_sizes, broadcast_dimensions))
}

/// Version of [`broadcast_in_dim`] for a [`Shape`], whose sizes are not negative.
pub(crate) fn broadcast_to<T: Element>(
    x: &Expr<T>,
    output: &Shape,
    broadcast_dimensions: &[i64],
) -> Result<Expr<T>> {
    typed(node_operations::broadcast_to(x.node()?, output, broadcast_dimensions))
}

pub(crate) fn transpose<T: Element>(x: &Expr<T>, permutation: &[i64]) -> Result<Expr<T>> {
    typed(node_operations::transpose(x.node()?, permutation))
}

pub(crate) fn slice<T: Element>(
    x: &Expr<T>,
    start_indices: &[i64],
    limit_indices: &[i64],
    strides: &[i64],
) -> Result<Expr<T>> {
    typed(node_operations::slice(x.node()?, start_indices, limit_indices, strides))
}

pub(crate) fn reverse<T: Element>(x: &Expr<T>, dimensions: &[i64]) -> Result<Expr<T>> {
    typed(node_operations::reverse(x.node()?, dimensions))
}

pub(crate) fn reshape<T: Element>(x: &Expr<T>, new_sizes: &[i64]) -> Result<Expr<T>> {
    typed(node_operations::reshape(x.node()?, new_sizes))
}

pub(crate) fn pad<T: Element>(
    x: &Expr<T>,
    padding_value: &Expr<T>,
    low: &[i64],
    high: &[i64],
    interior: &[i64],
) -> Result<Expr<T>> {
    typed(node_operations::pad(&x.node()?, &padding_value.node()?, [low, high, interior]))
}

pub(crate) fn concatenate<T: Element>(
    operands: impl IntoIterator<Item = impl IntoExpr<T>>,
    dimension: i64,
) -> Result<Expr<T>> {
    let nodes = operands.into_iter().map(|operand| operand.into_expr().node());
    typed(node_operations::concatenate(&nodes.collect::<Result<Vec<_>>>()?, dimension))
}

pub(crate) fn roll<T: Element>(x: &Expr<T>, shifts: &[i64], dimensions: &[i64]) -> Result<Expr<T>> {
    typed(node_operations::roll(&x.node()?, shifts, dimensions))
}

/// Returns the expression of a node, whose element type the caller knows to be `R`.
fn typed<R: Element>(made: Result<Arc<Node>>) -> Result<Expr<R>> {
    made.map(Expr::of_shared)
}

/// Returns the expression, or one that keeps the error with the place of the call.
pub(crate) fn or_error<R: Element>(
    made: Result<Expr<R>>,
    location: &'static Location<'static>,
) -> Expr<R> {
    made.unwrap_or_else(|error| Expr::failed(error, location))
}
