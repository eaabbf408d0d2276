//! Tests users' wakers that poll their task, drop it, panic or register another one: each is
//! called, and dropped, with nothing locked, both where a thread polls and where none does, as in a
//! browser.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use std::future::Future;
use std::panic::resume_unwind;
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::time::Duration;

use futures_intrusive::channel::shared::{OneshotReceiver, oneshot_channel};

use crate::device::guard::lost::LostFlag;
use crate::device::wait::channel::{self, Sender};
use crate::device::wait::tasks::Tasks;
use indim_core::errors::device::DeviceError;

type Answer = Result<Option<u32>, DeviceError>;
type Task = Pin<Box<dyn Future<Output = Answer> + Send>>;

/// Runs `work` and fails if it takes too long, instead of hanging.
#[track_caller]
fn ends<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(work()));
    match receiver.recv_timeout(Duration::from_secs(20)) {
        Ok(result) => result,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("it hangs"),
        Err(mpsc::RecvTimeoutError::Disconnected) => panic!("it failed, as told above"),
    }
}

/// Makes a task that waits for one answer, and the sender of that.
fn task(tasks: &Arc<Tasks>) -> (Sender<u32>, Task) {
    let registration = tasks.register();
    let (sender, receiver) = channel::for_task(&registration);
    let lost = LostFlag::default();
    (sender, Box::pin(async move { receiver.recv(&registration, &lost).await }))
}

fn poll(task: &mut Task, waker: &Waker) -> Poll<Answer> {
    task.as_mut().poll(&mut Context::from_waker(waker))
}

/// Sends 7 or drops the sender, and wakes as the polling thread does, where there is one. Returns
/// what the task is to receive.
fn answer(tasks: &Tasks, sender: Sender<u32>, sends: bool, has_thread: bool) -> Option<u32> {
    if sends {
        sender.send(7);
    } else {
        drop(sender);
    }
    if has_thread {
        tasks.wake_signalled();
    }
    sends.then_some(7)
}

/// Runs a test with a polling thread and without one, with an answer and with a sender that is
/// dropped.
fn in_all_ways(test: impl Fn(bool, bool) + Copy + Send + 'static) {
    for has_thread in [true, false] {
        for sends in [true, false] {
            ends(move || test(has_thread, sends));
        }
    }
}

/// Counts how often it is called.
#[derive(Default)]
struct Counts(AtomicUsize);

