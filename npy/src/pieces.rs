//! [`NpyPieces`]: a `.npy` file, or a member of an archive, that is read in pieces; [`NpySource`]: the
//! same as an operand of a run in chunks.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use indim::{ChunkSource, ElementType, Shape};
use zip::{CompressionMethod, ZipArchive};

use crate::bytes::{Bytes, Checksum, Inflated, Reopen, Stream};
use crate::dtype::Dtype;
use crate::elements;
use crate::error::NpyError;
use crate::header::Header;
use crate::npz::{behind, index_of, refused};

/// Rows at most this far apart are read together with the bytes between them.
const NEAR: u64 = 16 << 10;

/// The number of bytes read at a time for rows that are near each other.
const WINDOW: usize = 256 << 10;

/// An array of a `.npy` file, or of a `.npz` archive, of which any region can be read. It takes
/// memory for the requested region, not for the array.
pub struct NpyPieces {
    header: Header,
    bytes: Bytes,
    /// The number of bytes after the array, if known.
    left_over: u64,
    window: Window,
    /// A piece in the order of a file in Fortran's order.
    stored: Vec<u8>,
}

/// Bytes that were read because they are near the requested ones.
#[derive(Default)]
struct Window {
    start: u64,
    bytes: Vec<u8>,
}

impl fmt::Debug for NpyPieces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NpyPieces({} of {})", self.header.shape, self.header.dtype)
    }
}

impl NpyPieces {
    /// Opens a `.npy` file and reads its header. A file that is too short for what the header claims
    /// is refused here.
    ///
    /// The pieces of a pipe can be read only one after the other.
    ///
    /// # Errors
    /// [`NpyError::Open`], [`NpyError::Truncated`], and those of
    /// [`NpyReader::new`](crate::NpyReader::new).
    pub fn open(path: impl AsRef<Path>) -> Result<Self, NpyError> {
        let mut file = File::open(path).map_err(NpyError::Open)?;
        let metadata = file.metadata().map_err(NpyError::Open)?;
        if !metadata.is_file() {
            let mut stream = BufReader::new(file);
            let header = Header::read(&mut stream)?;
            return Ok(Self::new(header, Bytes::of_stream(Box::new(stream), None), 0));
        }
        let header = Header::read(&mut file)?;
        let left_over = header.left_over(metadata.len())?;
        let start = header.bytes;
        Ok(Self::new(header, Bytes::of_file(file, start, None), left_over))
    }

    /// Opens the array of this name in a `.npz` archive. One that is compressed is unpacked from its
    /// beginning again where an earlier piece is read after a later one.
    ///
    /// The archive's checksum of an array is compared by [`NpyPieces::read_all`], and by the piece that
    /// reads the last element. For an array that is only stored, that piece compares it only if those
    /// before it had all other elements, in their order.
    ///
    /// # Errors
    /// [`NpyError::Open`]; [`NpyError::Archive`], also if the archive has bytes after the array, or
    /// ends inside it; [`NpyError::NoArray`]; [`NpyError::Array`] with the reason why it is not an
    /// array.
    pub fn open_member(path: impl AsRef<Path>, name: &str) -> Result<Self, NpyError> {
        let path = path.as_ref();
        let file = File::open(path).map_err(NpyError::Open)?;
        let length = file.metadata().map_err(NpyError::Open)?.len();
        let mut archive = ZipArchive::new(BufReader::new(file)).map_err(refused)?;
        let index = index_of(&archive, name)?;
        // It is looked at before it is read, which an encrypted one cannot be.
        let member = archive.by_index(index).map_err(refused)?;
        let Some(start) = member.data_start() else {
            return Err(NpyError::Archive(format!("array {name:?} has no beginning")));
        };
        let (size, checksum) = (member.compressed_size(), member.crc32());
        let (method, unpacked) = (member.compression(), member.size());
        drop(member);
        if size > length.saturating_sub(start) {
            let why = format!("array {name:?} ends behind the end of the archive");
            return Err(NpyError::Archive(why));
        }
        let array = match method {
            CompressionMethod::Stored => Self::stored(path, (start, size), checksum),
            CompressionMethod::Deflated => Self::deflated(path, (start, size), unpacked, checksum),
            other => {
                let why =
                    format!("array {name:?} is compressed by {other}, which is not supported");
                return Err(NpyError::Archive(why));
            }
        };
        let array = array.map_err(NpyError::of(name))?;
        if array.left_over > 0 { Err(behind(name)) } else { Ok(array) }
    }

