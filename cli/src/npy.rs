//! Reads and writes `.npy` files, NumPy's format for one array.
//!
//! npyz reads and writes the header; what it leaves open is done here: the header of a file that
//! lies is refused before anything is allocated or multiplied for it, either order and either
//! byte order become row-major and little-endian.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use indim::{ElementType, Literal, Shape};
use npyz::{DType, Endianness, NpyHeader, Order, TypeChar, WriteOptions, WriterBuilder};

/// Longest header that is read; NumPy's own are of 128 bytes, and it refuses more than 10,000.
const MAX_HEADER: usize = 1 << 16;

/// The longest shape that is written: version 1.0 has a header's length in 16 bits, and what stands
/// around the shape takes some of it.
const MAX_WRITTEN_SHAPE: usize = (1 << 16) - 256;

/// Deepest nesting in a header; a plain array's has two levels.
const MAX_NESTING: usize = 8;

/// The type of a file's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stored {
    Bool,
    Int(usize),
    Uint(usize),
    Float(usize),
    /// Bytes of both parts together.
    Complex(usize),
}

impl Stored {
    pub(crate) fn size(self) -> usize {
        match self {
            Self::Bool => 1,
            Self::Int(size) | Self::Uint(size) | Self::Float(size) | Self::Complex(size) => size,
        }
    }

    /// Tells whether numbers take 64 bits, as those take that NumPy makes unless it is told
    /// otherwise.
    pub(crate) fn is_wide(self) -> bool {
        self.size() / self.parts() == 8
    }

    /// Returns how many numbers an element is.
    fn parts(self) -> usize {
        if matches!(self, Self::Complex(_)) { 2 } else { 1 }
    }

    /// Returns the element type that holds these as they are.
    pub(crate) fn element_type(self) -> Option<ElementType> {
        match self {
            Self::Bool => Some(ElementType::Pred),
            Self::Int(1) => Some(ElementType::S8),
            Self::Int(2) => Some(ElementType::S16),
            Self::Int(4) => Some(ElementType::S32),
            Self::Int(8) => Some(ElementType::S64),
            Self::Uint(1) => Some(ElementType::U8),
            Self::Uint(2) => Some(ElementType::U16),
            Self::Uint(4) => Some(ElementType::U32),
            Self::Uint(8) => Some(ElementType::U64),
            Self::Float(2) => Some(ElementType::F16),
            Self::Float(4) => Some(ElementType::F32),
            Self::Float(8) => Some(ElementType::F64),
            Self::Complex(8) => Some(ElementType::C64),
            _ => None,
        }
    }
}

impl fmt::Display for Stored {
    /// Returns NumPy's name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => write!(f, "bool"),
            Self::Int(size) => write!(f, "int{}", size * 8),
            Self::Uint(size) => write!(f, "uint{}", size * 8),
            Self::Float(size) => write!(f, "float{}", size * 8),
            Self::Complex(size) => write!(f, "complex{}", size * 8),
        }
    }
}

/// Why a file is no array for us.
#[derive(Debug)]
pub(crate) enum NpyError {
    Open(io::Error),
    Read(io::Error),
    NotNpy,
    Header(String),
    Dtype(String),
    /// Raw bytes, as NumPy saves types that it does not know.
    Raw(usize),
    /// More elements than can be addressed.
    Uncountable,
    /// Fewer bytes than the header says.
    Truncated {
        claims: String,
        expected: usize,
        found: u64,
    },
    Memory(usize),
}

impl fmt::Display for NpyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Open(error) => write!(f, "cannot open it: {error}"),
            Self::Read(error) => write!(f, "cannot read it: {error}"),
            Self::NotNpy => write!(f, "it is not a .npy file (it does not begin with \\x93NUMPY)"),
            Self::Header(reason) => write!(f, "its .npy header is malformed: {reason}"),
            Self::Dtype(descr) => {
                write!(f, "its dtype is {descr}, which is no plain number or bool")
            }
            Self::Raw(2) => write!(
                f,
                "its elements are 2 raw bytes each, as ml_dtypes saves bfloat16; save `x.view(np.uint16)` and write `bitcast_convert(x, bf16)`, or save `x.astype(np.float32)`"
            ),
            Self::Raw(_) => write!(
                f,
                "its elements are raw bytes, as NumPy saves types that it does not know, such as ml_dtypes' int4; save them as one that it knows, such as `x.astype(np.int8)`"
            ),
            Self::Uncountable => write!(f, "its header claims more elements than can be counted"),
            Self::Truncated { claims, expected, found } => {
                write!(
                    f,
                    "its header claims {claims}, {expected} bytes, but only {found} bytes follow"
                )
            }
            Self::Memory(size) => write!(f, "not enough memory for its {size} bytes"),
        }
    }
}

/// An opened file of which the header has been read.
#[derive(Debug)]
pub(crate) struct NpyFile {
    pub(crate) stored: Stored,
    pub(crate) shape: Shape,
    big_endian: bool,
    fortran: bool,
    reader: BufReader<File>,
    /// Bytes behind the header, where that can be known.
    remaining: Option<u64>,
}

