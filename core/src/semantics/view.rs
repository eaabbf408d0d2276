//! [`View`]: which element of an operand each element of a result reads. Broadcasts, transposes,
//! slices, reverses, shifts and reshapes are all views.
//!
//! A view copies nothing. A view of a view is one view where [`View::of`] can compose them; the
//! planner turns the rest into strides and an offset.

use std::ops::Range;

use crate::semantics::shape::Shape;

/// Maps each element of a result to the element of the operand that it reads.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum View {
    /// The operand's index along each of its dimensions is an affine function of the result's index
    /// along one dimension: one [`DimIndex`] for each dimension of the operand.
    ///
    /// In a view made by `View::shift` the index may lie outside of the operand. Any value may be
    /// read there, and the maker of such a view selects another one in its place.
    Strided(Vec<DimIndex>),
    /// The result has the operand's elements in the same row-major order, under other sizes.
    Reshape,
    /// The result is the operand's memory read as elements of another width, so that a last
    /// dimension is added or removed. The operand must be stored for it.
    Bitcast,
}

/// The index along one dimension of an operand: `start + step * i`, where i is the result's index
/// along `dimension`.
///
/// The form is canonical, so that equal mappings compare equal: a constant index has step 0; with
/// at most one element, start is 0 too.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DimIndex {
    pub dimension: usize,
    /// Negative only if the view leaves the operand.
    pub start: isize,
    pub step: isize,
}

impl DimIndex {
    /// Returns the canonical index along an operand's dimension of `size` elements, by a dimension
    /// of the result of `result_size` elements.
    pub(crate) fn new(
        dimension: usize,
        (start, step): (isize, isize),
        size: usize,
        result_size: usize,
    ) -> Self {
        let start = if size <= 1 || result_size == 0 { 0 } else { start };
        let step = if size <= 1 || result_size <= 1 { 0 } else { step };
        Self { dimension, start, step }
    }
}

impl View {
    /// Returns the view of an operand whose dimension d becomes dimension `map[d]` of a result; a
    /// dimension of size 1 stretches.
    pub fn broadcast(operand: &Shape, map: &[usize]) -> Self {
        let index = |(&size, &dimension)| DimIndex::new(dimension, (0, 1), size, size);
        Self::Strided(operand.dims().iter().zip(map).map(index).collect())
    }

    /// Returns the view that places the operand's first element at `origin`, which may be negative,
    /// in a result of these sizes. Only this view may leave the operand.
    pub fn shift(operand: &Shape, origin: &[isize], result: &Shape) -> Self {
        let sizes = operand.dims().iter().zip(result.dims());
        let index = |(dimension, (&origin, (&size, &result_size))): (usize, (&isize, (_, _)))| {
            DimIndex::new(dimension, (origin.wrapping_neg(), 1), size, result_size)
        };
        Self::Strided(origin.iter().zip(sizes).enumerate().map(index).collect())
    }

    /// Returns the view of which dimension i is dimension `permutation[i]` of the operand.
    pub(crate) fn transpose(operand: &Shape, permutation: &[i64]) -> Self {
        let mut becomes = vec![0; operand.rank()];
        for (index, &dimension) in permutation.iter().enumerate() {
            becomes[dimension as usize] = index;
        }
        Self::broadcast(operand, &becomes)
    }

    /// Returns the view of every `strides[d]`-th element of dimension d, from `starts[d]` on.
    pub fn slice(operand: &Shape, starts: &[i64], strides: &[i64], result: &Shape) -> Self {
        let sizes = operand.dims().iter().zip(result.dims());
        let walks = starts.iter().zip(strides);
        let index = |(dimension, ((&size, &result_size), (&start, &stride)))| {
            // If the result has two or more elements, the stride is less than the size, which fits
            // a signed number.
            DimIndex::new(dimension, (start as isize, stride as isize), size, result_size)
        };
        Self::Strided(sizes.zip(walks).enumerate().map(index).collect())
    }

