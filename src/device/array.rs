//! Arrays on the device: [`AnyArray`], whose element type is known at run time, and [`Array`],
//! the same with a Rust type.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use crate::compile::plan::layout::{ALIGNMENT, Layout};
use crate::device::context::{self, Context};
use crate::device::guard::error_scope::GuardedDevice;
use crate::device::memory::bind_groups::Binding;
use crate::device::memory::pool::{ForeignBuffer, PooledBuffer, Purpose};
use crate::device::memory::readback::Reading;
use crate::semantics::element::{Element, ElementType};
use crate::semantics::error::{ArrayError, DeviceError, Error, Result};
use crate::semantics::literal::{Literal, check_count, device_bytes, pack_nibbles, unpack_nibbles};
use crate::semantics::shape::Shape;

/// A dense row-major array on a device, its element type known at run time. Immutable; cheap to
/// clone. Dropping the last clone gives its memory back, also while the GPU still reads it.
#[derive(Debug, Clone)]
pub struct AnyArray {
    inner: Arc<Inner>,
    /// Where it is not the shape that the memory was made for.
    reshaped: Option<Arc<Shape>>,
}

#[derive(Debug)]
struct Inner {
    context: Context,
    memory: Memory,
    element_type: ElementType,
    shape: Shape,
    /// Size in bytes.
    bytes: u64,
}

#[derive(Debug)]
enum Memory {
    Own(PooledBuffer),
    Foreign(ForeignBuffer),
}

/// Where an array's elements lie in a buffer.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BufferRange {
    /// The buffer.
    pub buffer: wgpu::Buffer,
    /// Of the first element, in bytes.
    pub offset: u64,
    /// Of all elements, in bytes; the buffer may be larger.
    pub size: u64,
}

impl AnyArray {
    /// A result's memory, its contents undefined.
    pub(crate) fn uninitialized(
        context: &Context,
        element_type: ElementType,
        shape: &Shape,
    ) -> Result<Self> {
        let (memory, _) = allocate(context, element_type, shape, Purpose::Result)?;
        Self::own(context, element_type, shape, memory)
    }

    fn upload(
        context: &Context,
        element_type: ElementType,
        shape: &Shape,
        bytes: &[u8],
    ) -> Result<Self> {
        context.inner.device.lost.check()?;
        let packed;
        let bytes = match element_type.bits() {
            4 => {
                packed = pack_nibbles(bytes);
                &packed
            }
            _ => bytes,
        };
        let (memory, mapped) = allocate(context, element_type, shape, Purpose::Upload)?;
        context.inner.upload(&memory, mapped, bytes)?;
        Self::own(context, element_type, shape, memory)
    }

    fn own(
        context: &Context,
        element_type: ElementType,
        shape: &Shape,
        memory: PooledBuffer,
    ) -> Result<Self> {
        let bytes = device_bytes(element_type, shape)?;
        let (context, memory, shape) = (context.clone(), Memory::Own(memory), shape.clone());
        let inner = Arc::new(Inner { context, memory, element_type, shape, bytes });
        Ok(Self { inner, reshaped: None })
    }

    fn from_buffer(
        context: &Context,
        element_type: ElementType,
        shape: Shape,
        buffer: wgpu::Buffer,
        offset: u64,
    ) -> Result<Self> {
        context.inner.device.lost.check()?;
        check_supported(&context.inner.device, element_type)?;
        let bytes = device_bytes(element_type, &shape)?;
        check_range(element_type, &shape, bytes, &buffer, offset)?;
        check_device(context, &buffer)?;
        let memory = Memory::Foreign(ForeignBuffer::new(&context.inner.pool, buffer, offset));
        let context = context.clone();
        let inner = Arc::new(Inner { context, memory, element_type, shape, bytes });
        Ok(Self { inner, reshaped: None })
    }

    /// The shape.
    pub fn shape(&self) -> &Shape {
        self.reshaped.as_deref().unwrap_or(&self.inner.shape)
    }

    /// The same memory as an array of another shape, which must have as many elements.
    pub(crate) fn reshaped(&self, shape: &Shape) -> Self {
        let reshaped = (*shape != self.inner.shape).then(|| Arc::new(shape.clone()));
        Self { inner: Arc::clone(&self.inner), reshaped }
    }

