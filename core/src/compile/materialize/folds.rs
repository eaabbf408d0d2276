//! Lowers one kernel. One that folds has two bodies: its map
//! over the reduced shape, and its epilogue over what it stores.

use crate::compile::kernel::body::{Folded, KernelOp, ValueRef};
use crate::compile::kernel::fold::{Accumulator, Fold};
use crate::compile::kernel::ir::KernelIr;
use crate::compile::kernel::load::Load;
use crate::compile::limits::Caps;
use crate::compile::materialize::analysis::Analysis;
use crate::compile::materialize::axes::Axes;
use crate::compile::materialize::demand::{Demand, Lowering, demand, demand_of_folds};
use crate::compile::materialize::lower::{Lowerer, lower_demand, output};
use crate::compile::normalize::normalized::{NormalInstruction, Reduction};
use crate::graph::computation::NodeId;
use crate::semantics::element::{ElementType, Form};
use crate::semantics::opcode::Opcode;
use crate::semantics::precision::Precision;
use crate::semantics::shape::Shape;

/// Tries to lower the kernel that computes `node` over these axes, within `caps`.
pub(crate) fn lower(
    analysis: &Analysis<'_>,
    node: NodeId,
    axes: Axes,
    caps: Caps,
) -> Lowering<KernelIr> {
    match demand(analysis, node, axes.clone(), caps) {
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
    let kernel = Lowered { analysis, node, reduction, domain }.kernel(map, epilogue);
    // There is room for one array that is written.
    if kernel.most_buffers() > caps.sources + 1 && folds != [node] {
        return Lowering::Materialize(folds);
    }
    Lowering::Done(kernel)
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
        let instructions = &self.analysis.computation.instructions;
        let folds: Vec<usize> = epilogue.folds.clone();
        let (roots, root) = (map.roots.clone(), epilogue.roots[0]);
        let mut lowerer = Lowerer::new(self.analysis, map);
        let mut accumulators = Vec::with_capacity(folds.len());
        for (&fold, root) in folds.iter().zip(roots) {
            let value = lowerer.run(root);
            accumulators.push(accumulator(&instructions[epilogue.uses[fold].node], value));
        }
        let sizes = self.split(&mut lowerer.body.loads);

        // The loads and constants are those of the map; the operations begin anew.
        let mut after = Lowerer::new(self.analysis, epilogue);
        let map_ops = std::mem::take(&mut lowerer.body.ops);
        after.body = lowerer.body;
        for (number, &fold) in folds.iter().enumerate() {
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
            fold: Some(Fold { sizes, part: None, accumulators, epilogue }),
            loop_calls: after.loop_calls,
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

impl Lowerer<'_> {
    /// Returns the value of a reduction in the epilogue.
    fn folded(&mut self, number: usize, accumulator: &Accumulator, fold: usize) -> ValueRef {
        let instruction = &self.analysis.computation.instructions[self.uses[fold].node];
        let result = ValueRef::Folded(Folded::Result(number));
        if instruction.element_type == accumulator.element_type {
            return result;
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
}

/// Returns the accumulator of a reduction. Narrow floats are added and multiplied in F32, and sums and
/// products of F32 have two words, unless less precision was asked for.
fn accumulator(instruction: &NormalInstruction, value: ValueRef) -> Accumulator {
    let of = instruction.element_type;
    let by = instruction.reduction().map_or(instruction.opcode, |reduction| reduction.by);
    let computes = matches!(by, Opcode::Add | Opcode::Mul);
    let element_type = match of {
        ElementType::F16 | ElementType::Bf16 if computes => ElementType::F32,
        other => other,
    };
    let precision = instruction.precision.unwrap_or_default();
    let is_pair = computes && element_type.form() == Form::F32 && precision == Precision::Accurate;
    Accumulator {
        values: [Some(value), None],
        by,
        element_type,
        words: if is_pair { 2 } else { 1 },
        to_odd: is_pair && of != element_type,
        precision,
    }
}
