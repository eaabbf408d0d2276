//! Futures that wait for the device, and the answers that wgpu calls back with.
//!
//! wgpu runs callbacks wherever it polls: inside a submission, for one, while the batch is locked. A
//! waker is somebody else's code, which may panic, run its task at once or drop it. So, off the
//! web, callbacks wake nobody: they leave their answer and say that it is there. Wakers are called
//! by the thread that polls, where no lock is held. In a browser the event loop runs the callbacks,
//! each by itself, and they wake.

use std::collections::BTreeMap;
#[cfg(not(target_arch = "wasm32"))]
use std::sync::PoisonError;
use std::sync::{Arc, Condvar, Mutex};
use std::task::{Poll, Waker};
#[cfg(not(target_arch = "wasm32"))]
use std::time::Duration;

use crate::device::guard::lock::lock;
use crate::device::guard::lost::LostFlag;
use crate::device::guard::panics::catch_panic;
use crate::semantics::error::DeviceError;

/// The tasks that wait, and the thread that serves them.
#[derive(Debug, Default)]
pub(crate) struct Tasks {
    state: Mutex<State>,
    /// There is something for the thread to do.
    changed: Condvar,
}

#[derive(Debug, Default)]
#[cfg_attr(target_arch = "wasm32", allow(dead_code, reason = "there is no thread in a browser"))]
struct State {
    /// In the order in which they began to wait, which is about that of what they wait for.
    waiting: BTreeMap<u64, Task>,
    next: u64,
    /// The context is gone.
    stopped: bool,
    /// The thread is calling wakers.
    waking: bool,
}

#[derive(Debug, Default)]
#[cfg_attr(target_arch = "wasm32", allow(dead_code, reason = "nobody polls for it in a browser"))]
struct Task {
    waker: Option<Waker>,
    /// An answer came since it last looked.
    told: bool,
    /// What it waits for.
    submission: Option<wgpu::SubmissionIndex>,
}

impl Tasks {
    /// A future starts to wait.
    pub(crate) fn enter(self: &Arc<Self>) -> Waiting {
        let mut state = lock(&self.state);
        let number = state.next;
        state.next += 1;
        state.waiting.insert(number, Task::default());
        drop(state);
        Waiting { tasks: Arc::clone(self), number }
    }

    fn tell(&self, number: u64) {
        if let Some(task) = lock(&self.state).waiting.get_mut(&number) {
            task.told = true;
        }
        if cfg!(target_arch = "wasm32") {
            self.wake(|told| told);
        } else {
            self.changed.notify_one();
        }
    }

