//! Runs the benchmarks' own commands on the context's device: floors, copies, and waits.

use std::collections::HashMap;
use std::num::NonZeroU64;

use indim::wgpu::{self, BufferUsages, ErrorFilter};
use indim::{BufferRange, Context};

use crate::error::{BenchError, Result};
use crate::kernel::{BufferPart, Floor, Slot, Step};

/// Bindings are in whole words of 32 bytes, of which two may be read together.
const BOUND_BYTES: u64 = 64;

/// Runs `work` in error scopes, since the context drops errors outside of scopes.
pub(crate) fn checked<T>(gpu: &Context, what: &str, work: impl FnOnce() -> T) -> Result<T> {
    let device = gpu.device();
    let filters = [ErrorFilter::Internal, ErrorFilter::OutOfMemory, ErrorFilter::Validation];
    let mut scopes = filters.map(|filter| Some(device.push_error_scope(filter)));
    let made = work();
    let mut found = None;
    for scope in scopes.iter_mut().rev().filter_map(Option::take) {
        found = pollster::block_on(scope.pop()).or(found);
    }
    match found {
        None => Ok(made),
        Some(error) => {
            let lines: Vec<String> = error.to_string().lines().map(|l| l.trim().into()).collect();
            Err(BenchError::new(format!("{what}: {}", lines.join(" "))))
        }
    }
}

/// Waits for a submission.
pub(crate) fn wait(gpu: &Context, submission: wgpu::SubmissionIndex) -> Result<()> {
    let poll = wgpu::PollType::Wait { submission_index: Some(submission), timeout: None };
    let polled = gpu.device().poll(poll);
    polled.map(drop).map_err(|error| BenchError::new(format!("waiting for the device: {error}")))
}

/// Returns a buffer of at least the given size in bytes.
pub(crate) fn buffer(gpu: &Context, bytes: u64, usage: BufferUsages) -> Result<wgpu::Buffer> {
    let size = bytes.next_multiple_of(BOUND_BYTES);
    let allowed = gpu.device().limits().max_buffer_size;
    if size > allowed {
        return Err(BenchError::new(format!(
            "a buffer of {size} bytes exceeds the device's max_buffer_size, {allowed}"
        )));
    }
    checked(gpu, &format!("a buffer of {size} bytes"), || {
        gpu.device().create_buffer(&wgpu::BufferDescriptor {
            label: Some("indim bench"),
            size,
            usage,
            mapped_at_creation: false,
        })
    })
}

/// Returns a kernel compiled from WGSL text. Its bindings are the read-only `inputs`, then the
/// written `outputs`.
pub(crate) fn pipeline(
    gpu: &Context,
    text: &str,
    [inputs, outputs]: [usize; 2],
) -> Result<wgpu::ComputePipeline> {
    let device = gpu.device();
    let entries: Vec<wgpu::BindGroupLayoutEntry> = (0..inputs + outputs)
        .map(|binding| wgpu::BindGroupLayoutEntry {
            binding: binding as u32,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty: wgpu::BufferBindingType::Storage { read_only: binding < inputs },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        })
        .collect();
    checked(gpu, "a floor's kernel", || {
        let module = device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some("indim floor"),
            source: wgpu::ShaderSource::Wgsl(text.into()),
        });
        let layout = device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
            label: Some("indim floor"),
            entries: &entries,
        });
        let layout = device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some("indim floor"),
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some("indim floor"),
            layout: Some(&layout),
            module: &module,
            entry_point: Some("main"),
            compilation_options: wgpu::PipelineCompilationOptions {
                // The library compiles its kernels with the same option.
                zero_initialize_workgroup_memory: false,
                ..Default::default()
            },
            cache: None,
        })
    })
}

/// Returns a bind group of the buffers in their order.
pub(crate) fn bind(
    gpu: &Context,
    pipeline: &wgpu::ComputePipeline,
    buffers: &[wgpu::BufferBinding<'_>],
) -> Result<wgpu::BindGroup> {
    let limit = gpu.device().limits().max_storage_buffer_binding_size;
    for bound in buffers {
        let bytes = bound.size.map_or(bound.buffer.size(), u64::from);
        if bytes > limit {
            return Err(BenchError::new(format!(
                "the floor binds {bytes} bytes, more than the device's \
                 max_storage_buffer_binding_size, {limit}"
            )));
        }
    }
    let entries: Vec<wgpu::BindGroupEntry<'_>> = (0..)
        .zip(buffers)
        .map(|(binding, buffer)| wgpu::BindGroupEntry {
            binding,
            resource: wgpu::BindingResource::Buffer(buffer.clone()),
        })
        .collect();
    checked(gpu, "a floor's bindings", || {
        gpu.device().create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some("indim floor"),
            layout: &pipeline.get_bind_group_layout(0),
            entries: &entries,
        })
    })
}

