//! NumPy's implicit broadcasting for expressions whose element types are known at run time. The
//! functions build expressions and compute nothing; `indim::numpy` has those for arrays.

use crate::api::any_expr::AnyExpr;
use crate::api::numpy::alignment::{aligned, broadcast_dimensions, dimensions};
use crate::semantics::dims::Dims;
use crate::semantics::error::{Error, Result};
use crate::semantics::opcode::Opcode;
use crate::semantics::shape::Shape;

/// Returns a binary operation or comparison of operands aligned at the last dimension.
///
/// # Errors
/// [`BroadcastError`](crate::BroadcastError) by rule P1; those of
/// [`Builder::binary`](crate::Builder::binary).
pub fn binary(opcode: Opcode, lhs: &AnyExpr, rhs: &AnyExpr) -> Result<AnyExpr> {
    let dims = dimensions(opcode, lhs.shape(), rhs.shape())?;
    AnyExpr::binary(opcode, lhs, rhs, &dims)
}

/// Returns the elements of `on_true` where `pred` is true, else those of `on_false`: NumPy's
/// `where`.
///
/// # Errors
/// [`BroadcastError`](crate::BroadcastError) by rule P1; [`ShapeError`](crate::ShapeError) by rule
/// C1; [`TypeError`](crate::TypeError) by rules T1 and T2.
pub fn select(pred: &AnyExpr, on_true: &AnyExpr, on_false: &AnyExpr) -> Result<AnyExpr> {
    let [pred, on_true, on_false] = together("select", [pred, on_true, on_false])?;
    AnyExpr::select(&pred, &on_true, &on_false)
}

/// Returns `x`, no less than `min` and no more than `max`: NumPy's `clip`.
///
/// # Errors
/// It returns the errors of [`select`].
pub fn clamp(min: &AnyExpr, x: &AnyExpr, max: &AnyExpr) -> Result<AnyExpr> {
    let [min, x, max] = together("clamp", [min, x, max])?;
    AnyExpr::clamp(&min, &x, &max)
}

/// Returns the floats next to `from` in the direction of `to`: NumPy's `nextafter`.
///
/// # Errors
/// It returns the errors of [`select`].
pub fn next_after(from: &AnyExpr, to: &AnyExpr) -> Result<AnyExpr> {
    let [from, to] = together("next_after", [from, to])?;
    AnyExpr::next_after(&from, &to)
}

/// Returns the operand broadcast to a shape, aligned at the last dimension: NumPy's
/// `broadcast_to`.
///
/// # Errors
/// [`BroadcastError`](crate::BroadcastError) by rules D1 to D4; [`ShapeError`](crate::ShapeError)
/// by rules N1 and C1.
pub fn broadcast_to(x: &AnyExpr, sizes: impl Dims) -> Result<AnyExpr> {
    let sizes = sizes.to_signed();
    let dims = broadcast_dimensions(x.shape().rank(), sizes.len());
    x.broadcast_in_dim(&*sizes, dims).map_err(|error| match error {
        Error::Broadcast { source, .. } => Error::Broadcast { op: "broadcast_to", source },
        other => other,
    })
}

/// Broadcasts operands to the shape that all of them stretch to.
fn together<const N: usize>(op: &'static str, operands: [&AnyExpr; N]) -> Result<[AnyExpr; N]> {
    let shape = aligned(op, &operands.map(AnyExpr::shape))?;
    let mut stretched = operands.map(AnyExpr::clone);
    for operand in &mut stretched {
        if *operand.shape() != shape {
            *operand = to_shape(operand, &shape)?;
        }
    }
    Ok(stretched)
}

fn to_shape(x: &AnyExpr, shape: &Shape) -> Result<AnyExpr> {
    x.broadcast_to(shape, &broadcast_dimensions(x.shape().rank(), shape.rank()))
}
