//! [`Context`]: a device with what belongs to it (pool, pipelines, the open batch), and where it
//! comes from.

use std::sync::{Arc, OnceLock};

use crate::compile::limits::{Division, Half, PlanLimits};
use crate::compile::plan::layout::{ALIGNMENT, SPARE_BYTES};
use crate::device::exec::batch::Batch;
use crate::device::exec::pipelines::Pipelines;
use crate::device::exec::program_cache::Launches;
use crate::device::guard::error_scope::GuardedDevice;
use crate::device::guard::lost::LostFlag;
use crate::device::guard::stats::{Memory, Stats};
use crate::device::guard::sync::{Entered, EntryGuard, EntryLock};
use crate::device::memory::mapping::{self, Mappings};
use crate::device::memory::pool::{Pool, PooledBuffer};
use crate::device::open;
use crate::device::wait::poller::Poller;
#[cfg(not(target_arch = "wasm32"))]
use crate::device::wait::tasks;
use crate::self_check;
use crate::semantics::error::{DeviceError, Result};
use crate::semantics::precision::Precision;

/// Which adapter to take and what to ask of it.
///
/// [`ContextOptions::from_env`] reads the environment; the default takes the fastest adapter there
/// is, with all its limits.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ContextOptions {
    /// Only adapters of these backends; `None` for all.
    pub backends: Option<wgpu::Backends>,
    /// Only adapters whose name contains this text, in any case. Browsers do not tell names, so
    /// that it has no effect there.
    pub adapter_name: Option<String>,
    /// Fast or frugal; without one, fast.
    pub power_preference: wgpu::PowerPreference,
    /// Only software adapters.
    pub force_fallback_adapter: bool,
    /// Limits to request, such as [`wgpu::Limits::default`] for WebGPU's; `None` for all that the
    /// adapter has.
    pub required_limits: Option<wgpu::Limits>,
    /// Features to request where the adapter has them, for the caller's own commands on the device,
    /// such as timestamps. This crate's own need none.
    pub optional_features: wgpu::Features,
    /// Precision of the operations of which nothing is said ([`Expr::with_precision`],
    /// [`Builder::set_precision`]); without one, accurate.
    ///
    /// [`Expr::with_precision`]: crate::Expr::with_precision
    /// [`Builder::set_precision`]: crate::Builder::set_precision
    pub precision: Precision,
    /// Most operations in one kernel, of which functions count several times (see
    /// [`PlanLimits::max_ops_per_kernel`]); `None` for about 1,000. A longer expression is cut.
    pub max_ops_per_kernel: Option<u32>,
    /// Most bytes of the device's memory that wait for reuse ([`Memory::pooled`]); beyond, what waits
    /// longest is freed. With 0 nothing waits. `None` for 512 MiB, or the last two buffers that came
    /// back where these are larger.
    pub max_pooled_bytes: Option<u64>,
    /// Choices for plans in place of those for the adapter's type, see [`PlanLimits`]; what the
    /// device does not allow is brought down to what it does.
    ///
    /// They are a matter of speed, but for [`division`](PlanLimits::division),
    /// [`square_root`](PlanLimits::square_root) and [`half`](PlanLimits::half): what is set there is
    /// used without a look at whether it is right on this adapter, so that [`Division::Native`] and
    /// [`Half::Native`] may make results wrong. Limits that come from another context's
    /// [`Context::plan_limits`] have all three set; set them to `None` unless its adapter was the same.
    pub plan_limits: Option<PlanLimits>,
}

impl ContextOptions {
    /// The options that the environment gives, by wgpu's variables:
    ///
    /// - `WGPU_BACKEND`: `vulkan`, `metal`, `dx12`, `gl`, or several with commas between;
    /// - `WGPU_ADAPTER_NAME`: part of the adapter's name, in any case;
    /// - `WGPU_POWER_PREF`: `high`, `low` or `none`.
    pub fn from_env() -> Self {
        Self {
            backends: wgpu::Backends::from_env(),
            adapter_name: std::env::var("WGPU_ADAPTER_NAME").ok().filter(|name| !name.is_empty()),
            power_preference: wgpu::PowerPreference::from_env().unwrap_or_default(),
            ..Self::default()
        }
    }
}

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
    plan_limits: PlanLimits,
    /// The same, once it is found out which quotients and roots are right here.
    settled: OnceLock<PlanLimits>,
    /// How the caller wants quotients and roots, if they said so.
    pub(crate) wanted: [Option<Division>; 2],
    /// The same of F16.
    pub(crate) wanted_half: Option<Half>,
    pub(crate) precision: Precision,
    pub(crate) pool: Arc<Pool>,
    pub(crate) mappings: Mappings,
    pub(crate) pipelines: Pipelines,
    pub(crate) launches: Launches,
    batch: EntryLock<Batch>,
    pub(crate) poller: Poller,
}

