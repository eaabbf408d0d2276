//! Defines [`Context`]: a GPU with its ordered commands and cached programs.

use std::fmt;
use std::sync::Arc;
#[cfg(not(target_arch = "wasm32"))]
use std::time::Duration;

use crate::device::adapter::open;
use crate::device::adapter::options::ContextOptions;
use crate::device::adapter::settings::{self, Settings};
use crate::device::gpu::{self, Gpu};
#[cfg(any(test, target_arch = "wasm32"))]
use crate::device::guard::deferred_errors::DeferredErrors;
use crate::device::guard::error_scope::GuardedDevice;
use crate::device::guard::lost::LostFlag;
use crate::device::guard::stats::{Memory, Stats};
use crate::device::guard::uncaptured;
use crate::device::program::cache::ProgramCache;
use crate::device::program::expressions::ExpressionCache;
use crate::device::program::params::ParamPages;
use crate::device::program::pipelines::Pipelines;
use crate::device::program::texture_pipelines::TexturePipelines;
use crate::device::recording::stream::Stream;
use crate::device::timer::Timing;
use indim_compiler::layout::SPARE_BYTES;
use indim_compiler::limits::PlanLimits;
use indim_core::errors::device::DeviceError;
use indim_core::semantics::element::ElementType;
use indim_core::semantics::error::Result;
use indim_core::semantics::precision::Precision;

/// A GPU to compute on. It is cheap to clone, and clones share everything. It is `Send` and `Sync`
/// off the web.
///
/// All arrays of one operation must come from one context.
///
/// ```
/// # fn main() -> indim::Result<()> {
/// use indim::Context;
///
/// let gpu = Context::blocking()?; // or Context::new().await?
/// let x = gpu.array([2, 3], &[1_f32, 2., 3., 4., 5., 6.])?; // copies to the device
/// let y = (&x * 2.0).eval()?; // records a kernel, and does not wait
/// assert_eq!(y.to_vec_blocking()?, [2., 4., 6., 8., 10., 12.]); // waits for it
/// println!("{} has {} bytes in use", gpu.adapter_info().name, gpu.memory().in_use);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Context {
    pub(crate) inner: Arc<ContextInner>,
}

impl fmt::Debug for Context {
    /// Writes the adapter and its backend: `Context(llvmpipe (LLVM 15.0.6, 256 bits), vulkan)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let info = self.adapter_info();
        write!(f, "Context({}, {})", info.name, info.backend)
    }
}

pub(crate) struct ContextInner {
    pub(crate) stream: Stream,
    pub(crate) pipelines: Pipelines,
    pub(crate) programs: ProgramCache,
    pub(crate) expressions: ExpressionCache,
    pub(crate) param_pages: ParamPages,
    pub(crate) textures: TexturePipelines,
    pub(crate) settings: Settings,
}

impl ContextInner {
    /// Drops the cached kernels and programs if the browser may have rejected one of them since.
    #[cfg(any(test, target_arch = "wasm32"))]
    pub(crate) fn forget_tainted(&self, deferred: &DeferredErrors) {
        if deferred.take_taint() {
            self.forget_kernels();
        }
    }

    /// Drops all kernels and the programs that use them.
    fn forget_kernels(&self) {
        // In this order, so that no program outlives its kernels.
        self.pipelines.trim();
        self.programs.trim();
        self.expressions.trim();
        self.textures.trim();
    }
}

impl Context {
    /// Opens the adapter that the options name. Until it is calibrated, the context computes
    /// quotients, square roots and F16 in the ways that are right everywhere.
    pub(crate) async fn open_uncalibrated(options: &ContextOptions) -> Result<Self> {
        let (device, queue) = open::open(options).await?;
        let lost = Arc::new(LostFlag::default());
        let flag = Arc::clone(&lost);
        device.set_device_lost_callback(move |why, message| {
            flag.set(&format!("{why:?}: {message}"));
        });
        device.on_uncaptured_error(uncaptured::handler(options.on_uncaptured_error.clone()));
        Self::uncalibrated(device, queue, lost, options)
    }

