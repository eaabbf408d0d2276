//! Measures how long it takes to make a context, and how much of that time goes to choosing the
//! ways of computing quotients, roots, F16, floats of integers, subnormals and guarded sums. It
//! prints medians, as rows of the table in `docs/performance.md`.
//!
//! `scripts/with-adapter cargo run --release --example startup`

use std::time::{Duration, Instant};

use indim::{Context, ContextOptions, Result};

/// Contexts that are made in each way; one more is made before, and not counted.
const SAMPLES: usize = 21;

fn main() -> Result<()> {
    let first = Context::blocking()?;
    let info = first.adapter_info();
    println!("{} ({}, {})", info.name, info.backend, info.driver_info);
    println!("| a context | ms |\n|---|---|");

    // The choices of a context are those of its adapter, so that another one there need not look.
    let open = ContextOptions::from_env();
    let mut chosen = open.clone();
    chosen.plan_limits = Some(first.plan_limits().clone());

    // Both are measured by turns, since the machine's speed drifts.
    let (mut choosing, mut told) = (Vec::new(), Vec::new());
    for _ in 0..SAMPLES {
        for (options, times) in [(&open, &mut choosing), (&chosen, &mut told)] {
            let begin = Instant::now();
            let gpu = Context::blocking_with_options(options.clone())?;
            times.push(begin.elapsed());
            drop(gpu);
        }
    }
    println!("| that chooses how to compute | {:.1} |", median(choosing));
    println!("| that is told (`ContextOptions::plan_limits`) | {:.1} |", median(told));
    Ok(())
}

/// Returns the median in milliseconds.
fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e3
}
