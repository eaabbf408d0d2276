//! Tests one context on many threads, and on any executor.
//!
//! `INDIM_THREADS_SECONDS` says how long the threads of [`eight_threads_do_everything_at_once`] go
//! on.

mod executors;
mod mixed;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use indim::{Array, Context, Expr, wgpu};
use indim_testing::contexts::mappable_buffer;
use indim_testing::contexts::{gpu, iota};
use indim_testing::{contexts, not_tested};

/// Fails instead of hanging.
#[track_caller]
fn ends<T: Send + 'static>(within: Duration, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || sender.send(work()));
    match receiver.recv_timeout(within) {
        Ok(answer) => answer,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("it hangs"),
        Err(mpsc::RecvTimeoutError::Disconnected) => panic!("it failed, as told above"),
    }
}

#[test]
fn eight_threads_do_everything_at_once() {
    let seconds = std::env::var("INDIM_THREADS_SECONDS").ok().map(|text| text.parse().unwrap());
    let duration = Duration::from_secs(seconds.unwrap_or(2));
    let gpu = gpu();
    let counts = mixed::run(&gpu, 8, duration);
    let stats = gpu.stats();
    println!("{} rounds in {duration:?}: {counts:?}; {stats:?}", counts.iter().sum::<usize>());
    assert!(counts.iter().all(|&count| count > 0), "{counts:?}");
}

/// Results do not depend on which thread computes them, nor on what else is in the batch: floats,
/// bit for bit, long expressions that are cut, arrays that fill a batch each, and long reductions.
#[test]
fn results_do_not_depend_on_the_schedule() {
    let mut options = contexts::options();
    // So that what is cut need not be very long.
    options.max_ops_per_kernel = Some(100);
    let gpu = Context::blocking_with_options(options).unwrap();
    let x = gpu.array([512, 300], &iota(512 * 300)).unwrap();
    let row = gpu.array([300], &iota(300)).unwrap();
    // 12 MiB a result, beyond what a batch writes.
    let large = indim::broadcast(&x, &[20]).unwrap();
    let expressions: Arc<Vec<Expr<f32>>> = Arc::new(vec![
        (&x / 7.0 + row.in_dim([1])).sin().exp(),
        (&x * 0.001).tanh().sqrt().log1p() / (&row + 3.0).in_dim([1]),
        (0..200).fold(x.expr(), |sum, step| sum * 0.999 + step as f32),
        (&large / 3.0).cos(),
        // Three kernels, which store partial sums between them.
        (&large * 0.1).reduce_sum([0, 1, 2]),
        (&x * 0.001).softmax([1]),
    ]);
    let bits = |expression: &Expr<f32>| -> Vec<u32> {
        let values = expression.eval().unwrap().to_vec_blocking().unwrap();
        values.into_iter().map(f32::to_bits).collect()
    };
    let want: Arc<Vec<Vec<u32>>> = Arc::new(expressions.iter().map(bits).collect());
    ends(Duration::from_secs(600), move || {
        std::thread::scope(|scope| {
            for number in 0..8 {
                let (expressions, want, gpu) = (&expressions, &want, &gpu);
                scope.spawn(move || {
                    for round in 0..8 {
                        let which = (number + round) % expressions.len();
                        if round == number {
                            gpu.trim();
                        }
                        assert!(bits(&expressions[which]) == want[which], "expression {which}");
                    }
                });
            }
        });
    });
}

// ---- waiting ------------------------------------------------------------------------------------

/// Ways to wait for all that was submitted, which submit nothing by themselves: readings do, where
/// arrays are copied and not mapped.
fn waits() -> &'static [fn(&Array<f32>)] {
    const ALL: &[fn(&Array<f32>)] = &[
        |array| array.context().wait().unwrap(),
        |array| drop(array.to_vec_blocking().unwrap()),
        |array| drop(pollster::block_on(array.to_vec()).unwrap()),
        |array| drop(array.as_any().to_literal_blocking().unwrap()),
    ];
    let gpu = gpu();
    if gpu.device().features().contains(wgpu::Features::MAPPABLE_PRIMARY_BUFFERS) {
        return ALL;
    }
    not_tested::on_this_adapter(&gpu, "readings copy and submit, and are not ways to wait alone");
    &ALL[..1]
}

