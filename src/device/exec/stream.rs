//! Defines [`Stream`]: the ordered commands of a GPU. Operations record theirs in its open batch;
//! whoever reads, waits or hands a buffer to the caller submits it.

#[cfg(not(target_arch = "wasm32"))]
use std::sync::atomic::Ordering;
#[cfg(not(target_arch = "wasm32"))]
use std::time::{Duration, Instant};

use crate::device::exec::batch::Batch;
use crate::device::exec::commands::Copy;
use crate::device::gpu::Gpu;
use crate::device::guard::lock::{NonReentrantGuard, NonReentrantMutex, WouldDeadlock};
use crate::device::memory::bind_groups::BufferId;
use crate::device::memory::pool::PooledBuffer;
use crate::semantics::error::{DeviceError, Error, Result};

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

    /// Submits what is recorded. Where wgpu refuses commands, their arrays keep the error, which
    /// is not returned here: it is told to whoever uses such an array.
    pub(crate) fn flush(&self) -> Result<()> {
        self.gpu.device.lost.check()?;
        let submitted = self.batch()?.submit(&self.gpu, &[]);
        match self.gpu.device.check_loss(submitted) {
            Err(Error::Device(lost @ DeviceError::Lost { .. })) => Err(lost.into()),
            _ => Ok(()),
        }
    }

    /// Submits what is recorded, then the copies. An error of another array's commands is not
    /// returned, but one of the commands that write `own` is.
    pub(crate) fn submit_for(&self, own: Option<&PooledBuffer>, copies: &[Copy]) -> Result<()> {
        self.gpu.device.lost.check()?;
        let submitted = self.batch()?.submit(&self.gpu, copies);
        if let Some(memory) = own {
            memory.refusal.check()?;
        }
        if copies.is_empty() { Ok(()) } else { submitted }
    }

    /// Submits what is recorded if some of it uses the buffer of this number, or may use it because
    /// the buffer is known outside.
    pub(crate) fn submit_uses(&self, id: BufferId, is_known_outside: bool) -> Result<()> {
        self.gpu.device.lost.check()?;
        let mut batch = self.batch()?;
        if is_known_outside || batch.uses(id) {
            // Where it was refused, its arrays tell.
            let _ = batch.submit(&self.gpu, &[]);
        }
        Ok(())
    }

    /// Gives a buffer of the pool, whose commands are submitted, to the caller, who may submit
    /// commands that use it, and map it, from now on. So it is neither recycled nor mapped again,
    /// and wgpu must have forgotten earlier mappings of it.
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

    /// Waits until wgpu has forgotten mappings that were given up: wgpu keeps such a mapping until
    /// the submission with which it is has run, and that may be one that wgpu made by itself.
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

    /// Does as [`Stream::wait`], in a task.
    pub(crate) async fn wait_async(&self) -> Result<()> {
        // Keeps the device polled until the end of this function.
        let registration = self.gpu.poller.register();
        self.flush()?;
        self.gpu.wait_async(&registration).await?;
        #[cfg(target_arch = "wasm32")]
        self.settle().await?;
        Ok(())
    }

    /// Waits until the browser has answered all calls so far, and tells the arrays that errors hit.
    /// Commands that were refused together run again one by one, where that gives what they would
    /// have given.
    #[cfg(target_arch = "wasm32")]
    pub(crate) async fn settle(&self) -> Result<()> {
        let late = &self.gpu.device.late;
        let mut end = late.asked();
        while let Some(answer) = late.next(end).await {
            if self.batch()?.answered(&self.gpu, &answer) {
                end = late.asked();
            }
        }
        self.batch()?.refuse_encoded();
        if late.forget_cause() {
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

    /// Does as [`Stream::wait`], for this long at most. Returns true if all of it has run.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn wait_timeout(&self, timeout: Duration) -> Result<bool> {
        let deadline = Instant::now().checked_add(timeout);
        self.flush()?;
        self.gpu.wait_until(deadline)
    }
}
