//! Passes over a [`Computation`]: each returns a computation with changed instructions, again
//! without repetition.

use crate::graph::build::move_call::MoveCalls;
use crate::graph::computation::{Computation, Instruction, Instructions, NodeId, Payload};
use crate::graph::instruction_list::InstructionList;
use crate::semantics::precision::Precision;

impl Computation {
    /// Returns the computation with this precision for operations that requested none. Instructions
    /// that become equal are merged.
    pub(crate) fn with_default_precision(&self, precision: Precision) -> Self {
        self.rewritten(|instruction| {
            let requested = instruction.precision.or(Some(precision));
            instruction.precision =
                Precision::of(requested, instruction.opcode, instruction.element_type);
        })
    }

    /// Returns the computation with parameter `representative[i]` in place of parameter i, for
    /// arguments that are the same array: a kernel then loads it once and computes each operation
    /// on it once.
    pub(crate) fn merge_parameters(&self, representative: &[usize]) -> Self {
        self.rewritten(|instruction| {
            if let Payload::Parameter(number) = &mut instruction.payload {
                *number = representative[*number];
            }
        })
    }

    /// Returns the computation with `change` applied to each instruction, which must keep its type,
    /// shape and inputs; equal instructions are merged.
    fn rewritten(&self, change: impl Fn(&mut Instruction)) -> Self {
        let mut list = InstructionList::default();
        let mut new_ids: Vec<NodeId> = Vec::with_capacity(self.instructions.len());
        for instruction in self.instructions.iter() {
            let mut copy = instruction.clone();
            for input in &mut copy.inputs {
                input.node = new_ids[input.node];
            }
            change(&mut copy);
            new_ids.push(list.push(copy));
        }
        Self {
            instructions: Instructions::new(list.instructions),
            parameters: self.parameters.clone(),
            name: self.name.clone(),
            // Values are renumbered here, and nothing reads these.
            move_calls: MoveCalls::default(),
            roots: self.roots.iter().map(|&root| new_ids[root]).collect(),
        }
    }
}
