//! Evaluates an expression into an existing array, or a part of one.

use crate::api::expr::Expr;
use crate::device::arrays::typed::Array;
use crate::device::arrays::view_mut::ViewMut;
use crate::device::run::encoded::Encoded;
use indim_core::semantics::element::Element;
use indim_core::semantics::error::Result;

mod sealed {
    use crate::device::arrays::view_mut::ViewMut;

    pub trait Sealed<'a, T> {
        fn into_view(self) -> ViewMut<'a, T>;
    }
}

/// An expression can be evaluated into these: an array by mutable reference, or a part of one by
/// value or by mutable reference. The trait is sealed, so that methods can be added to it.
///
/// ```
/// let mut x = indim::Context::blocking()?.array([3], &[1_f32, 2., 3.])?;
/// (&x * 2.0).eval_into(&mut x)?; // an array
/// let last = x.expr().slice([2], [3]) + 0.5;
/// last.eval_into(x.slice_mut([0], [1])?)?; // a part of one
/// assert_eq!(x.to_vec_blocking()?, [6.5, 4., 6.]);
/// # Ok::<(), indim::Error>(())
/// ```
pub trait IntoViewMut<'a, T: Element>: sealed::Sealed<'a, T> {}

macro_rules! into_view_mut {
    ($([$($lifetime:lifetime),*] $target:ty: |$this:ident| $view:expr;)*) => {$(
        impl<$($lifetime,)* T: Element> IntoViewMut<'a, T> for $target {}

        impl<$($lifetime,)* T: Element> sealed::Sealed<'a, T> for $target {
            fn into_view(self) -> ViewMut<'a, T> {
                let $this = self;
                $view
            }
        }
    )*};
}

into_view_mut! {
    ['a] &'a mut Array<T>: |array| array.view_mut();
    ['a] ViewMut<'a, T>: |view| view;
    ['a, 'b] &'a mut ViewMut<'b, T>: |view| view.reborrow();
}

impl<T: Element> Expr<T> {
    /// Computes the value and writes it to the target, an array or a part of one
    /// ([`Array::slice_mut`]), whose other elements keep their values. Returns when its kernels are
    /// recorded, without waiting for the GPU, as [`Expr::eval`] does.
    ///
    /// ```
    /// # let gpu = indim::Context::blocking()?;
    /// # let (mut x, mut u) = (gpu.full([512, 512], 1_f32)?, gpu.zeros([512, 512])?);
    /// (&x * 0.5).eval_into(&mut x)?; // in place
    /// let inner = x.expr().slice(&[1, 1], &[511, 511]);
    /// inner.eval_into(u.slice_mut([1, 1], [511, 511])?)?; // the border of u stays
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// The expression is consumed, so that its own arrays do not count as holders of the target's
    /// memory. If that has no other holder, it is written in place, even if the expression reads
    /// the target, provided that no element depends on another element of it; otherwise, as for a
    /// stencil, the value is computed into new memory first. If the memory has another holder (a
    /// clone, another expression, the same array reshaped), the target gets new memory, and the
    /// other holders keep the old contents: a part is written into a copy, a whole array without
    /// one.
    ///
    /// An array is written in place regardless of other holders after [`Array::always_in_place`] or
    /// [`Array::buffer`], and if its buffer is caller-owned
    /// ([`Context::array_from_buffer`](crate::Context::array_from_buffer)).
    /// wgpu lets a kernel write to a buffer that it binds once only, so that two arrays in one
    /// [`wgpu::Buffer`](crate::wgpu::Buffer) count as one memory, too: where the expression reads
    /// another part of it, the value goes through new memory.
    ///
    /// After an error the target is unchanged, unless wgpu rejects commands that were recorded
    /// already: then reading the target returns the error.
    ///
    /// # Errors
    /// [`ArrayError::TargetShape`](crate::ArrayError::TargetShape) unless the shapes are equal: an expression is broadcast by
    /// [`Expr::broadcast_in_dim`]. [`ArrayError::TwoContexts`](crate::ArrayError::TwoContexts); the first error of the expression,
    /// as [`Error::Expression`](crate::Error::Expression); [`DeviceError`](crate::DeviceError).
    pub fn eval_into<'a>(self, target: impl IntoViewMut<'a, T>) -> Result<()> {
        self.bind()?.eval_into(target.into_view())
    }

    /// Records the commands that [`Expr::eval_into`] would submit in your encoder on the context's
    /// device, as one compute pass of its name. You submit it, and then call
    /// [`Encoded::submitted`]; until then the target is for further commands in the same encoder
    /// only. Several calls in one encoder write one after the other.
    ///
    /// [`Bound::encode`](crate::Bound::encode) describes what is submitted here, and when, and
    /// what wgpu does not reveal about an encoder; commands of the context that read the target are
    /// submitted, too. The target is written in place as by `eval_into`; but if its memory has
    /// another holder, or is used by commands in another encoder that is not submitted, the context
    /// copies it first, outside of the encoder, so that it keeps its elements even if the encoder
    /// is never submitted. If memory written by commands in the same encoder has another holder, it
    /// is copied in the encoder. If the whole target depends on other elements of itself, as by a
    /// stencil, the value goes through new memory, and is copied.
    ///
    /// After an error the target is unchanged.
    ///
    /// ```
    /// # let gpu = indim::Context::blocking()?;
    /// # let mut u = gpu.full([8], 1_f32)?;
    /// u.always_in_place(); // from here on, whoever holds it
    /// let mut encoder = gpu.device().create_command_encoder(&Default::default());
    /// let encoded = (&u * 0.5).named("fade").encode_into(&mut encoder, &mut u)?;
    /// // ... your passes that read the buffer
    /// gpu.queue().submit([encoder.finish()]);
    /// encoded.submitted();
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the errors of [`Expr::eval_into`]; [`ArrayError::NotSubmitted`](crate::ArrayError::NotSubmitted) if an array is the result of
    /// commands that were dropped, or if the target is written by commands in another encoder
    /// that is not submitted and it is not always written in place.
    pub fn encode_into<'a>(
        self,
        encoder: &mut wgpu::CommandEncoder,
        target: impl IntoViewMut<'a, T>,
    ) -> Result<Encoded> {
        self.bind()?.encode_into(encoder, target.into_view())
    }
}