    /// The element type.
    pub fn element_type(&self) -> ElementType {
        self.inner.element_type
    }

    /// The context that it belongs to.
    pub fn context(&self) -> &Context {
        &self.inner.context
    }

    /// The array as one of elements of type `T`.
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
    /// [`DeviceError`]; [`ArrayError::Usage`] for a foreign buffer without `COPY_SRC`.
    pub async fn to_literal(&self) -> Result<Literal> {
        let bytes = self.read(<[u8]>::to_vec).await?;
        self.literal(bytes)
    }

    /// [`AnyArray::to_literal`], waiting.
    ///
    /// # Errors
    /// As [`AnyArray::to_literal`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn to_literal_blocking(&self) -> Result<Literal> {
        let bytes = self.read_blocking(<[u8]>::to_vec)?;
        self.literal(bytes)
    }

    /// What `take` makes of the bytes, as they lie in host memory.
    async fn read<R>(&self, take: impl Fn(&[u8]) -> R) -> Result<R> {
        let take = self.unpacked(take)?;
        match self.to_read()? {
            None => Ok(take(&[])),
            Some(reading) => self.inner.context.inner.read(reading, take).await,
        }
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn read_blocking<R>(&self, take: impl Fn(&[u8]) -> R) -> Result<R> {
        let take = self.unpacked(take)?;
        match self.to_read()? {
            None => Ok(take(&[])),
            Some(reading) => self.inner.context.inner.read_blocking(reading, take),
        }
    }

    fn unpacked<R>(&self, take: impl Fn(&[u8]) -> R) -> Result<impl Fn(&[u8]) -> R> {
        let count = self.shape().element_count().map_err(Error::shape("array"))?;
        let nibbles = self.element_type().bits() == 4;
        Ok(move |bytes: &[u8]| match nibbles {
            true => take(&unpack_nibbles(bytes, count)),
            false => take(bytes),
        })
    }

    fn literal(&self, bytes: Vec<u8>) -> Result<Literal> {
        Literal::new(self.element_type(), self.shape(), bytes)
    }

    /// Nothing to read where there is no element.
    fn to_read(&self) -> Result<Option<Reading<'_>>> {
        self.inner.context.inner.device.lost.check()?;
        let bytes = self.inner.bytes as usize;
        if bytes == 0 {
            return Ok(None);
        }
        Ok(Some(match &self.inner.memory {
            Memory::Own(memory) => {
                Reading { buffer: &memory.buffer, offset: 0, bytes, own: Some(memory) }
            }
            Memory::Foreign(ForeignBuffer { buffer, offset, .. }) => {
                check_usage(buffer, wgpu::BufferUsages::COPY_SRC)?;
                Reading { buffer, offset: *offset, bytes, own: None }
            }
        }))
    }

    /// The array's buffer, for the caller's own commands on the context's queue: what computes the
    /// array is submitted before this returns.
    ///
    /// The buffer leaves the pool for good. Its usage is `STORAGE | COPY_SRC | COPY_DST`, and on
    /// software adapters `MAP_READ | MAP_WRITE`, too; there this may wait for the device, where its
    /// memory was wanted by the host while the device was using it. Whoever
    /// writes to it changes this array, its clones (evaluating a bare array gives one) and all that
    /// is computed from them later.
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn buffer(&self) -> Result<BufferRange> {
        let (own, buffer, offset) = match &self.inner.memory {
            Memory::Own(memory) => (Some(memory), &memory.buffer, 0),
            Memory::Foreign(foreign) => (None, &foreign.buffer, foreign.offset),
        };
        self.inner.context.inner.give_out(own)?;
        let buffer = buffer.clone();
        Ok(BufferRange { buffer, offset, size: self.inner.bytes })
    }

    // ---- for dispatching -----------------------------------------------------------------------

    /// Identifies the memory, for finding arrays that are the same elements, whatever their shapes.
    pub(crate) fn address(&self) -> usize {
        Arc::as_ptr(&self.inner) as usize
    }

    /// A part of it, to be bound: in bytes from the last aligned place before the first element,
    /// which [`AnyArray::layout`] counts from, too.
    pub(crate) fn binding(&self, bytes: &Range<u64>) -> Binding<'_> {
        let (contents, buffer, start) = match &self.inner.memory {
            Memory::Own(PooledBuffer { contents, buffer, .. }) => (*contents, buffer, 0),
            Memory::Foreign(ForeignBuffer { contents, buffer, offset, .. }) => {
                (*contents, buffer, offset - self.slack(*offset))
            }
        };
        let size = bytes.end - bytes.start;
        Binding { contents, buffer, offset: start + bytes.start, size }
    }

    /// How its elements lie in the binding.
    pub(crate) fn layout(&self) -> Layout {
        match &self.inner.memory {
            Memory::Own(_) => Layout::OWN,
            Memory::Foreign(ForeignBuffer { buffer, offset, .. }) => Layout {
                // Less than a few hundred bytes, the alignment of bindings.
                offset: self.slack(*offset) as u32,
                granularity: self.granularity(buffer, *offset) as u32,
                spare: 0,
            },
        }
    }

    fn slack(&self, offset: u64) -> u64 {
        slack(&self.inner.context.inner.limits, offset)
    }

    /// The largest words that a foreign buffer may be bound in: the last one must not end beyond
    /// the buffer.
    fn granularity(&self, buffer: &wgpu::Buffer, offset: u64) -> u64 {
        let start = offset - self.slack(offset);
        let fits = |&word: &u64| start + self.foreign_size(offset, word) <= buffer.size();
        let least = (self.element_type().bits() as u64 / 8).max(4);
        [ALIGNMENT, 32, 16, 8].into_iter().find(fits).unwrap_or(least)
    }

    /// Bytes of a foreign array's binding in words of this many bytes.
    fn foreign_size(&self, offset: u64, word: u64) -> u64 {
        (self.slack(offset) + self.inner.bytes).next_multiple_of(word)
    }
}

