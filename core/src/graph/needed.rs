//! Finds the region of each value that is needed for a region of the results.

use std::ops::Range;

use crate::graph::computation::{Computation, Instruction};
use crate::graph::moves;
use crate::graph::operation::Operation;
use crate::graph::region::{Region, box_around};
use crate::semantics::opcode::Opcode;
use crate::semantics::shape::Shape;
use crate::semantics::view::{DimIndex, View, blocks};

/// Returns, for each instruction, the region of its value that is computed for these regions of
/// results, each given with the number of the result; `None` for values that are not needed.
///
/// A region may be larger than needed: values needed in several places are computed in the box
/// around those, and only some boxes of a reshape are boxes of its operand, too.
pub fn regions(
    computation: &Computation,
    results: &[usize],
    region: &[Range<usize>],
) -> Vec<Option<Region>> {
    let instructions = &computation.instructions;
    let mut needed: Vec<Option<Region>> = vec![None; instructions.len()];
    for &result in results {
        include(&mut needed[computation.roots[result]], region.to_vec());
    }
    for node in (0..instructions.len()).rev() {
        let instruction = &instructions[node];
        let Some(region) = &mut needed[node] else { continue };
        grow(instruction, region, instructions);
        let region = region.clone();
        let read = read(instruction, &region, instructions);
        for (&operand, read) in instruction.operands.iter().zip(read) {
            if let Some(read) = read {
                include(&mut needed[operand], read);
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

/// Grows `region` until the instruction can be computed from a rectangular region of its operand.
fn grow(instruction: &Instruction, region: &mut Region, instructions: &[Instruction]) {
    let &[operand] = instruction.operands.as_slice() else { return };
    let (operand, result) = (&instructions[operand].shape, &instruction.shape);
    match instruction.operation.view(0, operand, result) {
        Some(View::Reshape) => *region = reshaped(operand.dims(), result.dims(), region).0,
        Some(View::Bitcast) => {
            if let (true, Some(last)) = (operand.rank() < region.len(), region.last_mut()) {
                *last = 0..result.dims()[operand.rank()];
            }
        }
        Some(View::Strided(_)) | None => {}
    }
}

/// Returns the region of each operand that is read for a region of an instruction's value; `None`
/// for an operand of which nothing is read.
pub(crate) fn read(
    instruction: &Instruction,
    region: &[Range<usize>],
    instructions: &[Instruction],
) -> Vec<Option<Region>> {
    let shapes: Vec<&Shape> =
        instruction.operands.iter().map(|&operand| &instructions[operand].shape).collect();
    if let Operation::Move(operation) = &instruction.operation
        && let Some(read) = moves::read(operation, &shapes, region)
    {
        return read;
    }
    if let (Operation::Reduce { dimensions, .. }, [operand]) = (&instruction.operation, &shapes[..])
    {
        return vec![Some(reduced(operand, dimensions, region))];
    }
    if let (Operation::Take { opcode, dimension }, &[operand, indices]) =
        (&instruction.operation, &shapes[..])
    {
        return taken(*opcode, *dimension as usize, [operand, indices], region);
    }
    let result = &instruction.shape;
    let read = |(number, operand): (usize, &&Shape)| {
        Some(match instruction.operation.view(number, operand, result)? {
            View::Strided(indices) => {
                let ranges = indices.iter().zip(operand.dims());
                ranges.map(|(index, &size)| indices_read(index, size, region)).collect()
            }
            View::Reshape => reshaped(operand.dims(), result.dims(), region).1,
            View::Bitcast => {
                let dims = operand.dims().iter().enumerate();
                // A dimension that only the operand has is read in full.
                dims.map(|(d, &size)| region.get(d).cloned().unwrap_or(0..size)).collect()
            }
        })
    };
    shapes.iter().enumerate().map(read).collect()
}

/// Returns the regions of an operand and of indices that a take along this dimension reads: of the
/// operand everything along it, since any index may be among the indices.
fn taken(
    opcode: Opcode,
    along: usize,
    [operand, indices]: [&Shape; 2],
    region: &[Range<usize>],
) -> Vec<Option<Region>> {
    let whole = 0..operand.dims()[along];
    if opcode == Opcode::TakeAlongDimension {
        let stretched = |shape: &Shape| -> Region {
            let sizes = shape.dims().iter().zip(region).enumerate();
            let read = |(d, (&size, range)): (usize, (&usize, &Range<usize>))| {
                if d != along && size == 1 { 0..range.len().min(1) } else { range.clone() }
            };
            sizes.map(read).collect()
        };
        let mut read = stretched(operand);
        read[along] = whole;
        return vec![Some(read), Some(stretched(indices))];
    }
    let after = along + indices.rank();
    let read = [&region[..along], &[whole], &region[after..]].concat();
    vec![Some(read), Some(region[along..after].to_vec())]
}

/// Returns the region of an operand that a reduction along these dimensions reads: all of them.
fn reduced(operand: &Shape, dimensions: &[i64], region: &[Range<usize>]) -> Region {
    let mut kept = region.iter();
    let along = |(d, &size): (usize, &usize)| {
        let is_reduced = dimensions.contains(&(d as i64));
        let of_kept = if is_reduced { None } else { kept.next() };
        of_kept.cloned().unwrap_or(0..size)
    };
    operand.dims().iter().enumerate().map(along).collect()
}

/// Returns the indices along an operand's dimension that are read for a region of the result.
fn indices_read(index: &DimIndex, size: usize, region: &[Range<usize>]) -> Range<usize> {
    let along = region.get(index.dimension).cloned().unwrap_or(0..1);
    if along.is_empty() || size == 0 {
        return 0..0;
    }
    let at = |i: usize| index.start.wrapping_add(index.step.wrapping_mul(i.cast_signed()));
    let (first, last) = (at(along.start), at(along.end - 1));
    first.min(last).unsigned_abs()..first.max(last).unsigned_abs() + 1
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
