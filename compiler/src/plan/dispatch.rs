//! [`Dispatch`]: the workgroups over a space, and the counts in its parameter block.

use super::field::Field;
use super::input::PlanInput;
use super::kernel::{Kernel, KernelOutput};
use super::walk::traverse::{Counts, Extent};
use crate::layout::ALIGNMENT;
use crate::limits::PlanLimits;

/// The size of one dispatch.
#[derive(Debug)]
pub(super) struct Dispatch {
    /// Workgroups; none without elements.
    pub(super) groups: [u32; 2],
    counts: Counts,
    /// First word of the first output's spare memory.
    pub(super) spare: usize,
}

impl Dispatch {
    pub(super) fn new(kernel: &Kernel, input: &PlanInput<'_>) -> Self {
        let PlanInput { window, space, limits, .. } = *input;
        let count = window.range.as_ref().map_or_else(|| space.count(), ExactSizeIterator::len);
        if count == 0 {
            return Self { groups: [0, 0], counts: Counts::default(), spare: 0 };
        }
        let (unit, workgroup) = (kernel.unit(), kernel.workgroup_size as usize);
        let extent = Extent { space, units: count.div_ceil(unit), unit, workgroup };
        let counts = kernel.walk.traverse().counts(&extent);
        // In all outputs it comes after the same element.
        let aligned = |output: &KernelOutput| output.element_type.elements_in(ALIGNMENT) as usize;
        let granule = kernel.outputs.iter().map(aligned).max().unwrap_or(1);
        // Arrays whose padded size overflows may be planned, but are never made.
        let elements = count.checked_next_multiple_of(granule).unwrap_or(usize::MAX);
        let first = &kernel.outputs[0];
        let spare = elements / first.width.elements(first.element_type);
        Self { groups: fold(counts.workgroups, limits), counts, spare }
    }

    /// Returns the count that is a parameter; without elements none of these has a count.
    pub(super) fn count(&self, field: Field) -> i64 {
        let mut counts = self.counts.fields.iter();
        counts.find(|(known, _)| *known == field).map_or(0, |&(_, count)| count as i64)
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
