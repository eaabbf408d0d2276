//! What operations of class [`Move`](crate::OpClass::Move) read for a region of their result, and how
//! the region is computed from that.

use std::ops::Range;

use crate::graph::computation::{Instruction, NodeId};
use crate::graph::instruction_list::InstructionList;
use crate::graph::operation::{List, Operation};
use crate::graph::region::{Region, sizes};
use crate::semantics::placement;
use crate::semantics::shape::Shape;

/// Returns the region of each operand that an operation reads for a region of its result, `None`
/// inside for an operand of which it reads nothing; `None` for an operation of another class.
pub(super) fn read(
    operation: &Operation,
    operands: &[&Shape],
    region: &[Range<usize>],
) -> Option<Vec<Option<Region>>> {
    Some(match operation {
        Operation::Pad { low, interior, .. } => {
            let operand = operands.first()?.dims().iter().zip(region).enumerate();
            let read =
                operand.map(|(d, (&size, region))| padded(size, low[d], interior[d], region));
            vec![read.collect(), Some(Region::new())]
        }
        Operation::Concatenate { dimension } => {
            let along = *dimension as usize;
            let mut end = 0;
            let part = |shape: &&Shape| {
                let start = end;
                end += shape.dims()[along];
                let inside = region[along].start.max(start)..region[along].end.min(end);
                let mut part = region.to_vec();
                part[along] = inside.start.saturating_sub(start)..inside.end.saturating_sub(start);
                (!inside.is_empty()).then_some(part)
            };
            operands.iter().map(part).collect()
        }
        Operation::Roll { shifts, dimensions } => {
            let operand = operands.first()?;
            let shifts = placement::rolled(operand, shifts, dimensions);
            let sizes = operand.dims().iter().zip(region).zip(shifts);
            let read = sizes.map(|((&size, region), shift)| {
                let start = rolled(region.start, shift, size);
                // Indices that go around the end are read with all between them.
                if start + region.len() <= size { start..start + region.len() } else { 0..size }
            });
            vec![Some(read.collect())]
        }
        _ => return None,
    })
}

/// Returns the index that is read for one of a rolled dimension.
fn rolled(index: usize, shift: usize, size: usize) -> usize {
    if index >= shift { index - shift } else { index + (size - shift) }
}

/// Returns the indices of a padded dimension of this size that lie in a range of the result; `None`
/// if none does.
fn padded(size: usize, low: i64, interior: i64, range: &Range<usize>) -> Option<Range<usize>> {
    let step = i128::from(interior) + 1;
    let first = (range.start as i128 - i128::from(low) + step - 1).div_euclid(step).max(0);
    let end = (range.end as i128 - i128::from(low) + step - 1).div_euclid(step).min(size as i128);
    // Both are indices of the operand if the range is not empty.
    (first < end).then_some(first as usize..end as usize)
}

/// Returns the low and the high amount with which the read indices of a padded dimension fill a range
/// of the result.
fn amounts(read: &Range<usize>, (low, interior): (i64, i64), range: &Range<usize>) -> (i64, i64) {
    let step = i128::from(interior) + 1;
    let at = |index: usize| i128::from(low) + step * index as i128;
    // Sizes of arrays are signed numbers.
    let before = at(read.start) - range.start as i128;
    let after = range.end as i128 - 1 - at(read.end - 1);
    (before as i64, after as i64)
}

