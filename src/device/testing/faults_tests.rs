//! Tests polls and mappings that fail. They end as any other loss does: every wait returns an
//! error, at once.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::task::Waker;
use std::time::Duration;

use super::faults::FOR_EVER;
use crate::{Array, Context, DeviceError, Error, Result, wgpu};

/// Returns a context that computes nothing, and one on whatever adapter there is.
fn contexts() -> [Context; 2] {
    let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
    [Context::from_device(device, queue).unwrap(), Context::blocking().unwrap()]
}

/// Runs `work` and fails if it takes too long, instead of hanging.
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

/// Returns an array of 3 elements whose commands are recorded and not submitted.
fn sum(gpu: &Context) -> Array<f32> {
    let x = gpu.array([3], &[1.0f32, 2.0, 3.0]).unwrap();
    (&x + &x).eval().unwrap()
}

/// Checks that a new context works, and that the lost one reports its loss without polling.
fn ends(gpu: &Context, sum: &Array<f32>) {
    gpu.gpu().device.fault.set(0);
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
            gpu.gpu().device.fault.set(FOR_EVER);
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
            gpu.gpu().device.fault.set(FOR_EVER);
            is_lost(gpu.wait());
            ends(&gpu, &sum);
        });
    }
}

#[test]
fn an_upload_ends() {
    for gpu in contexts() {
        at_once(move || {
            let sum = sum(&gpu);
            drop(gpu.array([3], &[0.0f32; 3]).unwrap());
            gpu.wait().unwrap();
            gpu.gpu().device.fault.set(FOR_EVER);
            is_lost(gpu.array([3], &[0.0f32; 3]));
            ends(&gpu, &sum);
        });
    }
}

#[test]
fn a_calibration_ends() {
    let gpu = Context::blocking().unwrap();
    at_once(move || {
        let sum = sum(&gpu);
        gpu.gpu().device.fault.set(FOR_EVER);
        is_lost(sum.to_vec_blocking());
        is_lost(pollster::block_on(gpu.calibrate()));
    });
}

/// The thread that polls finds it, and wakes everybody.
#[test]
fn futures_end() {
    for gpu in contexts() {
        at_once(move || {
            let sum = sum(&gpu);
            gpu.gpu().device.fault.set(FOR_EVER);
            std::thread::scope(|scope| {
                for _ in 0..8 {
                    scope.spawn(|| is_lost(pollster::block_on(sum.to_vec())));
                }
            });
            ends(&gpu, &sum);
        });
    }
}

/// The poll fails while futures wait already.
#[test]
fn futures_under_way_end() {
    let [_, gpu] = contexts();
    at_once(move || {
        let x = gpu.array([1 << 18], &[1.0f32; 1 << 18]).unwrap();
        let mut slow = x.clone();
        for _ in 0..30 {
            slow = slow.tan().tan().eval().unwrap();
        }
        let mut readings: Vec<Pin<Box<_>>> = (0..8).map(|_| Box::pin(slow.to_vec())).collect();
        let mut task = std::task::Context::from_waker(Waker::noop());
        readings.retain_mut(|reading| reading.as_mut().poll(&mut task).is_pending());
        // On OpenGL a readback waits for the device.
        let waits = gpu.adapter_info().backend == wgpu::Backend::Gl;
        assert!(waits || !readings.is_empty(), "all were read at once");
        gpu.gpu().device.fault.set(FOR_EVER);
        if readings.is_empty() {
            is_lost(gpu.wait());
        }
        for reading in readings {
            // A readback that already has its answer must also fail.
            is_lost(pollster::block_on(reading));
        }
        ends(&gpu, &slow);
    });
}

