//! How the invocations of a dispatch cover the iteration space.

use super::space::{Piece, Space};
use crate::compile::limits::PlanLimits;
use crate::compile::plan::kernel::{Kernel, QUAD, Schedule};

/// Counts of one dispatch. What a schedule does not use is 0.
#[derive(Debug, Default)]
pub(super) struct Walk {
    /// Invocations with work; of blocks, workgroups.
    pub(super) total: usize,
    /// Units a row (a period, a row of blocks).
    pub(super) columns: usize,
    /// Tiles of rows.
    pub(super) tiles: usize,
    /// Rows (periods, rows of blocks).
    pub(super) rows: usize,
    /// Rows of the space in one of these rows.
    pub(super) period_rows: usize,
    /// How many rows lie between two of one invocation's.
    pub(super) lanes: usize,
    /// Units in all; inside outer dimensions, those of one round.
    pub(super) units: usize,
    /// First word of the spare memory.
    pub(super) spare: usize,
    pub(super) groups: [u32; 2],
}

impl Walk {
    pub(super) fn new(
        kernel: &Kernel,
        space: &Space,
        piece: &Piece,
        period_rows: usize,
        limits: &PlanLimits,
    ) -> Self {
        let count = piece.range.as_ref().map_or_else(|| space.count(), ExactSizeIterator::len);
        let mut walk = Self { period_rows, ..Self::default() };
        if count == 0 {
            return walk;
        }
        let unit = kernel.unit();
        let workgroup = kernel.workgroup_size as usize;
        walk.units = count.div_ceil(unit);
        let outer: usize = kernel.outer_dimensions().map(|d| space.sizes[d]).product();
        let groups = match kernel.schedule {
            Schedule::Flat | Schedule::Short | Schedule::Carry => {
                walk.total = walk.units;
                walk.units.div_ceil(workgroup * kernel.units_per_invocation as usize)
            }
            Schedule::Blocks => {
                walk.columns = space.inner() / unit;
                walk.rows = space.sizes[kernel.row] / unit;
                let [across, down] = kernel.block_group();
                let (across, down) = (walk.columns.div_ceil(across), walk.rows.div_ceil(down));
                walk.total = outer.saturating_mul(across).saturating_mul(down);
                walk.total
            }
            Schedule::Rows | Schedule::Periods => {
                let rows = space.sizes[kernel.row];
                walk.rows = rows.div_ceil(period_rows);
                let period = period_rows.saturating_mul(space.inner()).div_ceil(unit);
                // A space of less than one period ends within it.
                walk.columns = period.min(walk.units);
                let tile = kernel.tile_rows as usize;
                // As many as fill a workgroup, if there are so many rows.
                walk.lanes = match kernel.spread {
                    true => (workgroup / walk.columns).clamp(1, walk.rows.div_ceil(tile)),
                    false => 1,
                };
                walk.tiles = walk.rows.div_ceil(tile * walk.lanes).saturating_mul(walk.lanes);
                if outer > 1 {
                    walk.units = walk.rows.saturating_mul(walk.columns);
                }
                walk.total = outer.saturating_mul(walk.tiles).saturating_mul(walk.columns);
                walk.total.div_ceil(workgroup)
            }
        };
        let bytes = kernel.element_type.device_bytes(count as u64).unwrap_or(u64::MAX);
        let bytes = (bytes as usize).checked_next_multiple_of(SPARE_ALIGNMENT);
        // Arrays of which there is no such multiple are planned, and never made.
        walk.spare = bytes.unwrap_or(usize::MAX) / kernel.result_word.bytes();
        walk.groups = fold(groups, limits);
        walk
    }
}

/// Spare memory begins at a multiple of this many bytes behind the result.
pub(crate) const SPARE_ALIGNMENT: usize = 64;

/// Folds a count of workgroups into two dimensions, with less than one line to spare.
fn fold(groups: usize, limits: &PlanLimits) -> [u32; 2] {
    let most = (limits.max_compute_workgroups_per_dimension as usize).max(1);
    if groups == 0 {
        return [0, 0];
    }
    let lines = groups.div_ceil(most);
    let line = groups.div_ceil(lines);
    let saturate = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    [saturate(line), saturate(lines)]
}

/// The elements of a quad, for the sake of a shorter name where units are counted.
pub(crate) const fn elements(quads: u32) -> usize {
    quads as usize * QUAD
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dispatches_fold_into_two_dimensions() {
        let limits = PlanLimits { max_compute_workgroups_per_dimension: 8, ..Default::default() };
        for groups in 1..=64 {
            let [x, y] = fold(groups, &limits);
            assert!(x <= 8 && y <= 8 && (x * y) as usize >= groups);
            assert!(((x * y) as usize) < groups + y as usize, "less than one line to spare");
        }
        assert_eq!(fold(0, &limits), [0, 0]);
        assert_eq!(fold(65_536, &PlanLimits::default()), [32_768, 2]);
    }
}
