//! Buffers between arrays and the host, on adapters where arrays are not mapped, or cannot be at the
//! moment. Those for readbacks wait in the pool for the next one: a fresh one of 120 MiB costs
//! lavapipe 50 ms, half of the readback.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::device::context::Inner;
use crate::device::exec::batch::Copy;
use crate::device::guard::error_scope::GuardedDevice;
use crate::device::memory::bind_groups::Contents;
use crate::device::memory::pool::{Pool, PooledBuffer};
use crate::device::memory::usage::Held;
use crate::semantics::error::{DeviceError, Result};

/// A buffer for one readback. Goes back to the pool when dropped, but not where the host has given the
/// readback up before its mapping was answered: wgpu keeps a note of that mapping with the submission
/// that it waits for, also when it is unmapped, and would map the buffer for the next readback as soon
/// as this submission has run, which may be before the next copy.
#[derive(Debug)]
pub(crate) struct Staging {
    pub(crate) buffer: wgpu::Buffer,
    device: GuardedDevice,
    pool: Arc<Pool>,
    held: Held,
    /// Whether the buffer is mapped, as its mapping's callback says, which may outlive this.
    pub(crate) mapped: Arc<AtomicBool>,
}

impl Staging {
    /// A buffer of at least `bytes` bytes, its contents undefined.
    pub(crate) fn take(pool: &Arc<Pool>, device: &GuardedDevice, bytes: u64) -> Result<Self> {
        let buffer = match pool.reuse_staging(bytes) {
            Some(buffer) => buffer,
            None => {
                device.counters.staging_allocations.add(1);
                let size = pool.staging_size(bytes);
                device.allocate(
                    size,
                    &wgpu::BufferDescriptor {
                        label: Some("indim staging"),
                        size,
                        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                        mapped_at_creation: false,
                    },
                )?
            }
        };
        let held = pool.usage.hold(buffer.size());
        let (device, pool) = (device.clone(), Arc::clone(pool));
        Ok(Self { buffer, device, pool, held, mapped: Arc::default() })
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        self.held.end();
        // One whose mapping failed cannot be unmapped; it is not worth keeping.
        let mapped = self.mapped.load(Ordering::Acquire);
        if mapped && self.device.checked("a buffer", None, || self.buffer.unmap()).is_ok() {
            self.pool.put_back_staging(self.buffer.clone());
        }
    }
}

/// Bytes from which on an upload goes through a buffer of our own. Fewer go through the queue, which
/// costs half as much a call; but where wgpu finds no memory for the copy that it makes there, it
/// takes the device for lost.
const MIN_STAGED_BYTES: usize = if cfg!(target_arch = "wasm32") { usize::MAX } else { 64 << 10 };

/// An upload's bytes on the device, to be copied into the array's buffer.
#[derive(Debug)]
pub(crate) struct Upload {
    pub(crate) copy: Copy,
    /// The array.
    pub(crate) to: Contents,
    /// Until it is submitted.
    _held: Held,
}

impl Inner {
    /// Writes `bytes` to a buffer of the pool that no recorded command uses, in the order of the
    /// commands that will be recorded.
    pub(crate) fn upload_unmapped(&self, memory: &PooledBuffer, bytes: &[u8]) -> Result<()> {
        if bytes.len() < MIN_STAGED_BYTES {
            return self.device.checked("an upload", Some(bytes.len() as u64), || {
                write(&self.queue, &memory.buffer, bytes);
            });
        }
        let staged = self.stage(bytes)?;
        let size = staged.size();
        let copy = Copy { from: staged, from_offset: 0, to: memory.buffer.clone(), bytes: size };
        let upload = Upload { copy, to: memory.contents, _held: self.pool.usage.hold(size) };
        self.batch()?.upload(self, upload)
    }

    /// A fresh buffer with these bytes, and up to three zeros.
    fn stage(&self, bytes: &[u8]) -> Result<wgpu::Buffer> {
        let size = bytes.len().next_multiple_of(4) as u64;
        let staged = self.device.allocate(
            size,
            &wgpu::BufferDescriptor {
                label: Some("indim upload"),
                size,
                usage: wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: true,
            },
        )?;
        let written = self.device.checked("an upload", Some(size), || {
            let written = staged.get_mapped_range_mut(..).map(|mut view| {
                view.slice(..bytes.len()).copy_from_slice(bytes);
            });
            staged.unmap();
            written
        })?;
        let failed = |reason: String| DeviceError::Wgpu { what: "an upload", reason };
        written.map_err(|error| failed(error.to_string()))?;
        Ok(staged)
    }
}

/// Through the queue, before all commands that are not submitted yet.
fn write(queue: &wgpu::Queue, buffer: &wgpu::Buffer, bytes: &[u8]) {
    // The queue writes whole words; a PRED array may end within one.
    let (whole, rest) = bytes.split_at(bytes.len() - bytes.len() % 4);
    if !whole.is_empty() {
        queue.write_buffer(buffer, 0, whole);
    }
    if !rest.is_empty() {
        let mut last = [0; 4];
        last[..rest.len()].copy_from_slice(rest);
        queue.write_buffer(buffer, whole.len() as u64, &last);
    }
}
