//! [`MoveCall`]: the arguments of a move, which its instructions do not record.

use crate::semantics::hash::FastMap;

/// The call that a pad, concatenate or roll was assembled for, with operands of type `V`.
///
/// The value is a select between views that leave their operands. No builder call makes such views,
/// so the value is stored as this call instead of its instructions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum MoveCall<V> {
    /// A pad without interior elements, with the operand's first element at `origin` in the result.
    Pad { operand: V, padding_value: V, origin: Vec<i64> },
    /// A concatenation of a few operands.
    Concatenate { operands: Vec<V>, dimension: usize },
    /// A roll along one dimension.
    Roll { operand: V, shift: i64, dimension: usize },
}

/// The calls of a computation's moves, by the number of the value that each gives.
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
