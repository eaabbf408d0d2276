//! NumPy's rule for operands whose element types are known at run time.

use std::sync::Arc;

use super::alignment::{aligned_binary, elementwise, of_broadcast_to};
use crate::api::any_expr::AnyExpr;
use crate::api::expr_node::Node;
use indim_core::numpy::broadcast_dimensions;
use indim_core::semantics::dims::Dims;
use indim_core::semantics::error::Result;
use indim_core::semantics::opcode::{OpClass, Opcode};

/// Returns an elementwise operation on operands that are aligned at the last dimension: for
/// [`Opcode::Select`] `[pred, on_true, on_false]`, NumPy's `where`; for [`Opcode::Clamp`]
/// `[min, x, max]`; for others one or two operands.
///
/// NumPy also converts operands; here [`result_type`](super::result_type()) says to which type:
///
/// ```
/// use indim::{AnyExpr, ElementType, Opcode, numpy};
///
/// let x = AnyExpr::iota(ElementType::U8, [2, 3], 0)?;
/// let v = AnyExpr::iota(ElementType::S8, [3], 0)?;
/// let to = numpy::result_type(&[x.element_type(), v.element_type()])?;
/// let (x, v) = (x.convert_element_type(to)?, v.convert_element_type(to)?);
/// let sum = numpy::apply(Opcode::Add, &[&x, &v])?;
/// assert_eq!((sum.element_type(), sum.shape().dims()), (ElementType::S16, &[2, 3][..]));
/// # Ok::<(), indim::Error>(())
/// ```
///
/// # Errors
/// [`BroadcastError`](crate::BroadcastError) by rule P1; [`ShapeError`](crate::ShapeError) by rule
/// C1; [`TypeError`](crate::TypeError) by rules T1, T2 and T3;
/// [`BuilderError::OperandCount`](crate::BuilderError::OperandCount);
/// [`BuilderError::WrongMethod`](crate::BuilderError::WrongMethod) for an operation that is not
/// elementwise.
pub fn apply(opcode: Opcode, operands: &[&AnyExpr]) -> Result<AnyExpr> {
    let nodes: Vec<&Arc<Node>> = operands.iter().map(|operand| &operand.node).collect();
    let made = match (opcode.class(), nodes.as_slice()) {
        (OpClass::Binary | OpClass::Compare, [lhs, rhs]) => aligned_binary(opcode, lhs, rhs),
        _ => elementwise(opcode, &nodes),
    };
    made.map(AnyExpr::of)
}

impl AnyExpr {
    /// Returns the value broadcast to a shape, aligned at the last dimension: NumPy's
    /// `broadcast_to`, as [`numpy::broadcast_to`](super::broadcast_to) is for typed values.
    ///
    /// ```
    /// use indim::{AnyExpr, ElementType};
    ///
    /// let v = AnyExpr::iota(ElementType::F32, [3], 0)?;
    /// assert_eq!(v.broadcast_to([2, 3])?.shape().dims(), [2, 3]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`BroadcastError`](crate::BroadcastError) by rules D1 to D4;
    /// [`ShapeError`](crate::ShapeError) by rules N1 and C1.
    pub fn broadcast_to(&self, sizes: impl Dims) -> Result<Self> {
        let sizes = sizes.to_signed();
        let dims = broadcast_dimensions(self.rank(), sizes.len());
        self.broadcast_in_dim(&*sizes, dims).map_err(of_broadcast_to)
    }
}
