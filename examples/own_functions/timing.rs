//! Times each function beside the same written with built-in operations.

use std::error::Error;
use std::time::{Duration, Instant};

use indim::{Context, Expr, Function, Precision};

use crate::{Inputs, OPERATIONS, fused};

const SIZES: [usize; 2] = [2048, 2048];
const ROUNDS: usize = 7;

/// A round computes a value as often as fits in this, so that waiting for the device does not count.
const ROUND: Duration = Duration::from_millis(50);

/// The ratio that a function should not exceed.
const MOST: f64 = 1.10;

const HEADER: &str = "\
Each with two operations around it, one kernel; milliseconds, the median of seven rounds by turns.
The last two columns are the function's time over each way's. Accurate operations promise what
WGSL's own functions and divisions do not, and relaxed ones are written with these; so where there is
an exp, a power, a square root or a division, the relaxed column compares like with like.
";

pub(crate) fn run(gpu: &Context) -> Result<(), Box<dyn Error>> {
    let info = gpu.adapter_info();
    println!("{} ({}), {} x {} elements", info.name, info.driver_info, SIZES[0], SIZES[1]);
    println!("{HEADER}");
    println!(
        "{:14} {:>9} {:>9} {:>9}  {:>9} {:>9}",
        "function", "own", "accurate", "relaxed", "/accurate", "/relaxed"
    );
    let inputs = Inputs::new(gpu, SIZES)?;
    for operation in OPERATIONS {
        let function = Function::wgsl(operation.text)?;
        let built_in = fused((operation.built_in)(&inputs));
        let ways = [
            fused((operation.call)(&function, &inputs)?),
            built_in.clone(),
            built_in.with_precision(Precision::Relaxed),
        ];
        agree(function.name(), &ways)?;
        let [own, accurate, relaxed] = medians(gpu, &ways)?;
        let [to_accurate, to_relaxed] = [own / accurate, own / relaxed];
        let note = if to_accurate.min(to_relaxed) > MOST { "  above 1.10" } else { "" };
        println!(
            "{:14} {own:9.3} {accurate:9.3} {relaxed:9.3}  {to_accurate:9.2} {to_relaxed:9.2}{note}",
            function.name()
        );
    }
    Ok(())
}

/// Checks that the ways give the same values but for rounding, each by one kernel.
fn agree(name: &str, ways: &[Expr<f32>; 3]) -> Result<(), Box<dyn Error>> {
    let mut values = Vec::with_capacity(ways.len());
    for (number, way) in ways.iter().enumerate() {
        let kernels = indim::explain(way)?.kernels.len();
        if kernels != 1 {
            return Err(format!("{name}: way {number} has {kernels} kernels").into());
        }
        values.push(way.eval()?.to_vec_blocking()?);
    }
    for other in &values[1..] {
        let is_close = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-3 * b.abs().max(1.0);
        if !values[0].iter().zip(other).all(is_close) {
            return Err(format!("{name}: the function and the operations do not agree").into());
        }
    }
    Ok(())
}

/// Returns the time of one evaluation of each way, in milliseconds.
fn medians(gpu: &Context, ways: &[Expr<f32>; 3]) -> indim::Result<[f64; 3]> {
    let mut repeats = [1; 3];
    for (way, repeats) in ways.iter().zip(&mut repeats) {
        // Pipelines were made when the ways were compared; this makes memory ready.
        evaluate(gpu, way, 1)?;
        let once = evaluate(gpu, way, 1)?;
        *repeats = (ROUND.as_secs_f64() / once.as_secs_f64()).ceil().clamp(1.0, 200.0) as u32;
    }
    let mut rounds = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        for (way, (&repeats, times)) in ways.iter().zip(repeats.iter().zip(&mut rounds)) {
            times.push(evaluate(gpu, way, repeats)?.as_secs_f64() * 1e3 / f64::from(repeats));
        }
    }
    Ok(rounds.map(|mut times| {
        times.sort_by(f64::total_cmp);
        times[ROUNDS / 2]
    }))
}

/// Evaluates a value `repeats` times, and waits for the device.
fn evaluate(gpu: &Context, way: &Expr<f32>, repeats: u32) -> indim::Result<Duration> {
    let start = Instant::now();
    for _ in 0..repeats {
        // The result's memory is used again by the next evaluation.
        drop(way.eval()?);
    }
    gpu.wait()?;
    Ok(start.elapsed())
}
