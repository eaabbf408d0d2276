//! [`NpyReader`]: a `.npy` file whose header is read first, and then the elements.

use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use indim::{Literal, Shape};

use crate::dtype::Dtype;
use crate::elements;
use crate::error::NpyError;
use crate::header::Header;

/// A `.npy` file whose header has been read, but not its elements.
#[derive(Debug)]
pub struct NpyReader<R> {
    header: Header,
    reader: R,
    /// The number of bytes after the array, if known.
    left_over: Option<u64>,
}

/// The elements of a file, row-major and little-endian, in its own type.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Contents {
    /// The elements' bytes.
    pub bytes: Vec<u8>,
    /// The number of bytes after the array, which are ignored; 0 if unknown.
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
        // Only a file has a length; that of a pipe is unknown.
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

    /// Version of [`NpyReader::new`] for a reader with a known number of bytes.
    fn with_length(mut reader: R, length: Option<u64>) -> Result<Self, NpyError> {
        let header = Header::read(&mut reader)?;
        let left_over = length.map(|length| header.left_over(length)).transpose()?;
        Ok(Self { header, reader, left_over })
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
        self.header.size
    }

    /// Reads the elements in the file's own type, also where `indim` lacks it.
    ///
    /// # Errors
    /// [`NpyError::Read`], [`NpyError::Truncated`], [`NpyError::Memory`].
    pub fn read_contents(self) -> Result<Contents, NpyError> {
        let Self { header, reader, left_over } = self;
        let stored = elements::read(&header, reader, left_over.is_some())?;
        let bytes = elements::in_order(&header, stored)?;
        Ok(Contents { bytes, left_over: left_over.unwrap_or(0) })
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
