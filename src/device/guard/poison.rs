//! Defines [`Poison`]: why an array has no contents.

use std::sync::OnceLock;

use indim_core::errors::device::DeviceError;
use indim_core::semantics::error::{Error, Result};

/// The reason why an array, or a part of it, was not written, if so: wgpu rejected the commands, for
/// example because a caller destroyed a buffer that was still to be read. Reading the array returns
/// it.
///
/// Each array has a separate one, because the next array in the same buffer must not inherit it. It
/// lives as long as its array and the recorded commands that use the array, so that reasons do not
/// pile up.
#[derive(Debug, Default)]
pub(crate) struct Poison(OnceLock<String>);

impl Poison {
    /// Poisons the array: commands that write it were rejected. The first reason stays.
    pub(crate) fn set(&self, error: &Error) {
        self.0.get_or_init(|| match error {
            Error::Device(DeviceError::Wgpu { reason, .. }) => reason.clone(),
            other => other.to_string(),
        });
    }

    /// Checks that wgpu did not reject any command that writes the array.
    pub(crate) fn check(&self) -> Result<()> {
        let Some(reason) = self.0.get() else { return Ok(()) };
        let what = "the commands that write this array";
        Err(DeviceError::Wgpu { what, reason: reason.clone() }.into())
    }
}
