//! Measures what calls cost the host.

use std::time::{Duration, Instant};

use indim::{Context, Result};

/// Returns the shortest time of a round, among groups of them. Each round is given a number that no
/// other has. The device is idle before a group, and is not waited for within one.
///
/// On Linux it is the time that the calling thread runs, so that a software adapter's threads and
/// other processes do not count.
///
/// # Errors
/// The error of a round, or of waiting.
pub fn least(
    gpu: &Context,
    [groups, rounds]: [u32; 2],
    mut round: impl FnMut(f32) -> Result<()>,
) -> Result<Duration> {
    let (mut least, start) = (Duration::MAX, Instant::now());
    for group in 0..groups {
        gpu.wait()?;
        let begin = now(start);
        for number in 0..rounds {
            round(2.0 + (group * rounds + number) as f32)?;
        }
        least = least.min((now(start) - begin) / rounds);
    }
    Ok(least)
}

/// Returns the time that this thread has run, or, where that is unknown, the time of a clock.
fn now(start: Instant) -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let run = text.and_then(|text| text.split(' ').next()?.parse().ok());
    run.map_or_else(|| start.elapsed(), Duration::from_nanos)
}
