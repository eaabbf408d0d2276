//! Finds the region of each value that is needed for a region of the results.

use std::ops::Range;

use crate::graph::computation::{Computation, Input, Instruction};
use crate::graph::region::{Region, box_around};
use crate::semantics::shape::Shape;
use crate::semantics::view::{DimIndex, View, blocks};

/// Returns, for each instruction, the region of its value that is computed for these regions of
/// results, each given with the number of the result; `None` for values that are not needed.
///
/// A region may be larger than needed: values needed in several places are computed in the box
/// around those, and only some boxes of a reshape are boxes of its operand, too.
pub(crate) fn regions(
    computation: &Computation,
    results: &[usize],
    region: &[Range<usize>],
) -> Vec<Option<Region>> {
    let instructions = &computation.instructions;
    let mut needed: Vec<Option<Region>> = vec![None; instructions.len()];
    // A view may leave its operand for all of a region. Then any element of the operand will do.
    let mut is_read = vec![false; instructions.len()];
    for &result in results {
        include(&mut needed[computation.roots[result]], region.to_vec());
    }
    for node in (0..instructions.len()).rev() {
        let instruction = &instructions[node];
        if is_read[node] && needed[node].is_none() {
            let sizes = instruction.shape.dims().iter();
            needed[node] = Some(sizes.map(|&size| 0..size.min(1)).collect());
        }
        let Some(region) = &mut needed[node] else { continue };
        grow(instruction, region, instructions);
        let region = region.clone();
        for input in &instruction.inputs {
            is_read[input.node] = true;
            if let Some(read) = read(input, instruction, &region, instructions) {
                include(&mut needed[input.node], read);
            }
        }
    }
    needed
}

/// Grows a region to the box around it and another one.
fn include(region: &mut Option<Region>, other: Region) {
    match region {
        None => *region = Some(other),
        Some(region) => {
            for (range, other) in region.iter_mut().zip(other) {
                *range = range.start.min(other.start)..range.end.max(other.end);
            }
        }
    }
}

/// Grows `region` until the instruction can be computed from rectangular regions of its operands.
fn grow(instruction: &Instruction, region: &mut Region, instructions: &[Instruction]) {
    // What one operand adds may not suffice for another one.
    loop {
        let before = region.clone();
        for input in &instruction.inputs {
            match input.view {
                View::Strided(_) => {}
                View::Reshape => {
                    let operand = instructions[input.node].shape.dims();
                    *region = reshaped(operand, instruction.shape.dims(), region).0;
                }
                View::Bitcast => {
                    let operand = &instructions[input.node].shape;
                    if let (true, Some(last)) = (operand.rank() < region.len(), region.last_mut()) {
                        *last = 0..instruction.shape.dims()[operand.rank()];
                    }
                }
            }
        }
        if *region == before {
            return;
        }
    }
}

/// Returns the region of an operand that is read for a region of an instruction's value; `None` if
/// the view leaves the operand all over that region.
pub(crate) fn read(
    input: &Input,
    instruction: &Instruction,
    region: &[Range<usize>],
    instructions: &[Instruction],
) -> Option<Region> {
    let operand = &instructions[input.node].shape;
    match &input.view {
        View::Strided(indices) => {
            let ranges = indices.iter().zip(operand.dims());
            ranges.map(|(index, &size)| indices_read(index, size, region)).collect()
        }
        View::Reshape => Some(reshaped(operand.dims(), instruction.shape.dims(), region).1),
        View::Bitcast => {
            let dims = operand.dims().iter().enumerate();
            // A dimension that only the operand has is read in full.
            Some(dims.map(|(d, &size)| region.get(d).cloned().unwrap_or(0..size)).collect())
        }
    }
}

/// Returns the indices along an operand's dimension that are read for a region of the result.
fn indices_read(index: &DimIndex, size: usize, region: &[Range<usize>]) -> Option<Range<usize>> {
    let along = region.get(index.dimension).cloned().unwrap_or(0..1);
    if along.is_empty() || size == 0 {
        return Some(0..0);
    }
    let at = |i: usize| index.start as i128 + index.step as i128 * i as i128;
    let (first, last) = (at(along.start), at(along.end - 1));
    let low = first.min(last).max(0);
    let high = first.max(last).min(size as i128 - 1);
    // Both are indices of the operand if the range is not empty.
    (low <= high).then_some(low as usize..high as usize + 1)
}

/// Returns the smallest region of a reshape's result around this one that has the same elements as
/// a region of the operand, and that region.
fn reshaped(operand: &[usize], result: &[usize], region: &[Range<usize>]) -> (Region, Region) {
    if region.iter().any(Range::is_empty) {
        return (region.to_vec(), operand.iter().map(|_| 0..0).collect());
    }
    let mut grown: Region = result.iter().map(|_| 0..1).collect();
    let mut read: Region = operand.iter().map(|_| 0..1).collect();
    for (from, to) in blocks(operand, result) {
        let strides = Shape::new(&result[to.clone()]).strides();
        let corner = |at: fn(&Range<usize>) -> usize| -> usize {
            region[to.clone()].iter().zip(&strides).map(|(range, stride)| at(range) * stride).sum()
        };
        // The elements are numbered along this block.
        let mut flat = corner(|range| range.start) as u64..corner(|range| range.end - 1) as u64 + 1;
        loop {
            let before = flat.clone();
            flat = box_around(&result[to.clone()], flat, &mut grown[to.clone()]);
            flat = box_around(&operand[from.clone()], flat, &mut read[from.clone()]);
            if flat == before {
                break;
            }
        }
    }
    (grown, read)
}

#[cfg(test)]
#[allow(clippy::single_range_in_vec_init, reason = "a region may have one dimension")]
mod tests {
    use super::*;

    #[test]
    fn a_reshape_reads_what_it_needs() {
        // Rows 1 and 2 of [4, 6] are rows 2 to 5 of [8, 3].
        let (grown, read) = reshaped(&[8, 3], &[4, 6], &[1..3, 0..6]);
        assert_eq!((grown, read), (vec![1..3, 0..6], vec![2..6, 0..3]));
        // A part of one row is a part of a flat operand.
        let (grown, read) = reshaped(&[24], &[4, 6], &[1..2, 2..4]);
        assert_eq!((grown, read), (vec![1..2, 2..4], vec![8..10]));
        // Columns of several rows need all of these rows.
        let (grown, read) = reshaped(&[24], &[4, 6], &[1..3, 2..4]);
        assert_eq!((grown, read), (vec![1..3, 0..6], vec![6..18]));
        // No smaller boxes have the same elements.
        let (grown, read) = reshaped(&[3, 5], &[5, 3], &[1..2, 0..3]);
        assert_eq!((grown, read), (vec![0..5, 0..3], vec![0..3, 0..5]));
    }
}
