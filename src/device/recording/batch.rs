//! Defines [`Batch`]: commands that wait to be submitted together. A submission costs some 40 us on
//! a software adapter, a dispatch in a shared pass less than 10, so operations share encoders: a
//! wait, a readback, an exported buffer or enough work submits them.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::device::gpu::Gpu;
#[cfg(target_arch = "wasm32")]
use crate::device::guard::deferred_errors::{BatchAnswer, Blamed};
use crate::device::guard::panics::catch_panic;
use crate::device::guard::poison::Poison;
use crate::device::guard::span::span;
use crate::device::memory::bind_groups::{BindGroupKey, Binding, BufferId};
#[cfg(target_arch = "wasm32")]
use crate::device::memory::encoding::Encoding;
use crate::device::memory::param_ring::{self, ParamRing};
use crate::device::memory::pool::PooledBuffer;
use crate::device::program::bind::{self, ParamBuffer, bind_group, binding};
use crate::device::program::commands::{
    BoundArray, Commands, Copy, Dispatch, EncodedDispatch, Upload,
};
#[cfg(target_arch = "wasm32")]
use crate::device::recording::encoded_readers::Use;
#[cfg(target_arch = "wasm32")]
use crate::device::recording::pending_batches::{PendingBatch, PendingBatches, Submitted};
use indim_core::errors::device::DeviceError;
use indim_core::semantics::error::{Error, Result};

/// A batch that holds this many dispatches is submitted.
const MAX_DISPATCHES: usize = 128;

/// A batch that writes this many bytes is submitted: the device then has enough to do while the
/// host goes on.
const MAX_WRITTEN_BYTES: u64 = 8 << 20;

#[derive(Debug)]
pub(crate) struct Batch {
    /// Uploads run before all dispatches: no command recorded before an upload uses its array.
    uploads: Vec<Upload>,
    dispatches: Vec<EncodedDispatch>,
    pub(crate) param_ring: ParamRing,
    /// The key that was looked up last. It is kept to reuse its memory.
    key: BindGroupKey,
    written_bytes: u64,
    /// The work of the dispatches, and the most allowed in one submission; see
    /// `Tuning::max_work_per_submission`.
    work: u64,
    max_work: u64,
    /// The arrays of all dispatches, in one list; see [`EncodedDispatch::arrays`].
    arrays: Vec<BoundArray>,
    /// Submitted batches that may still be rejected.
    #[cfg(target_arch = "wasm32")]
    pending: PendingBatches,
}

impl Batch {
    pub(crate) fn new(gpu: &Gpu, max_work: u64) -> Result<Self> {
        Ok(Self {
            uploads: Vec::new(),
            dispatches: Vec::new(),
            param_ring: ParamRing::new(&gpu.device, &gpu.limits, gpu.pool.new_id())?,
            key: BindGroupKey::default(),
            written_bytes: 0,
            work: 0,
            max_work,
            arrays: Vec::new(),
            #[cfg(target_arch = "wasm32")]
            pending: PendingBatches::default(),
        })
    }

