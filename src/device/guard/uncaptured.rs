//! Handles errors that no error scope catches, on devices that we make.
//!
//! Every call of this crate that wgpu may reject runs in error scopes, so these come from the
//! user's calls on the context's device or queue. wgpu's own handler would panic.

#[cfg(not(target_arch = "wasm32"))]
use std::cell::Cell;
use std::sync::Arc;

#[cfg(not(target_arch = "wasm32"))]
use crate::device::guard::panics::catch_panic;

/// A user's handler of such errors.
pub(crate) type Handler = Arc<dyn wgpu::UncapturedErrorHandler>;

/// Returns the handler for a device: the user-defined one, or one that logs.
///
/// Neither is called for an error that `was_raised` checks for.
pub(crate) fn handler(theirs: Option<Handler>) -> Handler {
    Arc::new(move |error: wgpu::Error| {
        #[cfg(not(target_arch = "wasm32"))]
        if let Asked::Yes { .. } = ASKED.get() {
            return ASKED.set(Asked::Yes { raised: true });
        }
        match &theirs {
            Some(theirs) => theirs(error),
            None => log::error!("an error of wgpu that nobody catches: {error}"),
        }
    })
}

/// True if this thread is looking for the device of an error.
#[cfg(not(target_arch = "wasm32"))]
#[derive(Debug, Clone, Copy)]
enum Asked {
    No,
    Yes { raised: bool },
}

#[cfg(not(target_arch = "wasm32"))]
thread_local!(static ASKED: Cell<Asked> = const { Cell::new(Asked::No) });

/// Runs `work` and returns true if it raises an error that reaches our handler, or wgpu's own one,
/// which panics.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn was_raised(work: impl FnOnce()) -> bool {
    ASKED.set(Asked::Yes { raised: false });
    let panicked = catch_panic(work).is_err();
    let raised = matches!(ASKED.replace(Asked::No), Asked::Yes { raised: true });
    raised || panicked
}
