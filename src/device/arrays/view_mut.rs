//! Writable parts of arrays: [`ViewMut`], and [`AnyViewMut`] without the element type.

use std::fmt;
use std::marker::PhantomData;

use crate::device::arrays::array::AnyArray;
use crate::device::arrays::typed::Array;
use indim_compiler::kernel::destination::Destination;
use indim_core::errors::array::ArrayError;
use indim_core::semantics::dims::Dims;
use indim_core::semantics::element::{Element, ElementType};
use indim_core::semantics::error::Result;
use indim_core::semantics::infer::{self, Inferred, TensorType};
use indim_core::semantics::shape::Shape;
use indim_core::semantics::view::View;

/// Elements of an array that are to be written ([`Bound::eval_into`](crate::Bound::eval_into)): a
/// slice, possibly strided or reversed. The array's other elements keep their values. It is
/// [`ViewMut`] without the element type.
#[derive(Debug)]
pub struct AnyViewMut<'a> {
    pub(crate) array: &'a mut AnyArray,
    shape: Shape,
    /// The array element for each element of the shape.
    view: View,
}

impl AnyArray {
    /// Returns all elements, to be written.
    ///
    /// ```
    /// use indim::{Context, Literal};
    ///
    /// let mut x = Context::blocking()?.upload(&Literal::from_slice([3], &[1_i32, 2, 3])?)?;
    /// x.view_mut().reverse([0])?.write(&Literal::from_slice([3], &[7_i32, 8, 9])?)?;
    /// assert_eq!(x.to_literal_blocking()?.to_vec::<i32>()?, [9, 8, 7]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn view_mut(&mut self) -> AnyViewMut<'_> {
        let shape = self.shape().clone();
        let view = View::identity(&shape);
        AnyViewMut { array: self, shape, view }
    }
}

