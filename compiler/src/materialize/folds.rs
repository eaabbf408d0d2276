//! Lowers one kernel. One that folds has two bodies: its map
//! over the reduced shape, and its epilogue over what it stores.

use crate::cost;
use crate::kernel::body::{Folded, KernelOp, ValueRef};
use crate::kernel::fold::{Accumulator, Fold, passes_before, passes_of, word_ops, words_as_one};
use crate::kernel::ir::KernelIr;
use crate::kernel::load::Load;
use crate::limits::Caps;
use crate::materialize::analysis::Analysis;
use crate::materialize::axes::Axes;
use crate::materialize::demand::{Demand, IndexedNode, Lowering, demand, demand_of_folds};
use crate::materialize::lower::{Lowerer, lower_demand, output};
use crate::materialize::rows::stores_rows;
use crate::normalize::normalized::{NormalInstruction, Reduction};
use indim_core::graph::computation::NodeId;
use indim_core::graph::operation::Words;
use indim_core::semantics::element::{ElementType, Form};
use indim_core::semantics::opcode::Opcode;
use indim_core::semantics::precision::Precision;
use indim_core::semantics::shape::Shape;
use indim_core::semantics::sorted::sorted;

/// Tries to lower the kernel that computes `node` over these axes, within `caps`.
pub(crate) fn lower(
    analysis: &Analysis<'_>,
    node: NodeId,
    axes: Axes,
    caps: Caps,
) -> Lowering<KernelIr> {
    match demand(analysis, node, axes.clone(), caps) {
        Lowering::Done(demand) if demand.has_rows() => rows(analysis, node, (axes, demand), caps),
        Lowering::Done(demand) if !demand.folds.is_empty() => {
            fold(analysis, node, (axes, demand), caps)
        }
        found => found.map(|demand| lower_demand(analysis, node, demand)),
    }
}

/// Tries to lower the kernel of `node`, whose demand has reductions.
fn fold(
    analysis: &Analysis<'_>,
    node: NodeId,
    (mut axes, mut epilogue): (Axes, Demand),
    caps: Caps,
) -> Lowering<KernelIr> {
    let instructions = &analysis.computation.instructions;
    let folds: Vec<NodeId> = epilogue.folds.iter().map(|&fold| epilogue.uses[fold].node).collect();
    // A reduction at another place is not among them.
    let Some(reduction) = instructions[folds[0]].reduction() else {
        return Lowering::Materialize(folds);
    };
    let mut domain = axes.of_domain(reduction);
    let map = loop {
        match demand_of_folds(analysis, &folds, domain.clone(), caps) {
            Lowering::Done(map) => break map,
            Lowering::Refine(refined) => domain = refined,
            Lowering::Materialize(nodes) => return Lowering::Materialize(nodes),
        }
    };
    let kept = axes.kept_of(&domain, reduction);
    if kept.runs != axes.runs {
        // A reshape within the map has split a dimension that is kept.
        axes = kept;
        epilogue = match demand(analysis, node, axes, caps) {
            Lowering::Done(demand) if demand.folds.len() == folds.len() => demand,
            _ => return Lowering::Materialize(folds),
        };
    }
    let in_rows: Vec<NodeId> = map.folds.iter().map(|&fold| map.uses[fold].node).collect();
    let kernel = Lowered { analysis, node, reduction, domain }.kernel(map, epilogue);
    let is_quick = is_quick(&kernel, caps);
    if !in_rows.is_empty() && !is_quick {
        return Lowering::Materialize(in_rows);
    }
    // There is room for one array that is written.
    if (!is_quick || kernel.most_buffers() > caps.sources + 1) && folds != [node] {
        return Lowering::Materialize(folds);
    }
    Lowering::Done(kernel)
}

/// Tries to lower the kernel of `node`, which stores what stands beside reductions of its rows.
fn rows(
    analysis: &Analysis<'_>,
    node: NodeId,
    (domain, map): (Axes, Demand),
    caps: Caps,
) -> Lowering<KernelIr> {
    let instructions = &analysis.computation.instructions;
    let folds: Vec<NodeId> = map.folds.iter().map(|&fold| map.uses[fold].node).collect();
    let is_loop = |used: &IndexedNode| {
        let call = instructions[used.node].call().filter(|_| used.load.is_none());
        call.is_some_and(|call| call.has_loops() || cost::is_long(call))
    };
    let Some(reduction) = instructions[folds[0]].reduction() else {
        return Lowering::Materialize(folds);
    };
    if map.uses.iter().any(is_loop) {
        return Lowering::Materialize(folds);
    }
    let kernel = Lowered { analysis, node, reduction, domain }.kernel_of_rows(map);
    let is_bound = kernel.most_buffers() <= caps.sources + 1;
    let each = kernel.stored();
    if is_bound && is_quick(&kernel, caps) && kernel.output_types().all(|of| stores_rows(of, each))
    {
        Lowering::Done(kernel)
    } else {
        Lowering::Materialize(folds)
    }
}

