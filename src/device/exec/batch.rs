//! Dispatches that wait to be submitted together. A submission costs some 40 us on a software
//! adapter, a dispatch in a shared pass less than 10, so operations share encoders: a wait, a
//! readback, a buffer given out or enough work submits them.

use std::collections::HashMap;
use std::num::NonZeroU64;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::device::context::Inner;
use crate::device::exec::pipelines::{BindingLayout, Pipeline};
use crate::device::guard::error_scope::GuardedDevice;
use crate::device::guard::lock::lock;
use crate::device::guard::panics::catch_panic;
use crate::device::memory::bind_groups::{Binding, BufferId, Contents, Key};
use crate::device::memory::param_ring::{self, Uniforms};
use crate::device::memory::staging::Upload;
use crate::semantics::error::{DeviceError, Error, Result};

/// A batch is submitted when it holds this many dispatches ...
const MAX_DISPATCHES: usize = 128;

/// ... or writes this many bytes: then there is enough to do while the host goes on.
const MAX_WRITTEN_BYTES: u64 = 8 << 20;

/// One dispatch but for the buffers.
#[derive(Debug)]
pub(crate) struct Dispatch {
    pub(crate) pipeline: Arc<Pipeline>,
    /// The parameter block.
    pub(crate) words: Vec<u32>,
    /// Workgroups.
    pub(crate) groups: [u32; 2],
    /// Size of what it writes.
    pub(crate) written_bytes: u64,
}

/// A dispatch that is ready to be encoded.
#[derive(Debug)]
struct Recorded {
    pipeline: Arc<Pipeline>,
    bindings: wgpu::BindGroup,
    /// Of the parameter block, in bytes.
    params: u32,
    groups: [u32; 2],
    /// Its arrays in [`Batch::bound`]; the last one is the result.
    bound: Range<usize>,
}

/// A copy from one buffer to another.
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
    /// They come before all dispatches: nothing that is recorded before an upload uses its array.
    uploads: Vec<Upload>,
    dispatches: Vec<Recorded>,
    pub(crate) uniforms: Uniforms,
    /// The key that was looked for last; kept for its memory.
    key: Key,
    written_bytes: u64,
    /// The arrays of all dispatches.
    bound: Vec<Contents>,
    refused: Refused,
    /// wgpu's number of the last submission, to wait for.
    pub(crate) last: Option<wgpu::SubmissionIndex>,
}

impl Batch {
    pub(crate) fn new(device: &GuardedDevice, limits: &wgpu::Limits) -> Result<Self> {
        Ok(Self {
            uploads: Vec::new(),
            dispatches: Vec::new(),
            uniforms: Uniforms::new(device, limits)?,
            key: Key::default(),
            written_bytes: 0,
            bound: Vec::new(),
            refused: Refused::default(),
            last: None,
        })
    }

