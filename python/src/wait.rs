//! Waiting for the GPU without the interpreter's lock, so that other threads run meanwhile, and so
//! that Ctrl-C interrupts.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use indim::Context;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The longest time between checks of Python's signals.
const INTERVAL: Duration = Duration::from_millis(50);

/// Waits until all evaluations have run, and returns the context's result. The outer error is
/// `KeyboardInterrupt`, or what another signal's handler raises; it ends the wait.
pub(crate) fn for_gpu(py: Python<'_>, context: &Context) -> PyResult<indim::Result<()>> {
    loop {
        match py.detach(|| context.wait_timeout(INTERVAL)) {
            Ok(false) => py.check_signals()?,
            ended => return Ok(ended.map(drop)),
        }
    }
}

/// Runs `work` on a separate thread and returns its result, so that a signal interrupts the wait.
/// The thread then ends by itself.
pub(crate) fn for_thread<R: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> R + Send + 'static,
) -> PyResult<R> {
    let (sender, receiver) = mpsc::channel();
    // A result sent after an interruption is not received.
    std::thread::Builder::new()
        .name("indim".to_owned())
        .spawn(move || drop(sender.send(work())))?;
    let receiver = Mutex::new(receiver);
    loop {
        let receive = || {
            let receiver = receiver.lock().unwrap_or_else(PoisonError::into_inner);
            receiver.recv_timeout(INTERVAL)
        };
        match py.detach(receive) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => py.check_signals()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err("the thread of an evaluation panicked"));
            }
        }
    }
}
