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
pub fn write(writer: impl Write, literal: &Literal) -> Result<(), NpyError> {
    Writable::new(literal.element_type(), literal.shape())?.write(writer, literal.bytes())
}

/// The type and the shape of an array that a file can hold.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Writable<'a> {
    dtype: Dtype,
    shape: &'a Shape,
    /// The number of bytes that the elements take.
    pub(crate) bytes: u64,
}

impl<'a> Writable<'a> {
    /// Checks that an array can be written.
    pub(crate) fn new(element_type: ElementType, shape: &'a Shape) -> Result<Self, NpyError> {
        let dtype = Dtype::of(element_type).ok_or(NpyError::NoDtype(element_type))?;
        check_shape(shape)?;
        let count = shape.element_count().map_err(|_| NpyError::Shape(shape.clone()))?;
        let bytes = (count as u64).saturating_mul(dtype.size() as u64);
        Ok(Self { dtype, shape, bytes })
    }

    /// Writes the bytes before the elements.
    pub(crate) fn write_header(self, writer: &mut impl Write) -> Result<(), NpyError> {
        let descr = self.dtype.descr();
        let dtype = descr.parse().map_err(|_| NpyError::Dtype(descr))?;
        let shape: Vec<u64> = self.shape.dims().iter().map(|&size| size as u64).collect();
        let options = WriteOptions::new_header_only().dtype(DType::new_scalar(dtype)).shape(&shape);
        options.writer(writer).write_header_only().map_err(NpyError::Write)?;
        Ok(())
    }

    /// Writes the header and all elements.
    pub(crate) fn write(self, mut writer: impl Write, elements: &[u8]) -> Result<(), NpyError> {
        self.write_header(&mut writer)?;
        writer.write_all(elements).map_err(NpyError::Write)
    }
}

/// Checks that an array of this shape can be written.
///
/// # Errors
/// [`NpyError::Rank`] if the sizes do not fit into the header; [`NpyError::Shape`] where the
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
