//! Tests buffers that another owner destroys or maps: reading the arrays in them, and arrays
//! computed from those, is an error, and nothing else is.

use indim::{Array, ArrayError, Context, ContextOptions, DeviceError, Error, Result, wgpu};
use indim_testing::not_tested;

use super::{alone, at_once, computes, foreign, iota, noop, own, values, works};

fn buffer(gpu: &Context, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: 400,
        usage: usage | wgpu::BufferUsages::STORAGE,
        mapped_at_creation: false,
    });
    gpu.queue().write_buffer(&buffer, 0, bytemuck::cast_slice(&iota(100)));
    buffer
}

const COPIED: wgpu::BufferUsages = wgpu::BufferUsages::COPY_SRC.union(wgpu::BufferUsages::COPY_DST);

#[track_caller]
fn refused<T: std::fmt::Debug>(result: Result<T>, word: &str) {
    match result.unwrap_err() {
        Error::Device(DeviceError::Wgpu { what, reason }) => {
            assert!(reason.contains(word), "{what}: {reason}");
        }
        other => panic!("{other}"),
    }
}

#[track_caller]
fn right(gpu: &Context, array: &Array<f32>, last: f32) {
    for read in [values(array), pollster::block_on(array.to_vec()).unwrap()] {
        assert!(!computes(gpu) || read[99] == last, "{}, not {last}", read[99]);
    }
}

#[test]
fn a_buffer_that_was_given_out_is_destroyed() {
    for gpu in [noop(), own(), foreign()] {
        at_once(move || {
            let x = gpu.array([100], &iota(100)).unwrap();
            let sum = (&x + 1.0).eval().unwrap();
            sum.buffer().unwrap().buffer.destroy();
            // Recorded, and not submitted before the reading that fails.
            let other = (&x + 2.0).eval().unwrap();
            refused(sum.to_vec_blocking(), "destroyed");
            refused(pollster::block_on(sum.to_vec()), "destroyed");
            refused((&sum + 1.0).eval(), "destroyed");
            right(&gpu, &other, 101.0);
            works(&gpu);
        });
    }
}

/// Operations that use it are recorded already.
#[test]
fn a_buffer_is_destroyed_before_the_submission() {
    for gpu in [noop(), own(), foreign()] {
        at_once(move || {
            let x = gpu.array([100], &iota(100)).unwrap();
            let buffer = buffer(&gpu, COPIED);
            let theirs = gpu.array_from_buffer::<f32>([100], buffer.clone(), 0).unwrap();
            let before = (&x + 1.0).eval().unwrap();
            let broken = (&theirs + 1.0).eval().unwrap();
            let from_broken = (&broken * 2.0).eval().unwrap();
            let after = (&before + 1.0).eval().unwrap();
            buffer.destroy();
            gpu.flush().unwrap();
            let late = (&after + 1.0).eval().unwrap();
            right(&gpu, &before, 100.0);
            right(&gpu, &after, 101.0);
            right(&gpu, &late, 102.0);
            for array in [&broken, &from_broken] {
                refused(array.to_vec_blocking(), "destroyed");
                refused(pollster::block_on(array.to_vec()), "destroyed");
                refused(array.buffer(), "destroyed");
                // Nothing is computed from missing elements.
                refused((array + 1.0).eval(), "destroyed");
                refused((&x + array).eval(), "destroyed");
            }
            let uploaded = gpu.array([100], &iota(100)).unwrap();
            drop([broken, from_broken]);
            // Their buffers serve again.
            for _ in 0..10 {
                right(&gpu, &(&x * 2.0).eval().unwrap(), 198.0);
            }
            right(&gpu, &uploaded, 99.0);
            works(&gpu);
        });
    }
}

/// By the time it is refused, its memory belongs to another result, which only overwrites missing
/// elements.
#[test]
fn the_memory_of_a_refused_result_is_anothers() {
    for gpu in [noop(), own(), foreign()] {
        at_once(move || {
            let x = gpu.array([100], &iota(100)).unwrap();
            let buffer = buffer(&gpu, COPIED);
            let theirs = gpu.array_from_buffer::<f32>([100], buffer.clone(), 0).unwrap();
            gpu.flush().unwrap();
            let broken = (&theirs + 1.0).eval().unwrap();
            let from_broken = (&broken + 1.0).eval().unwrap();
            drop(broken);
            let reuses = gpu.stats().reuses;
            let doubled = (&x * 2.0).eval().unwrap();
            assert_eq!(gpu.stats().reuses, reuses + 1, "it has the memory of the broken one");
            let more = (&doubled + 1.0).eval().unwrap();
            buffer.destroy();
            gpu.flush().unwrap();
            right(&gpu, &doubled, 198.0);
            right(&gpu, &more, 199.0);
            right(&gpu, &(&doubled + 2.0).eval().unwrap(), 200.0);
            doubled.buffer().unwrap();
            refused(from_broken.to_vec_blocking(), "destroyed");
            works(&gpu);
        });
    }
}

