//! Translates rule P1, NumPy's alignment of shapes at the last dimension, into the explicit rule's
//! `broadcast_dimensions`.

use std::sync::Arc;

use crate::api::expr_node::Node;
use crate::api::nodes::Nodes;
use indim_core::graph::build;
use indim_core::numpy::{aligned, broadcast_dimensions};
use indim_core::semantics::error::{Error, Result};
use indim_core::semantics::opcode::Opcode;
use indim_core::semantics::shape::Shape;

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