/// Returns an operand's buffer and offset if it can be bound in whole words, otherwise those of a
/// copy.
fn padded(gpu: &Context, operand: &BufferRange) -> Result<(wgpu::Buffer, u64)> {
    if operand.offset + operand.size.next_multiple_of(BOUND_BYTES) <= operand.buffer.size() {
        return Ok((operand.buffer.clone(), operand.offset));
    }
    let copy = buffer(gpu, operand.size, BufferUsages::STORAGE | BufferUsages::COPY_DST)?;
    checked(gpu, "a floor's operand", || {
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        let bytes = operand.size.next_multiple_of(4);
        encoder.copy_buffer_to_buffer(&operand.buffer, operand.offset, &copy, 0, bytes);
        gpu.queue().submit([encoder.finish()])
    })?;
    Ok((copy, 0))
}

/// A floor on the device, with all its resources allocated.
pub(crate) struct PreparedFloor {
    steps: Vec<(wgpu::ComputePipeline, wgpu::BindGroup, [u32; 2])>,
    pub(crate) result: wgpu::Buffer,
}

impl PreparedFloor {
    /// Compiles and binds a floor over these operands.
    pub(crate) fn new(
        gpu: &Context,
        floor: &Floor,
        operands: &[BufferRange],
        result_bytes: u64,
    ) -> Result<Self> {
        let usage = BufferUsages::STORAGE | BufferUsages::COPY_SRC;
        let result_bytes = result_bytes.max(floor.room);
        let result = buffer(gpu, result_bytes, usage)?;
        let padded: Vec<(wgpu::Buffer, u64)> =
            operands.iter().map(|operand| padded(gpu, operand)).collect::<Result<_>>()?;
        let temporaries: Vec<wgpu::Buffer> = floor
            .temporaries
            .iter()
            .map(|&bytes| buffer(gpu, bytes, usage))
            .collect::<Result<_>>()?;
        let place = |part: BufferPart| {
            let (buffer, offset, bytes) = match part.array {
                Slot::Operand(number) => {
                    let (buffer, offset) = &padded[number];
                    (buffer, *offset, operands[number].size)
                }
                Slot::Temporary(number) => (&temporaries[number], 0, floor.temporaries[number]),
                Slot::Result => (&result, 0, result_bytes),
            };
            let bytes = part.size.unwrap_or(bytes).next_multiple_of(BOUND_BYTES);
            wgpu::BufferBinding {
                buffer,
                offset: offset + part.offset,
                size: NonZeroU64::new(bytes),
            }
        };
        let mut pipelines: HashMap<&str, wgpu::ComputePipeline> = HashMap::new();
        let mut steps = Vec::new();
        for Step { text, groups, inputs, output, others } in &floor.steps {
            let pipeline = match pipelines.get(text.as_str()) {
                Some(pipeline) => pipeline.clone(),
                None => pipeline(gpu, text, [inputs.len(), 1 + others.len()])?,
            };
            let all = inputs.iter().chain([output]).chain(others);
            let parts: Vec<_> = all.map(|&part| place(part)).collect();
            steps.push((pipeline.clone(), bind(gpu, &pipeline, &parts)?, *groups));
            pipelines.insert(text, pipeline);
        }
        Ok(Self { steps, result })
    }

    /// Submits the given number of repetitions in one pass.
    pub(crate) fn submit(&self, gpu: &Context, repeats: usize) -> wgpu::SubmissionIndex {
        let mut encoder = gpu.device().create_command_encoder(&Default::default());
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            let mut set = None;
            for (pipeline, bindings, groups) in std::iter::repeat_n(&self.steps, repeats).flatten()
            {
                if set != Some(pipeline) {
                    pass.set_pipeline(pipeline);
                    set = Some(pipeline);
                }
                pass.set_bind_group(0, bindings, &[]);
                pass.dispatch_workgroups(groups[0], groups[1], 1);
            }
        }
        gpu.queue().submit([encoder.finish()])
    }
}
