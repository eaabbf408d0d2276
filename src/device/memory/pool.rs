//! Recycles buffers. wgpu fills a fresh buffer with zeros at its first use, which costs more than
//! most kernels (64 MiB: 47 ms against 21 ms for an add on lavapipe), so the buffers of dropped
//! arrays are reused.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::device::guard::error_scope::GuardedDevice;
use crate::device::guard::lock::lock;
use crate::device::guard::poison::Poison;
use crate::device::guard::stats::Memory;
use crate::device::memory::bind_groups::{BindGroups, BufferId};
use crate::device::memory::encoding::Encodings;
use crate::device::memory::usage::{Reservation, Usage};
use indim_compiler::layout::{self, ALIGNMENT};
use indim_core::semantics::element::ElementType;
use indim_core::semantics::error::Result;
use indim_core::semantics::hash::FastMap;
use indim_core::semantics::literal::device_bytes;
use indim_core::semantics::shape::Shape;

/// The largest number of bytes that wait in the pool for reuse, unless the user sets a bound. When
/// exceeded, the buffers that have waited longest are freed.
const MAX_POOLED_BYTES: u64 = 512 << 20;

/// The number of most recently returned buffers that are kept beyond that, whatever their size, so
/// that a loop can reuse its results. A bound set by the user applies to them, too.
const KEPT_ANYHOW: usize = 2;

/// Usages of every array's buffer, besides those that the options request.
pub(crate) const USAGE: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE
    .union(wgpu::BufferUsages::COPY_SRC)
    .union(wgpu::BufferUsages::COPY_DST);

/// Additional usages of arrays' buffers on devices where arrays are mapped.
const MAPPED_USAGE: wgpu::BufferUsages =
    wgpu::BufferUsages::MAP_READ.union(wgpu::BufferUsages::MAP_WRITE);

/// The purpose of a buffer of the pool: an array or a readback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum BufferClass {
    Array,
    Staging,
}

/// The first writer of an array's buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BufferUse {
    /// A kernel, in the order of the recorded commands.
    Result,
    /// The queue, before the commands that are still being recorded.
    Upload,
    /// Commands in a caller-owned encoder, which may be submitted before those that are still being
    /// recorded.
    Encoded,
}

#[derive(Debug)]
pub(crate) struct Pool {
    free: Mutex<Free>,
    /// The number of the batch that is being recorded, from 1. Its commands may still read a buffer
    /// dropped since it began.
    pub(crate) open_batch: AtomicU64,
    /// Bind groups keep buffers alive, so the pool must drop them, too.
    pub(crate) bind_groups: Mutex<BindGroups>,
    next_id: AtomicU64,
    pub(crate) usage: Arc<Usage>,
    /// The user's bound on the bytes that wait, if there is one.
    bound: Option<u64>,
    max_buffer_size: u64,
    /// True if the host maps arrays' buffers.
    pub(crate) mappable: bool,
    /// The usages of arrays' buffers.
    usages: wgpu::BufferUsages,
    /// The number of bytes that kernels may write to after an array that is not small; see
    /// [`Tuning::branchless`].
    ///
    /// [`Tuning::branchless`]: crate::plan::Tuning::branchless
    spare: u64,
}

#[derive(Debug, Default)]
struct Free {
    /// The buffers of each class and size, ordered by batch, then by when they were dropped.
    by_size: FastMap<(BufferClass, u64), VecDeque<Idle>>,
    bytes: u64,
    clock: u64,
}

#[derive(Debug)]
struct Idle {
    buffer: wgpu::Buffer,
    id: BufferId,
    /// The last batch whose commands may use it. Not used for staging, which only the device
    /// writes, in the order of the commands.
    batch: u64,
    /// See [`PooledBuffer::abandoned`].
    abandoned: bool,
    dropped: u64,
}

impl Pool {
    /// Makes an empty pool. Kernels may write to `spare` bytes after an array; at most `bound`
    /// bytes wait; arrays' buffers also have these `usages`.
    pub(crate) fn new(
        limits: &wgpu::Limits,
        spare: u64,
        mappable: bool,
        bound: Option<u64>,
        usages: wgpu::BufferUsages,
    ) -> Self {
        let mapped = if mappable { MAPPED_USAGE } else { wgpu::BufferUsages::empty() };
        Self {
            free: Mutex::default(),
            open_batch: AtomicU64::new(1),
            bind_groups: Mutex::default(),
            next_id: AtomicU64::new(0),
            usage: Arc::default(),
            bound,
            max_buffer_size: limits.max_buffer_size,
            mappable,
            usages: USAGE | mapped | usages,
            spare,
        }
    }

