//! [`Operation::view`]: which element of an operand each element of a result reads.

use crate::graph::moves::Move;
use crate::graph::operation::Operation;
use crate::semantics::shape::Shape;
use crate::semantics::view::View;

impl Operation {
    /// Returns the view of operand `number`, for shapes that were inferred; `None` for an operand of
    /// which the operation puts elements at several places, or at some of the result only, or which it
    /// reduces.
    pub fn view(&self, number: usize, operand: &Shape, result: &Shape) -> Option<View> {
        Some(match self {
            Self::Parameter(_)
            | Self::Constant(_)
            | Self::Iota { .. }
            | Self::Elementwise(_)
            | Self::ReducePrecision { .. }
            | Self::ConvertElementType => View::identity(operand),
            Self::BitcastConvertType if operand == result => View::identity(operand),
            Self::BitcastConvertType => View::Bitcast,
            Self::Binary { broadcast_dimensions, .. } => {
                matched(operand, result, broadcast_dimensions)
            }
            Self::Call { broadcast_dimensions, .. } => {
                matched(operand, result, broadcast_dimensions.get(number)?)
            }
            Self::BroadcastInDim { broadcast_dimensions } => {
                View::broadcast(operand, &unsigned(broadcast_dimensions))
            }
            Self::Broadcast => {
                let new = result.rank() - operand.rank();
                View::broadcast(operand, &(new..result.rank()).collect::<Vec<_>>())
            }
            Self::Transpose { permutation } => View::transpose(operand, permutation),
            Self::Slice { start_indices, strides, .. } => {
                View::slice(operand, start_indices, strides, result)
            }
            Self::Reverse { dimensions } => View::reverse(operand, dimensions),
            Self::Reshape => View::reshape(operand, result),
            // The padding value is a scalar.
            Self::Move(Move::Pad { .. }) if number == 1 => View::identity(operand),
            _ => return None,
        })
    }
}

/// Returns the view of an operand of the result's rank, or of a lower one with these
/// `broadcast_dimensions`.
fn matched(operand: &Shape, result: &Shape, broadcast_dimensions: &[i64]) -> View {
    if operand.rank() == result.rank() {
        return View::identity(operand);
    }
    View::broadcast(operand, &unsigned(broadcast_dimensions))
}

fn unsigned(dimensions: &[i64]) -> Vec<usize> {
    dimensions.iter().map(|&dimension| dimension as usize).collect()
}
