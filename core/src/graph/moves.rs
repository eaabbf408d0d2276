//! [`Move`]: the operations of class [`Move`](crate::OpClass::Move) with their attributes, what they read
//! for a region of their result, and how the region is computed from that.

use std::ops::Range;

use crate::graph::region::Region;
use crate::semantics::dims::List;
use crate::semantics::opcode::Opcode;
use crate::semantics::placement;
use crate::semantics::shape::Shape;

/// An operation that places elements of its operands in its result.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
pub enum Move {
    /// Elements of a padding value around and between those of the operand.
    Pad {
        /// How many come before the operand's, in each dimension.
        low: List,
        /// How many come after them.
        high: List,
        /// How many come between any two neighbours.
        interior: List,
    },
    /// The operands one after the other.
    Concatenate {
        /// The dimension along which they follow each other.
        dimension: i64,
    },
    /// Elements that leave at one end and come back at the other.
    Roll {
        /// By how many places they move, for each of `dimensions`.
        shifts: List,
        /// The dimensions along which they move.
        dimensions: List,
    },
}

impl Move {
    /// Returns the opcode.
    pub fn opcode(&self) -> Opcode {
        match self {
            Self::Pad { .. } => Opcode::Pad,
            Self::Concatenate { .. } => Opcode::Concatenate,
            Self::Roll { .. } => Opcode::Roll,
        }
    }

    /// Returns the most instructions that kernels make of it, on this number of operands of at most
    /// this rank.
    #[cfg(feature = "serde")]
    pub(super) fn expanded(&self, operands: usize, rank: usize) -> usize {
        match self {
            Self::Pad { .. } => 8usize.saturating_add(rank.saturating_mul(4)),
            Self::Concatenate { .. } => operands.saturating_mul(5),
            Self::Roll { dimensions, .. } => dimensions.len().saturating_mul(5),
        }
    }
}

/// Returns the region of each operand that an operation reads for a region of its result, `None`
/// inside for an operand of which it reads nothing. Returns `None` without an operand.
pub(super) fn read(
    operation: &Move,
    operands: &[&Shape],
    region: &[Range<usize>],
) -> Option<Vec<Option<Region>>> {
    Some(match operation {
        Move::Pad { low, interior, .. } => {
            let operand = operands.first()?.dims().iter().zip(region).enumerate();
            let read =
                operand.map(|(d, (&size, region))| padded(size, low[d], interior[d], region));
            vec![read.collect(), Some(Region::new())]
        }
        Move::Concatenate { dimension } => {
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
        Move::Roll { shifts, dimensions } => {
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

/// How a region of a result is computed from the regions that are read.
pub(super) enum Part {
    /// By this operation, on the operands of which something is read.
    Moved(Move),
    /// The only operand of which something is read, a scalar, fills it.
    Filled,
    /// The only operand of which something is read is it, once two of its ranges are joined along
    /// each of these dimensions.
    Joined(Vec<(usize, [Range<usize>; 2])>),
}

/// Returns how a region of a result of this shape is computed, given the read regions of all operands.
/// Returns `None` if nothing is read.
pub(super) fn part(
    operation: &Move,
    shape: &Shape,
    read: &[Option<Region>],
    region: &[Range<usize>],
) -> Option<Part> {
    Some(match (operation, read) {
        (Move::Pad { low, interior, .. }, [Some(read), _]) => {
            let inside = read.iter().zip(region).enumerate();
            let amounts =
                inside.map(|(d, (read, range))| amounts(read, (low[d], interior[d]), range));
            let (low, high): (Vec<i64>, Vec<i64>) = amounts.unzip();
            let interior = interior.clone();
            Part::Moved(Move::Pad { low: low.into(), high: high.into(), interior })
        }
        (Move::Pad { .. }, [None, _]) => Part::Filled,
        (Move::Concatenate { .. }, _) => match read.iter().flatten().count() {
            0 => return None,
            1 => Part::Joined(Vec::new()),
            _ => Part::Moved(operation.clone()),
        },
        (Move::Roll { shifts, dimensions }, [Some(_)]) => {
            let shifts = placement::rolled(shape, shifts, dimensions);
            let ranges = shape.dims().iter().zip(shifts).zip(region).enumerate();
            let around = ranges.filter_map(|(d, ((&size, shift), range))| {
                // All of a dimension is read whose range goes around the end.
                let first = rolled(range.start, shift, size);
                let before = size - first;
                let joined = [first..size, 0..range.len().saturating_sub(before)];
                (range.len() > before).then_some((d, joined))
            });
            Part::Joined(around.collect())
        }
        _ => return None,
    })
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
