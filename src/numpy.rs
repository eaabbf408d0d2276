//! stub
use crate::broadcast;
use crate::error::{Error, Result};
use crate::shape::Shape;

/// The shape that NumPy broadcasts these shapes to.
///
/// # Errors
/// Rule P1, C1.
pub fn broadcast_shapes(shapes: &[&Shape]) -> Result<Shape> {
    let shape = broadcast::align_trailing(shapes).map_err(Error::broadcast("broadcast_shapes"))?;
    shape.element_count().map_err(Error::shape("broadcast_shapes"))?;
    Ok(shape)
}

/// The `broadcast_dimensions` that align an operand of `rank` at the last dimension of a result.
pub fn broadcast_dimensions(rank: usize, result_rank: usize) -> Vec<i64> {
    (result_rank.saturating_sub(rank)..result_rank).map(|d| d as i64).collect()
}