    /// Takes a buffer of at least `bytes`, a multiple of [`ALIGNMENT`], with the spare bytes after
    /// them if the device has room, and also returns whether it is mapped. Its contents are
    /// undefined.
    pub(crate) fn take(
        self: &Arc<Self>,
        device: &GuardedDevice,
        bytes: u64,
        buffer_use: BufferUse,
    ) -> Result<(PooledBuffer, bool)> {
        let size = self.size_for(bytes);
        let open = self.open_batch.load(Ordering::Acquire);
        // A fresh buffer for an upload is created mapped, so that no mapping has to be requested.
        let mapped_at_creation = self.mappable && buffer_use == BufferUse::Upload;
        let (buffer, id, abandoned, batch, mapped) = match self.reuse(size, open, buffer_use) {
            Some(idle) => {
                device.counters.reuses.add(1);
                (idle.buffer, idle.id, idle.abandoned, idle.batch, false)
            }
            None => {
                let buffer = self.allocate(device, bytes, size, mapped_at_creation)?;
                (buffer, self.new_id(), false, 0, mapped_at_creation)
            }
        };
        let taken = PooledBuffer {
            reservation: self.usage.reserve(buffer.size()),
            buffer,
            id,
            poison: Arc::default(),
            encodings: Encodings::default(),
            pool: Arc::clone(self),
            exported: AtomicBool::new(false),
            always_in_place: AtomicBool::new(false),
            abandoned: AtomicBool::new(abandoned),
            last_batch: AtomicU64::new(batch),
            #[cfg(target_arch = "wasm32")]
            retired: AtomicBool::new(false),
        };
        Ok((taken, mapped))
    }

    /// Takes a waiting readback buffer of at least `bytes` bytes.
    pub(crate) fn reuse_staging(&self, bytes: u64) -> Option<wgpu::Buffer> {
        let size = size_class(bytes, self.max_buffer_size);
        let mut free = lock(&self.free);
        let found = free.by_size.get_mut(&(BufferClass::Staging, size))?.pop_back()?;
        free.bytes -= size;
        Some(found.buffer)
    }

    /// Returns the size of a buffer for readbacks of `bytes` bytes.
    pub(crate) fn staging_size(&self, bytes: u64) -> u64 {
        size_class(bytes, self.max_buffer_size)
    }

    /// Adds spare memory after choosing the size class, so that an array whose size is a power of
    /// two does not move to the next class.
    fn size_for(&self, bytes: u64) -> u64 {
        let fits = |&size: &u64| size <= self.max_buffer_size;
        let class = size_class(bytes, self.max_buffer_size);
        let exact = bytes.next_multiple_of(ALIGNMENT);
        let spare = self.spare_behind(bytes);
        [class + spare, exact + spare].into_iter().find(fits).unwrap_or(class)
    }

    /// Returns how many bytes after an array of `bytes` kernels may write to, if the device has
    /// room for them.
    pub(crate) fn spare_behind(&self, bytes: u64) -> u64 {
        self.spare.min(layout::spare_behind(bytes).into())
    }

    fn allocate(
        &self,
        device: &GuardedDevice,
        bytes: u64,
        size: u64,
        mapped_at_creation: bool,
    ) -> Result<wgpu::Buffer> {
        device.counters.allocations.add(1);
        let usage = self.usages;
        let label = Some(device.labels.array.as_str());
        device.allocate(bytes, &wgpu::BufferDescriptor { label, size, usage, mapped_at_creation })
    }

