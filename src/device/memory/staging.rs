//! Makes staging buffers between arrays and the host, for adapters where arrays are not mapped, or
//! cannot be at the moment. Those for readbacks wait in the pool for the next one: a fresh one of
//! 120 MiB costs lavapipe 50 ms, half of the readback.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::device::guard::error_scope::GuardedDevice;
use crate::device::memory::pool::Pool;
use crate::device::memory::usage::Reservation;
use indim_core::errors::device::DeviceError;
use indim_core::semantics::error::Result;

/// A buffer for one readback. It returns to the pool when dropped, unless the readback was
/// abandoned before its mapping was answered: wgpu keeps that mapping with the submission that it
/// waits for, even if it is unmapped, and would map the buffer for the next readback as soon as
/// this submission has run, possibly before the next copy.
#[derive(Debug)]
pub(crate) struct Staging {
    pub(crate) buffer: wgpu::Buffer,
    device: GuardedDevice,
    pool: Arc<Pool>,
    reservation: Reservation,
    /// Set by the mapping's callback, which may outlive this buffer, when the buffer is mapped.
    pub(crate) mapped: Arc<AtomicBool>,
}

impl Staging {
    /// Takes a buffer of at least `bytes` bytes. Its contents are undefined.
    pub(crate) fn take(pool: &Arc<Pool>, device: &GuardedDevice, bytes: u64) -> Result<Self> {
        let buffer = match pool.reuse_staging(bytes) {
            Some(buffer) => buffer,
            None => {
                device.counters.staging_allocations.add(1);
                let size = pool.staging_size(bytes);
                device.allocate(
                    size,
                    &wgpu::BufferDescriptor {
                        label: Some(&device.labels.staging),
                        size,
                        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                        mapped_at_creation: false,
                    },
                )?
            }
        };
        let reservation = pool.usage.reserve(buffer.size());
        let (device, pool) = (device.clone(), Arc::clone(pool));
        Ok(Self { buffer, device, pool, reservation, mapped: Arc::default() })
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        self.reservation.release();
        // A buffer whose mapping failed cannot be unmapped, so it is not kept.
        let mapped = self.mapped.load(Ordering::Acquire);
        if mapped && self.device.checked("a buffer", None, || self.buffer.unmap()).is_ok() {
            self.pool.put_back_staging(self.buffer.clone());
        }
    }
}

/// Uploads of this many bytes or more go through our own buffer. Smaller ones go through the queue,
/// at half the cost per call; but if wgpu has no memory for its copy there, it declares the device
/// lost.
pub(crate) const MIN_STAGED_BYTES: usize =
    if cfg!(target_arch = "wasm32") { usize::MAX } else { 64 << 10 };

/// Allocates a buffer with these bytes, and up to three zeros.
pub(crate) fn stage(device: &GuardedDevice, bytes: &[u8]) -> Result<wgpu::Buffer> {
    let size = bytes.len().next_multiple_of(4) as u64;
    let staged = device.allocate(
        size,
        &wgpu::BufferDescriptor {
            label: Some(&device.labels.upload),
            size,
            usage: wgpu::BufferUsages::MAP_WRITE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: true,
        },
    )?;
    let written = device.checked("an upload", Some(size), || {
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

/// Writes through the queue, before all commands that are not submitted yet.
pub(crate) fn write(queue: &wgpu::Queue, buffer: &wgpu::Buffer, bytes: &[u8]) {
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
