//! Simplifies the iteration space of one kernel, and the strides of its arrays in it.
//!
//! Dimensions of size 1 are dropped and neighbours that every array traverses alike are merged, so
//! most expressions end at rank 1 or 2.

use std::ops::Range;

use super::window::Window;
use crate::compile::kernel::ir::KernelIr;

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
    /// Strides of the result, in elements.
    pub(crate) result: Vec<isize>,
}

impl Space {
    /// Drops and merges dimensions of the part that one dispatch computes.
    pub(crate) fn new(ir: &KernelIr, window: &Window) -> Self {
        let loads = ir.map.loads.len();
        if window.region.iter().any(Range::is_empty) {
            // There are no elements, and products of the other sizes might overflow.
            return Self { sizes: vec![0], strides: vec![vec![0]; loads], result: vec![1] };
        }
        let mut sizes: Vec<usize> = Vec::new();
        let result = window.result_strides(ir);
        // The result is traversed like an operand.
        let mut merged: Vec<Vec<isize>> = vec![Vec::new(); loads + 1];
        for (dimension, size) in window.region.iter().map(Range::len).enumerate() {
            if size == 1 {
                continue;
            }
            let strides = || {
                let loads = ir.map.loads.iter().map(|load| load.strides[dimension]);
                loads.chain([result[dimension]])
            };
            // A step along the outer dimension must be a complete pass through this one, for all.
            let merges = sizes.last().is_some()
                && strides().zip(&merged).all(|(stride, outside)| {
                    outside.last().copied() == stride.checked_mul(size.cast_signed())
                });
            match sizes.last_mut() {
                Some(last) if merges => *last *= size,
                _ => sizes.push(size),
            }
            for (stride, outside) in strides().zip(&mut merged) {
                if merges {
                    outside.pop();
                }
                outside.push(stride);
            }
        }
        if sizes.is_empty() {
            sizes.push(1);
            merged.iter_mut().for_each(|strides| strides.push(0));
        }
        let result = merged.pop().unwrap_or_default();
        Self { sizes, strides: merged, result }
    }

    pub(crate) fn rank(&self) -> usize {
        self.sizes.len()
    }

    pub(crate) fn inner(&self) -> usize {
        self.sizes.last().copied().unwrap_or(1)
    }

    pub(crate) fn count(&self) -> usize {
        self.sizes.iter().product()
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
