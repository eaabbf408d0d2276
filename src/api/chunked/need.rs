//! Determines, before anything is read, whether the smallest chunks of a region of results fit, and
//! if not, how much memory suffices.

use std::collections::BinaryHeap;

use crate::api::chunked::chunk_bytes::{Bytes, bytes};
use crate::api::chunked::error::ChunkedError;
use crate::device::context::Context;
use crate::device::run::execute::bytes_between;
use indim_core::graph::computation::Computation;
use indim_core::graph::region::Region;

/// A chunk's bytes are in memory this many times at most: operands that are read, that wait twice, that
/// are uploaded and computed on, and results that are computed, that wait twice, that are read back and
/// taken. The values that several kernels store between them are in memory once.
const CHUNKS_IN_MEMORY: u64 = 10;

/// The largest number of corners of a region to examine.
const MAX_CORNERS: usize = 64;

/// The largest number of boxes to examine for the element that takes the most bytes.
const MAX_BOXES: usize = 1000;

/// The largest total number of instructions to examine for all boxes beyond [`MIN_BOXES`].
const MAX_INSTRUCTIONS: usize = 1 << 20;

/// The number of boxes to examine for any computation.
const MIN_BOXES: usize = 32;

/// Returns the bytes in memory for a chunk of `chunk` bytes whose kernels store `between` bytes between
/// them.
pub(super) fn in_memory(chunk: u64, between: u64) -> u64 {
    chunk.saturating_mul(CHUNKS_IN_MEMORY).saturating_add(between)
}

/// The results of a computation to compute, all of one shape, and a region of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wanted<'a> {
    pub(super) context: &'a Context,
    pub(super) computation: &'a Computation,
    pub(super) results: &'a [usize],
    pub(super) region: &'a Region,
    /// The bound that the caller set, in bytes.
    pub(super) max_bytes: u64,
    /// The bytes of the device's largest buffer.
    pub(super) largest_buffer: u64,
}

/// The element that takes the most bytes as a separate chunk.
struct Largest {
    element: Region,
    /// The bytes that it takes.
    bytes: u64,
    /// The bytes that suffice for every element: those of this one, or more where the search ended
    /// before all others were known to take less.
    enough: u64,
}

impl Wanted<'_> {
    /// Returns the most bytes of a chunk.
    pub(super) fn bound(&self) -> u64 {
        (self.max_bytes / CHUNKS_IN_MEMORY).min(self.largest_buffer)
    }

    /// Refuses what has an element that does not fit, as far as that can be known before anything is
    /// read.
    ///
    /// # Errors
    /// [`ChunkedError::TooLarge`]; the device's errors where a computation has several kernels.
    pub(super) fn check(&self) -> Result<(), ChunkedError> {
        let Self { max_bytes, largest_buffer, region, .. } = *self;
        if region.iter().any(|range| range.is_empty()) {
            return Ok(());
        }
        let whole = self.bytes(region);
        let most = in_memory(whole.all(), whole.values);
        if most <= max_bytes && whole.all() <= largest_buffer {
            return Ok(());
        }
        let largest = self.largest();
        if largest.bytes > self.bound() {
            return Err(self.too_large(&largest.element));
        }
        // A plan is made only where what kernels store between them may decide.
        let element = self.bytes(&largest.element);
        if in_memory(element.all(), element.values) <= max_bytes
            || in_memory(element.all(), self.between(&largest.element)?) <= max_bytes
        {
            return Ok(());
        }
        Err(self.too_large(&largest.element))
    }

    /// Makes the error of an element that does not fit, with the bytes that suffice for all elements.
    pub(super) fn too_large(&self, element: &Region) -> ChunkedError {
        let Self { results, max_bytes, largest_buffer, .. } = *self;
        let largest = self.largest();
        let own = self.bytes(element).all();
        let element = if own > largest.bytes { element } else { &largest.element };
        let all = own.max(largest.bytes);
        // Where all elements fit into the largest buffer, no chunk takes more than that.
        let enough = largest.enough.min(largest_buffer).max(all);
        let needed = match self.between(element) {
            Ok(between) => (all <= largest_buffer).then(|| in_memory(enough, between)),
            Err(error) => return error,
        };
        let counted = self.bytes(element);
        let arguments = counted.arguments.iter().enumerate();
        let (parameter, bytes) = match arguments.max_by_key(|&(_, bytes)| bytes) {
            Some((parameter, &most)) if most >= counted.others => (Some(parameter), most),
            _ => (None, counted.others),
        };
        ChunkedError::TooLarge { result: results[0], parameter, bytes, max_bytes, needed }
    }

    /// Counts the bytes of a chunk.
    fn bytes(&self, chunk: &Region) -> Bytes {
        bytes(self.computation, self.results, chunk)
    }

    /// Returns the bytes that the kernels of a chunk store between them.
    fn between(&self, chunk: &Region) -> Result<u64, ChunkedError> {
        let restricted = self.computation.restricted(self.results, chunk);
        Ok(bytes_between(self.context, &restricted.computation)?)
    }

    /// Finds the element that takes the most bytes. The region of an operand that is read for a box
    /// holds those for its elements, so that none of these takes more than the box: boxes are
    /// halved, the largest first, until an element takes as much as any remaining box.
    fn largest(&self) -> Largest {
        let (bound, mut largest) = (self.bound(), self.largest_corner());
        let per_box = self.computation.instructions().len().max(1);
        let most = (MAX_INSTRUCTIONS / per_box).clamp(MIN_BOXES, MAX_BOXES);
        let mut boxes = vec![self.region.clone()];
        let mut queue = BinaryHeap::from([(self.bytes(self.region).all(), 0)]);
        while let Some((bytes, number)) = queue.pop() {
            let Some(long) = longest(&boxes[number]) else {
                // No remaining box takes more than this element.
                return Largest { element: boxes.swap_remove(number), bytes, enough: bytes };
            };
            if bytes <= largest.bytes.max(bound) {
                break;
            }
            if boxes.len() >= most {
                largest.enough = bytes;
                break;
            }
            let middle = boxes[number][long].start + boxes[number][long].len() / 2;
            for is_second in [false, true] {
                let mut half = boxes[number].clone();
                if is_second {
                    half[long].start = middle;
                } else {
                    half[long].end = middle;
                }
                let bytes = self.bytes(&half).all();
                if bytes > largest.bytes.max(bound) {
                    queue.push((bytes, boxes.len()));
                    boxes.push(half);
                }
            }
        }
        largest
    }

    /// Returns the element in a corner of the region that takes the most bytes. In most expressions it
    /// is the one of all elements.
    fn largest_corner(&self) -> Largest {
        let varied = MAX_CORNERS.ilog2() as usize;
        let corner =
            |number: usize| -> Region {
                let ranges = self.region.iter().enumerate();
                let end = |d: usize| number >> (d % varied) & 1 == 1;
                ranges
                    .map(|(d, range)| {
                        if end(d) { range.end - 1..range.end } else { range.start..range.start + 1 }
                    })
                    .collect()
            };
        let count = 1_usize << self.region.len().min(varied);
        let mut largest = Largest { element: corner(0), bytes: 0, enough: 0 };
        for element in (0..count).map(corner) {
            let bytes = self.bytes(&element).all();
            if bytes > largest.bytes {
                largest = Largest { element, bytes, enough: bytes };
            }
        }
        largest
    }
}

/// Returns the longest dimension of a box; `None` if it has one element.
fn longest(region: &Region) -> Option<usize> {
    let (d, range) = region.iter().enumerate().max_by_key(|(_, range)| range.len())?;
    (range.len() > 1).then_some(d)
}
