//! [`MoveCall`]: what a move was asked for, which its instructions do not say.

use crate::semantics::hash::FastMap;

/// The call that a value of a pad, concatenate or roll was assembled for, of operands that are `V`.
///
/// The value is a select between views that leave their operands. No call of a builder makes such
/// views, so that the value is written as this call and not as its instructions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MoveCall<V> {
    /// A pad without interior elements, with the operand's first element at `origin` in the result.
    Pad { operand: V, padding_value: V, origin: Vec<i64> },
    /// A concatenation of a few operands.
    Concatenate { operands: Vec<V>, dimension: usize },
    /// A roll along one dimension.
    Roll { operand: V, shift: i64, dimension: usize },
}

/// The calls of a computation's moves, by the number of the value that each of them gives.
pub(crate) type MoveCalls = FastMap<usize, MoveCall<usize>>;

impl<V> MoveCall<V> {
    /// Returns the call with each operand replaced.
    pub(crate) fn map<W>(self, mut replace: impl FnMut(V) -> W) -> MoveCall<W> {
        match self {
            Self::Pad { operand, padding_value, origin } => MoveCall::Pad {
                operand: replace(operand),
                padding_value: replace(padding_value),
                origin,
            },
            Self::Concatenate { operands, dimension } => MoveCall::Concatenate {
                operands: operands.into_iter().map(replace).collect(),
                dimension,
            },
            Self::Roll { operand, shift, dimension } => {
                MoveCall::Roll { operand: replace(operand), shift, dimension }
            }
        }
    }
}
