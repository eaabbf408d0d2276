//! Plans one kernel: from its code and the strides of its loads to the structure that determines
//! the shader's text ([`Kernel`]) and the numbers that only its parameter block holds ([`Launch`]).
//!
//! The space's dimensions are merged (space.rs) and cut into units of one or more quads of
//! consecutive elements of the result, which are loaded, computed and stored together. schedule.rs
//! chooses how invocations traverse the units, access.rs how each load is read, tile.rs the number
//! of rows for an invocation, and dispatch.rs the number of invocations.

use std::rc::Rc;

use super::access::LoadPlanner;
use super::dispatch::DispatchShape;
use super::kernel::{Kernel, KernelOutput};
use super::schedule::{Schedule, ScheduleChoice};
use super::space::Space;
use super::window::Window;
use super::{params, tile};
use crate::compile::arithmetic::{Arithmetic, Half};
use crate::compile::kernel::ir::KernelIr;
use crate::compile::kernel::load::{ArrayId, LoadSource};
use crate::compile::kernel::output::Output;
use crate::compile::layout::{ALIGNMENT, Layout, LoadWidth, elements};
use crate::compile::limits::PlanLimits;
use crate::semantics::element::{ElementType, Scalar};
use crate::semantics::opcode::Opcode;

/// One dispatch of a kernel.
#[derive(Debug, Clone)]
pub(crate) struct Launch {
    /// The kernel, which may be shared with other launches.
    pub(crate) kernel: Rc<Kernel>,
    /// The parameter block.
    pub(crate) words: Vec<u32>,
    /// Workgroups; `None` if there are no elements.
    pub(crate) groups: [u32; 2],
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
    let choice = ScheduleChoice::new(ir, window, &space, limits, result);
    let planner = LoadPlanner { ir, window, space: &space, choice, wide: limits.tuning.wide };
    let kernel = kernel(&planner, limits, layout, result);
    let shape = DispatchShape::new(&kernel, &space, window, choice.period_rows, limits);
    let constants: Vec<Scalar> = ir.map.constants.iter().map(|constant| constant.value).collect();
    let words = params::block(&kernel, &space, window, &shape, &constants);
    Launch {
        kernel: Rc::new(kernel),
        words,
        groups: shape.groups,
        space: space.sizes,
        strides: space.strides,
    }
}

fn kernel(
    planner: &LoadPlanner<'_>,
    limits: &PlanLimits,
    layout: impl Fn(ArrayId) -> Layout,
    result: Layout,
) -> Kernel {
    let LoadPlanner { ir, window, space, choice, .. } = *planner;
    let schedule = choice.schedule;
    let [narrowest, widest] = ir.narrowest_and_widest_output();
    let unit_bytes = |element_type: ElementType| elements(choice.quads) * element_type.bits() / 8;
    let element_stores =
        schedule == Schedule::Carry && !space.is_of_units(window, elements(choice.quads));
    let outputs = ir.outputs.iter().map(|&Output { value, element_type, .. }| {
        let bytes = unit_bytes(element_type);
        let width = output_width(element_type, bytes, element_stores, limits, result);
        KernelOutput { value, element_type, width }
    });
    let outputs: Vec<KernelOutput> = outputs.collect();
    let written = outputs.iter().map(|output| output.width).filter(|_| !element_stores);
    let (bindings, loads) = planner.plan(layout, &written.collect::<Vec<_>>());
    let workgroup_size = limits.tuning.workgroup_size.max(1);
    let copies = tile::copies(choice, &loads, ir, limits);
    let units_per_invocation = match schedule {
        Schedule::Flat | Schedule::Carry if ir.map.has_long_calls() => 1,
        Schedule::Flat if copies > 1 => copies,
        Schedule::Flat | Schedule::Carry => {
            (limits.tuning.quads_per_invocation / choice.quads).max(1)
        }
        _ => 1,
    };
    // Each invocation of the last workgroup may be past the end, and then needs spare memory for
    // its own unit.
    let spare = spare_gap(narrowest, widest) + workgroup_size as usize * unit_bytes(widest);
    let branchless = limits.tuning.branchless
        && spare <= result.spare as usize
        && units_per_invocation == 1
        // Past the end of the result the data is arbitrary, and a loop might not end on it.
        && !ir.has_loops()
        // A repeated row would be read again after it was written.
        && !ir.reads_destination()
        && !matches!(schedule, Schedule::Blocks | Schedule::Carry);
    let tile_rows = tile::rows(choice, space, &loads, ir, limits, copies);
    let arithmetic = limits.arithmetic.unwrap_or_default();
    Kernel {
        schedule,
        rank: space.rank(),
        row: choice.row,
        quads: choice.quads,
        bindings,
        loads,
        constants: ir.map.constants.iter().map(|constant| constant.value.element_type()).collect(),
        ops: ir.map.ops.clone(),
        outputs,
        element_stores,
        workgroup_size,
        tile_rows,
        // Kernels without branches can have it only where they check for a row's end, as those in
        // periods do.
        row_interleaved: tile_rows > 1 && (!branchless || schedule == Schedule::Periods),
        linear_units: tile_rows == 1 && is_one_sequence(schedule, space),
        row_len: if schedule == Schedule::Short { space.inner() } else { 0 },
        units_per_invocation,
        interleaved: limits.tuning.interleaved && schedule == Schedule::Flat,
        unrolled: copies > 1,
        branchless,
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

/// Returns true if the units, taken row after row or period after period, are in the order of the
/// result.
fn is_one_sequence(schedule: Schedule, space: &Space) -> bool {
    match schedule {
        Schedule::Rows => space.is_dense(&space.result, space.rank()),
        Schedule::Periods => space.rank() == 2,
        _ => false,
    }
}

/// Returns the distance in bytes from the end of the widest output to its spare memory, if that of
/// the narrowest begins at once: it begins at the same element of all, at the start of an
/// [`ALIGNMENT`] of each.
fn spare_gap(narrowest: ElementType, widest: ElementType) -> usize {
    ALIGNMENT as usize * (widest.bits() / narrowest.bits() - 1)
}

/// Returns the width of stores: the widest that a unit and the output's binding allow.
fn output_width(
    element_type: ElementType,
    unit_bytes: usize,
    element_stores: bool,
    limits: &PlanLimits,
    result: Layout,
) -> LoadWidth {
    LoadWidth::dividing(unit_bytes, limits.tuning.wide)
        .filter(|width| width.bytes() * 8 >= element_type.bits())
        .find(|width| (result.granularity as usize).is_multiple_of(width.bytes()))
        .filter(|_| !element_stores)
        .unwrap_or(LoadWidth::min_for(element_type.bits()))
}

/// Returns true if a kernel only adds, subtracts and multiplies F16.
fn is_half(ir: &KernelIr) -> bool {
    let all_arrays = ir.map.loads.iter().all(|load| load.source != LoadSource::Iota);
    let simple = |op| matches!(op, Opcode::Add | Opcode::Sub | Opcode::Mul);
    let mut ops = ir.map.ops.iter();
    let all_half = ops.all(|op| simple(op.opcode) && op.element_type == ElementType::F16);
    all_arrays && all_half && !ir.map.ops.is_empty()
}
