//! [`NpyPieces`]: a `.npy` file, or a member of an archive, that is read in pieces; [`NpySource`]: the
//! same as an operand of a run in chunks.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;

use indim::{ChunkSource, ElementType, Shape};
use zip::{CompressionMethod, ZipArchive};

use crate::bytes::{Bytes, Inflated, Reopen, Stream};
use crate::dtype::Dtype;
use crate::error::NpyError;
use crate::header::Header;
use crate::npz::{SUFFIX, names, refused};

/// Rows that are no further apart are read together with what lies between them.
const NEAR: u64 = 16 << 10;

/// So many bytes are read at a time for rows that are near to each other.
const WINDOW: usize = 256 << 10;

/// An array of a `.npy` file, or of a `.npz` archive, of which any region can be read. It takes
/// memory for what is asked for, not for the array.
pub struct NpyPieces {
    header: Header,
    bytes: Bytes,
    /// The number of bytes behind the header, where that can be known.
    remaining: Option<u64>,
    window: Window,
    /// A piece in the order of a file in Fortran's order.
    stored: Vec<u8>,
}

/// Bytes that were read because they lie near to what was asked for.
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
            let bytes = Bytes::Stream { stream: Box::new(stream), at: 0, reopen: None };
            return Self::new(header, bytes, None);
        }
        let header = Header::read(&mut file)?;
        let remaining = metadata.len().saturating_sub(header.bytes);
        let start = header.bytes;
        Self::new(header, Bytes::File { file, start }, Some(remaining))
    }

    /// Opens the array of this name in a `.npz` archive. One that is compressed is unpacked from its
    /// beginning again where an earlier piece is read after a later one.
    ///
    /// The archive's checksum of a compressed array is compared where its end is read, and that of an
    /// array that is only stored is not: [`NpzReader`](crate::NpzReader) compares each.
    ///
    /// # Errors
    /// [`NpyError::Open`]; [`NpyError::Archive`]; [`NpyError::NoArray`]; [`NpyError::Array`] with the
    /// reason for which it is none.
    pub fn open_member(path: impl AsRef<Path>, name: &str) -> Result<Self, NpyError> {
        let path = path.as_ref();
        let file = File::open(path).map_err(NpyError::Open)?;
        let mut archive = ZipArchive::new(BufReader::new(file)).map_err(refused)?;
        let index = archive.index_for_name_raw(format!("{name}{SUFFIX}").as_bytes());
        let Some(index) = index else {
            return Err(NpyError::NoArray { name: name.to_owned(), names: names(&archive) });
        };
        // It is looked at before it is read, which an encrypted one cannot be.
        let member = archive.by_index(index).map_err(refused)?;
        let Some(start) = member.data_start() else {
            return Err(NpyError::Archive(format!("array {name:?} has no beginning")));
        };
        let (size, checksum) = (member.compressed_size(), member.crc32());
        let (method, unpacked) = (member.compression(), member.size());
        drop(member);
        let array = match method {
            CompressionMethod::Stored => Self::stored(path, start, size),
            CompressionMethod::Deflated => Self::deflated(path, (start, size), unpacked, checksum),
            other => {
                let why =
                    format!("array {name:?} is compressed by {other}, which is not supported");
                return Err(NpyError::Archive(why));
            }
        };
        array.map_err(NpyError::of(name))
    }

    fn stored(path: &Path, start: u64, size: u64) -> Result<Self, NpyError> {
        let mut file = File::open(path).map_err(NpyError::Open)?;
        file.seek(SeekFrom::Start(start)).map_err(NpyError::Read)?;
        let header = Header::read(&mut file.by_ref().take(size))?;
        // A member that claims to be longer than the archive is found out when it is read.
        let remaining = size.saturating_sub(header.bytes);
        let start = start + header.bytes;
        Self::new(header, Bytes::File { file, start }, Some(remaining))
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
        let skipped = header.bytes;
        let reopen: Reopen = Box::new(move || {
            let mut stream = open()?;
            io::copy(&mut stream.by_ref().take(skipped), &mut io::sink())?;
            Ok(Box::new(stream) as Stream)
        });
        let remaining = unpacked.saturating_sub(header.bytes);
        let bytes = Bytes::Stream { stream: Box::new(stream), at: 0, reopen: Some(reopen) };
        Self::new(header, bytes, Some(remaining))
    }

    fn new(header: Header, bytes: Bytes, remaining: Option<u64>) -> Result<Self, NpyError> {
        let expected = header.size_in_bytes()?;
        match remaining {
            Some(found) if found < expected as u64 => Err(header.truncated(expected, found)),
            _ => {
                let window = Window::default();
                Ok(Self { header, bytes, remaining, window, stored: Vec::new() })
            }
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

    /// Returns the number of bytes behind the array, which are ignored; 0 where it is unknown.
    pub fn left_over(&self) -> u64 {
        let size = self.size_in_bytes() as u64;
        self.remaining.map_or(0, |remaining| remaining.saturating_sub(size))
    }

    /// Tells whether the bytes come in their order alone, as those of a pipe and of a compressed array
    /// do. To read pieces in another order fails for a pipe, and takes long for a compressed array.
    pub fn is_sequential(&self) -> bool {
        matches!(self.bytes, Bytes::Stream { .. })
    }

    /// Reads the elements of a region, which has a range for each dimension, in the file's own type:
    /// row-major and little-endian.
    ///
    /// # Errors
    /// [`NpyError::Region`] if there is no such region, or if `into` is not as long as it is;
    /// [`NpyError::Truncated`] if the file has become shorter; [`NpyError::Again`] for a pipe of which
    /// the elements have come by; [`NpyError::Read`].
    pub fn read(&mut self, region: &[Range<usize>], into: &mut [u8]) -> Result<(), NpyError> {
        let Header { dtype, shape, big_endian, fortran, .. } = self.header.clone();
        let is_within =
            |(range, &size): (&Range<usize>, &usize)| range.start <= range.end && range.end <= size;
        let count = region.iter().map(Range::len).product::<usize>();
        let fits = region.len() == shape.rank()
            && region.iter().zip(shape.dims()).all(is_within)
            && count.checked_mul(dtype.size()) == Some(into.len());
        if !fits {
            return Err(NpyError::Region { region: format!("{region:?}"), shape });
        }
        if into.is_empty() {
            return Ok(());
        }
        if fortran && shape.rank() > 1 {
            // It is an array in C's order whose dimensions are in reverse.
            let sizes: Vec<usize> = shape.dims().iter().rev().copied().collect();
            let reversed: Vec<Range<usize>> = region.iter().rev().cloned().collect();
            let mut stored = std::mem::take(&mut self.stored);
            let more = into.len().saturating_sub(stored.len());
            stored.try_reserve_exact(more).map_err(|_| NpyError::Memory(into.len()))?;
            stored.resize(into.len(), 0);
            self.read_rows(&sizes, &reversed, &mut stored)?;
            reorder(&stored, region, dtype.size(), into);
            self.stored = stored;
        } else {
            self.read_rows(shape.dims(), region, into)?;
        }
        if big_endian {
            into.chunks_exact_mut(dtype.size() / dtype.parts()).for_each(<[u8]>::reverse);
        }
        Ok(())
    }

    /// Reads all elements, as [`NpyPieces::read`] reads those of a region.
    ///
    /// # Errors
    /// [`NpyError::Memory`]; those of [`NpyPieces::read`].
    pub fn read_all(&mut self) -> Result<Vec<u8>, NpyError> {
        let size = self.size_in_bytes();
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(size).map_err(|_| NpyError::Memory(size))?;
        bytes.resize(size, 0);
        let whole: Vec<Range<usize>> = self.shape().dims().iter().map(|&size| 0..size).collect();
        self.read(&whole, &mut bytes)?;
        Ok(bytes)
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
        // Along the last dimensions, as long as they are whole, elements lie one after the other.
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
            match is_near && row <= WINDOW {
                false => self.read_at(offset, into)?,
                true => {
                    let left = (rows - number) as u64;
                    self.read_near(offset, into, left.saturating_mul(apart))?;
                }
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

    /// Reads a row, and with it some of the `more` bytes that lie between it and the last row.
    fn read_near(&mut self, offset: u64, into: &mut [u8], more: u64) -> Result<(), NpyError> {
        let end = offset + into.len() as u64;
        let Window { start, bytes } = &self.window;
        if offset < *start || end > start + bytes.len() as u64 {
            let left = self.size_in_bytes() as u64 - offset;
            let count = left.min(more.max(into.len() as u64)).min(WINDOW as u64);
            let mut bytes = std::mem::take(&mut self.window.bytes);
            bytes.resize(count as usize, 0);
            self.read_at(offset, &mut bytes)?;
            self.window = Window { start: offset, bytes };
        }
        let from = (offset - self.window.start) as usize;
        into.copy_from_slice(&self.window.bytes[from..from + into.len()]);
        Ok(())
    }

    fn read_at(&mut self, offset: u64, into: &mut [u8]) -> Result<(), NpyError> {
        self.bytes.read_at(offset, into).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => {
                self.header.truncated(self.size_in_bytes(), self.bytes.found())
            }
            io::ErrorKind::NotSeekable => NpyError::Again,
            _ => NpyError::Read(error),
        })?;
        if offset + into.len() as u64 == self.size_in_bytes() as u64
            && let Bytes::Stream { stream, reopen: Some(_), .. } = &mut self.bytes
        {
            // The checksum is compared where the member ends, so that its end is asked for.
            if stream.read(&mut [0]).map_err(NpyError::Read)? > 0 {
                let why = "an array has bytes behind its last element".to_owned();
                return Err(NpyError::Archive(why));
            }
        }
        Ok(())
    }
}

/// Puts the elements of a region, which are stored with the first index fastest, in row-major order.
fn reorder(stored: &[u8], region: &[Range<usize>], size: usize, into: &mut [u8]) {
    match size {
        1 => reorder_of::<1>(stored, region, into),
        2 => reorder_of::<2>(stored, region, into),
        4 => reorder_of::<4>(stored, region, into),
        8 => reorder_of::<8>(stored, region, into),
        _ => reorder_of::<16>(stored, region, into),
    }
}

/// Does it for elements of `N` bytes.
fn reorder_of<const N: usize>(stored: &[u8], region: &[Range<usize>], into: &mut [u8]) {
    let (stored, _) = stored.as_chunks::<N>();
    let (into, _) = into.as_chunks_mut::<N>();
    let sizes: Vec<usize> = region.iter().map(Range::len).collect();
    let mut steps = Vec::with_capacity(sizes.len());
    let mut step = 1;
    for &n in &sizes {
        steps.push(step);
        step *= n;
    }
    let (Some(&last), Some(&along)) = (sizes.last(), steps.last()) else { return };
    let mut index = vec![0; sizes.len() - 1];
    for row in into.chunks_exact_mut(last) {
        let first: usize = index.iter().zip(&steps).map(|(i, step)| i * step).sum();
        let elements = stored[first..].iter().step_by(along);
        row.iter_mut().zip(elements).for_each(|(to, from)| *to = *from);
        for d in (0..index.len()).rev() {
            index[d] += 1;
            if index[d] < sizes[d] {
                break;
            }
            index[d] = 0;
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
