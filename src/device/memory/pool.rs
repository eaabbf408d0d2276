//! The buffer pool. A fresh buffer is zero-filled by wgpu at its first use, which costs more than
//! most kernels (64 MiB: 47 ms against 21 ms for an add on lavapipe), so results are recycled.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crate::compile::plan::layout::ALIGNMENT;
use crate::device::guard::error_scope::GuardedDevice;
use crate::device::guard::stats::Memory;
use crate::device::guard::sync::lock;
use crate::device::memory::bind_groups::{BindGroups, BufferId, Contents};
use crate::device::memory::mapping;
use crate::device::memory::usage::{Held, Usage};
use crate::semantics::error::Result;

/// Most bytes that wait in the pool for reuse, where the user names no bound; beyond, the ones that
/// wait longest are freed ...
const MAX_POOLED_BYTES: u64 = 512 << 20;

/// ... but for the last ones, of any size, so that a loop finds its results again. Not beyond a bound
/// of the user's.
const KEPT_ANYHOW: usize = 2;

/// What every buffer of the pool can be used for.
const USAGE: wgpu::BufferUsages = wgpu::BufferUsages::STORAGE
    .union(wgpu::BufferUsages::COPY_SRC)
    .union(wgpu::BufferUsages::COPY_DST);

/// What a buffer of the pool is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    /// An array.
    Array,
    /// A readback.
    Staging,
}

/// What an array's buffer is taken for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Written by a kernel, in the order of the recorded commands.
    Result,
    /// Written by the queue, which happens before the commands that are still being recorded.
    Upload,
}

#[derive(Debug)]
pub(crate) struct Pool {
    free: Mutex<Free>,
    /// Number of the batch that is being recorded, from 1 on. Its commands may still read a buffer
    /// that was dropped since the first of them.
    pub(crate) open_batch: AtomicU64,
    /// Whether the open batch has a command.
    pub(crate) recorded: AtomicBool,
    /// They keep buffers alive, so that the pool must know of them.
    pub(crate) bind_groups: Mutex<BindGroups>,
    next_id: AtomicU64,
    next_array: AtomicU64,
    pub(crate) usage: Arc<Usage>,
    /// Most bytes that may wait, if the user says so.
    bound: Option<u64>,
    max_buffer_size: u64,
    /// Whether arrays are mapped by the host.
    pub(crate) mappable: bool,
    /// Bytes behind every array that kernels may write to, see [`PlanLimits::branchless`].
    ///
    /// [`PlanLimits::branchless`]: crate::PlanLimits::branchless
    pub(crate) spare: u64,
}

#[derive(Debug, Default)]
struct Free {
    /// By kind and size; of each in the order in which they were dropped.
    by_size: BTreeMap<(Kind, u64), VecDeque<Idle>>,
    bytes: u64,
    clock: u64,
}

#[derive(Debug)]
struct Idle {
    buffer: wgpu::Buffer,
    id: BufferId,
    /// The last batch whose commands may use it. Of no meaning for staging, which the device alone
    /// writes to, in the order of the commands.
    batch: u64,
    /// As [`PooledBuffer::given_up`].
    given_up: bool,
    dropped: u64,
}

impl Pool {
    /// `spare` is how many bytes kernels may write to behind an array; at most `bound` bytes wait.
    pub(crate) fn new(
        limits: &wgpu::Limits,
        spare: u64,
        mappable: bool,
        bound: Option<u64>,
    ) -> Self {
        Self {
            free: Mutex::default(),
            open_batch: AtomicU64::new(1),
            recorded: AtomicBool::new(false),
            bind_groups: Mutex::default(),
            next_id: AtomicU64::new(0),
            next_array: AtomicU64::new(1),
            usage: Arc::default(),
            bound,
            max_buffer_size: limits.max_buffer_size,
            mappable,
            spare,
        }
    }

