//! A context's constructors. They are here instead of next to [`Context`], because each of them
//! ends with a calibration: the self-check finds out how this adapter is to compute quotients,
//! square roots and F16.

use std::sync::Arc;

use crate::calibration::calibrate::calibrate;
use crate::device::adapter::options::ContextOptions;
use crate::device::context::Context;
use indim_core::semantics::error::Result;

impl Context {
    /// Opens the adapter that the environment names; see [`ContextOptions::from_env`].
    ///
    /// ```
    /// # fn main() -> indim::Result<()> {
    /// # pollster::block_on(async {
    /// let gpu = indim::Context::new().await?;
    /// let x = gpu.array([2], &[1_f32, 2.])?;
    /// assert_eq!((&x * 2.0).eval()?.to_vec().await?, [2., 4.]);
    /// # Ok(())
    /// # })
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`DeviceError::NoAdapter`](crate::DeviceError::NoAdapter), which explains how to get one;
    /// [`DeviceError::NoFittingAdapter`](crate::DeviceError::NoFittingAdapter);
    /// [`DeviceError::RequestDevice`](crate::DeviceError::RequestDevice).
    pub async fn new() -> Result<Self> {
        Self::with_options(ContextOptions::from_env()).await
    }

    /// Blocking version of [`Context::new`].
    ///
    /// ```
    /// let gpu = indim::Context::blocking()?;
    /// let x = gpu.array([2], &[1_f32, 2.])?;
    /// assert_eq!((&x * 2.0).eval()?.to_vec_blocking()?, [2., 4.]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the same errors as [`Context::new`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn blocking() -> Result<Self> {
        pollster::block_on(Self::new())
    }

    /// Opens the adapter that the options name.
    ///
    /// It computes some quotients, reciprocals and square roots first, sums and products of F16,
    /// floats of integers, subnormals and exponentials, to find out how to compute them on this
    /// adapter ([`PlanLimits::arithmetic`](crate::plan::PlanLimits::arithmetic)); `docs/performance.md`
    /// has the time that takes. Off the web the task waits for it, as it does for the device.
    ///
    /// ```
    /// # fn main() -> indim::Result<()> {
    /// # pollster::block_on(async {
    /// use indim::{Context, ContextOptions};
    ///
    /// let mut options = ContextOptions::from_env();
    /// options.max_pooled_bytes = Some(0);
    /// let gpu = Context::with_options(options).await?;
    /// drop(gpu.zeros::<f32>([1024])?);
    /// assert_eq!(gpu.memory().pooled, 0);
    /// # Ok(())
    /// # })
    /// # }
    /// ```
    ///
    /// # Errors
    /// It returns the same errors as [`Context::new`].
    pub async fn with_options(options: ContextOptions) -> Result<Self> {
        let context = Self::open_uncalibrated(&options).await?;
        calibrate(&context).await;
        Ok(context)
    }

    /// Blocking version of [`Context::with_options`].
    ///
    /// ```
    /// use indim::{Context, ContextOptions};
    ///
    /// let mut options = ContextOptions::from_env();
    /// options.adapter_name = Some("an adapter that is not there".into());
    /// assert!(Context::blocking_with_options(options).is_err());
    /// ```
    ///
    /// # Errors
    /// It returns the same errors as [`Context::new`].
    #[cfg(not(target_arch = "wasm32"))]
    pub fn blocking_with_options(options: ContextOptions) -> Result<Self> {
        pollster::block_on(Self::with_options(options))
    }

    /// Makes a context on an existing device.
    ///
    /// Off the web it submits at most three small dispatches, to find out how to compute quotients,
    /// roots, F16, floats of integers, subnormals and guarded sums on this adapter
    /// ([`PlanLimits::arithmetic`](crate::plan::PlanLimits::arithmetic)), and polls the device until they
    /// are done: work that was submitted before is waited for, and callbacks that are due, also the
    /// device owner's, run on this thread. To avoid that, set the arithmetic in the options of
    /// [`Context::from_device_with_options`]
    /// ([`Arithmetic::portable`](crate::plan::Arithmetic::portable) is right everywhere); then it submits
    /// nothing and does not poll.
    ///
    /// In a browser, where a call cannot wait, all of these are computed in the way that is right
    /// everywhere, until [`Context::calibrate`] was awaited.
    ///
    /// It installs no callback on the device, which has one slot for each: errors of this crate's
    /// calls are caught in error scopes, and the owner reports a loss of the device by
    /// [`Context::notify_lost`].
    ///
    /// Callbacks of the device's owner run in any call of this crate that submits or polls, and in
    /// the thread that polls while futures wait. One that panics makes that call fail. One that
    /// calls this context may be refused, because a submission is under way; it must not wait for
    /// another thread that calls it, nor for a future of it.
    ///
    /// ```
    /// # let owner = indim::Context::blocking()?;
    /// # let (device, queue) = (owner.device().clone(), owner.queue().clone());
    /// let gpu = indim::Context::from_device(device, queue)?; // wgpu's
    /// let x = gpu.array([2], &[1_f32, 2.])?;
    /// assert_eq!((&x * 2.0).eval()?.to_vec_blocking()?, [2., 4.]);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`DeviceError::Wgpu`](crate::DeviceError::Wgpu) or
    /// [`DeviceError::OutOfMemory`](crate::DeviceError::OutOfMemory) if the device cannot even
    /// allocate a small buffer.
    pub fn from_device(device: wgpu::Device, queue: wgpu::Queue) -> Result<Self> {
        Self::from_device_with_options(device, queue, &ContextOptions::default())
    }

    /// Version of [`Context::from_device`] with those options that do not concern the choice of the
    /// adapter or the requests to it: [`precision`](ContextOptions::precision),
    /// [`max_ops_per_kernel`](ContextOptions::max_ops_per_kernel),
    /// [`max_pooled_bytes`](ContextOptions::max_pooled_bytes),
    /// [`plan_limits`](ContextOptions::plan_limits),
    /// [`result_usages`](ContextOptions::result_usages), [`timings`](ContextOptions::timings) and
    /// [`label`](ContextOptions::label). The device keeps the caller's handler of uncaptured
    /// errors.
    ///
    /// ```
    /// # let owner = indim::Context::blocking()?;
    /// # let (device, queue) = (owner.device().clone(), owner.queue().clone());
    /// use indim::plan::{Arithmetic, PlanLimits};
    /// use indim::{Context, ContextOptions};
    ///
    /// let (mut options, mut limits) = (ContextOptions::default(), PlanLimits::default());
    /// limits.arithmetic = Some(Arithmetic::portable());
    /// options.plan_limits = Some(limits);
    /// let gpu = Context::from_device_with_options(device, queue, &options)?;
    /// assert_eq!(gpu.stats().submissions, 0);
    /// # Ok::<(), indim::Error>(())
    /// ```
    ///
    /// # Errors
    /// It returns the same errors as [`Context::from_device`].
    pub fn from_device_with_options(
        device: wgpu::Device,
        queue: wgpu::Queue,
        options: &ContextOptions,
    ) -> Result<Self> {
        let context = Self::uncalibrated(device, queue, Arc::default(), options)?;
        #[cfg(not(target_arch = "wasm32"))]
        pollster::block_on(calibrate(&context));
        Ok(context)
    }
}
