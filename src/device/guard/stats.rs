//! Counts a context's work on its device.

use std::sync::atomic::{AtomicU64, Ordering};

/// Counts of a context's work since it was made, unless a field says otherwise. They are for tests,
/// and for finding out what an expression costs: in a loop that repeats itself, only dispatches,
/// submissions, [`reuses`](Stats::reuses) and the bytes that kernels read and write, or that are
/// uploaded and read back, grow after the first rounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Stats {
    /// Cached compiled kernels, at most 1,024: when exceeded, the least recently used half is
    /// evicted.
    pub pipelines: u64,
    /// Kernels compiled, including those evicted since.
    pub compilations: u64,
    /// Dispatches submitted or recorded, including those of
    /// [`Context::prewarm`](crate::Context::prewarm).
    pub dispatches: u64,
    /// Submissions to the queue.
    pub submissions: u64,
    /// Bytes of the arrays that dispatches read, submitted or recorded: each array that a dispatch
    /// reads counts once, whole, as in
    /// [`KernelExplanation::bytes_read`](crate::plan::KernelExplanation::bytes_read). A kernel that is
    /// dispatched in parts counts, for each of them, the ranges that it binds of the arrays that it
    /// reads, in which parts may overlap. For a target that is computed in place
    /// ([`Expr::eval_into`](crate::Expr::eval_into)), the written elements also count as read.
    /// Nothing is counted for [`Context::prewarm`](crate::Context::prewarm).
    pub read_bytes: u64,
    /// Bytes of the elements that dispatches write, counted as those read:
    /// [`KernelExplanation::bytes_written`](crate::plan::KernelExplanation::bytes_written). Of a kernel
    /// that is dispatched in parts, each counts the elements that it computes.
    pub written_bytes: u64,
    /// Buffers allocated for arrays.
    pub allocations: u64,
    /// Buffers for arrays taken from the pool instead.
    pub reuses: u64,
    /// Bytes that wait in the pool now, [`Memory::pooled`].
    pub pooled_bytes: u64,
    /// Buffers allocated for readbacks.
    pub staging_allocations: u64,
    /// Bind groups made.
    pub bind_groups: u64,
    /// Dispatches that reused a bind group.
    pub bind_group_reuses: u64,
    /// Bytes of arrays uploaded.
    pub uploaded_bytes: u64,
    /// Bytes of arrays read back.
    pub downloaded_bytes: u64,
    /// Bytes copied from one buffer to another on the device, as readbacks through staging do.
    pub copied_bytes: u64,
    /// Bytes of kernels' parameters written.
    pub uniform_bytes: u64,
}

/// Bytes of the device's memory that a context has, as [`Context::memory`] returns them.
///
/// It counts the buffers that the context made for arrays and for bytes on their way in or out, at
/// their full size: sizes are rounded up so that buffers fit again, and on software adapters
/// kernels have 12 KiB after each array. Not counted are caller-owned buffers
/// ([`Context::array_from_buffer`]), 256 KiB of kernels' parameters, compiled kernels, and what
/// wgpu and the driver keep for themselves.
///
/// While other threads work, the three figures may have been taken at different moments.
///
/// [`Context::memory`]: crate::Context::memory
/// [`Context::array_from_buffer`]: crate::Context::array_from_buffer
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Memory {
    /// Bytes of the buffers in use: those of living arrays, of intermediate values while their
    /// computation is recorded, and of uploads and readbacks under way. An array whose buffer was
    /// exported ([`Array::buffer`](crate::Array::buffer)) counts until its last clone is dropped;
    /// from then on the buffer belongs to the caller.
    pub in_use: u64,
    /// Bytes of the buffers that wait for reuse, at most
    /// [`ContextOptions::max_pooled_bytes`](crate::ContextOptions::max_pooled_bytes). The device
    /// may still be at work on some of them. [`Context::trim`](crate::Context::trim) frees them
    /// all.
    pub pooled: u64,
    /// The largest number of bytes in use so far.
    pub peak: u64,
}

/// The counts that only grow.
#[derive(Debug, Default)]
pub(crate) struct Counters {
    pub(crate) compilations: Counter,
    pub(crate) dispatches: Counter,
    pub(crate) submissions: Counter,
    pub(crate) read_bytes: Counter,
    pub(crate) written_bytes: Counter,
    pub(crate) allocations: Counter,
    pub(crate) reuses: Counter,
    pub(crate) staging_allocations: Counter,
    pub(crate) bind_groups: Counter,
    pub(crate) bind_group_reuses: Counter,
    pub(crate) uploaded_bytes: Counter,
    pub(crate) downloaded_bytes: Counter,
    pub(crate) copied_bytes: Counter,
    pub(crate) uniform_bytes: Counter,
}

#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

impl Counter {
    pub(crate) fn add(&self, n: u64) {
        self.0.fetch_add(n, Ordering::Relaxed);
    }

    fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

impl Counters {
    /// Returns the counts, together with those that other parts of the context keep.
    pub(crate) fn stats(&self, pipelines: u64, pooled_bytes: u64) -> Stats {
        Stats {
            pipelines,
            compilations: self.compilations.get(),
            dispatches: self.dispatches.get(),
            submissions: self.submissions.get(),
            read_bytes: self.read_bytes.get(),
            written_bytes: self.written_bytes.get(),
            allocations: self.allocations.get(),
            reuses: self.reuses.get(),
            pooled_bytes,
            staging_allocations: self.staging_allocations.get(),
            bind_groups: self.bind_groups.get(),
            bind_group_reuses: self.bind_group_reuses.get(),
            uploaded_bytes: self.uploaded_bytes.get(),
            downloaded_bytes: self.downloaded_bytes.get(),
            copied_bytes: self.copied_bytes.get(),
            uniform_bytes: self.uniform_bytes.get(),
        }
    }
}
