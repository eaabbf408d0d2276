//! [`Cut`]: cuts a region of results into chunks that fit a bound.

use std::cmp::Ordering;
use std::ops::Range;

use crate::api::chunked::chunk_bytes::{Bytes, bytes};
use indim_core::graph::computation::Computation;
use indim_core::graph::region::{Region, sizes};

/// Chunks that take more than this, besides what any chunk takes, are not faster if each operand is
/// read in one piece: memory of this size is reused while it is in caches.
const LARGE: u64 = 16 << 20;

/// Gives the chunks of a region of results, in row-major order. The elements of a chunk lie one
/// after the other: it is a range of indices along one dimension, with one index along the
/// dimensions before it and all along those after it.
pub(super) struct Cut<'a> {
    computation: &'a Computation,
    results: &'a [usize],
    region: &'a Region,
    /// The bound of a chunk, in bytes, by [`bytes`].
    bound: u64,
    /// The bound of a chunk of more than one element, which [`Cut::make_smaller`] lowers.
    goal: u64,
    /// The bound of a chunk whose operands are read in one piece each.
    large: u64,
    /// The first index of the next chunk, within the region; none after the last one.
    next: Option<Vec<usize>>,
    /// For each dimension, the number of indices in the last chunk that was cut along it.
    likely: Vec<usize>,
}

/// The smallest chunk, which is larger than the bound.
#[derive(Debug)]
pub(super) struct DoesNotFit(pub(super) Region);

impl<'a> Cut<'a> {
    pub(super) fn new(
        computation: &'a Computation,
        results: &'a [usize],
        region: &'a Region,
        bound: u64,
    ) -> Self {
        let has_elements = region.iter().all(|range| !range.is_empty());
        let next = has_elements.then(|| vec![0; region.len()]);
        let likely = region.iter().map(Range::len).collect();
        let (goal, large) = (bound, LARGE);
        let mut cut = Self { computation, results, region, bound, goal, large, next, likely };
        if let Some(at) = &cut.next {
            let smallest = cut.bytes(&cut.smallest(at)).all();
            cut.large = smallest.saturating_add(LARGE);
        }
        cut
    }

    /// Returns the chunk of `count` indices along a dimension.
    fn chunk(&self, at: &[usize], dimension: usize, count: usize) -> Region {
        let range = |(d, (range, &at)): (usize, (&Range<usize>, &usize))| {
            let start = range.start + at;
            match d.cmp(&dimension) {
                Ordering::Less => start..start + 1,
                Ordering::Equal => start..start + count,
                Ordering::Greater => range.clone(),
            }
        };
        self.region.iter().zip(at).enumerate().map(range).collect()
    }

    /// Returns the smallest chunk that begins here.
    fn smallest(&self, at: &[usize]) -> Region {
        self.chunk(at, self.region.len().saturating_sub(1), 1)
    }

    fn fits(&self, chunk: &Region, large: u64) -> bool {
        let bytes = self.bytes(chunk);
        // Pieces with gaps are read in rows, which are longer in larger chunks.
        let bound = if bytes.has_gaps { self.goal } else { self.goal.min(large) };
        bytes.all() <= bound
    }

    /// Returns the largest number of indices in a range that fits, where the first one does.
    fn largest(&self, at: &[usize], dimension: usize, counts: Range<usize>, large: u64) -> usize {
        let (mut fits, mut too_many) = (counts.start, counts.end);
        while fits + 1 < too_many {
            let middle = fits + (too_many - fits) / 2;
            if self.fits(&self.chunk(at, dimension, middle), large) {
                fits = middle;
            } else {
                too_many = middle;
            }
        }
        fits
    }

    /// Returns the chunk that begins here, and the dimension along which it is cut.
    fn cut(&mut self, at: &[usize]) -> Result<(Region, usize), DoesNotFit> {
        let cut = self.cut_to(at, self.large).or_else(|_| self.cut_to(at, u64::MAX));
        cut.or_else(|DoesNotFit(smallest)| {
            // The goal was lowered for a chunk whose elements took less.
            let fits = self.bytes(&smallest).all() <= self.bound;
            let along = self.region.len().saturating_sub(1);
            if fits { Ok((smallest, along)) } else { Err(DoesNotFit(smallest)) }
        })
    }

    fn cut_to(&mut self, at: &[usize], large: u64) -> Result<(Region, usize), DoesNotFit> {
        let rank = self.region.len();
        if rank == 0 {
            let chunk = Region::new();
            return if self.fits(&chunk, large) { Ok((chunk, 0)) } else { Err(DoesNotFit(chunk)) };
        }
        // The dimensions after this one are at their beginning.
        let first = (0..rank).rev().find(|&d| at[d] != 0).unwrap_or(0);
        for dimension in first..rank {
            let left = self.region[dimension].len() - at[dimension];
            let likely = left.min(self.likely[dimension]);
            let fits = |count| self.fits(&self.chunk(at, dimension, count), large);
            let count = if fits(likely) {
                if likely == left {
                    left
                } else {
                    match left.min(likely.saturating_mul(2)) {
                        more if !fits(more) => likely,
                        // The last chunk was small for a place where parts of operands meet.
                        more => self.largest(at, dimension, more..left + 1, large),
                    }
                }
            } else if likely > 1 && fits(1) {
                self.largest(at, dimension, 1..likely, large)
            } else {
                continue;
            };
            if count < left {
                self.likely[dimension] = count;
            }
            return Ok((self.chunk(at, dimension, count), dimension));
        }
        Err(DoesNotFit(self.smallest(at)))
    }

