//! Plans one kernel: from its code and the strides of its loads to the structure that determines
//! the shader's text ([`Kernel`]) and the numbers that only its parameter block holds ([`Launch`]).
//!
//! The space's dimensions are merged (space.rs) and cut into units of one or more quads of
//! consecutive elements of the result, which are loaded, computed and stored together. walk/
//! has the ways of invocations through the units, loads.rs chooses how each load is read,
//! dispatch.rs counts the workgroups, and params.rs fills the parameter block.

use std::rc::Rc;

use super::dispatch::Dispatch;
use super::input::PlanInput;
use super::kernel::{Kernel, KernelOutput, PlannedBody, PlannedFold};
use super::loads::LoadPlanner;
use super::params;
use super::space::Space;
use super::walk::choice;
use super::walk::fold_columns::FoldColumns;
use super::walk::kinds::Walk;
use super::walk::scan::{self, Scan};
use super::window::Window;
use crate::arithmetic::{Arithmetic, Half};
use crate::kernel::ir::KernelIr;
use crate::kernel::load::{ArrayId, LoadSource};
use crate::kernel::output::Output;
use crate::layout::{Layout, LoadWidth, elements};
use crate::limits::PlanLimits;
use indim_core::semantics::element::{ElementType, Scalar};
use indim_core::semantics::opcode::Opcode;

/// One dispatch of a kernel.
#[derive(Debug, Clone)]
pub struct Launch {
    /// The kernel, which may be shared with other launches.
    pub kernel: Rc<Kernel>,
    /// The parameter block.
    pub words: Vec<u32>,
    /// Workgroups; none without elements.
    pub groups: [u32; 2],
    /// The merged iteration space.
    pub(crate) space: Vec<usize>,
    /// The strides of each load in that space, in elements.
    pub(crate) strides: Vec<Vec<isize>>,
}

/// Plans one dispatch of a kernel, over a window of its space, with arrays in the layouts `layout`
/// and `result`.
pub(crate) fn plan(
    ir: &KernelIr,
    limits: &PlanLimits,
    window: &Window,
    layout: impl Fn(ArrayId) -> Layout,
    result: Layout,
) -> Launch {
    let few;
    let limits = if limits.device.bounded_loops && ir.has_loops() {
        // The driver's bound applies to all elements of an invocation together.
        few = PlanLimits { tuning: limits.tuning.with_few_elements(), ..limits.clone() };
        &few
    } else {
        limits
    };
    let space = Space::new(ir, window);
    let input = PlanInput { ir, window, space: &space, limits, result };
    let (scan, other) = match Scan::space(&input) {
        Some((scan, quads, space)) => (Some((scan, quads)), Some(space)),
        None => (None, FoldColumns::space(&input)),
    };
    let input = PlanInput { space: other.as_ref().unwrap_or(&space), ..input };
    let kernel = kernel(&input, scan, layout);
    let dispatch = Dispatch::new(&kernel, &input);
    let constants: Vec<Scalar> = ir.map.constants.iter().map(|constant| constant.value).collect();
    let words = params::block(&kernel, &input, &dispatch, &constants);
    Launch {
        kernel: Rc::new(kernel),
        words,
        groups: dispatch.groups,
        space: input.space.sizes.clone(),
        strides: input.space.strides.clone(),
    }
}

fn kernel(
    input: &PlanInput<'_>,
    scan: Option<(Scan, u32)>,
    layout: impl Fn(ArrayId) -> Layout,
) -> Kernel {
    let PlanInput { ir, space, limits, .. } = *input;
    let (walk, quads) = match scan {
        Some((scan, quads)) => (Walk::Scan(scan), quads),
        None => choice::choose(input),
    };
    let stores_elements = walk.stores_elements();
    let outputs = ir.outputs.iter().map(|&Output { value, element_type, edges, .. }| {
        let width = if stores_elements {
            LoadWidth::min_for(element_type.bits())
        } else {
            output_width(element_type, elements(quads), input)
        };
        KernelOutput { value, element_type, width, edges }
    });
    let outputs: Vec<KernelOutput> = outputs.collect();
    let written = outputs.iter().map(|output| output.width).filter(|_| !stores_elements);
    let planner = LoadPlanner::new(input, &walk, quads);
    let (bindings, loads) = planner.plan(layout, &written.collect::<Vec<_>>());
    let arithmetic = limits.arithmetic.unwrap_or_default();
    let map = PlannedBody {
        loads,
        constants: ir.map.constants.iter().map(|c| c.value.element_type()).collect(),
        ops: ir.map.ops.clone(),
    };
    let fold = ir.fold.as_ref().map(|fold| PlannedFold {
        accumulators: match scan {
            Some(_) => scan::unmasked(ir, fold),
            None => fold.accumulators.clone(),
        },
        epilogue: PlannedBody { ops: fold.epilogue.clone(), ..map.clone() },
        folded: space.folded.clone(),
        part: space.part,
    });
    Kernel {
        workgroup_size: walk.workgroup_size(input),
        walk: walk.with_units(input, quads, &map.loads),
        rank: space.rank(),
        quads,
        bindings,
        map,
        fold,
        outputs,
        max_uniform_bytes: limits.device.max_uniform_bytes,
        arithmetic: Arithmetic {
            half: if is_half(ir) { arithmetic.half } else { Half::ThroughF32 },
            ..arithmetic
        },
        int64: limits.tuning.int64,
        by_units: limits.tuning.branchless,
        through_f64: limits.tuning.through_f64,
        bounded_loops: limits.device.bounded_loops && ir.has_loops(),
    }
}

/// Returns the width of stores: the widest that a unit and the output's binding allow.
fn output_width(element_type: ElementType, unit: usize, input: &PlanInput<'_>) -> LoadWidth {
    let (bits, granularity) = (element_type.bits(), input.result.granularity as usize);
    LoadWidth::dividing(unit * bits / 8, input.limits.tuning.wide)
        .filter(|width| width.bytes() * 8 >= bits)
        .find(|width| granularity.is_multiple_of(width.bytes()))
        .unwrap_or(LoadWidth::min_for(bits))
}

/// Returns true if a kernel only adds, subtracts and multiplies F16.
fn is_half(ir: &KernelIr) -> bool {
    let all_arrays = ir.map.loads.iter().all(|load| load.source != LoadSource::Iota);
    let simple = |op| matches!(op, Opcode::Add | Opcode::Sub | Opcode::Mul);
    let mut ops = ir.map.ops.iter();
    let all_half = ops.all(|op| simple(op.opcode) && op.element_type == ElementType::F16);
    all_arrays && all_half && !ir.map.ops.is_empty() && ir.fold.is_none()
}
