//! Defines [`ContextOptions`]: a caller's choices for a context.

use std::fmt;
use std::sync::Arc;

use indim_compiler::limits::PlanLimits;
use indim_core::semantics::precision::Precision;

/// The adapter to take and what to request from it.
///
/// [`ContextOptions::from_env`] reads the environment; the default takes the fastest available
/// adapter, with all its limits.
///
/// ```
/// use indim::{Context, ContextOptions, Precision};
///
/// let mut options = ContextOptions::from_env();
/// options.precision = Precision::Relaxed;
/// options.max_pooled_bytes = Some(64 << 20);
/// let gpu = Context::blocking_with_options(options)?;
/// # Ok::<(), indim::Error>(())
/// ```
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct ContextOptions {
    /// Takes adapters of these backends only; `None` takes those of all backends.
    pub backends: Option<wgpu::Backends>,
    /// Takes adapters whose name contains this text, in any case. It has no effect in a browser,
    /// where adapters have no names.
    pub adapter_name: Option<String>,
    /// Prefers fast or frugal adapters; without a preference, fast ones.
    pub power_preference: wgpu::PowerPreference,
    /// Takes software adapters only.
    pub force_fallback_adapter: bool,
    /// Limits to request, such as [`wgpu::Limits::default`] for WebGPU's; `None` for all that the
    /// adapter has.
    pub required_limits: Option<wgpu::Limits>,
    /// Features to request where the adapter has them, for caller-owned commands on the device,
    /// such as timestamps. This crate's own commands need none.
    pub optional_features: wgpu::Features,
    /// The precision of operations that do not request one ([`Expr::with_precision`],
    /// [`Builder::set_precision`]); accurate by default.
    ///
    /// [`Expr::with_precision`]: crate::Expr::with_precision
    /// [`Builder::set_precision`]: crate::Builder::set_precision
    pub precision: Precision,
    /// The largest number of operations in one kernel; functions count as several (see
    /// [`Tuning::max_ops_per_kernel`]); `None` for about 1,000. A longer expression is cut.
    ///
    /// [`Tuning::max_ops_per_kernel`]: crate::plan::Tuning::max_ops_per_kernel
    pub max_ops_per_kernel: Option<u32>,
    /// The largest number of bytes of the device's memory that wait for reuse
    /// ([`Memory::pooled`](crate::Memory::pooled)); beyond it, the buffers that wait longest are
    /// freed. With 0, no buffer waits. `None` means 512 MiB, or the last two returned buffers if
    /// these are larger.
    pub max_pooled_bytes: Option<u64>,
    /// Choices for plans in place of those for the adapter's type, see [`PlanLimits`]. Values
    /// beyond what the device allows are reduced to its limits.
    ///
    /// They affect only speed, except for [`arithmetic`](PlanLimits::arithmetic), which is used
    /// without a test of this adapter. Limits that come from another context's
    /// [`Context::plan_limits`](crate::Context::plan_limits) have it set; set it to `None` unless
    /// its adapter was the same.
    pub plan_limits: Option<PlanLimits>,
    /// Usages of arrays' buffers besides `STORAGE | COPY_SRC | COPY_DST`, so that your passes can
    /// use results directly ([`Array::buffer`](crate::Array::buffer)): `VERTEX`, `INDEX`,
    /// `UNIFORM`, `INDIRECT` and `MAP_READ`. `MAP_READ` needs the device's feature
    /// `MAPPABLE_PRIMARY_BUFFERS`, which is requested on a device that the context makes; other
    /// usages give [`DeviceError::ResultUsages`](crate::DeviceError::ResultUsages).
    pub result_usages: Option<wgpu::BufferUsages>,
    /// Times all compute passes on the device, for [`Context::timings`](crate::Context::timings).
    /// It needs the device's feature `TIMESTAMP_QUERY`, which is requested on a device that the
    /// context makes.
    pub timings: bool,
    /// Prefix of the labels of all wgpu objects that the context makes, shown in profilers and
    /// messages, such as `"my engine: indim"`; `None` for `"indim"`.
    pub label: Option<String>,
    /// Called with wgpu's errors that no error scope catches, on a device that the context makes:
    /// those of your own calls on [`Context::device`](crate::Context::device) and
    /// [`Context::queue`](crate::Context::queue), such as a shader that does not compile. This
    /// crate's calls return their errors. It is called within the call that fails, on its thread.
    ///
    /// `None` logs them by the `log` crate, as errors whose target begins with `indim`. To set
    /// another handler later, call
    /// [`Device::on_uncaptured_error`](wgpu::Device::on_uncaptured_error).
    pub on_uncaptured_error: Option<Arc<dyn wgpu::UncapturedErrorHandler>>,
    /// Rewrites the WGSL of every kernel before it is compiled, the kernels of probes included.
    /// Tests rewrite it as compilers of GPUs do, on adapters whose compilers do not.
    #[doc(hidden)]
    pub rewrite_kernels: Option<fn(&str) -> String>,
}

impl fmt::Debug for ContextOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            backends,
            adapter_name,
            power_preference,
            force_fallback_adapter,
            required_limits,
            optional_features,
            precision,
            max_ops_per_kernel,
            max_pooled_bytes,
            plan_limits,
            result_usages,
            timings,
            label,
            on_uncaptured_error,
            rewrite_kernels,
        } = self;
        f.debug_struct("ContextOptions")
            .field("backends", backends)
            .field("adapter_name", adapter_name)
            .field("power_preference", power_preference)
            .field("force_fallback_adapter", force_fallback_adapter)
            .field("required_limits", required_limits)
            .field("optional_features", optional_features)
            .field("precision", precision)
            .field("max_ops_per_kernel", max_ops_per_kernel)
            .field("max_pooled_bytes", max_pooled_bytes)
            .field("plan_limits", plan_limits)
            .field("result_usages", result_usages)
            .field("timings", timings)
            .field("label", label)
            // A function can only be shown as being set.
            .field("on_uncaptured_error", &on_uncaptured_error.as_ref().map(|_| "a function"))
            .field("rewrite_kernels", &rewrite_kernels.map(|_| "a function"))
            .finish()
    }
}

impl ContextOptions {
    /// Returns the options set in the environment, by wgpu's variables:
    ///
    /// - `WGPU_BACKEND`: `vulkan`, `metal`, `dx12`, `gl`, or several with commas between;
    /// - `WGPU_ADAPTER_NAME`: part of the adapter's name, in any case;
    /// - `WGPU_POWER_PREF`: `high`, `low` or `none`.
    ///
    /// ```
    /// use indim::{ContextOptions, Precision};
    ///
    /// let options = ContextOptions::from_env();
    /// assert_eq!(options.precision, Precision::Accurate); // as in the default
    /// assert_eq!(options.backends, indim::wgpu::Backends::from_env());
    /// ```
    pub fn from_env() -> Self {
        Self {
            backends: wgpu::Backends::from_env(),
            adapter_name: std::env::var("WGPU_ADAPTER_NAME").ok().filter(|name| !name.is_empty()),
            power_preference: wgpu::PowerPreference::from_env().unwrap_or_default(),
            ..Self::default()
        }
    }
}
