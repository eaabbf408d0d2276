//! The iteration space of one kernel, and how arrays lie in it.
//!
//! Dimensions of size 1 are dropped and neighbours that every array walks through alike are merged,
//! so that most expressions end at rank 1 or 2.

use super::layout::Layout;
use crate::compile::kernel_ir::{KernelIr, LoadSource};

/// Neighbours that are farther apart than this are not worth the words between them.
pub(super) const MAX_STEP: isize = 4;

/// Splits the stride along the innermost dimension, 0 if there is none, from the others.
pub(super) fn split_inner(strides: &[isize]) -> (isize, &[isize]) {
    match strides {
        [outer @ .., inner] => (*inner, outer),
        [] => (0, strides),
    }
}

/// What one dispatch computes: the whole of a kernel's space or a box of it, and where in their
/// bindings the arrays lie for it. Strides and offsets are in elements.
#[derive(Debug, Clone)]
pub(crate) struct Piece {
    pub(crate) sizes: Vec<usize>,
    /// Number of bindings besides the result's.
    pub(crate) bindings: usize,
    /// The number of each leaf's binding; `None` for an iota.
    pub(crate) leaf_bindings: Vec<Option<usize>>,
    /// For each leaf, the place in its binding of its element at the origin.
    pub(crate) offsets: Vec<i64>,
    /// Strides of the result.
    pub(crate) result_strides: Vec<isize>,
    /// Place in the result's binding of the element at the origin.
    pub(crate) result_offset: u64,
    /// In place of the whole of `sizes`, this range of its elements in row-major order, from a
    /// multiple of 4 on; `result_offset` is then the place of the first of them.
    pub(crate) range: Option<std::ops::Range<usize>>,
    /// Whether the elements behind the last ones of this piece belong to another one.
    pub(crate) has_neighbours: bool,
}

impl Piece {
    /// All of a fragment's space, over arrays that lie as `layout` says.
    pub(crate) fn whole(fragment: &KernelIr, layout: impl Fn(LoadSource) -> Layout) -> Self {
        let sources = fragment.sources();
        let leaves = fragment.loads.iter();
        Self {
            sizes: fragment.space.dims().to_vec(),
            bindings: sources.len(),
            leaf_bindings: leaves
                .clone()
                .map(|leaf| sources.iter().position(|&source| source == leaf.source))
                .collect(),
            offsets: leaves
                .map(|leaf| leaf.offset_in_binding(layout(leaf.source).offset))
                .collect(),
            result_strides: fragment.space.strides().into_iter().map(usize::cast_signed).collect(),
            result_offset: 0,
            range: None,
            has_neighbours: false,
        }
    }
}

impl Piece {
    /// Whether it is units of so many elements of the flat result one after the other.
    pub(crate) fn is_of_units(&self, space: &Space, unit: usize) -> bool {
        let whole = space.is_dense(&space.result, space.rank())
            && (space.count().is_multiple_of(unit) || !self.has_neighbours);
        self.range.is_some() || whole && self.result_offset.is_multiple_of(unit as u64)
    }
}

/// The iteration space after dropping and merging dimensions, outermost first; rank 1 at least.
#[derive(Debug)]
pub(crate) struct Space {
    pub(crate) sizes: Vec<usize>,
    /// Signed strides of each load, in elements; not yet reduced modulo 2^32.
    pub(crate) strides: Vec<Vec<isize>>,
    /// Strides of the result, in elements.
    pub(crate) result: Vec<isize>,
}

impl Space {
    /// Drops and merges the dimensions of what one dispatch computes.
    pub(crate) fn new(ir: &KernelIr, piece: &Piece) -> Self {
        let loads = ir.loads.len();
        if piece.sizes.contains(&0) {
            // There is nothing to walk through, and products of the other sizes might overflow.
            return Self { sizes: vec![0], strides: vec![vec![0]; loads], result: vec![1] };
        }
        let mut sizes: Vec<usize> = Vec::new();
        // The result is walked through like an operand.
        let mut merged: Vec<Vec<isize>> = vec![Vec::new(); loads + 1];
        for (dimension, &size) in piece.sizes.iter().enumerate() {
            if size == 1 {
                continue;
            }
            let strides = || {
                let loads = ir.loads.iter().map(|load| load.strides[dimension]);
                loads.chain([piece.result_strides[dimension]])
            };
            // A step along the dimension outside must be a whole walk through this one, for all.
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

    /// Returns true if an array of these strides lies in the last `rank` dimensions as a dense one of
    /// their sizes does.
    pub(crate) fn is_dense(&self, strides: &[isize], rank: usize) -> bool {
        let mut step = 1;
        let inner_first = self.sizes.iter().zip(strides).rev().take(rank);
        for (&size, &stride) in inner_first {
            if stride != step {
                return false;
            }
            // At most the count of all elements, which is signed.
            step *= size.cast_signed();
        }
        true
    }
}