    /// Records one dispatch that binds these buffers, the last one being the result's.
    pub(crate) fn record(
        &mut self,
        gpu: &Inner,
        dispatch: &Dispatch,
        bindings: &[Binding<'_>],
    ) -> Result<()> {
        let (params, group) = if !self.uniforms.takes(&dispatch.words) {
            (0, bind_with_own_params(gpu, dispatch, bindings)?)
        } else {
            let params = match self.uniforms.place(&dispatch.words) {
                Some(place) => place,
                None => {
                    // What is refused is told by the arrays that it should have written.
                    let _ = self.submit(gpu, &[]);
                    self.uniforms.restart();
                    // An empty ring has room for any block of this size.
                    self.uniforms.place(&dispatch.words).unwrap_or_default()
                }
            };
            (params, self.bind(gpu, dispatch, bindings)?)
        };
        let Some(result) = bindings.last() else { return Ok(()) };
        // Also of the result, which may lack a part that was recorded before.
        for binding in bindings {
            self.refused.check(binding.contents)?;
        }
        let first = self.bound.len();
        self.bound.extend(bindings.iter().map(|binding| binding.contents));
        self.dispatches.push(Recorded {
            pipeline: Arc::clone(&dispatch.pipeline),
            bindings: group,
            params,
            groups: dispatch.groups,
            bound: first..self.bound.len(),
        });
        gpu.device.counters.dispatches.add(1);
        self.recorded(gpu, dispatch.written_bytes, result.contents)
    }

    /// Records the copy of what the host has written to staging.
    pub(crate) fn upload(&mut self, gpu: &Inner, upload: Upload) -> Result<()> {
        let (bytes, to) = (upload.copy.bytes, upload.to);
        self.uploads.push(upload);
        self.recorded(gpu, bytes, to)
    }

    /// Notes a command that writes so many bytes of an array, and submits when there is enough to do.
    fn recorded(&mut self, gpu: &Inner, bytes: u64, result: Contents) -> Result<()> {
        self.written_bytes += bytes;
        gpu.pool.recorded.store(true, Ordering::Release);
        if self.dispatches.len() >= MAX_DISPATCHES || self.written_bytes >= MAX_WRITTEN_BYTES {
            // Others' faults are not this call's.
            let _ = self.submit(gpu, &[]);
            self.refused.check(result)?;
        }
        Ok(())
    }

    /// The bind group of these buffers and the ring of parameters, which may be there already.
    fn bind(
        &mut self,
        gpu: &Inner,
        dispatch: &Dispatch,
        bindings: &[Binding<'_>],
    ) -> Result<wgpu::BindGroup> {
        let layout = &dispatch.pipeline.layout;
        let most = if layout.kind.params_in_storage {
            gpu.limits.max_storage_buffer_binding_size
        } else {
            gpu.limits.max_uniform_buffer_binding_size
        };
        let params_bytes = param_ring::binding_bytes(dispatch.words.len() as u64 * 4, most);
        self.key.set(layout.kind.code(), params_bytes, bindings);
        if let Some(group) = lock(&gpu.pool.bind_groups).get(&self.key) {
            gpu.device.counters.bind_group_reuses.add(1);
            return Ok(group);
        }
        let params = binding(&self.uniforms.buffer, 0, params_bytes);
        let group = bind_group(&gpu.device, layout, params, bindings)?;
        // Nobody else records meanwhile, and the buffers are in use and so not forgotten.
        lock(&gpu.pool.bind_groups).insert(&self.key, group.clone());
        Ok(group)
    }

    /// Submits what is recorded, then the copies. The error is the copies', if there are any; else
    /// the first refused dispatch's.
    pub(crate) fn submit(&mut self, gpu: &Inner, copies: &[Copy]) -> Result<()> {
        if self.uploads.is_empty() && self.dispatches.is_empty() && copies.is_empty() {
            return Ok(());
        }
        gpu.mappings.end(&gpu.device, |id, buffer| {
            self.bound.iter().any(|array| array.buffer == id)
                || self.uploads.iter().any(|upload| upload.to.buffer == id)
                || copies.iter().any(|copy| copy.from == *buffer)
        });
        let uploads = std::mem::take(&mut self.uploads);
        let dispatches = std::mem::take(&mut self.dispatches);
        self.written_bytes = 0;
        let submitted = match self.try_submit(gpu, &uploads, &dispatches, copies) {
            Attempt::Submitted => Ok(()),
            Attempt::Panicked(error) => self.refuse_all(&uploads, &dispatches, error),
            Attempt::Refused(_) => self.submit_apart(gpu, &uploads, &dispatches, copies),
        };
        // Only now may a buffer that this batch uses be uploaded to: the queue's writes run before
        // the next submission. Buffers dropped from here on belong to the next batch.
        gpu.pool.recorded.store(false, Ordering::Release);
        gpu.pool.open_batch.fetch_add(1, Ordering::AcqRel);
        // For the next batch, in the memory that there is.
        self.dispatches = dispatches;
        self.dispatches.clear();
        self.bound.clear();
        submitted
    }

    fn try_submit(
        &mut self,
        gpu: &Inner,
        uploads: &[Upload],
        dispatches: &[Recorded],
        copies: &[Copy],
    ) -> Attempt {
        let submitted = gpu.device.checked("a batch of commands", None, || {
            catch_panic(|| {
                self.uniforms.write(&gpu.device, &gpu.queue);
                let commands = encode(&gpu.device, uploads, dispatches, copies);
                gpu.queue.submit([commands])
            })
        });
        match submitted {
            Ok(Ok(index)) => {
                self.last = Some(index);
                gpu.device.counters.submissions.add(1);
                gpu.device.counters.copied_bytes.add(copies.iter().map(|copy| copy.bytes).sum());
                Attempt::Submitted
            }
            Ok(Err(panic)) => {
                let reason = format!("panicked: {panic}");
                let what = "a batch of commands";
                Attempt::Panicked(DeviceError::Wgpu { what, reason }.into())
            }
            Err(error) => Attempt::Refused(error),
        }
    }

    /// After a panic, which may be that of another's callback, it is not known whether the batch
    /// was submitted, and to run it again would not give the same: a buffer may hold a result that
    /// was dropped, and then another.
    fn refuse_all(
        &mut self,
        uploads: &[Upload],
        dispatches: &[Recorded],
        error: Error,
    ) -> Result<()> {
        for upload in uploads {
            self.refused.insert(upload.to, &error);
        }
        for dispatch in dispatches {
            if let Some(&result) = self.bound[dispatch.bound.clone()].last() {
                self.refused.insert(result, &error);
            }
        }
        // Whether the parameters were written is not known.
        self.uniforms.restart();
        Err(error)
    }

    /// wgpu has refused the whole batch and done nothing of it, though it may be a single buffer
    /// that its owner has destroyed or mapped. Submits uploads and dispatches one by one, but for
    /// those that read what is refused.
    fn submit_apart(
        &mut self,
        gpu: &Inner,
        uploads: &[Upload],
        dispatches: &[Recorded],
        copies: &[Copy],
    ) -> Result<()> {
        self.uniforms.rewrite();
        let mut first = None;
        for upload in uploads {
            let submitted = self.try_submit(gpu, std::slice::from_ref(upload), &[], &[]).into();
            if let Err(error) = submitted {
                self.refused.insert(upload.to, &error);
                first.get_or_insert(error);
            }
        }
        for dispatch in dispatches {
            let bound = &self.bound[dispatch.bound.clone()];
            let result = bound.last().copied();
            // Nor is there a use for the other parts of a result that lacks one.
            let readable = bound.iter().try_for_each(|&array| self.refused.check(array));
            let submitted = readable.and_then(|()| {
                self.try_submit(gpu, &[], std::slice::from_ref(dispatch), &[]).into()
            });
            if let (Err(error), Some(result)) = (submitted, result) {
                self.refused.insert(result, &error);
                first.get_or_insert(error);
            }
        }
        let copied = match copies {
            [] => first.map_or(Ok(()), Err),
            copies => self.try_submit(gpu, &[], &[], copies).into(),
        };
        self.uniforms.restart();
        copied
    }

    /// Whether the array is there, or will be.
    pub(crate) fn check(&self, array: Contents) -> Result<()> {
        self.refused.check(array)
    }
}

/// How a submission went.
enum Attempt {
    Submitted,
    /// wgpu has done nothing of it.
    Refused(Error),
    /// Nobody knows.
    Panicked(Error),
}

impl From<Attempt> for Result<()> {
    fn from(attempt: Attempt) -> Self {
        match attempt {
            Attempt::Submitted => Ok(()),
            Attempt::Refused(error) | Attempt::Panicked(error) => Err(error),
        }
    }
}

/// Arrays that are not there, or lack a part, because wgpu refused what should have written them. It
/// refuses nothing of ours that is right; but a caller may destroy a buffer that is still to be read.
///
/// A buffer's last one is enough: what reads an array comes before the next one that has its buffer.
#[derive(Debug, Default)]
struct Refused {
    /// By buffer: the array, and why.
    reasons: HashMap<BufferId, (u64, String)>,
}

impl Refused {
    fn insert(&mut self, refused: Contents, error: &Error) {
        let reason = match error {
            Error::Device(DeviceError::Wgpu { reason, .. }) => reason.clone(),
            other => other.to_string(),
        };
        self.reasons.insert(refused.buffer, (refused.array, reason));
    }

    fn check(&self, Contents { buffer, array }: Contents) -> Result<()> {
        // Mostly there is none, and this is asked for every operand.
        if self.reasons.is_empty() {
            return Ok(());
        }
        match self.reasons.get(&buffer) {
            // The buffer may have been recycled since.
            Some((refused, reason)) if *refused == array => {
                let what = "the commands that write this array";
                Err(DeviceError::Wgpu { what, reason: reason.clone() }.into())
            }
            _ => Ok(()),
        }
    }
}

fn encode(
    device: &wgpu::Device,
    uploads: &[Upload],
    dispatches: &[Recorded],
    copies: &[Copy],
) -> wgpu::CommandBuffer {
    let mut encoder = device
        .create_command_encoder(&wgpu::CommandEncoderDescriptor { label: Some("indim batch") });
    uploads.iter().for_each(|upload| upload.copy.encode(&mut encoder));
    if !dispatches.is_empty() {
        let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some("indim batch"),
            timestamp_writes: None,
        });
        let mut set: Option<&Arc<Pipeline>> = None;
        for dispatch in dispatches {
            if set.is_none_or(|pipeline| !Arc::ptr_eq(pipeline, &dispatch.pipeline)) {
                pass.set_pipeline(&dispatch.pipeline.pipeline);
                set = Some(&dispatch.pipeline);
            }
            pass.set_bind_group(0, &dispatch.bindings, &[dispatch.params]);
            pass.dispatch_workgroups(dispatch.groups[0], dispatch.groups[1], 1);
        }
    }
    copies.iter().for_each(|copy| copy.encode(&mut encoder));
    encoder.finish()
}