    /// Returns the view that walks backwards along these dimensions.
    pub fn reverse(operand: &Shape, dimensions: &[i64]) -> Self {
        let mut reversed = vec![false; operand.rank()];
        dimensions.iter().for_each(|&dimension| reversed[dimension as usize] = true);
        let index = |(dimension, (&size, reversed)): (usize, (&usize, bool))| {
            let last = size.saturating_sub(1).cast_signed();
            let walk = if reversed { (last, -1) } else { (0, 1) };
            DimIndex::new(dimension, walk, size, size)
        };
        Self::Strided(operand.dims().iter().zip(reversed).enumerate().map(index).collect())
    }

    /// Returns the view of an operand that has the result's own shape.
    pub fn identity(shape: &Shape) -> Self {
        Self::broadcast(shape, &(0..shape.rank()).collect::<Vec<_>>())
    }

    /// Returns the view that reshapes an operand to a result with as many elements.
    ///
    /// It is strided, not [`View::Reshape`], if the shapes differ only in dimensions of size 1, or
    /// if the operand has no elements.
    pub fn reshape(operand: &Shape, result: &Shape) -> Self {
        if operand.dims().contains(&0) {
            let constant = DimIndex { dimension: 0, start: 0, step: 0 };
            return Self::Strided(vec![constant; operand.rank()]);
        }
        let long = |shape: &Shape| -> Vec<usize> {
            (0..shape.rank()).filter(|&d| shape.dims()[d] != 1).collect()
        };
        let (from, to) = (long(operand), long(result));
        let sizes = |shape: &Shape, long: &[usize]| -> Vec<usize> {
            long.iter().map(|&d| shape.dims()[d]).collect()
        };
        if sizes(operand, &from) != sizes(result, &to) {
            return Self::Reshape;
        }
        let index = |(dimension, &size): (usize, &usize)| {
            let kept = from.iter().position(|&d| d == dimension);
            DimIndex::new(kept.map_or(0, |kept| to[kept]), (0, 1), size, size)
        };
        Self::Strided(operand.dims().iter().enumerate().map(index).collect())
    }

    /// Composes two views: returns `self` of a value that is itself the view `inner` of an operand,
    /// as one view of that operand; `None` where a reshape and strides cannot be combined.
    pub fn of(&self, inner: &View, operand: &Shape, result: &Shape) -> Option<View> {
        match (self, inner) {
            (Self::Strided(outer), Self::Strided(inner)) => {
                let composed = |inner: &DimIndex| {
                    // The reshape removed this dimension of size 1, so no dimension of the outer
                    // view maps to it.
                    let Some(outer) = outer.get(inner.dimension) else { return *inner };
                    // The index of an existing element does not overflow; any other may be wrong.
                    let start = inner.start.wrapping_add(inner.step.wrapping_mul(outer.start));
                    let step = inner.step.wrapping_mul(outer.step);
                    DimIndex { dimension: outer.dimension, start, step }
                };
                Some(Self::Strided(inner.iter().map(composed).collect()))
            }
            (Self::Reshape, Self::Reshape) => Some(Self::reshape(operand, result)),
            _ => None,
        }
    }

    /// Checks whether an element of the result would read outside of the operand.
    pub fn leaves(&self, operand: &Shape, result: &Shape) -> bool {
        self.leaves_along(operand, result).next().is_some()
    }

    /// Returns the dimensions of the operand along which an element of the result would read
    /// outside of it.
    pub fn leaves_along(&self, operand: &Shape, result: &Shape) -> impl Iterator<Item = usize> {
        let indices: &[DimIndex] = match self {
            Self::Strided(indices) => indices,
            Self::Reshape | Self::Bitcast => &[],
        };
        let is_outside = |(index, &size): (&DimIndex, &usize)| {
            let steps = result.dims().get(index.dimension).map_or(0, |&n| n.saturating_sub(1));
            let last = index.start as i128 + index.step as i128 * steps as i128;
            let inside = 0..size.max(1) as i128;
            !inside.contains(&(index.start as i128)) || index.step != 0 && !inside.contains(&last)
        };
        let sides = indices.iter().zip(operand.dims()).enumerate();
        sides.filter(move |&(_, side)| is_outside(side)).map(|(d, _)| d)
    }

