//! Writes elements of host memory into existing arrays, or parts of them.

use crate::device::arrays::array::AnyArray;
use crate::device::arrays::typed::Array;
use crate::device::arrays::view_mut::{AnyViewMut, ViewMut};
use crate::device::recording::reclaim;
use crate::device::run::target;
use indim_core::errors::array::ArrayError;
use indim_core::semantics::element::Element;
use indim_core::semantics::error::Result;
use indim_core::semantics::literal::{Literal, check_count};

impl<T: Element> Array<T> {
    /// Writes the elements of `data`, in row-major order, over those of the array; for a part of
    /// it, take [`Array::slice_mut`]. Does not wait for the GPU: operations evaluated before this
    /// call see the old elements, later ones the new.
    ///
    /// As for [`Expr::eval_into`](crate::Expr::eval_into), other holders of the memory keep its
    /// contents, and one that is always written in place ([`Array::always_in_place`]) is written
    /// there. Any other whole array takes the memory to which the elements are uploaded, and
    /// gives back its former memory if nothing else holds it; a part is written in place if the
    /// array has no other holder, and otherwise into a copy. After an error the array is unchanged.
    ///
    /// ```
    /// # fn main() -> indim::Result<()> {
    /// let gpu = indim::Context::blocking()?;
    /// let mut x = gpu.array([2, 3], &[1_f32, 2., 3., 4., 5., 6.])?;
    /// x.write(&[7., 8., 9., 10., 11., 12.])?;
    /// x.slice_mut([0, 1], [2, 2])?.write(&[0., -1.])?; // the middle column
    /// assert_eq!(x.to_vec_blocking()?, [7., 0., 9., 10., -1., 12.]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ArrayError::ElementCount`] for another number of elements than the array has;
    /// [`ArrayError::NotSubmitted`] if commands in an encoder that is not yet submitted write the
    /// array; [`DeviceError`](crate::DeviceError).
    pub fn write(&mut self, data: &[T]) -> Result<()> {
        self.view_mut().write(data)
    }
}

impl<T: Element> ViewMut<'_, T> {
    /// Writes the elements of `data`, in row-major order of the part's shape; see
    /// [`Array::write`].
    ///
    /// ```
    /// let mut x = indim::Context::blocking()?.zeros::<f32>([4])?;
    /// x.slice_mut([1], [3])?.write(&[1., 2.])?;
    /// assert_eq!(x.to_vec_blocking()?, [0., 1., 2., 0.]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the errors of [`Array::write`].
    pub fn write(self, data: &[T]) -> Result<()> {
        check_count(self.shape(), data.len())?;
        self.into_any().write_bytes(&T::as_bytes(data))
    }
}

impl AnyArray {
    /// Writes the literal over the array's elements; see [`Array::write`].
    ///
    /// ```
    /// use indim::{Context, Literal};
    ///
    /// let mut x = Context::blocking()?.upload(&Literal::from_slice([2], &[1_i32, 2])?)?;
    /// x.write(&Literal::from_slice([2], &[3_i32, 4])?)?;
    /// assert_eq!(x.to_literal_blocking()?.to_vec::<i32>()?, [3, 4]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the errors of [`AnyViewMut::write`].
    pub fn write(&mut self, literal: &Literal) -> Result<()> {
        self.view_mut().write(literal)
    }
}

impl AnyViewMut<'_> {
    /// Writes the literal over the elements of the part; see [`Array::write`].
    ///
    /// ```
    /// use indim::{Context, Literal};
    ///
    /// let mut x = Context::blocking()?.upload(&Literal::from_slice([2], &[1_i32, 2])?)?;
    /// let last = x.view_mut().slice([1], [2])?;
    /// last.write(&Literal::from_slice([1], &[5_i32])?)?;
    /// assert_eq!(x.to_literal_blocking()?.to_vec::<i32>()?, [1, 5]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ArrayError::ElementType`] and [`ArrayError::LiteralShape`] unless it has the part's element
    /// type and shape; otherwise those of [`Array::write`].
    pub fn write(self, literal: &Literal) -> Result<()> {
        let (found, wanted) = (self.element_type(), literal.element_type());
        if found != wanted {
            return Err(ArrayError::ElementType { found, wanted }.into());
        }
        if literal.shape() != self.shape() {
            let (literal, target) = (literal.shape().clone(), self.shape().clone());
            return Err(ArrayError::LiteralShape { literal, target }.into());
        }
        self.write_bytes(literal.bytes())
    }

    /// Writes elements of the part's type, as host memory holds them and as many as it has.
    fn write_bytes(self, bytes: &[u8]) -> Result<()> {
        let context = self.array.context().clone();
        context.gpu().device.lost.check()?;
        if self.shape().dims().contains(&0) {
            return Ok(());
        }
        self.array.storage().encodings().check()?;
        let uploaded = reclaim::checked_with_retry(&context.inner.stream, || {
            AnyArray::upload(&context, self.element_type(), self.shape(), bytes)
        })?;
        if self.destination().is_whole() && !self.array.storage().is_always_in_place() {
            *self.array = uploaded;
            return Ok(());
        }
        let computation = target::copying(&uploaded, self.shape())?;
        computation.on(&context, &[&uploaded])?.eval_into(self)
    }
}