    fn stored(path: &Path, (start, size): (u64, u64), checksum: u32) -> Result<Self, NpyError> {
        let mut file = File::open(path).map_err(NpyError::Open)?;
        file.seek(SeekFrom::Start(start)).map_err(NpyError::Read)?;
        let header = Header::read(&mut file.by_ref().take(size))?;
        let left_over = header.left_over(size)?;
        // The checksum includes the header.
        let mut text = Vec::new();
        file.seek(SeekFrom::Start(start)).map_err(NpyError::Read)?;
        let read = file.by_ref().take(header.bytes).read_to_end(&mut text);
        read.map_err(NpyError::Read)?;
        let checksum = Checksum::new(&text, checksum);
        let start = start + header.bytes;
        Ok(Self::new(header, Bytes::of_file(file, start, Some(checksum)), left_over))
    }

    fn deflated(
        path: &Path,
        (start, size): (u64, u64),
        unpacked: u64,
        checksum: u32,
    ) -> Result<Self, NpyError> {
        let path = path.to_owned();
        let open = move || {
            let file = File::open(&path)?;
            Ok(BufReader::new(Inflated::new(file, start, size, checksum)?))
        };
        let mut stream = open().map_err(NpyError::Open)?;
        let header = Header::read(&mut stream)?;
        let left_over = header.left_over(unpacked)?;
        let skipped = header.bytes;
        let reopen: Reopen = Box::new(move || {
            let mut stream = open()?;
            io::copy(&mut stream.by_ref().take(skipped), &mut io::sink())?;
            Ok(Box::new(stream) as Stream)
        });
        let bytes = Bytes::of_stream(Box::new(stream), Some(reopen));
        Ok(Self::new(header, bytes, left_over))
    }

