//! [`Traverse`]: what the planner asks of a walk.

use crate::plan::access::{Access, KernelLoad, LoadMode};
use crate::plan::field::Field;
use crate::plan::schedule::Schedule;
use crate::plan::space::{MAX_STEP, Space, split_inner};

/// A way of invocations through a space. The defaults are those of walks whose units each lie in
/// one row.
pub(crate) trait Traverse {
    /// Returns the walk's public name.
    fn schedule(&self) -> Schedule;

    /// Returns the dimension of the rows, if it walks by rows; what does not vary along them is
    /// loaded once.
    fn row(&self, rank: usize) -> Option<usize>;

    /// Returns the number of rows of the space that make up one of the rows that are counted.
    fn rows_of_step(&self, _: &Space, _unit: usize) -> usize {
        1
    }

    /// Returns the number of rows that an invocation computes at a time.
    fn tile(&self, _unit: usize) -> usize {
        1
    }

    /// Returns how an iota is read, which needs no memory.
    fn iota(&self, load: &Strided<'_>) -> LoadMode {
        if load.inner() == 1 { CONTIGUOUS } else { self.by_element(load) }
    }

    /// Returns how a load is read that is not read in whole words.
    fn by_element(&self, load: &Strided<'_>) -> LoadMode {
        LoadMode::by(if load.inner() == 0 { Access::Splat } else { Access::Gather })
    }

    /// Returns how a load is read in whole words of `lanes` elements, if it can be.
    fn by_word(&self, load: &Strided<'_>, lanes: isize) -> Option<LoadMode> {
        load.words_in_row(lanes)
    }

    /// Returns true if units may reach past the elements that they are to read.
    fn reads_past(&self) -> bool {
        false
    }

    /// Returns the parameters of the walk.
    fn fields(&self, rank: usize) -> Vec<Field>;

    /// Returns the strides in the parameter block of the load of this number.
    fn stride_fields(&self, number: usize, load: &KernelLoad, rank: usize) -> Vec<Field> {
        strides_in_rows(number, load, rank)
    }

    /// Returns the invocations for a dispatch that has elements.
    fn counts(&self, extent: &Extent<'_>) -> Counts;
}

/// Returns the strides of a load, by its number, whose units are read from row to row.
pub(super) fn strides_in_rows(number: usize, load: &KernelLoad, rank: usize) -> Vec<Field> {
    // Along the innermost dimension the other access modes have no stride, or one that is fixed in
    // the text.
    let access = load.mode.access;
    let inner = matches!(access, Access::Gather | Access::Transposed)
        || (load.binding.is_none() && access != Access::Splat);
    let rank = if inner { rank } else { rank - 1 };
    (0..rank).map(|d| Field::Stride(number, d)).collect()
}

pub(super) const CONTIGUOUS: LoadMode = LoadMode { access: Access::Contiguous, step: 1, phase: 0 };

/// A load in the space of a dispatch.
pub(crate) struct Strided<'a> {
    pub(in crate::plan) strides: &'a [isize],
    /// Elements from the start of its binding to the one at the origin.
    pub(in crate::plan) offset: i64,
    pub(in crate::plan) space: &'a Space,
    /// The elements of a unit.
    pub(in crate::plan) unit: usize,
}

impl Strided<'_> {
    /// Returns the stride along the innermost dimension.
    pub(super) fn inner(&self) -> isize {
        split_inner(self.strides).0
    }

    /// Returns true if it varies along a folded dimension.
    pub(super) fn is_folded(&self) -> bool {
        self.strides[self.space.folded.clone()].iter().any(|&stride| stride != 0)
    }

    /// Returns true if all positions read one element.
    pub(super) fn is_constant(&self) -> bool {
        self.strides.iter().all(|&stride| stride == 0)
    }

    /// Returns how it is read if units are dense in the last `rank` dimensions.
    pub(super) fn dense_words(&self, rank: usize, lanes: isize) -> Option<LoadMode> {
        let others = &self.strides[..self.strides.len().saturating_sub(rank)];
        let fits = self.offset % lanes as i64 == 0 && others.iter().all(|&s| s % lanes == 0);
        (fits && self.space.is_dense(self.strides, rank)).then_some(CONTIGUOUS)
    }

    /// Returns how it is read if each unit lies in one row.
    pub(super) fn words_in_row(&self, lanes: isize) -> Option<LoadMode> {
        let (inner, outer) = split_inner(self.strides);
        if inner == 0 || inner.abs() > MAX_STEP || outer.iter().any(|&s| s % lanes != 0) {
            return None;
        }
        let phase = self.offset.rem_euclid(lanes as i64) as u32;
        if inner == 1 && phase == 0 {
            return Some(CONTIGUOUS);
        }
        Some(LoadMode { access: Access::Strided, step: inner as i32, phase })
    }
}

/// The size of a dispatch.
pub(crate) struct Extent<'a> {
    pub(in crate::plan) space: &'a Space,
    /// The units of all its elements.
    pub(in crate::plan) units: usize,
    /// The elements of a unit.
    pub(in crate::plan) unit: usize,
    /// The invocations of a workgroup.
    pub(in crate::plan) workgroup: usize,
}

/// The invocations of a dispatch.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    pub(in crate::plan) workgroups: usize,
    /// The counts that are parameters.
    pub(in crate::plan) fields: Vec<(Field, usize)>,
}

impl Counts {
    /// Returns the counts of a walk in which each invocation computes this many units.
    pub(super) fn of_units(extent: &Extent<'_>, units: u32) -> Self {
        Self {
            workgroups: extent.units.div_ceil(extent.workgroup * units as usize),
            fields: vec![(Field::Total, extent.units)],
        }
    }
}
