//! The elements after a header: reads all of them, and puts them in row-major order and
//! little-endian.

use std::io::{self, Read};

use crate::error::NpyError;
use crate::header::Header;

/// Reads all elements as they are stored, into memory that grows with the bytes that come. If the
/// file is known to have all the bytes that its header claims, the memory is allocated at once.
pub(crate) fn read(
    header: &Header,
    reader: impl Read,
    is_known: bool,
) -> Result<Vec<u8>, NpyError> {
    let expected = header.size;
    let mut bytes = Vec::new();
    if is_known {
        bytes.try_reserve_exact(expected).map_err(|_| NpyError::Memory(expected))?;
    }
    match reader.take(expected as u64).read_to_end(&mut bytes) {
        Err(error) if error.kind() == io::ErrorKind::OutOfMemory => Err(NpyError::Memory(expected)),
        Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => Err(NpyError::Read(error)),
        _ if bytes.len() < expected => Err(header.truncated(bytes.len() as u64)),
        _ => Ok(bytes),
    }
}

/// Returns all elements row-major and little-endian.
pub(crate) fn in_order(header: &Header, mut stored: Vec<u8>) -> Result<Vec<u8>, NpyError> {
    to_little_endian(header, &mut stored);
    if !header.is_reversed() {
        return Ok(stored);
    }
    let mut ordered = Vec::new();
    ordered.try_reserve_exact(stored.len()).map_err(|_| NpyError::Memory(stored.len()))?;
    ordered.resize(stored.len(), 0);
    to_row_major(&stored, header.shape.dims(), header.dtype.size(), &mut ordered);
    Ok(ordered)
}

/// Reverses the bytes of each number if the file is big-endian.
pub(crate) fn to_little_endian(header: &Header, elements: &mut [u8]) {
    if header.big_endian {
        let number = header.dtype.size() / header.dtype.parts();
        elements.chunks_exact_mut(number).for_each(<[u8]>::reverse);
    }
}

/// Puts elements of `size` bytes, which are stored with the first index fastest, in row-major order.
pub(crate) fn to_row_major(stored: &[u8], sizes: &[usize], size: usize, into: &mut [u8]) {
    match size {
        1 => to_row_major_of::<1>(stored, sizes, into),
        2 => to_row_major_of::<2>(stored, sizes, into),
        4 => to_row_major_of::<4>(stored, sizes, into),
        8 => to_row_major_of::<8>(stored, sizes, into),
        _ => to_row_major_of::<16>(stored, sizes, into),
    }
}

/// Version for elements of `N` bytes.
fn to_row_major_of<const N: usize>(stored: &[u8], sizes: &[usize], into: &mut [u8]) {
    let (stored, _) = stored.as_chunks::<N>();
    let (into, _) = into.as_chunks_mut::<N>();
    if into.is_empty() {
        return;
    }
    let mut steps = Vec::with_capacity(sizes.len());
    let mut step = 1;
    for &n in sizes {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fortran_order_becomes_row_major() {
        // The columns of [[0, 1, 2], [3, 4, 5]] one after the other.
        let mut out = [9; 6];
        to_row_major(&[0, 3, 1, 4, 2, 5], &[2, 3], 1, &mut out);
        assert_eq!(out, [0, 1, 2, 3, 4, 5]);
        let mut out = [9; 8];
        to_row_major(&[0, 4, 2, 6, 1, 5, 3, 7], &[2, 2, 2], 1, &mut out);
        assert_eq!(out, [0, 1, 2, 3, 4, 5, 6, 7]);
        // An array without elements has none to move, wherever its 0 stands.
        to_row_major(&[], &[0, 3], 1, &mut []);
        to_row_major(&[], &[3, 0], 1, &mut []);
    }
}
