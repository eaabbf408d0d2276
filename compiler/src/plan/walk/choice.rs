//! Chooses a walk, and how many elements its invocations compute together.

use super::blocks::Blocks;
use super::carry::Carry;
use super::flat::Flat;
use super::fold_columns::FoldColumns;
use super::fold_rows::FoldRows;
use super::kinds::Walk;
use super::passes::Passes;
use super::periods::Periods;
use super::rows::Rows;
use super::short::Short;
use super::tile::Tiles;
use crate::cost::{GATHER_WEIGHT, MAX_STRAIGHT_LINE};
use crate::layout::{MAX_QUADS, elements};
use crate::plan::input::PlanInput;

/// Chooses the walk for one dispatch, unless it is a scan, and the quads of its units: the largest possible units, and
/// the walk that reuses the most from one to the next. Each invocation computes one unit until
/// [`Walk::with_units`] says otherwise.
pub(in crate::plan) fn choose(input: &PlanInput<'_>) -> (Walk, u32) {
    let (space, min) = (input.space, input.min_quads());
    if let Some((passes, quads)) = Passes::choose(input) {
        return (Walk::Passes(passes), quads);
    }
    if input.ir.fold.is_some() {
        return match FoldColumns::choose(input, max_quads(input)) {
            Some((columns, quads)) => (Walk::FoldColumns(columns), quads),
            None => {
                let (rows, quads) = FoldRows::choose(input);
                (Walk::FoldRows(rows), quads)
            }
        };
    }
    let carry = || (Walk::Carry(Carry::new(input, min)), min);
    // The elements of a unit must be neighbours in the result; in a window one element wide they
    // are not.
    let are_neighbours = space.inner() <= 1 || space.result.last() == Some(&1);
    if input.window.range.is_some() || !are_neighbours {
        return carry();
    }
    let max = max_quads(input);
    let sizes = [max, max / 2, max / 4, max / 8].into_iter().filter(|&quads| quads >= min);
    let largest = |fits: &dyn Fn(u32) -> bool| sizes.clone().find(|&quads| fits(quads));
    if space.rank() == 1 {
        // Units must start at a multiple of the unit in the result's binding, and must also end at
        // one if another window follows.
        let quads = largest(&|quads| input.are_whole(quads, 0));
        return quads.map_or_else(carry, |quads| (Walk::Flat(Flat::ONE), quads));
    }
    if let Some((blocks, quads)) = Blocks::choose(input) {
        return (Walk::Blocks(blocks), quads);
    }
    if let Some((short, quads)) = Short::choose(input, max) {
        return (Walk::Short(short), quads);
    }
    let rows = |quads| (Walk::Rows(Rows(Tiles::ONE)), quads);
    if input.are_rows_whole(max) {
        return rows(max);
    }
    let whole_rows = || largest(&|quads| input.are_rows_whole(quads));
    // With many operands to gather, a period is small, or small units that end with the rows are
    // used.
    let is_quick = |quads| Periods::are_quick(input, quads);
    if !is_quick(max)
        && let Some(quads) = whole_rows()
    {
        return rows(quads);
    }
    let quads = largest(&is_quick).unwrap_or(min);
    if Periods::fit(input, quads) {
        return (Walk::Periods(Periods(Tiles::ONE)), quads);
    }
    whole_rows().map_or_else(carry, rows)
}

/// Returns the quads of the largest unit that is quick to compute.
fn max_quads(input: &PlanInput<'_>) -> u32 {
    if input.is_small_shift() {
        return input.min_quads();
    }
    let straight = input.ir.map.copy_weight() + GATHER_WEIGHT * input.gathers();
    let quads_per_unit = input.limits.tuning.quads_per_unit.clamp(1, 4);
    let allowed = quads_per_unit * 32 / input.widest_bits() as u32;
    let is_quick =
        |&quads: &u32| quads <= allowed && straight * elements(quads) <= MAX_STRAIGHT_LINE;
    [MAX_QUADS, 4, 2].into_iter().find(is_quick).unwrap_or(1).max(input.min_quads())
}
