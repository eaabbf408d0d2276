//! Finds the operands from which each element of an operation's result is computed.

use super::line::Case;
use crate::host_array::HostArray;

/// For each operand its elements' bits, one for each element of a result of this shape, in
/// row-major order. None for an operation that has no such operands, or whose operands do not
/// broadcast to the shape.
pub fn seen_from(case: &Case, shape: &[usize]) -> Option<Vec<Vec<u64>>> {
    match case {
        Case::Unary { operand, .. } | Case::Convert { operand, .. } => {
            Some(vec![spread(operand, shape, &[])?])
        }
        Case::Binary { lhs, rhs, broadcast_dimensions, .. } => {
            let spread = |operand| spread(operand, shape, broadcast_dimensions);
            Some(vec![spread(lhs)?, spread(rhs)?])
        }
        _ => None,
    }
}

/// XLA's broadcasting: dimension i of an operand of lower rank lies along dimension
/// `broadcast_dimensions[i]` of the result, of an operand of the same rank along dimension i; and
/// where the operand's size is 1, its only element is everywhere along it.
fn spread(operand: &HostArray, shape: &[usize], broadcast_dimensions: &[i64]) -> Option<Vec<u64>> {
    let rank = operand.shape.len();
    let along: Vec<usize> = if rank == shape.len() {
        (0..rank).collect()
    } else {
        broadcast_dimensions.iter().map(|&d| usize::try_from(d)).collect::<Result<_, _>>().ok()?
    };
    if along.len() != rank {
        return None;
    }
    let count: usize = shape.iter().product();
    (0..count)
        .map(|place| {
            let mut index = 0;
            for (&size, &dimension) in operand.shape.iter().zip(&along) {
                let step: usize = shape.get(dimension + 1..)?.iter().product();
                let position = place / step % shape[dimension];
                index = index * size + if size == 1 { 0 } else { position };
            }
            operand.bits.get(index).copied()
        })
        .collect()
}