    pub(crate) fn new_id(&self) -> BufferId {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    fn reuse(&self, size: u64, open: u64, buffer_use: BufferUse) -> Option<Idle> {
        let mut free = lock(&self.free);
        let idle = free.by_size.get_mut(&(BufferClass::Array, size))?;
        // They are ordered by batch: if the front is not usable, none is.
        let usable = |idle: Option<&Idle>| idle.is_some_and(|idle| idle.batch < open);
        let found = match buffer_use {
            BufferUse::Result => idle.pop_back(),
            // If arrays are mapped, the longest waiting buffer is taken, since the device is most
            // likely done with it.
            BufferUse::Upload if !self.mappable && usable(idle.back()) => idle.pop_back(),
            BufferUse::Upload if usable(idle.front()) => idle.pop_front(),
            BufferUse::Upload => None,
            // An abandoned mapping would have to be waited for.
            BufferUse::Encoded => idle
                .iter()
                .rposition(|idle| idle.batch < open && !idle.abandoned)
                .and_then(|place| idle.remove(place)),
        }?;
        free.bytes -= size;
        Some(found)
    }

    /// Keeps a readback's buffer for the next one.
    pub(crate) fn put_back_staging(&self, buffer: wgpu::Buffer) {
        self.put_back(BufferClass::Staging, buffer, self.new_id(), (false, 0));
    }

    /// Keeps a buffer for reuse, unless the bound forbids it. `batch` is the last one whose commands
    /// may use it.
    fn put_back(
        &self,
        class: BufferClass,
        buffer: wgpu::Buffer,
        id: BufferId,
        (abandoned, batch): (bool, u64),
    ) {
        let size = buffer.size();
        if self.bound.is_some_and(|bound| size > bound) {
            // A buffer that is larger than the bound does not push the others out.
            self.forget(&[id]);
            return;
        }
        let mut free = lock(&self.free);
        free.clock += 1;
        let dropped = free.clock;
        let idle = Idle { buffer, id, batch, abandoned, dropped };
        let waiting = free.by_size.entry((class, size)).or_default();
        let place = waiting.partition_point(|other| other.batch <= batch);
        waiting.insert(place, idle);
        free.bytes += size;
        let evicted = free.evict(self.bound);
        drop(free);
        self.forget(&evicted.iter().map(|idle| idle.id).collect::<Vec<_>>());
    }

    /// Drops the bind groups of buffers that the pool has freed or exported.
    pub(crate) fn forget(&self, ids: &[BufferId]) {
        if !ids.is_empty() {
            lock(&self.bind_groups).forget(ids);
        }
    }

    /// Frees every buffer that waits for reuse, and all bind groups: a bind group keeps its buffers
    /// alive.
    pub(crate) fn trim(&self) {
        let free = std::mem::take(&mut *lock(&self.free));
        lock(&self.bind_groups).clear();
        drop(free);
    }

    /// Returns the pool's use of device memory.
    pub(crate) fn memory(&self) -> Memory {
        self.usage.memory(lock(&self.free).bytes)
    }
}

/// Returns the least size of the buffer of such an array, in bytes.
pub(crate) fn padded_bytes(element_type: ElementType, shape: &Shape) -> Result<u64> {
    let bytes = device_bytes(element_type, shape)?;
    // No device has room for an array whose size cannot be rounded up.
    Ok(bytes.max(1).checked_next_multiple_of(ALIGNMENT).unwrap_or(u64::MAX))
}

impl Free {
    /// Removes buffers until the bound is met, the longest waiting first.
    fn evict(&mut self, bound: Option<u64>) -> Vec<Idle> {
        let mut evicted = Vec::new();
        while self.bytes > bound.unwrap_or(MAX_POOLED_BYTES)
            && (bound.is_some() || self.count() > KEPT_ANYHOW)
        {
            let Some(idle) = self.evict_oldest() else { break };
            evicted.push(idle);
        }
        evicted
    }

    fn count(&self) -> usize {
        self.by_size.values().map(VecDeque::len).sum()
    }

    fn evict_oldest(&mut self) -> Option<Idle> {
        let oldest = self
            .by_size
            .iter()
            .filter_map(|(&key, idle)| idle.front().map(|i| (i.dropped, key)))
            .min();
        let (_, key) = oldest?;
        let idle = self.by_size.get_mut(&key)?.pop_front()?;
        self.bytes -= key.1;
        Some(idle)
    }
}

/// Returns the size of the buffer for `bytes`: one of a few sizes, so that buffers can be reused,
/// and at most an eighth too large beyond 4 KiB. It is at most `most`, unless `bytes` is larger, as
/// it may be for a foreign array.
pub(crate) fn size_class(bytes: u64, most: u64) -> u64 {
    let exact = bytes.max(1).next_multiple_of(ALIGNMENT);
    let class = if exact <= 4096 {
        exact.next_power_of_two().max(256)
    } else {
        exact.next_multiple_of(exact.next_power_of_two() / 16)
    };
    if class > most { exact.min(most.max(bytes)) } else { class }
}

/// A buffer of the pool, to which it returns when dropped, unless it was exported.
#[derive(Debug)]
pub(crate) struct PooledBuffer {
    pub(crate) buffer: wgpu::Buffer,
    pub(crate) id: BufferId,
    pub(crate) poison: Arc<Poison>,
    pub(crate) encodings: Encodings,
    pool: Arc<Pool>,
    reservation: Reservation,
    exported: AtomicBool,
    /// True if the array is written in place whoever holds it.
    pub(crate) always_in_place: AtomicBool,
    /// True if a mapping of it was abandoned while the device was at work. wgpu keeps that mapping
    /// with the submission that it waited for, and would map the buffer for the next one as soon as
    /// this submission has run, whatever else uses the buffer since.
    pub(crate) abandoned: AtomicBool,
    /// The last batch with a command that uses it.
    pub(crate) last_batch: AtomicU64,
    /// True if it is unknown when commands that use it have run.
    #[cfg(target_arch = "wasm32")]
    retired: AtomicBool,
}

impl PooledBuffer {
    /// Keeps it from being reused.
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn retire(&self) {
        self.retired.store(true, Ordering::Release);
    }

