//! Keeps the interpreter from ending while a thread is in the driver, which may crash or hang if the
//! process ends meanwhile.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use pyo3::prelude::*;

/// The number of calls that may be in the driver.
static UNDER_WAY: AtomicUsize = AtomicUsize::new(0);

/// The thread that ends the interpreter, once it does.
static ENDING: OnceLock<ThreadId> = OnceLock::new();

/// The longest time that an exit waits for calls of other threads.
const PATIENCE: Duration = Duration::from_secs(60);

/// A call that may be in the driver.
pub(crate) struct Call;

impl Call {
    /// Begins a call. Once the interpreter ends, a call of any other thread never begins: such a
    /// thread is a daemon, and ends with the process.
    pub(crate) fn begin(py: Python<'_>) -> Self {
        UNDER_WAY.fetch_add(1, Ordering::SeqCst);
        let call = Self;
        if ENDING.get().is_some_and(|ending| *ending != thread::current().id()) {
            drop(call);
            return py.detach(|| -> Self {
                loop {
                    thread::park();
                }
            });
        }
        call
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        // A forked process may have forgotten this one.
        let fewer = |calls: usize| calls.checked_sub(1);
        let _ = UNDER_WAY.fetch_update(Ordering::SeqCst, Ordering::SeqCst, fewer);
    }
}

/// Forgets the calls of threads that a forked process does not have.
pub(crate) fn forget_calls() {
    UNDER_WAY.store(0, Ordering::SeqCst);
}

/// Stops other threads from beginning calls, and waits for calls under way.
pub(crate) fn await_calls(py: Python<'_>) {
    let _ = ENDING.set(thread::current().id());
    let began = Instant::now();
    py.detach(|| {
        while UNDER_WAY.load(Ordering::SeqCst) > 0 && began.elapsed() < PATIENCE {
            thread::sleep(Duration::from_millis(1));
        }
    });
}
