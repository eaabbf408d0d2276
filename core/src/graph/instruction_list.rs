//! [`InstructionList`]: instructions under construction, each of which is there once.

use std::sync::Arc;

use crate::graph::computation::{Instruction, Instructions, NodeId};
use crate::graph::function::body::SharedFunction;
use crate::semantics::hash::{FastMap, hash_of};

/// A list of instructions without repetition. Adding one that is equal to an earlier one returns
/// the earlier one, so common subexpressions are computed once.
#[derive(Debug, Default)]
pub struct InstructionList {
    pub(crate) instructions: Vec<Instruction>,
    /// Maps the hash of an instruction to its id; a hash is smaller than a copy of the instruction.
    /// If two share a hash, only the first is found again; repeating the second is merely slower.
    by_hash: FastMap<u64, NodeId>,
    functions: Vec<SharedFunction>,
    function_numbers: FastMap<SharedFunction, usize>,
}

impl InstructionList {
    /// Returns an empty list of instructions that call these functions.
    pub(crate) fn with_functions(functions: &[SharedFunction]) -> Self {
        let numbers = functions.iter().cloned().enumerate().rev();
        Self {
            functions: functions.to_vec(),
            function_numbers: numbers.map(|(number, function)| (function, number)).collect(),
            ..Self::default()
        }
    }

    /// Adds an instruction, unless there is an equal one. Returns the id of its value.
    pub fn push(&mut self, instruction: Instruction) -> NodeId {
        let next = self.instructions.len();
        let known = *self.by_hash.entry(hash_of(&instruction)).or_insert(next);
        if known != next && self.instructions[known] == instruction {
            return known;
        }
        self.instructions.push(instruction);
        next
    }

    /// Returns the number of a function.
    pub fn function(&mut self, function: &SharedFunction) -> usize {
        if let Some(&number) = self.function_numbers.get(function) {
            return number;
        }
        let number = self.functions.len();
        self.functions.push(function.clone());
        self.function_numbers.insert(function.clone(), number);
        number
    }

    /// Returns the finished list.
    pub fn finish(self) -> Arc<Instructions> {
        Instructions::new(self.instructions, self.functions)
    }
}