    /// Version of [`Context::open_uncalibrated`] for an existing device.
    pub(crate) fn uncalibrated(
        device: wgpu::Device,
        queue: wgpu::Queue,
        lost: Arc<LostFlag>,
        options: &ContextOptions,
    ) -> Result<Self> {
        let limits = gpu::usable_limits(&device);
        let settings = Settings::new(options, &device, &limits);
        let spare = if settings.plan_limits().tuning.branchless { SPARE_BYTES as u64 } else { 0 };
        let usages = settings::result_usages(options, &device)?;
        let mut gpu = Gpu::new(device, queue, lost, limits, spare, options, usages);
        gpu.device.rewrite_kernels = options.rewrite_kernels;
        let stream = Stream::new(gpu, settings.plan_limits().tuning.max_work_per_submission)?;
        let (programs, pipelines) = (ProgramCache::default(), Pipelines::default());
        let textures = TexturePipelines::default();
        let inner = ContextInner {
            stream,
            pipelines,
            programs,
            expressions: ExpressionCache::default(),
            param_pages: ParamPages::default(),
            textures,
            settings,
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Makes another context on the same device, which leaves no trace in this one's counts, pool
    /// and caches.
    pub(crate) fn beside(&self, plan_limits: PlanLimits, precision: Precision) -> Result<Self> {
        let gpu = self.gpu();
        let &GuardedDevice { ref raw, ref lost, rewrite_kernels, .. } = &gpu.device;
        let plan_limits = Some(plan_limits);
        let options =
            ContextOptions { plan_limits, precision, rewrite_kernels, ..Default::default() };
        Self::uncalibrated(raw.clone(), gpu.queue.clone(), Arc::clone(lost), &options)
    }

    pub(crate) fn gpu(&self) -> &Gpu {
        &self.inner.stream.gpu
    }

    /// Reports that the device is lost, for a context made by [`Context::from_device`]. From then
    /// on every call returns [`DeviceError::Lost`](crate::DeviceError::Lost).
    ///
    /// ```
    /// # let owner = indim::Context::blocking()?;
    /// # let (device, queue) = (owner.device().clone(), owner.queue().clone());
    /// use indim::{Context, DeviceError, Error};
    ///
    /// let gpu = Context::from_device(device, queue)?;
    /// gpu.notify_lost("the display was unplugged");
    /// assert!(matches!(gpu.flush(), Err(Error::Device(DeviceError::Lost { .. }))));
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn notify_lost(&self, reason: &str) {
        self.gpu().device.lost.set(reason);
    }

    /// Returns wgpu's device.
    ///
    /// ```
    /// let gpu = indim::Context::blocking()?;
    /// assert!(gpu.device().limits().max_storage_buffers_per_shader_stage >= 4);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn device(&self) -> &wgpu::Device {
        &self.gpu().device.raw
    }

    /// Returns wgpu's queue.
    ///
    /// ```
    /// let gpu = indim::Context::blocking()?;
    /// let x = gpu.zeros::<f32>([2])?;
    /// let range = x.buffer()?;
    /// gpu.queue().write_buffer(&range.buffer, range.offset, &1_f32.to_le_bytes());
    /// assert_eq!(x.to_vec_blocking()?, [1., 0.]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn queue(&self) -> &wgpu::Queue {
        &self.gpu().queue
    }

    /// Returns wgpu's information about the adapter.
    ///
    /// ```
    /// let gpu = indim::Context::blocking()?;
    /// let info = gpu.adapter_info();
    /// assert_eq!(format!("{gpu:?}"), format!("Context({}, {})", info.name, info.backend));
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn adapter_info(&self) -> wgpu::AdapterInfo {
        self.gpu().device.adapter_info()
    }

