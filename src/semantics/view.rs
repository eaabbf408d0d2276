//! How an operand is seen from a result, dimension by dimension: broadcasts and views as one thing.
//!
//! Nothing is copied for a [`View`]. Views of views are one view ([`View::of`]), and the planner
//! turns what is left into strides and an offset.

use std::ops::Range;

use crate::semantics::broadcast::DimMap;
use crate::semantics::shape::Shape;

/// Which element of an operand belongs to each element of a result.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum View {
    /// Each dimension of the operand is walked through by at most one of the result.
    Strided(Vec<Along>),
    /// The elements in the same row-major order, under other sizes.
    Reshape,
    /// The same memory as elements of another width: a last dimension comes or goes. It takes the
    /// operand to be stored.
    Retyped,
}

/// Where an operand is along one of its dimensions: at index `start + step * i`, where i is the
/// result's index along `dimension`.
///
/// Equal walks are written alike: where the index is always the same, `step` is 0, and `start` is
/// 0, too, if there is no other index or no element at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Along {
    pub(crate) dimension: usize,
    pub(crate) start: usize,
    pub(crate) step: isize,
}

impl Along {
    /// A walk through a dimension of `size` by one of the result of `seen` indices.
    pub(crate) fn new(
        dimension: usize,
        (start, step): (usize, isize),
        size: usize,
        seen: usize,
    ) -> Self {
        let start = if size <= 1 || seen == 0 { 0 } else { start };
        let step = if size <= 1 || seen <= 1 { 0 } else { step };
        Self { dimension, start, step }
    }
}

impl View {
    /// The view of an operand of this shape whose dimensions go to these ones of a result: in
    /// full, or stretched where they have size 1.
    pub(crate) fn broadcast(operand: &Shape, map: &DimMap) -> Self {
        let along = |(&size, &dimension)| Along::new(dimension, (0, 1), size, size);
        Self::Strided(operand.dims().iter().zip(map).map(along).collect())
    }

    /// The view of an operand of the result's own shape.
    pub(crate) fn identity(shape: &Shape) -> Self {
        Self::broadcast(shape, &(0..shape.rank()).collect())
    }

    /// The same elements under other sizes, of which there are as many.
    ///
    /// Where the two shapes differ in dimensions of size 1 only, it is no true reshape, nor where
    /// there is no element.
    pub(crate) fn reshape(operand: &Shape, result: &Shape) -> Self {
        if operand.dims().contains(&0) {
            let nowhere = Along { dimension: 0, start: 0, step: 0 };
            return Self::Strided(vec![nowhere; operand.rank()]);
        }
        let long = |shape: &Shape| -> DimMap {
            (0..shape.rank()).filter(|&d| shape.dims()[d] != 1).collect()
        };
        let (from, to) = (long(operand), long(result));
        let sizes = |shape: &Shape, long: &DimMap| -> Vec<usize> {
            long.iter().map(|&d| shape.dims()[d]).collect()
        };
        if sizes(operand, &from) != sizes(result, &to) {
            return Self::Reshape;
        }
        let along = |(dimension, &size): (usize, &usize)| {
            let place = from.iter().position(|&d| d == dimension);
            Along::new(place.map_or(0, |place| to[place]), (0, 1), size, size)
        };
        Self::Strided(operand.dims().iter().enumerate().map(along).collect())
    }

    /// What `self`, of a value that is itself `inner` of an operand, is of that operand; none where
    /// it takes both, a reshape and strides.
    pub(crate) fn of(&self, inner: &View, operand: &Shape, result: &Shape) -> Option<View> {
        match (self, inner) {
            (Self::Strided(outer), Self::Strided(inner)) => {
                let along = |inner: &Along| {
                    // A dimension of size 1 that a reshape took off has gone nowhere.
                    let Some(outer) = outer.get(inner.dimension) else { return *inner };
                    // Both are indices of existing elements, so that no product can overflow.
                    let start = inner
                        .start
                        .wrapping_add_signed(inner.step.wrapping_mul(outer.start.cast_signed()));
                    let step = inner.step.wrapping_mul(outer.step);
                    Along { dimension: outer.dimension, start, step }
                };
                Some(Self::Strided(inner.iter().map(along).collect()))
            }
            (Self::Reshape, Self::Reshape) => Some(Self::reshape(operand, result)),
            _ => None,
        }
    }

    /// Whether the result is the operand itself.
    pub(crate) fn is_identity(&self, operand: &Shape, result: &Shape) -> bool {
        let stays = |(dimension, along): (usize, &Along)| {
            along.dimension == dimension && along.start == 0 && {
                along.step == 1 || operand.dims()[dimension] <= 1
            }
        };
        operand == result
            && match self {
                Self::Strided(along) => along.iter().enumerate().all(stays),
                Self::Reshape => true,
                Self::Retyped => false,
            }
    }

    /// Whether the result has the operand's elements in their order.
    pub(crate) fn keeps_elements(&self, operand: &Shape, result: &Shape) -> bool {
        *self == Self::Reshape || *self == Self::reshape(operand, result)
    }

    /// Along which dimensions of the result a value differs, from where its operand does.
    pub(crate) fn varies(&self, operand: &Shape, varies: &[bool], result: &Shape) -> Vec<bool> {
        let mut own = vec![false; result.rank()];
        match self {
            Self::Retyped => own.fill(true),
            Self::Strided(along) => {
                for (along, &varies) in along.iter().zip(varies) {
                    if along.step != 0 {
                        own[along.dimension] |= varies;
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

/// The runs of dimensions of two shapes with as many elements, and at least one, that hold the same
/// elements: as many runs as there can be. Both lists of ranges cover their shape.
pub(crate) fn blocks(from: &[usize], to: &[usize]) -> Vec<(Range<usize>, Range<usize>)> {
    let mut blocks = Vec::new();
    let (mut start, mut end) = ((0, 0), (0, 0));
    while end != (from.len(), to.len()) {
        let mut products: (u64, u64) = (1, 1);
        // At least one dimension each, where there is one; then whichever is behind.
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
