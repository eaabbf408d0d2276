//! Tests foreign code that runs within our calls, and panics, calls back in, or does not return:
//! wakers, and callbacks of a device's owner, which wgpu runs in any submission and any poll.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context as Task, Wake, Waker};
use std::time::{Duration, Instant};

use indim::{Context, Result, wgpu};
use indim_testing::contexts::mappable_buffer;

use super::{at_once, foreign, iota, noop, own, slow, works};

fn contexts() -> [Context; 3] {
    [noop(), own(), foreign()]
}

type Reading = Pin<Box<dyn Future<Output = Result<Vec<f32>>> + Send>>;

/// A reading that takes a while.
fn reading(gpu: &Context) -> Reading {
    let x = gpu.array([1 << 14], &iota(1 << 14)).unwrap();
    let slow = slow(&x);
    Box::pin(async move { slow.to_vec().await })
}

#[track_caller]
fn until(done: impl Fn() -> bool) {
    let begun = Instant::now();
    while !done() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it hangs");
        std::thread::sleep(Duration::from_millis(1));
    }
}

// ---- wakers -------------------------------------------------------------------------------------

struct Panics(AtomicUsize);

impl Wake for Panics {
    fn wake(self: Arc<Self>) {
        self.0.fetch_add(1, Ordering::SeqCst);
        std::panic::resume_unwind(Box::new("a waker that panics"));
    }
}

/// Others are woken, and the thread that wakes them survives.
#[test]
fn a_waker_that_panics() {
    for gpu in contexts() {
        at_once(move || {
            let panics = Arc::new(Panics(AtomicUsize::new(0)));
            let waker = Waker::from(Arc::clone(&panics));
            let mut readings: Vec<Reading> = (0..4).map(|_| reading(&gpu)).collect();
            let pending = readings
                .iter_mut()
                .filter_map(|reading| {
                    reading.as_mut().poll(&mut Task::from_waker(&waker)).is_pending().then_some(())
                })
                .count();
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| pollster::block_on(reading(&gpu)).unwrap());
                }
            });
            until(|| panics.0.load(Ordering::SeqCst) >= pending);
            // A task that looks again, by another waker, is served.
            for reading in readings {
                let _ = catch_unwind(AssertUnwindSafe(|| pollster::block_on(reading)));
            }
            works(&gpu);
        });
    }
}

/// Runs its task in `wake`, at once, as some executors do: under one of our locks it would deadlock
/// with itself.
struct Inline {
    reading: Mutex<Option<Reading>>,
    read: AtomicBool,
}

impl Wake for Inline {
    fn wake(self: Arc<Self>) {
        // If nothing else is running it, it polls again by itself.
        if let Ok(mut slot) = self.reading.try_lock()
            && let Some(mut reading) = slot.take()
        {
            let waker = Waker::from(Arc::clone(&self));
            if reading.as_mut().poll(&mut Task::from_waker(&waker)).is_pending() {
                *slot = Some(reading);
            } else {
                self.read.store(true, Ordering::SeqCst);
            }
        }
    }
}

#[test]
fn a_waker_that_runs_its_task() {
    for gpu in contexts() {
        at_once(move || {
            let tasks: Vec<Arc<Inline>> = (0..4)
                .map(|_| {
                    let reading = Mutex::new(Some(reading(&gpu)));
                    Arc::new(Inline { reading, read: AtomicBool::new(false) })
                })
                .collect();
            for task in &tasks {
                Arc::clone(task).wake();
            }
            // Submissions of this thread also run wgpu's callbacks.
            until(|| {
                works(&gpu);
                for task in &tasks {
                    // One that was woken while it ran is not run again by itself.
                    Arc::clone(task).wake();
                }
                tasks.iter().all(|task| task.read.load(Ordering::SeqCst))
            });
        });
    }
}

/// Drops its task in `wake`, and with it the reading, its waker, and the context.
struct Drops {
    reading: Mutex<Option<Reading>>,
    gone: AtomicBool,
}

impl Wake for Drops {
    fn wake(self: Arc<Self>) {
        drop(self.reading.lock().unwrap().take());
        self.gone.store(true, Ordering::SeqCst);
    }
}