/// The same where it was taken before the submission, and is written after it.
#[test]
fn memory_that_was_taken_before_a_refusal() {
    for gpu in [noop(), own(), foreign()] {
        at_once(move || {
            let x = gpu.array([100], &iota(100)).unwrap();
            let buffer = buffer(&gpu, COPIED);
            let theirs = gpu.array_from_buffer::<f32>([100], buffer.clone(), 0).unwrap();
            for _ in 0..20 {
                drop((&theirs + 1.0).eval().unwrap());
            }
            buffer.destroy();
            // The batch is full on the way, so that refusals lie between a result's memory and its
            // first command.
            let mut sum = x.clone();
            for _ in 0..300 {
                sum = (&sum + 1.0).eval().unwrap();
            }
            right(&gpu, &sum, 399.0);
            works(&gpu);
        });
    }
}

/// The owner created it mapped and is still writing its bytes: that is the reported error, and the
/// owner continues.
#[test]
fn a_buffer_that_its_owner_is_writing() {
    for gpu in [noop(), own(), foreign()] {
        at_once(move || {
            let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: 400,
                usage: COPIED | wgpu::BufferUsages::STORAGE,
                mapped_at_creation: true,
            });
            let take = || gpu.array_from_buffer::<f32>([100], buffer.clone(), 0);
            let is_mapped = || match take().unwrap_err() {
                Error::Array(ArrayError::Mapped) => (),
                other => panic!("{other}"),
            };
            is_mapped();
            for views in [&[(0, 400)][..], &[(0, 8)], &[(392, 400)], &[(0, 200), (200, 400)]] {
                let view = |&(from, to)| buffer.get_mapped_range_mut(from..to).unwrap();
                let views: Vec<_> = views.iter().map(view).collect();
                is_mapped();
                drop(views);
            }
            let read = buffer.get_mapped_range(..).unwrap();
            is_mapped();
            drop(read);
            buffer
                .get_mapped_range_mut(..)
                .unwrap()
                .copy_from_slice(bytemuck::cast_slice(&iota(100)));
            is_mapped();
            buffer.unmap();
            right(&gpu, &take().unwrap(), 99.0);
        });
    }
}

/// A submission or a wait does not report others' faults, and completes all the same.
#[test]
fn a_flush_and_a_wait_tell_nobody_else() {
    for gpu in [noop(), own(), foreign()] {
        at_once(move || {
            let x = gpu.array([1 << 14], &iota(1 << 14)).unwrap();
            drop(super::slow(&x));
            for waits in [false, true] {
                let buffer = buffer(&gpu, COPIED);
                let theirs = gpu.array_from_buffer::<f32>([100], buffer.clone(), 0).unwrap();
                let broken = (&theirs + 1.0).eval().unwrap();
                let slow = super::slow(&x);
                buffer.destroy();
                gpu.flush().unwrap();
                let late = (&slow + 1.0).eval().unwrap();
                let from_broken = (&broken + 1.0).eval();
                if waits {
                    gpu.wait().unwrap();
                    let polled = gpu.device().poll(wgpu::PollType::Poll).unwrap();
                    assert!(polled.is_queue_empty(), "it did not wait");
                }
                refused(from_broken, "destroyed");
                refused(broken.to_vec_blocking(), "destroyed");
                assert_eq!(values(&late).len(), 1 << 14);
            }
            // The wait itself is refused.
            let buffer = buffer(&gpu, COPIED);
            let theirs = gpu.array_from_buffer::<f32>([100], buffer.clone(), 0).unwrap();
            let (slow, broken) = (super::slow(&x), (&theirs + 1.0).eval().unwrap());
            buffer.destroy();
            gpu.wait().unwrap();
            assert!(gpu.device().poll(wgpu::PollType::Poll).unwrap().is_queue_empty());
            refused(broken.buffer(), "destroyed");
            assert_eq!(values(&slow).len(), 1 << 14);
            works(&gpu);
        });
    }
}