    /// Returns the limits for plans on this device. [`PlanLimits::arithmetic`] is what calibration
    /// found to be right on this adapter, or what the options set; before either,
    /// [`Arithmetic::portable`](crate::plan::Arithmetic::portable).
    ///
    /// ```
    /// # let mut b = indim::Builder::new();
    /// # let x = b.parameter(indim::ElementType::F32, [8])?;
    /// # let y = b.exp(x)?;
    /// # let computation = b.build(y)?;
    /// let gpu = indim::Context::blocking()?;
    /// let explanation = gpu.plan_limits().explain(&computation)?; // its kernels on this device
    /// assert_eq!(explanation.kernels.len(), 1);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn plan_limits(&self) -> &PlanLimits {
        self.inner.settings.plan_limits()
    }

    /// Returns true if the device supports arrays of this element type. All adapters support all
    /// types except F64, which needs the device's features `SHADER_F64` and `SHADER_INT64`.
    ///
    /// ```
    /// use indim::{Context, ElementType};
    ///
    /// let gpu = Context::blocking()?;
    /// assert!(gpu.supports(ElementType::Bf16));
    /// assert_eq!(gpu.supports(ElementType::F64), gpu.zeros::<f64>([2]).is_ok());
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn supports(&self, element_type: ElementType) -> bool {
        self.gpu().check_supported(element_type).is_ok()
    }

    /// Returns the precision of operations that do not request one.
    pub(crate) fn precision(&self) -> Precision {
        self.inner.settings.precision
    }

    /// Submits the operations that wait to be submitted, without waiting for them. Reading an array
    /// back or taking its buffer submits them, too.
    ///
    /// If wgpu rejects an operation here, its array, and whatever is computed from it, return the
    /// error when they are used; this call does not.
    ///
    /// ```
    /// let gpu = indim::Context::blocking()?;
    /// let x = gpu.zeros::<f32>([8])?;
    /// let before = gpu.stats().submissions;
    /// let y = (&x + 1.0).eval()?; // recorded
    /// gpu.flush()?;
    /// assert!(gpu.stats().submissions > before);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`DeviceError::Lost`](crate::DeviceError::Lost);
    /// [`DeviceError::Wgpu`](crate::DeviceError::Wgpu) in a callback of the device's owner that
    /// runs while a batch is submitted.
    pub fn flush(&self) -> Result<()> {
        self.inner.stream.flush()
    }

    /// Submits the operations that wait to be submitted, and waits until all of them have run, and
    /// those that were submitted before. If wgpu rejects some of them, it still waits; their arrays
    /// return the error, as with [`Context::flush`].
    ///
    /// ```
    /// let gpu = indim::Context::blocking()?;
    /// let x = gpu.zeros::<f32>([8])?;
    /// let y = (&x + 1.0).eval()?;
    /// gpu.wait()?; // for the addition
    /// assert!(gpu.wait_timeout(std::time::Duration::ZERO)?);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the same errors as [`Context::flush`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn wait(&self) -> Result<()> {
        self.inner.stream.wait()
    }

    /// Version of [`Context::wait`] with a timeout; returns true if all operations have run. Call
    /// it in a loop to check for something else in between, such as signals or window events.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// let gpu = indim::Context::blocking()?;
    /// let y = (&gpu.zeros::<f32>([8])? + 1.0).eval()?;
    /// let mut waits = 0;
    /// while !gpu.wait_timeout(Duration::from_millis(100))? {
    ///     waits += 1;
    ///     assert!(waits < 600); // a minute
    /// }
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the same errors as [`Context::flush`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn wait_timeout(&self, timeout: Duration) -> Result<bool> {
        self.inner.stream.wait_timeout(timeout)
    }

    /// Async version of [`Context::wait`]. It may be awaited on any executor; off the web, a thread
    /// of the context polls the device meanwhile.
    ///
    /// ```
    /// # fn main() -> indim::Result<()> {
    /// # pollster::block_on(async {
    /// let gpu = indim::Context::new().await?;
    /// let y = (&gpu.zeros::<f32>([8])? + 1.0).eval()?;
    /// gpu.wait_async().await?;
    /// assert!(gpu.wait_timeout(std::time::Duration::ZERO)?);
    /// # Ok(())
    /// # })
    /// # }
    /// ```
    ///
    /// # Errors
    /// It returns the same errors as [`Context::flush`].
    pub async fn wait_async(&self) -> Result<()> {
        self.inner.stream.wait_async().await
    }

    /// Frees the buffers that wait for reuse, and the cached plans, compiled kernels and bind
    /// groups. Whatever is needed later is made again. The memory of a buffer that the device still
    /// uses is freed after a wait for the device.
    ///
    /// ```
    /// let gpu = indim::Context::blocking()?;
    /// drop(gpu.zeros::<f32>([1 << 20])?);
    /// assert!(gpu.memory().pooled >= 4 << 20); // waits for reuse
    /// gpu.trim();
    /// assert_eq!(gpu.memory().pooled, 0);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn trim(&self) {
        self.gpu().pool.trim();
        self.inner.forget_kernels();
    }

    /// Returns counts of the device's work since the context was made.
    ///
    /// ```
    /// let gpu = indim::Context::blocking()?;
    /// let x = gpu.zeros::<f32>([8])?;
    /// let before = gpu.stats();
    /// let y = ((&x + 1.0) * 2.0).eval()?;
    /// assert_eq!(gpu.stats().dispatches - before.dispatches, 1); // one kernel for both
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn stats(&self) -> Stats {
        let pipelines = self.inner.pipelines.len() as u64;
        self.gpu().device.counters.stats(pipelines, self.memory().pooled)
    }

    /// Returns the times that the device took for the compute passes that have run since the last
    /// call, including those in your encoders, in the order in which they were recorded. Needs
    /// [`ContextOptions::timings`]. Named computations ([`Expr::named`](crate::Expr::named)) then
    /// have separate passes. Up to 1,024 passes wait for this call; further ones are not timed.
    /// Does not wait.
    ///
    /// ```
    /// use indim::{Context, ContextOptions, DeviceError, Error};
    ///
    /// let mut options = ContextOptions::from_env();
    /// options.timings = true;
    /// let gpu = Context::blocking_with_options(options)?;
    /// let y = (&gpu.zeros::<f32>([8])? + 1.0).named("sum").eval()?;
    /// gpu.wait()?;
    /// match gpu.timings() {
    ///     Ok(timings) => assert!(timings.iter().any(|timing| timing.name == "sum")),
    ///     // The adapter has no timestamps.
    ///     Err(error) => assert!(matches!(error, Error::Device(DeviceError::NoTimings))),
    /// }
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`DeviceError::NoTimings`]; [`DeviceError::Lost`].
    pub fn timings(&self) -> Result<Vec<Timing>> {
        let gpu = self.gpu();
        gpu.device.lost.check()?;
        let timer = gpu.timer.as_ref().ok_or(DeviceError::NoTimings)?;
        gpu.device.poll(wgpu::PollType::Poll)?;
        Ok(timer.take_timings(&gpu.device))
    }

    /// Returns how much of the device's memory the context has, in bytes.
    ///
    /// ```
    /// let gpu = indim::Context::blocking()?;
    /// let x = gpu.zeros::<f32>([1 << 20])?;
    /// assert!(gpu.memory().in_use >= 4 << 20);
    /// drop(x);
    /// assert!(gpu.memory().peak >= 4 << 20);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn memory(&self) -> Memory {
        self.gpu().pool.memory()
    }

    /// Returns the context's [`ContextOptions::rewrite_kernels`].
    #[doc(hidden)]
    pub fn rewrites_kernels(&self) -> Option<fn(&str) -> String> {
        self.gpu().device.rewrite_kernels
    }

    /// Returns true if both are clones of the same context.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }
}
