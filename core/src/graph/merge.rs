//! A pass over a [`Computation`]: arguments that are the same array become one parameter.

use crate::graph::computation::{Computation, Instruction, NodeId};
use crate::graph::instruction_list::InstructionList;
use crate::graph::operation::Operation;

impl Computation {
    /// Returns the computation with parameter `representative[i]` in place of parameter i, for
    /// arguments that are the same array: a kernel then loads it once and computes each operation
    /// on it once. Instructions that become equal are merged.
    #[doc(hidden)]
    pub fn merge_parameters(&self, representative: &[usize]) -> Self {
        let mut list = InstructionList::with_functions(&self.instructions.functions);
        let mut new_ids: Vec<NodeId> = Vec::with_capacity(self.instructions.len());
        for instruction in self.instructions.iter() {
            let operation = match &instruction.operation {
                Operation::Parameter(number) => Operation::Parameter(representative[*number]),
                other => other.clone(),
            };
            let operands = instruction.operands.iter().map(|&operand| new_ids[operand]).collect();
            new_ids.push(list.push(Instruction { operation, operands, ..instruction.clone() }));
        }
        Self {
            instructions: list.finish(),
            parameters: self.parameters.clone(),
            name: self.name.clone(),
            roots: self.roots.iter().map(|&root| new_ids[root]).collect(),
        }
    }
}
