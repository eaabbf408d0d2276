//! Tests arrays that are dropped while the device has yet to read them, and whose memory is used
//! again at once: results computed from them stay right.
//!
//! Integers, so that the host knows every bit of every result.

use std::pin::pin;
use std::task::{Poll, Waker};

use indim::{Array, Context, ContextOptions, Expr, wgpu};
use indim_testing::contexts;

/// Elements of an array: enough for the host to be far ahead of the device.
const COUNT: usize = 100_000;

/// Rounds of each test.
const ROUNDS: u32 = 60;

/// Operations of a kernel.
const STEPS: u32 = 24;

/// Arrays that the host maps, where the adapter suits; arrays that go through staging; the same
/// with nothing kept for reuse, so that dropped buffers are freed.
fn all() -> Vec<Context> {
    let mut freeing = contexts::options();
    freeing.max_pooled_bytes = Some(0);
    vec![
        contexts::blocking().unwrap_or_else(|error| panic!("{error}")),
        contexts::foreign(&ContextOptions::default()),
        Context::blocking_with_options(freeing.clone()).unwrap(),
        contexts::foreign(&freeing),
    ]
}

fn upload(gpu: &Context, value: u32) -> Array<u32> {
    gpu.array([COUNT], &vec![value; COUNT]).unwrap()
}

/// One kernel that takes its time.
fn heavy(x: &Array<u32>) -> Array<u32> {
    let steps = (0..STEPS).fold(x.expr(), |x, step| x * 3 + step);
    steps.eval().unwrap()
}

fn computed(value: u32) -> u32 {
    (0..STEPS).fold(value, |x, step| x.wrapping_mul(3).wrapping_add(step))
}

#[track_caller]
fn holds(array: &Array<u32>, value: u32) {
    let read = array.to_vec_blocking().unwrap();
    let wrong = read.iter().position(|&element| element != value);
    assert_eq!(wrong.map(|place| (place, read[place])), None, "{value}");
    assert_eq!(read.len(), COUNT);
}

/// Checks that memory was in fact used again, where it waits for that.
fn was_reused(gpu: &Context, freeing: bool, times: u64) {
    let stats = gpu.stats();
    assert!(if freeing { stats.reuses == 0 } else { stats.reuses >= times }, "{stats:?}");
}

#[test]
fn sources_may_be_dropped_and_overwritten_at_once() {
    for (gpu, freeing) in all().iter().zip([false, false, true, true]) {
        let mut results = Vec::new();
        for round in 0..ROUNDS {
            let x = upload(gpu, round);
            let y = heavy(&x);
            drop(x);
            // Into the memory of `x`, if allowed: before the kernel is submitted, while the device
            // runs it, and later.
            let other = upload(gpu, 1000 + round);
            if round % 3 == 0 {
                gpu.flush().unwrap();
            }
            let another = upload(gpu, 2000 + round);
            let z = heavy(&y);
            drop(y);
            let sum = (&other + &another).eval().unwrap();
            drop((other, another));
            results.push((z, computed(computed(round)), sum, 3000 + 2 * round));
            if round % 16 == 15 {
                gpu.trim();
            }
            if round % 10 == 9 {
                // The arrays that were read give their memory to the next ones.
                for (z, value, sum, added) in results.drain(..) {
                    holds(&z, value);
                    holds(&sum, added);
                }
            }
        }
        for (z, value, sum, added) in &results {
            holds(z, *value);
            holds(sum, *added);
        }
        was_reused(gpu, freeing, u64::from(ROUNDS));
    }
}

/// Intermediate values are dropped while their computation is recorded.
#[test]
fn temporaries_may_be_overwritten() {
    for (gpu, freeing) in all().iter().zip([false, false, true, true]) {
        let x = upload(gpu, 1);
        let mut results = Vec::new();
        for round in 0..ROUNDS {
            // The values of the row are stored first: they are costly, and few.
            let row = Expr::<f32>::iota(&[300], 0).sin().gt(0.0);
            let rows = Expr::<i32>::iota(&[300, 300], 0) + round as i32;
            let row = row.broadcast_in_dim(&[300, 300], &[1]);
            results.push(gpu.eval(&row.select(&rows, -1)).unwrap());
            drop(heavy(&x));
            drop(upload(gpu, round));
        }
        for (round, result) in results.iter().enumerate() {
            let read = result.to_vec_blocking().unwrap();
            for (place, value) in read.iter().enumerate() {
                let positive = ((place % 300) as f64).sin() > 0.0;
                let want = if positive { (place / 300 + round) as i32 } else { -1 };
                assert_eq!(*value, want, "{place} of {round}");
            }
        }
        was_reused(gpu, freeing, u64::from(ROUNDS));
    }
}

#[test]
fn foreign_buffers_may_be_dropped_and_destroyed() {
    for gpu in all() {
        let mut results = Vec::new();
        for round in 0..ROUNDS {
            let buffer = gpu.device().create_buffer(&wgpu::BufferDescriptor {
                label: None,
                size: 4 * COUNT as u64,
                usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
                mapped_at_creation: false,
            });
            gpu.queue().write_buffer(&buffer, 0, bytemuck::cast_slice(&vec![round; COUNT]));
            let x = gpu.array_from_buffer::<u32>([COUNT], buffer.clone(), 0).unwrap();
            let y = heavy(&x);
            drop(x);
            if round % 2 == 0 {
                // wgpu frees no buffer of submitted commands before they have run.
                gpu.flush().unwrap();
                buffer.destroy();
            }
            drop(buffer);
            drop(upload(&gpu, 5000 + round));
            results.push((y, computed(round)));
        }
        for (y, value) in &results {
            holds(y, *value);
        }
    }
}

/// The caller may keep an exported buffer, and write to it once the commands that read it are
/// submitted.
#[test]
fn buffers_given_out_outlive_their_arrays() {
    for gpu in all() {
        let mut results = Vec::new();
        for round in 0..ROUNDS {
            let x = upload(&gpu, round);
            let before = heavy(&x);
            let range = x.buffer().unwrap();
            let after = heavy(&x);
            drop(x);
            gpu.flush().unwrap();
            // In the queue's order, so after both.
            let new = vec![round + 7; COUNT];
            gpu.queue().write_buffer(&range.buffer, range.offset, bytemuck::cast_slice(&new));
            // No array gets the buffer.
            drop((upload(&gpu, 9000), heavy(&before)));
            let seen = gpu.array_from_buffer::<u32>([COUNT], range.buffer, range.offset).unwrap();
            let later = heavy(&seen);
            drop(seen);
            let value = computed(round);
            results.extend([(before, value), (after, value), (later, computed(round + 7))]);
        }
        for (array, value) in &results {
            holds(array, *value);
        }
    }
}

/// An abandoned reading leaves its buffer to the next one.
#[test]
fn readings_may_be_given_up_with_their_arrays() {
    for gpu in all() {
        for round in 0..ROUNDS {
            let x = upload(&gpu, round);
            let y = heavy(&x);
            {
                let mut reading = pin!(y.to_vec());
                let mut task = std::task::Context::from_waker(Waker::noop());
                let polled: Poll<_> = reading.as_mut().poll(&mut task);
                if let Poll::Ready(read) = polled {
                    assert_eq!(read.unwrap()[COUNT - 1], computed(round));
                }
            }
            drop((x, y));
            let z = heavy(&upload(&gpu, 100 + round));
            holds(&z, computed(100 + round));
            drop(z);
            assert_eq!(gpu.memory().in_use, 0);
        }
    }
}
