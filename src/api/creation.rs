//! Arrays that a context fills by itself. Each is the value of an expression.

use crate::api::expr::Expr;
use crate::device::arrays::typed::Array;
use crate::device::context::Context;
use indim_core::semantics::dims::Dims;
use indim_core::semantics::element::{Element, Number};
use indim_core::semantics::error::Result;

impl Context {
    /// Returns an array of this shape in which each element is `value`. In an expression,
    /// [`Expr::full`] takes no memory.
    ///
    /// ```
    /// # fn main() -> indim::Result<()> {
    /// let gpu = indim::Context::blocking()?;
    /// assert_eq!(gpu.full([2], 1.5_f32)?.to_vec_blocking()?, [1.5, 1.5]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ShapeError`](crate::ShapeError) by rule C1, as
    /// [`Error::Expression`](crate::Error::Expression); [`DeviceError`](crate::DeviceError).
    #[track_caller]
    pub fn full<T: Element>(&self, shape: impl Dims, value: T) -> Result<Array<T>> {
        self.eval(Expr::full(value, shape))
    }

    /// Returns an array of this shape in which each element is 0, or false.
    ///
    /// ```
    /// # fn main() -> indim::Result<()> {
    /// let gpu = indim::Context::blocking()?;
    /// let mut sum = gpu.zeros::<f32>([2, 3])?;
    /// (&sum + 1.0).eval_into(&mut sum)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// It returns the errors of [`Context::full`].
    #[track_caller]
    pub fn zeros<T: Element>(&self, shape: impl Dims) -> Result<Array<T>> {
        self.full(shape, T::of(0.0))
    }

    /// Returns the numbers from 0 to `count` - 1 as an array of rank 1: NumPy's `arange` of one
    /// argument. Numbers that the type does not hold are those of [`Expr::iota`]. In an expression,
    /// iota takes no memory, and a start and a step are operations on it:
    ///
    /// ```
    /// # fn main() -> indim::Result<()> {
    /// use indim::{Context, Expr};
    ///
    /// let gpu = Context::blocking()?;
    /// assert_eq!(gpu.arange::<u8>(3)?.to_vec_blocking()?, [0, 1, 2]);
    /// let halves = gpu.eval(Expr::<f32>::iota([3], 0) * 0.5 + 10.0)?;
    /// assert_eq!(halves.to_vec_blocking()?, [10.0, 10.5, 11.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// It returns the errors of [`Context::full`].
    #[track_caller]
    pub fn arange<T: Number>(&self, count: usize) -> Result<Array<T>> {
        self.eval(Expr::iota([count], 0))
    }
}