/// The elements of a file, row-major and little-endian, in its own type.
#[derive(Debug)]
pub(crate) struct Contents {
    pub(crate) bytes: Vec<u8>,
    /// Bytes behind the array.
    pub(crate) left_over: u64,
}

impl NpyFile {
    pub(crate) fn open(path: &Path) -> Result<Self, NpyError> {
        let file = File::open(path).map_err(NpyError::Open)?;
        let metadata = file.metadata().map_err(NpyError::Open)?;
        let mut reader = BufReader::new(file);
        let header_bytes = read_header(&mut reader)?;
        let header = NpyHeader::from_reader(header_bytes.as_slice())
            .map_err(|e| NpyError::Header(summary(&e.to_string())))?;

        let dtype = match header.dtype() {
            DType::Plain(dtype) => dtype,
            other => return Err(NpyError::Dtype(other.descr())),
        };
        let size = usize::try_from(dtype.size_field()).unwrap_or(usize::MAX);
        let stored = match (dtype.type_char(), size) {
            (TypeChar::Bool, 1) => Stored::Bool,
            (TypeChar::Int, 1 | 2 | 4 | 8) => Stored::Int(size),
            (TypeChar::Uint, 1 | 2 | 4 | 8) => Stored::Uint(size),
            (TypeChar::Float, 2 | 4 | 8) => Stored::Float(size),
            (TypeChar::Complex, 8 | 16) => Stored::Complex(size),
            (TypeChar::RawData, 1 | 2) => return Err(NpyError::Raw(size)),
            _ => return Err(NpyError::Dtype(format!("'{dtype}'"))),
        };
        let sizes: Result<Vec<usize>, _> =
            header.shape().iter().map(|&size| usize::try_from(size)).collect();
        let shape = Shape::from(sizes.map_err(|_| NpyError::Uncountable)?);
        let file = Self {
            stored,
            shape,
            big_endian: dtype.endianness() == Endianness::Big,
            fortran: header.order() == Order::Fortran,
            reader,
            remaining: metadata
                .is_file()
                .then(|| metadata.len().saturating_sub(header_bytes.len() as u64)),
        };
        // A header that is known to lie is refused before a GPU is looked for.
        let expected = file.size_in_bytes()?;
        match file.remaining {
            Some(found) if found < expected as u64 => Err(file.truncated(expected, found)),
            _ => Ok(file),
        }
    }

    fn size_in_bytes(&self) -> Result<usize, NpyError> {
        let count = self.shape.element_count().map_err(|_| NpyError::Uncountable)?;
        count.checked_mul(self.stored.size()).ok_or(NpyError::Uncountable)
    }

    fn truncated(&self, expected: usize, found: u64) -> NpyError {
        let claims = format!("shape {} of {}", self.shape, self.stored);
        NpyError::Truncated { claims, expected, found }
    }

    /// Reads the elements.
    pub(crate) fn read(mut self) -> Result<Contents, NpyError> {
        let size = self.stored.size();
        let expected = self.size_in_bytes()?;
        let mut bytes = Vec::new();
        if self.remaining.is_some() {
            bytes.try_reserve_exact(expected).map_err(|_| NpyError::Memory(expected))?;
        }
        // A pipe's length is unknown, so that the list grows with the bytes that really come.
        let mut elements = self.reader.by_ref().take(expected as u64);
        elements.read_to_end(&mut bytes).map_err(NpyError::Read)?;
        if bytes.len() < expected {
            return Err(self.truncated(expected, bytes.len() as u64));
        }
        if self.big_endian {
            bytes.chunks_exact_mut(size / self.stored.parts()).for_each(<[u8]>::reverse);
        }
        if self.fortran && self.shape.rank() > 1 {
            bytes = row_major(&bytes, &self.shape, size)?;
        }
        let left_over = self.remaining.map_or(0, |remaining| remaining - expected as u64);
        Ok(Contents { bytes, left_over })
    }
}

/// Returns npyz's reason on one line, without the drawing of where in the header it is.
fn summary(reason: &str) -> String {
    let mut lines = reason.lines();
    let first = lines.next().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    let detail = lines.filter_map(|line| line.trim_start().strip_prefix("= "));
    detail.fold(first, |all, more| format!("{all}, {more}"))
}

/// Reads magic, version and header, and checks that it is safe to interpret.
fn read_header(reader: &mut impl Read) -> Result<Vec<u8>, NpyError> {
    let cut = |error: io::Error| match error.kind() {
        io::ErrorKind::UnexpectedEof => NpyError::Header("the file ends inside it".to_owned()),
        _ => NpyError::Read(error),
    };
    let mut bytes = vec![0; 8];
    reader.read_exact(&mut bytes).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => NpyError::NotNpy,
        _ => NpyError::Read(error),
    })?;
    if !bytes.starts_with(b"\x93NUMPY") {
        return Err(NpyError::NotNpy);
    }
    let long = match (bytes[6], bytes[7]) {
        (1, 0) => false,
        (2 | 3, 0) => true,
        (major, minor) => {
            return Err(NpyError::Header(format!(
                "version {major}.{minor} is unknown; 1.0, 2.0 and 3.0 are read"
            )));
        }
    };
    let mut length = [0; 4];
    let field = if long { &mut length[..] } else { &mut length[..2] };
    reader.read_exact(field).map_err(cut)?;
    bytes.extend_from_slice(field);
    let length = u32::from_le_bytes(length) as usize;
    if length > MAX_HEADER {
        return Err(NpyError::Header(format!(
            "it claims to be {length} bytes long; the most are {MAX_HEADER}"
        )));
    }
    let start = bytes.len();
    bytes.resize(start + length, 0);
    reader.read_exact(&mut bytes[start..]).map_err(cut)?;
    check_header(&bytes[start..])?;
    Ok(bytes)
}

