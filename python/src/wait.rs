//! Waiting for the GPU without the interpreter's lock, so that other threads run meanwhile, and so
//! that Ctrl-C interrupts.

use std::pin::{Pin, pin};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;

/// The longest time without a look at Python's signals.
const INTERVAL: Duration = Duration::from_millis(50);

/// Wakes the thread that waits for a future.
#[derive(Default)]
struct Signal {
    woken: Mutex<bool>,
    changed: Condvar,
}

impl Wake for Signal {
    fn wake(self: Arc<Self>) {
        *self.woken.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_one();
    }
}

impl Signal {
    /// Returns true if it was woken within [`INTERVAL`].
    fn wait(&self) -> bool {
        let woken = self.woken.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(woken, INTERVAL, |woken| !*woken);
        let (mut woken, _) = waited.unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut woken)
    }
}

/// Returns what `work` gives, which a thread of its own does, so that a signal interrupts the wait
/// for it. The thread then ends by itself.
pub(crate) fn for_thread<R: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> R + Send + 'static,
) -> PyResult<R> {
    let (sender, receiver) = mpsc::channel();
    // Nobody receives what is sent after an interruption.
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

/// Returns what the future gives. `KeyboardInterrupt`, or what another signal's handler raises,
/// drops the future.
pub(crate) fn wait<F: Future<Output: Send> + Send>(
    py: Python<'_>,
    future: F,
) -> PyResult<F::Output> {
    let signal = Arc::new(Signal::default());
    let waker = Waker::from(Arc::clone(&signal));
    let mut future = pin!(future);
    loop {
        if let Poll::Ready(output) = py.detach(|| poll(future.as_mut(), &signal, &waker)) {
            return Ok(output);
        }
        py.check_signals()?;
    }
}

/// Polls the future until nothing has woken it for a while.
fn poll<F: Future>(mut future: Pin<&mut F>, signal: &Signal, waker: &Waker) -> Poll<F::Output> {
    loop {
        let polled = future.as_mut().poll(&mut Context::from_waker(waker));
        if polled.is_ready() || !signal.wait() {
            return polled;
        }
    }
}
