//! Tests the loss of a device at every point of its use.

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Poll, Waker};

use indim::{Array, Context, Error, Result, wgpu};

use super::entrances::World;
use super::{at_once, computes, foreign, is_lost, lost, noop, own, slow, values, works};

/// Says how a device is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Way {
    /// `wgpu::Device::destroy`; the context's callback is called.
    Destroyed,
    /// The same on a caller-owned device, whose callback passes it on.
    DestroyedAndTold,
    /// The caller says so.
    Told,
}

impl Way {
    fn prepare(self, gpu: &Context) {
        if self == Self::DestroyedAndTold {
            let told = gpu.clone();
            gpu.device()
                .set_device_lost_callback(move |why, _| told.notify_lost(&format!("{why:?}")));
        }
    }

    fn lose(self, gpu: &Context) {
        match self {
            Self::Destroyed | Self::DestroyedAndTold => gpu.device().destroy(),
            Self::Told => gpu.notify_lost("unplugged"),
        }
    }
}

/// Each device with each way that there is to lose it.
fn devices() -> Vec<(Context, Way)> {
    vec![
        (noop(), Way::Told),
        (noop(), Way::DestroyedAndTold),
        (own(), Way::Told),
        (own(), Way::Destroyed),
        (foreign(), Way::Told),
        (foreign(), Way::DestroyedAndTold),
    ]
}

/// Calls `work` with a function that loses its device; afterwards everything is refused, and a new
/// context works.
#[track_caller]
fn at(point: &str, work: impl Fn(&World, &dyn Fn()) + Send + Sync + Copy + 'static) {
    for (gpu, way) in devices() {
        let told = format!("{point}: {way:?}, {}", gpu.adapter_info().backend);
        println!("{told}");
        way.prepare(&gpu);
        let world = World::new(&gpu).unwrap();
        let of_work = world.clone();
        at_once(move || work(&of_work, &|| way.lose(&of_work.gpu)));
        // wgpu reports it when it is polled and the queue is empty.
        let waits = world.gpu.clone();
        at_once(move || while waits.wait().is_ok() {});
        world.refuses_everything();
        works(&if computes(&gpu) { own() } else { noop() });
    }
}

/// An answer of the time of the loss: right, or the loss.
fn right_or_lost(world: &World, read: Result<Vec<f32>>, want: &[f32]) {
    match read {
        Ok(values) => assert!(!computes(&world.gpu) || values == want, "{values:?}"),
        Err(error) => assert!(is_lost(&error), "{error}"),
    }
}

/// Whether the loss is reported or not, reading after it is an error.
fn not_read(read: Result<Vec<f32>>) {
    lost(read);
}

const SUM: [f32; 4] = [2.0, 4.0, 6.0, 8.0];

#[test]
fn every_operation_is_refused() {
    for (gpu, way) in [(noop(), Way::Told), (own(), Way::Destroyed)] {
        let world = World::new(&gpu).unwrap();
        way.lose(&gpu);
        at_once(move || while gpu.wait().is_ok() {});
        world.refuses_everything();
        world.refuses_every_operation();
    }
}

#[test]
fn before_an_upload() {
    at("before an upload", |world, lose| {
        lose();
        // The loss is reported now, or when the array is read.
        match world.gpu.array([2], &[1.0f32, 2.0]) {
            Ok(array) => not_read(array.to_vec_blocking()),
            Err(error) => assert!(is_lost(&error), "{error}"),
        }
    });
}

#[test]
fn during_uploads() {
    at("during uploads", |world, lose| {
        let begun = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let uploads = scope.spawn(|| {
                let data = vec![1.0f32; 200_000];
                // As many as needed: the first that polls reports the loss.
                loop {
                    let read = world.gpu.array([200_000], &data).and_then(|a| a.to_vec_blocking());
                    begun.store(true, Ordering::Release);
                    let ended = read.is_err();
                    right_or_lost(world, read, &data);
                    if ended {
                        break;
                    }
                }
            });
            while !begun.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
            lose();
            uploads.join().unwrap();
        });
    });
}

#[test]
fn after_an_upload() {
    at("after an upload", |world, lose| {
        let array = world.gpu.array([2], &[1.0f32, 2.0]).unwrap();
        lose();
        not_read(array.to_vec_blocking());
    });
}

#[test]
fn between_an_operation_and_its_submission() {
    at("between an operation and its submission", |world, lose| {
        let sum = (&world.x + 3.0).eval().unwrap();
        lose();
        not_read(sum.to_vec_blocking());
    });
}

#[test]
fn after_the_submission() {
    at("after the submission", |world, lose| {
        let sum = (&world.x + 3.0).eval().unwrap();
        world.gpu.flush().unwrap();
        lose();
        not_read(pollster::block_on(sum.to_vec()));
    });
}