/// The test runs in a process of its own, whose memory it measures. Each reason is some hundred
/// bytes.
#[cfg(target_os = "linux")]
#[test]
fn reasons_do_not_pile_up() {
    const ROUNDS: usize = 20_000;

    if !alone("buffers::reasons_do_not_pile_up", None) {
        return;
    }
    at_once(|| {
        let (device, queue) = wgpu::Device::noop(&wgpu::DeviceDescriptor::default());
        let mut options = ContextOptions::default();
        // No buffer serves twice, so that each refused array has a buffer of its own.
        options.max_pooled_bytes = Some(0);
        let gpu = Context::from_device_with_options(device, queue, &options).unwrap();
        let round = |number: usize| {
            let buffer = buffer(&gpu, COPIED);
            let theirs = gpu.array_from_buffer::<f32>([100], buffer.clone(), 0).unwrap();
            let mut broken = Some((&theirs + 1.0).eval().unwrap());
            buffer.destroy();
            if number.is_multiple_of(2) {
                // It is gone before it is refused.
                broken = None;
            }
            gpu.flush().unwrap();
            if let Some(broken) = broken {
                refused(broken.to_vec_blocking(), "destroyed");
            }
        };
        (0..ROUNDS / 10).for_each(round);
        let before = super::given_up::resident_bytes();
        (0..ROUNDS).for_each(round);
        let grown = super::given_up::resident_bytes().saturating_sub(before);
        assert!(grown < 512 << 10, "{grown} bytes more after {ROUNDS} refusals");
    });
}

/// The call that fills the batch does not report others' faults.
#[test]
fn a_submission_on_the_way_tells_nobody_else() {
    for gpu in [noop(), own()] {
        at_once(move || {
            let x = gpu.array([100], &iota(100)).unwrap();
            let buffer = buffer(&gpu, COPIED);
            let theirs = gpu.array_from_buffer::<f32>([100], buffer.clone(), 0).unwrap();
            let broken = (&theirs + 1.0).eval().unwrap();
            buffer.destroy();
            let mut sum = x.clone();
            for _ in 0..300 {
                sum = (&sum + 1.0).eval().unwrap();
            }
            right(&gpu, &sum, 399.0);
            refused(broken.to_vec_blocking(), "destroyed");
        });
    }
}

#[test]
fn a_buffer_that_its_owner_has_mapped() {
    // Devices map buffers of other usages only with a feature, which contexts take where it pays.
    let gpu = own();
    if !gpu.device().features().contains(wgpu::Features::MAPPABLE_PRIMARY_BUFFERS) {
        return not_tested::on_this_adapter(&gpu, "nobody can map a buffer of an array");
    }
    at_once(move || {
        let x = gpu.array([100], &iota(100)).unwrap();
        let buffer = buffer(&gpu, COPIED | wgpu::BufferUsages::MAP_READ);
        gpu.queue().submit([]);
        let theirs = gpu.array_from_buffer::<f32>([100], buffer.clone(), 0).unwrap();
        right(&gpu, &theirs, 99.0);
        let before = (&x + 1.0).eval().unwrap();
        buffer.map_async(wgpu::MapMode::Read, .., |mapped| mapped.unwrap());
        gpu.wait().unwrap();
        let broken = (&theirs + 1.0).eval().unwrap();
        refused(theirs.to_vec_blocking(), "mapped");
        refused(pollster::block_on(theirs.to_vec()), "mapped");
        refused(broken.to_vec_blocking(), "mapped");
        right(&gpu, &before, 100.0);
        buffer.unmap();
        right(&gpu, &theirs, 99.0);
        right(&gpu, &(&theirs + 1.0).eval().unwrap(), 100.0);
    });
}

/// Two threads, one of which breaks its buffers all the time.
#[test]
fn one_threads_broken_buffers_are_not_anothers() {
    for gpu in [noop(), own()] {
        at_once(move || {
            std::thread::scope(|scope| {
                let gpu = &gpu;
                scope.spawn(move || {
                    for _ in 0..100 {
                        let buffer = buffer(gpu, COPIED);
                        let theirs =
                            gpu.array_from_buffer::<f32>([100], buffer.clone(), 0).unwrap();
                        let broken = (&theirs + 1.0).eval();
                        buffer.destroy();
                        let read = broken.and_then(|broken| broken.to_vec_blocking());
                        // The other thread may have submitted it before.
                        if let Ok(read) = read {
                            assert!(!computes(gpu) || read[99] == 100.0);
                        }
                        refused(theirs.to_vec_blocking(), "destroyed");
                    }
                });
                for _ in 0..2 {
                    scope.spawn(move || {
                        let x = gpu.array([100], &iota(100)).unwrap();
                        for step in 0..300 {
                            let sum = (&x + step as f32).eval().unwrap();
                            let more = (&sum + 1.0).eval().unwrap();
                            right(gpu, &more, 100.0 + step as f32);
                        }
                    });
                }
            });
        });
    }
}