fn allocate(
    context: &Context,
    element_type: ElementType,
    shape: &Shape,
    purpose: Purpose,
) -> Result<(PooledBuffer, bool)> {
    let inner = &context.inner;
    check_supported(&inner.device, element_type)?;
    check_size(&inner.limits, element_type, shape)?;
    inner.pool.take(&inner.device, padded_bytes(element_type, shape)?, purpose)
}

/// Bytes behind an array of `padded` bytes in which kernels may write; none where they do not, or
/// the device has no room.
pub(crate) fn spare(gpu: &context::Inner, padded: u64) -> u32 {
    let most = gpu.limits.max_buffer_size.min(gpu.limits.max_storage_buffer_binding_size);
    if gpu.pool.spare > 0 && padded.saturating_add(gpu.pool.spare) <= most {
        gpu.pool.spare as u32
    } else {
        0
    }
}

/// Size of the buffer that an array takes, at least.
pub(crate) fn padded_bytes(element_type: ElementType, shape: &Shape) -> Result<u64> {
    let bytes = device_bytes(element_type, shape)?;
    // No device has room for what lies behind the last multiple.
    Ok(bytes.max(1).checked_next_multiple_of(ALIGNMENT).unwrap_or(u64::MAX))
}

/// Whether the device's shaders have the element type.
pub(crate) fn check_supported(device: &GuardedDevice, element_type: ElementType) -> Result<()> {
    const NEEDED: wgpu::Features = wgpu::Features::SHADER_F64.union(wgpu::Features::SHADER_INT64);
    let missing = NEEDED - device.raw.features();
    if element_type != ElementType::F64 || missing.is_empty() {
        return Ok(());
    }
    Err(DeviceError::Unsupported {
        element_type,
        needed: "the features SHADER_F64 and SHADER_INT64",
        missing: names(missing),
        instead: ElementType::F32,
    }
    .into())
}

/// The names of some features.
fn names(features: wgpu::Features) -> String {
    features.iter_names().map(|(name, _)| name).collect::<Vec<_>>().join(" and ")
}

/// Whether the device can hold an array.
pub(crate) fn check_size(
    limits: &wgpu::Limits,
    element_type: ElementType,
    shape: &Shape,
) -> Result<()> {
    let bytes = device_bytes(element_type, shape)?;
    let padded = padded_bytes(element_type, shape)?;
    let allowed = limits.max_buffer_size;
    if padded <= allowed {
        return Ok(());
    }
    let (limit, shape) = ("max_buffer_size", shape.clone());
    // Only the padding may be too much: then that is the size to tell.
    let bytes = if bytes > allowed { bytes } else { padded };
    Err(DeviceError::TooLarge { element_type, shape, bytes, limit, allowed }.into())
}

