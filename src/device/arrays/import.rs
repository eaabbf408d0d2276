//! Makes arrays of elements in host memory or in a caller-owned buffer.

use crate::device::arrays::array::AnyArray;
use crate::device::arrays::typed::Array;
use crate::device::context::Context;
use crate::device::recording::reclaim;
use indim_core::semantics::dims::Dims;
use indim_core::semantics::element::Element;
use indim_core::semantics::error::{Error, Result};
use indim_core::semantics::literal::{Literal, check_count};

impl Context {
    /// Uploads the elements of `data`, in row-major order, as an array of this shape.
    ///
    /// The elements are read directly from `data`, without an intermediate copy, except for S4 and
    /// U4, which the device packs two to a byte. Types with the same bits need no conversion
    /// either: a slice of bit patterns or of pairs of floats can be cast, which copies nothing.
    ///
    /// ```
    /// # let gpu = indim::Context::blocking()?;
    /// use indim::half::{bf16, f16, slice::HalfBitsSliceExt};
    /// use indim::num_complex::Complex32;
    ///
    /// let halves = gpu.array([2], &[f16::ONE, f16::MAX])?;
    /// let patterns: &[u16] = &[0x3f80, 0x7f7f];
    /// let brain = gpu.array([2], patterns.reinterpret_cast::<bf16>())?;
    /// // By the crate bytemuck, of version 1.
    /// let pairs: &[[f32; 2]] = &[[1.0, 2.0], [0.0, -1.0]];
    /// let complex = gpu.array([2], bytemuck::cast_slice::<_, Complex32>(pairs))?;
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ArrayError::ElementCount`](crate::ArrayError::ElementCount); [`DeviceError::Unsupported`](crate::DeviceError::Unsupported),
    /// [`DeviceError::TooLarge`](crate::DeviceError::TooLarge),
    /// [`DeviceError::OutOfMemory`](crate::DeviceError::OutOfMemory),
    /// [`DeviceError::Lost`](crate::DeviceError::Lost); rule C1.
    pub fn array<T: Element>(&self, shape: impl Dims, data: &[T]) -> Result<Array<T>> {
        let shape = shape.to_shape().map_err(Error::shape("array"))?;
        check_count(&shape, data.len())?;
        let bytes = T::as_bytes(data);
        reclaim::checked_with_retry(&self.inner.stream, || {
            AnyArray::upload(self, T::ELEMENT_TYPE, &shape, &bytes)
        })?
        .downcast()
    }

    /// Uploads an array whose element type is known at run time.
    ///
    /// ```
    /// use indim::{Context, Literal};
    ///
    /// let gpu = Context::blocking()?;
    /// let x = gpu.upload(&Literal::from_slice([2, 2], &[1_i32, 2, 3, 4])?)?;
    /// assert_eq!(x.downcast::<i32>()?.to_vec_blocking()?, [1, 2, 3, 4]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the same errors as [`Context::array`].
    pub fn upload(&self, literal: &Literal) -> Result<AnyArray> {
        let (element_type, shape) = (literal.element_type(), literal.shape());
        reclaim::checked_with_retry(&self.inner.stream, || {
            AnyArray::upload(self, element_type, shape, literal.bytes())
        })
    }

    /// Makes an array of the elements in a caller-owned buffer, starting at `offset` bytes. Nothing
    /// is copied: an operation reads the buffer's contents at the time the GPU runs it. Operations
    /// are recorded, and submitted at [`Context::flush`], a readback or when there is enough work.
    /// If your commands or [`write_buffer`](wgpu::Queue::write_buffer) write to the buffer before
    /// that, operations recorded earlier see the write as well: call [`Context::flush`] before you
    /// write. An operation that is evaluated after your write was submitted sees it.
    ///
    /// [`Expr::eval_into`](crate::Expr::eval_into) writes to the buffer in place.
    ///
    /// The buffer needs the usage `STORAGE`, and `COPY_SRC` if the array itself is to be read back.
    /// It may have any size and `offset` any multiple of 4 bytes, or of 8 for elements of 64 bits;
    /// multiples of 16 bytes are read faster. S4 and U4 are packed two to a byte, the first in the
    /// low bits.
    ///
    /// ```
    /// use indim::wgpu::{BufferDescriptor, BufferUsages};
    ///
    /// let gpu = indim::Context::blocking()?;
    /// let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
    /// let (label, size, mapped_at_creation) = (None, 16, false);
    /// let descriptor = BufferDescriptor { label, size, usage, mapped_at_creation };
    /// let buffer = gpu.device().create_buffer(&descriptor);
    /// let x = gpu.array_from_buffer::<f32>([2], buffer.clone(), 8)?; // its last two floats
    /// gpu.queue().write_buffer(&buffer, 8, &3_f32.to_le_bytes());
    /// assert_eq!((&x + 1.0).eval()?.to_vec_blocking()?, [4., 1.]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`ArrayError::Offset`](crate::ArrayError::Offset), [`ArrayError::BufferTooSmall`](crate::ArrayError::BufferTooSmall), [`ArrayError::Usage`](crate::ArrayError::Usage),
    /// [`ArrayError::Mapped`](crate::ArrayError::Mapped), [`ArrayError::OtherDevice`](crate::ArrayError::OtherDevice),
    /// [`DeviceError::Unsupported`](crate::DeviceError::Unsupported),
    /// [`DeviceError::Wgpu`](crate::DeviceError::Wgpu),
    /// [`DeviceError::Lost`](crate::DeviceError::Lost); rule C1.
    ///
    /// Off the web, the device of a buffer is identified by an error that the buffer raises. So the
    /// buffer must not be mapped or about to be mapped, and no other thread may map it meanwhile.
    /// If the buffer's device has no context, its handler of uncaptured errors is called.
    pub fn array_from_buffer<T: Element>(
        &self,
        shape: impl Dims,
        buffer: wgpu::Buffer,
        offset: u64,
    ) -> Result<Array<T>> {
        let shape = shape.to_shape().map_err(Error::shape("array"))?;
        let made = AnyArray::from_buffer(self, T::ELEMENT_TYPE, shape, buffer, offset);
        self.gpu().device.check_loss(made)?.downcast()
    }
}