    fn new(header: Header, bytes: Bytes, left_over: u64) -> Self {
        Self { header, bytes, left_over, window: Window::default(), stored: Vec::new() }
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

    /// Returns the number of bytes after the array in a `.npy` file, which are ignored; 0 for a
    /// pipe, of which it is unknown, and for an array of an archive, which is refused if it has
    /// any.
    pub fn left_over(&self) -> u64 {
        self.left_over
    }

    /// Returns whether the bytes can only be read in order, as those of a pipe or a compressed
    /// array. Reading pieces in another order fails for a pipe, and is slow for a compressed array.
    pub fn is_sequential(&self) -> bool {
        self.bytes.is_stream()
    }

    /// Reads the elements of a region, which has a range for each dimension, in the file's own type:
    /// row-major and little-endian.
    ///
    /// # Errors
    /// [`NpyError::Region`] if the region does not exist, or `into` has another length;
    /// [`NpyError::Truncated`] if the file has become shorter; [`NpyError::Again`] for elements of
    /// a pipe that have been read already; [`NpyError::Read`], also if the archive's checksum is
    /// wrong.
    pub fn read(&mut self, region: &[Range<usize>], into: &mut [u8]) -> Result<(), NpyError> {
        let Header { dtype, shape, .. } = self.header.clone();
        let is_within =
            |(range, &size): (&Range<usize>, &usize)| range.start <= range.end && range.end <= size;
        let is_region =
            region.len() == shape.rank() && region.iter().zip(shape.dims()).all(is_within);
        // Ranges that are not a region may have more elements than can be counted.
        let mut lengths = region.iter().map(Range::len);
        let size = if region.iter().any(Range::is_empty) {
            Some(0)
        } else {
            lengths.try_fold(dtype.size(), |size, length| size.checked_mul(length))
        };
        if !is_region || size != Some(into.len()) {
            return Err(NpyError::Region { region: format!("{region:?}"), shape });
        }
        if into.is_empty() {
            return Ok(());
        }
        if self.header.is_reversed() {
            let sizes: Vec<usize> = shape.dims().iter().rev().copied().collect();
            let reversed: Vec<Range<usize>> = region.iter().rev().cloned().collect();
            let mut stored = std::mem::take(&mut self.stored);
            let more = into.len().saturating_sub(stored.len());
            stored.try_reserve_exact(more).map_err(|_| NpyError::Memory(into.len()))?;
            stored.resize(into.len(), 0);
            self.read_rows(&sizes, &reversed, &mut stored)?;
            let lengths: Vec<usize> = region.iter().map(Range::len).collect();
            elements::to_row_major(&stored, &lengths, dtype.size(), into);
            self.stored = stored;
        } else {
            self.read_rows(shape.dims(), region, into)?;
        }
        elements::to_little_endian(&self.header, into);
        Ok(())
    }

    /// Reads all elements, as [`NpyPieces::read`] reads those of a region. For those of a pipe or of a
    /// compressed array, memory grows with the bytes that come, up to [`NpyPieces::size_in_bytes`].
    ///
    /// # Errors
    /// [`NpyError::Memory`]; those of [`NpyPieces::read`].
    pub fn read_all(&mut self) -> Result<Vec<u8>, NpyError> {
        self.bytes.go_to(0).map_err(|error| self.failed(error))?;
        let is_known = !self.bytes.is_stream();
        let stored = elements::read(&self.header, &mut self.bytes, is_known)?;
        self.bytes.check_end(self.header.size as u64).map_err(NpyError::Read)?;
        elements::in_order(&self.header, stored)
    }

    /// Reads a region of an array in C's order as it is stored.
    fn read_rows(
        &mut self,
        sizes: &[usize],
        region: &[Range<usize>],
        into: &mut [u8],
    ) -> Result<(), NpyError> {
        let size = self.header.dtype.size();
        let strides = Shape::new(sizes).strides();
        // Elements are contiguous along trailing dimensions that are read whole.
        let whole = region.iter().zip(sizes).rev().take_while(|(r, n)| r.len() == **n).count();
        let outer = region.len().saturating_sub(whole + 1);
        let row = region[outer..].iter().map(Range::len).product::<usize>() * size;
        let first = |at: &[usize]| -> u64 {
            let inner = region[outer..].iter().map(|range| range.start);
            let indices = at.iter().copied().chain(inner);
            indices.zip(&strides).map(|(i, stride)| i as u64 * *stride as u64).sum()
        };
        let apart = match outer {
            0 => u64::MAX,
            outer => strides[outer - 1] as u64 * size as u64,
        };
        let is_near = apart <= NEAR;
        let mut at: Vec<usize> = region[..outer].iter().map(|range| range.start).collect();
        self.window.bytes.clear();
        let rows = into.len() / row;
        for (number, into) in into.chunks_exact_mut(row).enumerate() {
            let offset = first(&at) * size as u64;
            if is_near {
                let later = (rows - number - 1) as u64;
                self.read_near(offset, into, later * apart + row as u64)?;
            } else {
                self.read_at(offset, into)?
            }
            for d in (0..outer).rev() {
                at[d] += 1;
                if at[d] < region[d].end {
                    break;
                }
                at[d] = region[d].start;
            }
        }
        Ok(())
    }

    /// Reads a row, which is shorter than a window. `count` bytes from its beginning belong to it,
    /// to later rows and to the gaps between them; as many of these as fit a window are read with
    /// it.
    fn read_near(&mut self, offset: u64, into: &mut [u8], count: u64) -> Result<(), NpyError> {
        let end = offset + into.len() as u64;
        let Window { start, bytes } = &self.window;
        if offset < *start || end > start + bytes.len() as u64 {
            let mut bytes = std::mem::take(&mut self.window.bytes);
            bytes.resize(count.min(WINDOW as u64) as usize, 0);
            self.read_at(offset, &mut bytes)?;
            self.window = Window { start: offset, bytes };
        }
        let from = (offset - self.window.start) as usize;
        into.copy_from_slice(&self.window.bytes[from..from + into.len()]);
        Ok(())
    }

    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> Result<(), NpyError> {
        self.bytes.read_at(offset, into).map_err(|error| self.failed(error))?;
        let size = self.header.size as u64;
        if offset + into.len() as u64 == size {
            self.bytes.check_end(size).map_err(NpyError::Read)
        } else {
            Ok(())
        }
    }

    /// Returns the reason why bytes could not be read.
    fn failed(&self, error: io::Error) -> NpyError {
        match error.kind() {
            io::ErrorKind::UnexpectedEof => self.header.truncated(self.bytes.found()),
            io::ErrorKind::NotSeekable => NpyError::Again,
            _ => NpyError::Read(error),
        }
    }
}

/// A file as an operand of [`Context::chunked`](indim::Context::chunked).
#[derive(Debug)]
pub struct NpySource {
    pieces: NpyPieces,
    element_type: ElementType,
}

impl NpySource {
    /// Takes an array whose type is an element type.
    ///
    /// # Errors
    /// [`NpyError::NoElementType`] for complex128.
    pub fn new(pieces: NpyPieces) -> Result<Self, NpyError> {
        let dtype = pieces.dtype();
        let element_type = dtype.element_type().ok_or(NpyError::NoElementType(dtype))?;
        Ok(Self { pieces, element_type })
    }

    /// Opens a `.npy` file.
    ///
    /// # Errors
    /// It returns the errors of [`NpyPieces::open`] and [`NpySource::new`].
    pub fn open(path: impl AsRef<Path>) -> Result<Self, NpyError> {
        Self::new(NpyPieces::open(path)?)
    }
}

impl ChunkSource for NpySource {
    fn element_type(&self) -> ElementType {
        self.element_type
    }

    fn shape(&self) -> &Shape {
        self.pieces.shape()
    }

    fn read(&mut self, region: &[Range<usize>], into: &mut [u8]) -> io::Result<()> {
        Ok(self.pieces.read(region, into)?)
    }
}
