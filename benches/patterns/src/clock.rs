//! Measures the time of a piece of work: by the device's timestamps if they can be trusted,
//! otherwise by the wall clock around a wait.

use std::time::{Duration, Instant};

use indim::Context;
use indim::wgpu::{self, BufferUsages, Features};

use crate::device::{buffer, checked, wait};
use crate::error::{BenchError, Result};

/// The device features that timestamps need.
pub(crate) const FEATURES: Features =
    Features::TIMESTAMP_QUERY.union(Features::TIMESTAMP_QUERY_INSIDE_ENCODERS);

/// The bytes of the copies that keep the device busy while the host records.
const DELAY_BYTES: u64 = 4 << 20;

/// The largest number of delay copies before a piece of work.
const MAX_DELAY_COPIES: usize = 512;

/// A clock for work on one device.
pub(crate) struct Clock<'a> {
    gpu: &'a Context,
    stamps: Option<Stamps>,
    /// Why there are no timestamps.
    pub(crate) without: Option<String>,
}

/// Two timestamps, with the buffers to read them.
struct Stamps {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    readable: wgpu::Buffer,
    /// Nanoseconds per tick.
    period: f64,
    /// True if timestamps may be written between passes; otherwise each needs an empty pass around
    /// it.
    inside_encoders: bool,
    delay: [wgpu::Buffer; 2],
    /// The time of one delay copy.
    delay_copy: Duration,
}

impl<'a> Clock<'a> {
    /// Returns the best clock for the context. Timestamps that the wall clock contradicts are not
    /// used.
    pub(crate) fn new(gpu: &'a Context, wall_wanted: bool) -> Result<Self> {
        let wall = |why: &str| Self { gpu, stamps: None, without: Some(why.to_owned()) };
        if wall_wanted {
            return Ok(wall("as asked for"));
        }
        if !gpu.device().features().contains(Features::TIMESTAMP_QUERY) {
            return Ok(wall("the adapter has no timestamps"));
        }
        let mut clock = Self { gpu, stamps: Some(Stamps::new(gpu)?), without: None };
        let mut why = String::new();
        // A busy machine may delay the wait, but not every time.
        for _ in 0..8 {
            let (copies, stamped, walled) = clock.both_clocks()?;
            let share = stamped.as_secs_f64() / walled.as_secs_f64();
            if (0.6..=1.05).contains(&share) {
                if let Some(stamps) = &mut clock.stamps {
                    stamps.delay_copy = stamped / copies;
                }
                return Ok(clock);
            }
            why = format!("its timestamps say {stamped:.1?} of copies that take {walled:.1?}");
        }
        Ok(wall(&why))
    }

    /// Measures copies by timestamps and by the wall clock, enough of them that the overhead of
    /// starting and waiting is negligible.
    fn both_clocks(&self) -> Result<(u32, Duration, Duration)> {
        let mut copies = 1;
        loop {
            let start = Instant::now();
            let stamped = self.commands(&|encoder| self.delay(encoder, copies as usize))?;
            let walled = start.elapsed();
            let enough = stamped.min(walled) >= Duration::from_millis(10);
            if enough || copies >= 1 << 16 || walled >= Duration::from_secs(1) {
                return Ok((copies, stamped, walled));
            }
            copies *= 2;
        }
    }

    pub(crate) fn has_timestamps(&self) -> bool {
        self.stamps.is_some()
    }

    /// Measures the time of one encoder's commands.
    pub(crate) fn commands(&self, record: &dyn Fn(&mut wgpu::CommandEncoder)) -> Result<Duration> {
        let mut encoder = self.encoder();
        if let Some(stamps) = &self.stamps {
            stamps.write(&mut encoder, 0);
            record(&mut encoder);
            stamps.write(&mut encoder, 1);
            stamps.resolve(&mut encoder);
            self.submit(encoder)?;
            return stamps.read(self.gpu);
        }
        record(&mut encoder);
        let start = Instant::now();
        let submission = self.submit(encoder)?;
        wait(self.gpu, submission)?;
        Ok(start.elapsed())
    }

