//! Lowers one kernel's part of a computation to straight-line code over one iteration space.
//!
//! Broadcasts and views disappear here: each becomes the offset and strides of a load.

use crate::kernel::body::{Body, KernelConstant, KernelOp, ValueRef};
use crate::kernel::ir::KernelIr;
use crate::kernel::load::{Load, LoadSource};
use crate::kernel::output::Output;
use crate::materialize::affine::AffineIndex;
use crate::materialize::analysis::Analysis;
use crate::materialize::conditions::{Condition, ConditionId, Conditions};
use crate::materialize::demand::{Demand, IndexedNode};
use crate::normalize::normalized::Attribute;
use indim_core::graph::computation::NodeId;
use indim_core::graph::function::body::Call;
use indim_core::semantics::element::{ElementType, Scalar};
use indim_core::semantics::hash::FastMap;
use indim_core::semantics::opcode::{OpClass, Opcode};
use indim_core::semantics::precision::Precision;
use indim_core::semantics::shape::Shape;

/// Lowers the kernel of a node.
pub(super) fn lower_demand(analysis: &Analysis<'_>, node: NodeId, demand: Demand) -> KernelIr {
    let root = demand.roots[0];
    let mut lowerer = Lowerer::new(analysis, demand);
    let value = lowerer.run(root);
    let space = Shape::from(lowerer.axes);
    KernelIr {
        outputs: vec![output(analysis, node, value, &space)],
        shape: analysis.written_shape(node),
        map: lowerer.body,
        fold: None,
        loop_calls: lowerer.loop_calls,
        space,
        destination: None,
    }
}

/// Returns the output that holds the value of a node.
pub(super) fn output(
    analysis: &Analysis<'_>,
    node: NodeId,
    value: ValueRef,
    space: &Shape,
) -> Output {
    Output {
        node,
        is_result: analysis.is_root[node],
        element_type: analysis.computation.instructions[node].element_type,
        value,
        strides: space.strides(),
        edges: None,
        existing: None,
    }
}

pub(super) struct Lowerer<'a> {
    pub(super) analysis: &'a Analysis<'a>,
    pub(super) uses: Vec<IndexedNode>,
    /// The value of each use; `None` until it is lowered.
    pub(super) done: Vec<Option<ValueRef>>,
    conditions: Conditions,
    /// The sizes of the space.
    pub(super) axes: Vec<usize>,
    /// The numbers of the operations so far, so that equal ones are computed once.
    numbers: FastMap<KernelOp, usize>,
    pub(super) body: Body,
    pub(super) loop_calls: Vec<(usize, NodeId)>,
}

impl<'a> Lowerer<'a> {
    pub(super) fn new(analysis: &'a Analysis<'a>, demand: Demand) -> Self {
        Self {
            analysis,
            done: vec![None; demand.uses.len()],
            uses: demand.uses,
            conditions: demand.conditions,
            axes: demand.axes,
            numbers: FastMap::default(),
            body: Body::default(),
            loop_calls: Vec::new(),
        }
    }

