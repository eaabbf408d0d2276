//! [`Passes`]: rows are walked several times, to fold them and then to store what their elements and
//! the results make.

use super::fold_rows::FoldRows;
use super::traverse::{Counts, Extent, Strided, Traverse};
use crate::compile::kernel::fold::CHILDREN;
use crate::compile::layout::{MAX_QUADS, elements};
use crate::compile::plan::access::{KernelLoad, LoadMode};
use crate::compile::plan::field::Field;
use crate::compile::plan::input::PlanInput;
use crate::compile::plan::schedule::Schedule;

/// The elements of two levels of the tree, which one loop folds.
pub(crate) const BLOCK: usize = CHILDREN * CHILDREN;

/// What is stored after the passes that fold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Stores {
    /// One element for each row.
    Once,
    /// A row, in whole units.
    Units,
    /// A row, element by element.
    Elements,
}

/// A walk in which each invocation, or those of a workgroup together, pass over a row several times.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Passes {
    /// How a pass folds a row.
    pub(crate) rows: FoldRows,
    /// The number of passes that fold.
    pub(crate) folds: usize,
    /// True if a row has more elements than a [`BLOCK`].
    pub(crate) in_blocks: bool,
    pub(crate) stores: Stores,
}

impl Passes {
    /// Returns the walk with the quads of its units, if the kernel passes over what it folds several
    /// times.
    pub(super) fn choose(input: &PlanInput<'_>) -> Option<(Self, u32)> {
        let fold = input.ir.fold.as_ref().filter(|fold| fold.has_passes())?;
        let (mut rows, mut quads) = FoldRows::choose(input);
        let count = input.space.folded_count;
        let is_whole = |quads: &u32| count.is_multiple_of(elements(*quads));
        let stores = if !fold.stores_each {
            Stores::Once
        } else if rows.spans_rows {
            Stores::Elements
        } else {
            let mut sizes = [MAX_QUADS, 4, 2, 1].into_iter();
            let whole = sizes.find(|size| *size <= quads && is_whole(size));
            match whole.filter(|&size| size >= input.min_quads()) {
                Some(whole) => {
                    quads = whole;
                    Stores::Units
                }
                None => Stores::Elements,
            }
        };
        rows.whole = is_whole(&quads);
        let folds = fold.passes() - usize::from(fold.stores_each);
        Some((Self { rows, folds, in_blocks: count > BLOCK, stores }, quads))
    }
}

impl Traverse for Passes {
    fn schedule(&self) -> Schedule {
        Schedule::Passes
    }

    fn row(&self, rank: usize) -> Option<usize> {
        self.rows.row(rank)
    }

    fn iota(&self, load: &Strided<'_>) -> LoadMode {
        self.rows.iota(load)
    }

    fn by_element(&self, load: &Strided<'_>) -> LoadMode {
        self.rows.by_element(load)
    }

    fn by_word(&self, load: &Strided<'_>, lanes: isize) -> Option<LoadMode> {
        self.rows.by_word(load, lanes)
    }

    fn reads_past(&self) -> bool {
        self.rows.reads_past()
    }

    fn fields(&self, rank: usize) -> Vec<Field> {
        self.rows.fields(rank)
    }

    fn stride_fields(&self, number: usize, load: &KernelLoad, rank: usize) -> Vec<Field> {
        self.rows.stride_fields(number, load, rank)
    }

    fn counts(&self, extent: &Extent<'_>) -> Counts {
        self.rows.counts(extent)
    }
}
