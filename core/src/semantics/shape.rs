//! [`Shape`]: the sizes of an array's dimensions, its element count and its row-major strides, all
//! in elements.

use std::fmt;

use crate::semantics::element::ElementType;
use crate::semantics::error_debug::debug_is_text;

/// The sizes of an array's dimensions, outermost first. Rank 0 is a scalar.
///
/// A shape may have any sizes, even ones that no memory holds. Functions that need an element count
/// check it and return [`ShapeError::TooManyElements`].
///
/// Functions take a shape, or a list of sizes ([`Dims`](crate::Dims)): `[2, 3]`, and `[]` for a
/// scalar. A tuple is neither. Where NumPy has `(2, 3)`, write `[2, 3]`.
///
/// ```
/// use indim::Shape;
///
/// let shape = Shape::from([2, 3]); // arrays, slices and vectors of sizes are shapes
/// assert_eq!((shape.rank(), shape.dims(), shape.element_count()?), (2, &[2, 3][..], 6));
/// assert_eq!(Shape::scalar().element_count()?, 1);
/// assert_eq!(shape.to_string(), "[2, 3]");
/// # Ok::<(), indim::ShapeError>(())
/// ```
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct Shape(Vec<usize>);

/// The largest element count of a shape. XLA counts elements in signed 64 bits; strides are signed
/// as well, so a 32-bit host counts to 2^31 - 1.
const MAX_ELEMENTS: usize = isize::MAX as usize;

impl Shape {
    /// Returns the shape with these sizes.
    ///
    /// ```
    /// use indim::Shape;
    ///
    /// assert_eq!(Shape::new(&[2, 3]), Shape::from([2, 3]));
    /// ```
    pub fn new(dims: &[usize]) -> Self {
        Self(dims.to_vec())
    }

    /// Returns a scalar's shape: rank 0, one element.
    ///
    /// ```
    /// use indim::Shape;
    ///
    /// assert_eq!(Shape::scalar().element_count(), Ok(1));
    /// ```
    pub fn scalar() -> Self {
        Self(Vec::new())
    }

    /// Returns the sizes in elements, outermost dimension first.
    ///
    /// ```
    /// assert_eq!(indim::Shape::from([2, 3]).dims(), [2, 3]);
    /// ```
    pub fn dims(&self) -> &[usize] {
        &self.0
    }

    /// Returns the number of dimensions.
    ///
    /// ```
    /// assert_eq!(indim::Shape::from([2, 3]).rank(), 2);
    /// ```
    pub fn rank(&self) -> usize {
        self.0.len()
    }

    /// Returns the number of elements of an array of this shape: the product of the sizes.
    ///
    /// It is 0 if any size is 0, whatever the other sizes are.
    ///
    /// ```
    /// use indim::Shape;
    ///
    /// assert_eq!(Shape::from([2, 3]).element_count(), Ok(6));
    /// assert!(Shape::from([usize::MAX, 2]).element_count().is_err());
    /// assert_eq!(Shape::from([usize::MAX, 0]).element_count(), Ok(0));
    /// ```
    ///
    /// # Errors
    /// [`ShapeError::TooManyElements`] (rule C1) above 2^63 - 1, or above what the host can
    /// address.
    pub fn element_count(&self) -> Result<usize, ShapeError> {
        if self.0.contains(&0) {
            return Ok(0);
        }
        self.0
            .iter()
            .try_fold(1usize, |n, &d| n.checked_mul(d))
            .filter(|&n| n <= MAX_ELEMENTS)
            .ok_or_else(|| ShapeError::TooManyElements { shape: self.clone() })
    }

    /// Returns the row-major strides, in elements: the distance of neighbours along each dimension.
    ///
    /// They are all 0 for an array without elements.
    ///
    /// ```
    /// assert_eq!(indim::Shape::from([4, 2, 3]).strides(), [6, 3, 1]);
    /// ```
    pub fn strides(&self) -> Vec<usize> {
        let mut strides = vec![0; self.rank()];
        if self.element_count().is_ok_and(|n| n > 0) {
            let mut step = 1;
            for (stride, &size) in strides.iter_mut().zip(&self.0).rev() {
                *stride = step;
                step *= size;
            }
        }
        strides
    }

    /// Converts signed sizes, as XLA's API takes them. Refuses negative ones (rule N1), and on
    /// 32-bit hosts those above what the host can address (rule C1).
    pub(crate) fn from_signed(sizes: &[i64]) -> Result<Self, ShapeError> {
        let mut dims = Vec::with_capacity(sizes.len());
        for (index, &size) in sizes.iter().enumerate() {
            dims.push(usize::try_from(size).map_err(|_| {
                if size < 0 {
                    ShapeError::NegativeSize { index, size }
                } else {
                    ShapeError::SizeTooLarge { index, size }
                }
            })?);
        }
        Ok(Self(dims))
    }
}

