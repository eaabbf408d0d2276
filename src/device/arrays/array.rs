//! Arrays on the device whose element type is known at run time.

use std::fmt;
use std::sync::Arc;

use crate::device::arrays::loop_status::LoopStatuses;
use crate::device::arrays::storage::Storage;
use crate::device::context::Context;
use crate::device::memory::encoding::{Encoding, Role};
use crate::device::memory::foreign::{self, ForeignBuffer};
use crate::device::memory::pool::{BufferUse, PooledBuffer};
use crate::device::recording::upload;
use indim_core::semantics::element::ElementType;
use indim_core::semantics::error::{Error, Result};
use indim_core::semantics::literal::{Literal, device_bytes, pack_int4, unpack_int4};
use indim_core::semantics::shape::Shape;

/// A dense row-major array on a device, whose element type is known at run time. It is cheap to
/// clone, and writing into one clone ([`Expr::eval_into`](crate::Expr::eval_into)) never changes
/// another, except after [`AnyArray::always_in_place`] or [`AnyArray::buffer`]. Dropping the last
/// clone gives its memory back, even while the GPU still reads it.
///
/// ```
/// # fn main() -> indim::Result<()> {
/// use indim::{AnyArray, Array, Builder, Context, ElementType, Literal};
///
/// let gpu = Context::blocking()?;
/// let x: AnyArray = gpu.upload(&Literal::from_slice([3], &[1_i32, -2, 3])?)?;
/// assert_eq!((x.element_type(), x.shape().dims()), (ElementType::S32, &[3][..]));
///
/// let mut b = Builder::new();
/// let parameter = b.parameter(x.element_type(), x.shape())?;
/// let root = b.abs(parameter)?;
/// let y = gpu.run(&b.build(root)?, &[&x])?;
/// assert_eq!(y.to_literal_blocking()?.to_vec::<i32>()?, [1, 2, 3]);
/// let typed: Array<i32> = y.downcast()?; // an error for any other type
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct AnyArray {
    data: Arc<ArrayData>,
    /// The shape, if it is not the one that the memory was made for.
    reshaped: Option<Arc<Shape>>,
}

impl fmt::Debug for AnyArray {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AnyArray({}{})", self.element_type(), self.shape())
    }
}

#[derive(Debug)]
struct ArrayData {
    context: Context,
    /// Encodings hold it as well.
    storage: Arc<Storage>,
    element_type: ElementType,
    shape: Shape,
    /// Size in bytes.
    bytes: u64,
    /// The loops that its elements depend on.
    loop_statuses: LoopStatuses,
}

/// The range of a buffer in which an array's elements lie.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BufferRange {
    /// The buffer.
    pub buffer: wgpu::Buffer,
    /// Offset of the first element, in bytes.
    pub offset: u64,
    /// Size of all elements, in bytes; the buffer may be larger.
    pub size: u64,
}

impl AnyArray {
    /// Makes the array of a result. Its contents are undefined.
    pub(crate) fn uninitialized(
        context: &Context,
        element_type: ElementType,
        shape: &Shape,
        buffer_use: BufferUse,
    ) -> Result<Self> {
        let (memory, _) = context.gpu().allocate(element_type, shape, buffer_use)?;
        Self::pooled(context, element_type, shape, memory)
    }

    pub(crate) fn upload(
        context: &Context,
        element_type: ElementType,
        shape: &Shape,
        bytes: &[u8],
    ) -> Result<Self> {
        let gpu = context.gpu();
        gpu.device.lost.check()?;
        let packed;
        let bytes = match element_type.bits() {
            4 => {
                packed = pack_int4(bytes);
                &packed
            }
            _ => bytes,
        };
        let (memory, mapped) = gpu.allocate(element_type, shape, BufferUse::Upload)?;
        upload::upload(&context.inner.stream, &memory, mapped, bytes)?;
        Self::pooled(context, element_type, shape, memory)
    }

    fn pooled(
        context: &Context,
        element_type: ElementType,
        shape: &Shape,
        memory: PooledBuffer,
    ) -> Result<Self> {
        Self::of_storage(context, element_type, shape, Arc::new(Storage::Pooled(memory)))
    }