/// Refuses what npyz would take exponential time or an overflow for. Quotes are not looked at:
/// brackets inside of them stand only in names of fields, and we read no arrays with fields.
fn check_header(text: &[u8]) -> Result<(), NpyError> {
    let (mut depth, mut dictionaries) = (0usize, 0);
    let mut product = 1u64;
    let mut numbers = text.split(|byte| !byte.is_ascii_digit());
    for byte in text {
        match byte {
            b'{' => dictionaries += 1,
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_NESTING || dictionaries > 1 {
            return Err(NpyError::Header("it is nested too deeply".to_owned()));
        }
    }
    // The shape's sizes are multiplied one by one, before a 0 among them is met.
    let countable = numbers.all(|digits| match std::str::from_utf8(digits).unwrap_or_default() {
        "" => true,
        digits => {
            let factor = digits.parse::<u64>().ok().map(|n| n.max(1));
            match factor.and_then(|factor| product.checked_mul(factor)) {
                Some(next) => {
                    product = next;
                    true
                }
                None => false,
            }
        }
    });
    if countable { Ok(()) } else { Err(NpyError::Uncountable) }
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

/// Returns the format's name for an element type, if it has one.
pub(crate) fn descr(element_type: ElementType) -> Option<&'static str> {
    Some(match element_type {
        ElementType::Pred => "|b1",
        ElementType::S8 => "|i1",
        ElementType::S16 => "<i2",
        ElementType::S32 => "<i4",
        ElementType::S64 => "<i8",
        ElementType::U8 => "|u1",
        ElementType::U16 => "<u2",
        ElementType::U32 => "<u4",
        ElementType::U64 => "<u8",
        ElementType::F16 => "<f2",
        ElementType::F32 => "<f4",
        ElementType::F64 => "<f8",
        ElementType::C64 => "<c8",
        _ => return None,
    })
}

/// Says what to do about a result that the format has no name for.
pub(crate) fn instead(element_type: ElementType) -> &'static str {
    match element_type {
        ElementType::Bf16 => {
            "`convert(EXPR, f32)` has the same values, `bitcast_convert(EXPR, u16)` the same bits"
        }
        ElementType::S4 => "`convert(EXPR, s8)` has the same values",
        ElementType::U4 => "`convert(EXPR, u8)` has the same values",
        _ => "convert it to a type that NumPy has",
    }
}

/// Says why a shape cannot be written, if it cannot. npyz would panic.
pub(crate) fn refuse_shape(shape: &Shape) -> Result<(), String> {
    let sizes = shape.dims();
    let letters = |&size: &usize| size.checked_ilog10().unwrap_or(0) as usize + "1, ".len();
    if sizes.iter().map(letters).sum::<usize>() > MAX_WRITTEN_SHAPE {
        return Err(format!(
            "a .npy header has no room for {} dimensions; drop those of size 1 by `reshape`",
            sizes.len()
        ));
    }
    // npyz multiplies the sizes one by one, before a 0 among them is met.
    match sizes.iter().try_fold(1u64, |n, &size| n.checked_mul(size.max(1) as u64)) {
        Some(_) => Ok(()),
        None => Err(format!("shape {shape} does not fit in a .npy file")),
    }
}

/// Writes an array's file: version 1.0, little-endian, C order.
pub(crate) fn write(writer: &mut dyn Write, literal: &Literal) -> io::Result<()> {
    let element_type = literal.element_type();
    let descr = descr(element_type)
        .ok_or_else(|| io::Error::other(format!(".npy has no dtype for {element_type}")))?;
    let dtype = descr.parse().map_err(io::Error::other)?;
    let shape: Vec<u64> = literal.shape().dims().iter().map(|&size| size as u64).collect();
    refuse_shape(literal.shape()).map_err(io::Error::other)?;
    let options = WriteOptions::new_header_only().dtype(DType::new_scalar(dtype)).shape(&shape);
    options.writer(writer).write_header_only()?.write_all(literal.bytes())
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

    #[test]
    fn headers_that_would_take_long_are_refused() {
        for text in ["[".repeat(9), "{".repeat(2), "(".repeat(60_000)] {
            assert!(matches!(check_header(text.as_bytes()), Err(NpyError::Header(_))));
        }
        let overflow =
            "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 0), }";
        assert!(matches!(check_header(overflow.as_bytes()), Err(NpyError::Uncountable)));
        let plain = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }\n";
        assert!(check_header(plain.as_bytes()).is_ok());
    }
}
