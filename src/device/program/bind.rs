//! Makes the bind groups of dispatches, or finds existing ones.

use std::num::NonZeroU64;

use crate::device::gpu::Gpu;
use crate::device::guard::error_scope::GuardedDevice;
use crate::device::guard::lock::lock;
use crate::device::memory::bind_groups::{BindGroupKey, Binding, BufferId};
use crate::device::memory::param_ring;
use crate::device::program::pipelines::BindingLayout;
use indim_core::semantics::error::Result;

/// The buffer that parameter blocks are bound from, with dynamic offsets.
#[derive(Clone, Copy)]
pub(crate) struct ParamBuffer<'a> {
    pub(crate) id: BufferId,
    pub(crate) buffer: &'a wgpu::Buffer,
}

/// Returns the bind group, new or existing, of these buffers with a parameter block of `words`
/// words. `key` is scratch memory for the lookup.
///
/// The caller keeps the buffers in use, so that the bind group stays valid.
pub(crate) fn cached(
    gpu: &Gpu,
    key: &mut BindGroupKey,
    layout: &BindingLayout,
    params: ParamBuffer<'_>,
    words: usize,
    bindings: &[Binding<'_>],
) -> Result<wgpu::BindGroup> {
    let bytes = block_binding_bytes(gpu, layout, words);
    key.set(layout.kind.code(), (params.id, bytes), bindings);
    if let Some(group) = lock(&gpu.pool.bind_groups).get(key) {
        gpu.device.counters.bind_group_reuses.add(1);
        return Ok(group);
    }
    let block = binding(params.buffer, 0, bytes);
    let group = bind_group(&gpu.device, layout, block, bindings)?;
    lock(&gpu.pool.bind_groups).insert(key, group.clone());
    Ok(group)
}

/// Returns the number of bytes bound for a parameter block of `words` words.
pub(crate) fn block_binding_bytes(gpu: &Gpu, layout: &BindingLayout, words: usize) -> u64 {
    let max = if layout.kind.params_in_storage {
        gpu.limits.max_storage_buffer_binding_size
    } else {
        gpu.limits.max_uniform_buffer_binding_size
    };
    param_ring::binding_bytes(words as u64 * 4, max)
}

pub(crate) fn bind_group(
    device: &GuardedDevice,
    layout: &BindingLayout,
    params: wgpu::BufferBinding<'_>,
    bindings: &[Binding<'_>],
) -> Result<wgpu::BindGroup> {
    let entries: Vec<wgpu::BindGroupEntry<'_>> = std::iter::once(params)
        .chain(bindings.iter().map(|b| binding(b.buffer, b.offset, b.size)))
        .zip(0..)
        .map(|(buffer, binding)| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::Buffer(buffer),
        })
        .collect();
    device.counters.bind_groups.add(1);
    device.checked("the bindings of a kernel", None, || {
        device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(&device.labels.kernel),
            layout: &layout.groups,
            entries: &entries,
        })
    })
}

pub(crate) fn binding(buffer: &wgpu::Buffer, offset: u64, size: u64) -> wgpu::BufferBinding<'_> {
    wgpu::BufferBinding { buffer, offset, size: NonZeroU64::new(size) }
}
