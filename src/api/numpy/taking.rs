//! NumPy's takes: axes and indices count from the end where they are negative.

use std::panic::Location;
use std::sync::Arc;

use crate::api::expr::Expr;
use crate::api::expr_node::Node;
use crate::api::nodes::Nodes;
use crate::api::operand::IntoExpr;
use crate::api::operations::lazily;
use indim_core::graph::build;
use indim_core::semantics::element::{Element, Integer};
use indim_core::semantics::error::Result;

/// Returns the elements at computed indices along an axis: NumPy's `take`. A negative axis and negative
/// indices count from the end. Indices that are still out of range are clamped, where NumPy raises an
/// error: what a device computes is not known when the operation is asked for. The expression keeps an
/// error by rules G1, G2 and C1 for [`Expr::eval`].
///
/// ```
/// use indim::{Expr, numpy};
///
/// let (x, last) = (Expr::<f32>::iota([2, 3], 0), -1_i32);
/// assert_eq!(numpy::take(x, last, -1).shape()?.dims(), [2]);
/// # Ok::<(), indim::Error>(())
/// ```
#[track_caller]
pub fn take<T: Element, I: Integer>(
    x: impl IntoExpr<T>,
    indices: impl IntoExpr<I>,
    axis: i64,
) -> Expr<T> {
    taken(Location::caller(), build::take, &x.into_expr(), &indices.into_expr(), axis)
}

/// Returns the elements at an index of their own along an axis: NumPy's `take_along_axis`, with the
/// indices of [`take`]. The expression keeps an error by rules G1, G2, G3 and C1 for [`Expr::eval`].
///
/// ```
/// use indim::{Expr, numpy};
///
/// let (x, indices) = (Expr::<f32>::iota([2, 3], 0), Expr::<i32>::iota([2, 1], 0));
/// assert_eq!(numpy::take_along_axis(x, indices, -1).shape()?.dims(), [2, 1]);
/// # Ok::<(), indim::Error>(())
/// ```
#[track_caller]
pub fn take_along_axis<T: Element, I: Integer>(
    x: impl IntoExpr<T>,
    indices: impl IntoExpr<I>,
    axis: i64,
) -> Expr<T> {
    taken(
        Location::caller(),
        build::take_along_dimension,
        &x.into_expr(),
        &indices.into_expr(),
        axis,
    )
}

type Take = fn(&mut Nodes, &Arc<Node>, &Arc<Node>, i64) -> Result<Arc<Node>>;

/// Returns a take whose axis and indices may count from the end.
fn taken<T: Element, I: Integer>(
    location: &'static Location<'static>,
    take: Take,
    x: &Expr<T>,
    indices: &Expr<I>,
    axis: i64,
) -> Expr<T> {
    lazily(location, || {
        let (x, indices) = (x.node_ref()?, indices.node_ref()?);
        let dims = x.shape.dims();
        let dimension = if axis < 0 { axis.saturating_add(dims.len() as i64) } else { axis };
        let size = usize::try_from(dimension).ok().and_then(|d| dims.get(d).copied());
        let indices = build::wrapped_indices(&mut Nodes, indices, size.unwrap_or(0))?;
        take(&mut Nodes, x, &indices, dimension)
    })
}
