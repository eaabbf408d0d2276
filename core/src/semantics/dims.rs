//! [`Dims`]: lists of sizes, dimension numbers and indices, of several integer types.

use std::borrow::Cow;

use crate::semantics::shape::{Shape, ShapeError};

/// A list of dimensions, sizes or indices, which the rules have been checked on.
pub(crate) type List = Box<[i64]>;

mod sealed {
    pub trait Sealed {}
}

/// A list of sizes, of dimension numbers, or of indices: an array, a slice, a vector, or a
/// reference to one, of `i64`, `usize` or `i32`; or a [`Shape`], for its sizes.
///
/// XLA's lists are of `i64`, because negative numbers get an error of their own. Sizes in Rust are
/// of `usize`, and a literal such as `[1, 0]` is of `i32` unless its type is given or inferred. A
/// literal that does not fit `i32` must name its type: `[1_i64 << 32]`. Arrays of `usize` and `i32`
/// have up to 16 numbers; arrays of `i64`, slices and vectors have any number.
///
/// A `usize` above 2^63 - 1, which no dimension reaches, counts as -2^63 and is refused like a
/// negative number.
///
/// The trait is sealed, so that methods can be added to it.
///
/// ```
/// use indim::Expr;
///
/// let x = Expr::<f32>::iota([2, 3], 0);
/// let sizes: Vec<usize> = x.shape()?.dims().iter().rev().copied().collect();
/// assert_eq!(x.transpose([1, 0]).shape()?.dims(), sizes);
/// assert_eq!(x.reshape(&sizes).shape()?.dims(), [3, 2]);
/// assert_eq!(x.reshape([-1, 3]).shape().unwrap_err().rule(), Some(indim::Rule::N1));
/// # Ok::<(), indim::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a list of sizes, dimensions or indices",
    note = "give an array, a slice or a vector of `i64`, `usize` or `i32`, such as `[1]`"
)]
pub trait Dims: sealed::Sealed {
    /// Returns the numbers, signed as in XLA.
    fn to_signed(&self) -> Cow<'_, [i64]>;

    /// Returns the shape with these sizes.
    ///
    /// ```
    /// use indim::{Dims as _, Shape};
    ///
    /// assert_eq!([2, 3].to_shape()?, Shape::from([2_usize, 3]));
    /// assert_eq!([-1].to_shape().unwrap_err().to_string(), "size 0 is -1; sizes are 0 or more");
    /// # Ok::<(), indim::ShapeError>(())
    /// ```
    ///
    /// # Errors
    /// [`ShapeError::NegativeSize`] (rule N1); on hosts of 32 bits [`ShapeError::SizeTooLarge`] (rule
    /// C1).
    fn to_shape(&self) -> Result<Shape, ShapeError>;
}

/// The integers that a list may contain.
trait DimInt: Copy {
    fn list(numbers: &[Self]) -> Cow<'_, [i64]>;

    fn shape(numbers: &[Self]) -> Result<Shape, ShapeError> {
        Shape::from_signed(&Self::list(numbers))
    }
}

impl DimInt for i64 {
    fn list(numbers: &[Self]) -> Cow<'_, [i64]> {
        Cow::Borrowed(numbers)
    }
}

impl DimInt for i32 {
    fn list(numbers: &[Self]) -> Cow<'_, [i64]> {
        Cow::Owned(numbers.iter().map(|&number| number.into()).collect())
    }
}

impl DimInt for usize {
    fn list(numbers: &[Self]) -> Cow<'_, [i64]> {
        let signed = |&number| i64::try_from(number).unwrap_or(i64::MIN);
        Cow::Owned(numbers.iter().map(signed).collect())
    }

    fn shape(numbers: &[Self]) -> Result<Shape, ShapeError> {
        Ok(Shape::new(numbers))
    }
}

macro_rules! lists {
    ($([$($generics:tt)*] $list:ty,)*) => {$(
        impl<$($generics)*> sealed::Sealed for $list {}

        impl<$($generics)*> Dims for $list {
            fn to_signed(&self) -> Cow<'_, [i64]> {
                DimInt::list(&self[..])
            }

            fn to_shape(&self) -> Result<Shape, ShapeError> {
                DimInt::shape(&self[..])
            }
        }
    )*};
}

lists! {
    [] [i64],
    [] [i32],
    [] [usize],
    [] Vec<i64>,
    [] Vec<i32>,
    [] Vec<usize>,
    // The numbers of another list, as `to_signed` returns them.
    [] Cow<'_, [i64]>,
    [const N: usize] [i64; N],
}

// An empty array is one of `i64`, the only candidate, so that the compiler can infer the type of
// `[]`.
macro_rules! arrays {
    ($($length:literal)*) => { lists! { $([] [i32; $length], [] [usize; $length],)* } };
}

arrays! { 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 }

impl sealed::Sealed for Shape {}

impl Dims for Shape {
    fn to_signed(&self) -> Cow<'_, [i64]> {
        self.dims().to_signed()
    }

    fn to_shape(&self) -> Result<Shape, ShapeError> {
        Ok(self.clone())
    }
}

impl<D: Dims + ?Sized> sealed::Sealed for &D {}

impl<D: Dims + ?Sized> Dims for &D {
    fn to_signed(&self) -> Cow<'_, [i64]> {
        (**self).to_signed()
    }

    fn to_shape(&self) -> Result<Shape, ShapeError> {
        (**self).to_shape()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signed(dims: impl Dims) -> Vec<i64> {
        dims.to_signed().into_owned()
    }

    #[test]
    fn lists_of_all_integers_are_taken() {
        assert_eq!(signed([]), []);
        assert_eq!(signed(&[]), []);
        assert_eq!(signed([2, 0, -1]), [2, 0, -1], "a bare literal");
        assert_eq!(signed(&[2_i64, i64::MAX]), [2, i64::MAX]);
        assert_eq!(signed([1_usize, 0]), [1, 0]);
        assert_eq!(signed(vec![7]), [7]);
        assert_eq!(signed(vec![7_usize]), [7]);
        assert_eq!(signed(&vec![7_i64]), [7]);
        assert_eq!(signed(&[3_usize, 4][1..]), [4]);
        assert_eq!(signed(&[3, 4][..1]), [3]);
        assert_eq!(signed(&&[3_i64; 40][..]), [3; 40]);
        assert_eq!(signed(Shape::new(&[2, 3])), [2, 3]);
        assert_eq!(signed(&Shape::scalar()), []);
    }

    #[test]
    fn what_no_dimension_reaches_is_negative() {
        let largest = isize::MAX as usize;
        assert_eq!(signed([largest]), [isize::MAX as i64]);
        #[cfg(target_pointer_width = "64")]
        assert_eq!(signed([largest + 1, usize::MAX]), [i64::MIN; 2]);
    }
}
