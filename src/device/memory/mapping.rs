//! Maps arrays' own buffers. It moves bytes in and out with a single copy, on devices that share
//! memory with the host and map buffers of any usage. Uploads and readbacks try it first and go
//! through staging where it fails; no other file uses it.
//!
//! The adapter's type decides which way is taken. Measured on lavapipe (2 cores, medians in ms of
//! an upload or a readback and a wait):
//!
//! | bytes | up: write_buffer | staging | mapped | down: staging | mapped |
//! |---|---|---|---|---|---|
//! | 64 KiB | 0.067 | 0.038 | 0.014 | 0.035 | 0.002 |
//! | 1 MiB | 0.079 | 0.088 | 0.036 | 0.075 | 0.024 |
//! | 16 MiB | 2.5 | 2.2 | 1.0 | 2.2 | 0.8 |
//! | 64 MiB | 11.2 | 11.0 | 5.3 | 39 | 35 |
//! | 120 MiB | 76 | 24 | 10.3 | 82 | 64 |
//!
//! These buffers are recycled. A fresh one of 64 MiB, whose pages the system has yet to allocate,
//! takes 67 ms with `write_buffer` and 43 ms mapped at its creation. So software adapters map; on
//! others arrays stay in the device's own memory, and bytes go through `staging`.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};

use crate::device::guard::error_scope::GuardedDevice;
use crate::device::guard::lock::lock;
use crate::device::memory::bind_groups::BufferId;
use crate::device::memory::pool::PooledBuffer;
use indim_core::semantics::error::Result;

/// The feature that a device needs to map arrays' buffers.
pub(crate) const FEATURE: wgpu::Features = wgpu::Features::MAPPABLE_PRIMARY_BUFFERS;

/// Returns true if arrays are mapped on adapters of this type.
pub(crate) fn suits(device_type: wgpu::DeviceType) -> bool {
    cfg!(not(target_arch = "wasm32")) && device_type == wgpu::DeviceType::Cpu
}

/// The mappings of arrays under way. wgpu rejects a submission that uses a mapped buffer, so each
/// submission ends the mappings of the buffers that it uses; a readback that was about to use one
/// then goes through staging.
#[derive(Debug, Default)]
pub(crate) struct Mappings(Mutex<Vec<Arc<Mapping>>>);

/// A mapping for reading.
#[derive(Debug)]
pub(crate) struct Mapping {
    id: BufferId,
    requested: RequestedMapping,
    /// True while the buffer is mapped, or about to be. It is locked while the host reads.
    lasts: Mutex<bool>,
}

impl Mapping {
    fn end(&self, device: &GuardedDevice, lasts: &mut bool) {
        if std::mem::take(lasts) {
            self.requested.end(device);
        }
    }
}

/// A mapping that was requested of wgpu.
#[derive(Debug)]
struct RequestedMapping {
    buffer: wgpu::Buffer,
    answer: Arc<AtomicU8>,
}

const MAPPED: u8 = 1;
const FAILED: u8 = 2;

/// The largest number of checks whether another thread has finished a mapping, which takes
/// microseconds.
const MAX_LOOKS: usize = 100_000;

impl RequestedMapping {
    /// Requests a mapping; the answer comes at a poll.
    fn new(device: &GuardedDevice, buffer: &wgpu::Buffer, mode: wgpu::MapMode) -> Option<Self> {
        let answer = Arc::new(AtomicU8::new(0));
        let callback_answer = Arc::clone(&answer);
        let asked = device.checked("mapping a buffer", None, || {
            buffer.slice(..).map_async(mode, move |mapped| {
                callback_answer
                    .store(if mapped.is_ok() { MAPPED } else { FAILED }, Ordering::Release);
            });
        });
        asked.is_ok().then(|| Self { buffer: buffer.clone(), answer })
    }

    fn is_mapped(&self) -> bool {
        self.answer.load(Ordering::Acquire) == MAPPED
    }

    /// Unmaps the buffer, or abandons the mapping.
    ///
    /// A poll on another thread, or a submission, may be about to map the buffer: then wgpu has
    /// taken the mapping off its list, reports that there is nothing to unmap, and maps it.
    fn end(&self, device: &GuardedDevice) {
        for _ in 0..MAX_LOOKS {
            let unmapped = device.checked("a mapping", None, || self.buffer.unmap());
            if unmapped.is_ok()
                || self.answer.load(Ordering::Acquire) == FAILED
                || device.lost.check().is_err()
            {
                return;
            }
            std::thread::yield_now();
        }
    }
}