/// Bytes between the start of the binding, which devices want aligned, and the first element.
fn slack(limits: &wgpu::Limits, offset: u64) -> u64 {
    offset % u64::from(limits.min_storage_buffer_offset_alignment.max(1))
}

fn check_range(
    element_type: ElementType,
    shape: &Shape,
    bytes: u64,
    buffer: &wgpu::Buffer,
    offset: u64,
) -> Result<(), ArrayError> {
    // Kernels read whole words, and elements of 64 bits in one.
    let word = (element_type.bits() as u64 / 8).max(4);
    if !offset.is_multiple_of(word) {
        return Err(ArrayError::Offset { offset, word });
    }
    // Bindings and copies are in whole words.
    let needed = bytes.next_multiple_of(4);
    let size = buffer.size();
    if offset.checked_add(needed).is_none_or(|end| end > size) {
        let shape = shape.clone();
        return Err(ArrayError::BufferTooSmall { element_type, shape, needed, offset, size });
    }
    check_usage(buffer, wgpu::BufferUsages::STORAGE)
}

fn check_usage(buffer: &wgpu::Buffer, needed: wgpu::BufferUsages) -> Result<(), ArrayError> {
    if buffer.usage().contains(needed) {
        return Ok(());
    }
    let names = |usage: wgpu::BufferUsages| {
        usage.iter_names().map(|(name, _)| name).collect::<Vec<_>>().join(" | ")
    };
    Err(ArrayError::Usage { usage: names(buffer.usage()), missing: names(needed) })
}

/// That the buffer is the context's device's, and can be bound.
fn check_device(context: &Context, buffer: &wgpu::Buffer) -> Result<()> {
    if buffer.size() < 4 {
        return Ok(());
    }
    let device = &context.inner.device;
    #[cfg(not(target_arch = "wasm32"))]
    check_owner(context, buffer)?;
    let bound = device.checked("a buffer", None, || {
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("indim buffer check"),
            entries: &[wgpu::BindGroupLayoutEntry {
                binding: 0,
                visibility: wgpu::ShaderStages::COMPUTE,
                ty: wgpu::BindingType::Buffer {
                    ty: wgpu::BufferBindingType::Storage { read_only: true },
                    has_dynamic_offset: false,
                    min_binding_size: None,
                },
                count: None,
            }],
        });
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("indim buffer check"),
            layout: &layout,
            entries: &[wgpu::BindGroupEntry {
                binding: 0,
                resource: wgpu::BindingResource::Buffer(wgpu::BufferBinding {
                    buffer,
                    offset: 0,
                    size: std::num::NonZeroU64::new(4),
                }),
            }],
        })
    });
    bound.map(drop)
}

/// wgpu does not tell whose a buffer is. It refuses to bind one of another device of its instance;
/// but instances number their buffers alike, so that another instance's buffer is taken for the one
/// here that has its number, or there is a panic if none has.
///
/// The error that a buffer makes, though, goes to the device that it belongs to. To unmap one that
/// is not mapped is such an error, and does nothing else.
#[cfg(not(target_arch = "wasm32"))]
fn check_owner(context: &Context, buffer: &wgpu::Buffer) -> Result<()> {
    use wgpu::BufferUsages;

    if buffer.usage().intersects(BufferUsages::MAP_READ | BufferUsages::MAP_WRITE) {
        // The caller may be about to map it, which this would give up.
        return Ok(());
    }
    // No bytes of it, which no view that the caller holds can overlap. Unmapping would cut that off.
    if buffer.get_mapped_range(0..0).is_ok() {
        return Err(ArrayError::Mapped.into());
    }
    let device = &context.inner.device;
    if device.hears(|| buffer.unmap()) {
        return Ok(());
    }
    // A lost device hears nothing, not even of its own buffers.
    let ours = context.inner.batch()?.uniforms.buffer.clone();
    if device.hears(|| ours.unmap()) {
        return Err(ArrayError::OtherDevice.into());
    }
    device.poll(wgpu::PollType::Poll)?;
    device.probe()?;
    Err(DeviceError::Lost { reason: "it reports no errors".to_owned() }.into())
}

