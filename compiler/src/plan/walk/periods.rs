//! [`Periods`]: groups of rows that are whole units together.

use super::tile::{Tile, Tiles};
use super::traverse::{Counts, Extent, Strided, Traverse, strides_in_rows};
use crate::cost::{GATHER_WEIGHT, MAX_STRAIGHT_LINE};
use crate::layout::elements;
use crate::plan::access::{Access, KernelLoad, LoadMode};
use crate::plan::field::Field;
use crate::plan::input::PlanInput;
use crate::plan::schedule::Schedule;
use crate::plan::space::{Space, split_inner};
use indim_core::semantics::shape::gcd;

/// A walk along periods, like one along rows: the size of a row is not a multiple of the unit, but
/// that of a few rows together is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Periods(pub(crate) Tiles);

impl Periods {
    /// Returns the walk in units of these quads, once it is known how operands are read.
    pub(super) fn new(input: &PlanInput<'_>, quads: u32, loads: &[KernelLoad]) -> Self {
        let (space, tile_rows) = (input.space, input.limits.tuning.tile_rows.max(1));
        let period_rows = period_rows(space, elements(quads));
        // Rows far apart do not displace each other's cache lines, since more is kept.
        let tile = match Tile::new(input, quads, loads, period_rows, || tile_rows) {
            Tile::One if space.rank() == 2 => Tile::Linear,
            other => other,
        };
        Self(Tiles { tile, branchless: input.may_pass_end(quads) })
    }

    /// Returns true if units of these quads are quick to read: if operands begin anew with each
    /// row, a period gathers each element.
    pub(super) fn are_quick(input: &PlanInput<'_>, quads: u32) -> bool {
        GATHER_WEIGHT * restarting(input) * elements(quads) <= MAX_STRAIGHT_LINE
    }

    /// Returns true if the space is whole periods.
    pub(super) fn fit(input: &PlanInput<'_>, quads: u32) -> bool {
        let (space, row) = (input.space, input.space.rank() - 2);
        let period_rows = period_rows(space, elements(quads));
        (row == 0 || space.sizes[row].is_multiple_of(period_rows))
            && space.is_dense(&space.result, 2)
            && input.are_whole(quads, row)
    }
}

/// Returns the rows of a period.
fn period_rows(space: &Space, unit: usize) -> usize {
    unit / gcd(space.inner(), unit)
}

/// Returns the number of loads of arrays that vary along the inner dimension, and do not continue
/// from one row to the next.
fn restarting(input: &PlanInput<'_>) -> usize {
    let (space, row) = (input.space, input.space.rank() - 2);
    let restarts = |strides: &&[isize]| {
        let (inner, outer) = split_inner(strides);
        let on = inner.wrapping_mul(space.inner().cast_signed());
        inner != 0 && outer.get(row).is_some_and(|&stride| stride != on)
    };
    input.array_strides().filter(restarts).count()
}

impl Traverse for Periods {
    fn schedule(&self) -> Schedule {
        Schedule::Periods
    }

    fn row(&self, rank: usize) -> Option<usize> {
        rank.checked_sub(2)
    }

    fn rows_of_step(&self, space: &Space, unit: usize) -> usize {
        // Units numbered as in the result all belong to one period.
        if self.0.tile == Tile::Linear { space.sizes[0] } else { period_rows(space, unit) }
    }

    fn tile(&self, _: usize) -> usize {
        self.0.tile.rows() as usize
    }

    fn iota(&self, load: &Strided<'_>) -> LoadMode {
        self.by_element(load)
    }

    fn by_element(&self, load: &Strided<'_>) -> LoadMode {
        if load.is_constant() {
            return LoadMode::by(Access::Splat);
        }
        // At most one row ends within a unit.
        if load.inner() == 0 && load.space.inner() >= load.unit {
            let from_row_to_row = load.strides[load.space.rank() - 2];
            return LoadMode::by(if from_row_to_row == 0 { Access::Splat } else { Access::Split });
        }
        LoadMode::by(Access::Gather)
    }

    fn by_word(&self, load: &Strided<'_>, lanes: isize) -> Option<LoadMode> {
        load.dense_words(2, lanes)
    }

    fn fields(&self, rank: usize) -> Vec<Field> {
        // Within a period, positions are computed from the size of a row.
        let size = Field::Size(rank - 1);
        if self.0.tile == Tile::Linear {
            return vec![size, Field::ResultOffset];
        }
        self.0.fields(rank, &[Field::Units, size])
    }

    fn stride_fields(&self, number: usize, load: &KernelLoad, rank: usize) -> Vec<Field> {
        let mut fields = strides_in_rows(number, load, rank);
        if matches!(load.mode.access, Access::Gather | Access::Split) {
            fields.push(Field::RowStride(number));
        }
        fields
    }

    fn counts(&self, extent: &Extent<'_>) -> Counts {
        self.0.counts(extent, self.rows_of_step(extent.space, extent.unit))
    }
}
