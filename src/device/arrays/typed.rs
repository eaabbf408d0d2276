//! An array whose element type the compiler knows: an [`AnyArray`] with a type beside it.

use std::fmt;
use std::marker::PhantomData;

use crate::device::arrays::array::{AnyArray, BufferRange};
use crate::device::context::Context;
use indim_core::errors::array::ArrayError;
use indim_core::semantics::element::Element;
use indim_core::semantics::error::Result;
use indim_core::semantics::shape::Shape;

/// A dense row-major array of `T` on a device.
///
/// [`Context::array`] and evaluating operations make arrays. Operators on references to arrays
/// build an [`Expr`](crate::Expr), which computes nothing until [`eval`](crate::Expr::eval).
///
/// ```
/// # fn main() -> indim::Result<()> {
/// use indim::{Array, Context};
///
/// let gpu = Context::blocking()?;
/// let x: Array<f32> = gpu.array([2, 3], &[1_f32, 2., 3., 4., 5., 6.])?;
/// let means = gpu.array([3], &[2.5_f32, 3.5, 4.5])?;
/// let centred: Array<f32> = (&x - means.in_dim([1])).eval()?;
/// assert_eq!(centred.shape().dims(), [2, 3]);
/// assert_eq!(centred.to_vec_blocking()?, [-1.5, -1.5, -1.5, 1.5, 1.5, 1.5]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Array<T> {
    any: AnyArray,
    marker: PhantomData<fn() -> T>,
}

impl<T: Element> fmt::Debug for Array<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Array({}{})", T::ELEMENT_TYPE, self.shape())
    }
}

impl<T: Element> Array<T> {
    /// Returns the shape.
    ///
    /// ```
    /// let x = indim::Context::blocking()?.zeros::<f32>([2, 3])?;
    /// assert_eq!(x.shape().dims(), [2, 3]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn shape(&self) -> &Shape {
        self.any.shape()
    }

    /// Returns the number of dimensions; 0 for a scalar.
    ///
    /// ```
    /// # fn main() -> indim::Result<()> {
    /// let x = indim::Context::blocking()?.zeros::<f32>([2, 3])?;
    /// assert_eq!((x.rank(), x.len(), x.is_empty()), (2, 6, false));
    /// # Ok(())
    /// # }
    /// ```
    pub fn rank(&self) -> usize {
        self.any.rank()
    }

    /// Returns the number of elements, in all dimensions together.
    ///
    /// ```
    /// let x = indim::Context::blocking()?.zeros::<f32>([2, 3])?;
    /// assert_eq!(x.len(), 6);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn len(&self) -> usize {
        self.any.len()
    }

    /// Returns true if it has no elements: one of the sizes is 0.
    ///
    /// ```
    /// let gpu = indim::Context::blocking()?;
    /// assert!(gpu.zeros::<f32>([2, 0])?.is_empty());
    /// assert!(!gpu.zeros::<f32>([2, 3])?.is_empty());
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.any.is_empty()
    }

    /// Returns the array's context.
    ///
    /// ```
    /// let gpu = indim::Context::blocking()?;
    /// let x = gpu.zeros::<f32>([2])?;
    /// assert_eq!(x.context().device(), gpu.device());
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn context(&self) -> &Context {
        self.any.context()
    }

    /// Returns the array with its element type known at run time only.
    ///
    /// ```
    /// use indim::{Context, ElementType};
    ///
    /// let x = Context::blocking()?.zeros::<f32>([2])?;
    /// assert_eq!(x.as_any().element_type(), ElementType::F32);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn as_any(&self) -> &AnyArray {
        &self.any
    }

    pub(crate) fn as_any_mut(&mut self) -> &mut AnyArray {
        &mut self.any
    }

    /// Reads the elements back in row-major order, once all that the array depends on has run.
    ///
    /// May be awaited on any executor; a thread of the context polls the device meanwhile.
    ///
    /// ```
    /// # fn main() -> indim::Result<()> {
    /// # pollster::block_on(async {
    /// let x = indim::Context::new().await?.array([2], &[1_f32, 2.])?;
    /// assert_eq!((&x + 1.0).eval()?.to_vec().await?, [2., 3.]);
    /// # Ok(())
    /// # })
    /// # }
    /// ```
    ///
    /// # Errors
    /// It returns the same errors as [`AnyArray::to_literal`].
    pub async fn to_vec(&self) -> Result<Vec<T>> {
        self.any.read_with(T::bytes_to_vec).await
    }

    /// Blocking version of [`Array::to_vec`].
    ///
    /// ```
    /// let x = indim::Context::blocking()?.array([2], &[1_f32, 2.])?;
    /// assert_eq!((&x + 1.0).eval()?.to_vec_blocking()?, [2., 3.]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the same errors as [`AnyArray::to_literal`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn to_vec_blocking(&self) -> Result<Vec<T>> {
        self.any.read_with_blocking(T::bytes_to_vec)
    }

    /// Makes all writes to the array happen in place from now on, even if it has other holders; see
    /// [`AnyArray::always_in_place`].
    ///
    /// ```
    /// # fn main() -> indim::Result<()> {
    /// let gpu = indim::Context::blocking()?;
    /// let mut u = gpu.array([2], &[1_f32, 2.])?;
    /// let shown = u.clone();
    /// u.always_in_place();
    /// (&u * 10.0).eval_into(&mut u)?;
    /// assert_eq!(shown.to_vec_blocking()?, [10., 20.]); // without the call above: [1., 2.]
    /// # Ok(())
    /// # }
    /// ```
    pub fn always_in_place(&self) {
        self.any.always_in_place();
    }

    /// Returns the array's buffer; see [`AnyArray::buffer`].
    ///
    /// ```
    /// let gpu = indim::Context::blocking()?;
    /// let x = gpu.array([2], &[1_f32, 2.])?;
    /// let range = x.buffer()?;
    /// gpu.queue().write_buffer(&range.buffer, range.offset + 4, &5_f32.to_le_bytes());
    /// assert_eq!(x.to_vec_blocking()?, [1., 5.]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`DeviceError`](crate::DeviceError).
    pub fn buffer(&self) -> Result<BufferRange> {
        self.any.buffer()
    }
}

impl AnyArray {
    /// Returns the array as one of elements of type `T`.
    ///
    /// ```
    /// use indim::{Array, Context, Literal};
    ///
    /// let x = Context::blocking()?.upload(&Literal::from_slice([2], &[1_i32, 2])?)?;
    /// assert!(x.clone().downcast::<f32>().is_err());
    /// let typed: Array<i32> = x.downcast()?;
    /// assert_eq!(typed.to_vec_blocking()?, [1, 2]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ArrayError::ElementType`].
    pub fn downcast<T: Element>(self) -> Result<Array<T>> {
        if T::ELEMENT_TYPE != self.element_type() {
            let (found, wanted) = (self.element_type(), T::ELEMENT_TYPE);
            return Err(ArrayError::ElementType { found, wanted }.into());
        }
        Ok(Array { any: self, marker: PhantomData })
    }
}
