//! Tests abandoned readbacks: nothing remains of them, and no thread waits for them.

use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::task::{Context as Task, Poll, Waker};
use std::time::{Duration, Instant};

use indim::{Array, Context, wgpu};

use super::{alone, at_once, foreign, iota, noop, own, values, works};

/// How far a reading goes before it is dropped.
#[derive(Debug, Clone, Copy)]
enum Point {
    NeverPolled,
    /// The copy is submitted, the mapping asked for.
    PolledOnce,
    /// The answer has arrived and has not been polled.
    Answered,
    /// Read, or one step further.
    PolledTwice,
    Finished,
}

const POINTS: [Point; 5] =
    [Point::NeverPolled, Point::PolledOnce, Point::Answered, Point::PolledTwice, Point::Finished];

fn give_up(gpu: &Context, array: &Array<f32>, point: Point) {
    let mut reading = Box::pin(array.to_vec());
    let mut task = Task::from_waker(Waker::noop());
    match point {
        Point::NeverPolled => return,
        Point::Finished => {
            pollster::block_on(reading).unwrap();
            return;
        }
        Point::PolledOnce | Point::Answered | Point::PolledTwice => {
            if let Poll::Ready(read) = reading.as_mut().poll(&mut task) {
                read.unwrap();
                return;
            }
        }
    }
    if !matches!(point, Point::PolledOnce) {
        gpu.wait().unwrap();
    }
    if matches!(point, Point::PolledTwice)
        && let Poll::Ready(read) = reading.as_mut().poll(&mut task)
    {
        read.unwrap();
    }
}

/// The test runs in a process of its own, whose memory it measures.
#[test]
fn nothing_is_left() {
    if !alone("given_up::nothing_is_left", None) {
        return;
    }
    for gpu in [noop(), own(), foreign()] {
        at_once(move || {
            let x = gpu.array([4096], &iota(4096)).unwrap();
            let sum = (&x + 1.0).eval().unwrap();
            let round = |times: usize| {
                for number in 0..times {
                    give_up(&gpu, &sum, POINTS[number % POINTS.len()]);
                }
            };
            round(1000);
            let (before, memory) = (gpu.stats(), resident_bytes());
            round(9000);
            let after = gpu.stats();
            assert_eq!(after.allocations, before.allocations);
            // At most the staging buffer of one reading, if the last one's was kept.
            let most = before.pooled_bytes.max(16 << 10);
            assert!(after.pooled_bytes <= most, "{} bytes wait, {most} did", after.pooled_bytes);
            // Those that are given up while their mapping is being made are not kept, which is at
            // one point of five, and, rarely, at others where the answer is still on its way.
            let staged = after.staging_allocations - before.staging_allocations;
            assert!(staged < 2000, "{staged} of 9000 staging buffers were fresh ones");
            // Each reading copies 16 KiB: 140 MiB if they stayed.
            let grown = resident_bytes().saturating_sub(memory);
            assert!(grown < 40 << 20, "{grown} bytes more");
            works(&gpu);
        });
    }
}

/// Many under way at once, given up together.
#[test]
fn nobody_is_blocked() {
    for gpu in [noop(), own(), foreign()] {
        at_once(move || {
            let x = gpu.array([1 << 16], &iota(1 << 16)).unwrap();
            let slow = super::slow(&x);
            for _ in 0..20 {
                let mut readings: Vec<_> = (0..30).map(|_| Box::pin(slow.to_vec())).collect();
                let mut task = Task::from_waker(Waker::noop());
                for reading in &mut readings {
                    let _ = reading.as_mut().poll(&mut task);
                }
                // While they are waiting, and the moment that they are gone.
                works(&gpu);
                drop(readings);
                works(&gpu);
            }
            assert_eq!(values(&slow).len(), 1 << 16);
        });
    }
}

/// The context may go with the reading.
#[test]
fn the_last_owner_of_the_context_is_the_reading() {
    for make in [noop, own, foreign] {
        for _ in 0..20 {
            at_once(move || {
                let gpu = make();
                let x = gpu.array([100], &iota(100)).unwrap();
                drop(gpu);
                let mut reading = Box::pin(async move { x.to_vec().await });
                let mut task = Task::from_waker(Waker::noop());
                let _ = reading.as_mut().poll(&mut task);
                drop(reading);
            });
        }
    }
}