    fn is_used_again(&self) -> bool {
        // The memory of a rejected array may be invalid.
        #[cfg(target_arch = "wasm32")]
        if self.retired.load(Ordering::Acquire) || self.poison.check().is_err() {
            return false;
        }
        !self.is_exported()
    }

    /// Notes that the caller now holds the buffer, so it must never be recycled.
    pub(crate) fn export(&self) {
        self.exported.store(true, Ordering::Release);
    }

    pub(crate) fn is_exported(&self) -> bool {
        self.exported.load(Ordering::Acquire)
    }
}

impl Drop for PooledBuffer {
    fn drop(&mut self) {
        // Stops counting it as in use before the pool counts it as free.
        self.reservation.release();
        if !self.is_used_again() {
            self.pool.forget(&[self.id]);
        } else {
            let abandoned = self.abandoned.load(Ordering::Acquire);
            let batch = self.last_batch.load(Ordering::Acquire);
            let state = (abandoned, batch);
            self.pool.put_back(BufferClass::Array, self.buffer.clone(), self.id, state);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn size_classes_are_few_and_tight() {
        let most = u64::MAX;
        assert_eq!(size_class(0, most), 256);
        assert_eq!(size_class(257, most), 512);
        assert_eq!(size_class(64 << 20, most), 64 << 20);
        for bytes in [4097, 5000, 70_000, 1_000_001, (64 << 20) + 1] {
            let class = size_class(bytes, most);
            assert!(class >= bytes && class.is_multiple_of(ALIGNMENT));
            assert!(class - bytes <= bytes / 8 + 256, "{bytes} -> {class}");
        }
        assert_eq!(size_class(5000, 5056), 5056, "never past the device's limit");
        assert_eq!(size_class(5000, 5010), 5010);
    }

    /// The limit is far more than the linear cost, and far less than a quadratic one.
    #[test]
    #[allow(clippy::unwrap_used, reason = "a test may panic")]
    fn many_buffers_that_wait_take_no_time_by_their_square() {
        const COUNT: usize = 100_000;
        let features = wgpu::Features::MAPPABLE_PRIMARY_BUFFERS;
        let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor {
            required_features: features,
            ..wgpu::DeviceDescriptor::default()
        });
        let gpu = crate::Context::from_device(device, queue).unwrap();
        for mappable in [false, true] {
            let pool = Arc::new(Pool::new(
                &wgpu::Limits::default(),
                0,
                mappable,
                None,
                wgpu::BufferUsages::empty(),
            ));
            let take = |buffer_use| pool.take(&gpu.gpu().device, 64, buffer_use).unwrap().0;
            let taken: Vec<_> = (0..COUNT).map(|_| take(BufferUse::Result)).collect();
            let (begin, size) = (std::time::Instant::now(), pool.size_for(64));
            taken.iter().for_each(|buffer| buffer.last_batch.store(1, Ordering::Release));
            drop(taken);
            assert!((0..COUNT).all(|_| pool.reuse(size, 1, BufferUse::Upload).is_none()));
            assert!((0..COUNT).all(|_| pool.reuse(size, 2, BufferUse::Upload).is_some()));
            assert!(pool.reuse(size, 2, BufferUse::Result).is_none());
            assert!(begin.elapsed().as_secs() < 5, "{:?}", begin.elapsed());
        }
    }
}
