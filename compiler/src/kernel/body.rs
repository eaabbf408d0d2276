//! [`Body`]: straight-line code on single elements, which a kernel runs at each position of a
//! space.

use crate::cost::{self, OpCost};
use crate::kernel::load::{Load, LoadSource};
use indim_core::graph::computation::NodeId;
use indim_core::graph::function::body::Call;
use indim_core::semantics::element::{ElementType, Scalar};
use indim_core::semantics::opcode::Opcode;
use indim_core::semantics::precision::Precision;

/// A value inside a kernel, by its number among those of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ValueRef {
    Load(usize),
    Constant(usize),
    Op(usize),
    /// A value of an accumulator, in the epilogue.
    Folded(Folded),
}

/// A value of an accumulator of a kernel, by the accumulator's number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Folded {
    /// The result.
    Result(usize),
    /// The first or the second of the two words that are a partial result.
    Word(usize, usize),
}

impl Folded {
    /// Returns the number of the accumulator.
    pub(crate) fn accumulator(self) -> usize {
        match self {
            Self::Result(number) | Self::Word(number, _) => number,
        }
    }
}

/// A constant of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelConstant {
    pub(crate) value: Scalar,
    /// The instruction that has this value; `None` for a number that follows from shapes. A run on
    /// other constants changes only the values of instructions.
    pub node: Option<NodeId>,
}

/// One operation on single elements.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KernelOp {
    pub(crate) opcode: Opcode,
    /// The type that determines the spelling: the (last) operand's.
    pub(crate) from: ElementType,
    pub(crate) element_type: ElementType,
    pub(crate) operands: Vec<ValueRef>,
    pub(crate) precision: Precision,
    /// The function that is called, for a call.
    pub call: Option<Call>,
}

impl KernelOp {
    /// Returns true if it calls a function with loops.
    pub(crate) fn has_loops(&self) -> bool {
        self.call.as_ref().is_some_and(Call::has_loops)
    }

    /// Returns true if it is a shift to the left by 32, which has no second operand.
    pub(crate) fn is_word_shift(&self) -> bool {
        self.opcode == Opcode::ShiftLeft && self.operands.len() == 1
    }

    /// Returns true if both are results of one call.
    pub(crate) fn is_same_call(&self, other: &Self) -> bool {
        let functions = (&self.call, &other.call);
        matches!(functions, (Some(own), Some(other)) if own.function == other.function)
            && self.operands == other.operands
    }

    /// Returns its cost on operands of its type.
    pub(crate) fn cost(&self) -> OpCost {
        OpCost::new(self.opcode, self.from, self.call.as_ref())
    }
}

/// Returns, for each operation of a kernel that calls a function with loops, the number of the word
/// that reports whether a loop of the call has run too often. Results of one call share a word.
pub(crate) fn loop_words(ops: &[KernelOp]) -> Vec<Option<usize>> {
    let mut words: Vec<Option<usize>> = Vec::with_capacity(ops.len());
    let mut count = 0;
    for op in ops {
        let known = || words.iter().zip(ops).find(|(_, other)| other.is_same_call(op));
        words.push(op.has_loops().then(|| match known() {
            Some((&Some(word), _)) => word,
            _ => {
                count += 1;
                count - 1
            }
        }));
    }
    words
}

/// Returns the operations that values are computed from, without one that is given.
pub(crate) fn needed<'a>(
    ops: &[KernelOp],
    values: impl Iterator<Item = &'a ValueRef>,
    given: Option<usize>,
) -> Vec<bool> {
    let mut needed = vec![false; ops.len()];
    let need = |needed: &mut Vec<bool>, value: &ValueRef| {
        if let ValueRef::Op(number) = *value {
            needed[number] = given != Some(number);
        }
    };
    values.for_each(|value| need(&mut needed, value));
    for (number, op) in ops.iter().enumerate().rev() {
        if needed[number] {
            op.operands.iter().for_each(|operand| need(&mut needed, operand));
        }
    }
    needed
}

/// Returns the approximate number of these operations on each element within a loop, at least one.
pub(crate) fn loop_weight(ops: &[KernelOp]) -> usize {
    ops.iter().map(|op| op.cost().loop_weight).sum::<usize>().max(1)
}

/// Loads, constants and operations. The planner replaces loads and constants by what the text
/// depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Body<L = Load, C = KernelConstant> {
    pub(crate) loads: Vec<L>,
    pub constants: Vec<C>,
    /// The operations; each uses only operations before it.
    pub ops: Vec<KernelOp>,
}

impl<L, C> Default for Body<L, C> {
    fn default() -> Self {
        Self { loads: Vec::new(), constants: Vec::new(), ops: Vec::new() }
    }
}

impl<L, C> Body<L, C> {
    /// Returns true if it calls a function with loops.
    pub(crate) fn has_loops(&self) -> bool {
        self.ops.iter().any(KernelOp::has_loops)
    }

    /// Returns true if it calls a function whose compilation takes long.
    pub(crate) fn has_long_calls(&self) -> bool {
        self.ops.iter().filter_map(|op| op.call.as_ref()).any(cost::is_long)
    }

    /// Returns the approximate number of operations on each element, at least one.
    pub(crate) fn copy_weight(&self) -> usize {
        self.ops.iter().map(|op| op.cost().copy_weight).sum::<usize>().max(1)
    }
}

impl Body {
    /// Returns the types of everything that it reads and computes, with repetitions.
    pub(crate) fn element_types(&self) -> impl Iterator<Item = ElementType> + '_ {
        let loads = self.loads.iter().map(|load| load.element_type);
        let constants = self.constants.iter().map(|constant| constant.value.element_type());
        let ops = self.ops.iter().flat_map(|op| [op.from, op.element_type]);
        loads.chain(constants).chain(ops)
    }

    /// Returns its loads of arrays.
    pub(crate) fn array_loads(&self) -> impl Iterator<Item = &Load> {
        self.loads.iter().filter(|load| load.source != LoadSource::Iota)
    }
}
