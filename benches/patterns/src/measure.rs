//! Measures one pattern: our kernels and the floor alternate, so that other load on the machine
//! affects both; in types other than F32, our F32 run takes turns, too.

use std::time::{Duration, Instant};

use indim::wgpu::{self, BufferUsages};
use indim::{AnyArray, Context, DeviceError, ElementType, Shape};

use crate::clock::Clock;
use crate::device::{PreparedFloor, buffer, checked};
use crate::error::{BenchError, Result};
use crate::floors;
use crate::kernel::Tuning;
use crate::patterns::{Pattern, Sizes, count, device_bytes};
use crate::programs;
use crate::reductions;
use crate::tasks::Task;
use crate::typed;
use crate::verify::{parts, verify};
use crate::workload::Workload;

/// The least number of samples, also in a trial of no duration.
const SAMPLES: usize = 20;
const TRIAL_SAMPLES: usize = 3;

/// The shortest device time of one sample; shorter work is repeated.
const STRETCH: Duration = Duration::from_millis(1);

/// The most repetitions in a sample.
const MAX_REPEATS: usize = 16;

/// The time for which the floors' waits poll before they sleep.
const AWAKE: Duration = Duration::from_millis(5);

/// The measurements of one pattern.
#[derive(Debug, Clone)]
pub(crate) struct Measured {
    pub(crate) pattern: Pattern,
    pub(crate) element_type: ElementType,
    /// The requested number of elements.
    pub(crate) elements: usize,
    pub(crate) result_elements: usize,
    pub(crate) bytes: u64,
    /// Medians.
    pub(crate) median: Duration,
    /// The floor's time; `None` if there is no floor for the element type.
    pub(crate) floor: Option<Duration>,
    /// Our time in F32, if the element type is another one.
    pub(crate) in_f32: Option<Duration>,
    /// True for the device's timestamps, false for the wall clock.
    pub(crate) by_timestamps: bool,
    /// The number of kernels compiled by the first run.
    pub(crate) pipelines: u64,
}

impl Measured {
    /// Returns the ratio of our time to the floor's.
    pub(crate) fn ratio(&self) -> Option<f64> {
        self.floor.map(|floor| self.median.as_secs_f64() / floor.as_secs_f64().max(1e-12))
    }

    /// Returns the ratio of elements per second to those in F32.
    pub(crate) fn speed_of_f32(&self) -> f64 {
        let in_f32 = self.in_f32.unwrap_or(self.median);
        in_f32.as_secs_f64() / self.median.as_secs_f64().max(1e-12)
    }

    pub(crate) fn elements_per_s(&self) -> f64 {
        self.result_elements as f64 / self.median.as_secs_f64().max(1e-12)
    }

    pub(crate) fn gb_per_s(&self) -> f64 {
        self.bytes as f64 / 1e9 / self.median.as_secs_f64().max(1e-12)
    }

    pub(crate) fn ns_per_element(&self) -> f64 {
        1e9 / self.elements_per_s().max(1e-12)
    }
}

/// A timed contender: our computation, or the floor.
enum Side {
    Library(Workload),
    Kernels(PreparedFloor),
}

impl Side {
    /// Records, and submits.
    fn submit(&self, gpu: &Context, repeats: usize) -> Result<()> {
        self.record(gpu, repeats)?;
        match self {
            Self::Library(_) => Ok(gpu.flush()?),
            Self::Kernels(_) => Ok(()),
        }
    }

    /// Records, submits and waits.
    fn complete(&self, gpu: &Context) -> Result<()> {
        self.record(gpu, 1)?;
        match self {
            Self::Library(_) => Ok(gpu.wait()?),
            Self::Kernels(_) => idle(gpu),
        }
    }

    fn record(&self, gpu: &Context, repeats: usize) -> Result<()> {
        match self {
            // Each result is dropped at once, so that its memory is recycled.
            Self::Library(workload) => {
                for _ in 0..repeats {
                    workload.run()?;
                }
                Ok(())
            }
            Self::Kernels(kernels) => {
                kernels.submit(gpu, repeats);
                Ok(())
            }
        }
    }
}

/// The outcome of a task, or the message of its error.
pub(crate) type Row = std::result::Result<Measured, (Task, String)>;

/// Floors for another device than the one that measures, to test them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Floors {
    /// For processors without 64-bit integers.
    Narrow,
    /// For GPUs.
    Gpu,
}

/// The settings of a measurement.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Settings {
    /// The least time to sample a pattern.
    pub(crate) least: Duration,
    /// The device whose floors are used; `None` for the current one.
    pub(crate) floors: Option<Floors>,
}

