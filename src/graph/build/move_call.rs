//! [`MoveCall`]: the call of a move, which its instructions do not record.

use crate::semantics::hash::FastMap;
use crate::semantics::opcode::Opcode;

/// The builder call that an operation of class [`Move`](crate::OpClass::Move) was assembled for,
/// with operands of type `V`.
///
/// The value is a select between views that leave their operands. No builder call makes such views,
/// so the value is stored as this call instead of its instructions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MoveCall<V> {
    pub(crate) opcode: Opcode,
    pub(crate) operands: Vec<V>,
    /// The lists after the operands, in the order of the arguments; a number is a list of one.
    #[cfg_attr(not(feature = "serde"), allow(dead_code, reason = "they are for serialization"))]
    pub(crate) attributes: Vec<Vec<i64>>,
}

/// The calls of a computation's moves, by the number of the value that each gives.
pub(crate) type MoveCalls = FastMap<usize, MoveCall<usize>>;

impl<V> MoveCall<V> {
    /// Returns the call with each operand replaced.
    pub(crate) fn map<W>(self, replace: impl FnMut(V) -> W) -> MoveCall<W> {
        let Self { opcode, operands, attributes } = self;
        MoveCall { opcode, operands: operands.into_iter().map(replace).collect(), attributes }
    }
}