/// Adds a region of a moved value, given the read regions and those operands of which something is
/// read. Returns the value; `None` for an operation of another class.
pub(super) fn of_region(
    list: &mut InstructionList,
    instruction: &Instruction,
    read: &[Option<Region>],
    operands: &[NodeId],
    region: &Region,
) -> Option<NodeId> {
    let operation = match (&instruction.operation, operands) {
        (Operation::Pad { low, interior, .. }, [_, _]) => {
            let inside = read.first()?.as_deref()?.iter().zip(region).enumerate();
            let amounts =
                inside.map(|(d, (read, range))| amounts(read, (low[d], interior[d]), range));
            let (low, high): (Vec<i64>, Vec<i64>) = amounts.unzip();
            Operation::Pad { low: low.into(), high: high.into(), interior: interior.clone() }
        }
        // There is nothing but padding.
        (Operation::Pad { .. }, [_]) => {
            Operation::BroadcastInDim { broadcast_dimensions: List::default() }
        }
        (Operation::Concatenate { .. }, &[operand]) => return Some(operand),
        (Operation::Concatenate { .. }, _) => instruction.operation.clone(),
        (Operation::Roll { shifts, dimensions }, &[operand]) => {
            let shifts = placement::rolled(&instruction.shape, shifts, dimensions);
            return Some(of_rolled(list, operand, (&instruction.shape, &shifts), region));
        }
        _ => return None,
    };
    let Instruction { element_type, precision, .. } = *instruction;
    let (operands, shape) = (operands.to_vec(), sizes(region));
    Some(list.push(Instruction { operation, operands, element_type, shape, precision }))
}

/// Adds a region of a rolled value, from the region of the operand that is read for it. Along a
/// dimension in which that goes around the end, all of the operand is read; then the part before the
/// end comes first.
fn of_rolled(
    list: &mut InstructionList,
    operand: NodeId,
    (shape, shifts): (&Shape, &[usize]),
    region: &Region,
) -> NodeId {
    let mut value = operand;
    for (d, (&shift, range)) in shifts.iter().zip(region).enumerate() {
        let size = shape.dims()[d];
        let first = rolled(range.start, shift, size);
        let before = size - first;
        if range.len() <= before {
            continue;
        }
        let mut dims = list.instructions[value].shape.dims().to_vec();
        let mut along = |along: Range<usize>| {
            let whole = dims.iter().map(|&size| 0..size).enumerate();
            let region = whole.map(|(k, whole)| if k == d { along.clone() } else { whole });
            part(list, value, &region.collect())
        };
        let operands = vec![along(first..size), along(0..range.len() - before)];
        dims[d] = range.len();
        value = list.push(Instruction {
            operation: Operation::Concatenate { dimension: d as i64 },
            operands,
            element_type: list.instructions[value].element_type,
            shape: Shape::from(dims),
            precision: None,
        });
    }
    value
}

/// Adds a region of a value.
pub(super) fn part(list: &mut InstructionList, node: NodeId, region: &Region) -> NodeId {
    let value = &list.instructions[node];
    if sizes(region) == value.shape {
        return node;
    }
    let bounds = |bound: fn(&Range<usize>) -> usize| -> List {
        region.iter().map(|range| bound(range) as i64).collect()
    };
    let slice = Instruction {
        operation: Operation::Slice {
            start_indices: bounds(|range| range.start),
            limit_indices: bounds(|range| range.end),
            strides: vec![1; region.len()].into(),
        },
        operands: vec![node],
        element_type: value.element_type,
        shape: sizes(region),
        precision: None,
    };
    list.push(slice)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padded_ranges_hold_the_elements_that_lie_in_them() {
        for (size, low, interior) in
            [(1, 0, 0), (3, 2, 0), (3, -1, 0), (4, 1, 2), (4, -3, 1), (2, -2, 3), (5, 0, 1)]
        {
            for (start, end) in
                (0..20).flat_map(|start| (start + 1..20).map(move |end| (start, end)))
            {
                let at = |i: usize| low + (interior + 1) * i as i64;
                let inside = |&i: &usize| (start..end).contains(&at(i));
                let elements: Vec<usize> = (0..size).filter(inside).collect();
                let range = start as usize..end as usize;
                let read = padded(size, low, interior, &range);
                let expected =
                    elements.first().map(|&first| first..elements[elements.len() - 1] + 1);
                assert_eq!(read, expected, "{size} {low} {interior} {range:?}");
                let Some(read) = read else { continue };
                let (before, after) = amounts(&read, (low, interior), &range);
                let between = (interior + 1) * (read.len() as i64 - 1) + 1;
                assert_eq!(before + between + after, end - start, "{size} {low} {interior}");
                assert!(before >= 0 && after >= 0, "{size} {low} {interior} {range:?}");
            }
        }
    }
}