impl Copy {
    fn encode(&self, encoder: &mut wgpu::CommandEncoder) {
        let Self { from, from_offset, to, bytes } = self;
        encoder.copy_buffer_to_buffer(from, *from_offset, to, 0, Some(*bytes));
    }
}

/// For a table of constants that does not fit into the ring.
fn bind_with_own_params(
    gpu: &Inner,
    dispatch: &Dispatch,
    bindings: &[Binding<'_>],
) -> Result<wgpu::BindGroup> {
    let block: &[u8] = bytemuck::cast_slice(&dispatch.words);
    let bytes = block.len() as u64;
    let own = param_ring::uniform_buffer(&gpu.device, bytes)?;
    gpu.device.checked("a table of constants", Some(bytes), || {
        gpu.queue.write_buffer(&own, 0, block);
    })?;
    gpu.device.counters.uniform_bytes.add(bytes);
    bind_group(&gpu.device, &dispatch.pipeline.layout, binding(&own, 0, bytes), bindings)
}

fn bind_group(
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
            label: Some("indim kernel"),
            layout: &layout.groups,
            entries: &entries,
        })
    })
}

fn binding(buffer: &wgpu::Buffer, offset: u64, size: u64) -> wgpu::BufferBinding<'_> {
    wgpu::BufferBinding { buffer, offset, size: NonZeroU64::new(size) }
}
