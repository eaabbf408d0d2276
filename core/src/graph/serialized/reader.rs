//! [`Reader`]: adds stored operations to a builder, and counts what they cost.

use crate::graph::again::again;
use crate::graph::builder::{Builder, Op};
use crate::graph::computation::Instruction;
use crate::graph::function::body::SharedFunction;
use crate::graph::operation::Operation;

/// The maximum cost of one computation, as counted by [`cost`]: some 2 million operations of rank 2.
/// They take about 1 GB of memory.
const MOST_COST: usize = 1 << 25;

/// A computation that is being read.
pub(super) struct Reader {
    pub(super) builder: Builder,
    /// The values of the instructions so far.
    pub(super) ops: Vec<Op>,
    pub(super) cost: Cost,
    pub(super) functions: Vec<SharedFunction>,
}

impl Reader {
    pub(super) fn instruction(&mut self, instruction: &Instruction) -> Result<(), String> {
        let operands = self.operands(&instruction.operands)?;
        let rank = self.rank(&operands).max(instruction.shape.rank());
        self.cost.add(cost(instruction, rank))?;
        if let Operation::Parameter(number) = instruction.operation
            && number != self.builder.parameter_count()
        {
            let next = self.builder.parameter_count();
            return Err(format!("parameter {number} is given, and the next one is {next}"));
        }
        let op = again(&mut self.builder, instruction, &self.functions, &operands)
            .map_err(|why| why.to_string())?;
        let Instruction { element_type, shape, .. } = instruction;
        match (self.builder.element_type(op), self.builder.shape(op)) {
            (Ok(of), Ok(sizes)) if (of, sizes) == (*element_type, shape) => {}
            (Ok(of), Ok(sizes)) => {
                let result = format!("the result is {of}{sizes}");
                return Err(format!("{result}, but {element_type}{shape} is stored"));
            }
            (Err(why), _) | (_, Err(why)) => return Err(why.to_string()),
        }
        self.ops.push(op);
        Ok(())
    }

    /// Returns the values of these earlier instructions.
    pub(super) fn operands(&self, numbers: &[usize]) -> Result<Vec<Op>, String> {
        numbers.iter().map(|&number| self.value(number)).collect()
    }

    /// Returns the highest rank of these values.
    pub(super) fn rank(&self, values: &[Op]) -> usize {
        let ranks = values.iter().map(|&op| self.builder.shape(op).map_or(0, |shape| shape.rank()));
        ranks.max().unwrap_or(0)
    }

    /// Returns the value of an earlier instruction.
    pub(super) fn value(&self, number: usize) -> Result<Op, String> {
        let none = || match self.ops.len() {
            0 => format!("value {number} is used, but no value stands before this"),
            count => {
                format!("value {number} is used, but the values before this are 0 to {}", count - 1)
            }
        };
        self.ops.get(number).copied().ok_or_else(none)
    }
}

/// The cost of a computation so far.
pub(super) struct Cost {
    pub(super) total: usize,
    /// What is done with the computation.
    pub(super) done: &'static str,
}

impl Cost {
    /// Adds the cost of what is about to be made.
    pub(super) fn add(&mut self, added: usize) -> Result<(), String> {
        self.total = self.total.saturating_add(added);
        if self.total > MOST_COST {
            return Err(format!(
                "the computation costs more than {MOST_COST}, which is the most that is {}; make it of several computations",
                self.done
            ));
        }
        Ok(())
    }
}

/// Returns the maximum cost of an instruction if its operands have at most this rank: 8 for each
/// instruction that kernels make of it, and 3 for each dimension of one. An instruction that costs
/// much is thus refused before it is added.
pub(super) fn cost(instruction: &Instruction, rank: usize) -> usize {
    let instructions = instruction.operation.expanded(instruction.operands.len(), rank);
    let dimensions = instruction.shape.rank().max(rank).saturating_mul(3);
    instructions.saturating_mul(dimensions.saturating_add(8))
}
