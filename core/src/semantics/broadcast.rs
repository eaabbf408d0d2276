//! XLA's broadcasting rules, on shapes alone.
//!
//! The source is XLA's document "Broadcasting semantics"; where XLA's own shape inference is
//! stricter, its checks and their order apply. Every rule has a label
//! ([`Rule`](crate::semantics::rule::Rule)) that its error variant and its tests share.

use crate::semantics::broadcast_error::{BroadcastError, Side, can_become};
use crate::semantics::shape::Shape;

/// Checks rules B1 to B8 in XLA's order (explicit `broadcast_dimensions` before degenerate
/// dimensions) and returns the result's shape.
///
/// An empty `broadcast_dimensions` means none given; XLA does not distinguish the two.
pub(crate) fn binary(
    lhs: &Shape,
    rhs: &Shape,
    broadcast_dimensions: &[i64],
) -> Result<Shape, BroadcastError> {
    if lhs.rank() == rhs.rank() {
        let is_identity = broadcast_dimensions.len() == lhs.rank()
            && broadcast_dimensions.iter().zip(0..).all(|(&d, i)| d == i);
        // B7: between equal ranks only the identity is accepted.
        if !broadcast_dimensions.is_empty() && !is_identity {
            return Err(BroadcastError::NotIdentity {
                lhs: lhs.clone(),
                rhs: rhs.clone(),
                given: broadcast_dimensions.to_vec(),
            });
        }
        return degenerate(lhs, rhs, lhs.dims(), rhs.dims());
    }

    let lower = if lhs.rank() < rhs.rank() { Side::Lhs } else { Side::Rhs };
    let (lower_shape, higher_shape) = match lower {
        Side::Lhs => (lhs, rhs),
        Side::Rhs => (rhs, lhs),
    };
    let map = in_dim(lower, lower_shape, higher_shape, broadcast_dimensions)?;
    // The dimensions that the lower-rank operand lacks have the sizes of the other operand.
    let mut placed = higher_shape.dims().to_vec();
    for (&size, &dimension) in lower_shape.dims().iter().zip(&map) {
        placed[dimension] = size;
    }
    match lower {
        Side::Lhs => degenerate(lhs, rhs, &placed, rhs.dims()),
        Side::Rhs => degenerate(lhs, rhs, lhs.dims(), &placed),
    }
}

/// Checks rules B1 to B6 and matches the dimensions of the lower-rank operand to the higher-rank
/// one's.
fn in_dim(
    lower: Side,
    lower_shape: &Shape,
    higher_shape: &Shape,
    given: &[i64],
) -> Result<Vec<usize>, BroadcastError> {
    // B1: operands of different ranks need explicit dimensions.
    if given.is_empty() && lower_shape.rank() > 0 {
        let (lhs, rhs) = match lower {
            Side::Lhs => (lower_shape, higher_shape),
            Side::Rhs => (higher_shape, lower_shape),
        };
        return Err(BroadcastError::RanksDiffer { lhs: lhs.clone(), rhs: rhs.clone() });
    }
    // B2: one entry for each dimension of the lower-rank operand.
    if given.len() != lower_shape.rank() {
        return Err(BroadcastError::DimensionsLength {
            lower,
            lower_shape: lower_shape.clone(),
            higher_shape: higher_shape.clone(),
            given: given.to_vec(),
        });
    }
    let higher = lower.other();
    let mut map = Vec::with_capacity(given.len());
    for (index, &entry) in given.iter().enumerate() {
        // B3 and B4: an entry is a dimension of the higher-rank operand.
        let Ok(dimension) = usize::try_from(entry) else {
            let higher_shape = higher_shape.clone();
            if entry < 0 {
                return Err(BroadcastError::NegativeDimension {
                    index,
                    dimension: entry,
                    higher,
                    higher_shape,
                });
            }
            return Err(BroadcastError::DimensionTooLarge {
                index,
                dimension: entry,
                higher,
                higher_shape,
            });
        };
        if dimension >= higher_shape.rank() {
            return Err(BroadcastError::DimensionTooLarge {
                index,
                dimension: entry,
                higher,
                higher_shape: higher_shape.clone(),
            });
        }
        let (small, large) = (lower_shape.dims()[index], higher_shape.dims()[dimension]);
        // B5: matched dimensions have equal sizes, or one of them is 1.
        if small != large && small != 1 && large != 1 {
            return Err(BroadcastError::MatchedSizes {
                index,
                dimension,
                lower,
                lower_shape: lower_shape.clone(),
                higher_shape: higher_shape.clone(),
            });
        }
        // B6: the entries are strictly increasing.
        if map.last().is_some_and(|&before| before >= dimension) {
            return Err(BroadcastError::NotIncreasing { index, higher, given: given.to_vec() });
        }
        map.push(dimension);
    }
    Ok(map)
}

