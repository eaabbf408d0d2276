//! Buffers for readbacks, mapped by the host and kept for the next one: a fresh one of 120 MiB costs
//! lavapipe 50 ms, half of the readback.

use std::sync::{Arc, Mutex};

use crate::error::Result;
use crate::memory::size_class;
use crate::scope::GuardedDevice;
use crate::sync::lock;

/// Most bytes that wait for the next readback; beyond, the ones that wait longest are freed.
const MAX_KEPT_BYTES: u64 = 256 << 20;

#[derive(Debug, Default)]
pub(crate) struct StagingPool {
    /// In the order in which they came back.
    free: Mutex<Vec<wgpu::Buffer>>,
}

impl StagingPool {
    /// A buffer of at least `bytes` bytes, its contents undefined.
    pub(crate) fn take(
        self: &Arc<Self>,
        device: &GuardedDevice,
        bytes: u64,
        max_buffer_size: u64,
    ) -> Result<Staging> {
        let size = size_class(bytes, max_buffer_size);
        let reused = {
            let mut free = lock(&self.free);
            let place = free.iter().rposition(|buffer| buffer.size() == size);
            place.map(|place| free.remove(place))
        };
        let buffer = match reused {
            Some(buffer) => buffer,
            None => {
                device.counters.staging_allocations.add(1);
                device.checked("an allocation", Some(size), || {
                    device.create_buffer(&wgpu::BufferDescriptor {
                        label: Some("indim staging"),
                        size,
                        usage: wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
                        mapped_at_creation: false,
                    })
                })?
            }
        };
        let (device, pool) = (device.clone(), Arc::clone(self));
        Ok(Staging { buffer, device, pool, mapping: false })
    }

    fn put_back(&self, buffer: wgpu::Buffer) {
        let mut free = lock(&self.free);
        free.push(buffer);
        let mut bytes: u64 = free.iter().map(wgpu::Buffer::size).sum();
        while bytes > MAX_KEPT_BYTES {
            bytes -= free.remove(0).size();
        }
    }

    pub(crate) fn trim(&self) {
        lock(&self.free).clear();
    }
}

/// A buffer for one readback. Goes back to the pool when dropped, also where the host has given the
/// readback up while the copy into the buffer is under way: the next copy comes after it.
#[derive(Debug)]
pub(crate) struct Staging {
    pub(crate) buffer: wgpu::Buffer,
    device: GuardedDevice,
    pool: Arc<StagingPool>,
    /// Whether the buffer's mapping was asked for.
    pub(crate) mapping: bool,
}

impl Drop for Staging {
    fn drop(&mut self) {
        // One whose mapping failed cannot be unmapped; it is not worth keeping.
        if self.mapping && self.device.checked("a buffer", None, || self.buffer.unmap()).is_ok() {
            self.pool.put_back(self.buffer.clone());
        }
    }
}
