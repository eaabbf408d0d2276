//! Dispatches that wait to be submitted together. A submission costs some 40 us on a software
//! adapter, a dispatch in a shared pass less than 10, so operations share encoders: a wait, a
//! readback, a buffer given out or enough work submits them.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::context::Inner;
use crate::error::{DeviceError, Error, Result};
use crate::pipelines::Pipeline;
use crate::plan::Launch;
use crate::scope::GuardedDevice;

/// Room for the parameter blocks of one batch, in bytes.
const PARAMS_BYTES: u64 = 64 << 10;

/// A batch is submitted when it holds this many dispatches ...
const MAX_DISPATCHES: usize = 128;

/// ... or writes this many bytes: then there is enough to do while the host goes on.
const MAX_WRITTEN_BYTES: u64 = 8 << 20;

/// A dispatch that is ready to be encoded.
#[derive(Debug)]
struct Dispatch {
    pipeline: Arc<Pipeline>,
    bindings: wgpu::BindGroup,
    groups: [u32; 2],
}

/// A copy that reads a result back.
#[derive(Debug)]
pub(crate) struct Copy {
    pub(crate) from: wgpu::Buffer,
    pub(crate) from_offset: u64,
    pub(crate) to: wgpu::Buffer,
    /// A multiple of 4.
    pub(crate) bytes: u64,
}

#[derive(Debug)]
pub(crate) struct Batch {
    dispatches: Vec<Dispatch>,
    /// The parameter blocks, as they will lie in `params`.
    blocks: Vec<u8>,
    /// Written by the queue before each batch runs, after the one before it: one buffer serves all.
    pub(crate) params: wgpu::Buffer,
    written_bytes: u64,
    /// Batches that wgpu refused, by number, with its reason: what they should have written is not
    /// there. wgpu refuses none of ours that is right, so this stays empty.
    refused: HashMap<u64, String>,
    pub(crate) submissions: u64,
    dispatched: u64,
    /// wgpu's number of the last submission, to wait for.
    pub(crate) last: Option<wgpu::SubmissionIndex>,
}

/// What one dispatch binds, besides its parameter block.
pub(crate) struct Bindings<'a> {
    pub(crate) inputs: Vec<wgpu::BufferBinding<'a>>,
    pub(crate) result: wgpu::BufferBinding<'a>,
}

impl Batch {
    pub(crate) fn new(device: &GuardedDevice) -> Result<Self> {
        let params = device
            .checked("an allocation", Some(PARAMS_BYTES), || params_buffer(device, PARAMS_BYTES))?;
        Ok(Self {
            dispatches: Vec::new(),
            blocks: Vec::new(),
            params,
            written_bytes: 0,
            refused: HashMap::new(),
            submissions: 0,
            dispatched: 0,
            last: None,
        })
    }

    /// Records one dispatch. `written_in` learns which batch writes its result.
    pub(crate) fn record(
        &mut self,
        gpu: &Inner,
        pipeline: Arc<Pipeline>,
        launch: &Launch,
        bindings: Bindings<'_>,
        written_in: &AtomicU64,
    ) -> Result<()> {
        let device = &gpu.device;
        let block: &[u8] = bytemuck::cast_slice(&launch.words);
        let alignment = gpu
            .limits
            .min_uniform_buffer_offset_alignment
            .max(gpu.limits.min_storage_buffer_offset_alignment) as usize;
        let start = self.blocks.len().next_multiple_of(alignment);
        if (start + block.len()) as u64 > PARAMS_BYTES {
            self.submit(gpu, &[])?;
        }
        let start = self.blocks.len().next_multiple_of(alignment);
        let bytes = block.len() as u64;
        let own_params;
        let (params, offset) = if bytes > PARAMS_BYTES {
            // A table of constants past the shared buffer gets a buffer of its own.
            own_params = device.checked("an allocation", Some(bytes), || {
                let buffer = params_buffer(device, bytes);
                gpu.queue.write_buffer(&buffer, 0, block);
                buffer
            })?;
            (&own_params, 0)
        } else {
            self.blocks.resize(start, 0);
            self.blocks.extend_from_slice(block);
            (&self.params, start as u64)
        };
        let params =
            wgpu::BufferBinding { buffer: params, offset, size: std::num::NonZeroU64::new(bytes) };
        let written = bindings.result.size.map_or(0, u64::from);
        let entries: Vec<wgpu::BindGroupEntry<'_>> = std::iter::once(params)
            .chain(bindings.inputs)
            .chain(std::iter::once(bindings.result))
            .zip(0..)
            .map(|(buffer, binding)| wgpu::BindGroupEntry {
                binding,
                resource: wgpu::BindingResource::Buffer(buffer),
            })
            .collect();
        let bindings = device.checked("the bindings of a kernel", None, || {
            device.create_bind_group(&wgpu::BindGroupDescriptor {
                label: Some("indim kernel"),
                layout: &pipeline.layout,
                entries: &entries,
            })
        })?;
        self.dispatches.push(Dispatch { pipeline, bindings, groups: launch.groups });
        written_in.store(gpu.pool.open_batch.load(Ordering::Acquire), Ordering::Release);
        self.written_bytes += written;
        if self.dispatches.len() >= MAX_DISPATCHES || self.written_bytes >= MAX_WRITTEN_BYTES {
            self.submit(gpu, &[])?;
        }
        Ok(())
    }