#[test]
fn while_work_runs() {
    at("while work runs", |world, lose| {
        let x = world.gpu.array([1 << 16], &vec![1.0f32; 1 << 16]).unwrap();
        let slow = slow(&x);
        world.gpu.flush().unwrap();
        lose();
        not_read(slow.to_vec_blocking());
    });
}

#[test]
fn while_a_reading_is_awaited() {
    at("while a reading is awaited", |world, lose| {
        let x = world.gpu.array([1 << 16], &vec![1.0f32; 1 << 16]).unwrap();
        let want = values(&slow(&x));
        let slow = slow(&x);
        let mut reading = Box::pin(slow.to_vec());
        let mut task = std::task::Context::from_waker(Waker::noop());
        let first = reading.as_mut().poll(&mut task);
        lose();
        // The bytes may have been there just before.
        if first.is_pending() {
            right_or_lost(world, pollster::block_on(reading), &want);
        }
    });
}

#[test]
fn while_threads_wait() {
    at("while threads wait", |world, lose| {
        let x = world.gpu.array([1 << 16], &vec![1.0f32; 1 << 16]).unwrap();
        let slow = slow(&x);
        let sum = &world.sum;
        let begun = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..6)
                .map(|number| {
                    let (slow, begun) = (&slow, &begun);
                    scope.spawn(move || {
                        begun.store(true, Ordering::Release);
                        match number {
                            0 => right_or_lost(world, sum.to_vec_blocking(), &SUM),
                            1 => right_or_lost(world, pollster::block_on(sum.to_vec()), &SUM),
                            2 => drop(slow.to_vec_blocking()),
                            3 => drop(pollster::block_on(slow.to_vec())),
                            4 => drop(world.gpu.wait()),
                            _ => drop(slow.buffer()),
                        }
                    })
                })
                .collect();
            while !begun.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
            lose();
            for thread in threads {
                thread.join().unwrap();
            }
        });
    });
}

#[test]
fn while_a_kernel_is_compiled() {
    at("while a kernel is compiled", |world, lose| {
        let begun = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let compiling = scope.spawn(|| {
                for ops in 0.. {
                    // A new kernel each time.
                    let long = (0..ops).fold(world.x.expr(), |long, _| long.sin());
                    begun.store(true, Ordering::Release);
                    if let Err(error) = long.eval().and_then(|array| array.to_vec_blocking()) {
                        assert!(is_lost(&error), "{error}");
                        break;
                    }
                }
            });
            while !begun.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
            lose();
            compiling.join().unwrap();
        });
    });
}

#[test]
fn during_a_self_check() {
    at("during a self-check", |world, lose| {
        let begun = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let checking = scope.spawn(|| {
                begun.store(true, Ordering::Release);
                if let Err(error) = indim_self_check::check_blocking(&world.gpu) {
                    assert!(is_lost(&error), "{error}");
                }
            });
            while !begun.load(Ordering::Acquire) {
                std::thread::yield_now();
            }
            lose();
            checking.join().unwrap();
        });
    });
}

#[test]
fn before_a_caller_owned_buffer_is_taken() {
    at("before a caller-owned buffer is taken", |world, lose| {
        let buffer = world.gpu.device().create_buffer(&wgpu::BufferDescriptor {
            label: None,
            size: 16,
            usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC,
            mapped_at_creation: false,
        });
        lose();
        let array = world.gpu.array_from_buffer::<f32>([4], buffer, 0);
        match array {
            Ok(array) => not_read(array.to_vec_blocking()),
            Err(error) => assert!(is_lost(&error), "{error}"),
        }
    });
}

/// The calls of a context on a device that is already lost report the loss.
#[test]
fn a_context_on_a_lost_device() {
    for gpu in [noop(), foreign()] {
        let (device, queue) = (gpu.device().clone(), gpu.queue().clone());
        device.destroy();
        at_once(move || {
            let read = Context::from_device(device, queue)
                .and_then(|late| late.array([1], &[1.0f32])?.to_vec_blocking());
            read.unwrap_err();
        });
        works(&own());
    }
}

/// Nothing that lives on refers to the lost device in a way that hurts: everything is dropped after
/// the loss, in any order.
#[test]
fn what_is_dropped_after_a_loss() {
    for (gpu, way) in devices() {
        way.prepare(&gpu);
        let world = World::new(&gpu).unwrap();
        at_once(move || {
            let array: Array<f32> = (&world.x * 2.0).eval().unwrap();
            let mut reading = Box::pin(array.to_vec());
            let mut task = std::task::Context::from_waker(Waker::noop());
            let _: Poll<Result<Vec<f32>, Error>> = reading.as_mut().poll(&mut task);
            way.lose(&gpu);
            drop(gpu);
            drop(reading);
            drop(world);
            drop(array);
        });
        works(&own());
    }
}
