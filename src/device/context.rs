//! [`Context`]: a device with what belongs to it (pool, pipelines, the open batch), and where it
//! comes from.

use std::sync::Arc;

use crate::compile::limits::PlanLimits;
use crate::compile::plan::kernel::SPARE_BYTES;
use crate::device::exec::batch::Batch;
use crate::device::exec::pipelines::Pipelines;
use crate::device::exec::program_cache::Launches;
use crate::device::guard::error_scope::GuardedDevice;
use crate::device::guard::lost::LostFlag;
use crate::device::guard::stats::{Memory, Stats};
use crate::device::guard::sync::{Entered, EntryGuard, EntryLock};
use crate::device::memory::mapping::{self, Mappings};
use crate::device::memory::pool::{ALIGNMENT, Pool, PooledBuffer};
use crate::device::open;
use crate::device::options::ContextOptions;
use crate::device::settings::Settings;
use crate::device::wait::poller::Poller;
#[cfg(not(target_arch = "wasm32"))]
use crate::device::wait::tasks;
use crate::semantics::error::{DeviceError, Result};
use crate::semantics::precision::Precision;

/// A GPU to compute on. Cheap to clone; clones share everything. Send and Sync off the web.
///
/// All arrays of one operation must come from one context.
#[derive(Debug, Clone)]
pub struct Context {
    pub(crate) inner: Arc<Inner>,
}

#[derive(Debug)]
pub(crate) struct Inner {
    pub(crate) device: GuardedDevice,
    pub(crate) queue: wgpu::Queue,
    pub(crate) limits: wgpu::Limits,
    pub(crate) settings: Settings,
    pub(crate) pool: Arc<Pool>,
    pub(crate) mappings: Mappings,
    pub(crate) pipelines: Pipelines,
    pub(crate) launches: Launches,
    batch: EntryLock<Batch>,
    pub(crate) poller: Poller,
}

impl Context {
    /// Opens the adapter that the options name; quotients, square roots and F16 are computed in the
    /// ways that are right everywhere.
    pub(crate) async fn open_uncalibrated(options: &ContextOptions) -> Result<Self> {
        let (device, queue) = open::open(options).await?;
        let lost = Arc::new(LostFlag::default());
        let flag = Arc::clone(&lost);
        device.set_device_lost_callback(move |why, message| {
            flag.set(&format!("{why:?}: {message}"));
        });
        // Every call that can fail runs in an error scope, so that nothing should come here; if
        // it does, it must not panic, as wgpu's own handler does.
        device.on_uncaptured_error(Arc::new(|_: wgpu::Error| {}));
        Self::uncalibrated(device, queue, lost, options)
    }

    /// A context of its own on the same device, which leaves no trace in this one's counts, pool
    /// and caches.
    pub(crate) fn beside(&self, plan_limits: PlanLimits, precision: Precision) -> Result<Self> {
        let GuardedDevice { raw, lost, .. } = &self.inner.device;
        let options =
            ContextOptions { plan_limits: Some(plan_limits), precision, ..Default::default() };
        Self::uncalibrated(raw.clone(), self.inner.queue.clone(), Arc::clone(lost), &options)
    }

    /// Makes a context that computes quotients, square roots and F16 in the ways that are right
    /// everywhere, until it is calibrated.
    pub(crate) fn uncalibrated(
        device: wgpu::Device,
        queue: wgpu::Queue,
        lost: Arc<LostFlag>,
        options: &ContextOptions,
    ) -> Result<Self> {
        let mut limits = device.limits();
        // Kernels count elements in 32 bits, of which S4 and U4 take half a byte each.
        let countable = u64::from(u32::MAX) / 2 / ALIGNMENT * ALIGNMENT;
        limits.max_storage_buffer_binding_size =
            limits.max_storage_buffer_binding_size.min(countable);
        let device_type = device.adapter_info().device_type;
        let settings = Settings::new(options, &device, &limits);
        let mappable = mapping::suits(device_type) && device.features().contains(mapping::FEATURE);
        let spare = if settings.plan_limits().branchless { SPARE_BYTES as u64 } else { 0 };
        let device = GuardedDevice {
            raw: device,
            lost,
            counters: Arc::default(),
            #[cfg(test)]
            shortage: Arc::default(),
            #[cfg(test)]
            fault: Arc::default(),
        };
        let batch = EntryLock::new(Batch::new(&device, &limits)?);
        let poller = Poller::new(device.clone());
        Ok(Self {
            inner: Arc::new(Inner {
                device,
                queue,
                settings,
                pool: Arc::new(Pool::new(&limits, spare, mappable, options.max_pooled_bytes)),
                mappings: Mappings::default(),
                limits,
                pipelines: Pipelines::default(),
                launches: Launches::default(),
                batch,
                poller,
            }),
        })
    }

