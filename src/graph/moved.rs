//! What operations of class [`Move`](crate::OpClass::Move) read for a region of their result, and the
//! operations that compute the region from that.

use std::ops::Range;

use crate::graph::operation::Operation;
use crate::graph::region::Region;
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
pub(super) fn rolled(index: usize, shift: usize, size: usize) -> usize {
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
pub(super) fn amounts(
    read: &Range<usize>,
    (low, interior): (i64, i64),
    range: &Range<usize>,
) -> (i64, i64) {
    let step = i128::from(interior) + 1;
    let at = |index: usize| i128::from(low) + step * index as i128;
    // Sizes of arrays are signed numbers.
    let before = at(read.start) - range.start as i128;
    let after = range.end as i128 - 1 - at(read.end - 1);
    (before as i64, after as i64)
}
