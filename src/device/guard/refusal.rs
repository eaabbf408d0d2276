//! Defines [`Refusal`]: the reason why an array is not there.

use std::sync::OnceLock;

use crate::semantics::error::{DeviceError, Error, Result};

/// Keeps the reason why an array is not there, or lacks a part: wgpu refused commands that should
/// have written it, as it does where a caller destroys a buffer that is still to be read.
///
/// Each array has one of its own, because the next array in the same buffer must not inherit it.
/// It lives as long as its array, and as the recorded commands that use the array, so that reasons
/// do not pile up.
#[derive(Debug, Default)]
pub(crate) struct Refusal(OnceLock<String>);

impl Refusal {
    /// Notes that commands which write the array were refused. The first reason stays.
    pub(crate) fn set(&self, error: &Error) {
        self.0.get_or_init(|| match error {
            Error::Device(DeviceError::Wgpu { reason, .. }) => reason.clone(),
            other => other.to_string(),
        });
    }

    /// Checks that wgpu refused none of the commands that write the array.
    pub(crate) fn check(&self) -> Result<()> {
        let Some(reason) = self.0.get() else { return Ok(()) };
        let what = "the commands that write this array";
        Err(DeviceError::Wgpu { what, reason: reason.clone() }.into())
    }
}
