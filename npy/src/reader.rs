//! [`NpyReader`]: a `.npy` file of which the header has been read, and then the elements.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use indim::{Literal, Shape};

use crate::dtype::Dtype;
use crate::error::NpyError;
use crate::header::Header;

/// A `.npy` file of which the header has been read, and the elements have not.
#[derive(Debug)]
pub struct NpyReader<R> {
    header: Header,
    reader: R,
    /// The number of bytes behind the header, where that can be known.
    remaining: Option<u64>,
}

/// The elements of a file, row-major and little-endian, in its own type.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Contents {
    /// The elements' bytes.
    pub bytes: Vec<u8>,
    /// The number of bytes behind the array, which are ignored; 0 where it is unknown.
    pub left_over: u64,
}

impl NpyReader<BufReader<File>> {
    /// Opens a file and reads its header. A file that is too short for what the header claims is
    /// refused here.
    ///
    /// # Errors
    /// [`NpyError::Open`], and those of [`NpyReader::new`].
    pub fn open(path: &Path) -> Result<Self, NpyError> {
        let file = File::open(path).map_err(NpyError::Open)?;
        let metadata = file.metadata().map_err(NpyError::Open)?;
        // Only a file has a length; a pipe has none that is known.
        Self::with_length(BufReader::new(file), metadata.is_file().then_some(metadata.len()))
    }
}

impl<R: Read> NpyReader<R> {
    /// Reads the header of an array from a reader, which is read no further than the array's last
    /// byte.
    ///
    /// # Errors
    /// [`NpyError::Read`], [`NpyError::NotNpy`], [`NpyError::Header`], [`NpyError::Dtype`],
    /// [`NpyError::Raw`], [`NpyError::Uncountable`].
    pub fn new(reader: R) -> Result<Self, NpyError> {
        Self::with_length(reader, None)
    }

    /// Does as [`NpyReader::new`], for a reader that is known to have so many bytes.
    fn with_length(mut reader: R, length: Option<u64>) -> Result<Self, NpyError> {
        let header = Header::read(&mut reader)?;
        let remaining = length.map(|length| length.saturating_sub(header.bytes));
        let expected = header.size_in_bytes()?;
        match remaining {
            Some(found) if found < expected as u64 => Err(header.truncated(expected, found)),
            _ => Ok(Self { header, reader, remaining }),
        }
    }

    /// Returns the type of the elements.
    pub fn dtype(&self) -> Dtype {
        self.header.dtype
    }

    /// Returns the shape.
    pub fn shape(&self) -> &Shape {
        &self.header.shape
    }

    /// Returns the size of the elements in bytes, as the header claims it.
    pub fn size_in_bytes(&self) -> usize {
        // It was counted when the header was read.
        self.header.size_in_bytes().unwrap_or(usize::MAX)
    }

    /// Reads the elements in the file's own type, also where `indim` lacks it.
    ///
    /// # Errors
    /// [`NpyError::Read`], [`NpyError::Truncated`], [`NpyError::Memory`].
    pub fn read_contents(mut self) -> Result<Contents, NpyError> {
        let dtype = self.header.dtype;
        let expected = self.header.size_in_bytes()?;
        let mut bytes = Vec::new();
        if self.remaining.is_some() {
            bytes.try_reserve_exact(expected).map_err(|_| NpyError::Memory(expected))?;
        }
        // Where the length is unknown, the list grows with the bytes that really come.
        let mut elements = self.reader.by_ref().take(expected as u64);
        elements.read_to_end(&mut bytes).map_err(NpyError::Read)?;
        if bytes.len() < expected {
            return Err(self.header.truncated(expected, bytes.len() as u64));
        }
        if self.header.big_endian {
            bytes.chunks_exact_mut(dtype.size() / dtype.parts()).for_each(<[u8]>::reverse);
        }
        if self.header.fortran && self.header.shape.rank() > 1 {
            bytes = row_major(&bytes, &self.header.shape, dtype.size())?;
        }
        let left_over = self.remaining.map_or(0, |remaining| remaining - expected as u64);
        Ok(Contents { bytes, left_over })
    }

    /// Reads the elements as a literal.
    ///
    /// # Errors
    /// [`NpyError::NoElementType`] for complex128, and those of [`NpyReader::read_contents`].
    pub fn read_literal(self) -> Result<Literal, NpyError> {
        let dtype = self.header.dtype;
        let element_type = dtype.element_type().ok_or(NpyError::NoElementType(dtype))?;
        let shape = self.header.shape.clone();
        let contents = self.read_contents()?;
        Literal::new(element_type, shape, contents.bytes).map_err(|_| NpyError::Uncountable)
    }
}

/// Returns elements of `size` bytes, stored with the first index fastest, in row-major order.
fn row_major(stored: &[u8], shape: &Shape, size: usize) -> Result<Vec<u8>, NpyError> {
    let sizes = shape.dims();
    let mut strides = Vec::with_capacity(sizes.len());
    let mut step = size;
    for &n in sizes {
        strides.push(step);
        step = step.saturating_mul(n);
    }
    let mut out = Vec::new();
    out.try_reserve_exact(stored.len()).map_err(|_| NpyError::Memory(stored.len()))?;
    let mut index = vec![0; sizes.len()];
    let mut at = 0;
    while out.len() < stored.len() {
        out.extend_from_slice(&stored[at..at + size]);
        for d in (0..sizes.len()).rev() {
            index[d] += 1;
            at += strides[d];
            if index[d] < sizes[d] {
                break;
            }
            at -= strides[d] * sizes[d];
            index[d] = 0;
        }
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fortran_order_becomes_row_major() {
        // The columns of [[0, 1, 2], [3, 4, 5]] one after the other.
        let out = row_major(&[0, 3, 1, 4, 2, 5], &Shape::from([2, 3]), 1);
        assert_eq!(out.unwrap_or_default(), [0, 1, 2, 3, 4, 5]);
        let out = row_major(&[0, 4, 2, 6, 1, 5, 3, 7], &Shape::from([2, 2, 2]), 1);
        assert_eq!(out.unwrap_or_default(), [0, 1, 2, 3, 4, 5, 6, 7]);
    }
}
