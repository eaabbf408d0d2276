//! [`Normalized`]: the graph that kernels are made of. Its instructions read their operands through
//! composed views.

use indim_core::graph::computation::NodeId;
use indim_core::graph::function::body::Call;
use indim_core::graph::operation::Words;
use indim_core::semantics::element::{ElementType, Scalar};
use indim_core::semantics::opcode::{Cost, OpClass, Opcode};
use indim_core::semantics::precision::Precision;
use indim_core::semantics::shape::Shape;
use indim_core::semantics::sorted::sorted_set;
use indim_core::semantics::view::View;

/// One operand of an instruction.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Input {
    pub(crate) node: NodeId,
    /// The element of the node that each element of the instruction's domain reads.
    pub(crate) view: View,
}

impl Input {
    /// Returns an operand of this shape, which is that of the instruction.
    pub(crate) fn identity(node: NodeId, shape: &Shape) -> Self {
        Self { node, view: View::identity(shape) }
    }

    /// Returns an operand of rank 0.
    pub(crate) fn scalar(node: NodeId) -> Self {
        Self { node, view: View::Strided(Vec::new()) }
    }
}

/// The attribute of an instruction, if its opcode has one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Attribute {
    /// The opcode has no attribute.
    None,
    /// The number of the parameter.
    Parameter(usize),
    /// A constant.
    Constant {
        value: Scalar,
        /// Its number among the constants of the computation, whose values may be others in each
        /// run; `None` for one that an operation was expanded with.
        number: Option<usize>,
    },
    /// The dimension along which the values count up.
    Iota(usize),
    /// The function that is called.
    Call(Call),
    /// The attributes of a reduction.
    Reduction(Reduction),
}

/// The attributes of a reduction.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Reduction {
    /// The binary operation by which elements are combined.
    pub(crate) by: Opcode,
    pub(crate) words: Words,
    /// The shape of the operand.
    pub(crate) domain: Shape,
    /// For each dimension of the operand, whether it is reduced.
    pub(crate) reduced: Vec<bool>,
}

impl Reduction {
    /// Returns the entries of the kept dimensions, of a list with one for each dimension of the
    /// operand.
    pub(crate) fn kept<T: Clone>(&self, of_domain: &[T]) -> Vec<T> {
        let kept = self.reduced.iter().zip(of_domain).filter(|&(&reduced, _)| !reduced);
        kept.map(|(_, of)| of.clone()).collect()
    }

    /// Returns a list with an entry for each dimension of the operand: those of the kept dimensions,
    /// and others by the sizes of the reduced ones.
    pub(crate) fn of_domain<T: Clone>(&self, kept: &[T], other: impl Fn(usize) -> T) -> Vec<T> {
        let (mut kept, sizes) = (kept.iter(), self.domain.dims());
        let along = |(&reduced, &size): (&bool, &usize)| {
            let of_kept = if reduced { None } else { kept.next() };
            of_kept.cloned().unwrap_or_else(|| other(size))
        };
        self.reduced.iter().zip(sizes).map(along).collect()
    }
}

/// One operation on views of earlier instructions' values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct NormalInstruction {
    /// A shift to the left with one operand moves its low word into the high one.
    pub(crate) opcode: Opcode,
    pub(crate) element_type: ElementType,
    pub shape: Shape,
    pub(crate) inputs: Vec<Input>,
    pub attribute: Attribute,
    /// The requested precision; `None` if none was requested, or if every precision computes the
    /// same.
    pub(crate) precision: Option<Precision>,
}

impl NormalInstruction {
    /// Returns the index space that the views of its inputs start from.
    pub(crate) fn domain(&self) -> &Shape {
        self.reduction().map_or(&self.shape, |reduction| &reduction.domain)
    }

    /// Returns what the instruction combines, if it is a reduction.
    pub(crate) fn reduction(&self) -> Option<&Reduction> {
        match &self.attribute {
            Attribute::Reduction(reduction) => Some(reduction),
            _ => None,
        }
    }

