//! The rules of pad and concatenate, in the order in which XLA's shape inference checks them
//! (`ShapeInference::InferPadShape` and `InferConcatOpShape`), and the rule of roll, which is
//! NumPy's and which XLA lacks.

use crate::semantics::data_movement::entry_of;
use crate::semantics::error::{Error, Result};
use crate::semantics::infer::{Inferred, TensorType, differ, type_error};
use crate::semantics::opcode::Opcode;
use crate::semantics::rule::Rule;
use crate::semantics::shape::Shape;
use crate::semantics::type_error::TypeError;
use crate::semantics::view_error::ViewError;

/// Checks the part of rule V7 that XLA checks before the element types.
fn padding_lists(
    operand: &Shape,
    padding_value: &Shape,
    lists: [(&'static str, &[i64]); 3],
) -> std::result::Result<(), ViewError> {
    if padding_value.rank() != 0 {
        return Err(ViewError::PaddingRank { padding_value: padding_value.clone() });
    }
    for (list, given) in lists {
        if given.len() != operand.rank() {
            let length = given.len();
            return Err(ViewError::PaddingLength { list, length, operand: operand.clone() });
        }
    }
    Ok(())
}

/// Checks rule V8 on lists with one entry for each dimension, and returns the sizes of the result.
fn padded_sizes(
    operand: &Shape,
    low: &[i64],
    high: &[i64],
    interior: &[i64],
) -> std::result::Result<Vec<usize>, ViewError> {
    if let Some(dimension) = interior.iter().position(|&interior| interior < 0) {
        return Err(ViewError::NegativeInterior { dimension, interior: interior[dimension] });
    }
    let edges = low.iter().zip(high).zip(interior);
    let along = |(dimension, (&size, ((&low, &high), &interior)))| {
        let between = (size as i128 - 1).max(0) * i128::from(interior);
        let padded = size as i128 + between + i128::from(low) + i128::from(high);
        if padded < 0 {
            let operand = operand.clone();
            return Err(ViewError::NegativePaddedSize { dimension, low, high, interior, operand });
        }
        // A size that overflows cannot be counted either.
        Ok(usize::try_from(padded).unwrap_or(usize::MAX))
    };
    operand.dims().iter().zip(edges).enumerate().map(along).collect()
}

/// Checks the part of rule V9 that XLA checks on all operands together. Returns the dimension.
fn concatenated_dimension(
    operands: &[&Shape],
    dimension: i64,
) -> std::result::Result<usize, ViewError> {
    let first = *operands.first().ok_or(ViewError::NothingToConcatenate)?;
    usize::try_from(dimension)
        .ok()
        .filter(|&d| d < first.rank())
        .ok_or_else(|| ViewError::ConcatenateOutOfBounds { dimension, operand: first.clone() })
}

/// Checks rule V9 on one operand and the first one.
fn same_but_along(
    dimension: usize,
    first: &Shape,
    index: usize,
    operand: &Shape,
) -> std::result::Result<(), ViewError> {
    let (first, operand) = (first.clone(), operand.clone());
    if operand.rank() != first.rank() {
        return Err(ViewError::ConcatenateRank { index, operand, first });
    }
    let differs = |&d: &usize| d != dimension && operand.dims()[d] != first.dims()[d];
    match (0..first.rank()).find(differs) {
        Some(differs) => {
            Err(ViewError::ConcatenateSize { index, operand, first, differs, dimension })
        }
        None => Ok(()),
    }
}

/// Checks rules V7, T2, V8 and C1.
pub(crate) fn pad(
    operand: TensorType<'_>,
    padding_value: TensorType<'_>,
    low: &[i64],
    high: &[i64],
    interior: &[i64],
) -> Result<Inferred> {
    let op = Opcode::Pad;
    let lists = [("low", low), ("high", high), ("interior", interior)];
    padding_lists(operand.shape, padding_value.shape, lists).map_err(Error::view(op.method()))?;
    if operand.element_type != padding_value.element_type {
        return Err(differ(op, ("operand", operand), ("padding_value", padding_value)));
    }
    let sizes = padded_sizes(operand.shape, low, high, interior);
    let shape = Shape::from(sizes.map_err(Error::view(op.method()))?);
    shape.element_count().map_err(Error::shape(op.method()))?;
    if !shape.dims().contains(&0) && !operand.shape.dims().contains(&0) {
        let groups = padded_groups(operand.shape, interior, &shape);
        groups.element_count().map_err(Error::shape(op.method()))?;
    }
    Ok(Inferred { element_type: operand.element_type, shape })
}

/// Returns the shape of a padded array, rounded up to whole groups of an element and the interior
/// amount, along two dimensions for each in which there is something between elements.
pub fn padded_groups(operand: &Shape, interior: &[i64], result: &Shape) -> Shape {
    let mut grouped = Vec::with_capacity(result.rank());
    for ((&size, &interior), &padded) in operand.dims().iter().zip(interior).zip(result.dims()) {
        let group = group_size(size, interior);
        grouped.push(padded.div_ceil(group));
        if group > 1 {
            grouped.push(group);
        }
    }
    Shape::from(grouped)
}

/// Returns the number of elements of a padded array from one of a dimension of this size to the
/// next. A dimension of one element has nothing between its elements.
pub fn group_size(size: usize, interior: i64) -> usize {
    // Sizes of arrays are signed numbers, so groups that are too large cannot be counted.
    let group = usize::try_from(interior.saturating_add(1)).unwrap_or(usize::MAX);
    if size > 1 { group } else { 1 }
}

/// Checks rules V9, T2 and C1.
pub(crate) fn concatenate(operands: &[TensorType<'_>], dimension: i64) -> Result<Inferred> {
    let op = Opcode::Concatenate;
    let shapes: Vec<&Shape> = operands.iter().map(|operand| operand.shape).collect();
    let along = concatenated_dimension(&shapes, dimension);
    let along = along.map_err(Error::view(op.method()))?;
    let mut dims: Vec<usize> = Vec::new();
    for (index, operand) in operands.iter().enumerate() {
        let (found, first) = (operand.element_type, operands[0].element_type);
        let fits = same_but_along(along, shapes[0], index, operand.shape);
        // XLA checks the element type of each operand after its rank and before its sizes.
        if found != first && !matches!(fits, Err(ViewError::ConcatenateRank { .. })) {
            return Err(type_error(op, TypeError::DifferFromFirst { index, found, first }));
        }
        fits.map_err(Error::view(op.method()))?;
        match dims.get_mut(along) {
            Some(size) => *size = size.saturating_add(operand.shape.dims()[along]),
            None => dims = operand.shape.dims().to_vec(),
        }
    }
    let shape = Shape::from(dims);
    shape.element_count().map_err(Error::shape(op.method()))?;
    // Without an operand, rule V9 is broken.
    Ok(Inferred { element_type: operands[0].element_type, shape })
}

/// Checks rule V10.
pub(crate) fn roll(
    operand: TensorType<'_>,
    shifts: &[i64],
    dimensions: &[i64],
) -> Result<Inferred> {
    if shifts.len() != dimensions.len() {
        return Err(Error::view(Opcode::Roll.method())(ViewError::Lengths {
            lists: ["shifts", "dimensions"],
            lengths: [shifts.len(), dimensions.len()],
            remedy: "give one shift for each dimension, or reshape to rank 1 to roll all elements in their order",
            rule: Rule::V10,
        }));
    }
    for entry in dimensions.iter().copied().enumerate() {
        entry_of(("dimensions", Rule::V10), entry, operand.shape)
            .map_err(Error::view(Opcode::Roll.method()))?;
    }
    Ok(Inferred { element_type: operand.element_type, shape: operand.shape.clone() })
}

/// Returns how far elements move along each dimension: 0 or more, and less than its size. Shifts
/// along a repeated dimension add up, as in NumPy.
pub fn rolled(operand: &Shape, shifts: &[i64], dimensions: &[i64]) -> Vec<usize> {
    let mut rolled = vec![0usize; operand.rank()];
    for (&shift, &dimension) in shifts.iter().zip(dimensions) {
        let (along, size) = (dimension as usize, operand.dims()[dimension as usize] as i128);
        if size > 0 {
            let sum = rolled[along] as i128 + i128::from(shift);
            // The remainder is less than the size, which is a usize.
            rolled[along] = sum.rem_euclid(size) as usize;
        }
    }
    rolled
}
