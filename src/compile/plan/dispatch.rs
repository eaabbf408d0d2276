//! Counts the invocations and workgroups of a dispatch over the iteration space.

use super::kernel::{Kernel, KernelOutput};
use super::schedule::Schedule;
use super::space::Space;
use super::window::Window;
use crate::compile::layout::ALIGNMENT;
use crate::compile::limits::PlanLimits;

/// The counts of one dispatch. Those that a schedule does not use are 0.
#[derive(Debug, Default)]
pub(super) struct DispatchShape {
    /// Invocations that have work; in blocks, workgroups.
    pub(super) total: usize,
    /// Units of a row (of a period, of a row of blocks).
    pub(super) columns: usize,
    /// Tiles of rows.
    pub(super) tiles: usize,
    /// Rows (periods, rows of blocks).
    pub(super) rows: usize,
    /// Rows of the space that make up one of the rows counted here.
    pub(super) period_rows: usize,
    /// The distance between two rows that one invocation computes, in rows.
    pub(super) row_step: usize,
    /// Units in total; inside outer dimensions, those of one round.
    pub(super) units: usize,
    /// First word of the first output's spare memory.
    pub(super) spare: usize,
    pub(super) groups: [u32; 2],
}

impl DispatchShape {
    /// Returns the counts for one window. `period_rows` is the number of rows of the space in one
    /// period.
    pub(super) fn new(
        kernel: &Kernel,
        space: &Space,
        window: &Window,
        period_rows: usize,
        limits: &PlanLimits,
    ) -> Self {
        let count = window.range.as_ref().map_or_else(|| space.count(), ExactSizeIterator::len);
        // Units numbered as in the result all belong to one period.
        let one_period = kernel.linear_units && kernel.schedule == Schedule::Periods;
        let period_rows = if one_period { space.sizes[kernel.row] } else { period_rows };
        let mut shape = Self { period_rows, ..Self::default() };
        if count == 0 {
            return shape;
        }
        let unit = kernel.unit();
        let workgroup = kernel.workgroup_size as usize;
        shape.units = count.div_ceil(unit);
        let outer: usize = kernel.outer_dimensions().map(|d| space.sizes[d]).product();
        let groups = match kernel.schedule {
            Schedule::Flat | Schedule::Short | Schedule::Carry => {
                shape.total = shape.units;
                shape.units.div_ceil(workgroup * kernel.units_per_invocation as usize)
            }
            Schedule::Blocks => {
                shape.columns = space.inner() / unit;
                shape.rows = space.sizes[kernel.row] / unit;
                let [across, down] = kernel.block_group();
                let (across, down) = (shape.columns.div_ceil(across), shape.rows.div_ceil(down));
                shape.total = outer.saturating_mul(across).saturating_mul(down);
                shape.total
            }
            Schedule::Rows | Schedule::Periods => {
                shape.count_rows(kernel, space, outer);
                shape.total.div_ceil(workgroup)
            }
        };
        // In all outputs it comes after the same element.
        let aligned = |output: &KernelOutput| output.element_type.elements_in(ALIGNMENT) as usize;
        let granule = kernel.outputs.iter().map(aligned).max().unwrap_or(1);
        // Arrays whose padded size overflows may be planned, but are never made.
        let elements = count.checked_next_multiple_of(granule).unwrap_or(usize::MAX);
        let first = &kernel.outputs[0];
        shape.spare = elements / first.width.elements(first.element_type);
        shape.groups = fold(groups, limits);
        shape
    }

    /// Counts the rows or periods for invocations, inside `outer` rounds of them.
    fn count_rows(&mut self, kernel: &Kernel, space: &Space, outer: usize) {
        self.rows = space.sizes[kernel.row].div_ceil(self.period_rows);
        let period = self.period_rows.saturating_mul(space.inner()).div_ceil(kernel.unit());
        // A space that is smaller than one period ends within it.
        self.columns = period.min(self.units);
        let tile = kernel.tile_rows as usize;
        self.row_step = if !kernel.row_interleaved {
            1
        } else if kernel.unrolled {
            // The distance between the rows of one invocation is the number of tiles, so a tile's
            // number is its first row.
            self.rows.div_ceil(tile)
        } else {
            // With enough rows, as many columns are adjacent as fill a workgroup.
            let side_by_side = kernel.workgroup_size as usize / self.columns;
            side_by_side.clamp(1, self.rows.div_ceil(tile))
        };
        self.tiles = self.rows.div_ceil(tile * self.row_step).saturating_mul(self.row_step);
        if outer > 1 {
            self.units = self.rows.saturating_mul(self.columns);
        }
        self.total = outer.saturating_mul(self.tiles).saturating_mul(self.columns);
    }
}

/// Folds a count of workgroups into two dimensions, with less than one line to spare.
fn fold(groups: usize, limits: &PlanLimits) -> [u32; 2] {
    let max = (limits.device.max_compute_workgroups_per_dimension as usize).max(1);
    if groups == 0 {
        return [0, 0];
    }
    let lines = groups.div_ceil(max);
    let line = groups.div_ceil(lines);
    let saturate = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    [saturate(line), saturate(lines)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dispatches_fold_into_two_dimensions() {
        let mut limits = PlanLimits::default();
        limits.device.max_compute_workgroups_per_dimension = 8;
        for groups in 1..=64 {
            let [x, y] = fold(groups, &limits);
            assert!(x <= 8 && y <= 8 && (x * y) as usize >= groups);
            assert!(((x * y) as usize) < groups + y as usize, "less than one line to spare");
        }
        assert_eq!(fold(0, &limits), [0, 0]);
        assert_eq!(fold(65_536, &PlanLimits::default()), [32_768, 2]);
    }
}
