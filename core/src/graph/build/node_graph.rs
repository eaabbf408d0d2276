//! [`Graph`]: what operations are added to.

use crate::graph::function::body::SharedFunction;
use crate::graph::operation::Operation;
use crate::semantics::dims::List;
use crate::semantics::error::Result;
use crate::semantics::infer::{Inferred, TensorType};
use crate::semantics::opcode::Opcode;

/// A graph under construction: a builder's list of instructions, or the nodes of expressions.
pub trait Graph {
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
        operation: Operation,
        inferred: Inferred,
        operands: &[&Self::Value],
    ) -> Self::Value;

    /// Adds one result of a call with its inferred type, on operands of this graph.
    fn push_call(
        &mut self,
        call: FunctionCall,
        inferred: Inferred,
        operands: &[&Self::Value],
    ) -> Self::Value;
}

/// One result of a call of a user-defined function.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FunctionCall {
    pub function: SharedFunction,
    /// The number of the result among those of the function.
    pub(crate) result: usize,
    /// The `broadcast_dimensions` of each operand.
    pub(crate) broadcast_dimensions: Box<[List]>,
}

impl FunctionCall {
    /// Returns the call as an operation, in a computation in which the function has this number.
    pub fn operation(self, function: usize) -> Operation {
        let Self { result, broadcast_dimensions, .. } = self;
        Operation::Call { function, result, broadcast_dimensions }
    }
}