/// Uploads, computes and submits.
fn submit_once(gpu: &Context, small: &Array<f32>) {
    let uploaded = gpu.array([64], &iota(64)).unwrap();
    drop((small + &uploaded).eval().unwrap());
    gpu.flush().unwrap();
}

/// Evaluates one kernel that takes the longer the more rows it has.
fn tangents(x: &Array<f32>, rows: i64) -> Array<f32> {
    let wide = indim::broadcast(x, &[rows]).unwrap();
    (0..20).fold(wide.expr(), |x, _| x.tan()).max(0.0).eval().unwrap()
}

/// Returns true, and reports it, where submissions compute, so that a device is never busy.
#[track_caller]
fn nobody_waits() -> bool {
    let gpu = gpu();
    let computes = gpu.adapter_info().backend == wgpu::Backend::Gl;
    if computes {
        let why = "llvmpipe computes within the submission: nobody ever waits";
        not_tested::on_this_adapter(&gpu, why);
    }
    computes
}

/// While one thread waits, another one uploads, computes and submits. A callback of the device's
/// owner keeps the first one in the middle of its wait until the other one has made all its
/// submissions: if the first held a lock that a submission needs, neither would ever go on.
#[test]
fn waiting_does_not_stall_submissions() {
    const SUBMISSIONS: u64 = 200;

    for wait in waits() {
        ends(Duration::from_secs(300), move || {
            let gpu = gpu();
            let small = gpu.array([64], &iota(64)).unwrap();
            let sum = (&small + 1.0).eval().unwrap();
            submit_once(&gpu, &small);
            gpu.wait().unwrap();
            let (entered, has_entered) = mpsc::channel();
            let (release, is_released) = mpsc::channel::<()>();
            let theirs = mappable_buffer(gpu.device());
            theirs.map_async(wgpu::MapMode::Read, .., move |_| {
                entered.send(()).unwrap();
                is_released.recv().unwrap();
            });
            let before = gpu.stats().submissions;
            std::thread::scope(|scope| {
                scope.spawn(|| wait(&sum));
                has_entered.recv().unwrap();
                for _ in 0..SUBMISSIONS {
                    submit_once(&gpu, &small);
                }
                release.send(()).unwrap();
            });
            assert!(gpu.stats().submissions >= before + SUBMISSIONS);
        });
    }
}

/// The same while the device is really busy, with one kernel that takes a second or so. lavapipe
/// finishes a submission when the next one comes; so neither thread submits meanwhile, not even the
/// waiting one for a copy. If the other thread had to wait for the first, it would advance only
/// between that one's waits, some ten times a second.
#[test]
fn waiting_does_not_stall_others_while_the_device_is_busy() {
    const ENOUGH: usize = 100;

    if nobody_waits() {
        return;
    }
    for (number, wait) in waits().iter().enumerate() {
        ends(Duration::from_secs(300), move || {
            let gpu = gpu();
            let small = gpu.array([64], &iota(64)).unwrap();
            submit_once(&gpu, &small);
            let x = gpu.array([1 << 14], &iota(1 << 14)).unwrap();
            drop(tangents(&x, 1));
            gpu.wait().unwrap();
            let begun = Instant::now();
            drop(tangents(&x, 2));
            gpu.wait().unwrap();
            let rows = 2 * (1000 / begun.elapsed().as_millis().max(1)).clamp(1, 64) as i64;
            let slow = tangents(&x, rows);
            gpu.flush().unwrap();
            let (waiting, done) = (AtomicBool::new(false), AtomicBool::new(false));
            let count = std::thread::scope(|scope| {
                scope.spawn(|| {
                    waiting.store(true, Ordering::SeqCst);
                    wait(&slow);
                    done.store(true, Ordering::SeqCst);
                });
                while !waiting.load(Ordering::SeqCst) {
                    std::thread::yield_now();
                }
                let mut count = 0;
                while count < ENOUGH && !done.load(Ordering::SeqCst) {
                    let uploaded = gpu.array([64], &iota(64)).unwrap();
                    drop((&small + &uploaded).eval().unwrap());
                    count += 1;
                }
                count
            });
            assert_eq!(count, ENOUGH, "way {number}: operations while one waits");
        });
    }
}

