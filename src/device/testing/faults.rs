//! Makes polls and mappings fail when a test wants it. wgpu panics in `Device::poll` on some errors
//! of the device, which no device here raises at will; so they are injected at the one place that
//! polls.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::device::guard::lock::lock;
use crate::wgpu;

/// Counts of the faults to come.
#[derive(Debug, Default)]
pub(crate) struct Fault {
    /// The number of next polls that panic, as wgpu's do.
    pub(super) polls: AtomicUsize,
    /// The number of next mappings that fail.
    pub(super) mappings: AtomicUsize,
    /// The number of next callbacks of mappings that are dropped, as wgpu does when it panics.
    pub(super) callbacks: AtomicUsize,
    /// The number of next kernels whose compilation panics.
    pub(super) panicking_kernels: AtomicUsize,
    /// The number of next kernels that wgpu rejects.
    pub(super) refused_kernels: AtomicUsize,
    /// Locked by a test while no kernel may be compiled.
    pub(super) compiling: Mutex<()>,
}

pub(super) const FOR_EVER: usize = usize::MAX;

impl Fault {
    pub(super) fn set(&self, polls: usize) {
        self.polls.store(polls, Ordering::SeqCst);
    }

    fn strikes(counter: &AtomicUsize) -> bool {
        let left = |times: usize| match times {
            FOR_EVER => Some(FOR_EVER),
            times => times.checked_sub(1),
        };
        counter.fetch_update(Ordering::SeqCst, Ordering::SeqCst, left).is_ok()
    }

    /// Returns the text of the next kernel to compile, or text that is not WGSL.
    pub(crate) fn kernel(&self, text: String) -> String {
        drop(lock(&self.compiling));
        if Self::strikes(&self.panicking_kernels) {
            std::panic::resume_unwind(Box::new("a compiler that panics"));
        }
        if Self::strikes(&self.refused_kernels) { "no kernel".to_owned() } else { text }
    }

    /// Returns the result of a mapping; `None` if its callback is dropped.
    pub(crate) fn mapped(
        &self,
        mapped: Result<(), wgpu::BufferAsyncError>,
    ) -> Option<Result<(), wgpu::BufferAsyncError>> {
        match (Self::strikes(&self.callbacks), Self::strikes(&self.mappings)) {
            (true, _) => None,
            (_, true) => Some(Err(wgpu::BufferAsyncError)),
            _ => Some(mapped),
        }
    }

    /// Panics if a fault is due. The second try after a panic is spared, unless polls fail for
    /// ever: it may come after another thread has set the next fault.
    pub(crate) fn strike(&self, again: bool) {
        let spared = again && self.polls.load(Ordering::SeqCst) != FOR_EVER;
        if !spared && Self::strikes(&self.polls) {
            // This bypasses the panic hook, which would print many messages.
            std::panic::resume_unwind(Box::new("Error in Device::poll: Parent device is lost"));
        }
    }
}
