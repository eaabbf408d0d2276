//! How much of the device's memory is in use.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::device::guard::stats::Memory;

/// Bytes of the buffers that are held, by arrays and by bytes on their way in or out.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    in_use: AtomicU64,
    peak: AtomicU64,
}

impl Usage {
    /// So many bytes are in use until what is returned is dropped.
    pub(crate) fn hold(self: &Arc<Self>, bytes: u64) -> Held {
        let in_use = self.in_use.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.peak.fetch_max(in_use, Ordering::Relaxed);
        Held { usage: Arc::clone(self), bytes }
    }

    /// The figures, with the bytes that wait for reuse.
    pub(crate) fn memory(&self, pooled: u64) -> Memory {
        let in_use = self.in_use.load(Ordering::Relaxed);
        Memory { in_use, pooled, peak: self.peak.load(Ordering::Relaxed) }
    }
}

/// Bytes that count as in use as long as it lives.
#[derive(Debug)]
pub(crate) struct Held {
    usage: Arc<Usage>,
    bytes: u64,
}

impl Held {
    /// They are in use no longer.
    pub(crate) fn end(&mut self) {
        self.usage.in_use.fetch_sub(std::mem::take(&mut self.bytes), Ordering::Relaxed);
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.end();
    }
}
