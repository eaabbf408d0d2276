//! [`Carry`]: units that may span rows, whose elements step an index with carry.

use super::traverse::{Counts, Extent, Strided, Traverse};
use crate::layout::elements;
use crate::plan::access::{Access, KernelLoad, LoadMode};
use crate::plan::field::Field;
use crate::plan::input::PlanInput;
use crate::plan::schedule::Schedule;

/// A walk through the space in row-major order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Carry {
    /// The units of one invocation.
    pub(crate) units: u32,
    /// True if elements are stored one by one, each at its own position: in a window that does not
    /// begin and end with quads of the written array. Elements that share a word may be written
    /// concurrently, so this takes atomic operations.
    pub(crate) element_stores: bool,
}

impl Carry {
    /// Returns the walk in units of these quads.
    pub(super) fn new(input: &PlanInput<'_>, quads: u32) -> Self {
        let units = if input.ir.map.has_long_calls() {
            1
        } else {
            (input.limits.tuning.quads_per_invocation / quads).max(1)
        };
        let element_stores = !input.space.is_of_units(input.window, elements(quads));
        Self { units, element_stores }
    }
}

impl Traverse for Carry {
    fn schedule(&self) -> Schedule {
        Schedule::Carry
    }

    fn row(&self, _: usize) -> Option<usize> {
        None
    }

    fn iota(&self, load: &Strided<'_>) -> LoadMode {
        self.by_element(load)
    }

    fn by_element(&self, load: &Strided<'_>) -> LoadMode {
        LoadMode::by(if load.is_constant() { Access::Splat } else { Access::Gather })
    }

    fn by_word(&self, load: &Strided<'_>, lanes: isize) -> Option<LoadMode> {
        load.dense_words(load.space.rank(), lanes)
    }

    fn fields(&self, rank: usize) -> Vec<Field> {
        let mut fields = vec![Field::Start, Field::ResultOffset];
        fields.extend((0..rank).map(Field::Size));
        if self.element_stores {
            fields.push(Field::Count);
            fields.extend((0..rank).map(Field::ResultStride));
            fields.extend((0..rank - 1).map(Field::ResultCarry));
        }
        fields
    }

    fn stride_fields(&self, number: usize, load: &KernelLoad, rank: usize) -> Vec<Field> {
        // These are traversed like the result.
        if matches!(load.mode.access, Access::Contiguous | Access::Splat) {
            return Vec::new();
        }
        let strides = (0..rank).map(|d| Field::Stride(number, d));
        strides.chain((0..rank - 1).map(|d| Field::CarryStep(number, d))).collect()
    }

    fn counts(&self, extent: &Extent<'_>) -> Counts {
        Counts::of_units(extent, self.units)
    }
}