    /// Submits what is recorded, then the copies.
    pub(crate) fn submit(&mut self, gpu: &Inner, copies: &[Copy]) -> Result<()> {
        let (device, queue) = (&gpu.device, &gpu.queue);
        if self.dispatches.is_empty() && copies.is_empty() {
            return Ok(());
        }
        let dispatches = std::mem::take(&mut self.dispatches);
        let blocks = std::mem::take(&mut self.blocks);
        self.written_bytes = 0;
        let submitted = device.checked("a batch of commands", None, || {
            if !blocks.is_empty() {
                queue.write_buffer(&self.params, 0, &blocks);
            }
            let mut encoder = device.create_command_encoder(&wgpu::CommandEncoderDescriptor {
                label: Some("indim batch"),
            });
            if !dispatches.is_empty() {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                    label: Some("indim batch"),
                    timestamp_writes: None,
                });
                for dispatch in &dispatches {
                    pass.set_pipeline(&dispatch.pipeline.pipeline);
                    pass.set_bind_group(0, &dispatch.bindings, &[]);
                    pass.dispatch_workgroups(dispatch.groups[0], dispatch.groups[1], 1);
                }
            }
            for copy in copies {
                encoder.copy_buffer_to_buffer(
                    &copy.from,
                    copy.from_offset,
                    &copy.to,
                    0,
                    Some(copy.bytes),
                );
            }
            queue.submit([encoder.finish()])
        });
        // Only now may a buffer that this batch uses be uploaded to: the queue's writes run before
        // the next submission. Buffers dropped from here on belong to the next batch.
        let number = gpu.pool.open_batch.fetch_add(1, Ordering::AcqRel);
        match submitted {
            Ok(index) => {
                self.last = Some(index);
                self.submissions += 1;
                self.dispatched += dispatches.len() as u64;
                Ok(())
            }
            Err(error) => {
                let reason = match &error {
                    Error::Device(DeviceError::Wgpu { reason, .. }) => reason.clone(),
                    other => other.to_string(),
                };
                self.refused.insert(number, reason);
                Err(error)
            }
        }
    }

    /// Dispatches submitted or recorded.
    pub(crate) fn dispatches(&self) -> u64 {
        self.dispatched + self.dispatches.len() as u64
    }

    /// Whether what batch `number` writes is there, or will be.
    pub(crate) fn check(&self, number: u64) -> Result<()> {
        match self.refused.get(&number) {
            None => Ok(()),
            Some(reason) => Err(Error::Device(DeviceError::Wgpu {
                what: "the batch of commands that writes this array",
                reason: reason.clone(),
            })),
        }
    }
}

fn params_buffer(device: &wgpu::Device, size: u64) -> wgpu::Buffer {
    device.create_buffer(&wgpu::BufferDescriptor {
        label: Some("indim parameters"),
        size,
        usage: wgpu::BufferUsages::UNIFORM
            | wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    })
}