/// The owner of the device destroys buffers while another thread waits for a kernel that takes a
/// second or so. A wait in wgpu would block the owner until it ends: for at most 100 ms each time,
/// if that is the longest it may last.
#[test]
fn waiting_does_not_stall_whoever_destroys_a_buffer() {
    const BUFFERS: u32 = 8;

    if nobody_waits() {
        return;
    }
    for (number, wait) in waits().iter().enumerate() {
        ends(Duration::from_secs(300), move || {
            let gpu = gpu();
            let x = gpu.array([1 << 14], &iota(1 << 14)).unwrap();
            let mut rows = 8;
            loop {
                let slow = tangents(&x, rows);
                gpu.flush().unwrap();
                let done = AtomicBool::new(false);
                let destroying = std::thread::scope(|scope| {
                    scope.spawn(|| {
                        wait(&slow);
                        done.store(true, Ordering::SeqCst);
                    });
                    // By then it does not spin any more.
                    std::thread::sleep(Duration::from_millis(50));
                    let mut longest = Duration::ZERO;
                    let mut all = Duration::ZERO;
                    for _ in 0..BUFFERS {
                        let theirs = mappable_buffer(gpu.device());
                        let begun = Instant::now();
                        theirs.destroy();
                        longest = longest.max(begun.elapsed());
                        all += begun.elapsed();
                        // As long as it takes a wait to begin anew.
                        std::thread::sleep(Duration::from_millis(8));
                    }
                    (!done.load(Ordering::SeqCst)).then_some((all, longest))
                });
                match destroying {
                    Some((all, longest)) => {
                        let most = BUFFERS * Duration::from_millis(25);
                        assert!(all < most, "way {number}: {all:?}, and {longest:?} for one");
                        break;
                    }
                    // The kernel was too short.
                    None => rows *= 2,
                }
            }
        });
    }
}

/// While one thread reads a large array, another one works on small ones: none of its operations
/// takes as long as the reading.
#[test]
fn reading_does_not_stall_others() {
    const BYTES: usize = 192 << 20;
    const TRIES: usize = 8;

    ends(Duration::from_secs(300), || {
        let gpu = gpu();
        let large = gpu.array([BYTES], &vec![1u8; BYTES]).unwrap();
        let small = gpu.array([64], &iota(64)).unwrap();
        submit_once(&gpu, &small);
        let read = || {
            let begun = Instant::now();
            assert_eq!(large.to_vec_blocking().unwrap().last(), Some(&1));
            begun.elapsed()
        };
        read();
        let (done, count, longest) = (AtomicBool::new(false), AtomicU64::new(0), AtomicU64::new(0));
        let operate = || {
            while !done.load(Ordering::SeqCst) {
                let begun = Instant::now();
                submit_once(&gpu, &small);
                longest.fetch_max(begun.elapsed().as_micros() as u64, Ordering::SeqCst);
                count.fetch_add(1, Ordering::SeqCst);
            }
        };
        // The machine may be busy; one try without a stall shows that none is needed.
        let stalls: Vec<_> = std::thread::scope(|scope| {
            scope.spawn(operate);
            let mut tries = Vec::new();
            while tries.len() < TRIES && tries.last().is_none_or(|&(stall, read)| stall * 4 > read)
            {
                longest.store(0, Ordering::SeqCst);
                let reading = read();
                // Wait until the work begun meanwhile has ended.
                let begun = count.load(Ordering::SeqCst);
                while count.load(Ordering::SeqCst) < begun + 2 {
                    std::thread::yield_now();
                }
                tries.push((Duration::from_micros(longest.load(Ordering::SeqCst)), reading));
            }
            done.store(true, Ordering::SeqCst);
            tries
        });
        println!("the longest operation, and the reading: {stalls:?}");
        assert!(stalls.len() < TRIES, "{stalls:?}");
    });
}
