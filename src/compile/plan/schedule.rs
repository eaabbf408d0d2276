//! Chooses a kernel's schedule, and how many elements its invocations compute together.

use std::fmt;

use super::space::{MAX_STEP, Space, split_inner};
use super::window::Window;
use crate::compile::cost::{GATHER_WEIGHT, MAX_STRAIGHT_LINE};
use crate::compile::kernel::ir::KernelIr;
use crate::compile::kernel::load::{Load, LoadSource};
use crate::compile::layout::{Layout, MAX_QUADS, QUAD, elements};
use crate::compile::limits::PlanLimits;
use crate::semantics::element::ElementType;
use crate::semantics::shape::gcd;

/// Row sizes short enough to be fixed in the text.
const SHORT_ROWS: std::ops::RangeInclusive<usize> = 2..=4;

/// How invocations traverse the iteration space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Schedule {
    /// The space has one dimension; invocations compute units of the flat result.
    Flat,
    /// The inner size is a multiple of the unit: an invocation computes one unit of each row of
    /// a tile, and what does not vary from row to row is loaded and computed once.
    Rows,
    /// The inner size is not a multiple of the unit, but the size of a few rows together is. Such a
    /// group of rows is a period, and invocations traverse periods like rows.
    Periods,
    /// Rows have 2 to 4 elements: a unit is whole rows, and each element's position in its row is
    /// fixed in the text.
    Short,
    /// An operand is transposed: an invocation computes a square block, a unit in either direction.
    Blocks,
    /// Nothing else fits: units may span rows, and each element finds its operands by stepping an
    /// index with carry.
    Carry,
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Flat => "flat",
            Self::Rows => "rows",
            Self::Periods => "periods",
            Self::Short => "short",
            Self::Blocks => "blocks",
            Self::Carry => "carry",
        })
    }
}

/// A schedule with its sizes.
#[derive(Debug, Clone, Copy)]
pub(super) struct ScheduleChoice {
    pub(super) schedule: Schedule,
    /// The dimension of the rows, if there are any.
    pub(super) row: usize,
    /// Quads of a unit.
    pub(super) quads: u32,
    /// Rows of the space in one period; 1 without periods.
    pub(super) period_rows: usize,
}

impl ScheduleChoice {
    /// Chooses the schedule for one window, whose result has the layout `result`: the largest
    /// possible units, and the schedule that reuses the most from one to the next.
    pub(super) fn new(
        ir: &KernelIr,
        window: &Window,
        space: &Space,
        limits: &PlanLimits,
        result: Layout,
    ) -> Self {
        let weight = ir.map.copy_weight();
        let straight = weight + GATHER_WEIGHT * gathers(ir, space);
        let [narrowest, widest_output] = ir.narrowest_and_widest_output();
        let min = min_quads(narrowest);
        let allowed = limits.tuning.quads_per_unit.clamp(1, 4) * 32 / widest(ir) as u32;
        let quick =
            |&quads: &u32| quads <= allowed && straight * elements(quads) <= MAX_STRAIGHT_LINE;
        let max = [MAX_QUADS, 4, 2].into_iter().find(quick).unwrap_or(1).max(min);
        let row = space.rank().saturating_sub(2);
        let choice = |schedule, quads| Self { schedule, row, quads, period_rows: 1 };
        if window.range.is_some() {
            return choice(Schedule::Carry, min);
        }
        // The elements of a unit must be neighbours in the result; in a window one element wide
        // they are not. Units must start at a multiple of the unit in the result's binding, and
        // must also end at one if another window follows.
        if space.inner() > 1 && space.result.last() != Some(&1) {
            return choice(Schedule::Carry, min);
        }
        let fits = |quads: u32, upto: usize| are_whole(elements(quads), window, space, upto);
        let sizes = [max, max / 2, max / 4, max / 8];
        let largest = |fits: &dyn Fn(u32) -> bool| sizes.into_iter().find(|&q| q >= min && fits(q));
        if space.rank() == 1 {
            return largest(&|quads| fits(quads, 0))
                .map_or(choice(Schedule::Carry, min), |quads| choice(Schedule::Flat, quads));
        }
        let inner = space.inner();
        let in_rows =
            |quads: u32| inner.is_multiple_of(elements(quads)) && fits(quads, space.rank() - 1);
        if let Some(blocks) = Self::blocks(ir, space, limits, &in_rows) {
            return blocks;
        }
        if space.rank() == 2 && SHORT_ROWS.contains(&inner) && space.is_dense(&space.result, 2) {
            let quads = if inner == 3 { 3 * max } else { max };
            let bytes = elements(quads) * widest_output.bits() / 8;
            let room = limits.tuning.workgroup_size as usize * bytes <= result.spare as usize;
            let quick = weight * elements(quads) <= MAX_STRAIGHT_LINE;
            if limits.tuning.branchless && room && quick && fits(quads, 0) {
                return choice(Schedule::Short, quads);
            }
        }
        if in_rows(max) {
            return choice(Schedule::Rows, max);
        }
        // If operands begin anew with each row, a period gathers each element. With many of them
        // the period is small, or small units that end with the rows are used.
        let gathered = GATHER_WEIGHT * restarting(ir, space, row);
        let short = |quads: u32| gathered * elements(quads) <= MAX_STRAIGHT_LINE;
        if let (false, Some(quads)) = (short(max), largest(&in_rows)) {
            return choice(Schedule::Rows, quads);
        }
        let quads = sizes.into_iter().find(|&q| q >= min && short(q)).unwrap_or(min);
        let period_rows = elements(quads) / gcd(inner, elements(quads));
        let whole = row == 0 || space.sizes[row].is_multiple_of(period_rows);
        if whole && space.is_dense(&space.result, 2) && fits(quads, row) {
            return Self { schedule: Schedule::Periods, row, quads, period_rows };
        }
        largest(&in_rows)
            .map_or(choice(Schedule::Carry, min), |quads| choice(Schedule::Rows, quads))
    }