impl Wake for Counts {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Counts {
    fn get(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

// ---- wakers -------------------------------------------------------------------------------------

/// Shows the fault for which wakers only set a flag. If the channel ever wakes with its lock
/// released, users' wakers may be registered with it.
#[test]
fn the_channel_itself_wakes_under_its_lock() {
    struct Probes {
        receiver: Arc<OneshotReceiver<u32>>,
        /// True if another thread got at the channel while this waker ran.
        is_free: Mutex<Option<bool>>,
    }

    impl Wake for Probes {
        fn wake(self: Arc<Self>) {
            let (sender, receiver) = mpsc::channel();
            let channel = Arc::clone(&self.receiver);
            std::thread::spawn(move || {
                let _ = pin!(channel.receive()).poll(&mut Context::from_waker(Waker::noop()));
                sender.send(())
            });
            let in_time = receiver.recv_timeout(Duration::from_millis(200));
            *self.is_free.lock().unwrap() = Some(in_time.is_ok());
        }
    }

    ends(|| {
        let (sender, receiver) = oneshot_channel();
        let receiver = Arc::new(receiver);
        let probes =
            Arc::new(Probes { receiver: Arc::clone(&receiver), is_free: Mutex::default() });
        let waker = Waker::from(Arc::clone(&probes));
        let mut receiving = pin!(receiver.receive());
        assert!(receiving.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
        sender.send(7).unwrap();
        assert_eq!(*probes.is_free.lock().unwrap(), Some(false));
    });
}

/// Polls its task when it is called, as some executors do. Under the channel's lock, or under that
/// of the tasks, it would wait for itself.
struct Polls {
    task: Mutex<Option<Task>>,
    answer: Mutex<Option<Answer>>,
}

impl Wake for Polls {
    fn wake(self: Arc<Self>) {
        let mut task = self.task.lock().unwrap().take().unwrap();
        if let Poll::Ready(answer) = poll(&mut task, &Waker::from(Arc::clone(&self))) {
            *self.answer.lock().unwrap() = Some(answer);
        }
    }
}

#[test]
fn a_waker_may_poll_its_task() {
    in_all_ways(|has_thread, sends| {
        let tasks = Arc::new(Tasks::new(has_thread));
        let (sender, mut task) = task(&tasks);
        let polls = Arc::new(Polls { task: Mutex::default(), answer: Mutex::default() });
        assert!(poll(&mut task, &Waker::from(Arc::clone(&polls))).is_pending());
        *polls.task.lock().unwrap() = Some(task);
        let expected = answer(&tasks, sender, sends, has_thread);
        assert_eq!(polls.answer.lock().unwrap().take().unwrap().unwrap(), expected);
    });
}

/// Drops its task when it is called, and with it the receiver and the slot.
#[derive(Default)]
struct Drops(Mutex<Option<Task>>);

impl Wake for Drops {
    fn wake(self: Arc<Self>) {
        drop(self.0.lock().unwrap().take().unwrap());
    }
}

#[test]
fn a_waker_may_drop_its_task() {
    in_all_ways(|has_thread, sends| {
        let tasks = Arc::new(Tasks::new(has_thread));
        let (sender, mut task) = task(&tasks);
        let drops = Arc::new(Drops::default());
        assert!(poll(&mut task, &Waker::from(Arc::clone(&drops))).is_pending());
        *drops.0.lock().unwrap() = Some(task);
        answer(&tasks, sender, sends, has_thread);
        assert!(drops.0.lock().unwrap().is_none());
        assert!(!tasks.has_signalled());
        // The list of tasks is consistent: another task is served.
        let counts = Arc::new(Counts::default());
        let (sender, mut task) = self::task(&tasks);
        assert!(poll(&mut task, &Waker::from(Arc::clone(&counts))).is_pending());
        answer(&tasks, sender, sends, has_thread);
        assert_eq!(counts.get(), 1);
    });
}

struct Panics;

impl Wake for Panics {
    fn wake(self: Arc<Self>) {
        resume_unwind(Box::new("a waker that panics"));
    }
}

/// A waker's panic is caught, others are woken, and its task can still be polled.
#[test]
fn a_waker_may_panic() {
    in_all_ways(|has_thread, sends| {
        let tasks = Arc::new(Tasks::new(has_thread));
        let (counts, panics) = (Arc::new(Counts::default()), Waker::from(Arc::new(Panics)));
        let (first, mut panicking) = task(&tasks);
        let (second, mut other) = task(&tasks);
        assert!(poll(&mut panicking, &panics).is_pending());
        assert!(poll(&mut other, &Waker::from(Arc::clone(&counts))).is_pending());
        // If a thread polls, it wakes both at once.
        let expected = if sends {
            first.send(7);
            second.send(7);
            Some(7)
        } else {
            drop(first);
            drop(second);
            None
        };
        if has_thread {
            assert!(tasks.wake_signalled());
        }
        assert_eq!(counts.get(), 1);
        for mut task in [panicking, other] {
            match poll(&mut task, Waker::noop()) {
                Poll::Ready(answer) => assert_eq!(answer.unwrap(), expected),
                Poll::Pending => panic!("its answer is lost"),
            }
        }
    });
}

/// Registers a task when it is dropped, which would never end under the lock of the tasks.
struct RegistersWhenDropped {
    tasks: Arc<Tasks>,
    dropped: mpsc::Sender<()>,
}

impl Wake for RegistersWhenDropped {
    fn wake(self: Arc<Self>) {}
}

impl Drop for RegistersWhenDropped {
    fn drop(&mut self) {
        drop(self.tasks.register());
        self.dropped.send(()).unwrap();
    }
}

#[test]
fn wakers_are_dropped_with_nothing_locked() {
    in_all_ways(|has_thread, sends| {
        let tasks = Arc::new(Tasks::new(has_thread));
        let (dropped, drops) = mpsc::channel();
        let waker = || {
            let (tasks, dropped) = (Arc::clone(&tasks), dropped.clone());
            Waker::from(Arc::new(RegistersWhenDropped { tasks, dropped }))
        };
        // The waker is dropped because another one replaces it.
        let (sender, mut task) = task(&tasks);
        assert!(poll(&mut task, &waker()).is_pending());
        assert!(poll(&mut task, &waker()).is_pending());
        drops.recv().unwrap();
        // The waker is dropped after it is called.
        answer(&tasks, sender, sends, has_thread);
        drops.recv().unwrap();
        // The waker is dropped with its task.
        let (_sender, mut task) = self::task(&tasks);
        assert!(poll(&mut task, &waker()).is_pending());
        drop(task);
        drops.recv().unwrap();
    });
}

// ---- who wakes ----------------------------------------------------------------------------------

#[test]
fn the_polling_thread_wakes_where_there_is_one() {
    for sends in [true, false] {
        let tasks = Arc::new(Tasks::new(true));
        let counts = Arc::new(Counts::default());
        let (sender, mut task) = task(&tasks);
        assert!(poll(&mut task, &Waker::from(Arc::clone(&counts))).is_pending());
        assert!(!tasks.has_signalled() && !tasks.wake_signalled());
        answer(&tasks, sender, sends, false);
        assert_eq!(counts.get(), 0, "wgpu may call back under any lock");
        assert!(tasks.has_signalled() && tasks.wake_signalled());
        assert_eq!(counts.get(), 1);
        assert!(!tasks.has_signalled() && !tasks.wake_signalled());
    }
}

#[test]
fn the_sender_wakes_where_no_thread_polls() {
    for sends in [true, false] {
        let tasks = Arc::new(Tasks::new(false));
        let counts = Arc::new(Counts::default());
        let (sender, mut task) = task(&tasks);
        let (other_sender, mut other) = self::task(&tasks);
        let others = Arc::new(Counts::default());
        assert!(poll(&mut task, &Waker::from(Arc::clone(&counts))).is_pending());
        assert!(poll(&mut other, &Waker::from(Arc::clone(&others))).is_pending());
        answer(&tasks, sender, sends, false);
        assert_eq!((counts.get(), others.get()), (1, 0));
        drop(other_sender);
        assert_eq!((counts.get(), others.get()), (1, 1));
    }
}

/// The task waits twice, as a readback does that first waits for the device and then for a mapping.
#[test]
fn a_task_that_waits_again_wakes_the_thread() {
    let tasks = Arc::new(Tasks::new(true));
    let lost = LostFlag::default();
    let registration = tasks.register();
    let (sender, receiver) = channel::for_task(&registration);
    let mut first = pin!(receiver.recv(&registration, &lost));
    let mut task = Context::from_waker(Waker::noop());
    assert!(first.as_mut().poll(&mut task).is_pending());
    sender.send(7);
    assert!(tasks.wake_signalled());

    let (found, finds) = mpsc::channel();
    let thread = Arc::clone(&tasks);
    std::thread::spawn(move || found.send(thread.wait_for_one()));
    std::thread::sleep(Duration::from_millis(50));
    assert!(finds.try_recv().is_err(), "the only task has its answer");
    assert!(matches!(first.as_mut().poll(&mut task), Poll::Ready(Ok(Some(7)))));
    let (_sender, receiver) = channel::for_task::<u32>(&registration);
    let mut second = pin!(receiver.recv(&registration, &lost));
    assert!(second.as_mut().poll(&mut task).is_pending());
    assert_eq!(finds.recv_timeout(Duration::from_secs(20)), Ok(true));
}

/// Answers come at any point of a poll, and each task is woken for its own.
#[test]
fn no_wake_is_lost() {
    const ROUNDS: u32 = 2000;

    in_all_ways(|has_thread, sends| {
        let tasks = Arc::new(Tasks::new(has_thread));
        let thread = has_thread.then(|| {
            let tasks = Arc::clone(&tasks);
            std::thread::spawn(move || {
                while tasks.wait_for_one() {
                    if !tasks.wake_signalled() {
                        tasks.pause(Duration::from_millis(1));
                    }
                }
            })
        });
        let (senders, sent) = mpsc::channel::<Sender<u32>>();
        let callbacks = std::thread::spawn(move || {
            for sender in sent {
                if sends {
                    sender.send(7);
                }
            }
        });
        for _ in 0..ROUNDS {
            let (sender, task) = task(&tasks);
            senders.send(sender).unwrap();
            assert_eq!(pollster::block_on(task).unwrap(), sends.then_some(7));
        }
        drop(senders);
        callbacks.join().unwrap();
        tasks.stop();
        if let Some(thread) = thread {
            thread.join().unwrap();
        }
    });
}

// ---- answers ------------------------------------------------------------------------------------

#[test]
fn an_answer_is_received_once() {
    let (sender, receiver) = channel::for_thread();
    assert_eq!(receiver.try_recv(), Poll::Pending);
    assert_eq!(receiver.try_recv(), Poll::Pending);
    sender.send(7);
    assert_eq!(receiver.try_recv(), Poll::Ready(Some(7)));
    assert_eq!(receiver.try_recv(), Poll::Ready(None));

    let (sender, receiver) = channel::for_thread::<u32>();
    drop(sender);
    assert_eq!(receiver.try_recv(), Poll::Ready(None));
    // Nothing receives the answer.
    let (sender, receiver) = channel::for_thread();
    drop(receiver);
    sender.send(7);
}

/// The error is returned even if an answer is there, since a lost device may send a false one.
#[test]
fn a_lost_device_is_an_error() {
    let tasks = Arc::new(Tasks::new(true));
    let (lost, counts) = (LostFlag::default(), Arc::new(Counts::default()));
    let registration = tasks.register();
    let (sender, receiver) = channel::for_task::<u32>(&registration);
    let waker = Waker::from(Arc::clone(&counts));
    let mut task = Context::from_waker(&waker);
    let mut receiving = pin!(receiver.recv(&registration, &lost));
    assert!(receiving.as_mut().poll(&mut task).is_pending());
    lost.set("by a test");
    tasks.wake_all();
    assert_eq!(counts.get(), 1);
    sender.send(7);
    let received = receiving.as_mut().poll(&mut task);
    assert!(matches!(received, Poll::Ready(Err(DeviceError::Lost { .. }))));
}