    /// Measures the device time of the commands that `work` submits.
    ///
    /// The device is first kept busy for `host`, the time that the host needs to record and submit,
    /// so that it never waits for the host in between.
    pub(crate) fn submissions(
        &self,
        host: Duration,
        work: &dyn Fn() -> Result<()>,
    ) -> Result<Duration> {
        let Some(stamps) = &self.stamps else { return Ok(Duration::ZERO) };
        let copies = 1.5 * host.as_secs_f64() / stamps.delay_copy.as_secs_f64().max(1e-9);
        let mut encoder = self.encoder();
        self.delay(&mut encoder, (copies.ceil() as usize).clamp(1, MAX_DELAY_COPIES));
        stamps.write(&mut encoder, 0);
        self.submit(encoder)?;
        work()?;
        let mut encoder = self.encoder();
        stamps.write(&mut encoder, 1);
        stamps.resolve(&mut encoder);
        self.submit(encoder)?;
        stamps.read(self.gpu)
    }

    fn delay(&self, encoder: &mut wgpu::CommandEncoder, copies: usize) {
        let Some(Stamps { delay: [from, to], .. }) = &self.stamps else { return };
        for _ in 0..copies {
            encoder.copy_buffer_to_buffer(from, 0, to, 0, DELAY_BYTES);
        }
    }

    fn encoder(&self) -> wgpu::CommandEncoder {
        self.gpu.device().create_command_encoder(&Default::default())
    }

    fn submit(&self, encoder: wgpu::CommandEncoder) -> Result<wgpu::SubmissionIndex> {
        checked(self.gpu, "a measurement", || self.gpu.queue().submit([encoder.finish()]))
    }
}

impl Stamps {
    fn new(gpu: &Context) -> Result<Self> {
        let queries = checked(gpu, "timestamps", || {
            gpu.device().create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("indim bench"),
                ty: wgpu::QueryType::Timestamp,
                count: 2,
            })
        })?;
        let copied = BufferUsages::COPY_SRC | BufferUsages::COPY_DST;
        let delay = [buffer(gpu, DELAY_BYTES, copied)?, buffer(gpu, DELAY_BYTES, copied)?];
        let features = gpu.device().features();
        Ok(Self {
            queries,
            resolved: buffer(gpu, 16, BufferUsages::QUERY_RESOLVE | BufferUsages::COPY_SRC)?,
            readable: buffer(gpu, 16, BufferUsages::MAP_READ | BufferUsages::COPY_DST)?,
            period: f64::from(gpu.queue().get_timestamp_period()),
            inside_encoders: features.contains(Features::TIMESTAMP_QUERY_INSIDE_ENCODERS),
            delay,
            delay_copy: Duration::ZERO,
        })
    }

    /// Writes a timestamp once all previous commands have run.
    fn write(&self, encoder: &mut wgpu::CommandEncoder, index: u32) {
        if self.inside_encoders {
            encoder.write_timestamp(&self.queries, index);
            return;
        }
        encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: None,
            timestamp_writes: Some(wgpu::ComputePassTimestampWrites {
                query_set: &self.queries,
                beginning_of_pass_write_index: (index == 1).then_some(index),
                end_of_pass_write_index: (index == 0).then_some(index),
            }),
        });
    }

    fn resolve(&self, encoder: &mut wgpu::CommandEncoder) {
        encoder.resolve_query_set(&self.queries, 0..2, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, &self.readable, 0, 16);
    }

    /// Waits for all submissions, and returns the time between the two timestamps.
    fn read(&self, gpu: &Context) -> Result<Duration> {
        let bytes = read(gpu, &self.readable)?;
        let tick = |at: usize| {
            bytes.get(at..at + 8).and_then(|b| b.try_into().ok()).map_or(0, u64::from_le_bytes)
        };
        let ticks = tick(8).saturating_sub(tick(0));
        Ok(Duration::from_nanos((ticks as f64 * self.period) as u64))
    }
}

/// Returns the contents of a mappable buffer, once all submissions have run.
pub(crate) fn read(gpu: &Context, buffer: &wgpu::Buffer) -> Result<Vec<u8>> {
    let failed = |why: &dyn std::fmt::Display| BenchError::new(format!("reading a buffer: {why}"));
    checked(gpu, "reading a buffer", || buffer.map_async(wgpu::MapMode::Read, .., |_| ()))?;
    gpu.device().poll(wgpu::PollType::wait_indefinitely()).map_err(|error| failed(&error))?;
    let bytes = buffer.get_mapped_range(..).map_err(|error| failed(&error))?.to_vec();
    buffer.unmap();
    Ok(bytes)
}
