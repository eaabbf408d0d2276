//! `.npz` files: archives of `.npy` files, each an array under a name.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::ops::Range;
use std::path::Path;

use indim::{ChunkSink, ElementType, Literal, Shape};
use zip::result::ZipError;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::error::NpyError;
use crate::reader::NpyReader;
use crate::sink::NpySink;
use crate::target::Target;
use crate::writer::Writable;

/// The end of the file names in an archive, which follows the names of arrays.
const SUFFIX: &str = ".npy";

/// Files of at least this many bytes, with room for a header, need the Zip64 fields for their size.
const LARGE: u64 = u32::MAX as u64 - (1 << 20);

/// Reads the arrays of a `.npz` file by their names, as `np.savez` and `np.savez_compressed` write
/// it.
///
/// An archive may unpack to far more than its own size. So the caller sets a limit for the total
/// bytes of the arrays that are read, and an array beyond it is rejected before it is unpacked.
pub struct NpzReader<R> {
    archive: ZipArchive<R>,
    limit: u64,
    left: u64,
}

impl<R> fmt::Debug for NpzReader<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NpzReader({} of {} bytes are left)", self.left, self.limit)
    }
}

impl NpzReader<BufReader<File>> {
    /// Opens an archive, of which arrays of `limit` bytes in all may be read.
    ///
    /// # Errors
    /// [`NpyError::Open`], [`NpyError::Read`], [`NpyError::Archive`].
    pub fn open(path: impl AsRef<Path>, limit: u64) -> Result<Self, NpyError> {
        let file = File::open(path).map_err(NpyError::Open)?;
        Self::new(BufReader::new(file), limit)
    }
}

impl<R: Read + Seek> NpzReader<R> {
    /// Reads the list of an archive, of which arrays of `limit` bytes in all may be read.
    ///
    /// # Errors
    /// [`NpyError::Read`], [`NpyError::Archive`].
    pub fn new(reader: R, limit: u64) -> Result<Self, NpyError> {
        let archive = ZipArchive::new(reader).map_err(refused)?;
        Ok(Self { archive, limit, left: limit })
    }

    /// Returns the names of the arrays, in the order of the archive. Files whose names do not end
    /// in `.npy`, or are not UTF-8, are not arrays.
    pub fn names(&self) -> Vec<String> {
        names(&self.archive)
    }

    /// Reads the array of this name. The size of its elements is deducted from the limit.
    ///
    /// # Errors
    /// [`NpyError::NoArray`]; [`NpyError::Limit`]; [`NpyError::Array`] with the reason why it is
    /// not an array; [`NpyError::Archive`] if it is encrypted, compressed in another way than
    /// deflate, or broken.
    pub fn read(&mut self, name: &str) -> Result<Literal, NpyError> {
        let index = index_of(&self.archive, name)?;
        let mut file = self.archive.by_index(index).map_err(refused)?;
        let array = NpyReader::new(&mut file).map_err(NpyError::of(name))?;
        let bytes = array.size_in_bytes() as u64;
        if bytes > self.left {
            let (left, limit) = (self.left, self.limit);
            return Err(NpyError::Limit { name: name.to_owned(), bytes, left, limit });
        }
        let literal = array.read_literal().map_err(NpyError::of(name))?;
        // The checksum is compared at the end of the file, so read to the end.
        match file.read(&mut [0]) {
            Ok(0) => (),
            Ok(_) => return Err(behind(name)),
            Err(error) => return Err(NpyError::of(name)(NpyError::Read(error))),
        }
        self.left -= bytes;
        Ok(literal)
    }

    /// Reads all arrays with their names, in the order of the archive.
    ///
    /// # Errors
    /// It returns the same errors as [`NpzReader::read`].
    pub fn read_all(&mut self) -> Result<Vec<(String, Literal)>, NpyError> {
        let names = self.names();
        names.into_iter().map(|name| self.read(&name).map(|array| (name, array))).collect()
    }
}

