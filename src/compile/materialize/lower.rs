//! Lowers one kernel's part of a computation to straight-line code over one iteration space.
//!
//! Broadcasts and views disappear here: each becomes the offset and strides of a load.

use std::collections::HashMap;

use crate::compile::kernel_ir::{KernelIr, KernelOp, Load, Output, ValueRef};
use crate::compile::limits::Caps;
use crate::compile::materialize::analysis::Analysis;
use crate::compile::materialize::axes::Axes;
use crate::compile::materialize::uses::{self, Attempt, Use, Uses};
use crate::graph::computation::{NodeId, Payload};
use crate::semantics::element::Scalar;
use crate::semantics::opcode::{OpClass, Opcode};
use crate::semantics::shape::Shape;

/// Tries to lower the kernel that computes `node` over these axes, with no more than `caps` allow.
pub(crate) fn lower(
    analysis: &Analysis<'_>,
    node: NodeId,
    axes: Axes,
    caps: Caps,
) -> Attempt<KernelIr> {
    match uses::uses(analysis, node, axes, caps) {
        Attempt::Fits(uses) => Attempt::Fits(lower_uses(analysis, node, uses)),
        Attempt::Split(axes) => Attempt::Split(axes),
        Attempt::Store(nodes) => Attempt::Store(nodes),
    }
}

fn lower_uses(analysis: &Analysis<'_>, node: NodeId, uses: Uses) -> KernelIr {
    let mut lowering = Lowering {
        analysis,
        done: vec![None; uses.uses.len()],
        uses: uses.uses,
        numbers: HashMap::new(),
        loads: Vec::new(),
        constants: Vec::new(),
        ops: Vec::new(),
    };
    let value = lowering.run(uses.root);
    let element_type = analysis.computation.instructions[node].element_type;
    KernelIr {
        outputs: vec![Output { node, is_result: analysis.is_root[node], element_type, value }],
        shape: analysis.written_shape(node),
        loads: lowering.loads,
        constants: lowering.constants,
        ops: lowering.ops,
        space: Shape::from(uses.axes),
        destination: None,
    }
}

struct Lowering<'a> {
    analysis: &'a Analysis<'a>,
    uses: Vec<Use>,
    /// The value of each use; `None` until it is lowered.
    done: Vec<Option<ValueRef>>,
    /// The numbers of the operations so far, so that equal ones are computed once.
    numbers: HashMap<KernelOp, usize>,
    loads: Vec<Load>,
    constants: Vec<Scalar>,
    ops: Vec<KernelOp>,
}

impl Lowering<'_> {
    /// Goes depth first with a stack of its own: expressions may be deeper than the thread's stack.
    fn run(&mut self, root: usize) -> ValueRef {
        let mut stack = vec![(root, false)];
        while let Some((number, operands_done)) = stack.pop() {
            if self.done[number].is_some() {
                continue;
            }
            if let Some(leaf) = self.leaf(number) {
                self.done[number] = Some(leaf);
                continue;
            }
            let at = &self.uses[number];
            if operands_done {
                // Each operand was above this use on the stack, so that it is done.
                let operands = at.operands.iter().filter_map(|&o| self.done[o]).collect();
                self.done[number] = Some(self.operation(at.node, operands));
            } else {
                stack.push((number, true));
                stack.extend(at.operands.iter().rev().map(|&operand| (operand, false)));
            }
        }
        // Constant 0 is never reached: the root was on the stack.
        self.done[root].unwrap_or(ValueRef::Constant(0))
    }

    fn leaf(&mut self, number: usize) -> Option<ValueRef> {
        let node = self.uses[number].node;
        if let Payload::Constant(value) = self.analysis.computation.instructions[node].payload {
            let known = self.constants.iter().position(|&c| c == value);
            return Some(ValueRef::Constant(known.unwrap_or_else(|| {
                self.constants.push(value);
                self.constants.len() - 1
            })));
        }
        let load = self.uses[number].load.take()?;
        let known = self.loads.iter().position(|known| known.reads_as(&load));
        Some(ValueRef::Load(known.unwrap_or_else(|| {
            self.loads.push(load);
            self.loads.len() - 1
        })))
    }

    fn operation(&mut self, node: NodeId, operands: Vec<ValueRef>) -> ValueRef {
        let instruction = &self.analysis.computation.instructions[node];
        let opcode = instruction.opcode;
        let from = instruction.inputs.last().map_or(instruction.element_type, |i| {
            self.analysis.computation.instructions[i.node].element_type
        });
        let moves = instruction.is_view()
            || (opcode == Opcode::Real && from == instruction.element_type)
            || (opcode.class() == OpClass::Convert && from == instruction.element_type);
        if let (true, Some(&operand)) = (moves, operands.first()) {
            return operand;
        }
        let op = KernelOp {
            opcode,
            from,
            element_type: instruction.element_type,
            operands,
            precision: instruction.precision.unwrap_or_default(),
            call: instruction.call().cloned(),
        };
        let next = self.ops.len();
        let number = *self.numbers.entry(op.clone()).or_insert(next);
        if number == next {
            self.ops.push(op);
        }
        ValueRef::Op(number)
    }
}
