//! XLA's rules for transpose, slice, reverse and reshape, on shapes alone, in the order in which
//! XLA's shape inference checks them. Each function returns the result's shape, or the
//! [`ViewError`] of the broken rule.

use crate::semantics::hash::FastSet;

use crate::semantics::dims::Dims as _;
use crate::semantics::rule::Rule;
use crate::semantics::shape::Shape;
use crate::semantics::view_error::ViewError;

/// Returns the dimension of the operand that an entry of a list names, as its rule asks.
pub(crate) fn entry_of(
    (list, rule): (&'static str, Rule),
    (index, dimension): (usize, i64),
    operand: &Shape,
) -> Result<usize, ViewError> {
    let known = usize::try_from(dimension).ok().filter(|&known| known < operand.rank());
    known.ok_or_else(|| {
        let operand = operand.clone();
        ViewError::OutOfBounds { list, index, dimension, operand, rule }
    })
}

/// Checks rule V1. Dimension i of the result is dimension `permutation[i]` of the operand.
pub(crate) fn transpose(operand: &Shape, permutation: &[i64]) -> Result<Shape, ViewError> {
    let given = || permutation.to_vec();
    if permutation.len() != operand.rank() {
        return Err(ViewError::PermutationLength { operand: operand.clone(), given: given() });
    }
    let mut taken = vec![false; operand.rank()];
    let mut dims = Vec::with_capacity(operand.rank());
    for (index, &entry) in permutation.iter().enumerate() {
        let dimension = entry_of(("permutation", Rule::V1), (index, entry), operand)?;
        if std::mem::replace(&mut taken[dimension], true) {
            return Err(ViewError::PermutationRepeats { index, given: given() });
        }
        dims.push(operand.dims()[dimension]);
    }
    Ok(Shape::from(dims))
}

/// Checks rules V2, V3 and V4.
pub(crate) fn slice(
    operand: &Shape,
    starts: &[i64],
    limits: &[i64],
    strides: &[i64],
) -> Result<Shape, ViewError> {
    for (list, given) in
        [("start_indices", starts), ("limit_indices", limits), ("strides", strides)]
    {
        if given.len() != operand.rank() {
            let length = given.len();
            return Err(ViewError::SliceLength { list, length, operand: operand.clone() });
        }
    }
    let mut dims = Vec::with_capacity(operand.rank());
    for (dimension, &size) in operand.dims().iter().enumerate() {
        let (first, last, stride) = (starts[dimension], limits[dimension], strides[dimension]);
        let Ok(start) = usize::try_from(first) else {
            let operand = operand.clone();
            return Err(ViewError::NegativeStart { dimension, start: first, operand });
        };
        if i128::from(last) > size as i128 {
            let operand = operand.clone();
            return Err(ViewError::LimitTooLarge { dimension, limit: last, operand });
        }
        let limit = usize::try_from(last).ok().filter(|&limit| start <= limit);
        let Some(limit) = limit else {
            return Err(ViewError::StartBeyondLimit { dimension, start: first, limit: last });
        };
        let step = usize::try_from(stride).ok().filter(|&step| step > 0);
        let Some(step) = step else {
            return Err(ViewError::SliceStride { dimension, stride });
        };
        dims.push((limit - start).div_ceil(step));
    }
    Ok(Shape::from(dims))
}

/// Checks rule V3. Returns the starts, limits and remaining sizes of the slice that is taken.
pub(crate) fn index(
    operand: &Shape,
    dimension: i64,
    index: i64,
) -> Result<[Vec<i64>; 3], ViewError> {
    let known = usize::try_from(dimension).ok().filter(|&known| known < operand.rank());
    let Some(known) = known else {
        return Err(ViewError::IndexDimension { dimension, operand: operand.clone() });
    };
    let mut sizes = operand.to_signed().into_owned();
    if !(0..sizes[known]).contains(&index) {
        let operand = operand.clone();
        return Err(ViewError::IndexOutOfBounds { index, dimension: known, operand });
    }
    let (mut starts, mut limits) = (vec![0; sizes.len()], sizes.clone());
    (starts[known], limits[known]) = (index, index + 1);
    sizes.remove(known);
    Ok([starts, limits, sizes])
}

/// Checks rule V5.
pub(crate) fn reverse(operand: &Shape, dimensions: &[i64]) -> Result<Shape, ViewError> {
    // A hash set, since the list may be far longer than the rank.
    let mut known = FastSet::default();
    for (index, dimension) in dimensions.iter().enumerate() {
        if !known.insert(dimension) {
            return Err(ViewError::ReverseRepeats { index, given: dimensions.to_vec() });
        }
    }
    for (index, &dimension) in dimensions.iter().enumerate() {
        entry_of(("dimensions", Rule::V5), (index, dimension), operand)?;
    }
    Ok(operand.clone())
}

/// Checks rule V6 on shapes whose elements can be counted.
pub(crate) fn reshape(operand: &Shape, result: Shape) -> Result<Shape, ViewError> {
    if operand.element_count() != result.element_count() {
        return Err(ViewError::ElementCounts { operand: operand.clone(), result });
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn a_long_list_takes_linear_time() {
        let begin = Instant::now();
        let given: Vec<i64> = (0..1_000_000).collect();
        let refused = reverse(&Shape::from([2]), &given).unwrap_err();
        assert!(matches!(refused, ViewError::OutOfBounds { index: 1, .. }), "{refused:?}");
        // The limit is hundreds of times the linear cost, and far below a quadratic one.
        assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    }

    #[test]
    fn many_sizes_that_do_not_fit_take_linear_time() {
        let begin = Instant::now();
        for (odd_one, says) in [
            (1, "a reshape keeps every element, so choose sizes whose product is the same"),
            (2, "with size 3 in dimension 999999 there are as many"),
            (0, "with size 6 in dimension 500000 there are as many"),
            (usize::MAX, "with size 6 in dimension 500000 there are as many"),
        ] {
            let mut sizes = vec![1; 1_000_000];
            sizes[500_000] = odd_one;
            // With two wrong sizes, changing one is not enough.
            sizes[0] = if odd_one == 1 { 5 } else { 1 };
            sizes[999_999] = if odd_one == 1 { 7 } else { 1 };
            let refused = reshape(&Shape::from([6]), Shape::from(sizes)).unwrap_err();
            assert!(refused.to_string().ends_with(says), "{odd_one}");
        }
        assert!(begin.elapsed() < Duration::from_secs(20), "{:?}", begin.elapsed());
    }
}