    /// Works depth first with an explicit stack: expressions may be deeper than the thread's stack.
    pub(super) fn run(&mut self, root: usize) -> ValueRef {
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
                // Each operand was above this use on the stack, so it is done.
                let operands = at.operands.iter().filter_map(|&o| self.done[o]).collect();
                self.done[number] = Some(self.operation(at.node, operands, at.condition));
            } else {
                stack.push((number, true));
                stack.extend(at.operands.iter().rev().map(|&operand| (operand, false)));
            }
        }
        // Constant 0 is never reached: the root was on the stack.
        self.done[root].unwrap_or(ValueRef::Constant(0))
    }

    /// Takes the operations, and forgets their values, so that others begin anew on the same loads and
    /// constants.
    pub(super) fn begin_anew(&mut self) -> Vec<KernelOp> {
        self.numbers.clear();
        self.loop_calls.clear();
        for done in &mut self.done {
            *done = done.filter(|value| !matches!(value, ValueRef::Op(_)));
        }
        std::mem::take(&mut self.body.ops)
    }

    fn leaf(&mut self, number: usize) -> Option<ValueRef> {
        let node = self.uses[number].node;
        let instruction = &self.analysis.computation.instructions[node];
        if let Attribute::Constant { value, number } = instruction.attribute {
            let node = number.map(|_| node);
            return Some(self.constant(KernelConstant { value, node }));
        }
        let load = self.uses[number].load.take()?;
        Some(self.load(load))
    }

    fn constant(&mut self, constant: KernelConstant) -> ValueRef {
        let known = self.body.constants.iter().position(|&known| known == constant);
        ValueRef::Constant(known.unwrap_or_else(|| {
            self.body.constants.push(constant);
            self.body.constants.len() - 1
        }))
    }

    fn load(&mut self, load: Load) -> ValueRef {
        let known = self.body.loads.iter().position(|known| known.reads_as(&load));
        ValueRef::Load(known.unwrap_or_else(|| {
            self.body.loads.push(load);
            self.body.loads.len() - 1
        }))
    }

    fn operation(
        &mut self,
        node: NodeId,
        mut operands: Vec<ValueRef>,
        condition: Option<ConditionId>,
    ) -> ValueRef {
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
        // A call of a function with loops takes the condition after its operands.
        let has_loops = instruction.call().is_some_and(Call::has_loops);
        if let Some(condition) = condition.filter(|_| has_loops) {
            operands.push(self.condition(condition));
        }
        let value = self.push(KernelOp {
            opcode,
            from,
            element_type: instruction.element_type,
            operands,
            precision: instruction.precision.unwrap_or_default(),
            call: instruction.call().cloned(),
        });
        if let (true, ValueRef::Op(number)) = (has_loops, value) {
            self.loop_calls.push((number, node));
        }
        value
    }

    pub(super) fn push(&mut self, op: KernelOp) -> ValueRef {
        let next = self.body.ops.len();
        let number = *self.numbers.entry(op.clone()).or_insert(next);
        if number == next {
            self.body.ops.push(op);
        }
        ValueRef::Op(number)
    }

    // ---- conditions ----------------------------------------------------------------------------

    /// Returns the value of a condition.
    fn condition(&mut self, wanted: ConditionId) -> ValueRef {
        let marks = self.conditions.closure(wanted);
        // The parts of a condition come before it.
        let mut values = vec![ValueRef::Constant(0); wanted + 1];
        for number in (0..=wanted).filter(|&number| marks[number]) {
            let condition = self.conditions.list[number].clone();
            values[number] = match condition {
                Condition::Both(one, other) => {
                    self.simple(Opcode::And, [values[one], values[other]], ElementType::Pred)
                }
                Condition::Either(one, other) => {
                    self.simple(Opcode::Or, [values[one], values[other]], ElementType::Pred)
                }
                Condition::Among { .. } => self.among(&condition),
            };
        }
        values[wanted]
    }

    /// Returns true where an index is one of those of a condition.
    fn among(&mut self, condition: &Condition) -> ValueRef {
        let Condition::Among { index, divisor, modulus, start, step, count } = condition else {
            return ValueRef::Constant(0);
        };
        let of = self.index_type(index, start.saturating_add(step.saturating_mul(*count)));
        let number = |n: &usize| {
            let value = Scalar::from_bits(of, *n as u64);
            KernelConstant { value, node: None }
        };
        let mut strides = index.steps.clone();
        strides.resize(self.axes.len(), 0);
        let mut value = self.load(Load {
            source: LoadSource::Iota,
            element_type: of,
            shape: Shape::from(self.axes.clone()),
            dimensions: None,
            offset: index.offset,
            strides,
            folded: Vec::new(),
            clamped: false,
            table: false,
        });
        let mut apply = |opcode, value, by: &usize| {
            let by = self.constant(number(by));
            self.simple(opcode, [value, by], of)
        };
        if *divisor > 1 {
            value = apply(Opcode::Div, value, divisor);
        }
        if *modulus > 0 {
            value = apply(Opcode::Rem, value, modulus);
        }
        if *start > 0 {
            // On unsigned numbers one comparison then checks both sides.
            value = apply(Opcode::Sub, value, start);
        }
        if *step == 1 {
            return apply(Opcode::Lt, value, count);
        }
        let rest = apply(Opcode::Rem, value, step);
        let is_below = apply(Opcode::Lt, value, &step.saturating_mul(*count));
        let is_whole = apply(Opcode::Eq, rest, &0);
        self.simple(Opcode::And, [is_below, is_whole], ElementType::Pred)
    }

    /// Returns the unsigned type in which an index and a bound can be compared over the whole
    /// space.
    fn index_type(&self, index: &AffineIndex, bound: usize) -> ElementType {
        let (mut least, mut most) = (index.offset as i128, index.offset as i128);
        for (&step, &size) in index.steps.iter().zip(&self.axes) {
            let reach = step as i128 * (size as i128 - 1);
            least += reach.min(0);
            most += reach.max(0);
        }
        // A negative index is a large number.
        let is_short = bound as i128 - least < 1 << 32 && most.max(bound as i128) < 1 << 32;
        if is_short { ElementType::U32 } else { ElementType::U64 }
    }

    /// Returns an operation on two values of this type.
    fn simple(&mut self, opcode: Opcode, operands: [ValueRef; 2], from: ElementType) -> ValueRef {
        let compares = matches!(opcode, Opcode::Lt | Opcode::Eq);
        self.push(KernelOp {
            opcode,
            from,
            element_type: if compares { ElementType::Pred } else { from },
            operands: operands.to_vec(),
            precision: Precision::default(),
            call: None,
        })
    }
}
