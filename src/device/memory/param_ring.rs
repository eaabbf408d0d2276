//! Holds kernels' parameter blocks in one buffer, bound with dynamic offsets. It is a ring: once
//! full, it is filled from the start again.
//!
//! A block that is there already is not written again, so that a loop of the same operations writes
//! nothing. New blocks are written by the queue just before the batch that uses it is submitted,
//! and so after all batches before it; nothing is overwritten that a recorded dispatch still needs,
//! because the ring is begun again only after those were submitted.

use crate::device::guard::error_scope::GuardedDevice;
use crate::device::memory::bind_groups::BufferId;
use crate::semantics::error::Result;
use crate::semantics::hash::{FastMap, hash_of};

/// Size of the ring in bytes: a thousand blocks where offsets are multiples of 256.
const RING_BYTES: u64 = 256 << 10;

/// The part of the ring that one block may take. A larger one, which has a large table of
/// constants, gets a buffer of its own.
const MAX_SHARE: u64 = 8;

/// The smallest size of a binding, so that most kernels' bindings have the same size.
const MIN_BINDING_BYTES: u64 = 256;

#[derive(Debug)]
pub(crate) struct ParamRing {
    pub(crate) buffer: wgpu::Buffer,
    pub(crate) id: BufferId,
    /// Its size in bytes.
    size: u64,
    /// The number of words of which each block's start is a multiple.
    alignment: usize,
    /// The contents that the buffer has once the open batch is submitted.
    words: Vec<u32>,
    /// Number of the words that are on the device.
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

    /// Puts the block into the ring, if it is not there; returns its offset in bytes. `None` if
    /// there is no room, until the open batch has been submitted and the ring begun again.
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

    /// Begins the ring again. No dispatch that uses it may be recorded and not submitted.
    pub(crate) fn restart(&mut self) {
        self.words.clear();
        self.offsets.clear();
        self.written = 0;
    }

    /// Marks nothing as written to the device, so that all blocks are written again.
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

/// Returns the number of bytes of which the offset of each block is a multiple.
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