/// The way in which an archive's arrays are stored.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Compression {
    /// Members are stored as they are, as by `np.savez`.
    #[default]
    Stored,
    /// Members are compressed by deflate, as by `np.savez_compressed`.
    Deflated,
}

/// Writes a `.npz` file, an archive of arrays by name, which `np.load` reads.
pub struct NpzWriter<W: Write + Seek> {
    archive: ZipWriter<Target<W>>,
    compression: Compression,
}

impl<W: Write + Seek> fmt::Debug for NpzWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NpzWriter({:?})", self.compression)
    }
}

impl NpzWriter<BufWriter<File>> {
    /// Creates a file, replacing an existing one.
    ///
    /// # Errors
    /// [`NpyError::Write`].
    pub fn create(path: impl AsRef<Path>, compression: Compression) -> Result<Self, NpyError> {
        let file = File::create(path).map_err(NpyError::Write)?;
        Ok(Self::new(BufWriter::new(file), compression))
    }
}

impl<W: Write + Seek> NpzWriter<W> {
    /// Begins an archive.
    pub fn new(writer: W, compression: Compression) -> Self {
        Self { archive: ZipWriter::new(Target::new(writer)), compression }
    }

    /// Adds an array under a name.
    ///
    /// # Errors
    /// [`NpyError::Array`] with the reason why the array cannot be written; [`NpyError::Archive`]
    /// if there is an array of this name already; [`NpyError::Write`].
    pub fn write(&mut self, name: &str, literal: &Literal) -> Result<(), NpyError> {
        let array = self.start(name, literal.element_type(), literal.shape())?;
        array.write(&mut self.archive, literal.bytes()).map_err(NpyError::of(name))
    }

    /// Begins an array whose elements come in pieces, one after the other. All of them have to come
    /// before [`NpzMember::finish`].
    ///
    /// # Errors
    /// It returns the errors of [`NpzWriter::write`].
    pub fn member(
        &mut self,
        name: &str,
        element_type: ElementType,
        shape: &Shape,
    ) -> Result<NpzMember<'_, W>, NpyError> {
        let array = self.start(name, element_type, shape)?;
        let sink = NpySink::begin(&mut self.archive, array);
        Ok(NpzMember { sink: sink.map_err(NpyError::of(name))?, name: name.to_owned() })
    }

    /// Copies the files of another archive as they are stored there, except the arrays of these
    /// names, which are to be replaced. Nothing is unpacked, and no checksum is compared.
    ///
    /// # Errors
    /// [`NpyError::Read`], or [`NpyError::Archive`] if the other one is not an archive or is
    /// broken, or if this one has a file of the same name already; [`NpyError::Write`], also where
    /// the other one cannot be read to its end.
    pub fn copy_others<R: Read + Seek>(&mut self, from: R, but: &[&str]) -> Result<(), NpyError> {
        let comment = self.copy(from, but, false)?;
        self.archive.set_raw_comment(comment).map_err(unwritten)
    }

    /// Copies the arrays of these names from another archive, as they are stored there. Nothing is
    /// unpacked, and no checksum is compared.
    ///
    /// # Errors
    /// It returns the errors of [`NpzWriter::copy_others`].
    pub fn copy_arrays<R: Read + Seek>(&mut self, from: R, names: &[&str]) -> Result<(), NpyError> {
        self.copy(from, names, true).map(|_| ())
    }

    /// Copies the files of another archive that are arrays of these names, or those that are not.
    /// Returns the other one's comment.
    fn copy<R: Read + Seek>(
        &mut self,
        from: R,
        names: &[&str],
        are_copied: bool,
    ) -> Result<Box<[u8]>, NpyError> {
        let mut from = ZipArchive::new(from).map_err(refused)?;
        let names: Vec<Vec<u8>> =
            names.iter().map(|name| format!("{name}{SUFFIX}").into_bytes()).collect();
        for index in 0..from.len() {
            let file = from.by_index_raw(index).map_err(refused)?;
            if names.iter().any(|name| name == file.name_raw()) == are_copied {
                self.archive.raw_copy_file(file).map_err(unwritten)?;
            }
        }
        Ok(from.comment().into())
    }

    /// Begins the file of an array. Nothing is begun for an array that is refused.
    fn start<'a>(
        &mut self,
        name: &str,
        element_type: ElementType,
        shape: &'a Shape,
    ) -> Result<Writable<'a>, NpyError> {
        let array = Writable::new(element_type, shape).map_err(NpyError::of(name))?;
        let method = match self.compression {
            Compression::Stored => CompressionMethod::Stored,
            Compression::Deflated => CompressionMethod::Deflated,
        };
        let large = array.bytes >= LARGE;
        let options = SimpleFileOptions::default().compression_method(method).large_file(large);
        self.archive.start_file(format!("{name}{SUFFIX}"), options).map_err(unwritten)?;
        Ok(array)
    }

    /// Writes the archive's list, without which it cannot be read, and returns the writer.
    ///
    /// # Errors
    /// [`NpyError::Write`], also if writing an array failed.
    pub fn finish(self) -> Result<W, NpyError> {
        let mut target = self.archive.finish().map_err(unwritten)?;
        target.flush().map_err(NpyError::Write)?;
        target.into_whole().map_err(NpyError::Write)
    }
}

