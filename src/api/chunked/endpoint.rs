//! [`ChunkSource`] and [`ChunkSink`]: where elements come from and where they go.

use std::io;
use std::ops::Range;

use indim_core::semantics::element::ElementType;
use indim_core::semantics::literal::Literal;
use indim_core::semantics::print::summary::Summary;
use indim_core::semantics::shape::Shape;

/// An operand that is read in pieces. A [`Literal`] is one.
///
/// It is read on a separate thread, while the device computes.
///
/// ```
/// use indim::{ChunkSource, ElementType, Shape};
/// use std::{io, ops::Range};
///
/// struct Zeros(Shape);
///
/// impl ChunkSource for Zeros {
///     fn element_type(&self) -> ElementType {
///         ElementType::F32
///     }
///     fn shape(&self) -> &Shape {
///         &self.0
///     }
///     fn read(&mut self, _: &[Range<usize>], into: &mut [u8]) -> io::Result<()> {
///         into.fill(0);
///         Ok(())
///     }
/// }
/// # let gpu = indim::Context::blocking()?;
/// # let mut b = indim::Builder::new();
/// # let x = b.parameter(indim::ElementType::F32, [4])?;
/// # let y = b.exp(x)?;
/// # let exp = b.build(y)?;
/// let mut zeros = Zeros([4].into());
/// let ones = gpu.chunked(&exp).region(0, &[0..4], &mut [&mut zeros])?;
/// assert_eq!(ones.to_vec::<f32>()?, [1.; 4]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait ChunkSource: Send {
    /// Returns the type of the elements.
    fn element_type(&self) -> ElementType;

    /// Returns the shape of the whole operand.
    fn shape(&self) -> &Shape;

    /// Writes the elements of a region to `into`: row-major and little-endian, as in a [`Literal`].
    ///
    /// The region has a range of indices for each dimension and at least one element, and `into`
    /// has the length of its elements in bytes. Regions come in the order in which the results are
    /// written, and an element may be requested more than once.
    ///
    /// # Errors
    /// Any error ends the run; [`ChunkedError::Source`](crate::ChunkedError::Source) carries it.
    fn read(&mut self, region: &[Range<usize>], into: &mut [u8]) -> io::Result<()>;
}

/// A place that takes a result in pieces. A `Vec<u8>` is one: it receives all bytes of the result.
///
/// ```
/// use indim::{ChunkSink, Literal};
/// use std::{io, ops::{ControlFlow, Range}};
///
/// struct Count(usize);
///
/// impl ChunkSink for Count {
///     fn write(&mut self, _: &[Range<usize>], bytes: &[u8]) -> io::Result<()> {
///         self.0 += bytes.len();
///         Ok(())
///     }
/// }
/// # let gpu = indim::Context::blocking()?;
/// # let mut b = indim::Builder::new();
/// # let x = b.parameter(indim::ElementType::F32, [4])?;
/// # let y = b.exp(x)?;
/// # let exp = b.build(y)?;
/// let (mut x, mut count) = (Literal::from_slice([4], &[0_f32; 4])?, Count(0));
/// let on = |_| ControlFlow::Continue(());
/// gpu.chunked(&exp).run(&mut [&mut x], &mut [(0, &mut count)], on)?;
/// assert_eq!(count.0, 16);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait ChunkSink {
    /// Takes the elements of a region: row-major and little-endian, as in a [`Literal`].
    ///
    /// Regions come in row-major order, and the elements of each are contiguous in the result,
    /// directly after the previous region. So a sink may write them to a stream.
    ///
    /// # Errors
    /// Any error ends the run; [`ChunkedError::Sink`](crate::ChunkedError::Sink) carries it.
    fn write(&mut self, region: &[Range<usize>], bytes: &[u8]) -> io::Result<()>;
}

impl ChunkSource for Literal {
    fn element_type(&self) -> ElementType {
        self.element_type()
    }

    fn shape(&self) -> &Shape {
        self.shape()
    }

    fn read(&mut self, region: &[Range<usize>], into: &mut [u8]) -> io::Result<()> {
        let size = self.element_type().size_in_bytes();
        let strides = self.shape().strides();
        let row = region.last().map_or(1, Range::len);
        if row == 0 {
            return Ok(());
        }
        let mut at: Vec<usize> = region.iter().map(|range| range.start).collect();
        for out in into.chunks_exact_mut(row * size) {
            let first: usize = at.iter().zip(&strides).map(|(i, stride)| i * stride).sum();
            let from = self.bytes().get(first * size..(first + row) * size);
            out.copy_from_slice(from.ok_or(io::ErrorKind::InvalidInput)?);
            // The next row begins here.
            for d in (0..region.len().saturating_sub(1)).rev() {
                at[d] += 1;
                if at[d] < region[d].end {
                    break;
                }
                at[d] = region[d].start;
            }
        }
        Ok(())
    }
}

impl ChunkSink for Vec<u8> {
    fn write(&mut self, _: &[Range<usize>], bytes: &[u8]) -> io::Result<()> {
        self.try_reserve(bytes.len()).map_err(|_| io::ErrorKind::OutOfMemory)?;
        self.extend_from_slice(bytes);
        Ok(())
    }
}

impl ChunkSink for Summary {
    fn write(&mut self, region: &[Range<usize>], bytes: &[u8]) -> io::Result<()> {
        self.take(region, bytes);
        Ok(())
    }
}