    /// Records one dispatch of a computation of this name, with these words as its parameter block.
    /// It binds these buffers, those of its results last.
    pub(crate) fn record(
        &mut self,
        gpu: &Gpu,
        dispatch: &Dispatch,
        words: &[u32],
        bindings: &[Binding<'_>],
        name: Option<&Arc<str>>,
    ) -> Result<()> {
        if self.work > 0 && self.work.saturating_add(dispatch.work) > self.max_work {
            // The arrays of a rejected command return its error when they are read.
            let _ = self.submit(gpu, &[]);
        }
        let (params, group) = if !self.param_ring.fits(words) {
            (0, bind_with_own_params(gpu, dispatch, words, bindings)?)
        } else {
            let params = match self.param_ring.insert(words) {
                Some(offset) => offset,
                None => {
                    // The arrays of a rejected command return its error when they are read.
                    let _ = self.submit(gpu, &[]);
                    self.param_ring.restart();
                    // An empty ring has room for any block of this size.
                    self.param_ring.insert(words).unwrap_or_default()
                }
            };
            (params, self.bind(gpu, dispatch, bindings)?)
        };
        let results = bindings.len().saturating_sub(dispatch.pipeline.layout.kind.outputs);
        // A result may lack a part that was recorded before.
        for poison in bindings.iter().filter_map(|binding| binding.poison) {
            poison.check()?;
        }
        let open = gpu.pool.open_batch.load(Ordering::Acquire);
        let used = bindings.iter().filter_map(|binding| binding.last_batch);
        used.for_each(|last_batch| last_batch.store(open, Ordering::Release));
        let first = self.arrays.len();
        self.arrays.extend(bindings.iter().map(BoundArray::of));
        self.dispatches.push(EncodedDispatch {
            pipeline: Arc::clone(&dispatch.pipeline),
            bindings: group,
            params,
            workgroups: dispatch.workgroups,
            arrays: first..self.arrays.len(),
            name: name.cloned(),
        });
        self.work = self.work.saturating_add(dispatch.work);
        dispatch.count(&gpu.device.counters);
        let results = bindings[results..].iter().filter_map(|binding| binding.poison);
        self.recorded(gpu, dispatch.written_bytes, results)
    }

    /// Records an upload into the memory of the pool.
    pub(crate) fn upload(
        &mut self,
        gpu: &Gpu,
        upload: Upload,
        memory: &PooledBuffer,
    ) -> Result<()> {
        let open = gpu.pool.open_batch.load(Ordering::Acquire);
        memory.last_batch.store(open, Ordering::Release);
        let (bytes, poison) = (upload.copy.bytes, Arc::clone(&upload.poison));
        self.uploads.push(upload);
        self.recorded(gpu, bytes, std::iter::once(&poison))
    }

    /// Notes a command that writes this many bytes of arrays, and submits when there is enough
    /// work.
    fn recorded<'a>(
        &mut self,
        gpu: &Gpu,
        bytes: u64,
        mut results: impl Iterator<Item = &'a Arc<Poison>>,
    ) -> Result<()> {
        self.written_bytes += bytes;
        if self.dispatches.len() >= MAX_DISPATCHES || self.written_bytes >= MAX_WRITTEN_BYTES {
            // An error belongs to the arrays whose commands failed; only this call's own is
            // returned.
            let _ = self.submit(gpu, &[]);
            return results.try_for_each(|poison| poison.check());
        }
        Ok(())
    }

