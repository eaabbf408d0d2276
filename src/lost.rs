//! What we know of the loss of a device.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::Waker;

use crate::error::DeviceError;
use crate::sync::lock;

/// Our own knowledge of a lost device: wgpu's calls can look successful after the loss.
#[derive(Debug, Default)]
pub(crate) struct LostFlag {
    lost: AtomicBool,
    reason: Mutex<String>,
    /// Tasks that wait for the device and must hear of its loss.
    watchers: Mutex<HashMap<u64, Waker>>,
    next_watcher: AtomicU64,
}

impl LostFlag {
    /// The first reason stays.
    pub(crate) fn set(&self, reason: &str) {
        let mut known = lock(&self.reason);
        if !self.lost.load(Ordering::Acquire) {
            reason.clone_into(&mut known);
            self.lost.store(true, Ordering::Release);
        }
        drop(known);
        for (_, waker) in lock(&self.watchers).drain() {
            waker.wake();
        }
    }

    /// A place for one task's waker.
    pub(crate) fn watch(&self) -> Watch<'_> {
        Watch { flag: self, number: self.next_watcher.fetch_add(1, Ordering::Relaxed) }
    }

    pub(crate) fn check(&self) -> Result<(), DeviceError> {
        if !self.lost.load(Ordering::Acquire) {
            return Ok(());
        }
        Err(DeviceError::Lost { reason: lock(&self.reason).clone() })
    }
}

/// Wakes a task when the device is lost, as long as it lives.
pub(crate) struct Watch<'a> {
    flag: &'a LostFlag,
    number: u64,
}

impl Watch<'_> {
    /// Whether the device is lost; if not, the waker hears of it when it is.
    pub(crate) fn check(&self, waker: &Waker) -> Result<(), DeviceError> {
        lock(&self.flag.watchers).insert(self.number, waker.clone());
        // After the insertion, so that a loss in between is not missed.
        self.flag.check()
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        lock(&self.flag.watchers).remove(&self.number);
    }
}