/// The polling thread also runs the owner's callbacks, one of which waits for the thread that drops
/// the context.
#[test]
fn the_owner_drops_the_context_under_a_lock_of_its_callbacks() {
    for make in [noop, own, foreign] {
        at_once(move || {
            let gpu = make();
            // The last one is dropped while the queue, in wgpu, waits for its callbacks.
            let queue = gpu.queue().clone();
            let x = gpu.array([1 << 16], &iota(1 << 16)).unwrap();
            let slow = (0..8).fold(x, |x, _| super::slow(&x));
            let mut reading = Box::pin(slow.to_vec());
            let mut task = Task::from_waker(Waker::noop());
            let _ = reading.as_mut().poll(&mut task);
            let lock = Arc::new(Mutex::new(()));
            let called = Arc::new(AtomicBool::new(false));
            let (theirs, calls) = (Arc::clone(&lock), Arc::clone(&called));
            let held = lock.lock().unwrap();
            queue.on_submitted_work_done(move || {
                drop(theirs.lock());
                calls.store(true, Ordering::SeqCst);
            });
            drop(reading);
            drop(slow);
            drop(gpu);
            drop(held);
            let begun = Instant::now();
            while !called.load(Ordering::SeqCst) && begun.elapsed() < Duration::from_secs(1) {
                std::thread::yield_now();
            }
        });
    }
    works(&own());
}

#[cfg(target_os = "linux")]
pub(crate) fn resident_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = text.split_whitespace().nth(1).unwrap().parse().unwrap();
    pages * 4096
}

/// There the counts must do.
#[cfg(not(target_os = "linux"))]
fn resident_bytes() -> u64 {
    indim_testing::not_tested::on_this_system("it does not tell how large the process is");
    0
}

/// The test runs in a process of its own, which has no other context's threads.
#[cfg(target_os = "linux")]
#[test]
fn the_thread_that_polls_sleeps_and_ends() {
    if !alone("given_up::the_thread_that_polls_sleeps_and_ends", None) {
        return;
    }
    let until = |done: &dyn Fn() -> bool| {
        let begun = Instant::now();
        while !done() {
            assert!(begun.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(10));
        }
    };
    for make in [noop, own, foreign] {
        let gpu = make();
        works(&gpu);
        // It may have yet to give itself its name.
        until(&|| polling_threads().len() == 1);
        let x = gpu.array([100], &iota(100)).unwrap();
        for point in POINTS {
            give_up(&gpu, &x, point);
            // Its processor time stops growing at some moment.
            until(&|| {
                let before = polling_threads();
                std::thread::sleep(Duration::from_millis(200));
                before == polling_threads()
            });
        }
        drop(x);
        drop(gpu);
        until(&|| polling_threads().is_empty());
    }
}

/// Processor time of each, in ticks.
#[cfg(target_os = "linux")]
fn polling_threads() -> Vec<[u64; 2]> {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap();
    // One may end while it is looked at.
    let stats = tasks.filter_map(|t| std::fs::read_to_string(t.ok()?.path().join("stat")).ok());
    stats
        .filter(|stat| stat.contains("(indim poll)"))
        .map(|stat| {
            let fields: Vec<&str> = stat.rsplit(')').next().unwrap().split_whitespace().collect();
            [fields[11].parse().unwrap(), fields[12].parse().unwrap()]
        })
        .collect()
}

/// wgpu keeps a note of a mapping that was given up, by which it would map the buffer too early for
/// the next reading: that would see the bytes of the one before.
#[test]
fn the_next_reading_has_values_of_its_own() {
    for gpu in [own(), foreign()] {
        at_once(move || {
            let x = gpu.array([100], &iota(100)).unwrap();
            std::thread::scope(|scope| {
                for number in 0..8 {
                    let (gpu, x) = (&gpu, &x);
                    scope.spawn(move || {
                        for round in 0..100 {
                            give_up(gpu, &(x - 1.0).eval().unwrap(), Point::PolledOnce);
                            let read = values(&(x + round as f32).eval().unwrap());
                            assert_eq!(read[7], (7 + round) as f32, "thread {number}");
                        }
                    });
                }
            });
        });
    }
}

/// The same note on a buffer that its user is given, and may map after commands of their own: the
/// work that the note is with has ended by then.
#[test]
fn a_buffer_given_out_has_no_note() {
    let gpu = own();
    at_once(move || {
        for _ in 0..20 {
            let old = gpu.array([8192], &iota(8192)).unwrap();
            let read = (0..8).fold(old.clone(), |x, _| super::slow(&x));
            gpu.flush().unwrap();
            let done = Arc::new(AtomicBool::new(false));
            let told = Arc::clone(&done);
            gpu.queue().on_submitted_work_done(move || told.store(true, Ordering::SeqCst));
            // Its memory is wanted for the next upload while the device is reading it.
            drop(old);
            let reuses = gpu.stats().reuses;
            let new = gpu.array([8192], &[7.0f32; 8192]).unwrap();
            assert_eq!(gpu.stats().reuses, reuses + 1);
            let range = new.buffer().unwrap();
            let mappable = range.buffer.usage().contains(wgpu::BufferUsages::MAP_READ);
            assert!(!mappable || done.load(Ordering::SeqCst));
            assert_eq!(values(&new), [7.0; 8192]);
            assert_eq!(values(&read).len(), 8192);
        }
    });
}