    /// Makes an array of the contents of some memory.
    pub(crate) fn of_storage(
        context: &Context,
        element_type: ElementType,
        shape: &Shape,
        storage: Arc<Storage>,
    ) -> Result<Self> {
        let bytes = device_bytes(element_type, shape)?;
        let (context, shape) = (context.clone(), shape.clone());
        let loop_statuses = LoopStatuses::default();
        let data = ArrayData { context, storage, element_type, shape, bytes, loop_statuses };
        Ok(Self { data: Arc::new(data), reshaped: None })
    }

    pub(crate) fn from_buffer(
        context: &Context,
        element_type: ElementType,
        shape: Shape,
        buffer: wgpu::Buffer,
        offset: u64,
    ) -> Result<Self> {
        let gpu = context.gpu();
        gpu.device.lost.check()?;
        gpu.check_supported(element_type)?;
        let bytes = device_bytes(element_type, &shape)?;
        foreign::check_range(element_type, &shape, bytes, &buffer, offset)?;
        // A smaller buffer cannot be bound, nor does it have to be: the array is empty.
        if buffer.size() >= 4 {
            #[cfg(not(target_arch = "wasm32"))]
            foreign::check_owner(&gpu.device, &buffer)?;
            foreign::check_binding(&gpu.device, &buffer)?;
        }
        let range = (buffer, offset, bytes);
        let foreign = ForeignBuffer::new(&gpu.pool, &gpu.limits, element_type, range);
        Self::of_storage(context, element_type, &shape, Arc::new(Storage::Foreign(foreign)))
    }

