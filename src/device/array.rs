//! Arrays on the device: [`AnyArray`], whose element type is known at run time, and [`Array`],
//! the same with a Rust type.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use crate::compile::plan::layout::Layout;
use crate::device::context::Context;
use crate::device::exec::readback::ReadRequest;
use crate::device::exec::{reclaim, upload};
use crate::device::guard::refusal::Refusal;
use crate::device::memory::bind_groups::{Binding, BufferId};
use crate::device::memory::encoding::{Encoding, Encodings, Held, Role};
use crate::device::memory::foreign::{self, ForeignBuffer};
use crate::device::memory::pool::{BufferUse, PooledBuffer};
use crate::semantics::element::{Element, ElementType};
use crate::semantics::error::{ArrayError, Error, Result};
use crate::semantics::literal::{Literal, check_count, device_bytes, pack_int4, unpack_int4};
use crate::semantics::shape::Shape;

/// A dense row-major array on a device, whose element type is known at run time. It is cheap to
/// clone, and a clone is never changed by what is written into another one
/// ([`Expr::eval_into`](crate::Expr::eval_into)), unless the buffer is known outside. Dropping the
/// last clone gives its memory back, also while the GPU still reads it.
///
/// ```no_run
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
}

#[derive(Debug)]
enum Storage {
    Pooled(PooledBuffer),
    Foreign(ForeignBuffer),
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

impl Held for Storage {
    #[cfg(target_arch = "wasm32")]
    fn retire(&self) {
        if let Self::Pooled(memory) = self {
            memory.retire();
        }
    }
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

    fn upload(
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
        let bytes = device_bytes(element_type, shape)?;
        let storage = Arc::new(Storage::Pooled(memory));
        let (context, shape) = (context.clone(), shape.clone());
        let data = ArrayData { context, storage, element_type, shape, bytes };
        Ok(Self { data: Arc::new(data), reshaped: None })
    }

    fn from_buffer(
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
        // A smaller one cannot be bound, and need not be: the array is empty.
        if buffer.size() >= 4 {
            #[cfg(not(target_arch = "wasm32"))]
            foreign::check_owner(&gpu.device, &buffer)?;
            foreign::check_binding(&gpu.device, &buffer)?;
        }
        let range = (buffer, offset, bytes);
        let foreign = ForeignBuffer::new(&gpu.pool, &gpu.limits, element_type, range);
        let (context, storage) = (context.clone(), Arc::new(Storage::Foreign(foreign)));
        let data = ArrayData { context, storage, element_type, shape, bytes };
        Ok(Self { data: Arc::new(data), reshaped: None })
    }

    /// Returns the shape.
    pub fn shape(&self) -> &Shape {
        self.reshaped.as_deref().unwrap_or(&self.data.shape)
    }

    /// Returns the number of dimensions; 0 for a scalar.
    pub fn rank(&self) -> usize {
        self.shape().rank()
    }

    /// Returns the number of elements, in all dimensions together.
    pub fn len(&self) -> usize {
        // An array's elements were counted when it was made (rule C1).
        self.shape().element_count().unwrap_or(usize::MAX)
    }

    /// Returns true if there are no elements: one of the sizes is 0.
    pub fn is_empty(&self) -> bool {
        self.shape().dims().contains(&0)
    }

    /// Returns the same memory as an array of another shape, which must have as many elements.
    pub(crate) fn reshaped(&self, shape: &Shape) -> Self {
        let reshaped = (*shape != self.data.shape).then(|| Arc::new(shape.clone()));
        Self { data: Arc::clone(&self.data), reshaped }
    }

    /// Returns the element type.
    pub fn element_type(&self) -> ElementType {
        self.data.element_type
    }

    /// Returns the context that it belongs to.
    pub fn context(&self) -> &Context {
        &self.data.context
    }

    /// Returns the array as one of elements of type `T`.
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