/// Measures a pattern in a type that it supports.
pub(crate) fn measure(
    gpu: &Context,
    clock: &Clock<'_>,
    (pattern, of): (Pattern, ElementType),
    elements: usize,
    settings: Settings,
) -> Result<Measured> {
    check_sizes(gpu, pattern, elements, of)?;
    let workload = Workload::new(gpu, pattern, elements, of)?;
    let compiled = gpu.stats().pipelines;
    let first = workload.run()?;
    let pipelines = gpu.stats().pipelines - compiled;
    if pattern.is_program() {
        programs::check(pattern, &pattern.sizes(elements), &workload.operands, &first)?;
    }
    let ours = match of {
        ElementType::F32 => Workload::floor(gpu, pattern, elements)?,
        _ => None,
    };
    let floor = match ours {
        Some(ours) => Some(Side::Library(ours)),
        None => floor(gpu, (pattern, of), elements, settings, &workload, &first)?,
    };
    drop(first);
    let other = (of != ElementType::F32)
        .then(|| Workload::new(gpu, pattern, elements, ElementType::F32))
        .transpose()?;
    let (has_floor, has_other) = (floor.is_some(), other.is_some());
    let sides: Vec<Side> = std::iter::once(Side::Library(workload))
        .chain(floor)
        .chain(other.map(Side::Library))
        .collect();
    let run = Run { gpu, clock, by_timestamps: clock.has_timestamps() && !pattern.is_latency() };
    let mut medians = run.alternate(&sides, settings.least)?.into_iter();
    Ok(Measured {
        pattern,
        element_type: of,
        elements,
        result_elements: pattern.result_elements(elements),
        bytes: pattern.bytes(elements, of),
        median: medians.next().unwrap_or_default(),
        floor: has_floor.then(|| medians.next()).flatten(),
        in_f32: has_other.then(|| medians.next()).flatten(),
        by_timestamps: run.by_timestamps,
        pipelines,
    })
}

/// Returns the floor, if there is one for the type, after comparing its result with ours.
fn floor(
    gpu: &Context,
    (pattern, of): (Pattern, ElementType),
    elements: usize,
    settings: Settings,
    workload: &Workload,
    ours: &AnyArray,
) -> Result<Option<Side>> {
    let sizes = pattern.sizes(elements);
    let written = count(&sizes.result) as u64;
    let bytes = device_bytes(of, count(&sizes.result));
    let tuning = tuning(gpu, settings);
    let int64 = gpu.device().features().contains(wgpu::Features::SHADER_INT64);
    let floor = match of {
        ElementType::F32 => floors::floor(pattern, &sizes, tuning),
        _ if pattern == Pattern::Same => typed::floor(of, bytes, tuning, int64),
        _ => None,
    };
    let Some(floor) = floor else { return Ok(None) };
    let operands =
        workload.operands.iter().map(AnyArray::buffer).collect::<indim::Result<Vec<_>>>()?;
    let floor = PreparedFloor::new(gpu, &floor, &operands, bytes)?;
    checked(gpu, "the floor", || floor.submit(gpu, 1))?;
    let of = (reductions::result_type(pattern, of), parts(pattern, &sizes));
    verify(gpu, of, &ours.buffer()?, &floor.result, written)?;
    Ok(Some(Side::Kernels(floor)))
}

/// Rejects arrays larger than any buffer of the device, before operands are made.
fn check_sizes(gpu: &Context, pattern: Pattern, elements: usize, of: ElementType) -> Result<()> {
    let Sizes { operands, result } = pattern.sizes(elements);
    let allowed = gpu.device().limits().max_buffer_size;
    for sizes in operands.iter().chain([&result]) {
        let bytes = device_bytes(of, count(sizes));
        if bytes > allowed {
            let error = DeviceError::TooLarge {
                element_type: of,
                shape: Shape::new(sizes),
                bytes,
                limit: "max_buffer_size",
                allowed,
            };
            return Err(indim::Error::from(error).into());
        }
    }
    Ok(())
}

fn tuning(gpu: &Context, settings: Settings) -> Tuning {
    let limits = gpu.device().limits();
    let software = gpu.adapter_info().device_type == wgpu::DeviceType::Cpu;
    let wide = software && gpu.device().features().contains(wgpu::Features::SHADER_INT64);
    let (software, wide) = match settings.floors {
        None => (software, wide),
        Some(Floors::Narrow) => (true, false),
        Some(Floors::Gpu) => (false, false),
    };
    Tuning {
        software,
        wide,
        max_compute_workgroups_per_dimension: limits.max_compute_workgroups_per_dimension as usize,
        max_storage_buffer_binding_size: limits.max_storage_buffer_binding_size,
    }
}

