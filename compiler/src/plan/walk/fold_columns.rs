//! [`FoldColumns`]: each invocation folds a column of units into one.

use super::traverse::{Counts, Extent, Traverse};
use crate::cost::MAX_STRAIGHT_LINE;
use crate::kernel::body::{Body, loop_weight};
use crate::kernel::fold::{CHILDREN, Fold, STRANDS};
use crate::layout::{MAX_QUADS, elements};
use crate::plan::field::Field;
use crate::plan::input::PlanInput;
use crate::plan::schedule::Schedule;
use crate::plan::space::{Space, split_inner};

/// A walk in which units lie along the innermost dimension, which is kept, and invocations step down
/// the folded one before it: at most a node of the tree, or nodes in turn where another operand is the
/// same for all columns, as in a product of matrices, so that many invocations read each row.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct FoldColumns {
    /// True if all strands are equally long.
    pub(crate) whole: bool,
    /// True if there may be several nodes.
    pub(crate) in_turn: bool,
}

/// The most elements that are folded in turn: two levels of the tree.
const IN_TURN: usize = CHILDREN * CHILDREN;

impl FoldColumns {
    /// Returns the space in which a fold walks down columns, if most operands are neighbours along
    /// a kept dimension.
    pub(in crate::plan) fn space(input: &PlanInput<'_>) -> Option<Space> {
        let (ir, space) = (input.ir, input.space);
        ir.fold.as_ref().filter(|fold| !fold.has_passes())?;
        let rank = space.rank();
        let is_range = ir.fold.as_ref().is_some_and(Fold::is_range);
        let one = space.folded.len() == 1 && space.folded_count <= IN_TURN;
        if !one || is_range || input.window.range.is_some() || space.result[rank - 2] != 1 {
            return None;
        }
        // A part that may be short is a row of the result.
        if space.part == Some(rank - 2) {
            return None;
        }
        let (mut along, mut is_shared) = ([0, 0], false);
        for strides in input.array_strides() {
            let (folded, kept) = split_inner(strides);
            let kept = kept.last().copied();
            // What is the same for all columns of a unit is loaded once for them.
            is_shared |= folded != 0 && kept == Some(0);
            along[0] += usize::from(folded.unsigned_abs() == 1 && kept != Some(0));
            along[1] += usize::from(kept == Some(1));
        }
        if !is_quick(&input.ir.map, input.min_quads()) {
            return None;
        }
        if space.folded_count > CHILDREN && !(is_shared && input.min_quads() == 1) {
            return None;
        }
        let columns = (along[1] > along[0]).then(|| Space::new(ir, input.window).with_columns())?;
        let input = PlanInput { space: &columns, ..*input };
        input.are_rows_whole(input.min_quads()).then_some(columns)
    }

    /// Returns the walk with the quads of its units, if the space is one for columns.
    pub(super) fn choose(input: &PlanInput<'_>, most: u32) -> Option<(Self, u32)> {
        let space = input.space;
        if space.folded.end == space.rank() {
            return None;
        }
        let in_turn = space.folded_count > CHILDREN;
        let sizes = [MAX_QUADS, 4, 2, 1].into_iter();
        // Nodes that are folded in turn take twice the registers.
        let most = if in_turn || input.limits.has_few_registers() { 1 } else { most };
        let fits = |quads: u32| quads <= most && is_quick(&input.ir.map, quads);
        let mut sizes = sizes.filter(|&quads| quads >= input.min_quads() && fits(quads));
        let quads = sizes.find(|&quads| input.are_rows_whole(quads)).unwrap_or(input.min_quads());
        let whole = space.folded_count.is_multiple_of(STRANDS) && space.part.is_none();
        Some((Self { whole, in_turn }, quads))
    }
}

/// Returns true if a map is quick to compile: the text has a unit of it for each strand.
fn is_quick(map: &Body, quads: u32) -> bool {
    loop_weight(&map.ops) * elements(quads) * STRANDS <= MAX_STRAIGHT_LINE
}

impl Traverse for FoldColumns {
    fn schedule(&self) -> Schedule {
        Schedule::FoldColumns
    }

    fn row(&self, rank: usize) -> Option<usize> {
        rank.checked_sub(2)
    }

    fn tile(&self, _: usize) -> usize {
        STRANDS
    }

    fn fields(&self, rank: usize) -> Vec<Field> {
        let mut fields = vec![Field::Columns, Field::Folded, Field::OfParts];
        fields.extend((0..rank - 2).map(Field::Size));
        fields.push(Field::ResultOffset);
        fields.extend((0..rank - 2).map(Field::ResultStride));
        fields
    }

    fn counts(&self, extent: &Extent<'_>) -> Counts {
        let columns = extent.space.inner() / extent.unit;
        let total = extent.space.count() / extent.unit;
        Counts {
            workgroups: total.div_ceil(extent.workgroup),
            fields: vec![(Field::Total, total), (Field::Columns, columns)],
        }
    }
}
