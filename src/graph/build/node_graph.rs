//! [`Graph`]: what operations are added to.

use crate::graph::build::move_call::MoveCall;
use crate::graph::computation::Payload;
use crate::semantics::error::Result;
use crate::semantics::infer::{Inferred, TensorType};
use crate::semantics::opcode::Opcode;

/// A graph under construction: a builder's list of instructions, or the nodes of expressions.
pub(crate) trait Graph {
    /// A handle of a value.
    type Value: Clone;

    /// Returns the type of a value of this graph.
    fn tensor_type<'a>(&'a self, value: &'a Self::Value) -> TensorType<'a>;

    /// Checks that an operand of `op` belongs to this graph, and returns its type.
    fn operand<'a>(&'a self, _op: Opcode, value: &'a Self::Value) -> Result<TensorType<'a>> {
        Ok(self.tensor_type(value))
    }

    /// Adds an instruction with its inferred type, on operands of this graph.
    fn push(
        &mut self,
        opcode: Opcode,
        inferred: Inferred,
        operands: &[&Self::Value],
        payload: Payload,
    ) -> Self::Value;

    /// Returns the value, computed on the context of `operands` although it needs none of their
    /// elements.
    fn with_context_of(&mut self, value: Self::Value, operands: &[&Self::Value]) -> Self::Value;

    /// Records the call that a value was assembled for, where it is needed later.
    fn assembled(&mut self, _value: &Self::Value, _call: MoveCall<Self::Value>) {}
}
