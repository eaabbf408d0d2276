//! Defines [`Context::calibrate`], which runs the probes for all settings that the caller left
//! open.

use crate::calibration::{arithmetic, half};
use crate::device::context::Context;
use crate::semantics::error::Result;

/// Chooses every way of computing that the caller left open, unless done before. If a probe fails
/// because of the device, it chooses the way that is right everywhere.
pub(crate) async fn calibrate(context: &Context) {
    if context.inner.settings.is_calibrated() {
        return;
    }
    let mut limits = context.inner.settings.requested.clone();
    // Each probe sets its own fields of the limits where these are `None`.
    arithmetic::probe(context, &mut limits).await;
    half::probe(context, &mut limits).await;
    context.inner.settings.set_calibration(limits);
}

impl Context {
    /// Finds out which quotients, reciprocals, square roots, sums and products of F16 and
    /// conversions of integers are right on this adapter, and computes these in the fastest way
    /// that is, from now on ([`PlanLimits::division`], [`PlanLimits::square_root`],
    /// [`PlanLimits::half`], [`PlanLimits::conversion`]); whether the adapter keeps subnormals
    /// ([`PlanLimits::subnormals`]); and whether its compiler regroups sums across the guard in
    /// functions, which are guarded by bits where it does ([`PlanLimits::guard`]).
    ///
    /// Off the web every constructor has done so already, and this returns at once. So does
    /// [`Context::with_options`] in a browser. [`Context::from_device`] cannot wait there: its
    /// contexts compute in the way that is right everywhere, which is slower, until this was
    /// awaited. Results are the same before and after, except for subnormals, which are flushed
    /// until then.
    ///
    /// Fields set in the options are kept. If all six are set, nothing is probed.
    ///
    /// # Errors
    /// [`DeviceError::Lost`]. After any other device error, the ways that are right everywhere are
    /// used.
    ///
    /// [`DeviceError::Lost`]: crate::DeviceError::Lost
    /// [`PlanLimits::conversion`]: crate::PlanLimits::conversion
    /// [`PlanLimits::division`]: crate::PlanLimits::division
    /// [`PlanLimits::guard`]: crate::PlanLimits::guard
    /// [`PlanLimits::half`]: crate::PlanLimits::half
    /// [`PlanLimits::square_root`]: crate::PlanLimits::square_root
    /// [`PlanLimits::subnormals`]: crate::PlanLimits::subnormals
    pub async fn calibrate(&self) -> Result<()> {
        self.gpu().device.lost.check()?;
        calibrate(self).await;
        Ok(self.gpu().device.lost.check()?)
    }
}
