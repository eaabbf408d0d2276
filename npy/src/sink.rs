//! [`NpySink`]: a `.npy` file that is written in pieces.

use std::io::{self, Write};
use std::ops::Range;

use indim::{ChunkSink, ElementType, Shape};

use crate::error::NpyError;
use crate::writer::Writable;

/// Writes a `.npy` file of which the elements come in pieces, one after the other: version 1.0,
/// little-endian, C order. It is a sink of [`Context::chunked`](indim::Context::chunked).
#[derive(Debug)]
pub struct NpySink<W> {
    writer: W,
    /// The number of bytes that are yet to come.
    left: u64,
}

impl<W: Write> NpySink<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// It returns the errors of [`write()`](crate::write()).
    pub fn new(writer: W, element_type: ElementType, shape: &Shape) -> Result<Self, NpyError> {
        Self::begin(writer, Writable::new(element_type, shape)?)
    }

    /// Writes the header of an array that was checked.
    pub(crate) fn begin(mut writer: W, array: Writable<'_>) -> Result<Self, NpyError> {
        array.write_header(&mut writer)?;
        Ok(Self { writer, left: array.bytes })
    }

    /// Returns the writer, with all elements after the header.
    ///
    /// # Errors
    /// [`NpyError::Missing`] if elements are missing; [`NpyError::Write`].
    pub fn finish(mut self) -> Result<W, NpyError> {
        match self.left {
            0 => self.writer.flush().map_err(NpyError::Write).map(|()| self.writer),
            left => Err(NpyError::Missing(left)),
        }
    }
}

impl<W: Write> ChunkSink for NpySink<W> {
    fn write(&mut self, _: &[Range<usize>], bytes: &[u8]) -> io::Result<()> {
        let Some(left) = self.left.checked_sub(bytes.len() as u64) else {
            return Err(io::Error::other("more elements are written than the shape has"));
        };
        self.writer.write_all(bytes)?;
        self.left = left;
        Ok(())
    }
}
