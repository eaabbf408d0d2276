//! Defines [`Context::calibrate`], which runs the probes unless the caller set the arithmetic.

use crate::calibration::{arithmetic, half, sums};
use crate::device::context::Context;
use indim_core::semantics::error::Result;

/// Chooses the arithmetic, unless the caller did or it was chosen before. If a probe fails because
/// of the device, it chooses the way that is right everywhere.
pub(crate) async fn calibrate(context: &Context) {
    if context.inner.settings.is_calibrated() {
        return;
    }
    let mut arithmetic = arithmetic::choose(context).await;
    arithmetic.half = half::choose(context).await;
    arithmetic.sums = sums::choose(context).await;
    context.inner.settings.set_calibration(arithmetic);
}

impl Context {
    /// Finds out which quotients, reciprocals, square roots, sums and products of F16 and
    /// conversions of integers are right on this adapter, and computes these in the fastest way
    /// that is, from now on; whether the adapter keeps subnormals; and whether its compiler
    /// regroups sums across the guard in functions, which are guarded by bits where it does, or those
    /// of reductions, which then have more guards. What it finds is the [`PlanLimits::arithmetic`] of
    /// [`Context::plan_limits`].
    ///
    /// Off the web every constructor has done so already, and this returns at once. So does
    /// [`Context::with_options`] in a browser. [`Context::from_device`] cannot wait there: its
    /// contexts compute in the way that is right everywhere, which is slower, until this was
    /// awaited. Results are the same before and after, except for subnormals, which are flushed
    /// until then.
    ///
    /// If the options set the arithmetic, nothing is probed.
    ///
    /// ```
    /// # fn main() -> indim::Result<()> {
    /// # pollster::block_on(async {
    /// let gpu = indim::Context::new().await?;
    /// gpu.calibrate().await?;
    /// assert!(gpu.plan_limits().arithmetic.is_some());
    /// # Ok(())
    /// # })
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`DeviceError::Lost`]. After any other device error, the ways that are right everywhere are
    /// used.
    ///
    /// [`DeviceError::Lost`]: crate::DeviceError::Lost
    /// [`PlanLimits::arithmetic`]: crate::plan::PlanLimits::arithmetic
    pub async fn calibrate(&self) -> Result<()> {
        self.gpu().device.lost.check()?;
        calibrate(self).await;
        Ok(self.gpu().device.lost.check()?)
    }
}