    /// Returns square blocks of 8 or 4 elements, if a load is contiguous along another dimension.
    fn blocks(
        ir: &KernelIr,
        space: &Space,
        limits: &PlanLimits,
        in_rows: &dyn Fn(u32) -> bool,
    ) -> Option<Self> {
        let mut loads = ir.map.loads.iter().zip(&space.strides);
        let row = loads.find_map(|(load, strides)| transposed_along(load, strides))?;
        let edges = if limits.tuning.wide { &[2, 1][..] } else { &[1] };
        let quads = edges
            .iter()
            .copied()
            .filter(|&quads| quads >= min_quads(ir.narrowest_and_widest_output()[0]))
            .filter(|&quads| ir.map.copy_weight() * elements(quads).pow(2) <= MAX_STRAIGHT_LINE)
            .find(|&quads| in_rows(quads) && space.sizes[row].is_multiple_of(elements(quads)))?;
        Some(Self { schedule: Schedule::Blocks, row, quads, period_rows: 1 })
    }
}

/// Returns true if units of `unit` elements begin and end at multiples of the unit in the result's
/// binding, wherever they are along the first `upto` dimensions.
fn are_whole(unit: usize, window: &Window, space: &Space, upto: usize) -> bool {
    if window.has_neighbours && !space.count().is_multiple_of(unit) {
        return false;
    }
    let outer = space.result.iter().take(upto);
    (window.result_offset as usize).is_multiple_of(unit)
        && outer.copied().all(|stride| stride.unsigned_abs().is_multiple_of(unit))
}

/// Returns the dimension along which a load is contiguous, unless it is the innermost.
fn transposed_along(load: &Load, strides: &[isize]) -> Option<usize> {
    let (inner, outer) = split_inner(strides);
    if load.source == LoadSource::Iota || inner.abs() <= MAX_STEP {
        return None;
    }
    outer.iter().position(|&stride| stride == 1)
}

/// Returns the quads of the smallest unit, which is whole words of the result: 1 or 2.
fn min_quads(element_type: ElementType) -> u32 {
    element_type.elements_per_word().div_ceil(QUAD) as u32
}

/// Returns the bits of the widest elements in a kernel's memory, which determine the size of a
/// unit.
fn widest(ir: &KernelIr) -> usize {
    let arrays = ir.map.loads.iter().filter(|load| load.source != LoadSource::Iota);
    let bits = arrays.map(|load| load.element_type.bits());
    bits.chain(ir.output_types().map(ElementType::bits)).max().unwrap_or(32)
}

/// Returns the number of loads of arrays whose elements are apart along the inner dimension.
fn gathers(ir: &KernelIr, space: &Space) -> usize {
    let loads = ir.map.loads.iter().zip(&space.strides);
    let arrays = loads.filter(|(load, _)| load.source != LoadSource::Iota);
    arrays.filter(|(_, strides)| split_inner(strides).0.abs() > MAX_STEP).count()
}

/// Returns the number of loads of arrays that vary along the inner dimension, and do not continue
/// from one row to the next.
fn restarting(ir: &KernelIr, space: &Space, row: usize) -> usize {
    let loads = ir.map.loads.iter().zip(&space.strides);
    let arrays = loads.filter(|(load, _)| load.source != LoadSource::Iota);
    let restarts = |strides: &[isize]| {
        let (inner, outer) = split_inner(strides);
        let on = inner.wrapping_mul(space.inner().cast_signed());
        inner != 0 && outer.get(row).is_some_and(|&stride| stride != on)
    };
    arrays.filter(|(_, strides)| restarts(strides)).count()
}
