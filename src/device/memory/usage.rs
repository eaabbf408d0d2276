//! Counts the device's memory that is in use.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::device::guard::stats::Memory;

/// Bytes of the buffers held by arrays and by transfers under way.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    in_use: AtomicU64,
    peak: AtomicU64,
}

impl Usage {
    /// Counts `bytes` as in use until the reservation is released or dropped.
    pub(crate) fn reserve(self: &Arc<Self>, bytes: u64) -> Reservation {
        let in_use = self.in_use.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.peak.fetch_max(in_use, Ordering::Relaxed);
        Reservation { usage: Arc::clone(self), bytes }
    }

    /// Returns the figures, given the bytes that wait for reuse.
    pub(crate) fn memory(&self, pooled: u64) -> Memory {
        let in_use = self.in_use.load(Ordering::Relaxed);
        Memory { in_use, pooled, peak: self.peak.load(Ordering::Relaxed) }
    }
}

/// Bytes that count as in use while it lives.
#[derive(Debug)]
pub(crate) struct Reservation {
    usage: Arc<Usage>,
    bytes: u64,
}

impl Reservation {
    /// Stops counting the bytes as in use.
    pub(crate) fn release(&mut self) {
        self.usage.in_use.fetch_sub(std::mem::take(&mut self.bytes), Ordering::Relaxed);
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        self.release();
    }
}