    /// Reads the array back, once all that it depends on has run.
    ///
    /// May be awaited on any executor; a thread of the context polls the device meanwhile.
    ///
    /// # Errors
    /// [`DeviceError`](crate::DeviceError); [`ArrayError::Usage`] for a foreign buffer without
    /// `COPY_SRC`.
    pub async fn to_literal(&self) -> Result<Literal> {
        let bytes = self.read_with(<[u8]>::to_vec).await?;
        self.literal(bytes)
    }

    /// Does as [`AnyArray::to_literal`], and blocks until the bytes are there.
    ///
    /// # Errors
    /// It returns the same errors as [`AnyArray::to_literal`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn to_literal_blocking(&self) -> Result<Literal> {
        let bytes = self.read_with_blocking(<[u8]>::to_vec)?;
        self.literal(bytes)
    }

    /// Returns what `take` makes of the elements' bytes, in row-major order, once all that the array
    /// depends on has run. It is for those who copy the bytes to a place of their own. `take` may be
    /// called again if the bytes have to be read a second time.
    ///
    /// May be awaited on any executor; a thread of the context polls the device meanwhile.
    ///
    /// # Errors
    /// It returns the same errors as [`AnyArray::to_literal`].
    pub async fn read_with<R>(&self, take: impl Fn(&[u8]) -> R) -> Result<R> {
        let take = self.unpacked(take)?;
        match self.read_request()? {
            None => Ok(take(&[])),
            Some(request) => request.read(&self.context().inner.stream, take).await,
        }
    }

