//! What we know of the loss of a device.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::device::guard::sync::lock;
use crate::semantics::error::DeviceError;

/// Our own knowledge of a lost device: wgpu's calls can look successful after the loss.
///
/// Setting it calls nobody, since wgpu may tell of the loss in the middle of any call. Whoever waits
/// asks after each poll, and the thread that polls wakes the tasks.
#[derive(Debug, Default)]
pub(crate) struct LostFlag {
    lost: AtomicBool,
    reason: Mutex<String>,
}

impl LostFlag {
    /// The first reason stays.
    pub(crate) fn set(&self, reason: &str) {
        let mut known = lock(&self.reason);
        if !self.lost.load(Ordering::Acquire) {
            reason.clone_into(&mut known);
            self.lost.store(true, Ordering::Release);
        }
    }

    pub(crate) fn check(&self) -> Result<(), DeviceError> {
        if !self.lost.load(Ordering::Acquire) {
            return Ok(());
        }
        Err(DeviceError::Lost { reason: lock(&self.reason).clone() })
    }
}