/// A dense row-major array of `T` on a device.
///
/// Made by [`Context::array`] and by evaluating operations. Operators on references to arrays build
/// an [`Expr`](crate::Expr), which computes nothing until [`eval`](crate::Expr::eval).
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
    /// The shape.
    pub fn shape(&self) -> &Shape {
        self.any.shape()
    }

    /// The context that it belongs to.
    pub fn context(&self) -> &Context {
        self.any.context()
    }

    /// The array with its element type known at run time only.
    pub fn as_any(&self) -> &AnyArray {
        &self.any
    }

    /// The elements in row-major order, once all that the array depends on has run.
    ///
    /// May be awaited on any executor; a thread of the context polls the device meanwhile.
    ///
    /// # Errors
    /// As [`AnyArray::to_literal`].
    pub async fn to_vec(&self) -> Result<Vec<T>> {
        self.any.read(T::bytes_to_vec).await
    }

    /// [`Array::to_vec`], waiting.
    ///
    /// # Errors
    /// As [`AnyArray::to_literal`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn to_vec_blocking(&self) -> Result<Vec<T>> {
        self.any.read_blocking(T::bytes_to_vec)
    }

    /// The array's buffer; see [`AnyArray::buffer`].
    ///
    /// # Errors
    /// [`DeviceError`].
    pub fn buffer(&self) -> Result<BufferRange> {
        self.any.buffer()
    }
}

impl Context {
    /// Uploads the elements of `data`, in row-major order, as an array of this shape.
    ///
    /// # Errors
    /// [`ArrayError::ElementCount`]; [`DeviceError::Unsupported`], [`DeviceError::TooLarge`],
    /// [`DeviceError::OutOfMemory`], [`DeviceError::Lost`]; rule C1.
    pub fn array<T: Element>(&self, shape: impl Into<Shape>, data: &[T]) -> Result<Array<T>> {
        let shape = shape.into();
        check_count(&shape, data.len())?;
        let bytes = T::as_bytes(data);
        self.inner.whole(|| AnyArray::upload(self, T::ELEMENT_TYPE, &shape, &bytes))?.downcast()
    }

    /// Uploads an array whose element type is known at run time.
    ///
    /// # Errors
    /// As [`Context::array`].
    pub fn upload(&self, literal: &Literal) -> Result<AnyArray> {
        let (element_type, shape) = (literal.element_type(), literal.shape());
        self.inner.whole(|| AnyArray::upload(self, element_type, shape, literal.bytes()))
    }

    /// The elements that lie in a buffer of the caller's, from `offset` bytes on. Not copied: what
    /// is in the buffer when the GPU runs an operation counts. Operations are submitted at
    /// [`Context::flush`], a readback or when there is enough work, so flush before submitting
    /// commands that overwrite the buffer.
    ///
    /// The buffer needs the usage `STORAGE`, and `COPY_SRC` if the array itself is to be read
    /// back. It may have any size and `offset` any multiple of 4 bytes, or of 8 for elements of 64
    /// bits; multiples of 16 bytes are read faster. S4 and U4 lie two in a byte, the first one low.
    ///
    /// # Errors
    /// [`ArrayError::Offset`], [`ArrayError::BufferTooSmall`], [`ArrayError::Usage`],
    /// [`ArrayError::Mapped`], [`ArrayError::OtherDevice`], [`DeviceError::Unsupported`],
    /// [`DeviceError::Wgpu`], [`DeviceError::Lost`]; rule C1.
    ///
    /// Whose a buffer is, only an error that it makes can tell (off the web): one of another device
    /// calls that device's handler of uncaptured errors once.
    pub fn array_from_buffer<T: Element>(
        &self,
        shape: impl Into<Shape>,
        buffer: wgpu::Buffer,
        offset: u64,
    ) -> Result<Array<T>> {
        let made = AnyArray::from_buffer(self, T::ELEMENT_TYPE, shape.into(), buffer, offset);
        self.inner.device.settle(made)?.downcast()
    }
}
