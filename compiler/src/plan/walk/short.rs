//! [`Short`]: whole rows of 2 to 4 elements.

use super::traverse::{Counts, Extent, Strided, Traverse};
use crate::cost::MAX_STRAIGHT_LINE;
use crate::layout::elements;
use crate::plan::access::{Access, LoadMode};
use crate::plan::field::Field;
use crate::plan::input::PlanInput;
use crate::plan::schedule::Schedule;

/// Row sizes short enough to be fixed in the text.
const ROW_SIZES: std::ops::RangeInclusive<usize> = 2..=4;

/// A walk through units of whole rows, in which each element's position in its row is fixed in the
/// text.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Short {
    /// Elements of a row.
    pub(crate) row_len: usize,
    /// True if an invocation past the end writes to spare memory instead of returning.
    pub(crate) branchless: bool,
}

impl Short {
    /// Returns the walk and the quads of its units, if it suits a dispatch whose units have `max`
    /// quads.
    pub(super) fn choose(input: &PlanInput<'_>, max: u32) -> Option<(Self, u32)> {
        let (space, row_len) = (input.space, input.space.inner());
        let fits = space.rank() == 2
            && ROW_SIZES.contains(&row_len)
            && space.is_dense(&space.result, 2)
            && input.limits.tuning.branchless
            && !input.is_small_shift();
        let quads = if row_len == 3 { 3 * max } else { max };
        let room = input.workgroup_size() * input.unit_bytes(quads) <= input.result.spare as usize;
        let quick = || input.ir.map.copy_weight() * elements(quads) <= MAX_STRAIGHT_LINE;
        (fits && room && quick() && input.are_whole(quads, 0))
            .then(|| (Self { row_len, branchless: input.may_pass_end(quads) }, quads))
    }
}

impl Traverse for Short {
    fn schedule(&self) -> Schedule {
        Schedule::Short
    }

    fn row(&self, _: usize) -> Option<usize> {
        Some(0)
    }

    fn iota(&self, load: &Strided<'_>) -> LoadMode {
        self.by_element(load)
    }

    /// The step is 1 if the elements of a row differ, else 0.
    fn by_element(&self, load: &Strided<'_>) -> LoadMode {
        if load.is_constant() {
            return LoadMode::by(Access::Splat);
        }
        LoadMode { access: Access::Gather, step: i32::from(load.inner() != 0), phase: 0 }
    }

    fn by_word(&self, load: &Strided<'_>, lanes: isize) -> Option<LoadMode> {
        load.dense_words(2, lanes)
    }

    fn fields(&self, _: usize) -> Vec<Field> {
        vec![Field::ResultOffset]
    }

    fn counts(&self, extent: &Extent<'_>) -> Counts {
        Counts::of_units(extent, 1)
    }
}