impl Context {
    /// The context that the environment names; see [`ContextOptions::from_env`].
    ///
    /// # Errors
    /// [`DeviceError::NoAdapter`](crate::DeviceError::NoAdapter), which says how to get one; [`DeviceError::NoFittingAdapter`](crate::DeviceError::NoFittingAdapter);
    /// [`DeviceError::RequestDevice`](crate::DeviceError::RequestDevice).
    pub async fn new() -> Result<Self> {
        Self::with_options(ContextOptions::from_env()).await
    }

    /// [`Context::new`], waiting.
    ///
    /// # Errors
    /// As [`Context::new`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn blocking() -> Result<Self> {
        pollster::block_on(Self::new())
    }

    /// A context on the adapter that the options name.
    ///
    /// It computes some quotients, reciprocals and roots first, and sums and products of F16, which says
    /// how to compute them here ([`PlanLimits::division`], [`PlanLimits::half`]); on lavapipe that takes 4 to 5 ms of 20. Off the web the task waits for
    /// it, as it does for the device.
    ///
    /// # Errors
    /// As [`Context::new`].
    pub async fn with_options(options: ContextOptions) -> Result<Self> {
        let (device, queue) = open::open(&options).await?;
        let lost = Arc::new(LostFlag::default());
        let flag = Arc::clone(&lost);
        device.set_device_lost_callback(move |why, message| {
            flag.set(&format!("{why:?}: {message}"));
        });
        // Every call that can fail runs in an error scope, so that nothing should come here; if
        // it does, it must not panic, as wgpu's own handler does.
        device.on_uncaptured_error(Arc::new(|_: wgpu::Error| {}));
        let context = Self::assemble(device, queue, lost, &options)?;
        self_check::settle(&context).await;
        Ok(context)
    }

    /// [`Context::with_options`], waiting.
    ///
    /// # Errors
    /// As [`Context::new`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn blocking_with_options(options: ContextOptions) -> Result<Self> {
        pollster::block_on(Self::with_options(options))
    }

    /// A context on a device that the caller has already.
    ///
    /// Off the web it submits a small dispatch or two, of quotients, reciprocals and roots, which say how to
    /// compute them here ([`PlanLimits::division`]), and polls the device until they are done: work
    /// that was submitted before is waited for, and callbacks that are due, also the device's
    /// owner's, run on this thread. To avoid that, set both [`PlanLimits::division`] and
    /// [`PlanLimits::square_root`] in the options of [`Context::from_device_with_options`]
    /// ([`Division::ByIntegers`] is right everywhere); then it submits nothing and does not poll.
    ///
    /// In a browser, where one cannot wait, quotients and roots are computed in the way that is
    /// right everywhere, until [`Context::self_check`] was awaited.
    ///
    /// Installs no callback on it, since a device has one slot for each: errors of this crate's
    /// calls are caught in error scopes, and a loss of the device is to be told with
    /// [`Context::notify_lost`].
    ///
    /// Callbacks of the device's owner run in any call of this crate that submits or polls, and in
    /// the thread that polls while futures wait. One that panics makes that call fail. One that
    /// calls this context may be refused, because a submission is under way; it must not wait for
    /// another thread that calls it, nor for a future of it.
    ///
    /// # Errors
    /// [`DeviceError::Wgpu`](crate::DeviceError::Wgpu) or [`DeviceError::OutOfMemory`](crate::DeviceError::OutOfMemory) if the device gives not even a small
    /// buffer.
    pub fn from_device(device: wgpu::Device, queue: wgpu::Queue) -> Result<Self> {
        Self::from_device_with_options(device, queue, &ContextOptions::default())
    }

    /// [`Context::from_device`] with those of the options that are not about which adapter to take
    /// and what to ask of it: [`precision`](ContextOptions::precision),
    /// [`max_ops_per_kernel`](ContextOptions::max_ops_per_kernel),
    /// [`max_pooled_bytes`](ContextOptions::max_pooled_bytes) and
    /// [`plan_limits`](ContextOptions::plan_limits).
    ///
    /// # Errors
    /// As [`Context::from_device`].
    pub fn from_device_with_options(
        device: wgpu::Device,
        queue: wgpu::Queue,
        options: &ContextOptions,
    ) -> Result<Self> {
        let context = Self::assemble(device, queue, Arc::default(), options)?;
        #[cfg(not(target_arch = "wasm32"))]
        pollster::block_on(self_check::settle(&context));
        Ok(context)
    }

    /// A context of its own on the same device, which leaves no trace in this one's counts, pool
    /// and caches.
    pub(crate) fn beside(&self, plan_limits: PlanLimits, precision: Precision) -> Result<Self> {
        let GuardedDevice { raw, lost, .. } = &self.inner.device;
        let options =
            ContextOptions { plan_limits: Some(plan_limits), precision, ..Default::default() };
        Self::assemble(raw.clone(), self.inner.queue.clone(), Arc::clone(lost), &options)
    }

    fn assemble(
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
        let features = device.features();
        let int64 = features.contains(wgpu::Features::SHADER_INT64);
        let device_type = device.adapter_info().device_type;
        let software = device_type == wgpu::DeviceType::Cpu;
        let chosen = options.plan_limits.clone().unwrap_or_else(|| match software {
            true => PlanLimits {
                through_f64: features.contains(wgpu::Features::SHADER_F64),
                ..PlanLimits::for_cpu(int64)
            },
            false => PlanLimits { int64, ..PlanLimits::default() },
        });
        let mut plan_limits = within(chosen, &limits, features);
        // Until it is known what is right here, what is right everywhere.
        let wanted = [plan_limits.division, plan_limits.square_root];
        plan_limits.division.get_or_insert(Division::ByIntegers);
        plan_limits.square_root.get_or_insert(Division::ByIntegers);
        let wanted_half = plan_limits.half;
        plan_limits.half.get_or_insert(Half::ThroughF32);
        if let Some(ops) = options.max_ops_per_kernel {
            plan_limits.max_ops_per_kernel = ops;
        }
        let mappable = mapping::suits(device_type) && device.features().contains(mapping::FEATURE);
        let spare = if plan_limits.branchless { SPARE_BYTES as u64 } else { 0 };
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
                plan_limits,
                settled: OnceLock::new(),
                wanted,
                wanted_half,
                precision: options.precision,
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
        self.inner.plan_limits()
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
    pub(crate) fn plan_limits(&self) -> &PlanLimits {
        self.settled.get().unwrap_or(&self.plan_limits)
    }

    /// Takes these quotients and roots, and F16, from now on, where the caller did not want others.
    /// Kernels with the ones before stay as right as they were.
    pub(crate) fn settle(&self, [division, square_root]: [Division; 2], half: Half) {
        // What is found first stays; another check finds the same.
        self.settled.get_or_init(|| PlanLimits {
            division: self.wanted[0].or(Some(division)),
            square_root: self.wanted[1].or(Some(square_root)),
            half: self.wanted_half.or(Some(half)),
            ..self.plan_limits.clone()
        });
    }

    /// Whether it is known how to compute quotients and roots.
    pub(crate) fn is_settled(&self) -> bool {
        self.settled.get().is_some() || self.wanted.iter().all(Option::is_some)
    }

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

/// The choices as far as the device goes, with its limits.
fn within(chosen: PlanLimits, limits: &wgpu::Limits, features: wgpu::Features) -> PlanLimits {
    let without_f64 = |division| match division {
        Division::ThroughF64 if !features.contains(wgpu::Features::SHADER_F64) => {
            Division::ByIntegers
        }
        other => other,
    };
    PlanLimits {
        max_storage_buffers_per_shader_stage: limits.max_storage_buffers_per_shader_stage,
        max_compute_workgroups_per_dimension: limits.max_compute_workgroups_per_dimension,
        max_storage_buffer_binding_size: limits.max_storage_buffer_binding_size,
        min_storage_buffer_offset_alignment: limits.min_storage_buffer_offset_alignment,
        max_uniform_bytes: u32::try_from(limits.max_uniform_buffer_binding_size)
            .unwrap_or(u32::MAX)
            .min(chosen.max_uniform_bytes),
        workgroup_size: chosen
            .workgroup_size
            .min(limits.max_compute_invocations_per_workgroup)
            .min(limits.max_compute_workgroup_size_x),
        wide: chosen.wide && features.contains(wgpu::Features::SHADER_INT64),
        int64: chosen.int64 && features.contains(wgpu::Features::SHADER_INT64),
        division: chosen.division.map(without_f64),
        square_root: chosen.square_root.map(without_f64),
        through_f64: chosen.through_f64 && features.contains(wgpu::Features::SHADER_F64),
        half: chosen.half.map(|half| match features.contains(open::HALF) {
            true => half,
            false => Half::ThroughF32,
        }),
        ..chosen
    }
}
