//! Defines the flag of a lost device, with the reason of the loss.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::device::guard::lock::lock;
use indim_core::errors::device::DeviceError;

/// Remembers that the device is lost, since wgpu's calls can look successful after the loss.
///
/// Setting it calls no other code, since wgpu may report the loss during any call. Every wait
/// checks it after each poll, and the thread that polls wakes the tasks.
#[derive(Debug, Default)]
pub(crate) struct LostFlag {
    lost: AtomicBool,
    reason: Mutex<String>,
}

impl LostFlag {
    /// Marks the device as lost. The first reason stays.
    pub(crate) fn set(&self, reason: &str) {
        let mut known = lock(&self.reason);
        if !self.lost.load(Ordering::Acquire) {
            reason.clone_into(&mut known);
            self.lost.store(true, Ordering::Release);
        }
    }

    /// Returns [`DeviceError::Lost`] once the device is lost.
    pub(crate) fn check(&self) -> Result<(), DeviceError> {
        if !self.lost.load(Ordering::Acquire) {
            return Ok(());
        }
        Err(DeviceError::Lost { reason: lock(&self.reason).clone() })
    }
}
