//! Operations on operands of one type that are aligned at the last dimension, for the functions on
//! arrays and for those on expressions.

use crate::api::expr::Expr;
use crate::api::numpy::alignment::{aligned, broadcast_dimensions, dimensions};
use crate::api::operations;
use crate::semantics::element::Element;
use crate::semantics::error::{Error, Result};
use crate::semantics::opcode::Opcode;
use crate::semantics::shape::Shape;

pub(super) fn binary<T: Element, R: Element>(
    opcode: Opcode,
    lhs: &Expr<T>,
    rhs: &Expr<T>,
) -> Result<Expr<R>> {
    let dims = dimensions(opcode, lhs.shape()?, rhs.shape()?)?;
    operations::binary(opcode, lhs, rhs, &dims)
}

pub(super) fn select<T: Element>(
    pred: &Expr<bool>,
    on_true: &Expr<T>,
    on_false: &Expr<T>,
) -> Result<Expr<T>> {
    let shape = aligned("select", &[pred.shape()?, on_true.shape()?, on_false.shape()?])?;
    let (on_true, on_false) = (stretched(on_true, &shape)?, stretched(on_false, &shape)?);
    operations::select(&stretched(pred, &shape)?, &on_true, &on_false)
}

pub(super) fn clamp<T: Element>(min: &Expr<T>, x: &Expr<T>, max: &Expr<T>) -> Result<Expr<T>> {
    let shape = aligned("clamp", &[min.shape()?, x.shape()?, max.shape()?])?;
    let (min, max) = (stretched(min, &shape)?, stretched(max, &shape)?);
    operations::clamp(&min, &stretched(x, &shape)?, &max)
}

pub(super) fn next_after<T: Element>(from: &Expr<T>, to: &Expr<T>) -> Result<Expr<T>> {
    let shape = aligned("next_after", &[from.shape()?, to.shape()?])?;
    operations::next_after(&stretched(from, &shape)?, &stretched(to, &shape)?)
}

pub(super) fn broadcast_to<T: Element>(x: &Expr<T>, shape: &Shape) -> Result<Expr<T>> {
    stretched(x, shape).map_err(|error| match error {
        Error::Broadcast { source, .. } => Error::Broadcast { op: "broadcast_to", source },
        other => other,
    })
}

/// Returns the expression broadcast to a shape, aligned at its last dimension.
fn stretched<T: Element>(x: &Expr<T>, shape: &Shape) -> Result<Expr<T>> {
    let dims = broadcast_dimensions(x.shape()?.rank(), shape.rank());
    operations::broadcast_to(x, shape, &dims)
}
