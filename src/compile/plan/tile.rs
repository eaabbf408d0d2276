//! Chooses how many rows an invocation walks through.

use super::access::{Access, KernelLoad};
use super::layout::elements;
use super::schedule::{Schedule, ScheduleChoice, weight};
use super::space::Space;
use crate::compile::cost::MAX_STRAIGHT_LINE;
use crate::compile::kernel_ir::{KernelIr, ValueRef};
use crate::compile::limits::PlanLimits;
use crate::semantics::opcode::Cost;

/// Bytes that a tile should go through at least. With less, the invocations that run together walk
/// through one page in several spots, which hardware prefetchers do not follow. (Measured on
/// lavapipe: an add of rows of 256 bytes takes 1.4 times as long in tiles of 2 KiB as in 8 KiB.)
const TILE_BYTES: usize = 8 << 10;

/// Operations of one row up to which a longer tile pays. (Measured on lavapipe, in units of 16
/// elements: a sum of two arrays takes 1.04 times as long in tiles of 2 rows as of 4, a compare, a
/// product and a select 1.15 times as long in 4 as in 2.)
const FEW_OPERATIONS: usize = 32;

/// Returns how many rows an invocation walks through; without branches that is a constant of the
/// text, and rows past the last one are repetitions of it.
pub(super) fn rows(
    choice: ScheduleChoice,
    space: &Space,
    loads: &[KernelLoad],
    ir: &KernelIr,
    limits: &PlanLimits,
) -> u32 {
    if !matches!(choice.schedule, Schedule::Rows | Schedule::Periods) {
        return 1;
    }
    let tile = limits.tile_rows.max(1);
    if !limits.branchless {
        return tile;
    }
    // Walking through rows pays only where more than scalars are kept from one to the next.
    if !loads.iter().any(|load| load.hoisted && load.mode.access != Access::Splat) {
        return 1;
    }
    let from_row_to_row =
        space.result[choice.row].unsigned_abs().saturating_mul(choice.period_rows);
    let row_bits = from_row_to_row.saturating_mul(ir.element_type.bits());
    let near = (row_bits / 8).saturating_mul(tile as usize) < TILE_BYTES;
    let streams = loads.iter().any(|load| load.mode.in_words() && !load.hoisted);
    let straight = weight(ir) * elements(choice.quads);
    let wanted = match (choice.schedule, near || costs_most(ir, loads), streams) {
        // To read a row again costs less than to leave the order of the memory, and next to nothing
        // where there is much to compute.
        (Schedule::Rows, true, true) if space.rank() == 2 => 1,
        (Schedule::Rows, true, _) if near => limits.near_tile_rows.max(tile),
        // If rows are far apart and other arrays are read as well, their cache lines displace each
        // other; in periods they do not, since more is kept. With more to compute, the values that
        // are kept do not stay in registers anyway.
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

/// Returns true if a costly operation is computed for every element, and none that could be kept.
fn costs_most(ir: &KernelIr, loads: &[KernelLoad]) -> bool {
    let mut hoisted: Vec<bool> = Vec::with_capacity(ir.ops.len());
    let mut costly = [false; 2];
    for op in &ir.ops {
        let kept = op.operands.iter().all(|&operand| match operand {
            ValueRef::Load(number) => loads[number].hoisted,
            ValueRef::Constant(_) => true,
            ValueRef::Op(number) => hoisted[number],
        });
        hoisted.push(kept);
        costly[usize::from(kept)] |= op.opcode.cost_on(op.from) != Cost::Cheap;
    }
    costly == [true, false]
}
