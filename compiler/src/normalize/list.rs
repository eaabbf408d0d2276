//! [`NormalList`]: instructions of the planner's graph under construction.

use crate::normalize::normalized::{Attribute, Input, NormalInstruction};
use indim_core::graph::computation::NodeId;
use indim_core::semantics::element::Scalar;
use indim_core::semantics::hash::{FastMap, hash_of};
use indim_core::semantics::opcode::Opcode;
use indim_core::semantics::shape::Shape;

/// A list of instructions without repetition. Chains of views are composed: an instruction skips a
/// view where a single view gives the same elements.
#[derive(Debug, Default)]
pub(super) struct NormalList {
    pub(super) instructions: Vec<NormalInstruction>,
    /// Maps the hash of an instruction to its id; a hash is smaller than a copy of the instruction.
    /// If two share a hash, only the first is found again; repeating the second is merely slower.
    by_hash: FastMap<u64, NodeId>,
    /// For each instruction, whether it depends on a function with loops.
    rests_on_loops: Vec<bool>,
}

impl NormalList {
    /// Returns the shape of a value.
    pub(super) fn shape(&self, node: NodeId) -> &Shape {
        &self.instructions[node].shape
    }

    /// Adds an instruction, unless it computes nothing new. Returns the id of its value.
    pub(super) fn push(&mut self, mut instruction: NormalInstruction) -> NodeId {
        let domain = instruction.domain().clone();
        // What is read at computed positions is an array, and no view of one.
        let tables = usize::from(instruction.table().is_some());
        for input in &mut instruction.inputs[tables..] {
            self.compose_views(input, &domain);
        }
        if let (true, [input]) = (instruction.is_view(), instruction.inputs.as_slice())
            && input.view.is_identity(self.shape(input.node), &domain)
        {
            return input.node;
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

    /// Adds a constant with which an operation is expanded.
    pub(super) fn constant(&mut self, value: Scalar) -> NodeId {
        self.push(NormalInstruction {
            opcode: Opcode::Constant,
            element_type: value.element_type(),
            shape: Shape::scalar(),
            inputs: Vec::new(),
            attribute: Attribute::Constant { value, number: None },
            precision: None,
        })
    }

    /// Replaces an input that is a view by that view's operand, as long as the two views compose.
    fn compose_views(&self, input: &mut Input, domain: &Shape) {
        loop {
            let source = &self.instructions[input.node];
            let (true, [inner]) = (source.is_view(), source.inputs.as_slice()) else { return };
            let operand = self.shape(inner.node);
            // A view that leaves its operand limits where a loop may run: not beyond this value,
            // even if the operand has elements there.
            if self.rests_on_loops[inner.node] && input.view.leaves(&source.shape, domain) {
                return;
            }
            let Some(view) = input.view.of(&inner.view, operand, domain) else { return };
            *input = Input { node: inner.node, view };
        }
    }
}
