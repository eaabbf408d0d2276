//! Translates rule P1, NumPy's alignment of shapes at the last dimension, into the explicit rule's
//! `broadcast_dimensions`.

use std::sync::Arc;

use crate::api::expr_node::Node;
use crate::api::nodes::Nodes;
use crate::graph::build;
use crate::semantics::broadcast;
use crate::semantics::error::{Error, Result};
use crate::semantics::opcode::Opcode;
use crate::semantics::shape::Shape;

/// Returns the `broadcast_dimensions` that align an operand of `rank` at the last dimension of an
/// array of `result_rank`.
///
/// ```
/// assert_eq!(indim::numpy::broadcast_dimensions(1, 3), [2]);
/// ```
pub fn broadcast_dimensions(rank: usize, result_rank: usize) -> Vec<i64> {
    // Ranks are lengths of lists in memory, far below 2^63.
    (result_rank.saturating_sub(rank)..result_rank).map(|d| d as i64).collect()
}

/// Checks rules P1 and C1 and returns the shape that the operands broadcast to.
pub(super) fn aligned(op: &'static str, shapes: &[&Shape]) -> Result<Shape> {
    let shape = broadcast::align_trailing(shapes).map_err(Error::broadcast(op))?;
    shape.element_count().map_err(Error::shape(op))?;
    Ok(shape)
}

/// Returns the `broadcast_dimensions` of a binary operation, for the explicit rule. Refuses
/// operands by rule P1, so that the message is in NumPy's terms.
fn dimensions(opcode: Opcode, lhs: &Shape, rhs: &Shape) -> Result<Vec<i64>> {
    let result = aligned(opcode.method(), &[lhs, rhs])?;
    if lhs.rank() == rhs.rank() {
        return Ok(Vec::new());
    }
    Ok(broadcast_dimensions(lhs.rank().min(rhs.rank()), result.rank()))
}

/// Returns a binary operation or comparison of aligned operands.
pub(super) fn aligned_binary(
    opcode: Opcode,
    lhs: &Arc<Node>,
    rhs: &Arc<Node>,
) -> Result<Arc<Node>> {
    let dims = dimensions(opcode, &lhs.shape, &rhs.shape)?;
    build::binary(&mut Nodes, opcode, lhs, rhs, &dims)
}

/// Returns another elementwise operation, on operands that are broadcast to the shape that all of
/// them stretch to.
pub(super) fn elementwise(opcode: Opcode, operands: &[&Arc<Node>]) -> Result<Arc<Node>> {
    let operands = together(opcode.method(), operands)?;
    build::elementwise(&mut Nodes, opcode, &operands.iter().collect::<Vec<_>>())
}

/// Returns operands broadcast to the shape that all of them stretch to.
fn together(op: &'static str, operands: &[&Arc<Node>]) -> Result<Vec<Arc<Node>>> {
    let shapes: Vec<&Shape> = operands.iter().map(|operand| &operand.shape).collect();
    let shape = aligned(op, &shapes)?;
    operands.iter().map(|operand| to_shape(operand, &shape)).collect()
}

/// Returns a value broadcast to a shape, aligned at its last dimension.
pub(super) fn stretched(x: &Arc<Node>, shape: &Shape) -> Result<Arc<Node>> {
    to_shape(x, shape).map_err(of_broadcast_to)
}

fn to_shape(x: &Arc<Node>, shape: &Shape) -> Result<Arc<Node>> {
    if x.shape == *shape {
        return Ok(Arc::clone(x));
    }
    let dims = broadcast_dimensions(x.shape.rank(), shape.rank());
    build::broadcast_to(&mut Nodes, x, shape, &dims)
}

/// Names NumPy's function in an error of `broadcast_in_dim`.
pub(super) fn of_broadcast_to(error: Error) -> Error {
    match error {
        Error::Broadcast { source, .. } => Error::Broadcast { op: "broadcast_to", source },
        other => other,
    }
}
