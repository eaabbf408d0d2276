//! Holds the parameter blocks of one program in a buffer that is written once, for commands that
//! the caller submits at any time: with the parameter ring, it would be unknown when these have
//! run.

use std::sync::Arc;

use crate::device::gpu::Gpu;
use crate::device::memory::bind_groups::BufferId;
use crate::device::memory::param_ring;
use crate::device::memory::pool::Pool;
use crate::device::program::bind::block_binding_bytes;
use crate::device::program::commands::Dispatch;
use crate::semantics::error::Result;

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

impl Drop for ProgramParams {
    fn drop(&mut self) {
        self.pool.forget(&[self.id]);
    }
}
