//! [`Blocks`]: square blocks of a space in which an operand is transposed.

use super::traverse::{Counts, Extent, Strided, Traverse};
use crate::cost::MAX_STRAIGHT_LINE;
use crate::layout::elements;
use crate::plan::access::{Access, LoadMode};
use crate::plan::field::Field;
use crate::plan::input::PlanInput;
use crate::plan::schedule::Schedule;
use crate::plan::space::{MAX_STEP, split_inner};

/// A walk in which an invocation computes a block, a unit in either direction.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Blocks {
    /// The dimension along which the transposed operand is contiguous.
    pub(crate) row: usize,
    /// True if the rows of a block are written one after the other, all their loads first.
    pub(crate) unrolled: bool,
}

impl Blocks {
    /// Returns a walk in blocks of 8 or 4 elements, with the quads of these, if a load is contiguous
    /// along another dimension than the innermost.
    pub(super) fn choose(input: &PlanInput<'_>) -> Option<(Self, u32)> {
        let (space, tuning) = (input.space, &input.limits.tuning);
        let row = input.array_strides().find_map(transposed_along)?;
        let weight = input.ir.map.copy_weight();
        let edges = if tuning.wide { &[2, 1][..] } else { &[1] };
        let quads = edges
            .iter()
            .copied()
            .filter(|&quads| quads >= input.min_quads())
            .filter(|&quads| weight * elements(quads).pow(2) <= MAX_STRAIGHT_LINE)
            .find(|&quads| {
                input.are_rows_whole(quads) && space.sizes[row].is_multiple_of(elements(quads))
            })?;
        Some((Self { row, unrolled: tuning.unroll > 1 }, quads))
    }

    /// Returns how many blocks across and down a workgroup covers: as square as possible, so that
    /// lines that a block reads in part are read by its neighbours at the same time.
    pub(crate) fn group(workgroup: usize) -> [usize; 2] {
        let is_edge = |n: &usize| n * n <= workgroup && workgroup.is_multiple_of(*n);
        let across = (1..=workgroup).rev().find(is_edge).unwrap_or(1);
        [across, workgroup / across]
    }

    /// Returns the dimensions around the blocks.
    fn outer(&self, rank: usize) -> impl Iterator<Item = usize> + '_ {
        (0..rank - 1).filter(|&d| d != self.row)
    }
}

impl Traverse for Blocks {
    fn schedule(&self) -> Schedule {
        Schedule::Blocks
    }

    fn row(&self, _: usize) -> Option<usize> {
        Some(self.row)
    }

    fn tile(&self, unit: usize) -> usize {
        unit
    }

    fn by_word(&self, load: &Strided<'_>, lanes: isize) -> Option<LoadMode> {
        if load.inner().abs() <= MAX_STEP {
            return load.words_in_row(lanes);
        }
        let along_rows = load.strides[self.row] == 1 && lanes as usize == load.unit;
        let mut others = load.strides.iter().enumerate().filter(|(d, _)| *d != self.row);
        let fits = load.offset % lanes as i64 == 0 && others.all(|(_, &s)| s % lanes == 0);
        (along_rows && fits).then_some(LoadMode::by(Access::Transposed))
    }

    fn fields(&self, rank: usize) -> Vec<Field> {
        let mut fields = vec![Field::Columns, Field::Rows];
        fields.extend(self.outer(rank).map(Field::Size));
        fields.push(Field::ResultOffset);
        fields.extend((0..rank - 1).map(Field::ResultStride));
        fields
    }

    /// A workgroup has one number, which is checked as a whole.
    fn counts(&self, &Extent { space, unit, workgroup, .. }: &Extent<'_>) -> Counts {
        let outer: usize = self.outer(space.rank()).map(|d| space.sizes[d]).product();
        let (columns, rows) = (space.inner() / unit, space.sizes[self.row] / unit);
        let [across, down] = Self::group(workgroup);
        let (across, down) = (columns.div_ceil(across), rows.div_ceil(down));
        let workgroups = outer.saturating_mul(across).saturating_mul(down);
        let fields =
            vec![(Field::Total, workgroups), (Field::Columns, columns), (Field::Rows, rows)];
        Counts { workgroups, fields }
    }
}

/// Returns the dimension along which a load is contiguous, unless it is the innermost.
fn transposed_along(strides: &[isize]) -> Option<usize> {
    let (inner, outer) = split_inner(strides);
    let is_apart = inner.abs() > MAX_STEP;
    outer.iter().position(|&stride| is_apart && stride == 1)
}