impl Mappings {
    /// Ends the mappings of the buffers that are `used`, by their number or themselves, after the
    /// host has finished reading them. The caller holds the batch's lock, and submits the buffers
    /// right after. Readings of other buffers go on.
    pub(crate) fn end(
        &self,
        device: &GuardedDevice,
        used: impl Fn(BufferId, &wgpu::Buffer) -> bool,
    ) {
        let is_used = |mapping: &mut Arc<Mapping>| used(mapping.id, &mapping.requested.buffer);
        let ending: Vec<_> = lock(&self.0).extract_if(.., is_used).collect();
        for mapping in ending {
            mapping.end(device, &mut lock(&mapping.lasts));
        }
    }

    /// Begins to map an array's buffer for reading, unless it is being mapped elsewhere. The caller
    /// holds the batch's lock: no submission may come between the mapping and the entry in the
    /// list.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn begin_read(
        &self,
        device: &GuardedDevice,
        memory: &PooledBuffer,
    ) -> Option<Arc<Mapping>> {
        let mut mappings = lock(&self.0);
        let id = memory.id;
        // The caller's submissions may use an exported buffer, or one used by commands in a
        // caller-owned encoder.
        let is_elsewhere = memory.is_exported() || memory.encodings.is_any_unsettled();
        if is_elsewhere || mappings.iter().any(|mapping| mapping.id == id) {
            return None;
        }
        let mode = wgpu::MapMode::Read;
        let requested = RequestedMapping::new(device, &memory.buffer, mode)?;
        // The mapping counts as abandoned until it has succeeded, since any submission may end it.
        memory.abandoned.store(true, Ordering::Release);
        let mapping = Arc::new(Mapping { id, requested, lasts: Mutex::new(true) });
        mappings.push(Arc::clone(&mapping));
        Some(mapping)
    }

    /// Returns the value of `take` for the first bytes of the buffer, if it can be mapped at once:
    /// all commands that use it have run, and no other thread submits one meanwhile.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn finish_read<R>(
        &self,
        device: &GuardedDevice,
        mapping: &Arc<Mapping>,
        memory: &PooledBuffer,
        bytes: usize,
        take: impl Fn(&[u8]) -> R,
    ) -> Result<Option<R>> {
        let polled = device.poll(wgpu::PollType::Poll);
        let mut lasts = lock(&mapping.lasts);
        let mut taken = None;
        if *lasts && mapping.requested.is_mapped() {
            // Buffers are padded to a multiple of the alignment that mapping requires.
            let mapped = mapping.requested.buffer.slice(..bytes.next_multiple_of(8) as u64);
            taken = mapped.get_mapped_range().ok().map(|view| take(&view[..bytes]));
        }
        mapping.end(device, &mut lasts);
        // If the buffer was mapped, all commands that used it have run, and wgpu has forgotten
        // older mappings. The flag is cleared while no other thread can begin a new mapping.
        memory.abandoned.store(taken.is_none(), Ordering::Release);
        drop(lasts);
        lock(&self.0).retain(|other| !Arc::ptr_eq(other, mapping));
        // A lost device may report a successful mapping.
        polled?;
        if taken.is_some() {
            device.counters.downloaded_bytes.add(bytes as u64);
        }
        Ok(taken)
    }
}

/// Writes `bytes` to a buffer that no recorded command uses, and returns true, if it is `mapped`
/// since its creation or can be mapped at once.
pub(crate) fn write(
    device: &GuardedDevice,
    memory: &PooledBuffer,
    mapped: bool,
    bytes: &[u8],
) -> Result<bool> {
    let mapped = mapped || map_now(device, memory)?;
    Ok(mapped && write_mapped(device, &memory.buffer, bytes)?)
}

/// Writes to a mapped buffer and unmaps it; returns true if that succeeded.
fn write_mapped(device: &GuardedDevice, buffer: &wgpu::Buffer, bytes: &[u8]) -> Result<bool> {
    device.checked("an upload", Some(bytes.len() as u64), || {
        let length = bytes.len().max(1).next_multiple_of(8);
        let written = buffer.slice(..length as u64).get_mapped_range_mut().map(|mut view| {
            view.slice(..bytes.len()).copy_from_slice(bytes);
        });
        buffer.unmap();
        written.is_ok()
    })
}

/// Maps a buffer for writing and returns true, if that can be done at once: the device may still be
/// reading it.
fn map_now(device: &GuardedDevice, memory: &PooledBuffer) -> Result<bool> {
    if memory.abandoned.load(Ordering::Acquire) {
        return Ok(false);
    }
    let requested = RequestedMapping::new(device, &memory.buffer, wgpu::MapMode::Write);
    let Some(requested) = requested else { return Ok(false) };
    let polled = device.poll(wgpu::PollType::Poll);
    let mapped = polled.is_ok() && requested.is_mapped();
    if !mapped {
        requested.end(device);
        memory.abandoned.store(true, Ordering::Release);
    }
    polled?;
    Ok(mapped)
}