/// Contexts end also while the thread that polls panics again and again.
#[test]
fn the_context_ends() {
    for gpu in contexts() {
        at_once(move || {
            let sum = sum(&gpu);
            gpu.gpu().device.fault.set(FOR_EVER);
            let mut reading = Box::pin(sum.to_vec());
            let mut task = std::task::Context::from_waker(Waker::noop());
            let _ = reading.as_mut().poll(&mut task);
            drop(reading);
            drop(sum);
            drop(gpu);
        });
    }
}

/// A callback of the device's owner may panic in a poll: then the next one succeeds, and nothing is
/// lost.
#[test]
fn a_single_panic_is_no_loss() {
    for gpu in contexts() {
        at_once(move || {
            let sum = sum(&gpu);
            let computes = gpu.adapter_info().backend != wgpu::Backend::Noop;
            for round in 0..20 {
                gpu.gpu().device.fault.set(1);
                let read = match round % 2 {
                    0 => sum.to_vec_blocking(),
                    _ => pollster::block_on(sum.to_vec()),
                };
                assert!(!computes || read.unwrap() == [2.0, 4.0, 6.0]);
                gpu.gpu().device.fault.set(1);
                gpu.wait().unwrap();
            }
        });
    }
}

/// The panic leaves no lock behind that cannot be taken.
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
                                gpu.gpu().device.fault.set(FOR_EVER);
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
                                is_lost(done);
                                break;
                            }
                        }
                    });
                }
            });
            ends(&gpu, &sum);
        });
    }
}

/// Another thread that polls is in the middle of mapping what a probe asks for.
#[test]
fn a_probe_while_another_thread_polls() {
    let [gpu, _] = contexts();
    at_once(move || {
        let probes = std::sync::atomic::AtomicBool::new(true);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while probes.load(Ordering::SeqCst) {
                    gpu.device().poll(wgpu::PollType::Poll).unwrap();
                }
            });
            let found = (0..100_000).try_for_each(|_| gpu.gpu().device.probe());
            probes.store(false, Ordering::SeqCst);
            found.unwrap();
        });
    });
}

// ---- mappings -----------------------------------------------------------------------------------

/// Returns a result that is read back through staging: its buffer was exported.
fn exported(gpu: &Context) -> Array<f32> {
    let sum = sum(gpu);
    sum.buffer().unwrap();
    sum
}

fn read(array: &Array<f32>, awaited: bool) -> Result<Vec<f32>> {
    if awaited { pollster::block_on(array.to_vec()) } else { array.to_vec_blocking() }
}

#[test]
fn a_mapping_that_fails_is_an_error() {
    for gpu in contexts() {
        at_once(move || {
            let sum = exported(&gpu);
            let computes = gpu.adapter_info().backend != wgpu::Backend::Noop;
            for awaited in [false, true] {
                gpu.gpu().device.fault.mappings.store(1, Ordering::SeqCst);
                let error = read(&sum, awaited).unwrap_err();
                let said = error.to_string();
                assert!(said.contains("mapping a buffer"), "{said}");
                assert!(!matches!(error, Error::Device(DeviceError::Lost { .. })), "{said}");
                let again = read(&sum, awaited).unwrap();
                assert!(!computes || again == [2.0, 4.0, 6.0]);
            }
        });
    }
}

/// A readback whose callback is dropped is begun again, a few times.
#[test]
fn a_callback_that_is_dropped() {
    for gpu in contexts() {
        at_once(move || {
            let sum = exported(&gpu);
            let computes = gpu.adapter_info().backend != wgpu::Backend::Noop;
            for awaited in [false, true] {
                gpu.gpu().device.fault.callbacks.store(2, Ordering::SeqCst);
                let values = read(&sum, awaited).unwrap();
                assert!(!computes || values == [2.0, 4.0, 6.0]);
                gpu.gpu().device.fault.callbacks.store(FOR_EVER, Ordering::SeqCst);
                let error = read(&sum, awaited).unwrap_err();
                assert!(error.to_string().contains("callback"), "{error}");
                gpu.gpu().device.fault.callbacks.store(0, Ordering::SeqCst);
            }
        });
    }
}
