//! Reads and writes `.npy` and `.npz` files, NumPy's formats for arrays, as [`Literal`]s of `indim`.
//!
//! [`read`] and [`write()`] take one array from a reader and to a writer, [`read_file`] and
//! [`write_file`] from and to a path. [`NpyReader`] gives an array's type and shape before reading
//! the elements. [`NpzReader`] and [`NpzWriter`] are for archives of arrays by name.
//!
//! Files that are larger than memory are read and written in pieces: [`NpySource`], [`NpySink`] and
//! [`NpzMember`] are sources and sinks of [`Context::chunked`](indim::Context::chunked).
//!
//! ```
//! use indim::Literal;
//!
//! let x = Literal::from_slice([3], &[1i32, 2, 3])?;
//! let mut file = Vec::new();
//! indim_npy::write(&mut file, &x)?;
//! assert_eq!(indim_npy::read(&mut file.as_slice())?, x);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! No contents of a file make a function here panic, or allocate memory for bytes that are missing.
//! A compressed array of an archive may unpack to a thousand times the archive's size:
//! [`NpzReader`] reads no more than the caller allows, and [`NpyPieces::read_all`] no more than
//! [`NpyPieces::size_in_bytes`], which the caller can check first.

#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        reason = "a test fails by panicking"
    )
)]

mod bytes;
mod dtype;
mod elements;
mod error;
mod header;
mod npz;
mod pieces;
mod reader;
mod sink;
mod target;
mod writer;

use std::fs::File;
use std::io::{self, BufWriter, Read};
use std::path::Path;

use indim::Literal;

use writer::Writable;

pub use dtype::Dtype;
pub use error::NpyError;
pub use npz::{Compression, NpzMember, NpzReader, NpzWriter};
pub use pieces::{NpyPieces, NpySource};
pub use reader::{Contents, NpyReader};
pub use sink::NpySink;
pub use writer::{check_shape, write};

/// Reads an array from a reader, up to the array's last byte, so that several consecutive arrays
/// can be read.
///
/// # Errors
/// [`NpyError`], but [`NpyError::Open`] and those of writing and of archives.
pub fn read(reader: &mut impl Read) -> Result<Literal, NpyError> {
    NpyReader::new(reader)?.read_literal()
}

/// Reads the array of a file. Bytes after the array are ignored.
///
/// # Errors
/// [`NpyError`], but those of writing and of archives.
pub fn read_file(path: impl AsRef<Path>) -> Result<Literal, NpyError> {
    NpyReader::open(path.as_ref())?.read_literal()
}

/// Writes an array to a file, replacing an existing one.
///
/// # Errors
/// It returns the same errors as [`write()`], of which none leaves a new file; and
/// [`NpyError::Write`] where the file cannot be made.
pub fn write_file(path: impl AsRef<Path>, literal: &Literal) -> Result<(), NpyError> {
    let array = Writable::new(literal.element_type(), literal.shape())?;
    let file = File::create(path).map_err(NpyError::Write)?;
    let mut writer = BufWriter::new(file);
    array.write(&mut writer, literal.bytes())?;
    writer.into_inner().map_err(io::IntoInnerError::into_error).map_err(NpyError::Write)?;
    Ok(())
}

/// Runs the page's example as a doc test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
