//! Tests eight threads that do everything at random on one context; results are checked against the
//! host.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context as Task, Waker};
use std::time::{Duration, Instant};

use indim::{Array, Builder, Computation, Context, ElementType};

/// The longest time that a thread may take for a round.
const PATIENCE: Duration = Duration::from_secs(120);

/// An array, and what must be in it.
struct Known {
    array: Array<u32>,
    values: Vec<u32>,
    /// True if others may have the same buffer, so that it would be written in place.
    shared: bool,
}

/// A generator of numbers (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % bound
    }
}

/// Runs the threads for the given time, and returns how many rounds each has made. Panics if a
/// thread finds a wrong result or makes no progress.
pub(crate) fn run(gpu: &Context, threads: usize, duration: Duration) -> Vec<usize> {
    let rounds: Arc<Vec<AtomicUsize>> = Arc::new((0..threads).map(|_| 0.into()).collect());
    let shared = Arc::new(known(gpu, &mut Random(42), &[3, 1000]));
    let end = Instant::now() + duration;
    let handles: Vec<_> = (0..threads)
        .map(|number| {
            let (gpu, rounds, shared) = (gpu.clone(), Arc::clone(&rounds), Arc::clone(&shared));
            std::thread::spawn(move || {
                let mut worker = Worker::new(gpu, shared, number);
                while Instant::now() < end {
                    worker.round();
                    rounds[number].fetch_add(1, Ordering::Relaxed);
                }
                worker.check_all();
            })
        })
        .collect();
    watch(&handles, &rounds);
    for handle in handles {
        handle.join().expect("a thread failed, as told above");
    }
    rounds.iter().map(|count| count.load(Ordering::Relaxed)).collect()
}

/// Until all threads have ended, or one makes no progress.
fn watch(handles: &[std::thread::JoinHandle<()>], rounds: &[AtomicUsize]) {
    let mut seen: Vec<(usize, Instant)> = rounds.iter().map(|_| (0, Instant::now())).collect();
    while !handles.iter().all(std::thread::JoinHandle::is_finished) {
        std::thread::sleep(Duration::from_millis(20));
        for (number, seen) in seen.iter_mut().enumerate() {
            let count = rounds[number].load(Ordering::Relaxed);
            if count != seen.0 {
                *seen = (count, Instant::now());
            }
            let waits = !handles[number].is_finished() && seen.1.elapsed() > PATIENCE;
            assert!(!waits, "thread {number} hangs after {count} rounds: {seen:?}");
        }
    }
}

fn known(gpu: &Context, random: &mut Random, shape: &[usize]) -> Known {
    let count: usize = shape.iter().product();
    let start = random.below(1 << 20) as u32;
    let values: Vec<u32> =
        (0..count as u32).map(|i| i.wrapping_mul(2_654_435_761).wrapping_add(start)).collect();
    Known { array: gpu.array(shape, &values).unwrap(), values, shared: false }
}

fn sum_of(dims: &[usize]) -> Computation {
    let mut b = Builder::new();
    let x = b.parameter(ElementType::U32, dims).unwrap();
    let y = b.parameter(ElementType::U32, dims).unwrap();
    let sum = b.add(x, y, &[]).unwrap();
    b.build(sum).unwrap()
}

struct Worker {
    gpu: Context,
    shared: Arc<Known>,
    own: Vec<Known>,
    random: Random,
}

impl Worker {
    fn new(gpu: Context, shared: Arc<Known>, number: usize) -> Self {
        let random = Random(0x9E37_79B9_7F4A_7C15 ^ (number as u64 + 1) << 32);
        Self { gpu, shared, own: Vec::new(), random }
    }

    fn round(&mut self) {
        match self.random.below(44) {
            0..8 => self.upload(),
            8..14 => self.elementwise(),
            14..17 => self.broadcast(),
            17..19 => self.long(),
            19..25 => self.read(),
            25..29 => self.read_awaited(),
            29..31 => self.give_up(),
            31..34 => self.drop_one(),
            34 => self.trim(),
            35 => self.prewarm(),
            36 => self.gpu.flush().unwrap(),
            37 => self.gpu.wait().unwrap(),
            38 => self.give_out(),
            39..42 => self.write(),
            42 => self.several(),
            _ => self.large(),
        }
        if self.own.len() > 12 {
            self.own.remove(0);
        }
    }

    fn upload(&mut self) {
        let shapes: [&[usize]; 6] = [&[1], &[7], &[64, 3], &[1000], &[33, 31, 5], &[20_000]];
        let shape = shapes[self.random.below(shapes.len())];
        let known = known(&self.gpu, &mut self.random, shape);
        self.own.push(known);
    }

    /// One of its own, or the one of all threads.
    fn pick(&mut self) -> (Array<u32>, Vec<u32>) {
        let known = match self.own.len() {
            0 => &self.shared,
            len => match self.random.below(len + 1) {
                0 => &*self.shared,
                number => &self.own[number - 1],
            },
        };
        (known.array.clone(), known.values.clone())
    }

    /// Writes into a part of one of its own, which others may hold: they keep what they have.
    fn write(&mut self) {
        if self.own.is_empty() {
            return self.upload();
        }
        let number = self.random.below(self.own.len());
        if self.own[number].shared {
            return;
        }
        let held = (self.random.below(2) == 0).then(|| self.own[number].array.clone());
        let Known { array, values, .. } = &mut self.own[number];
        let rows = array.shape().dims()[0];
        let start = self.random.below(rows);
        let limit = start + 1 + self.random.below(rows - start);
        let rank = array.shape().rank();
        let mut first: Vec<i64> = vec![0; rank];
        let mut last: Vec<i64> = array.shape().dims().iter().map(|&size| size as i64).collect();
        (first[0], last[0]) = (start as i64, limit as i64);
        let part = array.expr().slice(&first, &last) * 3u32;
        part.eval_into(array.slice_mut(&first, &last).unwrap()).unwrap();
        let row = values.len() / rows;
        let before = values.clone();
        values[start * row..limit * row].iter_mut().for_each(|v| *v = v.wrapping_mul(3));
        if let Some(held) = held.filter(|_| self.random.below(4) == 0) {
            assert!(held.to_vec_blocking().unwrap() == before);
        }
    }