    /// Checks whether the result is the operand itself.
    pub fn is_identity(&self, operand: &Shape, result: &Shape) -> bool {
        let stays = |(dimension, index): (usize, &DimIndex)| {
            index.dimension == dimension && index.start == 0 && {
                index.step == 1 || operand.dims()[dimension] <= 1
            }
        };
        operand == result
            && match self {
                Self::Strided(indices) => indices.iter().enumerate().all(stays),
                Self::Reshape => true,
                Self::Bitcast => false,
            }
    }

    /// Checks whether the result has exactly the operand's elements, in the same row-major order.
    pub fn keeps_elements(&self, operand: &Shape, result: &Shape) -> bool {
        *self == Self::Reshape || *self == Self::reshape(operand, result)
    }

    /// Returns, for each dimension of the result, whether its value varies along it; `varies` is
    /// the same for the operand.
    pub fn varies(&self, operand: &Shape, varies: &[bool], result: &Shape) -> Vec<bool> {
        let mut own = vec![false; result.rank()];
        match self {
            Self::Bitcast => own.fill(true),
            Self::Strided(indices) => {
                for (index, &varies) in indices.iter().zip(varies) {
                    if index.step != 0 {
                        own[index.dimension] |= varies;
                    }
                }
            }
            Self::Reshape => {
                for (from, to) in blocks(operand.dims(), result.dims()) {
                    own[to].fill(varies[from].contains(&true));
                }
            }
        }
        own
    }
}

/// Splits two shapes with equally many elements, at least one, into as many pairs of dimension
/// ranges as possible, such that the ranges of a pair hold the same elements. The ranges cover both
/// shapes.
pub fn blocks(from: &[usize], to: &[usize]) -> Vec<(Range<usize>, Range<usize>)> {
    let mut blocks = Vec::new();
    let (mut start, mut end) = ((0, 0), (0, 0));
    while end != (from.len(), to.len()) {
        let mut products: (u64, u64) = (1, 1);
        // Each range takes one dimension if one is left; then the range with fewer elements grows.
        loop {
            let open = (end.0 < from.len(), end.1 < to.len());
            let behind = products.0 <= products.1;
            if open.0 && (behind || !open.1) {
                products.0 = products.0.saturating_mul(from[end.0] as u64);
                end.0 += 1;
            } else if open.1 {
                products.1 = products.1.saturating_mul(to[end.1] as u64);
                end.1 += 1;
            }
            let started = (end.0 > start.0 || !open.0) && (end.1 > start.1 || !open.1);
            if end == (from.len(), to.len()) || (started && products.0 == products.1) {
                break;
            }
        }
        blocks.push((start.0..end.0, start.1..end.1));
        start = end;
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_as_small_as_they_can_be() {
        assert_eq!(blocks(&[2, 3, 4], &[6, 4]), [(0..2, 0..1), (2..3, 1..2)]);
        assert_eq!(blocks(&[12], &[3, 4]), [(0..1, 0..2)]);
        assert_eq!(blocks(&[3, 4], &[2, 6]), [(0..2, 0..2)]);
        assert_eq!(
            blocks(&[5, 3, 4, 7], &[5, 2, 6, 7]),
            [(0..1, 0..1), (1..3, 1..3), (3..4, 3..4)]
        );
        assert_eq!(blocks(&[], &[]), []);
        for (from, to) in [
            (&[1, 2, 3][..], &[6, 1][..]),
            (&[2, 1, 3], &[2, 3]),
            (&[1], &[]),
            (&[], &[1, 1]),
            (&[4, 1, 1], &[1, 1, 4]),
        ] {
            let blocks = blocks(from, to);
            let mut ends = (0, 0);
            for (a, b) in blocks {
                assert_eq!((a.start, b.start), ends, "{from:?} {to:?}");
                let count = |of: &[usize]| of.iter().product::<usize>();
                assert_eq!(count(&from[a.clone()]), count(&to[b.clone()]), "{from:?} {to:?}");
                ends = (a.end, b.end);
            }
            assert_eq!(ends, (from.len(), to.len()));
        }
    }
}