    /// Does as [`AnyArray::read_with`], and blocks until the bytes are there.
    ///
    /// # Errors
    /// It returns the same errors as [`AnyArray::to_literal`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn read_with_blocking<R>(&self, take: impl Fn(&[u8]) -> R) -> Result<R> {
        let take = self.unpacked(take)?;
        match self.read_request()? {
            None => Ok(take(&[])),
            Some(request) => request.read_blocking(&self.context().inner.stream, take),
        }
    }

    fn unpacked<R>(&self, take: impl Fn(&[u8]) -> R) -> Result<impl Fn(&[u8]) -> R> {
        let count = self.shape().element_count().map_err(Error::shape("array"))?;
        let int4 = self.element_type().bits() == 4;
        Ok(move |bytes: &[u8]| match int4 {
            true => take(&unpack_int4(bytes, count)),
            false => take(bytes),
        })
    }

    fn literal(&self, bytes: Vec<u8>) -> Result<Literal> {
        Literal::new(self.element_type(), self.shape(), bytes)
    }

    /// Returns the request that reads the array back; `None` if it has no elements.
    fn read_request(&self) -> Result<Option<ReadRequest<'_>>> {
        self.context().gpu().device.lost.check()?;
        self.encodings().check()?;
        let bytes = self.data.bytes as usize;
        if bytes == 0 {
            return Ok(None);
        }
        Ok(Some(match &*self.data.storage {
            Storage::Pooled(memory) => ReadRequest {
                buffer: &memory.buffer,
                offset: 0,
                bytes,
                own: Some(memory),
                #[cfg(target_arch = "wasm32")]
                refusal: &memory.refusal,
            },
            Storage::Foreign(ForeignBuffer { buffer, offset, refusal, .. }) => {
                refusal.check()?;
                foreign::check_usage(buffer, wgpu::BufferUsages::COPY_SRC)?;
                ReadRequest {
                    buffer,
                    offset: *offset,
                    bytes,
                    own: None,
                    #[cfg(target_arch = "wasm32")]
                    refusal,
                }
            }
        }))
    }

    /// Returns the array's buffer, for the caller's own commands on the context's queue: all that
    /// is recorded so far is submitted before this returns, so that your commands see the array
    /// computed.
    ///
    /// The buffer leaves the pool for good, and from now on
    /// [`Expr::eval_into`](crate::Expr::eval_into) writes to it in place, whoever holds clones of the
    /// array; a readback that is under way meanwhile gives what was there, or what is written. Its
    /// usage is `STORAGE | COPY_SRC | COPY_DST`, and on software adapters `MAP_READ | MAP_WRITE`,
    /// too; there this may wait for the device, if the host tried to map the buffer while the device
    /// was using it.
    ///
    /// Of an array that commands in an encoder of yours write ([`Context::encode`]), the buffer is
    /// for further commands in that encoder, or in submissions after it, and nothing is submitted,
    /// but for what is recorded on the array itself.
    ///
    /// Whoever writes to it changes this array and its clones (evaluating a bare array gives one),
    /// for all operations that are submitted later. Operations that are evaluated after this call
    /// are recorded and not submitted at once, so that they see your later write as well: call
    /// [`Context::flush`] before you write, and they have read what was there before.
    ///
    /// # Errors
    /// [`DeviceError`](crate::DeviceError).
    pub fn buffer(&self) -> Result<BufferRange> {
        let stream = &self.context().inner.stream;
        if self.encodings().is_written() {
            // Nothing but what is recorded on it is submitted.
            stream.submit_uses(self.buffer_id(), self.is_known_outside())?;
        } else {
            stream.submit_for(self.pooled_memory(), &[])?;
        }
        let exported = stream.export(self.pooled_memory());
        self.context().gpu().device.check_loss(exported)?;
        self.check_refusal()?;
        let (buffer, offset) = self.place();
        let buffer = buffer.clone();
        Ok(BufferRange { buffer, offset, size: self.data.bytes })
    }

    // ---- for dispatching -----------------------------------------------------------------------

    /// Returns an address that identifies the memory, to find arrays of the same elements, whatever
    /// their shapes.
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.data) as usize
    }

    /// Returns the binding of a range of the array. The range is in bytes from the last aligned
    /// offset before the first element, as [`AnyArray::layout`] is.
    pub(crate) fn binding(&self, bytes: &Range<u64>) -> Binding<'_> {
        let size = bytes.end - bytes.start;
        match &*self.data.storage {
            Storage::Pooled(PooledBuffer { id, last_batch, refusal, buffer, .. }) => {
                let (last_batch, refusal) = (Some(last_batch), Some(refusal));
                Binding { id: *id, last_batch, refusal, buffer, offset: bytes.start, size }
            }
            Storage::Foreign(foreign) => {
                let ForeignBuffer { id, buffer, refusal, .. } = foreign;
                let offset = foreign.binding_offset() + bytes.start;
                let (last_batch, refusal) = (None, Some(refusal));
                Binding { id: *id, last_batch, refusal, buffer, offset, size }
            }
        }
    }

    /// Returns the buffer, and the offset in it of the first element, in bytes.
    pub(crate) fn place(&self) -> (&wgpu::Buffer, u64) {
        match &*self.data.storage {
            Storage::Pooled(memory) => (&memory.buffer, 0),
            Storage::Foreign(foreign) => (&foreign.buffer, foreign.offset),
        }
    }

    /// Returns how many arrays share this one's memory as clones or under other shapes, itself
    /// included.
    pub(crate) fn holders(&self) -> usize {
        Arc::strong_count(&self.data)
    }

    /// Returns true if somebody else knows the buffer: it is the caller's, or was exported.
    pub(crate) fn is_known_outside(&self) -> bool {
        match &*self.data.storage {
            Storage::Pooled(memory) => memory.is_exported(),
            Storage::Foreign(_) => true,
        }
    }

    /// Returns the encodings that use the array's memory.
    pub(crate) fn encodings(&self) -> &Encodings {
        match &*self.data.storage {
            Storage::Pooled(memory) => &memory.encodings,
            Storage::Foreign(foreign) => &foreign.encodings,
        }
    }

    /// Notes that an encoding uses the memory, and has it hold it.
    pub(crate) fn note(&self, encoding: &Arc<Encoding>, role: Role) {
        self.encodings().note(encoding, role);
        encoding.hold(Arc::clone(&self.data.storage) as Arc<dyn Held>);
        if role != Role::Operand {
            encoding.writes(Arc::clone(self.refusal()));
        }
    }

    /// Returns the number of the buffer.
    pub(crate) fn buffer_id(&self) -> BufferId {
        match &*self.data.storage {
            Storage::Pooled(memory) => memory.id,
            Storage::Foreign(foreign) => foreign.id,
        }
    }

    /// Returns the memory, if it is one of the pool's.
    pub(crate) fn pooled_memory(&self) -> Option<&PooledBuffer> {
        match &*self.data.storage {
            Storage::Pooled(memory) => Some(memory),
            Storage::Foreign(_) => None,
        }
    }

    /// Checks that no commands that write the array were refused.
    pub(crate) fn check_refusal(&self) -> Result<()> {
        self.refusal().check()
    }

    fn refusal(&self) -> &Arc<Refusal> {
        match &*self.data.storage {
            Storage::Pooled(memory) => &memory.refusal,
            Storage::Foreign(foreign) => &foreign.refusal,
        }
    }

    /// Returns true if commands that write the array were refused.
    pub(crate) fn is_refused(&self) -> bool {
        self.check_refusal().is_err()
    }

    /// Notes that the array is not there, or lacks a part.
    pub(crate) fn refuse(&self, error: &Error) {
        self.refusal().set(error);
    }

    /// Returns the layout of the elements in the binding.
    pub(crate) fn layout(&self) -> Layout {
        match &*self.data.storage {
            Storage::Pooled(_) => Layout::OWN,
            Storage::Foreign(foreign) => foreign.layout,
        }
    }
}