    /// Returns the shape.
    ///
    /// ```
    /// use indim::{Context, Literal};
    ///
    /// let x = Context::blocking()?.upload(&Literal::from_slice([1, 2], &[1_i32, 2])?)?;
    /// assert_eq!(x.shape().dims(), [1, 2]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn shape(&self) -> &Shape {
        self.reshaped.as_deref().unwrap_or(&self.data.shape)
    }

    /// Returns the number of dimensions; 0 for a scalar.
    ///
    /// ```
    /// use indim::{Context, Literal};
    ///
    /// let x = Context::blocking()?.upload(&Literal::from_slice([1, 2], &[1_i32, 2])?)?;
    /// assert_eq!(x.rank(), 2);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn rank(&self) -> usize {
        self.shape().rank()
    }

    /// Returns the number of elements, in all dimensions together.
    ///
    /// ```
    /// use indim::{Context, Literal};
    ///
    /// let x = Context::blocking()?.upload(&Literal::from_slice([1, 2], &[1_i32, 2])?)?;
    /// assert_eq!(x.len(), 2);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn len(&self) -> usize {
        // An array's elements were counted when it was made (rule C1).
        self.shape().element_count().unwrap_or(usize::MAX)
    }

    /// Returns true if it has no elements: one of the sizes is 0.
    ///
    /// ```
    /// use indim::{Context, Literal};
    ///
    /// let x = Context::blocking()?.upload(&Literal::from_slice::<i32>([3, 0], &[])?)?;
    /// assert!(x.is_empty());
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.shape().dims().contains(&0)
    }

    /// Returns the same memory as an array of another shape with the same number of elements.
    pub(crate) fn reshaped(&self, shape: &Shape) -> Self {
        let reshaped = (*shape != self.data.shape).then(|| Arc::new(shape.clone()));
        Self { data: Arc::clone(&self.data), reshaped }
    }

    /// Returns the element type.
    ///
    /// ```
    /// use indim::{Context, ElementType, Literal};
    ///
    /// let x = Context::blocking()?.upload(&Literal::from_slice([2], &[1_u8, 2])?)?;
    /// assert_eq!(x.element_type(), ElementType::U8);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn element_type(&self) -> ElementType {
        self.data.element_type
    }

    /// Returns the array's context.
    ///
    /// ```
    /// use indim::{Context, Literal};
    ///
    /// let gpu = Context::blocking()?;
    /// let x = gpu.upload(&Literal::from_slice([2], &[1_f32, 2.])?)?;
    /// assert_eq!(x.context().device(), gpu.device());
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn context(&self) -> &Context {
        &self.data.context
    }

    /// Reads the array back, once all that it depends on has run.
    ///
    /// May be awaited on any executor; a thread of the context polls the device meanwhile.
    ///
    /// ```
    /// # fn main() -> indim::Result<()> {
    /// # pollster::block_on(async {
    /// use indim::{Context, Literal};
    ///
    /// let literal = Literal::from_slice([2], &[1_i32, 2])?;
    /// let x = Context::new().await?.upload(&literal)?;
    /// assert_eq!(x.to_literal().await?, literal);
    /// # Ok(())
    /// # })
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`DeviceError`](crate::DeviceError); [`ArrayError::Usage`](crate::ArrayError::Usage) for a foreign buffer without
    /// `COPY_SRC`; [`CallError::Loop`](crate::CallError::Loop) and
    /// [`CallError::LoopOfDriver`](crate::CallError::LoopOfDriver) for elements that a loop made
    /// invalid.
    pub async fn to_literal(&self) -> Result<Literal> {
        let bytes = self.read_with(<[u8]>::to_vec).await?;
        self.literal(bytes)
    }

    /// Blocking version of [`AnyArray::to_literal`].
    ///
    /// ```
    /// use indim::{Context, Literal};
    ///
    /// let literal = Literal::from_slice([2], &[1_i32, 2])?;
    /// let x = Context::blocking()?.upload(&literal)?;
    /// assert_eq!(x.to_literal_blocking()?, literal);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the same errors as [`AnyArray::to_literal`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn to_literal_blocking(&self) -> Result<Literal> {
        let bytes = self.read_with_blocking(<[u8]>::to_vec)?;
        self.literal(bytes)
    }

    /// Returns the value of `take` for the elements' bytes, in row-major order, once everything
    /// that the array depends on has run. Use it to copy the bytes to your own memory. `take` may
    /// be called again if the bytes have to be read a second time.
    ///
    /// May be awaited on any executor; a thread of the context polls the device meanwhile.
    ///
    /// ```
    /// # fn main() -> indim::Result<()> {
    /// # pollster::block_on(async {
    /// use indim::{Context, Literal};
    ///
    /// let x = Context::new().await?.upload(&Literal::from_slice([2], &[1_u16, 2])?)?;
    /// assert_eq!(x.read_with(|bytes| bytes.to_vec()).await?, [1, 0, 2, 0]);
    /// # Ok(())
    /// # })
    /// # }
    /// ```
    ///
    /// # Errors
    /// It returns the same errors as [`AnyArray::to_literal`].
    pub async fn read_with<R>(&self, take: impl Fn(&[u8]) -> R) -> Result<R> {
        let take = self.unpacked(take)?;
        self.check_readable()?;
        for status in self.data.loop_statuses.open() {
            status.check().await?;
        }
        match self.storage().read_request(self.data.bytes as usize)? {
            None => Ok(take(&[])),
            Some(request) => request.read(&self.context().inner.stream, take).await,
        }
    }

    /// Blocking version of [`AnyArray::read_with`].
    ///
    /// ```
    /// use indim::{Context, Literal};
    ///
    /// let x = Context::blocking()?.upload(&Literal::from_slice([2], &[1_u16, 2])?)?;
    /// assert_eq!(x.read_with_blocking(|bytes| bytes.to_vec())?, [1, 0, 2, 0]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the same errors as [`AnyArray::to_literal`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn read_with_blocking<R>(&self, take: impl Fn(&[u8]) -> R) -> Result<R> {
        let take = self.unpacked(take)?;
        self.check_readable()?;
        for status in self.data.loop_statuses.open() {
            status.check_blocking()?;
        }
        match self.storage().read_request(self.data.bytes as usize)? {
            None => Ok(take(&[])),
            Some(request) => request.read_blocking(&self.context().inner.stream, take),
        }
    }

    fn check_readable(&self) -> Result<()> {
        self.context().gpu().device.lost.check()?;
        self.storage().encodings().check()
    }

    fn unpacked<R>(&self, take: impl Fn(&[u8]) -> R) -> Result<impl Fn(&[u8]) -> R> {
        let count = self.shape().element_count().map_err(Error::shape("array"))?;
        let int4 = self.element_type().bits() == 4;
        Ok(move |bytes: &[u8]| if int4 { take(&unpack_int4(bytes, count)) } else { take(bytes) })
    }

    fn literal(&self, bytes: Vec<u8>) -> Result<Literal> {
        Literal::new(self.element_type(), self.shape(), bytes)
    }

    /// Makes all writes to the array happen in place from now on, even if it has other holders: its
    /// clones see each write, and so do expressions of it that are evaluated later. Use it for the
    /// state of a loop that several parts of a program hold.
    ///
    /// [`AnyArray::buffer`] does this, too, and an array made of a caller-owned buffer is always
    /// written in place. But here nothing is submitted, and the memory goes back to the pool when
    /// the last holder is dropped.
    ///
    /// ```
    /// use indim::{Context, Literal};
    ///
    /// let mut x = Context::blocking()?.upload(&Literal::from_slice([2], &[1_i32, 2])?)?;
    /// let clone = x.clone();
    /// x.always_in_place();
    /// x.write(&Literal::from_slice([2], &[3_i32, 4])?)?;
    /// assert_eq!(clone.to_literal_blocking()?.to_vec::<i32>()?, [3, 4]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn always_in_place(&self) {
        self.storage().set_always_in_place();
    }

    /// Returns the array's buffer, for caller-owned commands on the context's queue: all that
    /// is recorded so far is submitted before this returns, so that your commands see the array
    /// computed.
    ///
    /// The buffer leaves the pool for good, and from now on the array is written in place, even if it
    /// has clones, as after [`AnyArray::always_in_place`]; a concurrent readback returns either the
    /// old or the new contents. Its usage is
    /// `STORAGE | COPY_SRC | COPY_DST`, and on software adapters also `MAP_READ | MAP_WRITE`; there
    /// this may wait for the device, if the host tried to map the buffer while the device was using
    /// it.
    ///
    /// If commands in your encoder write the array ([`Bound::encode`](crate::Bound::encode)), use the buffer only for
    /// further commands in that encoder or in later submissions. Then only the commands recorded on
    /// the array itself are submitted.
    ///
    /// Writing to the buffer changes this array and its clones (evaluating a bare array gives one)
    /// for all operations that are submitted later. Operations that are evaluated after this call
    /// are recorded and not submitted at once, so they see your later write as well. To let them
    /// read the earlier contents, call [`Context::flush`] before you write.
    ///
    /// ```
    /// use indim::{Context, Literal};
    ///
    /// let gpu = Context::blocking()?;
    /// let x = gpu.upload(&Literal::from_slice([2], &[1_u32, 2])?)?;
    /// let range = x.buffer()?;
    /// assert_eq!(range.size, 8);
    /// gpu.queue().write_buffer(&range.buffer, range.offset, &7_u32.to_le_bytes());
    /// assert_eq!(x.to_literal_blocking()?.to_vec::<u32>()?, [7, 2]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`DeviceError`](crate::DeviceError).
    pub fn buffer(&self) -> Result<BufferRange> {
        let stream = &self.context().inner.stream;
        if self.storage().encodings().is_written() {
            // Submit only what is recorded on it.
            stream.submit_uses(self.storage().buffer_id(), self.storage().is_known_outside())?;
        } else {
            stream.submit_for(self.storage().pooled_memory(), &[])?;
        }
        let exported = stream.export(self.storage().pooled_memory());
        self.context().gpu().device.check_loss(exported)?;
        self.storage().check_poison()?;
        let (buffer, offset) = self.storage().place();
        let buffer = buffer.clone();
        Ok(BufferRange { buffer, offset, size: self.data.bytes })
    }

    // ---- for dispatching -----------------------------------------------------------------------

    /// Returns an address that identifies the memory, to find arrays of the same elements, whatever
    /// their shapes.
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.data) as usize
    }

    /// Returns how many arrays, including this one, share its memory as clones or under other
    /// shapes.
    pub(crate) fn holders(&self) -> usize {
        Arc::strong_count(&self.data)
    }

    /// Returns the array's memory.
    pub(crate) fn storage(&self) -> &Storage {
        &self.data.storage
    }

    /// Returns the array's memory, to be kept.
    pub(crate) fn storage_arc(&self) -> Arc<Storage> {
        Arc::clone(&self.data.storage)
    }

    /// Notes that an encoding uses the memory, and makes it hold the memory.
    pub(crate) fn note(&self, encoding: &Arc<Encoding>, role: Role) {
        Storage::note(&self.data.storage, encoding, role);
    }

    /// Returns the loops that its elements depend on.
    pub(crate) fn loop_statuses(&self) -> &LoopStatuses {
        &self.data.loop_statuses
    }
}