#[test]
fn a_waker_that_drops_its_task_and_the_context() {
    for gpu in contexts() {
        let task = Arc::new(Drops {
            reading: Mutex::new(Some(reading(&gpu))),
            gone: AtomicBool::new(false),
        });
        at_once(move || {
            let waker = Waker::from(Arc::clone(&task));
            let mut taken = task.reading.lock().unwrap().take().unwrap();
            let pending = taken.as_mut().poll(&mut Task::from_waker(&waker)).is_pending();
            *task.reading.lock().unwrap() = Some(taken);
            drop(gpu);
            // Its only owner of the context is the task now.
            if pending {
                until(|| task.gone.load(Ordering::SeqCst));
            }
            task.wake();
        });
        works(&own());
    }
}

/// A task that has moved to another executor leaves its waker behind.
struct PanicsWhenDropped;

impl Wake for PanicsWhenDropped {
    fn wake(self: Arc<Self>) {}
}

impl Drop for PanicsWhenDropped {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            std::panic::resume_unwind(Box::new("a waker that panics when dropped"));
        }
    }
}

#[test]
fn a_waker_that_panics_when_dropped() {
    for gpu in contexts() {
        at_once(move || {
            for _ in 0..10 {
                let mut reading = reading(&gpu);
                let polled = catch_unwind(AssertUnwindSafe(|| {
                    let waker = Waker::from(Arc::new(PanicsWhenDropped));
                    let _ = reading.as_mut().poll(&mut Task::from_waker(&waker));
                }));
                drop(polled);
                // Takes the other one's place.
                let _ = catch_unwind(AssertUnwindSafe(|| pollster::block_on(reading)));
                works(&gpu);
            }
        });
    }
}

// ---- callbacks of the device's owner ------------------------------------------------------------

/// A buffer of the device's owner, with work after which its callbacks are called.
fn mapped_with_a_panic(gpu: &Context) -> wgpu::Buffer {
    let buffer = mappable_buffer(gpu.device());
    buffer.map_async(wgpu::MapMode::Read, .., |_| {
        std::panic::resume_unwind(Box::new("the owner's callback"));
    });
    buffer
}

/// wgpu runs the callback in our submission or poll. The call that it breaks returns an error, and
/// the next call works.
#[test]
fn an_owners_callback_that_panics() {
    for gpu in contexts() {
        at_once(move || {
            let x = gpu.array([100], &iota(100)).unwrap();
            for round in 0..20 {
                let sum = (&x + 1.0).eval().unwrap();
                let theirs = mapped_with_a_panic(&gpu);
                let told = match round % 4 {
                    0 => gpu.flush(),
                    1 => gpu.wait(),
                    2 => sum.to_vec_blocking().map(drop),
                    _ => pollster::block_on(sum.to_vec()).map(drop),
                };
                if let Err(error) = told {
                    assert!(error.to_string().contains("the owner's callback"), "{error}");
                }
                drop(theirs);
                works(&gpu);
                // Either it is there, or an error gives the reason.
                match sum.to_vec_blocking() {
                    Ok(read) => assert!(!super::computes(&gpu) || read[99] == 100.0),
                    Err(error) => assert!(error.to_string().contains("callback"), "{error}"),
                }
            }
        });
    }
}

/// Maps a buffer whose callback maps another one in the same way, as often as `left` says, and then
/// panics: so one poll after the other panics. `done` becomes true with the last one.
fn panics_in_a_row(device: &wgpu::Device, left: usize, done: &Arc<AtomicBool>) {
    let buffer = mappable_buffer(device);
    let (device, kept, done) = (device.clone(), buffer.clone(), Arc::clone(done));
    buffer.map_async(wgpu::MapMode::Read, .., move |_| {
        if left > 0 {
            panics_in_a_row(&device, left - 1, &done);
        }
        done.store(left == 0, Ordering::Relaxed);
        drop(kept);
        std::panic::resume_unwind(Box::new("the owner's callback"));
    });
}

#[test]
fn owners_callbacks_that_panic_one_after_the_other() {
    for gpu in contexts() {
        at_once(move || {
            for left in [1, 5, 14] {
                let done = Arc::default();
                panics_in_a_row(gpu.device(), left, &done);
                // A wait may end before a mapping that was asked for meanwhile.
                while !done.load(Ordering::Relaxed) {
                    let _ = gpu.wait();
                }
                works(&gpu);
            }
            // That makes 16 polls that panic one after the other.
            panics_in_a_row(gpu.device(), 15, &Arc::default());
            super::lost(gpu.wait());
        });
    }
}

