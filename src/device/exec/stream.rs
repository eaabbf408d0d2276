//! Defines [`Stream`]: the ordered commands of a GPU. Operations record theirs in its open batch;
//! whoever reads, waits or hands a buffer to the caller submits it.

#[cfg(not(target_arch = "wasm32"))]
use std::sync::atomic::Ordering;

use crate::device::exec::batch::Batch;
use crate::device::exec::commands::Copy;
use crate::device::gpu::Gpu;
use crate::device::guard::lock::{NonReentrantGuard, NonReentrantMutex, WouldDeadlock};
use crate::device::memory::pool::PooledBuffer;
use crate::semantics::error::{DeviceError, Result};

#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) gpu: Gpu,
    batch: NonReentrantMutex<Batch>,
}

impl Stream {
    /// Makes a stream whose submissions have no more than `max_work`, in the unit of
    /// `PlanLimits::max_work_per_submission`.
    pub(crate) fn new(gpu: Gpu, max_work: u64) -> Result<Self> {
        let batch = NonReentrantMutex::new(Batch::new(&gpu, max_work)?);
        Ok(Self { gpu, batch })
    }

    /// Locks the open batch.
    ///
    /// # Errors
    /// Fails in a callback of the device's owner that wgpu runs while a batch is submitted.
    pub(crate) fn batch(&self) -> Result<NonReentrantGuard<'_, Batch>> {
        self.batch.lock().map_err(|WouldDeadlock| {
            let reason = "a callback within a submission; call it from elsewhere".to_owned();
            DeviceError::Wgpu { what: "what the context is asked for", reason }.into()
        })
    }

    pub(crate) fn flush(&self) -> Result<()> {
        self.gpu.device.lost.check()?;
        let submitted = self.batch()?.submit(&self.gpu, &[]);
        self.gpu.device.check_loss(submitted)
    }

    /// Submits what is recorded, then the copies; returns the submission to wait for. An error of
    /// another array's commands is not returned, but one of the commands that write `own` is.
    pub(crate) fn submit_for(
        &self,
        own: Option<&PooledBuffer>,
        copies: &[Copy],
    ) -> Result<Option<wgpu::SubmissionIndex>> {
        self.gpu.device.lost.check()?;
        let mut batch = self.batch()?;
        let submitted = batch.submit(&self.gpu, copies);
        if let Some(memory) = own {
            batch.check_not_refused(memory.id)?;
        }
        if !copies.is_empty() {
            submitted?;
        }
        Ok(batch.last.clone())
    }

    /// Submits what is recorded, and gives a buffer of the pool to the caller, who may submit
    /// commands that use it, and map it, from now on. So it is neither recycled nor mapped again,
    /// and wgpu must have forgotten earlier mappings of it.
    pub(crate) fn export(&self, own: Option<&PooledBuffer>) -> Result<()> {
        let gpu = &self.gpu;
        gpu.device.check_loss(self.submit_for(own, &[]))?;
        let Some(memory) = own else { return Ok(()) };
        let batch = self.batch()?;
        memory.export();
        gpu.mappings.end(&gpu.device, |id, _| id == memory.id.buffer);
        drop(batch);
        #[cfg(not(target_arch = "wasm32"))]
        if memory.abandoned.load(Ordering::Acquire) {
            // wgpu may keep the mapping with a submission that it made by itself, whose index is
            // unknown. Only an idle queue shows that wgpu has forgotten the mapping.
            gpu.wait_for(None)?;
            memory.abandoned.store(false, Ordering::Release);
        }
        Ok(())
    }

    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn wait(&self) -> Result<()> {
        self.flush()?;
        let last = self.batch()?.last.clone();
        self.gpu.wait_for(last)
    }
}
