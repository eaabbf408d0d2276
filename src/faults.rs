//! Polls that fail. wgpu panics in `Device::poll` on some errors of the device, which no device here
//! makes at will; so they are made up at the one place that polls. What follows is to be the same as
//! after any other loss: an error, told at once, to whoever waits.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::task::Waker;
use std::time::Duration;

use crate::{Array, Context, DeviceError, Error, Result, wgpu};

/// How many of the next polls panic, as wgpu's do.
#[derive(Debug, Default)]
pub(crate) struct Fault(AtomicUsize);

const FOR_EVER: usize = usize::MAX;

impl Fault {
    fn set(&self, polls: usize) {
        self.0.store(polls, Ordering::SeqCst);
    }

    pub(crate) fn strike(&self) {
        let left = |polls: usize| match polls {
            FOR_EVER => Some(FOR_EVER),
            polls => polls.checked_sub(1),
        };
        if self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, left).is_ok() {
            // Without a message from the hook, of which there would be many.
            std::panic::resume_unwind(Box::new("Error in Device::poll: Parent device is lost"));
        }
    }
}

/// One that computes nothing, and whatever adapter there is.
fn contexts() -> [Context; 2] {
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    [Context::from_device(device, queue).unwrap(), Context::blocking().unwrap()]
}

/// Fails instead of hanging.
#[track_caller]
fn at_once<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(work()));
    match receiver.recv_timeout(Duration::from_secs(60)) {
        Ok(answer) => answer,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("it hangs"),
        Err(mpsc::RecvTimeoutError::Disconnected) => panic!("it failed, as told above"),
    }
}

#[track_caller]
fn is_lost<T>(result: Result<T>) {
    match result {
        Err(Error::Device(DeviceError::Lost { .. })) => (),
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("no error"),
    }
}

/// 3 elements, recorded and not submitted.
fn sum(gpu: &Context) -> Array<f32> {
    let x = gpu.array([3], &[1.0f32, 2.0, 3.0]).unwrap();
    (&x + &x).eval().unwrap()
}

/// A new context has no part in it, and the lost one says so without polling.
fn ends(gpu: &Context, sum: &Array<f32>) {
    gpu.inner.device.fault.set(0);
    is_lost(gpu.array([1], &[1.0f32]));
    is_lost(sum.to_vec_blocking());
    is_lost(pollster::block_on(sum.to_vec()));
    is_lost(gpu.wait());
    let new = Context::blocking().unwrap();
    assert_eq!(self::sum(&new).to_vec_blocking().unwrap(), [2.0, 4.0, 6.0]);
}

#[test]
fn a_blocking_reading_ends() {
    for gpu in contexts() {
        at_once(move || {
            let sum = sum(&gpu);
            gpu.inner.device.fault.set(FOR_EVER);
            is_lost(sum.to_vec_blocking());
            ends(&gpu, &sum);
        });
    }
}

#[test]
fn waiting_ends() {
    for gpu in contexts() {
        at_once(move || {
            let sum = sum(&gpu);
            gpu.inner.device.fault.set(FOR_EVER);
            is_lost(gpu.wait());
            ends(&gpu, &sum);
        });
    }
}

#[test]
fn an_upload_that_polls_ends() {
    for gpu in contexts() {
        at_once(move || {
            let sum = sum(&gpu);
            drop(gpu.array([3], &[0.0f32; 3]).unwrap());
            gpu.wait().unwrap();
            gpu.inner.device.fault.set(FOR_EVER);
            // One that maps a recycled buffer polls; others hear of it later.
            if gpu.inner.pool.mappable {
                is_lost(gpu.array([3], &[0.0f32; 3]));
            } else {
                gpu.array([3], &[0.0f32; 3]).unwrap();
                is_lost(gpu.wait());
            }
            ends(&gpu, &sum);
        });
    }
}

