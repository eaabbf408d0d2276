//! Lowers one kernel's part of a computation to straight-line code over one iteration space.
//!
//! Broadcasts and views disappear here: each becomes the offset and strides of a load.

use std::collections::HashMap;

use crate::compile::kernel_ir::{KernelIr, KernelOp, Load, ValueRef};
use crate::compile::materialize::uses::{self, Demands, Facts};
use crate::graph::computation::{NodeId, Payload};
use crate::semantics::element::Scalar;
use crate::semantics::opcode::{OpClass, Opcode};
use crate::semantics::shape::Shape;

/// Lowers the kernel that computes `node`.
///
/// # Errors
/// The nodes that must be temporaries before it can be, or had better be.
pub(crate) fn lower(facts: &Facts<'_>, node: NodeId, cap: usize) -> Result<KernelIr, Vec<NodeId>> {
    let demands = uses::demands(facts, node, cap)?;
    let is_result = node == facts.computation.root;
    let mut lowering = Lowering {
        facts,
        demands: &demands,
        done: vec![None; demands.instances.len()],
        numbers: HashMap::new(),
        loads: Vec::new(),
        constants: Vec::new(),
        ops: Vec::new(),
    };
    let result = lowering.run();
    Ok(KernelIr {
        node,
        is_result,
        shape: facts.written_shape(node),
        element_type: facts.computation.instructions[node].element_type,
        loads: lowering.loads,
        constants: lowering.constants,
        ops: lowering.ops,
        result,
        space: Shape::from(demands.axes),
    })
}

struct Lowering<'a> {
    facts: &'a Facts<'a>,
    demands: &'a Demands,
    /// By instance.
    done: Vec<Option<ValueRef>>,
    /// Values that are computed already, so that equal ones are computed once.
    numbers: HashMap<KernelOp, usize>,
    loads: Vec<Load>,
    constants: Vec<Scalar>,
    ops: Vec<KernelOp>,
}

impl Lowering<'_> {
    /// Depth first with a stack of its own: expressions may be deeper than the thread's stack.
    fn run(&mut self) -> ValueRef {
        let mut stack = vec![(self.demands.root, false)];
        while let Some((place, operands_done)) = stack.pop() {
            if self.done[place].is_some() {
                continue;
            }
            if let Some(leaf) = self.leaf(place) {
                self.done[place] = Some(leaf);
                continue;
            }
            let instance = &self.demands.instances[place];
            if operands_done {
                // Each of them was above this one on the stack.
                let operands = instance.operands.iter().filter_map(|&o| self.done[o]).collect();
                self.done[place] = Some(self.operation(instance.node, operands));
            } else {
                stack.push((place, true));
                stack.extend(instance.operands.iter().rev().map(|&operand| (operand, false)));
            }
        }
        // Constant 0 is never reached: the root was on the stack.
        self.done[self.demands.root].unwrap_or(ValueRef::Constant(0))
    }

    fn leaf(&mut self, place: usize) -> Option<ValueRef> {
        let instance = &self.demands.instances[place];
        let instruction = &self.facts.computation.instructions[instance.node];
        if let Payload::Constant(value) = instruction.payload {
            let place = self.constants.iter().position(|&c| c == value);
            return Some(ValueRef::Constant(place.unwrap_or_else(|| {
                self.constants.push(value);
                self.constants.len() - 1
            })));
        }
        let (source, shape, element) = instance.read.clone()?;
        let mut strides = element.steps;
        strides.resize(self.demands.axes.len(), 0);
        let leaf = Load {
            source,
            element_type: instruction.element_type,
            shape,
            dimensions: self.demands.dimensions(place),
            offset: element.offset,
            strides,
        };
        let same = |known: &Load| {
            known.source == leaf.source
                && known.offset == leaf.offset
                && known.strides == leaf.strides
                && known.element_type == leaf.element_type
        };
        let place = self.loads.iter().position(same);
        Some(ValueRef::Load(place.unwrap_or_else(|| {
            self.loads.push(leaf);
            self.loads.len() - 1
        })))
    }

    fn operation(&mut self, node: NodeId, operands: Vec<ValueRef>) -> ValueRef {
        let instruction = &self.facts.computation.instructions[node];
        let opcode = instruction.opcode;
        let from = instruction.inputs.last().map_or(instruction.element_type, |i| {
            self.facts.computation.instructions[i.node].element_type
        });
        let moves = instruction.is_view()
            || (opcode == Opcode::Real && from == instruction.element_type)
            || (opcode.class() == OpClass::Convert && from == instruction.element_type);
        if let (true, Some(&operand)) = (moves, operands.first()) {
            return operand;
        }
        let value = KernelOp {
            opcode,
            from,
            element_type: instruction.element_type,
            operands,
            precision: instruction.precision.unwrap_or_default(),
        };
        let next = self.ops.len();
        let number = *self.numbers.entry(value.clone()).or_insert(next);
        if number == next {
            self.ops.push(value);
        }
        ValueRef::Op(number)
    }
}
