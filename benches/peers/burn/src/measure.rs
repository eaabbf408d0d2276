//! Time for an evaluation and a wait, after the result was found right.

use std::time::{Duration, Instant};

use burn::tensor::{Device, Tensor};

/// What a pattern gave.
pub struct Measured {
    pub result_elements: usize,
    pub bytes: usize,
    pub median_ms: f64,
    pub min_ms: f64,
    pub samples: usize,
    /// Evaluations for each wait.
    pub repeat: usize,
}

impl Measured {
    /// The same for `count` evaluations, each of which reads and writes everything.
    pub fn each(self, count: usize) -> Self {
        Self { result_elements: self.result_elements * count, bytes: self.bytes * count, ..self }
    }
}

/// How to measure.
pub struct Bench {
    pub device: Device,
    /// Evaluations for each wait, of patterns that are not about the wait.
    pub repeat: usize,
}

/// Samples of a pattern, unless they take too long.
const SAMPLES: usize = 20;
/// The samples also last this long.
const ENOUGH: Duration = Duration::from_millis(1500);
/// Fewer samples will do beyond this.
const TOO_LONG: Duration = Duration::from_secs(20);
/// Elements that are compared at the start, the middle and the end of a result.
const CHECKED: usize = 4099;

impl Bench {
    /// A pattern about throughput: `evaluate` gives one tensor.
    pub fn throughput<const D: usize>(
        &self,
        read_bytes: usize,
        tolerance: f32,
        evaluate: impl Fn() -> Tensor<D>,
        expected: impl Fn([usize; D]) -> f32,
    ) -> Result<Measured, String> {
        self.measure(
            read_bytes,
            self.repeat,
            || vec![evaluate()],
            |results| check(&results[0], tolerance, &expected),
        )
    }

    /// A pattern about throughput that gives several tensors.
    pub fn several<const D: usize>(
        &self,
        read_bytes: usize,
        evaluate: impl Fn() -> Vec<Tensor<D>>,
        verify: impl Fn(&[Tensor<D>]) -> Result<(), String>,
    ) -> Result<Measured, String> {
        self.measure(read_bytes, self.repeat, evaluate, verify)
    }

    /// A pattern about latency: one wait for each evaluation, which gives one or more tensors.
    pub fn latency<const D: usize>(
        &self,
        read_bytes: usize,
        evaluate: impl Fn() -> Vec<Tensor<D>>,
        verify: impl Fn(&[Tensor<D>]) -> Result<(), String>,
    ) -> Result<Measured, String> {
        self.measure(read_bytes, 1, evaluate, verify)
    }

    fn measure<const D: usize>(
        &self,
        read_bytes: usize,
        repeat: usize,
        evaluate: impl Fn() -> Vec<Tensor<D>>,
        verify: impl Fn(&[Tensor<D>]) -> Result<(), String>,
    ) -> Result<Measured, String> {
        let results = evaluate();
        self.wait()?;
        verify(&results)?;
        let result_elements =
            results.iter().map(|result| result.shape().num_elements()).sum::<usize>();
        drop(results);

        // Kernels are compiled and fusions chosen in the first evaluations, not all in the very first.
        let begin = Instant::now();
        for _ in 0..5 {
            self.sample(repeat, &evaluate)?;
        }
        while begin.elapsed() < Duration::from_millis(500) {
            self.sample(repeat, &evaluate)?;
        }

        let mut times = Vec::new();
        let begin = Instant::now();
        while (times.len() < SAMPLES && begin.elapsed() < TOO_LONG) || begin.elapsed() < ENOUGH {
            times.push(self.sample(repeat, &evaluate)?.as_secs_f64() * 1e3 / repeat as f64);
        }
        times.sort_by(f64::total_cmp);
        let (low, high) = (times[(times.len() - 1) / 2], times[times.len() / 2]);
        Ok(Measured {
            result_elements,
            bytes: read_bytes + result_elements * size_of::<f32>(),
            median_ms: (low + high) / 2.0,
            min_ms: times[0],
            samples: times.len(),
            repeat,
        })
    }

    /// The time for `repeat` evaluations and one wait. A result lives until it has been computed,
    /// since burn with fusion skips dropped tensors; its memory serves the next evaluation.
    fn sample<R>(&self, repeat: usize, evaluate: impl Fn() -> R) -> Result<Duration, String> {
        let begin = Instant::now();
        for _ in 1..repeat {
            let result = evaluate();
            self.device.flush().map_err(|error| error.to_string())?;
            drop(result);
        }
        let result = evaluate();
        self.wait()?;
        let time = begin.elapsed();
        drop(result);
        Ok(time)
    }

    fn wait(&self) -> Result<(), String> {
        self.device.sync().map_err(|error| error.to_string())
    }
}

/// Compares three runs of elements with what the CPU computes.
pub fn check<const D: usize>(
    result: &Tensor<D>,
    tolerance: f32,
    expected: impl Fn([usize; D]) -> f32,
) -> Result<(), String> {
    let dims = result.dims();
    let count: usize = dims.iter().product();
    let length = CHECKED.min(count);
    let flat: Tensor<1> = result.clone().reshape([count]);
    // A small result is one run.
    let starts = [0, (count - length) / 2, count - length];
    for start in starts.into_iter().take(if length == count { 1 } else { 3 }) {
        let run = flat.clone().slice([start..start + length]).try_into_vec_as::<f32>();
        let run = run.map_err(|error| format!("reading the result: {error}"))?;
        for (offset, value) in run.into_iter().enumerate() {
            let index = unravel(start + offset, dims);
            let wanted = expected(index);
            // A NaN is not near anything.
            let near = (value - wanted).abs() <= tolerance * wanted.abs().max(1.0);
            if !near {
                return Err(format!("wrong result: {value} at {index:?}, not {wanted}"));
            }
        }
    }
    Ok(())
}

fn unravel<const D: usize>(mut flat: usize, dims: [usize; D]) -> [usize; D] {
    let mut index = [0; D];
    for (index, size) in index.iter_mut().zip(dims).rev() {
        *index = flat % size;
        flat /= size;
    }
    index
}