/// Returns true if the operations of a kernel that folds are within the cap, those of the map in each
/// pass.
fn is_quick(kernel: &KernelIr, caps: Caps) -> bool {
    let Some(fold) = &kernel.fold else { return true };
    // As in `demand`, where a kernel of one operation fits.
    let weight_of = |op: &KernelOp| op.cost().weight.min(caps.ops);
    let weight = |ops: &[KernelOp]| ops.iter().map(weight_of).sum::<usize>();
    weight(&kernel.map.ops) * fold.passes() + weight(&fold.epilogue) <= caps.ops
}

struct Lowered<'a> {
    analysis: &'a Analysis<'a>,
    node: NodeId,
    reduction: &'a Reduction,
    /// The axes of the reduced shape.
    domain: Axes,
}

impl Lowered<'_> {
    fn kernel(&self, map: Demand, epilogue: Demand) -> KernelIr {
        let folds: Vec<usize> = epilogue.folds.clone();
        let root = epilogue.roots[0];
        let mut combined = Combined::in_rows(&map);
        for (&fold, &operand) in folds.iter().zip(&map.roots) {
            combined.add(epilogue.uses[fold].node, operand);
        }
        let mut lowerer = Lowerer::new(self.analysis, map);
        let accumulators = combined.lower(&mut lowerer);
        let sizes = self.split(&mut lowerer.body.loads);

        // The loads and constants are those of the map; the operations begin anew.
        let mut after = Lowerer::new(self.analysis, epilogue);
        let map_ops = std::mem::take(&mut lowerer.body.ops);
        after.body = lowerer.body;
        for fold in folds {
            let number = combined.number(after.uses[fold].node);
            let folded = after.folded(number, &accumulators[number], fold);
            after.done[fold] = Some(folded);
        }
        let value = after.run(root);
        let epilogue = std::mem::replace(&mut after.body.ops, map_ops);
        for load in &mut after.body.loads {
            load.folded.resize(sizes.len(), 0);
        }
        let space = Shape::from(after.axes);
        KernelIr {
            outputs: vec![output(self.analysis, self.node, value, &space)],
            shape: self.analysis.written_shape(self.node),
            map: after.body,
            fold: Some(Fold { sizes, part: None, accumulators, epilogue, stores_each: false }),
            loop_calls: after.loop_calls,
            space,
            destination: None,
        }
    }

    /// Returns the kernel that stores a value at each position of the rows that it reduces.
    fn kernel_of_rows(&self, map: Demand) -> KernelIr {
        let (combined, root) = (Combined::in_rows(&map), map.roots[0]);
        let mut lowerer = Lowerer::new(self.analysis, map);
        let accumulators = combined.lower(&mut lowerer);
        // The last pass computes all anew.
        let map_ops = lowerer.begin_anew();
        combined.declare(&mut lowerer, &accumulators);
        let value = lowerer.run(root);
        let epilogue = std::mem::replace(&mut lowerer.body.ops, map_ops);
        let sizes = self.split(&mut lowerer.body.loads);
        let runs = self.reduction.kept(&self.domain.runs);
        let space: Vec<usize> = runs.into_iter().flat_map(|(_, sizes)| sizes).collect();
        let space = Shape::from(space);
        let mut output = output(self.analysis, self.node, value, &space);
        let each: usize = sizes.iter().product();
        output.strides.iter_mut().for_each(|stride| *stride *= each);
        KernelIr {
            outputs: vec![output],
            shape: self.analysis.written_shape(self.node),
            map: lowerer.body,
            fold: Some(Fold { sizes, part: None, accumulators, epilogue, stores_each: true }),
            loop_calls: lowerer.loop_calls,
            space,
            destination: None,
        }
    }

    /// Separates the strides of loads along the dimensions that are reduced. Returns the sizes of
    /// these.
    fn split(&self, loads: &mut [Load]) -> Vec<usize> {
        let runs = self.domain.runs.iter().zip(&self.reduction.reduced);
        let axes = runs.flat_map(|((_, sizes), &reduced)| sizes.iter().map(move |&s| (s, reduced)));
        let axes: Vec<(usize, bool)> = axes.collect();
        for load in loads {
            let strides = std::mem::take(&mut load.strides);
            load.dimensions = None;
            for (stride, &(_, reduced)) in strides.into_iter().zip(&axes) {
                if reduced { load.folded.push(stride) } else { load.strides.push(stride) }
            }
        }
        axes.into_iter().filter(|&(_, reduced)| reduced).map(|(size, _)| size).collect()
    }
}

/// The reductions of a kernel, each after those that it needs.
struct Combined(Vec<CombinedNode>);

