//! [`Flat`]: units of a space of one dimension.

use super::traverse::{Counts, Extent, Traverse};
use super::unroll::copies;
use crate::plan::access::KernelLoad;
use crate::plan::field::Field;
use crate::plan::input::PlanInput;
use crate::plan::schedule::Schedule;

/// A walk through units of the flat result.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Flat {
    /// An invocation computes one unit.
    One {
        /// True if an invocation past the end writes to spare memory instead of returning.
        branchless: bool,
    },
    /// An invocation computes several.
    Several {
        units: u32,
        /// True if they lie a workgroup apart, false if they are neighbours.
        interleaved: bool,
        /// True if they are written one after the other, all their loads first; false if a loop
        /// covers them.
        unrolled: bool,
    },
}

impl Flat {
    /// One unit for each invocation.
    pub(super) const ONE: Self = Self::One { branchless: false };

    /// Returns the walk in units of these quads, once it is known how operands are read.
    pub(super) fn new(input: &PlanInput<'_>, quads: u32, loads: &[KernelLoad]) -> Self {
        let tuning = &input.limits.tuning;
        let wanted = tuning.quads_per_invocation / quads;
        let copies = copies(input, quads, loads, wanted);
        let units = if copies > 1 { copies } else { wanted.max(1) };
        if units == 1 || input.ir.map.has_long_calls() {
            return Self::One { branchless: input.may_pass_end(quads) };
        }
        Self::Several { units, interleaved: tuning.interleaved, unrolled: copies > 1 }
    }
}

impl Traverse for Flat {
    fn schedule(&self) -> Schedule {
        Schedule::Flat
    }

    fn row(&self, _: usize) -> Option<usize> {
        None
    }

    fn fields(&self, _: usize) -> Vec<Field> {
        vec![Field::ResultOffset]
    }

    fn counts(&self, extent: &Extent<'_>) -> Counts {
        let units = match self {
            Self::One { .. } => 1,
            Self::Several { units, .. } => *units,
        };
        Counts::of_units(extent, units)
    }
}