    fn several(&mut self) {
        let (x, values) = self.pick();
        let (twice, not) = indim::eval((&x + &x, !&x)).unwrap();
        let doubled = values.iter().map(|v| v.wrapping_mul(2)).collect();
        self.own.push(Known { array: twice, values: doubled, shared: false });
        self.own.push(Known {
            array: not,
            values: values.iter().map(|v| !v).collect(),
            shared: false,
        });
    }

    fn elementwise(&mut self) {
        let (x, values) = self.pick();
        let factor = self.random.below(1000) as u32;
        let array = ((&x * factor + &x) ^ 0x5555_5555u32).eval().unwrap();
        let result = |&v: &u32| v.wrapping_mul(factor).wrapping_add(v) ^ 0x5555_5555;
        self.own.push(Known { array, values: values.iter().map(result).collect(), shared: false });
    }

    /// Into a shape that may be new.
    fn broadcast(&mut self) {
        let (x, values) = self.pick();
        let times = if values.len() > 50_000 { 1 } else { self.random.below(5) + 1 };
        let wide = indim::broadcast(&x, &[times as i64]).unwrap();
        let count = (wide.shape().element_count().unwrap()) as i64;
        let array = (indim::reshape(&wide, &[count]).unwrap() + 1u32).eval().unwrap();
        let values = (0..times).flat_map(|_| values.iter().map(|v| v.wrapping_add(1))).collect();
        self.own.push(Known { array, values, shared: false });
    }

    /// Some hundred operations, one kernel each or all in one.
    fn long(&mut self) {
        let (x, values) = self.pick();
        let steps = self.random.below(150) as u32;
        let array = if self.random.below(2) == 0 {
            (0..steps).fold(x.expr(), |sum, step| sum * 3u32 + step).eval().unwrap()
        } else {
            (0..steps).fold(x, |sum, step| (&sum * 3u32 + step).eval().unwrap())
        };
        let result = |&v: &u32| (0..steps).fold(v, |v, s| v.wrapping_mul(3).wrapping_add(s));
        self.own.push(Known { array, values: values.iter().map(result).collect(), shared: false });
    }

    fn read(&mut self) {
        let (array, values) = self.pick();
        assert!(array.to_vec_blocking().unwrap() == values);
    }

    fn read_awaited(&mut self) {
        let (array, values) = self.pick();
        assert!(pollster::block_on(array.to_vec()).unwrap() == values);
    }

    /// A reading that is dropped at any point.
    fn give_up(&mut self) {
        let (array, values) = self.pick();
        let mut reading = Box::pin(array.to_vec());
        let mut task = Task::from_waker(Waker::noop());
        for _ in 0..self.random.below(4) {
            let polled = std::future::Future::poll(reading.as_mut(), &mut task);
            if let std::task::Poll::Ready(read) = polled {
                assert!(read.unwrap() == values);
                return;
            }
            std::thread::yield_now();
        }
    }

    fn drop_one(&mut self) {
        if !self.own.is_empty() {
            let number = self.random.below(self.own.len());
            self.own.swap_remove(number);
        }
    }

    /// Now and then: kernels have to be compiled again.
    fn trim(&mut self) {
        if self.random.below(10) == 0 {
            self.gpu.trim();
        }
    }

    fn prewarm(&mut self) {
        let dims = [self.random.below(50) + 1, self.random.below(4) + 1];
        self.gpu.prewarm(&[&sum_of(&dims)]).unwrap();
        let x = known(&self.gpu, &mut self.random, &dims);
        let sum = self.gpu.run(&sum_of(&dims), &[x.array.as_any(), x.array.as_any()]).unwrap();
        let values = x.values.iter().map(|v| v.wrapping_add(*v)).collect();
        self.own.push(Known { array: sum.downcast().unwrap(), values, shared: false });
    }

    /// As a caller-owned buffer, and back as an array in it.
    fn give_out(&mut self) {
        let known = match self.random.below(self.own.len() + 1) {
            0 => &*self.shared,
            number => {
                let known = &mut self.own[number - 1];
                known.shared = true;
                known
            }
        };
        let (range, values) = (known.array.buffer().unwrap(), known.values.clone());
        let again = self.gpu.array_from_buffer::<u32>([values.len()], range.buffer, range.offset);
        self.own.push(Known { array: again.unwrap(), values, shared: true });
    }

    /// 8 MiB and more, which is a batch by itself.
    fn large(&mut self) {
        let (x, values) = self.pick();
        if values.len() > 10_000 {
            return;
        }
        let times = (2 << 20) / values.len() + 1;
        let wide = indim::broadcast(&x, &[times as i64]).unwrap();
        drop(x);
        let sum = (&wide + &wide).eval().unwrap();
        drop(wide);
        let last = sum.to_vec_blocking().unwrap();
        let want = values.iter().map(|v| v.wrapping_add(*v));
        assert!(last[last.len() - values.len()..].iter().copied().eq(want));
    }

    fn check_all(&self) {
        for known in &self.own {
            assert!(known.array.to_vec_blocking().unwrap() == known.values);
        }
    }
}