impl AnyViewMut<'_> {
    /// Returns the shape.
    ///
    /// ```
    /// use indim::{Context, Literal};
    ///
    /// let mut x = Context::blocking()?.upload(&Literal::from_slice([3], &[1_i32, 2, 3])?)?;
    /// assert_eq!(x.view_mut().slice([1], [3])?.shape().dims(), [2]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns the element type.
    ///
    /// ```
    /// use indim::{Context, ElementType, Literal};
    ///
    /// let mut x = Context::blocking()?.upload(&Literal::from_slice([3], &[1_i32, 2, 3])?)?;
    /// assert_eq!(x.view_mut().element_type(), ElementType::S32);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn element_type(&self) -> ElementType {
        self.array.element_type()
    }

    /// Returns the part of it whose index in dimension d lies from `start_indices[d]` up to, but
    /// without, `limit_indices[d]`.
    ///
    /// ```
    /// use indim::{Context, Literal};
    ///
    /// let mut x = Context::blocking()?.upload(&Literal::from_slice([3], &[1_i32, 2, 3])?)?;
    /// x.view_mut().slice([1], [3])?.write(&Literal::from_slice([2], &[8_i32, 9])?)?;
    /// assert_eq!(x.to_literal_blocking()?.to_vec::<i32>()?, [1, 8, 9]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ViewError`](crate::ViewError) by rules V2 and V3.
    pub fn slice(self, start_indices: impl Dims, limit_indices: impl Dims) -> Result<Self> {
        let steps = vec![1; self.shape.rank()];
        let (start, limit) = (start_indices.to_signed(), limit_indices.to_signed());
        let Inferred { shape, .. } = infer::slice(self.tensor_type(), &start, &limit, &steps)?;
        let view = View::slice(&self.shape, &start, &steps, &shape);
        self.viewed(view, shape)
    }

    /// Returns every `steps[d]`-th element of dimension d, from the first one on.
    ///
    /// ```
    /// use indim::{Context, Literal};
    ///
    /// let mut x = Context::blocking()?.upload(&Literal::from_slice([3], &[1_i32, 2, 3])?)?;
    /// x.view_mut().step_by([2])?.write(&Literal::from_slice([2], &[8_i32, 9])?)?;
    /// assert_eq!(x.to_literal_blocking()?.to_vec::<i32>()?, [8, 2, 9]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ViewError`](crate::ViewError) by rules V2 and V4.
    pub fn step_by(self, steps: impl Dims) -> Result<Self> {
        let (zeros, sizes) = (vec![0; self.shape.rank()], self.shape.to_signed().into_owned());
        let steps = steps.to_signed();
        let Inferred { shape, .. } = infer::slice(self.tensor_type(), &zeros, &sizes, &steps)?;
        let view = View::slice(&self.shape, &zeros, &steps, &shape);
        self.viewed(view, shape)
    }

    /// Returns the same elements, in the opposite order along these dimensions.
    ///
    /// ```
    /// use indim::{AnyExpr, Context, ElementType, Literal};
    ///
    /// let mut x = Context::blocking()?.upload(&Literal::from_slice([3], &[1_i32, 2, 3])?)?;
    /// let numbers = AnyExpr::iota(ElementType::S32, [3], 0)?;
    /// numbers.eval_into(x.view_mut().reverse([0])?)?;
    /// assert_eq!(x.to_literal_blocking()?.to_vec::<i32>()?, [2, 1, 0]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ViewError`](crate::ViewError) by rule V5.
    pub fn reverse(self, dimensions: impl Dims) -> Result<Self> {
        let dimensions = dimensions.to_signed();
        let Inferred { shape, .. } = infer::reverse(self.tensor_type(), &dimensions)?;
        let view = View::reverse(&self.shape, &dimensions);
        self.viewed(view, shape)
    }

    fn tensor_type(&self) -> TensorType<'_> {
        TensorType { element_type: self.element_type(), shape: &self.shape }
    }

    /// Returns the elements that a view of these gives, in this shape.
    fn viewed(self, view: View, shape: Shape) -> Result<Self> {
        // Slices and reversals are strided, and so are their compositions.
        let Some(view) = view.of(&self.view, self.array.shape(), &shape) else {
            let (expression, target) = (shape, self.shape);
            return Err(ArrayError::TargetShape { expression, target }.into());
        };
        Ok(Self { view, shape, array: self.array })
    }

    pub(crate) fn reborrow(&mut self) -> AnyViewMut<'_> {
        let (shape, view) = (self.shape.clone(), self.view.clone());
        AnyViewMut { array: &mut *self.array, shape, view }
    }

    /// Checks that a value of this type and shape fits.
    pub(crate) fn check(&self, element_type: ElementType, shape: &Shape) -> Result<()> {
        if element_type != self.element_type() {
            let (found, wanted) = (self.element_type(), element_type);
            return Err(ArrayError::ElementType { found, wanted }.into());
        }
        if *shape != self.shape {
            let (expression, target) = (shape.clone(), self.shape.clone());
            return Err(ArrayError::TargetShape { expression, target }.into());
        }
        Ok(())
    }

    /// Returns the place of the elements; aliases are not noted yet.
    pub(crate) fn destination(&self) -> Destination {
        let mut destination = Destination {
            shape: self.shape.clone(),
            offset: 0,
            strides: vec![0; self.shape.rank()],
            count: self.array.shape().element_count().unwrap_or(usize::MAX),
            layout: self.array.storage().layout(),
            aliases: Vec::new(),
            is_final: true,
        };
        let View::Strided(indices) = &self.view else { return destination };
        for (index, stride) in indices.iter().zip(self.array.shape().strides()) {
            // A slice begins within its operand.
            destination.offset += index.start.unsigned_abs() * stride;
            if let Some(along) = destination.strides.get_mut(index.dimension) {
                *along += index.step * stride.cast_signed();
            }
        }
        destination
    }
}

/// Elements of an array that an expression is evaluated into
/// ([`Expr::eval_into`](crate::Expr::eval_into)): a slice, possibly strided or reversed. The
/// array's other elements keep their values.
///
/// ```
/// # let gpu = indim::Context::blocking()?;
/// # let (mut u, v) = (gpu.zeros([512, 512])?, gpu.full([510, 256], 2_f32)?);
/// // The elements of u from row 1 to row 510, in every second column, the last one first.
/// let part = u.slice_mut([1, 0], [511, 512])?.step_by([1, 2])?.reverse([1])?;
/// (&v * 2.0).eval_into(part)?;
/// # Ok::<(), indim::Error>(())
/// ```
pub struct ViewMut<'a, T> {
    any: AnyViewMut<'a>,
    marker: PhantomData<fn() -> T>,
}