    /// Checks whether the instruction only moves elements of its one operand: a broadcast, a view,
    /// or one of the views that a move is expanded to.
    pub(crate) fn is_view(&self) -> bool {
        matches!(self.opcode.class(), OpClass::Broadcast | OpClass::View | OpClass::Move)
    }

    /// Returns the array that the instruction reads at computed positions, if it is a take: its first
    /// input. The second one is the position of each element, counted in the row-major order of the
    /// array, as U32.
    pub(crate) fn table(&self) -> Option<NodeId> {
        match self.inputs.as_slice() {
            [table, _] if self.opcode == Opcode::Take => Some(table.node),
            _ => None,
        }
    }

    /// Returns the function that the instruction calls, if it is a call.
    pub fn call(&self) -> Option<&Call> {
        match &self.attribute {
            Attribute::Call(call) => Some(call),
            _ => None,
        }
    }

    /// Returns true if it calls a function with loops or has an operand that depends on one.
    pub(crate) fn rests_on_loops(&self, operand_rests: impl Fn(NodeId) -> bool) -> bool {
        self.call().is_some_and(Call::has_loops)
            || self.inputs.iter().any(|input| operand_rests(input.node))
    }

    /// Returns the cost of the operation on F32 and on integers of up to 32 bits.
    pub(crate) fn cost(&self) -> Cost {
        self.call().map_or_else(|| self.opcode.cost(), Call::cost)
    }

    /// Returns the operand of a bitcast to elements of another width, and `None` for other
    /// instructions.
    pub(crate) fn bitcast_operand(&self) -> Option<NodeId> {
        match self.inputs.as_slice() {
            [Input { node, view: View::Bitcast }] => Some(*node),
            _ => None,
        }
    }
}

/// A computation whose moves are expanded and whose views are composed.
#[derive(Debug)]
pub struct Normalized {
    /// The instructions, operands first, each once.
    pub instructions: Vec<NormalInstruction>,
    /// The results, at least one; a node may be several of them.
    pub roots: Vec<NodeId>,
}

impl Normalized {
    /// Returns the number of the parameter that a result equals, at most reshaped, so that nothing
    /// is computed; `None` for other results.
    pub fn forwarded_parameter(&self, root: NodeId) -> Option<usize> {
        let root = &self.instructions[root];
        let (instruction, keeps_elements) = match root.inputs.as_slice() {
            [input] if root.is_view() => {
                let operand = &self.instructions[input.node];
                (operand, input.view.keeps_elements(&operand.shape, root.domain()))
            }
            _ => (root, true),
        };
        match instruction.attribute {
            Attribute::Parameter(number) if keeps_elements => Some(number),
            _ => None,
        }
    }

    /// Returns, for each instruction, whether it calls a function with loops or is computed from
    /// one that does.
    pub(crate) fn rests_on_loops(&self) -> Vec<bool> {
        let mut rests: Vec<bool> = Vec::with_capacity(self.instructions.len());
        for instruction in &self.instructions {
            rests.push(instruction.rests_on_loops(|operand| rests[operand]));
        }
        rests
    }

    /// Returns, for each instruction, whether this one is computed from it.
    pub fn needed_for(&self, value: NodeId) -> Vec<bool> {
        let mut needed = vec![false; self.instructions.len()];
        needed[value] = true;
        // Operands have lower numbers than what is computed from them.
        for node in (0..=value).rev() {
            if needed[node] {
                let inputs = &self.instructions[node].inputs;
                inputs.iter().for_each(|input| needed[input.node] = true);
            }
        }
        needed
    }

    /// Returns the results that are computed, each once, ascending: those that are not parameters,
    /// or all if each is to be in memory of its own.
    pub(crate) fn computed_roots(&self, own_memory: bool) -> Vec<NodeId> {
        let roots = self.roots.iter().copied();
        let is_computed = |&root: &NodeId| own_memory || self.forwarded_parameter(root).is_none();
        sorted_set(roots.filter(is_computed).collect())
    }
}
