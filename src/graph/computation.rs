//! A [`Computation`]: a list of instructions in which each value is defined once, before its uses.

use crate::semantics::element::{ElementType, Scalar};
use crate::semantics::hash::{FastMap, hash_of};
use crate::semantics::opcode::{OpClass, Opcode};
use crate::semantics::precision::Precision;
use crate::semantics::shape::Shape;
use crate::semantics::view::View;

/// Place of an instruction in its list.
pub(crate) type NodeId = usize;

/// One operand of an instruction.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Input {
    pub(crate) node: NodeId,
    /// How the instruction sees that node.
    pub(crate) view: View,
}

/// What an instruction is beyond its opcode.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Payload {
    None,
    /// Number of the parameter.
    Parameter(usize),
    Constant(Scalar),
    /// The dimension along which the values count up.
    Iota(usize),
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Instruction {
    pub(crate) opcode: Opcode,
    pub(crate) element_type: ElementType,
    pub(crate) shape: Shape,
    pub(crate) inputs: Vec<Input>,
    pub(crate) payload: Payload,
    /// If it was said, and makes a difference.
    pub(crate) precision: Option<Precision>,
}

impl Instruction {
    /// Whether it only moves elements of its one operand: a broadcast or a view.
    pub(crate) fn is_view(&self) -> bool {
        matches!(self.opcode.class(), OpClass::Broadcast | OpClass::View)
    }

    /// If it is the memory of its operand seen as elements of another width, that operand.
    pub(crate) fn retyped(&self) -> Option<NodeId> {
        match self.inputs.as_slice() {
            [Input { node, view: View::Bitcast }] => Some(*node),
            _ => None,
        }
    }
}

/// Element type and shape of a computation's parameter.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Parameter {
    /// Element type of the array to be given.
    pub element_type: ElementType,
    /// Its shape.
    pub shape: Shape,
}

/// An elementwise program with one result, ready to run or to be explained.
///
/// Made by [`Builder::build`](crate::Builder::build); cheap to run again on other arrays.
#[derive(Debug, Clone)]
pub struct Computation {
    pub(crate) instructions: Vec<Instruction>,
    pub(crate) parameters: Vec<Parameter>,
    pub(crate) root: NodeId,
}

impl Computation {
    /// Shape of the result.
    pub fn shape(&self) -> &Shape {
        &self.instructions[self.root].shape
    }

    /// Element type of the result.
    pub fn element_type(&self) -> ElementType {
        self.instructions[self.root].element_type
    }

    /// The parameters, in the order in which arrays are given for them.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// The parameter whose elements the result has, in their order: then there is nothing to compute.
    pub(crate) fn is_parameter(&self) -> Option<usize> {
        let root = &self.instructions[self.root];
        let (instruction, kept) = match root.inputs.as_slice() {
            [input] if root.is_view() => {
                let operand = &self.instructions[input.node];
                (operand, input.view.keeps_elements(&operand.shape, &root.shape))
            }
            _ => (root, true),
        };
        match instruction.payload {
            Payload::Parameter(number) if kept => Some(number),
            _ => None,
        }
    }

    /// The same computation where operations of which nothing was said have this precision; those
    /// that become equal by it are one.
    pub(crate) fn with_default_precision(&self, precision: Precision) -> Self {
        self.rewritten(|instruction| {
            let asked = instruction.precision.or(Some(precision));
            instruction.precision =
                Precision::of(asked, instruction.opcode, instruction.element_type);
        })
    }

    /// The same computation where parameter i is parameter `representative[i]`, for arguments that
    /// are the same array: each is then loaded and each operation on it computed once.
    pub(crate) fn merge_parameters(&self, representative: &[usize]) -> Self {
        self.rewritten(|instruction| {
            if let Payload::Parameter(number) = &mut instruction.payload {
                *number = representative[*number];
            }
        })
    }

    /// The same computation where each instruction is changed in itself, without repetition.
    fn rewritten(&self, change: impl Fn(&mut Instruction)) -> Self {
        let mut list = InstructionList::default();
        let mut places: Vec<NodeId> = Vec::with_capacity(self.instructions.len());
        for instruction in &self.instructions {
            let mut copy = instruction.clone();
            for input in &mut copy.inputs {
                input.node = places[input.node];
            }
            change(&mut copy);
            places.push(list.push(copy));
        }
        Self {
            instructions: list.instructions,
            parameters: self.parameters.clone(),
            root: places[self.root],
        }
    }
}

/// Instructions without repetition: one that is there already is not added again, so that common
/// subexpressions are computed once. Views are seen through: an instruction takes what the view is
/// of, so that of any chain of views one is left.
#[derive(Debug, Default)]
pub(crate) struct InstructionList {
    pub(crate) instructions: Vec<Instruction>,
    /// By an instruction's hash, which spares a copy of it. Of two with one hash only the first is
    /// found again.
    places: FastMap<u64, NodeId>,
}

impl InstructionList {
    /// The place of a value that is this instruction's.
    pub(crate) fn push(&mut self, mut instruction: Instruction) -> NodeId {
        for input in &mut instruction.inputs {
            self.see_through(input, &instruction.shape);
        }
        if let (true, [input]) = (instruction.is_view(), instruction.inputs.as_slice()) {
            let operand = &self.instructions[input.node].shape;
            if input.view.is_identity(operand, &instruction.shape) {
                return input.node;
            }
        }
        let place = self.instructions.len();
        let known = *self.places.entry(hash_of(&instruction)).or_insert(place);
        if known != place && self.instructions[known] == instruction {
            return known;
        }
        self.instructions.push(instruction);
        place
    }

    /// Goes from a view to what it is a view of, as long as the two are one view.
    fn see_through(&self, input: &mut Input, result: &Shape) {
        loop {
            let seen = &self.instructions[input.node];
            let (true, [inner]) = (seen.is_view(), seen.inputs.as_slice()) else { return };
            let operand = &self.instructions[inner.node].shape;
            let Some(view) = input.view.of(&inner.view, operand, result) else { return };
            *input = Input { node: inner.node, view };
        }
    }
}
