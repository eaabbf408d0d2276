//! Writes `.npy` files.

use std::io::Write;

use indim::{ElementType, Literal, Shape};
use npyz::{DType, WriteOptions, WriterBuilder};

use crate::dtype::Dtype;
use crate::error::NpyError;

/// The longest shape that is written: version 1.0 has a header's length in 16 bits, and what stands
/// around the shape takes some of it.
const MAX_WRITTEN_SHAPE: usize = (1 << 16) - 256;

/// Writes an array: version 1.0, little-endian, C order.
///
/// # Errors
/// [`NpyError::NoDtype`] for BF16, S4 and U4; [`NpyError::Rank`] and [`NpyError::Shape`] by
/// [`check_shape`]; [`NpyError::Write`].
pub fn write(mut writer: impl Write, literal: &Literal) -> Result<(), NpyError> {
    write_header(&mut writer, literal.element_type(), literal.shape())?;
    writer.write_all(literal.bytes()).map_err(NpyError::Write)
}

/// Writes what stands in front of the elements.
pub(crate) fn write_header(
    writer: &mut impl Write,
    element_type: ElementType,
    shape: &Shape,
) -> Result<(), NpyError> {
    let dtype = check(element_type, shape)?;
    let dtype = dtype.descr().parse().map_err(|_| NpyError::NoDtype(element_type))?;
    let shape: Vec<u64> = shape.dims().iter().map(|&size| size as u64).collect();
    let options = WriteOptions::new_header_only().dtype(DType::new_scalar(dtype)).shape(&shape);
    options.writer(writer).write_header_only().map_err(NpyError::Write)?;
    Ok(())
}

/// Checks that an array can be written, and returns the type of its elements.
pub(crate) fn check(element_type: ElementType, shape: &Shape) -> Result<Dtype, NpyError> {
    let dtype = Dtype::of(element_type).ok_or(NpyError::NoDtype(element_type))?;
    check_shape(shape)?;
    Ok(dtype)
}

/// Checks that an array of this shape can be written.
///
/// # Errors
/// [`NpyError::Rank`] where the header has no room for so many sizes; [`NpyError::Shape`] where the
/// product of the sizes other than 0 cannot be counted, which readers of the format multiply.
pub fn check_shape(shape: &Shape) -> Result<(), NpyError> {
    let sizes = shape.dims();
    let letters = |&size: &usize| size.checked_ilog10().unwrap_or(0) as usize + "1, ".len();
    if sizes.iter().map(letters).sum::<usize>() > MAX_WRITTEN_SHAPE {
        return Err(NpyError::Rank { rank: sizes.len() });
    }
    // npyz multiplies the sizes one by one, before a 0 among them is met, and would panic.
    match sizes.iter().try_fold(1u64, |n, &size| n.checked_mul(size.max(1) as u64)) {
        Some(_) => Ok(()),
        None => Err(NpyError::Shape(shape.clone())),
    }
}
