//! Arrays' own buffers, mapped by the host: the way in and out with a single copy, where the
//! device's memory is the host's and the device maps buffers of any usage.
//!
//! Which way is taken goes by the adapter's type. Measured on lavapipe (2 cores, medians in ms of an
//! upload or a readback and a wait):
//!
//! | bytes | up: write_buffer | staging | mapped | down: staging | mapped |
//! |---|---|---|---|---|---|
//! | 64 KiB | 0.067 | 0.038 | 0.014 | 0.035 | 0.002 |
//! | 1 MiB | 0.079 | 0.088 | 0.036 | 0.075 | 0.024 |
//! | 16 MiB | 2.5 | 2.2 | 1.0 | 2.2 | 0.8 |
//! | 64 MiB | 11.2 | 11.0 | 5.3 | 39 | 35 |
//! | 120 MiB | 76 | 24 | 10.3 | 82 | 64 |
//!
//! Buffers are recycled ones here. A fresh one of 64 MiB, whose pages the system has yet to give,
//! takes 67 ms with `write_buffer` and 43 ms mapped at its creation. So software adapters map; on
//! others arrays keep to the device's own memory, data goes up with `write_buffer` and comes down
//! through kept staging buffers.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use crate::bind_groups::BufferId;
use crate::context::Inner;
use crate::error::Result;
#[cfg(not(target_arch = "wasm32"))]
use crate::memory::PooledBuffer;
use crate::scope::GuardedDevice;
use crate::sync::lock;

/// What arrays' buffers are used for besides, where they are mapped.
pub(crate) const USAGE: wgpu::BufferUsages =
    wgpu::BufferUsages::MAP_READ.union(wgpu::BufferUsages::MAP_WRITE);

/// The feature that it takes.
pub(crate) const FEATURE: wgpu::Features = wgpu::Features::MAPPABLE_PRIMARY_BUFFERS;

/// Whether arrays are to be mapped on adapters of this type.
pub(crate) fn suits(device_type: wgpu::DeviceType) -> bool {
    cfg!(not(target_arch = "wasm32")) && device_type == wgpu::DeviceType::Cpu
}

/// The mappings of arrays under way. wgpu refuses a submission that uses a mapped buffer, so each
/// one ends them; whoever was reading takes the way through staging then.
#[derive(Debug, Default)]
pub(crate) struct Mappings(Mutex<Vec<Arc<Mapping>>>);

#[derive(Debug)]
struct Mapping {
    id: BufferId,
    buffer: wgpu::Buffer,
    /// Whether the buffer is mapped, or about to be. Locked while the host reads.
    lasts: Mutex<bool>,
}

impl Mapping {
    fn end(&self, device: &GuardedDevice, lasts: &mut bool) {
        if std::mem::take(lasts) {
            // Nobody is waiting for it, and an error would only say that it is not mapped.
            let _ = device.checked("a mapping", None, || self.buffer.unmap());
        }
    }
}

impl Mappings {
    /// Ends all mappings, after the host has read what it is reading. To be called with the batch
    /// locked, just before a submission.
    pub(crate) fn end(&self, device: &GuardedDevice) {
        for mapping in std::mem::take(&mut *lock(&self.0)) {
            mapping.end(device, &mut lock(&mapping.lasts));
        }
    }
}

impl Inner {
    /// What `take` makes of the first bytes of an array's buffer, if it can be mapped at once: when
    /// all that uses it has run, and nobody else maps it or submits anything meanwhile.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn read_mapped<R>(
        &self,
        memory: &PooledBuffer,
        bytes: usize,
        take: impl Fn(&[u8]) -> R,
    ) -> Result<Option<R>> {
        let ready = Arc::new(AtomicBool::new(false));
        let Some(mapping) = self.start_mapping(memory, &ready) else { return Ok(None) };
        let polled = self.device.poll(wgpu::PollType::Poll);
        let mut lasts = lock(&mapping.lasts);
        let mut taken = None;
        if *lasts && ready.load(Ordering::Acquire) {
            // Buffers are padded to a multiple of what mapping wants.
            let mapped = mapping.buffer.slice(..bytes.next_multiple_of(8) as u64);
            taken = mapped.get_mapped_range().ok().map(|view| take(&view[..bytes]));
        }
        mapping.end(&self.device, &mut lasts);
        drop(lasts);
        lock(&self.mappings.0).retain(|other| !Arc::ptr_eq(other, &mapping));
        // A lost device may pretend that the mapping went well.
        polled?;
        if taken.is_some() {
            self.device.counters.downloaded_bytes.add(bytes as u64);
        }
        Ok(taken)
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn start_mapping(
        &self,
        memory: &PooledBuffer,
        ready: &Arc<AtomicBool>,
    ) -> Option<Arc<Mapping>> {
        // No submission between the mapping and the note of it.
        let _batch = lock(&self.batch);
        let mut mappings = lock(&self.mappings.0);
        let (id, buffer) = (memory.id, memory.buffer.clone());
        // One that was given out may be in a submission of the caller's.
        let taken = memory.is_given_out() || mappings.iter().any(|mapping| mapping.id == id);
        if taken || !map(&self.device, &buffer, wgpu::MapMode::Read, ready) {
            return None;
        }
        let mapping = Arc::new(Mapping { id, buffer, lasts: Mutex::new(true) });
        mappings.push(Arc::clone(&mapping));
        Some(mapping)
    }

    /// Writes `bytes` to a buffer of the pool that nothing uses any more, or that is `mapped` since
    /// its creation.
    pub(crate) fn upload(&self, buffer: &wgpu::Buffer, mapped: bool, bytes: &[u8]) -> Result<()> {
        if bytes.is_empty() && !mapped {
            return Ok(());
        }
        let device = &self.device;
        let mapped = mapped || self.pool.mappable && map_now(device, buffer)?;
        device.checked("an upload", Some(bytes.len() as u64), || {
            if !mapped {
                return write(&self.queue, buffer, bytes);
            }
            let length = bytes.len().max(1).next_multiple_of(8);
            let written = buffer.slice(..length as u64).get_mapped_range_mut().map(|mut view| {
                view.slice(..bytes.len()).copy_from_slice(bytes);
            });
            buffer.unmap();
            if written.is_err() {
                write(&self.queue, buffer, bytes);
            }
        })?;
        device.counters.uploaded_bytes.add(bytes.len() as u64);
        Ok(())
    }
}

/// Through the queue.
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

/// Maps a buffer for writing if it can be had at once; the device may still be reading it.
fn map_now(device: &GuardedDevice, buffer: &wgpu::Buffer) -> Result<bool> {
    let ready = Arc::new(AtomicBool::new(false));
    if !map(device, buffer, wgpu::MapMode::Write, &ready) {
        return Ok(false);
    }
    device.poll(wgpu::PollType::Poll)?;
    let mapped = ready.load(Ordering::Acquire);
    if !mapped {
        // Given up. An error would only say that it is not mapped.
        let _ = device.checked("a mapping", None, || buffer.unmap());
    }
    Ok(mapped)
}

/// Asks for a mapping. `ready` hears of it at a poll.
fn map(
    device: &GuardedDevice,
    buffer: &wgpu::Buffer,
    mode: wgpu::MapMode,
    ready: &Arc<AtomicBool>,
) -> bool {
    let ready = Arc::clone(ready);
    let asked = device.checked("mapping a buffer", None, || {
        buffer.slice(..).map_async(mode, move |mapped| {
            ready.store(mapped.is_ok(), Ordering::Release);
        });
    });
    asked.is_ok()
}
