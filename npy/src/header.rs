//! Reads the header of a `.npy` file, and rejects false claims before allocating or multiplying
//! anything for them.

use std::io::{self, Read};

use indim::Shape;
use npyz::{DType, Endianness, NpyHeader, Order, TypeChar};

use crate::dtype::Dtype;
use crate::error::NpyError;

/// The longest header that is read; NumPy writes 128 bytes and rejects more than 10,000.
const MAX_HEADER: usize = 1 << 16;

/// Deepest nesting in a header; a plain array's has two levels.
const MAX_NESTING: usize = 8;

/// The type, order and shape of the elements that follow a header.
#[derive(Debug, Clone)]
pub(crate) struct Header {
    pub(crate) dtype: Dtype,
    pub(crate) shape: Shape,
    pub(crate) big_endian: bool,
    pub(crate) fortran: bool,
    /// The number of bytes that the header takes, magic and version included.
    pub(crate) bytes: u64,
    /// The number of bytes that all elements take, as the header claims it.
    pub(crate) size: usize,
}

impl Header {
    /// Reads a header, and no byte more.
    pub(crate) fn read(reader: &mut impl Read) -> Result<Self, NpyError> {
        let bytes = read_header(reader)?;
        let header = NpyHeader::from_reader(bytes.as_slice())
            .map_err(|e| NpyError::Header(summary(&e.to_string())))?;
        let dtype = match header.dtype() {
            DType::Plain(dtype) => dtype,
            other => return Err(NpyError::Dtype(other.descr())),
        };
        let size = usize::try_from(dtype.size_field()).unwrap_or(usize::MAX);
        let ours = match (dtype.type_char(), size) {
            (TypeChar::Bool, 1) => Dtype::Bool,
            (TypeChar::Int, 1 | 2 | 4 | 8) => Dtype::Int(size),
            (TypeChar::Uint, 1 | 2 | 4 | 8) => Dtype::Uint(size),
            (TypeChar::Float, 2 | 4 | 8) => Dtype::Float(size),
            (TypeChar::Complex, 8 | 16) => Dtype::Complex(size),
            (TypeChar::RawData, 1 | 2) => return Err(NpyError::Raw(size)),
            _ => return Err(NpyError::Dtype(format!("'{dtype}'"))),
        };
        let sizes: Result<Vec<usize>, _> =
            header.shape().iter().map(|&size| usize::try_from(size)).collect();
        let shape = Shape::from(sizes.map_err(|_| NpyError::Uncountable)?);
        let count = shape.element_count().map_err(|_| NpyError::Uncountable)?;
        Ok(Self {
            dtype: ours,
            shape,
            big_endian: dtype.endianness() == Endianness::Big,
            fortran: header.order() == Order::Fortran,
            bytes: bytes.len() as u64,
            size: count.checked_mul(ours.size()).ok_or(NpyError::Uncountable)?,
        })
    }

    /// Returns true if the elements are stored as those of an array in C's order whose dimensions are
    /// in reverse.
    pub(crate) fn is_reversed(&self) -> bool {
        self.fortran && self.shape.rank() > 1
    }

    /// Returns the number of bytes after the array in a file. The file is rejected if it is too
    /// short for what this header claims.
    pub(crate) fn left_over(&self, length: u64) -> Result<u64, NpyError> {
        let found = length.saturating_sub(self.bytes);
        found.checked_sub(self.size as u64).ok_or_else(|| self.truncated(found))
    }

    /// Returns the error of a file with too few bytes after this header.
    pub(crate) fn truncated(&self, found: u64) -> NpyError {
        let claims = format!("shape {} of {}", self.shape, self.dtype);
        NpyError::Truncated { claims, expected: self.size, found }
    }
}

/// Returns npyz's reason on one line, without its drawing of the position in the header.
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

/// Rejects headers on which npyz would take exponential time or overflow. Quotes are ignored:
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

#[cfg(test)]
mod tests {
    use super::*;

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
