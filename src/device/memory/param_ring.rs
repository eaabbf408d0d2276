//! Holds kernels' parameter blocks in one buffer, bound with dynamic offsets. It is a ring: once
//! full, it is filled from the start again.
//!
//! A block already in the ring is not written again, so a loop of the same operations writes
//! nothing. The queue writes new blocks just before submitting the batch that uses them, and so
//! after all earlier batches. The ring restarts only after the recorded dispatches are submitted,
//! so it never overwrites a block that one of them still needs.

use crate::device::guard::error_scope::GuardedDevice;
use crate::device::memory::bind_groups::BufferId;
use indim_core::semantics::error::Result;
use indim_core::semantics::hash::{FastMap, hash_of};

/// Size of the ring in bytes: a thousand blocks where offsets are multiples of 256.
const RING_BYTES: u64 = 256 << 10;

/// The part of the ring that one block may take. A larger one, with a large table of constants,
/// gets a separate buffer.
const MAX_SHARE: u64 = 8;

/// The smallest size of a binding, so that most kernels' bindings have the same size.
const MIN_BINDING_BYTES: u64 = 256;

#[derive(Debug)]
pub(crate) struct ParamRing {
    pub(crate) buffer: wgpu::Buffer,
    pub(crate) id: BufferId,
    /// Its size in bytes.
    size: u64,
    /// The alignment of each block's start, in words.
    alignment: usize,
    /// The buffer's contents once the open batch is submitted.
    words: Vec<u32>,
    /// The number of words already on the device.
    written: usize,
    /// Offset of each block in words, by its hash.
    offsets: FastMap<u64, usize>,
}

impl ParamRing {
    pub(crate) fn new(device: &GuardedDevice, limits: &wgpu::Limits, id: BufferId) -> Result<Self> {
        let size = RING_BYTES.min(limits.max_buffer_size);
        Ok(Self {
            buffer: param_buffer(device, size)?,
            id,
            size,
            alignment: alignment(limits) as usize / 4,
            words: Vec::new(),
            written: 0,
            offsets: FastMap::default(),
        })
    }

    /// Returns true if the ring takes blocks of this size.
    pub(crate) fn fits(&self, block: &[u32]) -> bool {
        block.len() as u64 * 4 <= self.size / MAX_SHARE
    }

    /// Puts the block into the ring, unless it is there already, and returns its offset in bytes.
    /// `None` if the ring is full until the open batch has been submitted and the ring restarted.
    pub(crate) fn insert(&mut self, block: &[u32]) -> Option<u32> {
        let hash = hash_of(block);
        if let Some(&start) = self.offsets.get(&hash)
            && self.words[start..].starts_with(block)
        {
            return Some(start as u32 * 4);
        }
        let start = self.words.len().next_multiple_of(self.alignment);
        // The binding may be larger than the block.
        let end = (start + block.len().next_power_of_two()) * 4;
        if end.max(start * 4 + MIN_BINDING_BYTES as usize) > self.size as usize {
            return None;
        }
        self.words.resize(start, 0);
        self.words.extend_from_slice(block);
        self.offsets.insert(hash, start);
        Some(start as u32 * 4)
    }

    /// Restarts the ring. All recorded dispatches that use it must have been submitted.
    pub(crate) fn restart(&mut self) {
        self.words.clear();
        self.offsets.clear();
        self.written = 0;
    }

    /// Marks all blocks as not yet on the device, so that they are written again.
    pub(crate) fn rewrite(&mut self) {
        self.written = 0;
    }

    /// Writes the new blocks. The caller then submits the batch that uses them.
    pub(crate) fn write(&mut self, device: &GuardedDevice, queue: &wgpu::Queue) {
        let new: &[u8] = bytemuck::cast_slice(&self.words[self.written..]);
        if !new.is_empty() {
            queue.write_buffer(&self.buffer, self.written as u64 * 4, new);
            device.counters.uniform_bytes.add(new.len() as u64);
            self.written = self.words.len();
        }
    }
}

/// Returns the alignment of each block's offset, in bytes.
pub(crate) fn alignment(limits: &wgpu::Limits) -> u32 {
    let uniform = limits.min_uniform_buffer_offset_alignment;
    uniform.max(limits.min_storage_buffer_offset_alignment).max(16)
}

/// Returns the size of the binding for a block of `bytes` bytes: one of few sizes, so that bind
/// groups serve several kernels. `max` is the largest binding of the device.
pub(crate) fn binding_bytes(block: u64, max: u64) -> u64 {
    let class = block.next_power_of_two().max(MIN_BINDING_BYTES);
    if class > max { block } else { class }
}

/// Allocates a buffer for parameter blocks.
pub(crate) fn param_buffer(device: &GuardedDevice, size: u64) -> Result<wgpu::Buffer> {
    device.allocate(
        size,
        &wgpu::BufferDescriptor {
            label: Some(&device.labels.parameters),
            size,
            usage: wgpu::BufferUsages::UNIFORM
                | wgpu::BufferUsages::STORAGE
                | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        },
    )
}