    /// A buffer of at least `bytes`, a multiple of [`ALIGNMENT`], and of what is to spare behind
    /// them if the device has room; its contents undefined. Says whether the buffer is mapped.
    pub(crate) fn take(
        self: &Arc<Self>,
        device: &GuardedDevice,
        bytes: u64,
        purpose: Purpose,
    ) -> Result<(PooledBuffer, bool)> {
        let size = self.size_for(bytes);
        let open = self.open_batch.load(Ordering::Acquire);
        // A fresh one for an upload need not be asked for its mapping.
        let mapped_at_creation = self.mappable && purpose == Purpose::Upload;
        let (buffer, id, given_up, mapped) = match self.reuse(size, open, purpose) {
            Some(idle) => {
                device.counters.reuses.add(1);
                (idle.buffer, idle.id, idle.given_up, false)
            }
            None => {
                let buffer = self.allocate(device, bytes, size, mapped_at_creation)?;
                (buffer, self.new_id(), false, mapped_at_creation)
            }
        };
        let array = self.next_array.fetch_add(1, Ordering::Relaxed);
        let taken = PooledBuffer {
            held: self.usage.hold(buffer.size()),
            buffer,
            contents: Contents { buffer: id, array },
            pool: Arc::clone(self),
            given_out: AtomicBool::new(false),
            given_up: AtomicBool::new(given_up),
        };
        Ok((taken, mapped))
    }

    /// A buffer for readbacks of at least `bytes` bytes that waits for the next one.
    pub(crate) fn reuse_staging(&self, bytes: u64) -> Option<wgpu::Buffer> {
        let size = size_class(bytes, self.max_buffer_size);
        let mut free = lock(&self.free);
        let found = free.by_size.get_mut(&(Kind::Staging, size))?.pop_back()?;
        free.bytes -= size;
        Some(found.buffer)
    }

    /// Size of a buffer for readbacks of so many bytes.
    pub(crate) fn staging_size(&self, bytes: u64) -> u64 {
        size_class(bytes, self.max_buffer_size)
    }

    /// Spare memory is apart from the classes, so that an array of a power of two does not take the
    /// next one.
    fn size_for(&self, bytes: u64) -> u64 {
        let fits = |&size: &u64| size <= self.max_buffer_size;
        let class = size_class(bytes, self.max_buffer_size);
        let exact = bytes.next_multiple_of(ALIGNMENT);
        [class + self.spare, exact + self.spare].into_iter().find(fits).unwrap_or(class)
    }

    fn allocate(
        &self,
        device: &GuardedDevice,
        bytes: u64,
        size: u64,
        mapped_at_creation: bool,
    ) -> Result<wgpu::Buffer> {
        device.counters.allocations.add(1);
        let usage = if self.mappable { USAGE | mapping::USAGE } else { USAGE };
        let label = Some("indim array");
        device.allocate(bytes, &wgpu::BufferDescriptor { label, size, usage, mapped_at_creation })
    }

