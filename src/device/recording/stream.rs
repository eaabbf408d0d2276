//! Defines [`Stream`]: the ordered commands of a GPU. Operations record commands in its open batch;
//! reading, waiting, or handing a buffer to the caller submits it.

#[cfg(not(target_arch = "wasm32"))]
use std::sync::atomic::Ordering;
#[cfg(not(target_arch = "wasm32"))]
use std::time::{Duration, Instant};

use crate::device::gpu::Gpu;
use crate::device::guard::lock::{NonReentrantGuard, NonReentrantMutex, WouldDeadlock};
use crate::device::memory::bind_groups::BufferId;
use crate::device::memory::pool::PooledBuffer;
use crate::device::program::commands::Copy;
use crate::device::recording::batch::Batch;
use indim_core::errors::device::DeviceError;
use indim_core::semantics::error::{Error, Result};

#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) gpu: Gpu,
    batch: NonReentrantMutex<Batch>,
}

impl Stream {
    /// Makes a stream whose submissions contain at most `max_work`, in the unit of
    /// `Tuning::max_work_per_submission`.
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

    /// Submits what is recorded. If wgpu rejects commands, their arrays return the error when they
    /// are used; this call does not.
    pub(crate) fn flush(&self) -> Result<()> {
        self.gpu.device.lost.check()?;
        let submitted = self.batch()?.submit(&self.gpu, &[]);
        match self.gpu.device.check_loss(submitted) {
            Err(Error::Device(lost @ DeviceError::Lost { .. })) => Err(lost.into()),
            _ => Ok(()),
        }
    }

    /// Submits what is recorded, then the copies. Returns errors of the commands that write `own`,
    /// but not those of other arrays.
    pub(crate) fn submit_for(&self, own: Option<&PooledBuffer>, copies: &[Copy]) -> Result<()> {
        self.gpu.device.lost.check()?;
        let submitted = self.batch()?.submit(&self.gpu, copies);
        if let Some(memory) = own {
            memory.poison.check()?;
        }
        if copies.is_empty() { Ok(()) } else { submitted }
    }

    /// Submits what is recorded if some of it uses the buffer of this number, or may use it because
    /// the buffer is known outside.
    pub(crate) fn submit_uses(&self, id: BufferId, is_known_outside: bool) -> Result<()> {
        self.gpu.device.lost.check()?;
        let mut batch = self.batch()?;
        if is_known_outside || batch.uses(id) {
            // If the batch is rejected, its arrays carry the error.
            let _ = batch.submit(&self.gpu, &[]);
        }
        Ok(())
    }

    /// Gives a buffer of the pool, whose commands are submitted, to the caller, who may then use it
    /// in submissions and map it. So it is neither recycled nor mapped here again, and wgpu must
    /// have forgotten earlier mappings of it.
    pub(crate) fn export(&self, own: Option<&PooledBuffer>) -> Result<()> {
        let gpu = &self.gpu;
        let Some(memory) = own else { return Ok(()) };
        let batch = self.batch()?;
        memory.export();
        gpu.mappings.end(&gpu.device, |id, _| id == memory.id);
        drop(batch);
        #[cfg(not(target_arch = "wasm32"))]
        self.forget_mappings([memory].into_iter())?;
        Ok(())
    }

    /// Waits until wgpu has forgotten abandoned mappings: wgpu keeps one until the submission that
    /// it waits for has run, which may be an internal one of wgpu.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn forget_mappings<'a>(
        &self,
        memory: impl Iterator<Item = &'a PooledBuffer> + Clone,
    ) -> Result<()> {
        if memory.clone().any(|memory| memory.abandoned.load(Ordering::Acquire)) {
            self.gpu.wait()?;
            memory.for_each(|memory| memory.abandoned.store(false, Ordering::Release));
        }
        Ok(())
    }

    /// Version of [`Stream::wait`] for a task.
    pub(crate) async fn wait_async(&self) -> Result<()> {
        // Keeps the device polled until the end of this function.
        let registration = self.gpu.poller.register();
        self.flush()?;
        self.gpu.wait_async(&registration).await?;
        #[cfg(target_arch = "wasm32")]
        self.settle().await?;
        Ok(())
    }

    /// Waits until the browser has answered all calls so far, and reports errors to the affected
    /// arrays. Commands that were rejected together run again one by one if that gives the same
    /// results.
    #[cfg(target_arch = "wasm32")]
    pub(crate) async fn settle(&self) -> Result<()> {
        let deferred = &self.gpu.device.deferred_errors;
        let mut end = deferred.asked();
        while let Some(answer) = deferred.next(end).await {
            if self.batch()?.answered(&self.gpu, &answer) {
                end = deferred.asked();
            }
        }
        self.batch()?.poison_encoded();
        if deferred.forget_cause() {
            // Memory that waits for reuse may be invalid.
            self.gpu.pool.trim();
        }
        self.gpu.device.lost.check()?;
        Ok(())
    }

    /// Submits what is recorded, and waits until all of it has run.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn wait(&self) -> Result<()> {
        self.flush()?;
        self.gpu.wait()
    }

    /// Version of [`Stream::wait`] with a timeout. Returns true if everything has run.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn wait_timeout(&self, timeout: Duration) -> Result<bool> {
        let deadline = Instant::now().checked_add(timeout);
        self.flush()?;
        self.gpu.wait_until(deadline)
    }
}