    /// Returns the bind group of these buffers and the ring of parameters.
    fn bind(
        &mut self,
        gpu: &Gpu,
        dispatch: &Dispatch,
        bindings: &[Binding<'_>],
    ) -> Result<wgpu::BindGroup> {
        let params = ParamBuffer { id: self.param_ring.id, buffer: &self.param_ring.buffer };
        let (layout, words) = (&dispatch.pipeline.layout, dispatch.words.len());
        bind::cached(gpu, &mut self.key, layout, params, words, bindings)
    }

    /// Submits what is recorded, then the copies. Returns the error of the copies if there are any,
    /// else that of the first rejected dispatch.
    pub(crate) fn submit(&mut self, gpu: &Gpu, copies: &[Copy]) -> Result<()> {
        let recorded = Commands { uploads: &self.uploads, dispatches: &self.dispatches, copies };
        if recorded.is_empty() {
            return Ok(());
        }
        span!("submit");
        // A page may submit indefinitely without ever waiting, so answers that have arrived are
        // taken here and do not pile up.
        #[cfg(target_arch = "wasm32")]
        self.take_answers(gpu);
        gpu.mappings.end(&gpu.device, |id, buffer| {
            self.uses(id) || copies.iter().any(|copy| copy.from == *buffer)
        });
        let uploads = std::mem::take(&mut self.uploads);
        let dispatches = std::mem::take(&mut self.dispatches);
        self.written_bytes = 0;
        self.work = 0;
        let commands = Commands { uploads: &uploads, dispatches: &dispatches, copies };
        let submitted = match self.try_submit(gpu, commands) {
            SubmitOutcome::Submitted => Ok(()),
            SubmitOutcome::Panicked(error) => self.poison_all(commands, error),
            SubmitOutcome::Rejected(_) => self.submit_apart(gpu, commands),
        };
        // Only from now on may the queue write to a buffer that this batch uses, since its writes
        // run before the next submission. Buffers dropped from here on belong to the next batch.
        gpu.pool.open_batch.fetch_add(1, Ordering::AcqRel);
        #[cfg(target_arch = "wasm32")]
        {
            let arrays = std::mem::take(&mut self.arrays);
            self.pending.push(
                &gpu.device.deferred_errors,
                Submitted { uploads, dispatches, arrays },
                false,
            );
        }
        #[cfg(not(target_arch = "wasm32"))]
        {
            // The lists are kept to reuse their memory.
            self.dispatches = dispatches;
            self.dispatches.clear();
            self.arrays.clear();
        }
        submitted
    }

    /// Takes the answers that have arrived.
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn take_answers(&mut self, gpu: &Gpu) {
        while let Some(answer) = gpu.device.deferred_errors.next_now() {
            self.answered(gpu, &answer);
        }
    }

    /// Takes the answer for the oldest batch that has none yet. If it was rejected, and nothing
    /// since has written memory that it reads or writes, submits its dispatches one by one and
    /// returns true, because more answers will come. Later batches, and commands in caller-owned
    /// encoders, that have read its results are poisoned.
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn answered(&mut self, gpu: &Gpu, answer: &BatchAnswer) -> bool {
        let Some(batch) = self.pending.take(answer) else { return false };
        let runs_again = answer.error.is_some()
            && self.is_empty()
            && self.pending.leave_alone(&batch)
            && batch.may_run_again(&gpu.device.deferred_errors);
        match &answer.error {
            None => batch.poison_what_lacks_operands(),
            Some(error) if runs_again => {
                self.pending.poison_readers_of(&batch, error);
                self.run_again(gpu, batch);
            }
            Some(error) => batch.poison_all(error),
        }
        self.pending.poison_encoded();
        runs_again
    }

    /// Submits the commands of a rejected batch one by one.
    #[cfg(target_arch = "wasm32")]
    fn run_again(&mut self, gpu: &Gpu, batch: PendingBatch) {
        self.param_ring.rewrite();
        for part in batch.apart() {
            let Submitted { uploads, dispatches, .. } = &part;
            // An immediate error is a panic.
            let submitted: Result<()> =
                self.try_submit(gpu, Commands { uploads, dispatches, copies: &[] }).into();
            if let Err(error) = submitted {
                part.poison_all(&error);
            }
            self.pending.push(&gpu.device.deferred_errors, part, true);
        }
    }

    /// Notes the arrays that commands in a caller-owned encoder use.
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn encoded(&mut self, encoding: &Arc<Encoding>, uses: Vec<Use>) {
        self.pending.encoded(encoding, uses);
    }

    /// Poisons the results that commands in caller-owned encoders computed from arrays poisoned by
    /// now.
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn poison_encoded(&self) {
        self.pending.poison_encoded();
    }

    fn try_submit(&mut self, gpu: &Gpu, commands: Commands<'_>) -> SubmitOutcome {
        let work = || {
            catch_panic(|| {
                self.param_ring.write(&gpu.device, &gpu.queue);
                gpu.queue.submit([commands.encode(&gpu.device, gpu.timer.as_ref())])
            })
        };
        const WHAT: &str = "a batch of commands";
        #[cfg(not(target_arch = "wasm32"))]
        let submitted = gpu.device.checked(WHAT, None, work);
        #[cfg(target_arch = "wasm32")]
        let submitted = {
            let blamed = Blamed::Batch(self.pending.next_number());
            gpu.device.checked_later(WHAT, None, blamed, work)
        };
        match submitted {
            Ok(Ok(_)) => {
                gpu.device.counters.submissions.add(1);
                let copied = commands.copies.iter().map(|copy| copy.bytes).sum();
                gpu.device.counters.copied_bytes.add(copied);
                SubmitOutcome::Submitted
            }
            Ok(Err(panic)) => {
                let reason = format!("panicked: {panic}");
                let what = "a batch of commands";
                SubmitOutcome::Panicked(DeviceError::Wgpu { what, reason }.into())
            }
            Err(error) => SubmitOutcome::Rejected(error),
        }
    }

    /// Returns true if a command of the batch reads or writes the buffer.
    pub(crate) fn uses(&self, id: BufferId) -> bool {
        self.arrays.iter().any(|array| array.buffer == id)
            || self.uploads.iter().any(|upload| upload.to == id)
    }

    /// Returns true if a command of the batch writes the buffer.
    pub(crate) fn writes(&self, id: BufferId) -> bool {
        let written = |dispatch| self.results(dispatch).iter().any(|array| array.buffer == id);
        self.dispatches.iter().any(written) || self.uploads.iter().any(|upload| upload.to == id)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.dispatches.is_empty() && self.uploads.is_empty()
    }

    /// Returns the arrays that a dispatch writes.
    fn results(&self, dispatch: &EncodedDispatch) -> &[BoundArray] {
        let outputs = dispatch.pipeline.layout.kind.outputs;
        let all = &self.arrays[dispatch.arrays.clone()];
        &all[all.len().saturating_sub(outputs)..]
    }

    /// Poisons all results. wgpu panicked, possibly in a user's callback, so it is unknown whether
    /// the commands were submitted. Running them again could give other results, since a buffer may
    /// successively hold different ones.
    fn poison_all(&mut self, commands: Commands<'_>, error: Error) -> Result<()> {
        for upload in commands.uploads {
            upload.poison.set(&error);
        }
        for dispatch in commands.dispatches {
            self.results(dispatch).iter().for_each(|result| result.poison(&error));
        }
        // It is unknown whether the parameters were written.
        self.param_ring.restart();
        Err(error)
    }

    /// Submits uploads and dispatches one by one, except those that read a poisoned array. wgpu has
    /// rejected the whole batch and run none of it, though the cause may be a single buffer that
    /// its owner has destroyed or mapped.
    fn submit_apart(&mut self, gpu: &Gpu, commands: Commands<'_>) -> Result<()> {
        self.param_ring.rewrite();
        let mut first = None;
        for upload in commands.uploads {
            let uploads = std::slice::from_ref(upload);
            let submitted =
                self.try_submit(gpu, Commands { uploads, ..Commands::default() }).into();
            if let Err(error) = submitted {
                upload.poison.set(&error);
                first.get_or_insert(error);
            }
        }
        for dispatch in commands.dispatches {
            let arrays = &self.arrays[dispatch.arrays.clone()];
            // If one part of a result is poisoned, the other parts are of no use.
            let readable = arrays.iter().try_for_each(BoundArray::check);
            let submitted = readable.and_then(|()| {
                let dispatches = std::slice::from_ref(dispatch);
                self.try_submit(gpu, Commands { dispatches, ..Commands::default() }).into()
            });
            if let Err(error) = submitted {
                self.results(dispatch).iter().for_each(|result| result.poison(&error));
                first.get_or_insert(error);
            }
        }
        let copied = match commands.copies {
            [] => first.map_or(Ok(()), Err),
            copies => self.try_submit(gpu, Commands { copies, ..Commands::default() }).into(),
        };
        self.param_ring.restart();
        copied
    }
}

/// The outcome of a submission.
enum SubmitOutcome {
    Submitted,
    /// wgpu has rejected it and run none of it.
    Rejected(Error),
    /// wgpu has panicked, and it is unknown what was submitted.
    Panicked(Error),
}

impl From<SubmitOutcome> for Result<()> {
    fn from(outcome: SubmitOutcome) -> Self {
        match outcome {
            SubmitOutcome::Submitted => Ok(()),
            SubmitOutcome::Rejected(error) | SubmitOutcome::Panicked(error) => Err(error),
        }
    }
}

/// Makes a bind group with its own parameter buffer, for a table of constants that does not fit
/// into the ring.
fn bind_with_own_params(
    gpu: &Gpu,
    dispatch: &Dispatch,
    words: &[u32],
    bindings: &[Binding<'_>],
) -> Result<wgpu::BindGroup> {
    let block: &[u8] = bytemuck::cast_slice(words);
    let bytes = block.len() as u64;
    let own = param_ring::param_buffer(&gpu.device, bytes)?;
    gpu.device.checked("a table of constants", Some(bytes), || {
        gpu.queue.write_buffer(&own, 0, block);
    })?;
    gpu.device.counters.uniform_bytes.add(bytes);
    bind_group(&gpu.device, &dispatch.pipeline.layout, binding(&own, 0, bytes), bindings)
}