impl<T: Element> fmt::Debug for ViewMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ViewMut({}{})", T::ELEMENT_TYPE, self.shape())
    }
}

impl<T: Element> Array<T> {
    /// Returns all elements, to be written.
    pub(crate) fn view_mut(&mut self) -> ViewMut<'_, T> {
        ViewMut::of(self.as_any_mut().view_mut())
    }

    /// Returns the elements, to be written, whose index in dimension d lies from
    /// `start_indices[d]` up to, but without, `limit_indices[d]`.
    ///
    /// ```
    /// let mut x = indim::Context::blocking()?.zeros::<f32>([3, 3])?;
    /// x.slice_mut([1, 0], [2, 3])?.write(&[1., 2., 3.])?; // the second row
    /// assert_eq!(x.to_vec_blocking()?, [0., 0., 0., 1., 2., 3., 0., 0., 0.]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ViewError`](crate::ViewError) by rules V2 and V3.
    pub fn slice_mut(
        &mut self,
        start_indices: impl Dims,
        limit_indices: impl Dims,
    ) -> Result<ViewMut<'_, T>> {
        self.view_mut().slice(start_indices, limit_indices)
    }
}

impl<'a, T: Element> ViewMut<'a, T> {
    pub(crate) fn into_any(self) -> AnyViewMut<'a> {
        self.any
    }

    /// Returns the shape.
    ///
    /// ```
    /// let mut x = indim::Context::blocking()?.zeros::<f32>([3, 4])?;
    /// assert_eq!(x.slice_mut([1, 0], [3, 4])?.shape().dims(), [2, 4]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn shape(&self) -> &Shape {
        self.any.shape()
    }

    /// Returns a part of it; see [`AnyViewMut::slice`].
    ///
    /// ```
    /// let mut x = indim::Context::blocking()?.zeros::<f32>([4])?;
    /// let odd = x.slice_mut([1], [4])?.step_by([2])?;
    /// odd.slice([1], [2])?.write(&[5.])?; // the second one of them
    /// assert_eq!(x.to_vec_blocking()?, [0., 0., 0., 5.]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ViewError`](crate::ViewError) by rules V2 and V3.
    pub fn slice(self, start_indices: impl Dims, limit_indices: impl Dims) -> Result<Self> {
        Ok(Self::of(self.any.slice(start_indices, limit_indices)?))
    }

    /// Returns every `steps[d]`-th element of dimension d, from the first one on.
    ///
    /// ```
    /// let mut x = indim::Context::blocking()?.zeros::<f32>([4])?;
    /// x.slice_mut([1], [4])?.step_by([2])?.write(&[1., 2.])?;
    /// assert_eq!(x.to_vec_blocking()?, [0., 1., 0., 2.]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ViewError`](crate::ViewError) by rules V2 and V4.
    pub fn step_by(self, steps: impl Dims) -> Result<Self> {
        Ok(Self::of(self.any.step_by(steps)?))
    }

    /// Returns the same elements, in the opposite order along these dimensions.
    ///
    /// ```
    /// let mut x = indim::Context::blocking()?.zeros::<f32>([4])?;
    /// x.slice_mut([0], [3])?.reverse([0])?.write(&[1., 2., 3.])?;
    /// assert_eq!(x.to_vec_blocking()?, [3., 2., 1., 0.]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ViewError`](crate::ViewError) by rule V5.
    pub fn reverse(self, dimensions: impl Dims) -> Result<Self> {
        Ok(Self::of(self.any.reverse(dimensions)?))
    }

    pub(crate) fn reborrow(&mut self) -> ViewMut<'_, T> {
        ViewMut::of(self.any.reborrow())
    }

    fn of(any: AnyViewMut<'a>) -> Self {
        Self { any, marker: PhantomData }
    }
}