/// Writes the shape like `[2, 3]`.
impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl<const N: usize> From<[usize; N]> for Shape {
    fn from(dims: [usize; N]) -> Self {
        Self(dims.to_vec())
    }
}

impl From<&[usize]> for Shape {
    fn from(dims: &[usize]) -> Self {
        Self(dims.to_vec())
    }
}

impl From<Vec<usize>> for Shape {
    fn from(dims: Vec<usize>) -> Self {
        Self(dims)
    }
}

impl From<&Shape> for Shape {
    fn from(shape: &Shape) -> Self {
        shape.clone()
    }
}

debug_is_text! {
/// A shape that is refused whatever the operation.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A size is negative (rule N1).
    #[error("size {index} is {size}; sizes are 0 or more")]
    NegativeSize {
        /// The index in the sizes given.
        index: usize,
        /// The size at that index.
        size: i64,
    },
    /// A size is more than the host can address (rule C1): 2^32 or more on a 32-bit host such as
    /// WebAssembly.
    #[error(
        "size {index} is {size}; sizes are at most {}, which is what this machine can address; use smaller sizes or split the array",
        usize::MAX
    )]
    SizeTooLarge {
        /// The index in the sizes given.
        index: usize,
        /// The size at that index.
        size: i64,
    },
    /// The elements cannot be counted (rule C1).
    #[error(
        "shape {shape} has more elements than can be counted (2^63 - 1, or what this machine can address); use smaller sizes or split the array"
    )]
    TooManyElements {
        /// The shape.
        shape: Shape,
    },
    /// The bytes of the elements cannot be counted (rule C1).
    #[error(
        "shape {shape} of {element_type} takes more bytes than can be counted (2^63 - 1, or what this machine can address); use smaller sizes or split the array"
    )]
    TooManyBytes {
        /// The element type.
        element_type: ElementType,
        /// The shape.
        shape: Shape,
    },
    /// `iota_dimension` is not a dimension of the shape (rule I1).
    #[error("iota_dimension is {dimension}, but shape {shape} has rank {}; {}", shape.rank(), dimension_range(shape.rank()))]
    IotaDimension {
        /// The `iota_dimension` given.
        dimension: i64,
        /// The shape to fill.
        shape: Shape,
    },
}
}

/// Returns the greatest common divisor of two sizes, at least one of them nonzero.
pub fn gcd(mut a: usize, mut b: usize) -> usize {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Names the dimensions of an array of this rank for a message.
pub(crate) fn dimension_range(rank: usize) -> String {
    match rank {
        0 => "a scalar has no dimensions".to_owned(),
        1 => "its only dimension is 0".to_owned(),
        _ => format!("its dimensions are 0 to {}", rank - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_checked() {
        assert_eq!(Shape::scalar().element_count(), Ok(1));
        assert_eq!(Shape::from([2, 3]).element_count(), Ok(6));
        assert_eq!(Shape::from([0, usize::MAX, usize::MAX]).element_count(), Ok(0));
        let huge = Shape::from([1 << 40, 1 << 40]);
        assert_eq!(
            huge.element_count().unwrap_err().to_string(),
            "shape [1099511627776, 1099511627776] has more elements than can be counted (2^63 - 1, or what this machine can address); use smaller sizes or split the array"
        );
        assert!(Shape::from([1 << 62, 2]).element_count().is_err(), "2^63 is one too many");
        // Every shape that can be counted has strides that fit signed numbers.
        assert!(Shape::from([isize::MAX as usize]).element_count().is_ok());
        assert!(Shape::from([isize::MAX as usize + 1]).element_count().is_err());
    }

    #[test]
    fn strides_are_row_major() {
        assert_eq!(Shape::from([2, 3, 4]).strides(), [12, 4, 1]);
        assert_eq!(Shape::from([2, 0, 4]).strides(), [0, 0, 0]);
        assert_eq!(Shape::scalar().strides(), [] as [usize; 0]);
        assert_eq!(Shape::from([1 << 40, 1 << 40]).strides(), [0, 0], "no overflow");
    }

    #[test]
    fn negative_sizes_are_named() {
        assert_eq!(
            Shape::from_signed(&[2, -1]).unwrap_err().to_string(),
            "size 1 is -1; sizes are 0 or more"
        );
    }
}
