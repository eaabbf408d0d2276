//! Holds parameter blocks for commands that the caller submits at any time: with the parameter ring,
//! it would be unknown when these have run. The blocks of a program are in a buffer that is written
//! once; those with other constants, each in a new part of a page.

use std::sync::{Arc, Mutex};

use crate::device::gpu::Gpu;
use crate::device::guard::lock::lock;
use crate::device::memory::bind_groups::BufferId;
use crate::device::memory::param_ring;
use crate::device::memory::pool::Pool;
use crate::device::program::bind::block_binding_bytes;
use crate::device::program::commands::Dispatch;
use indim_core::semantics::error::Result;

#[derive(Debug)]
pub(crate) struct ProgramParams {
    pub(crate) buffer: wgpu::Buffer,
    pub(crate) id: BufferId,
    /// The offset in bytes of the block of each dispatch, in their order.
    pub(crate) offsets: Vec<u32>,
    pool: Arc<Pool>,
}

impl ProgramParams {
    /// Writes the blocks of these dispatches.
    pub(crate) fn new<'a>(
        gpu: &Gpu,
        dispatches: impl Iterator<Item = &'a Dispatch>,
    ) -> Result<Self> {
        let alignment = param_ring::alignment(&gpu.limits) as usize / 4;
        let (mut words, mut offsets, mut end) = (Vec::new(), Vec::new(), 0);
        for dispatch in dispatches {
            words.resize(words.len().next_multiple_of(alignment), 0);
            offsets.push(words.len() as u32 * 4);
            let bound = block_binding_bytes(gpu, &dispatch.pipeline.layout, dispatch.words.len());
            // The binding may be larger than the block.
            end = end.max(words.len() as u64 * 4 + bound);
            words.extend_from_slice(&dispatch.words);
        }
        let buffer = param_ring::param_buffer(&gpu.device, end)?;
        let bytes: &[u8] = bytemuck::cast_slice(&words);
        // The queue writes it before the next submission, ours or not.
        gpu.device
            .checked("parameters", Some(end), || gpu.queue.write_buffer(&buffer, 0, bytes))?;
        gpu.device.counters.uniform_bytes.add(bytes.len() as u64);
        Ok(Self { buffer, id: gpu.pool.new_id(), offsets, pool: Arc::clone(&gpu.pool) })
    }
}

/// The size of a page in bytes: a thousand blocks where offsets are multiples of 256.
const PAGE_BYTES: u64 = 256 << 10;

/// Parameter blocks that differ from call to call.
#[derive(Debug, Default)]
pub(crate) struct ParamPages(Mutex<Option<Arc<ParamPage>>>);

/// A buffer whose parts are written one after the other, and never again.
#[derive(Debug)]
pub(crate) struct ParamPage {
    pub(crate) buffer: wgpu::Buffer,
    pub(crate) id: BufferId,
    /// The number of bytes that are in use.
    used: Mutex<u64>,
    pool: Arc<Pool>,
}

impl ParamPages {
    /// Writes the parameter block of a dispatch, and returns its page and its offset there.
    pub(crate) fn insert(
        &self,
        gpu: &Gpu,
        dispatch: &Dispatch,
        words: &[u32],
    ) -> Result<(Arc<ParamPage>, u32)> {
        let bound = block_binding_bytes(gpu, &dispatch.pipeline.layout, words.len());
        let size = bound.max(words.len() as u64 * 4);
        let mut current = lock(&self.0);
        let known =
            current.as_ref().and_then(|page| Some((Arc::clone(page), page.take(gpu, size)?)));
        let (page, offset) = match known {
            Some(known) => known,
            None => {
                let bytes = PAGE_BYTES.min(gpu.limits.max_buffer_size).max(size);
                let buffer = param_ring::param_buffer(&gpu.device, bytes)?;
                let (id, pool) = (gpu.pool.new_id(), Arc::clone(&gpu.pool));
                let page = Arc::new(ParamPage { buffer, id, used: Mutex::new(size), pool });
                *current = Some(Arc::clone(&page));
                (page, 0)
            }
        };
        drop(current);
        let bytes: &[u8] = bytemuck::cast_slice(words);
        gpu.device.checked("parameters", None, || {
            gpu.queue.write_buffer(&page.buffer, offset, bytes);
        })?;
        gpu.device.counters.uniform_bytes.add(bytes.len() as u64);
        Ok((page, offset as u32))
    }
}

impl ParamPage {
    /// Returns the offset of the next part of this size, if there is room.
    fn take(&self, gpu: &Gpu, size: u64) -> Option<u64> {
        let mut used = lock(&self.used);
        let start = used.next_multiple_of(param_ring::alignment(&gpu.limits).into());
        let end = start.checked_add(size).filter(|&end| end <= self.buffer.size())?;
        *used = end;
        Some(start)
    }
}

impl Drop for ParamPage {
    fn drop(&mut self) {
        self.pool.forget(&[self.id]);
    }
}

impl Drop for ProgramParams {
    fn drop(&mut self) {
        self.pool.forget(&[self.id]);
    }
}