    /// Goes back to the beginning of a chunk, and makes the chunks from there on smaller than it.
    ///
    /// # Errors
    /// [`DoesNotFit`] if the chunk is a single element.
    pub(super) fn make_smaller(&mut self, chunk: &Region) -> Result<(), DoesNotFit> {
        let Some(long) = chunk.iter().position(|range| range.len() > 1) else {
            return Err(DoesNotFit(chunk.clone()));
        };
        let mut half = chunk.clone();
        half[long].end -= half[long].len() / 2;
        // The fixed part may dominate, so that half a chunk takes as much.
        let all = self.bytes(chunk).all();
        self.goal = self.bytes(&half).all().min(all.saturating_sub(1));
        let starts = chunk.iter().zip(self.region).map(|(chunk, all)| chunk.start - all.start);
        self.next = Some(starts.collect());
        Ok(())
    }

    /// Counts the bytes of a chunk.
    pub(super) fn bytes(&self, chunk: &Region) -> Bytes {
        bytes(self.computation, self.results, chunk)
    }
}

impl Iterator for Cut<'_> {
    type Item = Result<Region, DoesNotFit>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut at = self.next.take()?;
        let (chunk, dimension) = match self.cut(&at) {
            Ok(cut) => cut,
            Err(reason) => return Some(Err(reason)),
        };
        // The next chunk begins after this one.
        if !chunk.is_empty() {
            at[dimension] += sizes(&chunk).dims()[dimension];
            let mut d = dimension;
            while d > 0 && at[d] == self.region[d].len() {
                at[d] = 0;
                d -= 1;
                at[d] += 1;
            }
            self.next = (at[0] < self.region[0].len()).then_some(at);
        }
        Some(Ok(chunk))
    }
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "a region may have one dimension")]
mod tests {
    use super::*;
    use indim_core::graph::builder::Builder;
    use indim_core::semantics::element::ElementType;

    fn chunks(computation: &Computation, region: Region, bound: u64) -> Vec<Region> {
        let cut = Cut::new(computation, &[0], &region, bound);
        cut.map(|chunk| chunk.unwrap()).collect()
    }

    #[test]
    fn rows_are_cut_before_columns() {
        let mut b = Builder::new();
        let x = b.parameter(ElementType::F32, [10, 6]).unwrap();
        let y = b.neg(x).unwrap();
        let negated = b.build(y).unwrap();
        // A row of operand, result and the value itself takes 3 * 24 bytes.
        let of = |bound| chunks(&negated, vec![0..10, 0..6], bound);
        assert_eq!(of(10 * 72), [vec![0..10, 0..6]]);
        assert_eq!(of(4 * 72), [vec![0..4, 0..6], vec![4..8, 0..6], vec![8..10, 0..6]]);
        let columns = of(4 * 12);
        assert_eq!(columns[..3], [vec![0..1, 0..4], vec![0..1, 4..6], vec![1..2, 0..4]]);
        assert_eq!(columns.len(), 20);
        let within = chunks(&negated, vec![2..4, 1..3], 1000);
        assert_eq!(within, [vec![2..4, 1..3]]);
        assert_eq!(chunks(&negated, vec![2..2, 1..3], 1000), [] as [Region; 0]);
    }

    #[test]
    fn a_chunk_across_both_ends_is_small() {
        let mut b = Builder::new();
        let x = b.parameter(ElementType::U8, [1000]).unwrap();
        let rolled = b.roll(x, &[300], &[0]).unwrap();
        let rolled = b.build(rolled).unwrap();
        let all = chunks(&rolled, vec![0..1000], 800);
        let lengths: usize = all.iter().map(|chunk| chunk[0].len()).sum();
        assert_eq!(lengths, 1000);
        assert!(all.iter().any(|chunk| chunk[0].end == 300), "{all:?}");
        assert!(all.iter().all(|chunk| bytes(&rolled, &[0], chunk).all() <= 800));
    }

    #[test]
    fn what_cannot_be_cut_is_given_back() {
        let DoesNotFit(element) =
            Cut::new(&far_apart(500), &[0], &vec![3..500], 100).next().unwrap().unwrap_err();
        assert_eq!(element, [3..4]);
    }

    /// Returns a sum of elements of an iota at this distance.
    fn far_apart(distance: i64) -> Computation {
        let mut b = Builder::new();
        let x = b.iota(ElementType::F32, &[2 * distance], 0).unwrap();
        let ends =
            [0, distance].map(|start| b.slice(x, &[start], &[start + distance], &[1]).unwrap());
        let sum = b.add(ends[0], ends[1], &[]).unwrap();
        b.build(sum).unwrap()
    }

    /// Every chunk computes all elements between the two that it adds, so there should be few chunks.
    #[test]
    fn what_each_chunk_takes_does_not_make_it_small() {
        let distance = 4_194_000;
        let all = chunks(&far_apart(distance), vec![0..distance as usize], 25 << 20);
        assert_eq!(all.len(), 4);
    }

    #[test]
    fn a_reshape_without_common_rows_is_cut_within_rows() {
        let mut b = Builder::new();
        let x = b.parameter(ElementType::F32, [7, 11]).unwrap();
        let turned = b.reshape(x, &[11, 7]).unwrap();
        let turned = b.build(turned).unwrap();
        let all = chunks(&turned, vec![0..11, 0..7], 100);
        assert_eq!(all[..3], [vec![0..1, 0..7], vec![1..2, 0..4], vec![1..2, 4..7]]);
    }
}