    fn new_id(&self) -> BufferId {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    fn reuse(&self, size: u64, open: u64, purpose: Purpose) -> Option<Idle> {
        let mut free = lock(&self.free);
        let idle = free.by_size.get_mut(&(Kind::Array, size))?;
        // They lie in the order of their batches, so that the first one tells of all.
        let usable = |idle: Option<&Idle>| idle.is_some_and(|idle| idle.batch < open);
        let found = match purpose {
            Purpose::Result => idle.pop_back(),
            // Where it is to be mapped, the device should have done with it.
            Purpose::Upload if !self.mappable && usable(idle.back()) => idle.pop_back(),
            Purpose::Upload if usable(idle.front()) => idle.pop_front(),
            Purpose::Upload => None,
        }?;
        free.bytes -= size;
        Some(found)
    }

    /// A readback's buffer waits for the next one.
    pub(crate) fn put_back_staging(&self, buffer: wgpu::Buffer) {
        self.put_back(Kind::Staging, buffer, self.new_id(), false);
    }

    /// The buffer waits for reuse from now on, as far as the bound goes.
    fn put_back(&self, kind: Kind, buffer: wgpu::Buffer, id: BufferId, given_up: bool) {
        let size = buffer.size();
        if self.bound.is_some_and(|bound| size > bound) {
            // The others need not go for one that cannot stay.
            self.forget(&[id]);
            return;
        }
        let mut free = lock(&self.free);
        // Whoever recorded a command with this buffer held the array, and so did it before.
        let open = self.recorded.load(Ordering::Acquire);
        let batch = self.open_batch.load(Ordering::Acquire) - u64::from(!open);
        free.clock += 1;
        let dropped = free.clock;
        let idle = Idle { buffer, id, batch, given_up, dropped };
        free.by_size.entry((kind, size)).or_default().push_back(idle);
        free.bytes += size;
        let evicted = free.evict(self.bound);
        drop(free);
        self.forget(&evicted.iter().map(|idle| idle.id).collect::<Vec<_>>());
    }

    /// These buffers are no longer ours to bind.
    fn forget(&self, ids: &[BufferId]) {
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

    /// What it has of the device's memory now.
    pub(crate) fn memory(&self) -> Memory {
        self.usage.memory(lock(&self.free).bytes)
    }
}

impl Free {
    /// Takes out what is too much, those first that wait longest.
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

/// The size of the buffer for `bytes`: few distinct sizes, so that buffers fit again, and at most
/// an eighth too large beyond 4 KiB. Never more than `most`, where `bytes` are not: a foreign array
/// may be of a size that no array of ours has.
pub(crate) fn size_class(bytes: u64, most: u64) -> u64 {
    let exact = bytes.max(1).next_multiple_of(ALIGNMENT);
    let class = if exact <= 4096 {
        exact.next_power_of_two().max(256)
    } else {
        exact.next_multiple_of(exact.next_power_of_two() / 16)
    };
    if class > most { exact.min(most.max(bytes)) } else { class }
}

/// A buffer of the pool; goes back to it when dropped, unless it was given out.
#[derive(Debug)]
pub(crate) struct PooledBuffer {
    pub(crate) buffer: wgpu::Buffer,
    pub(crate) contents: Contents,
    pool: Arc<Pool>,
    held: Held,
    given_out: AtomicBool,
    /// Whether a mapping of it was given up while the device was at work. wgpu keeps a note of that
    /// mapping with the submission that it waited for, and would map the buffer for the next one as
    /// soon as this submission has run, whatever else uses the buffer since.
    pub(crate) given_up: AtomicBool,
}

impl PooledBuffer {
    /// The user holds the buffer from now on: it must never be recycled.
    pub(crate) fn give_out(&self) {
        self.given_out.store(true, Ordering::Release);
    }

    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn is_given_out(&self) -> bool {
        self.given_out.load(Ordering::Acquire)
    }
}

impl Drop for PooledBuffer {
    fn drop(&mut self) {
        // Before it waits, so that it is never counted twice.
        self.held.end();
        if self.given_out.load(Ordering::Acquire) {
            self.pool.forget(&[self.contents.buffer]);
        } else {
            let given_up = self.given_up.load(Ordering::Acquire);
            let id = self.contents.buffer;
            self.pool.put_back(Kind::Array, self.buffer.clone(), id, given_up);
        }
    }
}

/// A buffer of the caller's that holds an array.
#[derive(Debug)]
pub(crate) struct ForeignBuffer {
    pub(crate) buffer: wgpu::Buffer,
    /// Of the first element, in bytes.
    pub(crate) offset: u64,
    pub(crate) contents: Contents,
    pool: Arc<Pool>,
}

impl ForeignBuffer {
    pub(crate) fn new(pool: &Arc<Pool>, buffer: wgpu::Buffer, offset: u64) -> Self {
        let contents = Contents { buffer: pool.new_id(), array: 0 };
        Self { buffer, offset, contents, pool: Arc::clone(pool) }
    }
}

impl Drop for ForeignBuffer {
    fn drop(&mut self) {
        self.pool.forget(&[self.contents.buffer]);
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

    /// Far more than it takes, and far less than the square of the number would.
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
            let pool = Arc::new(Pool::new(&wgpu::Limits::default(), 0, mappable, None));
            let take = |purpose| pool.take(&gpu.inner.device, 64, purpose).unwrap().0;
            let taken: Vec<_> = (0..COUNT).map(|_| take(Purpose::Result)).collect();
            let (begin, size) = (std::time::Instant::now(), pool.size_for(64));
            pool.recorded.store(true, Ordering::Release);
            drop(taken);
            assert!((0..COUNT).all(|_| pool.reuse(size, 1, Purpose::Upload).is_none()));
            assert!((0..COUNT).all(|_| pool.reuse(size, 2, Purpose::Upload).is_some()));
            assert!(pool.reuse(size, 2, Purpose::Result).is_none());
            assert!(begin.elapsed().as_secs() < 5, "{:?}", begin.elapsed());
        }
    }
}
