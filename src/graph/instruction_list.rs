//! [`InstructionList`]: instructions under construction, with common subexpressions eliminated.

use crate::graph::computation::{Input, Instruction, NodeId};
use crate::semantics::hash::{FastMap, hash_of};
use crate::semantics::shape::Shape;

/// A list of instructions without repetition. Adding one that is equal to an earlier one returns
/// the earlier one, so common subexpressions are computed once. Chains of views are composed: an
/// instruction skips a view where a single view gives the same elements.
#[derive(Debug, Default)]
pub(crate) struct InstructionList {
    pub(crate) instructions: Vec<Instruction>,
    /// Maps the hash of an instruction to its id; a hash is smaller than a copy of the instruction.
    /// If two share a hash, only the first is found again; repeating the second is merely slower.
    by_hash: FastMap<u64, NodeId>,
    /// For each instruction, whether it depends on a function with loops.
    rests_on_loops: Vec<bool>,
}

impl InstructionList {
    /// Adds an instruction, unless it computes nothing new. Returns the id of its value.
    pub(crate) fn push(&mut self, mut instruction: Instruction) -> NodeId {
        for input in &mut instruction.inputs {
            self.compose_views(input, &instruction.shape);
        }
        if let (true, [input]) = (instruction.is_view(), instruction.inputs.as_slice()) {
            let operand = &self.instructions[input.node].shape;
            if input.view.is_identity(operand, &instruction.shape) {
                return input.node;
            }
        }
        let next = self.instructions.len();
        let known = *self.by_hash.entry(hash_of(&instruction)).or_insert(next);
        if known != next && self.instructions[known] == instruction {
            return known;
        }
        self.rests_on_loops.push(instruction.rests_on_loops(|node| self.rests_on_loops[node]));
        self.instructions.push(instruction);
        next
    }

    /// Replaces an input that is a view by that view's operand, as long as the two views compose.
    fn compose_views(&self, input: &mut Input, result: &Shape) {
        loop {
            let source = &self.instructions[input.node];
            let (true, [inner]) = (source.is_view(), source.inputs.as_slice()) else { return };
            let operand = &self.instructions[inner.node].shape;
            // A view that leaves its operand limits where a loop may run: not beyond this value,
            // even if the operand has elements there.
            if self.rests_on_loops[inner.node] && input.view.leaves(&source.shape, result) {
                return;
            }
            let Some(view) = input.view.of(&inner.view, operand, result) else { return };
            *input = Input { node: inner.node, view };
        }
    }
}
