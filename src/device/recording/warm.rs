//! Runs one workgroup of kernels that were compiled ahead: some drivers finish compiling a kernel
//! when it is dispatched for the first time, as lavapipe does.
//!
//! This involves no arrays. All numbers of the parameter block are 0, so that an invocation either
//! is past the end and returns, or stays within its own part of scratch memory, which is as large
//! as the largest units of a workgroup.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::device::gpu::Gpu;
use crate::device::memory::bind_groups::Binding;
use crate::device::memory::param_ring;
use crate::device::program::bind::bind_group;
use crate::device::program::cache::Program;
use crate::device::program::commands::{Commands, Dispatch, EncodedDispatch};
use crate::device::recording::stream::Stream;
use indim_compiler::layout::{ALIGNMENT, SPARE_BYTES};
use indim_core::semantics::error::Result;

/// The number of invocations in a workgroup for which [`SPARE_BYTES`] suffice.
const INVOCATIONS: u64 = 64;

/// Runs each kernel of the programs once, unless it was run here before, in workgroups of
/// `workgroup_size` invocations. Off the web it waits until they have run.
pub(crate) fn run_once(
    stream: &Stream,
    programs: &[Arc<Program>],
    workgroup_size: u32,
) -> Result<()> {
    let parts = programs.iter().flat_map(|program| &program.steps).flat_map(|step| &step.parts);
    let is_new = |dispatch: &&Dispatch| !dispatch.pipeline.has_run.swap(true, Ordering::AcqRel);
    let new: Vec<&Dispatch> = parts.map(|part| &part.dispatch).filter(is_new).collect();
    if new.is_empty() {
        return Ok(());
    }
    let gpu = &stream.gpu;
    let dispatches = on_scratch(gpu, &new, workgroup_size)?;
    let commands = Commands { dispatches: &dispatches, ..Commands::default() };
    // The lock keeps callbacks that wgpu runs within a submission from getting here.
    let open = stream.batch()?;
    gpu.device.checked("the first run of kernels", None, || {
        gpu.queue.submit([commands.encode(&gpu.device, None)])
    })?;
    drop(open);
    gpu.device.counters.dispatches.add(dispatches.len() as u64);
    gpu.device.counters.submissions.add(1);
    #[cfg(not(target_arch = "wasm32"))]
    gpu.wait()?;
    Ok(())
}

/// Returns one workgroup of each dispatch, which reads zeros and writes to scratch memory.
fn on_scratch(
    gpu: &Gpu,
    dispatches: &[&Dispatch],
    workgroup_size: u32,
) -> Result<Vec<EncodedDispatch>> {
    let wanted = SPARE_BYTES as u64 * u64::from(workgroup_size).div_ceil(INVOCATIONS).max(1);
    let most = gpu.limits.max_storage_buffer_binding_size.min(gpu.limits.max_buffer_size);
    // If a binding is smaller, no kernel writes past the end of its array.
    let bytes = wanted.min(most / ALIGNMENT * ALIGNMENT).max(ALIGNMENT);
    let block = |dispatch: &Dispatch| dispatch.words.len() as u64 * 4;
    let blocks = dispatches.iter().map(|dispatch| block(dispatch)).max().unwrap_or_default();
    // wgpu fills new buffers with zeros.
    let zeros = param_ring::param_buffer(&gpu.device, blocks)?;
    let read = param_ring::param_buffer(&gpu.device, bytes)?;
    // A written buffer is bound once.
    let outputs = dispatches.iter().map(|dispatch| dispatch.pipeline.layout.kind.outputs).max();
    let written: Vec<wgpu::Buffer> = (0..outputs.unwrap_or_default())
        .map(|_| param_ring::param_buffer(&gpu.device, bytes))
        .collect::<Result<_>>()?;
    let binding =
        |buffer| Binding { id: 0, last_batch: None, poison: None, buffer, offset: 0, size: bytes };
    let record = |&dispatch: &&Dispatch| {
        let pipeline = Arc::clone(&dispatch.pipeline);
        let mut bindings = vec![binding(&read); pipeline.layout.kind.inputs];
        bindings.extend(written.iter().take(pipeline.layout.kind.outputs).map(binding));
        let params = wgpu::BufferBinding {
            buffer: &zeros,
            offset: 0,
            size: std::num::NonZeroU64::new(block(dispatch)),
        };
        let bindings = bind_group(&gpu.device, &pipeline.layout, params, &bindings)?;
        let (workgroups, arrays, name) = ([1, 1], 0..0, None);
        Ok(EncodedDispatch { pipeline, bindings, params: 0, workgroups, arrays, name })
    };
    dispatches.iter().map(record).collect()
}