/// A dense row-major array of `T` on a device.
///
/// [`Context::array`] and evaluating operations make arrays. Operators on references to arrays
/// build an [`Expr`](crate::Expr), which computes nothing until [`eval`](crate::Expr::eval).
///
/// ```no_run
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
    pub fn shape(&self) -> &Shape {
        self.any.shape()
    }

    /// Returns the number of dimensions; 0 for a scalar.
    ///
    /// ```no_run
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
    pub fn len(&self) -> usize {
        self.any.len()
    }

    /// Returns true if there are no elements: one of the sizes is 0.
    pub fn is_empty(&self) -> bool {
        self.any.is_empty()
    }

    /// Returns the context that it belongs to.
    pub fn context(&self) -> &Context {
        self.any.context()
    }

    /// Returns the array with its element type known at run time only.
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
    /// # Errors
    /// It returns the same errors as [`AnyArray::to_literal`].
    pub async fn to_vec(&self) -> Result<Vec<T>> {
        self.any.read_with(T::bytes_to_vec).await
    }

    /// Does as [`Array::to_vec`], and blocks until the elements are there.
    ///
    /// # Errors
    /// It returns the same errors as [`AnyArray::to_literal`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn to_vec_blocking(&self) -> Result<Vec<T>> {
        self.any.read_with_blocking(T::bytes_to_vec)
    }

    /// Returns the array's buffer; see [`AnyArray::buffer`].
    ///
    /// # Errors
    /// [`DeviceError`](crate::DeviceError).
    pub fn buffer(&self) -> Result<BufferRange> {
        self.any.buffer()
    }
}

