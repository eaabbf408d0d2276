//! From a computation as it was asked for to the planner's graph, in one pass.
//!
//! `moves` expands pads, concatenations and rolls into selects between shifted views; `powers` makes
//! products, quotients and roots of powers with some constant exponents; `take` computes the positions
//! of taken elements. A shift to the left by a word keeps its first operand alone. `list::NormalList`
//! composes views of views and merges instructions that become equal. The result is
//! [`normalized::Normalized`].
//!
//! Files of this folder import `semantics`, `graph` and each other.

mod list;
mod moves;
pub mod normalized;
mod powers;
mod take;

use crate::normalize::list::NormalList;
use crate::normalize::normalized::{Attribute, Input, NormalInstruction, Normalized, Reduction};
use crate::normalize::powers::Power;
use crate::normalize::take::Take;
use indim_core::graph::computation::{Computation, Instruction, NodeId};
use indim_core::graph::function::body::Call;
use indim_core::graph::known_operand::KnownOperand;
use indim_core::graph::operation::{Operation, Words};
use indim_core::semantics::element::Scalar;
use indim_core::semantics::infer::format_of;
use indim_core::semantics::opcode::Opcode;
use indim_core::semantics::precision::Precision;
use indim_core::semantics::reduce;
use indim_core::semantics::view::View;

/// Returns the planner's graph of a computation, in which operations that requested no precision
/// have this one.
pub fn normalize(computation: &Computation, precision: Precision) -> Normalized {
    let mut pass = Pass {
        computation,
        // Without a precision, an operation is accurate.
        by_default: Some(precision).filter(|&precision| precision != Precision::Accurate),
        list: NormalList::default(),
        values: Vec::with_capacity(computation.instructions().len()),
        constants: 0,
    };
    for instruction in computation.instructions().iter() {
        let value = pass.add(instruction);
        pass.values.push(value);
    }
    Normalized {
        roots: computation.roots().iter().map(|&root| pass.values[root]).collect(),
        instructions: pass.list.instructions,
    }
}

struct Pass<'a> {
    computation: &'a Computation,
    by_default: Option<Precision>,
    list: NormalList,
    /// The values of the computation's instructions so far.
    values: Vec<NodeId>,
    /// The number of the computation's constants so far.
    constants: usize,
}

impl Pass<'_> {
    /// Adds what an instruction becomes. Returns its value.
    fn add(&mut self, instruction: &Instruction) -> NodeId {
        let operands: Vec<NodeId> =
            instruction.operands.iter().map(|&operand| self.values[operand]).collect();
        if let Operation::Move(operation) = &instruction.operation
            && let Some(value) =
                moves::expand(&mut self.list, operation, &operands, &instruction.shape)
        {
            return value;
        }
        if let (Operation::Reduce { opcode, dimensions, words }, &[operand]) =
            (&instruction.operation, &operands[..])
            && let Some(by) = reduce::combines_by(*opcode)
        {
            return self.reduced(instruction, (by, *words, dimensions), operand);
        }
        if let (Operation::Take { opcode, dimension }, &[operand, indices]) =
            (&instruction.operation, &operands[..])
        {
            let (list, result) = (&mut self.list, &instruction.shape);
            let along = *opcode == Opcode::TakeAlongDimension;
            return Take { list, result, dimension: *dimension as usize, along }
                .of(operand, indices);
        }
        self.one(instruction, &operands)
    }

    /// Adds a reduction. Without dimensions it is its operand, and of no elements the value that
    /// changes nothing.
    fn reduced(
        &mut self,
        instruction: &Instruction,
        (by, words, dimensions): (Opcode, Words, &[i64]),
        operand: NodeId,
    ) -> NodeId {
        let Instruction { element_type, shape, precision, .. } = instruction;
        if dimensions.is_empty() {
            return operand;
        }
        let domain = self.list.shape(operand).clone();
        let (inputs, opcode, attribute) = if domain.dims().contains(&0) {
            let value = self.list.constant(reduce::identity(by, *element_type));
            (vec![Input::scalar(value)], Opcode::BroadcastInDim, Attribute::None)
        } else {
            let mut reduced = vec![false; domain.rank()];
            dimensions.iter().for_each(|&dimension| reduced[dimension as usize] = true);
            let view = View::identity(&domain);
            let opcode = instruction.operation.opcode();
            let attribute = Attribute::Reduction(Reduction { by, words, domain, reduced });
            (vec![Input { node: operand, view }], opcode, attribute)
        };
        self.list.push(NormalInstruction {
            opcode,
            element_type: *element_type,
            shape: shape.clone(),
            inputs,
            attribute,
            precision: Precision::of(precision.or(self.by_default), opcode, *element_type),
        })
    }

    /// Adds an instruction that stays one.
    fn one(&mut self, instruction: &Instruction, operands: &[NodeId]) -> NodeId {
        let Instruction { operation, element_type, shape, precision, .. } = instruction;
        let mut inputs = self.format(instruction);
        for (number, &node) in operands.iter().enumerate() {
            let view = operation.view(number, self.list.shape(node), shape);
            inputs.extend(view.map(|view| Input { node, view }));
        }
        let requested = precision.or(self.by_default);
        let opcode = operation.opcode();
        let known = self.computation.instructions().known_operand(instruction);
        if let (Some(KnownOperand::Exponent(exponent)), [x, _]) = (known, &inputs[..]) {
            let x = x.clone();
            let (list, element_type) = (&mut self.list, *element_type);
            return Power { list, element_type, shape, requested }.of(x, exponent);
        }
        if known == Some(KnownOperand::Word) {
            inputs.truncate(1);
        }
        let attribute = self.attribute(operation);
        self.list.push(NormalInstruction {
            opcode,
            element_type: *element_type,
            shape: shape.clone(),
            inputs,
            attribute,
            precision: Precision::of(requested, opcode, *element_type),
        })
    }

    fn attribute(&mut self, operation: &Operation) -> Attribute {
        match *operation {
            Operation::Parameter(number) => Attribute::Parameter(number),
            Operation::Constant(value) => {
                self.constants += 1;
                Attribute::Constant { value, number: Some(self.constants - 1) }
            }
            Operation::Iota { dimension } => Attribute::Iota(dimension as usize),
            Operation::Call { function, result, .. } => {
                let function = self.computation.instructions().functions[function].clone();
                Attribute::Call(Call { function, result })
            }
            _ => Attribute::None,
        }
    }

    /// Returns the numbers of bits of a format, which are inputs before the operand.
    fn format(&mut self, instruction: &Instruction) -> Vec<Input> {
        let Operation::ReducePrecision { exponent_bits, mantissa_bits } = instruction.operation
        else {
            return Vec::new();
        };
        let format = format_of(instruction.element_type, exponent_bits, mantissa_bits);
        let constant = |bits| Input::scalar(self.list.constant(Scalar::new(bits)));
        format.into_iter().flatten().map(constant).collect()
    }
}