/// While others use the context.
#[test]
fn an_owners_callback_that_panics_on_another_thread() {
    for gpu in contexts() {
        at_once(move || {
            std::thread::scope(|scope| {
                let gpu = &gpu;
                scope.spawn(move || {
                    for _ in 0..100 {
                        let theirs = mapped_with_a_panic(gpu);
                        let _ = gpu.flush();
                        std::thread::yield_now();
                        // If the buffer was not mapped yet, wgpu calls back now.
                        let _ = catch_unwind(AssertUnwindSafe(|| drop(theirs)));
                    }
                });
                for _ in 0..2 {
                    scope.spawn(move || {
                        let x = gpu.array([100], &iota(100)).unwrap();
                        for _ in 0..200 {
                            match (&x + 1.0).eval().and_then(|sum| sum.to_vec_blocking()) {
                                Ok(read) => assert!(!super::computes(gpu) || read[99] == 100.0),
                                Err(error) => {
                                    assert!(error.to_string().contains("callback"), "{error}");
                                }
                            }
                        }
                    });
                }
            });
            works(&gpu);
        });
    }
}

/// A callback that calls the context: refused where a submission is under way, for it would wait
/// for itself; elsewhere it does what it asks.
#[test]
fn an_owners_callback_that_comes_back_in() {
    for gpu in contexts() {
        at_once(move || {
            let x = gpu.array([100], &iota(100)).unwrap();
            let called = Arc::new(AtomicUsize::new(0));
            for round in 0..40 {
                let sum = (&x + 1.0).eval().unwrap();
                let (inner, called) = (x.clone(), Arc::clone(&called));
                let theirs = mappable_buffer(gpu.device());
                theirs.map_async(wgpu::MapMode::Read, .., move |_| {
                    let done = match round % 5 {
                        0 => (&inner + 2.0).eval().map(drop),
                        1 => inner.to_vec_blocking().map(drop),
                        2 => (&inner * 3.0).eval().and_then(|x| x.buffer()).map(drop),
                        3 => inner.context().array([3], &iota(3)).map(drop),
                        _ => inner.context().wait(),
                    };
                    called.fetch_add(1, Ordering::SeqCst);
                    if let Err(error) = done {
                        assert!(error.to_string().contains("callback"), "{error}");
                    }
                });
                match round / 5 % 4 {
                    0 => gpu.flush().unwrap(),
                    1 => gpu.wait().unwrap(),
                    2 => drop(sum.to_vec_blocking().unwrap()),
                    _ => drop((0..200).fold(sum.clone(), |sum, _| (&sum + 1.0).eval().unwrap())),
                }
                gpu.wait().unwrap();
                works(&gpu);
            }
            assert_eq!(called.load(Ordering::SeqCst), 40);
        });
    }
}

/// The callback for the loss is also the owner's.
#[test]
fn an_owners_loss_callback_that_panics() {
    for gpu in [noop(), foreign()] {
        at_once(move || {
            let told = gpu.clone();
            gpu.device().set_device_lost_callback(move |_, _| {
                told.notify_lost("it told, and panicked");
                std::panic::resume_unwind(Box::new("the owner's callback"));
            });
            let x = gpu.array([100], &iota(100)).unwrap();
            gpu.device().destroy();
            super::lost(x.to_vec_blocking());
            super::lost(gpu.wait());
            super::lost(gpu.flush());
        });
    }
}

/// A thread that panics with arrays in its hands, in the middle of what it was doing.
#[test]
fn a_thread_that_panics() {
    for gpu in contexts() {
        at_once(move || {
            let x = gpu.array([100], &iota(100)).unwrap();
            std::thread::scope(|scope| {
                for number in 0..8 {
                    let (gpu, x) = (&gpu, &x);
                    scope.spawn(move || {
                        for round in 0..20 {
                            let died = catch_unwind(AssertUnwindSafe(|| {
                                let sum = (x + round as f32).eval().unwrap();
                                let _more = (&sum * 2.0).eval().unwrap();
                                let mut reading = Box::pin(sum.to_vec());
                                let mut task = Task::from_waker(Waker::noop());
                                let _ = reading.as_mut().poll(&mut task);
                                std::panic::resume_unwind(Box::new(number));
                            }));
                            assert!(died.is_err());
                            let read = super::values(&(x + 1.0).eval().unwrap());
                            assert!(!super::computes(gpu) || read[99] == 100.0);
                        }
                    });
                }
            });
            works(&gpu);
        });
    }
}
