//! The rules of pad and concatenate, in the order in which XLA's shape inference checks them
//! (`ShapeInference::InferPadShape` and `InferConcatOpShape`), and the rule of roll, which is
//! NumPy's and which XLA lacks.

use crate::semantics::data_movement::ViewError;
use crate::semantics::error::{Error, Result};
use crate::semantics::infer::{TensorType, differ, type_error};
use crate::semantics::opcode::Opcode;
use crate::semantics::shape::Shape;
use crate::semantics::type_error::TypeError;

/// The padding around and between the elements along one dimension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Padding {
    /// Elements before the first one; negative if elements are removed there.
    pub(crate) low: i64,
    /// Elements between two neighbours.
    pub(crate) interior: i64,
    /// The size of the result.
    pub(crate) size: usize,
}

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

/// Checks rule V8 on lists with one entry for each dimension, and returns the padding along each.
fn padding(
    operand: &Shape,
    low: &[i64],
    high: &[i64],
    interior: &[i64],
) -> std::result::Result<Vec<Padding>, ViewError> {
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
        let size = usize::try_from(padded).unwrap_or(usize::MAX);
        Ok(Padding { low, interior, size })
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

/// Checks rule V10, and returns how far elements move along each dimension: 0 or more, and less
/// than its size. Shifts along a repeated dimension add up, as in NumPy.
fn shifts_along(
    operand: &Shape,
    shifts: &[i64],
    dimensions: &[i64],
) -> std::result::Result<Vec<usize>, ViewError> {
    if shifts.len() != dimensions.len() {
        let (shifts, dimensions) = (shifts.len(), dimensions.len());
        return Err(ViewError::RollLength { shifts, dimensions });
    }
    let mut rolled = vec![0usize; operand.rank()];
    for (index, (&shift, &dimension)) in shifts.iter().zip(dimensions).enumerate() {
        let along = usize::try_from(dimension).ok().filter(|&d| d < operand.rank());
        let Some(along) = along else {
            let operand = operand.clone();
            return Err(ViewError::RollOutOfBounds { index, dimension, operand });
        };
        let size = operand.dims()[along] as i128;
        if size > 0 {
            let sum = rolled[along] as i128 + i128::from(shift);
            // The remainder is less than the size, which is a usize.
            rolled[along] = sum.rem_euclid(size) as usize;
        }
    }
    Ok(rolled)
}

/// Checks rules V7, T2, V8 and C1. Returns the shape of the result, and the padding along each
/// dimension.
pub(crate) fn pad(
    operand: TensorType<'_>,
    padding_value: TensorType<'_>,
    low: &[i64],
    high: &[i64],
    interior: &[i64],
) -> Result<(Shape, Vec<Padding>)> {
    let op = Opcode::Pad;
    let lists = [("low", low), ("high", high), ("interior", interior)];
    padding_lists(operand.shape, padding_value.shape, lists).map_err(Error::view(op.method()))?;
    if operand.element_type != padding_value.element_type {
        return Err(differ(op, ("operand", operand), ("padding_value", padding_value)));
    }
    let along = padding(operand.shape, low, high, interior);
    let padding = along.map_err(Error::view(op.method()))?;
    let shape = Shape::from(padding.iter().map(|along| along.size).collect::<Vec<_>>());
    shape.element_count().map_err(Error::shape(op.method()))?;
    Ok((shape, padding))
}

/// Checks rules V9, T2 and C1. Returns the shape of the result, and the dimension.
pub(crate) fn concatenate(operands: &[TensorType<'_>], dimension: i64) -> Result<(Shape, usize)> {
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
    Ok((shape, along))
}

/// Checks rule V10 and returns how far elements move along each dimension.
pub(crate) fn roll(
    operand: TensorType<'_>,
    shifts: &[i64],
    dimensions: &[i64],
) -> Result<Vec<usize>> {
    let rolled = shifts_along(operand.shape, shifts, dimensions);
    rolled.map_err(Error::view(Opcode::Roll.method()))
}
