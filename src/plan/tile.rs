//! How many rows an invocation walks through.

use super::space::Space;
use super::{Access, Kernel, KernelLeaf, Schedule, Way};
use crate::limits::PlanLimits;
use crate::lower::{Fragment, ValueRef};
use crate::opcode::Cost;

/// Bytes that a tile should go through at least: less, and the invocations that run together walk
/// through one page at several places, which hardware prefetchers do not follow. (Measured on
/// lavapipe: an add of rows of 256 bytes takes 1.4 times as long in tiles of 2 KiB as in 8 KiB.)
const TILE_BYTES: usize = 8 << 10;

/// How many rows an invocation walks through at a time, and whether it may do so repeatedly.
pub(super) fn rows(
    way: &Way,
    space: &Space,
    leaves: &[KernelLeaf],
    fragment: &Fragment,
    limits: &PlanLimits,
) -> (u32, bool) {
    if !matches!(way.schedule, Schedule::Rows | Schedule::Periods) {
        return (1, false);
    }
    let tile = limits.tile_rows.max(1);
    if !limits.branchless {
        return (tile, false);
    }
    // Walking through rows pays only where more than scalars are kept from one to the next.
    if !leaves.iter().any(|leaf| leaf.hoisted && leaf.access != Access::Splat) {
        return (1, false);
    }
    let row_bytes =
        row_elements(space, way.row, way.period_rows) * fragment.element_type.size_in_bytes();
    let near = row_bytes * (tile as usize) < TILE_BYTES;
    let streams = leaves.iter().any(|leaf| leaf.reading().in_words() && !leaf.hoisted);
    let (tile, stepped) = match (way.schedule, near || costs_most(fragment, leaves), streams) {
        // To read a row again costs less than to leave the order of the memory, and next to nothing
        // where there is much to compute.
        (Schedule::Rows, true, true) if space.rank() == 2 => (1, false),
        (Schedule::Rows, true, _) => (tile, near),
        // Where rows are far apart and other arrays are read as well, their lines displace each
        // other in the cache; not so in periods, where more is kept.
        (Schedule::Rows, false, true) => (tile.div_ceil(2), false),
        _ => (tile, false),
    };
    // The number is a constant of the text: rows past the last one are repetitions of it.
    let rows = space.sizes[way.row].div_ceil(way.period_rows);
    let repeated = rows.next_multiple_of(tile as usize) - rows;
    if repeated * 8 > rows { (1, false) } else { (tile, stepped) }
}

/// Whether a costly operation is computed for every element, and none that could be kept.
fn costs_most(fragment: &Fragment, leaves: &[KernelLeaf]) -> bool {
    let mut hoisted: Vec<bool> = Vec::with_capacity(fragment.values.len());
    let mut costly = [false; 2];
    for value in &fragment.values {
        let kept = value.operands.iter().all(|&operand| match operand {
            ValueRef::Leaf(number) => leaves[number].hoisted,
            ValueRef::Constant(_) => true,
            ValueRef::Value(number) => hoisted[number],
        });
        hoisted.push(kept);
        costly[usize::from(kept)] |= value.opcode.cost() == Cost::Costly;
    }
    costly == [true, false]
}

/// How often an invocation goes through a tile of `rows` rows or periods in all.
pub(super) fn steps(
    kernel: &Kernel,
    space: &Space,
    period_rows: usize,
    rows: usize,
    most: u32,
) -> usize {
    if !kernel.stepped {
        return 1;
    }
    let tile = kernel.tile_rows as usize;
    let row_bytes =
        row_elements(space, kernel.row, period_rows) * kernel.element_type.size_in_bytes();
    let wanted = TILE_BYTES.div_ceil((row_bytes * tile).max(1));
    wanted.min(most.max(1) as usize).min(rows.div_ceil(tile)).max(1)
}

/// Elements of the result from one row, or period, to the next.
fn row_elements(space: &Space, row: usize, period_rows: usize) -> usize {
    space.result[row].unsigned_abs() * period_rows
}
