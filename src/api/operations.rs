//! Helpers of the typed ways to call: they unwrap expressions, and keep or return errors.

use std::panic::Location;
use std::sync::Arc;

use crate::api::expr::Expr;
use crate::api::expr_node::Node;
use crate::api::nodes::Nodes;
use crate::api::operand::{InDim, IntoExpr, Operand, Parts};
use crate::device::arrays::typed::Array;
use indim_core::graph::build;
use indim_core::semantics::element::Element;
use indim_core::semantics::error::Result;
use indim_core::semantics::infer;
use indim_core::semantics::opcode::Opcode;

/// Returns the expression of the node that `make` gives, whose element type is `R`, or one that keeps
/// the error with the place of the call.
pub(crate) fn lazily<R: Element>(
    location: &'static Location<'static>,
    make: impl FnOnce() -> Result<Arc<Node>>,
) -> Expr<R> {
    make().map_or_else(|error| Expr::failed(error, location), Expr::of_shared)
}

/// Computes the node that `make` gives, whose element type is `R`.
pub(crate) fn eagerly<R: Element>(make: impl FnOnce() -> Result<Arc<Node>>) -> Result<Array<R>> {
    Expr::of_shared(make()?).eval()
}

/// Returns a binary operation or comparison of operands that may carry `in_dim`.
pub(crate) fn binary<T: Element, R: Element>(
    opcode: Opcode,
    lhs: impl Operand<T>,
    rhs: impl Operand<T>,
    location: &'static Location<'static>,
) -> Expr<R> {
    binary_parts(opcode, lhs.into_operand(), rhs.into_operand(), location)
}

/// Version of [`binary`] for an operand with `in_dim` on the left, which is kept if the other is a
/// scalar.
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
    lazily(location, || {
        let (lhs, rhs) = (lhs.node_ref()?, rhs.node_ref()?);
        let lhs_part = (&lhs.shape, lhs_dims.as_deref());
        let dims = infer::in_dim_of(opcode, lhs_part, (&rhs.shape, rhs_dims.as_deref()))?;
        build::binary(&mut Nodes, opcode, lhs, rhs, &dims)
    })
}

/// Returns a unary operation.
pub(crate) fn unary<T: Element, R: Element>(
    opcode: Opcode,
    x: &Expr<T>,
    location: &'static Location<'static>,
) -> Expr<R> {
    lazily(location, || build::unary(&mut Nodes, opcode, x.node_ref()?))
}

/// Returns a conversion, of values or of bits.
pub(crate) fn convert<T: Element, R: Element>(
    opcode: Opcode,
    x: &Expr<T>,
    location: &'static Location<'static>,
) -> Expr<R> {
    lazily(location, || build::convert(&mut Nodes, opcode, x.node_ref()?, R::ELEMENT_TYPE))
}

/// Returns the nodes of operands.
pub(crate) fn nodes<T: Element>(
    operands: impl IntoIterator<Item = impl IntoExpr<T>>,
) -> Result<Vec<Arc<Node>>> {
    operands.into_iter().map(|operand| operand.into_expr().node()).collect()
}
