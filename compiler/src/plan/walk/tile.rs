//! [`Tiles`]: what walks by rows and by periods have in common. In this file a row may be a period.

use super::traverse::{Counts, Extent};
use super::unroll::copies;
use crate::cost::MAX_STRAIGHT_LINE;
use crate::layout::elements;
use crate::plan::access::{Access, KernelLoad};
use crate::plan::field::Field;
use crate::plan::input::PlanInput;

/// The tiles of a walk by rows.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Tiles {
    pub(crate) tile: Tile,
    /// True if an invocation past the end writes to spare memory instead of returning.
    pub(crate) branchless: bool,
}

/// The units of one invocation.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Tile {
    /// One unit; units are numbered as in the result, in which rows follow one another.
    Linear,
    /// One unit, at a column of a row.
    One,
    /// A unit of each of several rows, in a loop.
    Loop {
        rows: u32,
        /// True if the rows are apart, so that invocations that run together compute neighbouring
        /// rows.
        interleaved: bool,
    },
    /// A unit of each of several rows, which are apart, one after the other with all loads first.
    Unrolled { rows: u32 },
}

impl Tile {
    /// Returns the number of rows.
    pub(crate) fn rows(&self) -> u32 {
        match *self {
            Self::Linear | Self::One => 1,
            Self::Loop { rows, .. } | Self::Unrolled { rows } => rows,
        }
    }

    /// Returns true if its rows are apart.
    pub(crate) fn is_interleaved(&self) -> bool {
        matches!(self, Self::Loop { interleaved: true, .. } | Self::Unrolled { .. })
    }

    /// Returns a tile for units of these quads, whose `rows` are each this many of the space.
    /// `wanted` is how many rows it should have if that pays; without branches that is a constant
    /// of the text, and rows past the last one repeat it.
    pub(super) fn new(
        input: &PlanInput<'_>,
        quads: u32,
        loads: &[KernelLoad],
        period_rows: usize,
        wanted: impl FnOnce() -> u32,
    ) -> Self {
        let (space, tuning) = (input.space, &input.limits.tuning);
        let most = tuning.tile_rows.max(1);
        let in_a_loop = |rows| match rows {
            1 => Self::One,
            _ => Self::Loop { rows, interleaved: true },
        };
        if input.ir.map.has_long_calls() {
            return Self::One;
        }
        if !tuning.branchless {
            let rows = copies(input, quads, loads, most);
            return if rows > 1 { Self::Unrolled { rows } } else { in_a_loop(most) };
        }
        // Tiles of rows pay only if more than scalars are kept from one row to the next.
        let edges = input.ir.outputs[0].edges.map(|edges| edges.index);
        let mut kept = loads.iter().enumerate().filter(|(number, load)| {
            load.hoisted && load.mode.access != Access::Splat && Some(*number) != edges
        });
        if kept.next().is_none() {
            return Self::One;
        }
        let wanted = wanted();
        let straight = input.ir.map.copy_weight() * elements(quads);
        let rows = space.sizes[space.rank() - 2].div_ceil(period_rows);
        let wasteful = |tile: u32| (rows.next_multiple_of(tile as usize) - rows) * 8 > rows;
        let quick = |tile: u32| straight * tile as usize <= MAX_STRAIGHT_LINE;
        let sizes = [wanted, wanted.min(most)];
        in_a_loop(sizes.into_iter().find(|&tile| !wasteful(tile) && quick(tile)).unwrap_or(1))
    }
}

impl Tiles {
    /// One unit for each invocation.
    pub(super) const ONE: Self = Self { tile: Tile::One, branchless: false };

    /// Returns the parameters of tiles, `more` of them after the counts.
    pub(super) fn fields(&self, rank: usize, more: &[Field]) -> Vec<Field> {
        let mut fields = vec![Field::Columns, Field::Tiles, Field::Rows];
        if self.tile.is_interleaved() {
            fields.push(Field::RowStep);
        }
        fields.extend(more);
        fields.extend((0..rank - 2).map(Field::Size));
        if self.branchless {
            fields.push(Field::Spare);
        }
        fields.push(Field::ResultOffset);
        fields.extend((0..rank - 1).map(Field::ResultStride));
        fields
    }

    /// Counts the invocations; each row has this many of the space.
    pub(super) fn counts(&self, extent: &Extent<'_>, period_rows: usize) -> Counts {
        let &Extent { space, unit, workgroup, units } = extent;
        let row = space.rank() - 2;
        let outer: usize = space.sizes[..row].iter().product();
        let rows = space.sizes[row].div_ceil(period_rows);
        let period = period_rows.saturating_mul(space.inner()).div_ceil(unit);
        // A space that is smaller than one period ends within it.
        let columns = period.min(units);
        let tile = self.tile.rows() as usize;
        let row_step = match self.tile {
            // The distance between the rows of one invocation is the number of tiles, so a tile's
            // number is its first row.
            Tile::Unrolled { .. } => rows.div_ceil(tile),
            // With enough rows, as many columns are adjacent as fill a workgroup.
            Tile::Loop { interleaved: true, .. } => {
                (workgroup / columns).clamp(1, rows.div_ceil(tile))
            }
            _ => 1,
        };
        let tiles = rows.div_ceil(tile * row_step).saturating_mul(row_step);
        let total = outer.saturating_mul(tiles).saturating_mul(columns);
        // Inside outer dimensions, the units of one round are counted.
        let units = if outer > 1 { rows.saturating_mul(columns) } else { units };
        let fields = vec![
            (Field::Total, total),
            (Field::Columns, columns),
            (Field::Tiles, tiles),
            (Field::Rows, rows),
            (Field::RowStep, row_step),
            (Field::Units, units),
        ];
        Counts { workgroups: total.div_ceil(workgroup), fields }
    }
}