    /// Tells that the device is lost, for a context made by [`Context::from_device`]. From then on
    /// every call returns [`DeviceError::Lost`](crate::DeviceError::Lost).
    pub fn notify_lost(&self, reason: &str) {
        self.inner.device.lost.set(reason);
    }

    /// The device.
    pub fn device(&self) -> &wgpu::Device {
        &self.inner.device.raw
    }

    /// The queue.
    pub fn queue(&self) -> &wgpu::Queue {
        &self.inner.queue
    }

    /// What adapter this is.
    pub fn adapter_info(&self) -> wgpu::AdapterInfo {
        self.inner.device.adapter_info()
    }

    /// What plans keep to on this device, and how quotients and square roots are computed here.
    ///
    /// [`PlanLimits::division`] and [`PlanLimits::square_root`] hold what this adapter was found to
    /// compute rightly, or what the options said. Set both to `None` in a copy before it goes to a
    /// context on another adapter: set, they are taken as they are.
    pub fn plan_limits(&self) -> &PlanLimits {
        self.inner.settings.plan_limits()
    }

    /// Submits the operations that wait to be submitted, without waiting for them. Reading an
    /// array back or taking its buffer does so by itself.
    ///
    /// # Errors
    /// [`DeviceError`](crate::DeviceError).
    pub fn flush(&self) -> Result<()> {
        self.inner.flush()
    }

    /// Submits what waits, and waits until all of it has run.
    ///
    /// # Errors
    /// [`DeviceError`](crate::DeviceError).
    #[cfg(not(target_arch = "wasm32"))]
    pub fn wait(&self) -> Result<()> {
        self.inner.wait()
    }

    /// Frees the buffers that wait for reuse, and the plans, compiled kernels and bind groups that
    /// are kept. What is needed of them again is made again. Of a buffer that the device still uses,
    /// the memory is given back once it has done with it and was waited for.
    pub fn trim(&self) {
        self.inner.pool.trim();
        self.inner.launches.trim();
        self.inner.pipelines.trim();
    }

    /// Counts since the context was made.
    pub fn stats(&self) -> Stats {
        let inner = &self.inner;
        inner.device.counters.stats(inner.pipelines.len() as u64, self.memory().pooled)
    }

    /// How much of the device's memory the context has.
    pub fn memory(&self) -> Memory {
        self.inner.pool.memory()
    }

    /// Whether two contexts are clones of one.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}

impl Inner {
    /// The open batch, locked.
    ///
    /// # Errors
    /// If this is a callback of the device's owner, which wgpu runs while a batch is submitted.
    pub(crate) fn batch(&self) -> Result<EntryGuard<'_, Batch>> {
        self.batch.lock().map_err(|Entered| {
            let reason = "a callback within a submission; call it from elsewhere".to_owned();
            DeviceError::Wgpu { what: "what the context is asked for", reason }.into()
        })
    }

    pub(crate) fn flush(&self) -> Result<()> {
        self.device.lost.check()?;
        let submitted = self.batch()?.submit(self, &[]);
        self.device.settle(submitted)
    }

    /// Submits what is recorded. The caller holds the buffer from now on, and may submit commands
    /// that use it, and map it: one of the pool must neither be recycled nor mapped, and wgpu must
    /// have forgotten earlier mappings of it.
    pub(crate) fn give_out(&self, own: Option<&PooledBuffer>) -> Result<()> {
        self.device.settle(self.submit_for(own, &[]))?;
        if let Some(memory) = own {
            let batch = self.batch()?;
            memory.give_out();
            self.mappings.end(&self.device, |id, _| id == memory.contents.buffer);
            drop(batch);
            #[cfg(not(target_arch = "wasm32"))]
            self.forget_mappings(memory)?;
        }
        Ok(())
    }

    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn wait(&self) -> Result<()> {
        self.flush()?;
        let last = self.batch()?.last.clone();
        self.wait_for(last)
    }

    /// Waits for a submission, and for no later one.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn wait_for(&self, submission: Option<wgpu::SubmissionIndex>) -> Result<()> {
        loop {
            let (teller, answer) = tasks::answer();
            self.queue.on_submitted_work_done(move || teller.tell(()));
            let mut told = None;
            // wgpu may drop the callback, which is to be asked for again; see `GuardedDevice::poll`.
            while told != Some(None) {
                let is_done = || {
                    told = answer.take();
                    told == Some(Some(()))
                };
                if self.poller.poll(submission.clone(), is_done)? {
                    return Ok(());
                }
            }
        }
    }
}
