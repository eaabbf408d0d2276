//! [`PlanInput`]: one dispatch, before it is planned.

use super::space::{MAX_STEP, Space, split_inner};
use super::window::Window;
use crate::kernel::ir::KernelIr;
use crate::kernel::load::{Load, LoadSource};
use crate::layout::{ALIGNMENT, Layout, QUAD, elements};
use crate::limits::PlanLimits;
use indim_core::semantics::element::ElementType;

/// Elements up to which a kernel of shifted operands is planned for any shift: compiling one takes
/// far longer than running it.
const SMALL_SPACE: usize = 1 << 12;

/// The input of the planner for one dispatch.
#[derive(Clone, Copy)]
pub(super) struct PlanInput<'a> {
    pub(super) ir: &'a KernelIr,
    pub(super) window: &'a Window,
    pub(super) space: &'a Space,
    pub(super) limits: &'a PlanLimits,
    /// The layout of the outputs.
    pub(super) result: Layout,
}

impl<'a> PlanInput<'a> {
    /// Returns true if units begin and end at multiples of the unit in the result's binding,
    /// wherever they are along the first `upto` dimensions.
    pub(super) fn are_whole(&self, quads: u32, upto: usize) -> bool {
        let unit = elements(quads);
        if self.window.has_neighbours && !self.space.count().is_multiple_of(unit) {
            return false;
        }
        let outer = self.space.result.iter().take(upto);
        (self.window.result_offset as usize).is_multiple_of(unit)
            && outer.copied().all(|stride| stride.unsigned_abs().is_multiple_of(unit))
    }

    /// Returns true if rows are whole units.
    pub(super) fn are_rows_whole(&self, quads: u32) -> bool {
        self.space.inner().is_multiple_of(elements(quads))
            && self.are_whole(quads, self.space.rank() - 1)
    }

    /// Returns true if operands are shifted, as in a roll, and a small kernel that serves all shifts
    /// is better than a fast one.
    pub(super) fn is_small_shift(&self) -> bool {
        let is_shifted = |load: &Load| load.clamped && !load.table;
        let is_small = self.space.count() <= SMALL_SPACE && self.ir.fold.is_none();
        is_small && self.ir.map.loads.iter().any(is_shifted)
    }

    /// Returns the quads of the smallest unit, which is whole words of the result: 1 or 2.
    pub(super) fn min_quads(&self) -> u32 {
        let [narrowest, _] = self.ir.narrowest_and_widest_output();
        narrowest.elements_per_word().div_ceil(QUAD) as u32
    }

    /// Returns the bits of the widest elements in the kernel's memory, which determine the size of
    /// a unit.
    pub(super) fn widest_bits(&self) -> usize {
        let loaded = self.ir.map.array_loads().map(|load| load.element_type);
        loaded.chain(self.ir.output_types()).map(ElementType::bits).max().unwrap_or(32)
    }

    /// Returns the bytes of a unit of the widest output.
    pub(super) fn unit_bytes(&self, quads: u32) -> usize {
        let [_, widest] = self.ir.narrowest_and_widest_output();
        elements(quads) * widest.bits() / 8
    }

    /// Returns the strides of each load of an array.
    pub(super) fn array_strides(&self) -> impl Iterator<Item = &'a [isize]> {
        let is_array = |(load, _): &(&Load, _)| load.source != LoadSource::Iota;
        let loads = self.ir.map.loads.iter().zip(&self.space.strides).filter(is_array);
        loads.map(|(_, strides)| &strides[..])
    }

    /// Returns the number of loads of arrays whose elements are apart along the inner dimension.
    pub(super) fn gathers(&self) -> usize {
        self.array_strides().filter(|strides| split_inner(strides).0.abs() > MAX_STEP).count()
    }

    /// Returns true if invocations past the end may write to spare memory instead of returning.
    pub(super) fn may_pass_end(&self, quads: u32) -> bool {
        let [narrowest, widest] = self.ir.narrowest_and_widest_output();
        // Each invocation of the last workgroup may be past the end, and then needs spare memory
        // for its own unit.
        let needed = spare_gap(narrowest, widest) + self.workgroup_size() * self.unit_bytes(quads);
        self.limits.tuning.branchless
            && needed <= self.result.spare as usize
            // Past the end of the result the data is arbitrary, and a loop might not end on it.
            && !self.ir.has_loops()
            // A repeated row would be read again after it was written.
            && !self.ir.reads_destination()
    }

    /// Returns the number of elements of a fold before the window's first part, and from there on.
    pub(super) fn parts(&self) -> [i64; 2] {
        let fold = self.ir.fold.as_ref();
        let found = fold.and_then(|fold| Some((fold.part?, fold.count())));
        found.map_or([0; 2], |(part, count)| {
            let before = (self.window.region[part.dimension].start * count) as i64;
            [before, part.of as i64 - before]
        })
    }

    pub(super) fn workgroup_size(&self) -> usize {
        self.limits.tuning.workgroup_size.max(1) as usize
    }
}

/// Returns the distance in bytes from the end of the widest output to its spare memory, if that of
/// the narrowest begins at once: it begins at the same element of all, at the start of an
/// [`ALIGNMENT`] of each.
fn spare_gap(narrowest: ElementType, widest: ElementType) -> usize {
    ALIGNMENT as usize * (widest.bits() / narrowest.bits() - 1)
}
