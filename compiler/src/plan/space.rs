//! Simplifies the iteration space of one kernel, and the strides of its arrays in it.
//!
//! Dimensions of size 1 are dropped and neighbours that every array traverses alike are merged, so
//! most expressions end at rank 1 or 2.

use std::ops::Range;

use super::window::Window;
use crate::kernel::fold::Fold;
use crate::kernel::ir::KernelIr;

/// The largest distance of neighbours, in elements, at which whole words are loaded: beyond it too
/// much of each word would be loaded in vain.
pub(super) const MAX_STEP: isize = 4;

/// Splits the stride along the innermost dimension, 0 if there is none, from the others.
pub(super) fn split_inner(strides: &[isize]) -> (isize, &[isize]) {
    match strides {
        [outer @ .., inner] => (*inner, outer),
        [] => (0, strides),
    }
}

/// The iteration space after dropping and merging dimensions, outermost first; of rank 1 or more.
#[derive(Debug)]
pub(crate) struct Space {
    pub(crate) sizes: Vec<usize>,
    /// Signed strides of each load, in elements; not yet reduced modulo 2^32.
    pub(crate) strides: Vec<Vec<isize>>,
    /// Strides of the result, in elements; 0 along folded dimensions.
    pub(crate) result: Vec<isize>,
    /// The dimensions along which the kernel folds: the last ones, or the one before the last.
    pub(crate) folded: Range<usize>,
    /// The dimension that numbers parts, if that matters.
    pub(crate) part: Option<usize>,
    /// The number of elements that are folded into one.
    pub(crate) folded_count: usize,
}

impl Space {
    /// Drops and merges dimensions of the part that one dispatch computes.
    pub(crate) fn new(ir: &KernelIr, window: &Window) -> Self {
        let loads = ir.map.loads.len();
        if window.region.iter().any(Range::is_empty) {
            // Nothing is computed, and products of the other sizes might overflow.
            let mut none = Merger::new(loads);
            none.push(0, vec![0; loads].into_iter().chain([1]), false);
            return none.space(1..1, None);
        }
        let numbered = ir.fold.as_ref().and_then(Fold::numbered);
        let result = window.result_strides(ir);
        let mut merger = Merger::new(loads);
        let mut part = None;
        for (dimension, size) in window.region.iter().map(Range::len).enumerate() {
            let strides = ir.map.loads.iter().map(|load| load.strides[dimension]);
            let strides = strides.chain([result[dimension]]);
            if numbered == Some(dimension) {
                merger.push(size, strides, false);
                part = Some(merger.sizes.len() - 1);
            } else if size != 1 {
                merger.push(size, strides, part != Some(merger.sizes.len().wrapping_sub(1)));
            }
        }
        merger.at_least(0);
        let kept = merger.sizes.len();
        let Some(fold) = &ir.fold else { return merger.space(kept..kept, None) };
        for (dimension, &size) in fold.sizes.iter().enumerate().filter(|&(_, &size)| size != 1) {
            let strides = ir.map.loads.iter().map(|load| load.folded[dimension]).chain([0]);
            merger.push(size, strides, merger.sizes.len() > kept);
        }
        merger.at_least(kept);
        let rank = merger.sizes.len();
        Self { folded_count: fold.count(), ..merger.space(kept..rank, part) }
    }

    /// Returns the same space with its one folded dimension before the innermost kept one.
    pub(crate) fn with_columns(mut self) -> Self {
        let rank = self.rank();
        for list in self.strides.iter_mut().chain([&mut self.result]) {
            list.swap(rank - 2, rank - 1);
        }
        self.sizes.swap(rank - 2, rank - 1);
        self.folded = rank - 2..rank - 1;
        self
    }

    pub(crate) fn rank(&self) -> usize {
        self.sizes.len()
    }

    pub(crate) fn inner(&self) -> usize {
        self.sizes.last().copied().unwrap_or(1)
    }

    /// Returns the number of elements of the result.
    pub(crate) fn count(&self) -> usize {
        let kept = (0..self.rank()).filter(|d| !self.folded.contains(d));
        kept.map(|d| self.sizes[d]).product()
    }

    /// Returns true if the window is a sequence of units of `unit` elements, consecutive in the
    /// flat result.
    pub(super) fn is_of_units(&self, window: &Window, unit: usize) -> bool {
        let whole = self.is_dense(&self.result, self.rank())
            && (self.count().is_multiple_of(unit) || !window.has_neighbours);
        window.range.is_some() || whole && (window.result_offset as usize).is_multiple_of(unit)
    }

    /// Returns true if an array of these strides is dense in the last `rank` dimensions.
    pub(crate) fn is_dense(&self, strides: &[isize], rank: usize) -> bool {
        let mut step = 1;
        let inner_first = self.sizes.iter().zip(strides).rev().take(rank);
        for (&size, &stride) in inner_first {
            if stride != step {
                return false;
            }
            // At most the count of all elements, which fits a signed number.
            step *= size.cast_signed();
        }
        true
    }
}

/// Collects dimensions, of which neighbours are merged that all arrays traverse alike.
struct Merger {
    sizes: Vec<usize>,
    /// The strides of each load, and of the result, which is traversed like an operand.
    strides: Vec<Vec<isize>>,
}

impl Merger {
    fn new(loads: usize) -> Self {
        Self { sizes: Vec::new(), strides: vec![Vec::new(); loads + 1] }
    }

    /// Adds a dimension, inside the last one if it `may_merge` with that.
    fn push(&mut self, size: usize, strides: impl Iterator<Item = isize> + Clone, may_merge: bool) {
        // A step along the outer dimension must be a complete pass through this one, for all.
        let merges = may_merge
            && !self.sizes.is_empty()
            && strides.clone().zip(&self.strides).all(|(stride, outside)| {
                outside.last().copied() == stride.checked_mul(size.cast_signed())
            });
        match self.sizes.last_mut() {
            Some(last) if merges => *last *= size,
            _ => self.sizes.push(size),
        }
        for (stride, outside) in strides.zip(&mut self.strides) {
            if merges {
                outside.pop();
            }
            outside.push(stride);
        }
    }

    /// Adds a dimension of size 1 unless there are more than these.
    fn at_least(&mut self, dimensions: usize) {
        if self.sizes.len() == dimensions {
            self.sizes.push(1);
            self.strides.iter_mut().for_each(|strides| strides.push(0));
        }
    }

    fn space(mut self, folded: Range<usize>, part: Option<usize>) -> Space {
        let result = self.strides.pop().unwrap_or_default();
        Space { sizes: self.sizes, strides: self.strides, result, folded, part, folded_count: 1 }
    }
}
