//! Defines [`Context`]: a GPU with its ordered commands, and the programs that are kept for it.

use std::sync::Arc;

use crate::compile::limits::PlanLimits;
use crate::compile::plan::layout::SPARE_BYTES;
use crate::device::exec::pipelines::Pipelines;
use crate::device::exec::program_cache::ProgramCache;
use crate::device::exec::stream::Stream;
use crate::device::gpu::{self, Gpu};
use crate::device::guard::error_scope::GuardedDevice;
use crate::device::guard::lost::LostFlag;
use crate::device::guard::stats::{Memory, Stats};
use crate::device::open;
use crate::device::options::ContextOptions;
use crate::device::settings::Settings;
use crate::semantics::error::Result;
use crate::semantics::precision::Precision;

/// A GPU to compute on. It is cheap to clone, and clones share everything. It is `Send` and `Sync`
/// off the web.
///
/// All arrays of one operation must come from one context.
#[derive(Debug, Clone)]
pub struct Context {
    pub(crate) inner: Arc<ContextInner>,
}

#[derive(Debug)]
pub(crate) struct ContextInner {
    pub(crate) stream: Stream,
    pub(crate) pipelines: Pipelines,
    pub(crate) programs: ProgramCache,
    pub(crate) settings: Settings,
}

impl Context {
    /// Opens the adapter that the options name. The context computes quotients, square roots and
    /// F16 in the ways that are right everywhere, until it is calibrated.
    pub(crate) async fn open_uncalibrated(options: &ContextOptions) -> Result<Self> {
        let (device, queue) = open::open(options).await?;
        let lost = Arc::new(LostFlag::default());
        let flag = Arc::clone(&lost);
        device.set_device_lost_callback(move |why, message| {
            flag.set(&format!("{why:?}: {message}"));
        });
        // Every call that can fail runs in an error scope, so that no error should come here; if
        // one does, this handler must not panic, as wgpu's own does.
        device.on_uncaptured_error(Arc::new(|_: wgpu::Error| {}));
        Self::uncalibrated(device, queue, lost, options)
    }

    /// Does as [`Context::open_uncalibrated`], on a device that is there already.
    pub(crate) fn uncalibrated(
        device: wgpu::Device,
        queue: wgpu::Queue,
        lost: Arc<LostFlag>,
        options: &ContextOptions,
    ) -> Result<Self> {
        let limits = gpu::usable_limits(&device);
        let settings = Settings::new(options, &device, &limits);
        let spare = if settings.plan_limits().branchless { SPARE_BYTES as u64 } else { 0 };
        let gpu = Gpu::new(device, queue, lost, limits, spare, options.max_pooled_bytes);
        let stream = Stream::new(gpu, settings.plan_limits().max_work_per_submission)?;
        let (programs, pipelines) = (ProgramCache::default(), Pipelines::default());
        Ok(Self { inner: Arc::new(ContextInner { stream, pipelines, programs, settings }) })
    }

    /// Makes another context on the same device, which leaves no trace in this one's counts, pool
    /// and caches.
    pub(crate) fn beside(&self, plan_limits: PlanLimits, precision: Precision) -> Result<Self> {
        let gpu = self.gpu();
        let GuardedDevice { raw, lost, .. } = &gpu.device;
        let options =
            ContextOptions { plan_limits: Some(plan_limits), precision, ..Default::default() };
        Self::uncalibrated(raw.clone(), gpu.queue.clone(), Arc::clone(lost), &options)
    }

    pub(crate) fn gpu(&self) -> &Gpu {
        &self.inner.stream.gpu
    }

    /// Tells that the device is lost, for a context made by [`Context::from_device`]. From then on
    /// every call returns [`DeviceError::Lost`](crate::DeviceError::Lost).
    pub fn notify_lost(&self, reason: &str) {
        self.gpu().device.lost.set(reason);
    }

    /// Returns wgpu's device.
    pub fn device(&self) -> &wgpu::Device {
        &self.gpu().device.raw
    }

    /// Returns wgpu's queue.
    pub fn queue(&self) -> &wgpu::Queue {
        &self.gpu().queue
    }

    /// Returns what wgpu knows of the adapter.
    pub fn adapter_info(&self) -> wgpu::AdapterInfo {
        self.gpu().device.adapter_info()
    }

    /// Returns the limits that plans keep to on this device, with the ways in which quotients and
    /// square roots are computed.
    ///
    /// [`PlanLimits::division`] and [`PlanLimits::square_root`] hold the ways that were found to be
    /// right on this adapter, or those that the options set. Set both to `None` in a copy before
    /// giving it to a context on another adapter: a context does not test fields that are set.
    pub fn plan_limits(&self) -> &PlanLimits {
        self.inner.settings.plan_limits()
    }

    /// Submits the operations that wait to be submitted, without waiting for them. Reading an
    /// array back or taking its buffer does so by itself.
    ///
    /// # Errors
    /// [`DeviceError`](crate::DeviceError).
    pub fn flush(&self) -> Result<()> {
        self.inner.stream.flush()
    }

    /// Submits the operations that wait to be submitted, and waits until all of them have run.
    ///
    /// # Errors
    /// [`DeviceError`](crate::DeviceError).
    #[cfg(not(target_arch = "wasm32"))]
    pub fn wait(&self) -> Result<()> {
        self.inner.stream.wait()
    }

    /// Frees the buffers that wait for reuse, and the plans, compiled kernels and bind groups that
    /// are kept. Those that are needed again are made again. The memory of a buffer that the device
    /// still uses is freed once the device has finished with it and was waited for.
    pub fn trim(&self) {
        self.gpu().pool.trim();
        self.inner.programs.trim();
        self.inner.pipelines.trim();
    }

    /// Returns counts of what was asked of the device since the context was made.
    pub fn stats(&self) -> Stats {
        let pipelines = self.inner.pipelines.len() as u64;
        self.gpu().device.counters.stats(pipelines, self.memory().pooled)
    }

    /// Returns how much of the device's memory the context has, in bytes.
    pub fn memory(&self) -> Memory {
        self.gpu().pool.memory()
    }

    /// Returns true if two contexts are clones of one.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}