struct Run<'a> {
    gpu: &'a Context,
    clock: &'a Clock<'a>,
    by_timestamps: bool,
}

impl Run<'_> {
    /// Samples all contenders in turn, and returns their medians.
    fn alternate(&self, sides: &[Side], least: Duration) -> Result<Vec<Duration>> {
        let (host, repeats) = self.warm_up(sides, least / 5)?;
        let mut samples = vec![Vec::new(); sides.len()];
        let start = Instant::now();
        while samples[0].len() < enough(least) || start.elapsed() < least {
            for (samples, side) in samples.iter_mut().zip(sides) {
                samples.push(self.sample(side, host, repeats)?);
            }
        }
        Ok(samples.into_iter().map(median).collect())
    }

    fn sample(&self, side: &Side, host: Duration, repeats: usize) -> Result<Duration> {
        if self.by_timestamps {
            let taken = self.clock.submissions(host, &|| side.submit(self.gpu, repeats))?;
            return Ok(taken / repeats as u32);
        }
        let start = Instant::now();
        side.complete(self.gpu)?;
        Ok(start.elapsed())
    }

    /// Runs every contender for the given time. Returns the host's time for a sample, and the
    /// repetitions in one.
    fn warm_up(&self, sides: &[Side], least: Duration) -> Result<(Duration, usize)> {
        let (mut hosts, mut samples) = (Vec::new(), Vec::new());
        let start = Instant::now();
        while samples.len() < 2 || start.elapsed() < least {
            for side in sides {
                let begun = Instant::now();
                side.submit(self.gpu, 1)?;
                hosts.push(begun.elapsed());
                idle(self.gpu)?;
                samples.push(begun.elapsed());
            }
        }
        if !self.by_timestamps {
            return Ok((Duration::ZERO, 1));
        }
        let repeats = (STRETCH.as_secs_f64() / median(samples).as_secs_f64()).ceil() as usize;
        let repeats = repeats.clamp(1, MAX_REPEATS);
        Ok((median(hosts) * repeats as u32, repeats))
    }
}

/// Waits for all submissions as the library does: polling at first, because waking a software
/// adapter's threads costs more than a small dispatch.
fn idle(gpu: &Context) -> Result<()> {
    let begun = Instant::now();
    while begun.elapsed() < AWAKE {
        if gpu.device().poll(wgpu::PollType::Poll).is_ok_and(|status| status.is_queue_empty()) {
            return Ok(());
        }
        std::thread::yield_now();
    }
    let polled = gpu.device().poll(wgpu::PollType::wait_indefinitely());
    polled.map(drop).map_err(|error| BenchError::new(format!("waiting for the device: {error}")))
}

fn enough(least: Duration) -> usize {
    if least.is_zero() { TRIAL_SAMPLES } else { SAMPLES }
}

fn median(mut samples: Vec<Duration>) -> Duration {
    samples.sort_unstable();
    match samples.len() {
        0 => Duration::ZERO,
        n if n % 2 == 1 => samples[n / 2],
        n => (samples[n / 2 - 1] + samples[n / 2]) / 2,
    }
}

/// Returns the rate, in units of 10^9 bytes per second read and written, of a plain buffer copy on
/// the device.
pub(crate) fn copy_gb_per_s(
    gpu: &Context,
    clock: &Clock<'_>,
    bytes: u64,
    least: Duration,
) -> Result<f64> {
    let copied = BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
    let (from, to) = (buffer(gpu, bytes, copied)?, buffer(gpu, bytes, copied)?);
    let copy = || clock.commands(&|encoder| encoder.copy_buffer_to_buffer(&from, 0, &to, 0, bytes));
    let mut samples = Vec::new();
    let start = Instant::now();
    // The first copies touch fresh memory.
    while start.elapsed() < least / 5 || samples.len() < 2 {
        samples.push(copy()?);
    }
    samples.clear();
    let start = Instant::now();
    while samples.len() < enough(least) || start.elapsed() < least {
        samples.push(copy()?);
    }
    Ok(2.0 * bytes as f64 / 1e9 / median(samples).as_secs_f64().max(1e-12))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_are_in_the_middle() {
        let ms = |n: &[u64]| n.iter().map(|&n| Duration::from_millis(n)).collect();
        assert_eq!(median(ms(&[5, 1, 100])), Duration::from_millis(5));
        assert_eq!(median(ms(&[4, 1, 100, 2])), Duration::from_millis(3));
        assert_eq!(median(Vec::new()), Duration::ZERO);
    }
}
