//! Chooses how many rows an invocation computes.

use super::access::{Access, KernelLoad};
use super::schedule::{Schedule, ScheduleChoice};
use super::space::Space;
use crate::compile::cost::MAX_STRAIGHT_LINE;
use crate::compile::kernel::body::ValueRef;
use crate::compile::kernel::ir::KernelIr;
use crate::compile::layout::{QUAD, elements};
use crate::compile::limits::PlanLimits;
use crate::semantics::opcode::Cost;

/// The minimum number of bytes that a tile should cover. With less, the invocations that run
/// together visit one page in several spots, which hardware prefetchers do not follow. (Measured on
/// lavapipe: an add of rows of 256 bytes takes 1.4 times as long in tiles of 2 KiB as in 8 KiB.)
const TILE_BYTES: usize = 8 << 10;

/// Operations of one row up to which a longer tile pays. (Measured on lavapipe, in units of 16
/// elements: a sum of two arrays takes 1.04 times as long in tiles of 2 rows as of 4, a compare, a
/// product and a select 1.15 times as long in 4 as in 2.)
const FEW_OPERATIONS: usize = 32;

/// Operations on one unit up to which its copies are written out: compilers take longer for each
/// copy. (Measured on lavapipe, from the WGSL to the end of a first dispatch: two copies of up to
/// eight additions of 4 elements take 0.9 to 1.15 times as long as a loop; four copies of one
/// addition 1.75 times, of a tanh 2.3 times.)
const FEW_COPIED_OPERATIONS: usize = 32;

/// Words that an invocation may have in flight, each of which takes a register. (An invocation has
/// up to 255 on NVIDIA's GPUs and 256 on AMD's; the more it takes, the fewer run at a time.)
const MAX_IN_FLIGHT: usize = 128;

/// Returns how many rows an invocation computes, of which `copies` are written out; without
/// branches that is a constant of the text, and rows past the last one repeat it.
pub(super) fn rows(
    choice: ScheduleChoice,
    space: &Space,
    loads: &[KernelLoad],
    ir: &KernelIr,
    limits: &PlanLimits,
    copies: u32,
) -> u32 {
    if !matches!(choice.schedule, Schedule::Rows | Schedule::Periods) || ir.map.has_long_calls() {
        return 1;
    }
    let tile = limits.tuning.tile_rows.max(1);
    if !limits.tuning.branchless {
        return if copies > 1 { copies } else { tile };
    }
    // Tiles of rows pay only if more than scalars are kept from one row to the next.
    if !loads.iter().any(|load| load.hoisted && load.mode.access != Access::Splat) {
        return 1;
    }
    let from_row_to_row =
        space.result[choice.row].unsigned_abs().saturating_mul(choice.period_rows);
    let [_, widest] = ir.narrowest_and_widest_output();
    let row_bits = from_row_to_row.saturating_mul(widest.bits());
    let near = (row_bits / 8).saturating_mul(tile as usize) < TILE_BYTES;
    let streams = loads.iter().any(|load| load.mode.in_words() && !load.hoisted);
    let straight = ir.map.copy_weight() * elements(choice.quads);
    let wanted = match (choice.schedule, near || costs_most(ir, loads), streams) {
        // Reading a row again costs less than leaving the order of the memory, and next to nothing
        // with much to compute.
        (Schedule::Rows, true, true) if space.rank() == 2 => 1,
        (Schedule::Rows, true, _) if near => limits.tuning.near_tile_rows.max(tile),
        // If rows are far apart and other arrays are read as well, their cache lines displace each
        // other; in periods they do not, since more is kept. With more to compute, the kept values
        // do not stay in registers anyway.
        (Schedule::Rows, false, true) if straight > FEW_OPERATIONS => tile.div_ceil(4),
        (Schedule::Rows, false, true) => tile.div_ceil(2),
        _ => tile,
    };
    let rows = space.sizes[choice.row].div_ceil(choice.period_rows);
    let wasteful = |tile: u32| (rows.next_multiple_of(tile as usize) - rows) * 8 > rows;
    let quick = |tile: u32| straight * tile as usize <= MAX_STRAIGHT_LINE;
    let sizes = [wanted, wanted.min(tile)];
    sizes.into_iter().find(|&tile| !wasteful(tile) && quick(tile)).unwrap_or(1)
}

/// Returns how many units, or rows, an invocation's text has one after the other, all their loads
/// first; 1 if a loop covers them, or there is only one.
pub(super) fn copies(
    choice: ScheduleChoice,
    loads: &[KernelLoad],
    ir: &KernelIr,
    limits: &PlanLimits,
) -> u32 {
    let unit = elements(choice.quads);
    let wanted = match choice.schedule {
        // A block's rows are always in the text.
        Schedule::Blocks => {
            return limits.tuning.units_in_flight.min(choice.quads * QUAD as u32).max(1);
        }
        Schedule::Flat => limits.tuning.quads_per_invocation / choice.quads,
        Schedule::Rows | Schedule::Periods if !limits.tuning.branchless => limits.tuning.tile_rows,
        // Each unit of a carry kernel begins where the previous one ended.
        _ => 1,
    };
    let straight = ir.map.copy_weight() * unit;
    let upto = (MAX_STRAIGHT_LINE / straight) as u32;
    let copies = wanted.min(limits.tuning.units_in_flight).min(upto).max(1);
    let words = |load: &KernelLoad| match load.mode.access {
        Access::Splat => 1,
        Access::Split => 2,
        Access::Gather => unit * load.element_type.bits().div_ceil(32),
        _ => (unit * load.element_type.bits()).div_ceil(32),
    };
    let loaded = loads.iter().filter(|load| load.binding.is_some() && !load.hoisted);
    let in_flight = loaded.map(words).sum::<usize>().saturating_mul(copies as usize);
    let few = straight <= FEW_COPIED_OPERATIONS && in_flight <= MAX_IN_FLIGHT;
    if few { copies } else { 1 }
}

/// Returns true if a costly operation is computed for every element, and none of them could be
/// kept.
fn costs_most(ir: &KernelIr, loads: &[KernelLoad]) -> bool {
    let mut hoisted: Vec<bool> = Vec::with_capacity(ir.map.ops.len());
    let mut costly = [false; 2];
    for op in &ir.map.ops {
        let kept = op.operands.iter().all(|&operand| match operand {
            ValueRef::Load(number) => loads[number].hoisted,
            ValueRef::Constant(_) => true,
            ValueRef::Op(number) => hoisted[number],
        });
        hoisted.push(kept);
        costly[usize::from(kept)] |= op.cost().class != Cost::Cheap;
    }
    costly == [true, false]
}