/// Checks rule B8 on sizes of equal rank and returns the result's; the shapes are for the message.
///
/// Size 0 against size 1 gives 0: the result takes the size other than 1, not the maximum.
fn degenerate(
    lhs: &Shape,
    rhs: &Shape,
    lhs_sizes: &[usize],
    rhs_sizes: &[usize],
) -> Result<Shape, BroadcastError> {
    let mut sizes = Vec::with_capacity(lhs_sizes.len());
    for (dimension, (&a, &b)) in lhs_sizes.iter().zip(rhs_sizes).enumerate() {
        if a != b && a != 1 && b != 1 {
            return Err(BroadcastError::Incompatible {
                dimension,
                lhs_size: a,
                rhs_size: b,
                lhs: lhs.clone(),
                rhs: rhs.clone(),
            });
        }
        sizes.push(if a == 1 { b } else { a });
    }
    Ok(Shape::from(sizes))
}

/// Checks rule S1 of select, clamp and next_after, and returns the common shape of the operands
/// that are not scalars.
pub(crate) fn one_shape<const N: usize>(
    operands: [(&'static str, &Shape); N],
) -> Result<Shape, BroadcastError> {
    let mut arrays = operands.iter().filter(|(_, shape)| shape.rank() > 0);
    let Some(&(first, first_shape)) = arrays.next() else {
        return Ok(Shape::scalar());
    };
    for &(later, later_shape) in arrays {
        if later_shape != first_shape {
            // The message names the operand that can be broadcast to the other's shape.
            let [(operand, shape), (other, other_shape)] = if can_become(first_shape, later_shape) {
                [(first, first_shape), (later, later_shape)]
            } else {
                [(later, later_shape), (first, first_shape)]
            };
            let (shape, other_shape) = (shape.clone(), other_shape.clone());
            return Err(BroadcastError::NotScalar { operand, shape, other, other_shape });
        }
    }
    Ok(first_shape.clone())
}

/// Checks rules D1 to D5 for an operand that is broadcast to a given output shape.
pub(crate) fn broadcast_in_dim(
    operand: &Shape,
    output: &Shape,
    given: &[i64],
) -> Result<(), BroadcastError> {
    // D1: a broadcast does not lower the rank.
    if operand.rank() > output.rank() {
        return Err(BroadcastError::RankTooSmall {
            operand: operand.clone(),
            output: output.clone(),
        });
    }
    // D2: one entry for each dimension of the operand.
    if given.len() != operand.rank() {
        return Err(BroadcastError::OutputDimensionsLength {
            operand: operand.clone(),
            given: given.to_vec(),
        });
    }
    let mut before = None;
    for (index, &entry) in given.iter().enumerate() {
        // D3: an entry is a dimension of the output.
        let dimension = match usize::try_from(entry) {
            Ok(dimension) if dimension < output.rank() => dimension,
            _ => {
                return Err(BroadcastError::OutputDimensionOutOfBounds {
                    index,
                    dimension: entry,
                    output: output.clone(),
                });
            }
        };
        let size = operand.dims()[index];
        // D4: each size is the output's, or 1.
        if size != 1 && size != output.dims()[dimension] {
            return Err(BroadcastError::OutputSizes {
                index,
                dimension,
                operand: operand.clone(),
                output: output.clone(),
            });
        }
        // D5: the entries are strictly increasing.
        if before >= Some(dimension) {
            return Err(BroadcastError::OutputNotIncreasing { index, given: given.to_vec() });
        }
        before = Some(dimension);
    }
    Ok(())
}

/// Checks NumPy's rule P1 on any number of shapes and returns their common broadcast shape.
///
/// Shapes are aligned at the last dimension; in each dimension, sizes other than 1 must be equal.
pub(crate) fn align_trailing(shapes: &[&Shape]) -> Result<Shape, BroadcastError> {
    let rank = shapes.iter().map(|s| s.rank()).max().unwrap_or(0);
    let mut sizes = vec![1; rank];
    for from_end in 1..=rank {
        let mut stretched_to: Option<(usize, usize)> = None;
        for (operand, shape) in shapes.iter().enumerate() {
            let Some(dimension) = shape.rank().checked_sub(from_end) else {
                continue;
            };
            let size = shape.dims()[dimension];
            match stretched_to {
                _ if size == 1 => {}
                None => stretched_to = Some((operand, size)),
                Some((other, other_size)) if size != other_size => {
                    return Err(BroadcastError::NotAligned {
                        shapes: shapes.iter().map(|&s| s.clone()).collect(),
                        from_end,
                        other,
                        other_size,
                        operand,
                        size,
                    });
                }
                Some(_) => {}
            }
        }
        if let Some((_, size)) = stretched_to {
            sizes[rank - from_end] = size;
        }
    }
    Ok(Shape::from(sizes))
}