/// An array of an archive of which the elements come in pieces; [`NpzWriter::member`] makes it. It is
/// a sink of [`Context::chunked`](indim::Context::chunked).
pub struct NpzMember<'a, W: Write + Seek> {
    sink: NpySink<&'a mut ZipWriter<Target<W>>>,
    name: String,
}

impl<W: Write + Seek> fmt::Debug for NpzMember<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NpzMember({:?})", self.name)
    }
}

impl<W: Write + Seek> NpzMember<'_, W> {
    /// Ends the array.
    ///
    /// # Errors
    /// [`NpyError::Array`] with [`NpyError::Missing`] if elements are missing, or with
    /// [`NpyError::Write`].
    pub fn finish(self) -> Result<(), NpyError> {
        self.sink.finish().map(|_| ()).map_err(NpyError::of(&self.name))
    }
}

impl<W: Write + Seek> ChunkSink for NpzMember<'_, W> {
    fn write(&mut self, region: &[Range<usize>], bytes: &[u8]) -> io::Result<()> {
        self.sink.write(region, bytes)
    }
}

/// Returns the number of the file that is the array of this name.
pub(crate) fn index_of<R: Read + Seek>(
    archive: &ZipArchive<R>,
    name: &str,
) -> Result<usize, NpyError> {
    let index = archive.index_for_name_raw(format!("{name}{SUFFIX}").as_bytes());
    index.ok_or_else(|| NpyError::NoArray { name: name.to_owned(), names: names(archive) })
}

/// Returns the error of an array with more bytes in the archive than its header claims.
pub(crate) fn behind(name: &str) -> NpyError {
    NpyError::Archive(format!("array {name:?} has bytes behind its last element"))
}

/// Returns the names of an archive's arrays.
fn names<R: Read + Seek>(archive: &ZipArchive<R>) -> Vec<String> {
    let names = archive.file_names_raw().filter_map(|raw| std::str::from_utf8(raw).ok());
    names.filter_map(|name| name.strip_suffix(SUFFIX)).map(str::to_owned).collect()
}

pub(crate) fn refused(error: ZipError) -> NpyError {
    match error {
        // A truncated archive is a broken one.
        ZipError::Io(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
            NpyError::Read(error)
        }
        other => NpyError::Archive(other.to_string()),
    }
}

fn unwritten(error: ZipError) -> NpyError {
    match error {
        ZipError::Io(error) => NpyError::Write(error),
        other => NpyError::Archive(other.to_string()),
    }
}