/// One of these reductions.
struct CombinedNode {
    node: NodeId,
    /// The use of its operand in the map.
    operand: usize,
    /// The use of its result in the map, if a later pass needs it.
    result: Option<usize>,
}

impl Combined {
    /// Returns those whose results the map needs.
    fn in_rows(map: &Demand) -> Self {
        // Operands have lower numbers than what is computed from them.
        let folds = map.folds.iter().enumerate();
        let by_node = sorted(folds.map(|(at, &fold)| (map.uses[fold].node, at)).collect());
        let of_row = |(node, at): (NodeId, usize)| {
            let fold = map.folds[at];
            CombinedNode { node, operand: map.uses[fold].operands[0], result: Some(fold) }
        };
        Self(by_node.into_iter().map(of_row).collect())
    }

    /// Adds one whose result only the epilogue needs, unless the map does, too.
    fn add(&mut self, node: NodeId, operand: usize) {
        if !self.0.iter().any(|known| known.node == node) {
            self.0.push(CombinedNode { node, operand, result: None });
        }
    }

    /// Returns the number of the accumulator.
    fn number(&self, node: NodeId) -> usize {
        self.0.iter().position(|combined| combined.node == node).unwrap_or_default()
    }

    /// Lowers their operands. Returns their accumulators.
    fn lower(&self, lowerer: &mut Lowerer<'_>) -> Vec<Accumulator> {
        let mut accumulators: Vec<Accumulator> = Vec::with_capacity(self.0.len());
        for &CombinedNode { node, operand, result } in &self.0 {
            let value = lowerer.run(operand);
            let analysis = lowerer.analysis;
            let instruction = &analysis.computation.instructions[node];
            let values = lowerer.words_taken(instruction, value);
            let mut new = accumulator(instruction, values);
            let known = passes_of(&lowerer.body.ops, &accumulators);
            new.pass = passes_before(value, &known, &accumulators);
            if let Some(result) = result {
                let folded = lowerer.folded(accumulators.len(), &new, result);
                lowerer.done[result] = Some(folded);
            }
            accumulators.push(new);
        }
        accumulators
    }

    /// Declares their results as values that a new body uses.
    fn declare(&self, lowerer: &mut Lowerer<'_>, accumulators: &[Accumulator]) {
        for (number, combined) in self.0.iter().enumerate() {
            if let Some(result) = combined.result {
                let folded = lowerer.folded(number, &accumulators[number], result);
                lowerer.done[result] = Some(folded);
            }
        }
    }
}

impl Lowerer<'_> {
    /// Returns the value of a reduction in the epilogue.
    fn folded(&mut self, number: usize, accumulator: &Accumulator, fold: usize) -> ValueRef {
        let instruction = &self.analysis.computation.instructions[self.uses[fold].node];
        let result = ValueRef::Folded(Folded::Result(number));
        if instruction.element_type == accumulator.element_type {
            return result;
        }
        if words(instruction) == Words::Given {
            return self.push(words_as_one(number));
        }
        self.push(KernelOp {
            opcode: Opcode::ConvertElementType,
            from: accumulator.element_type,
            element_type: instruction.element_type,
            operands: vec![result],
            precision: Precision::default(),
            call: None,
        })
    }

    /// Returns the words that a reduction combines, of a value of its operand.
    fn words_taken(
        &mut self,
        instruction: &NormalInstruction,
        value: ValueRef,
    ) -> [Option<ValueRef>; 2] {
        if words(instruction) != Words::Taken {
            return [Some(value), None];
        }
        word_ops(value).map(|op| Some(self.push(op)))
    }
}

/// Returns the accumulator of a reduction. Narrow floats are added and multiplied in F32, and sums and
/// products of F32 have two words, unless less precision was asked for.
fn accumulator(instruction: &NormalInstruction, values: [Option<ValueRef>; 2]) -> Accumulator {
    let of = match words(instruction) {
        Words::Given => ElementType::F32,
        Words::Rounded | Words::Taken => instruction.element_type,
    };
    let by = instruction.reduction().map_or(instruction.opcode, |reduction| reduction.by);
    let computes = matches!(by, Opcode::Add | Opcode::Mul);
    let element_type = match of {
        ElementType::F16 | ElementType::Bf16 if computes => ElementType::F32,
        other => other,
    };
    let precision = instruction.precision.unwrap_or_default();
    let is_pair = computes && element_type.form() == Form::F32 && precision == Precision::Accurate;
    Accumulator {
        values,
        by,
        element_type,
        words: if is_pair { 2 } else { 1 },
        to_odd: is_pair && of != element_type,
        precision,
        pass: 0,
    }
}

fn words(instruction: &NormalInstruction) -> Words {
    instruction.reduction().map_or(Words::Rounded, |reduction| reduction.words)
}
