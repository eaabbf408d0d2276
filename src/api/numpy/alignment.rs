//! Translates rule P1, NumPy's alignment of shapes at the last dimension, into the explicit rule's
//! `broadcast_dimensions`.

use crate::semantics::broadcast;
use crate::semantics::error::{Error, Result};
use crate::semantics::opcode::Opcode;
use crate::semantics::shape::Shape;

/// Returns the `broadcast_dimensions` that align an operand of `rank` at the last dimension of an
/// array of `result_rank`: `(1, 3)` gives `[2]`.
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
pub(super) fn dimensions(opcode: Opcode, lhs: &Shape, rhs: &Shape) -> Result<Vec<i64>> {
    let result = aligned(opcode.method(), &[lhs, rhs])?;
    if lhs.rank() == rhs.rank() {
        return Ok(Vec::new());
    }
    Ok(broadcast_dimensions(lhs.rank().min(rhs.rank()), result.rank()))
}