    /// Calls the wakers of these tasks, by whether they were told. Whether there was one.
    pub(crate) fn wake(&self, which: impl Fn(bool) -> bool) -> bool {
        let mut state = lock(&self.state);
        let tasks = state.waiting.values_mut().filter(|task| which(task.told));
        let wakers: Vec<Waker> = tasks.filter_map(|task| task.waker.take()).collect();
        if wakers.is_empty() {
            return false;
        }
        state.waking = true;
        drop(state);
        for waker in wakers {
            // Whose waker panics is not woken; the others are.
            let _ = catch_panic(|| waker.wake());
        }
        lock(&self.state).waking = false;
        true
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl Tasks {
    /// Whether a task was told and has not been woken yet.
    pub(crate) fn has_news(&self) -> bool {
        let state = lock(&self.state);
        state.waiting.values().any(|task| task.told && task.waker.is_some())
    }

    /// Waits until a task waits. What the first one waits for, if it is known; `None` if the
    /// context is gone.
    pub(crate) fn first(&self) -> Option<Option<wgpu::SubmissionIndex>> {
        let mut state = lock(&self.state);
        loop {
            if state.stopped {
                return None;
            }
            if let Some(task) = state.waiting.values().find(|task| !task.told) {
                return Some(task.submission.clone());
            }
            // Those that were told and woken need nothing more.
            if state.waiting.values().any(|task| task.waker.is_some()) {
                return Some(None);
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits for something new.
    pub(crate) fn pause(&self, at_most: Duration) {
        drop(self.changed.wait_timeout(lock(&self.state), at_most));
    }

    /// Ends the thread. Whether it is calling wakers.
    pub(crate) fn stop(&self) -> bool {
        let mut state = lock(&self.state);
        state.stopped = true;
        self.changed.notify_one();
        state.waking
    }
}

/// One task's place among those that wait, as long as it lives.
#[derive(Debug)]
pub(crate) struct Waiting {
    tasks: Arc<Tasks>,
    number: u64,
}

impl Waiting {
    /// A place for an answer that the task waits for, and who leaves it there.
    pub(crate) fn answer<T>(&self) -> (Teller<T>, Answer<T>) {
        let (mut teller, answer) = answer();
        teller.listener = Some((Arc::clone(&self.tasks), self.number));
        (teller, answer)
    }

    /// The answer comes when this submission has run.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn wants(&self, submission: Option<wgpu::SubmissionIndex>) {
        if let Some(task) = lock(&self.tasks.state).waiting.get_mut(&self.number) {
            task.submission = submission;
        }
        self.tasks.changed.notify_one();
    }

    /// The answer; `None` if wgpu dropped the callback.
    pub(crate) async fn hear<T>(
        &self,
        lost: &LostFlag,
        answer: &Answer<T>,
    ) -> Result<Option<T>, DeviceError> {
        std::future::poll_fn(|task| {
            self.listen(task.waker());
            // After the waker is there, so that neither a loss nor an answer in between is missed.
            if let Err(lost) = lost.check() {
                // A device that is lost may never answer.
                return Poll::Ready(Err(lost));
            }
            answer.take().map_or(Poll::Pending, |told| Poll::Ready(Ok(told)))
        })
        .await
    }

    /// Cloning and dropping a waker may run the user's code, and so happens outside the lock.
    fn listen(&self, waker: &Waker) {
        let waker = waker.clone();
        let mut state = lock(&self.tasks.state);
        let Some(task) = state.waiting.get_mut(&self.number) else { return };
        task.told = false;
        let before = task.waker.replace(waker);
        drop(state);
        // The thread may have taken this task, told of something before, for one that is done.
        #[cfg(not(target_arch = "wasm32"))]
        self.tasks.changed.notify_one();
        drop(before);
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let task = lock(&self.tasks.state).waiting.remove(&self.number);
        drop(task);
    }
}

/// A place for an answer of which a thread asks whether it is there.
pub(crate) fn answer<T>() -> (Teller<T>, Answer<T>) {
    let place = Arc::new(Mutex::new(Told::NotYet));
    (Teller { place: Arc::clone(&place), listener: None }, Answer(place))
}

#[derive(Debug)]
enum Told<T> {
    NotYet,
    This(T),
    /// wgpu dropped the callback, which happens where it panics.
    Nothing,
}

/// What a callback owns. It owns nothing of the device's: wgpu keeps the callback, and would keep
/// itself.
#[derive(Debug)]
pub(crate) struct Teller<T> {
    place: Arc<Mutex<Told<T>>>,
    listener: Option<(Arc<Tasks>, u64)>,
}

impl<T> Teller<T> {
    pub(crate) fn tell(self, answer: T) {
        *lock(&self.place) = Told::This(answer);
    }
}

impl<T> Drop for Teller<T> {
    fn drop(&mut self) {
        let mut place = lock(&self.place);
        if matches!(*place, Told::NotYet) {
            *place = Told::Nothing;
        }
        drop(place);
        if let Some((tasks, number)) = &self.listener {
            tasks.tell(*number);
        }
    }
}

/// What is waited for.
#[derive(Debug)]
pub(crate) struct Answer<T>(Arc<Mutex<Told<T>>>);

impl<T> Answer<T> {
    /// The answer, if it is there; within, `None` if there will be none. To be taken once.
    pub(crate) fn take(&self) -> Option<Option<T>> {
        let mut told = lock(&self.0);
        if matches!(*told, Told::NotYet) {
            return None;
        }
        match std::mem::replace(&mut *told, Told::Nothing) {
            Told::This(answer) => Some(Some(answer)),
            _ => Some(None),
        }
    }
}

#[cfg(all(test, not(target_arch = "wasm32")))]
mod tests {
    use std::future::Future as _;
    use std::pin::pin;
    use std::sync::mpsc;
    use std::task::Context;

    use super::*;

    /// As a reading does that first waits for the device and then for a mapping.
    #[test]
    fn a_task_that_waits_again_wakes_the_thread() {
        let (tasks, lost) = (Arc::new(Tasks::default()), LostFlag::default());
        let waiting = tasks.enter();
        let mut task = Context::from_waker(Waker::noop());
        let (first, answer) = waiting.answer();
        let mut hearing = pin!(waiting.hear(&lost, &answer));
        assert!(hearing.as_mut().poll(&mut task).is_pending());
        first.tell(1);
        assert!(tasks.wake(|told| told));
        assert!(hearing.as_mut().poll(&mut task).is_ready());
        // A teller that is dropped later tells once more, before the task waits again.
        let (between, _) = waiting.answer::<()>();
        drop(between);
        tasks.wake(|told| told);

        let (sender, found) = mpsc::channel();
        let thread = Arc::clone(&tasks);
        std::thread::spawn(move || sender.send(thread.first().is_some()));
        std::thread::sleep(Duration::from_millis(50));
        assert!(found.try_recv().is_err(), "nobody waits");
        let (_second, answer) = waiting.answer::<()>();
        let mut hearing = pin!(waiting.hear(&lost, &answer));
        assert!(hearing.as_mut().poll(&mut task).is_pending());
        assert_eq!(found.recv_timeout(Duration::from_secs(20)), Ok(true));
    }
}