impl Context {
    /// Uploads the elements of `data`, in row-major order, as an array of this shape.
    ///
    /// The elements are read from `data` itself, and no list of them is made first, but for S4 and U4,
    /// of which the device holds two in a byte. Nor need one be made of what has an element's bits: a
    /// slice of bit patterns or of pairs of floats is cast, which copies nothing.
    ///
    /// ```no_run
    /// # fn example(gpu: indim::Context) -> indim::Result<()> {
    /// use indim::half::{bf16, f16, slice::HalfBitsSliceExt};
    /// use indim::num_complex::Complex32;
    ///
    /// let halves = gpu.array([2], &[f16::ONE, f16::MAX])?;
    /// let patterns: &[u16] = &[0x3f80, 0x7f7f];
    /// let brain = gpu.array([2], patterns.reinterpret_cast::<bf16>())?;
    /// // By the crate bytemuck, of version 1.
    /// let pairs: &[[f32; 2]] = &[[1.0, 2.0], [0.0, -1.0]];
    /// let complex = gpu.array([2], bytemuck::cast_slice::<_, Complex32>(pairs))?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`ArrayError::ElementCount`]; [`DeviceError::Unsupported`](crate::DeviceError::Unsupported),
    /// [`DeviceError::TooLarge`](crate::DeviceError::TooLarge),
    /// [`DeviceError::OutOfMemory`](crate::DeviceError::OutOfMemory),
    /// [`DeviceError::Lost`](crate::DeviceError::Lost); rule C1.
    pub fn array<T: Element>(&self, shape: impl Into<Shape>, data: &[T]) -> Result<Array<T>> {
        let shape = shape.into();
        check_count(&shape, data.len())?;
        let bytes = T::as_bytes(data);
        reclaim::checked_with_retry(&self.inner.stream, || {
            AnyArray::upload(self, T::ELEMENT_TYPE, &shape, &bytes)
        })?
        .downcast()
    }

    /// Uploads an array whose element type is known at run time.
    ///
    /// # Errors
    /// It returns the same errors as [`Context::array`].
    pub fn upload(&self, literal: &Literal) -> Result<AnyArray> {
        let (element_type, shape) = (literal.element_type(), literal.shape());
        reclaim::checked_with_retry(&self.inner.stream, || {
            AnyArray::upload(self, element_type, shape, literal.bytes())
        })
    }

    /// Makes an array of the elements that lie in a buffer of the caller's, from `offset` bytes on.
    /// Nothing is copied: an operation reads what is in the buffer when the GPU runs it. Operations
    /// are recorded, and submitted at [`Context::flush`], a readback or when there is enough work.
    /// What you write to the buffer before that, by commands of yours or
    /// [`write_buffer`](wgpu::Queue::write_buffer), is seen by operations that were recorded
    /// earlier, too: call [`Context::flush`] before you write. An operation that is evaluated after
    /// your write was submitted sees it.
    ///
    /// [`Expr::eval_into`](crate::Expr::eval_into) writes to the buffer in place.
    ///
    /// The buffer needs the usage `STORAGE`, and `COPY_SRC` if the array itself is to be read
    /// back. It may have any size and `offset` any multiple of 4 bytes, or of 8 for elements of 64
    /// bits; multiples of 16 bytes are read faster. S4 and U4 lie two in a byte, the first one low.
    ///
    /// # Errors
    /// [`ArrayError::Offset`], [`ArrayError::BufferTooSmall`], [`ArrayError::Usage`],
    /// [`ArrayError::Mapped`], [`ArrayError::OtherDevice`],
    /// [`DeviceError::Unsupported`](crate::DeviceError::Unsupported),
    /// [`DeviceError::Wgpu`](crate::DeviceError::Wgpu),
    /// [`DeviceError::Lost`](crate::DeviceError::Lost); rule C1.
    ///
    /// Off the web, the device of a buffer is found by an error that the buffer raises. So the
    /// buffer must not be mapped, nor about to be, and no other thread may map it meanwhile. A
    /// buffer of a device that has no context calls that device's handler of uncaptured errors.
    pub fn array_from_buffer<T: Element>(
        &self,
        shape: impl Into<Shape>,
        buffer: wgpu::Buffer,
        offset: u64,
    ) -> Result<Array<T>> {
        let made = AnyArray::from_buffer(self, T::ELEMENT_TYPE, shape.into(), buffer, offset);
        self.gpu().device.check_loss(made)?.downcast()
    }
}
