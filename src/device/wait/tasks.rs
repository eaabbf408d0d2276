//! Keeps the tasks that wait for the device, with their wakers.
//!
//! A user's waker may panic, or immediately poll or drop its task, so it is called with nothing
//! locked. A wgpu callback cannot do that: wgpu runs callbacks wherever it polls, for example
//! inside a submission, while the batch is locked. It only sets a flag, the task's [`Signal`], and
//! the thread that polls calls the wakers of all tasks whose signal is set. In a browser no thread
//! polls; there the event loop runs each callback separately, and the sender of its answer calls
//! the wakers once it is done with its channel.

#[cfg(not(target_arch = "wasm32"))]
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::task::{Wake, Waker};
#[cfg(not(target_arch = "wasm32"))]
use std::time::Duration;

use crate::device::guard::lock::lock;
use crate::device::guard::panics::catch_panic;

/// The waiting tasks, and the state that the polling thread shares with them.
#[derive(Debug)]
pub(crate) struct Tasks {
    state: Mutex<State>,
    /// Notified when the polling thread has something to do.
    changed: Arc<Condvar>,
    /// True if a thread polls and calls the wakers; if there is none, senders call them.
    has_thread: bool,
}

#[derive(Debug, Default)]
#[cfg_attr(target_arch = "wasm32", allow(dead_code, reason = "there is no thread in a browser"))]
struct State {
    /// The tasks with the numbers of their registrations, ascending.
    slots: Vec<(u64, Slot)>,
    next: u64,
    /// True if the context is dropped.
    stopped: bool,
    /// True while wakers are being called.
    waking: bool,
}

impl State {
    fn place(&self, number: u64) -> Option<usize> {
        self.slots.binary_search_by_key(&number, |&(number, _)| number).ok()
    }

    fn slot_mut(&mut self, number: u64) -> Option<&mut Slot> {
        let at = self.place(number)?;
        self.slots.get_mut(at).map(|(_, slot)| slot)
    }
}

#[derive(Debug)]
#[cfg_attr(target_arch = "wasm32", allow(dead_code, reason = "nobody polls for it in a browser"))]
struct Slot {
    /// The user's waker, from a poll of the task until it is called.
    waker: Option<Waker>,
    signal: Arc<Signal>,
}

/// The waker that channels get instead of the task's, because they wake under their own lock.
///
/// It locks nothing, and owns nothing whose drop could run user code.
#[derive(Debug)]
struct Signal {
    /// True if, since the task was last polled, an answer came or became impossible.
    is_set: AtomicBool,
    changed: Arc<Condvar>,
}

impl Signal {
    fn is_set(&self) -> bool {
        self.is_set.load(Ordering::Acquire)
    }
}

impl Wake for Signal {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        self.is_set.store(true, Ordering::Release);
        // A thread that has just looked at the flag misses this, and looks again after its pause.
        self.changed.notify_one();
    }
}

impl Tasks {
    /// Makes a list without tasks. `has_thread`: a thread will poll and call the wakers.
    pub(crate) fn new(has_thread: bool) -> Self {
        Self { state: Mutex::default(), changed: Arc::default(), has_thread }
    }

    /// Gives a task a slot, while the result lives.
    pub(crate) fn register(self: &Arc<Self>) -> Registration {
        let changed = Arc::clone(&self.changed);
        let signal = Arc::new(Signal { is_set: AtomicBool::new(false), changed });
        let slot = Slot { waker: None, signal: Arc::clone(&signal) };
        let mut state = lock(&self.state);
        let number = state.next;
        state.next += 1;
        state.slots.push((number, slot));
        drop(state);
        Registration { tasks: Arc::clone(self), number, signal: Waker::from(signal) }
    }

    /// Calls the wakers of the tasks whose signal is set; returns true if there were any.
    pub(crate) fn wake_signalled(&self) -> bool {
        self.wake(|slot| slot.signal.is_set())
    }

    fn wake(&self, is_chosen: impl Fn(&Slot) -> bool) -> bool {
        let mut state = lock(&self.state);
        let slots = state.slots.iter_mut().map(|(_, slot)| slot).filter(|slot| is_chosen(slot));
        let wakers: Vec<Waker> = slots.filter_map(|slot| slot.waker.take()).collect();
        if wakers.is_empty() {
            return false;
        }
        state.waking = true;
        drop(state);
        for waker in wakers {
            // A waker that panics has not woken its task; the others are still called.
            let _ = catch_panic(|| waker.wake());
        }
        lock(&self.state).waking = false;
        true
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl Tasks {
    /// Calls the wakers of all tasks.
    pub(crate) fn wake_all(&self) {
        self.wake(|_| true);
    }

    /// Returns true if a task whose signal is set has yet to be woken.
    pub(crate) fn has_signalled(&self) -> bool {
        let state = lock(&self.state);
        state.slots.iter().any(|(_, slot)| slot.signal.is_set() && slot.waker.is_some())
    }

    /// Blocks until there is a task to poll for. Returns false if the context is gone.
    pub(crate) fn wait_for_one(&self) -> bool {
        let mut state = lock(&self.state);
        loop {
            if state.stopped {
                return false;
            }
            // A task whose signal is set and whose waker was called needs nothing more.
            if state.slots.iter().any(|(_, slot)| !slot.signal.is_set() || slot.waker.is_some()) {
                return true;
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Blocks until something changes, or for `at_most`.
    pub(crate) fn pause(&self, at_most: Duration) {
        drop(self.changed.wait_timeout(lock(&self.state), at_most));
    }

    /// Signals the thread to end; returns true if it is calling wakers.
    pub(crate) fn stop(&self) -> bool {
        let mut state = lock(&self.state);
        state.stopped = true;
        self.changed.notify_one();
        state.waking
    }
}

/// A task's slot among those that wait, until this is dropped.
#[derive(Debug)]
pub(crate) struct Registration {
    tasks: Arc<Tasks>,
    number: u64,
    /// The slot's signal.
    signal: Waker,
}

impl Registration {
    /// Returns the waker for the task's channels, which sets its signal.
    pub(crate) fn signal(&self) -> &Waker {
        &self.signal
    }

    /// Returns the tasks that a sender has to wake; `None` if a thread wakes them.
    pub(crate) fn tasks_to_wake(&self) -> Option<Arc<Tasks>> {
        (!self.tasks.has_thread).then(|| Arc::clone(&self.tasks))
    }

    /// Clears the signal, and sets the waker that is called when it is set again.
    pub(crate) fn set_waker(&self, waker: &Waker) {
        // Cloning and dropping a waker may run user code, so it happens outside of the lock.
        let waker = waker.clone();
        let mut state = lock(&self.tasks.state);
        let Some(slot) = state.slot_mut(self.number) else { return };
        slot.signal.is_set.store(false, Ordering::Release);
        let before = slot.waker.replace(waker);
        drop(state);
        // The thread does not poll for a task whose signal is set; this one waits again.
        self.tasks.changed.notify_one();
        drop(before);
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        let mut state = lock(&self.tasks.state);
        let slot = state.place(self.number).map(|at| state.slots.remove(at));
        drop(state);
        // The waker is dropped outside of the lock, since that may run user code.
        drop(slot);
    }
}