#[test]
fn a_self_check_ends() {
    let gpu = Context::blocking().unwrap();
    at_once(move || {
        // Its contexts are its own, and share the knowledge of the loss only.
        let sum = sum(&gpu);
        gpu.inner.device.fault.set(FOR_EVER);
        is_lost(sum.to_vec_blocking());
        is_lost(gpu.self_check_blocking());
        is_lost(pollster::block_on(gpu.self_check()));
    });
}

/// The thread that polls finds it, and wakes everybody.
#[test]
fn futures_end() {
    for gpu in contexts() {
        at_once(move || {
            let sum = sum(&gpu);
            gpu.inner.device.fault.set(FOR_EVER);
            std::thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| is_lost(pollster::block_on(sum.to_vec())));
                }
            });
            ends(&gpu, &sum);
        });
    }
}

/// It fails while futures wait already.
#[test]
fn futures_under_way_end() {
    for gpu in contexts() {
        at_once(move || {
            let sum = sum(&gpu);
            // Nothing is heard while the fault lasts, so that they are under way for sure.
            gpu.inner.device.fault.set(FOR_EVER);
            type Reading<'a> = Pin<Box<dyn Future<Output = Result<Vec<f32>>> + 'a>>;
            let mut readings: Vec<Reading<'_>> =
                (0..8).map(|_| Box::pin(sum.to_vec()) as Reading<'_>).collect();
            let mut task = std::task::Context::from_waker(Waker::noop());
            for reading in &mut readings {
                let _ = reading.as_mut().poll(&mut task);
            }
            for reading in readings {
                is_lost(pollster::block_on(reading));
            }
            ends(&gpu, &sum);
        });
    }
}

/// Also while the thread that polls is panicking over and over.
#[test]
fn the_context_ends() {
    for gpu in contexts() {
        at_once(move || {
            let sum = sum(&gpu);
            gpu.inner.device.fault.set(FOR_EVER);
            let mut reading = Box::pin(sum.to_vec());
            let mut task = std::task::Context::from_waker(Waker::noop());
            let _ = reading.as_mut().poll(&mut task);
            drop(reading);
            drop(sum);
            drop(gpu);
        });
    }
}

/// wgpu also panics where a wait times out while another thread finds the queue empty: then the next
/// poll goes well, and nothing is lost.
#[test]
fn a_single_panic_is_no_loss() {
    for gpu in contexts() {
        at_once(move || {
            let sum = sum(&gpu);
            let computes = gpu.adapter_info().backend != wgpu::Backend::Noop;
            for round in 0..20 {
                gpu.inner.device.fault.set(1);
                let read = match round % 2 {
                    0 => sum.to_vec_blocking(),
                    _ => pollster::block_on(sum.to_vec()),
                };
                assert!(!computes || read.unwrap() == [2.0, 4.0, 6.0]);
                gpu.inner.device.fault.set(1);
                gpu.wait().unwrap();
            }
        });
    }
}

/// The panic does not leave a lock behind that nobody can take.
#[test]
fn other_threads_hear_of_it() {
    for gpu in contexts() {
        at_once(move || {
            let sum = sum(&gpu);
            std::thread::scope(|scope| {
                for number in 0..8 {
                    let (gpu, sum) = (&gpu, &sum);
                    scope.spawn(move || {
                        for round in 0.. {
                            if number == 0 && round == 20 {
                                gpu.inner.device.fault.set(FOR_EVER);
                            }
                            let done = match number % 4 {
                                0 => sum.to_vec_blocking().map(drop),
                                1 => pollster::block_on(sum.to_vec()).map(drop),
                                2 => gpu
                                    .array([3], &[1.0f32; 3])
                                    .and_then(|x| (&x * 2.0).eval()?.to_vec_blocking().map(drop)),
                                _ => gpu.wait(),
                            };
                            if done.is_err() {
                                break is_lost(done);
                            }
                        }
                    });
                }
            });
            ends(&gpu, &sum);
        });
    }
}
