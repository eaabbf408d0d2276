//! Measures a computation after its first run, for `--stats`.

use std::time::{Duration, Instant};

use indim::{AnyArray, Computation, Context, Error, wgpu};

/// The number of rounds; each times the computation and a copy.
const ROUNDS: usize = 5;

/// The most bytes that the copy moves.
const MAX_COPIED: u64 = 256 << 20;

/// Runs a computation several times, and reports the bytes that it reads and writes, the time from
/// submission to completion, and the rate relative to the device's own copy.
pub(crate) fn measure(
    context: &Context,
    computation: &Computation,
    arguments: &[&AnyArray],
) -> Result<String, Error> {
    context.wait()?;
    let before = context.stats();
    let mut times = Vec::with_capacity(ROUNDS);
    let mut copies = Vec::with_capacity(ROUNDS);
    let mut copy: Option<Copy> = None;
    let mut is_first = true;
    let (mut read, mut written, mut dispatches) = (0, 0, 0);
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let results = context.run_all(computation, arguments)?;
        context.wait()?;
        times.push(start.elapsed());
        drop(results);
        if std::mem::take(&mut is_first) {
            let after = context.stats();
            read = after.read_bytes - before.read_bytes;
            written = after.written_bytes - before.written_bytes;
            dispatches = after.dispatches - before.dispatches;
            copy = Copy::new(context, (read + written) / 2);
        }
        if let Some(copy) = &copy {
            copies.push(copy.time(context)?);
        }
    }
    let time = median(&mut times);
    let plural = if dispatches == 1 { "" } else { "es" };
    let head = format!(
        "stats: {dispatches} dispatch{plural}, {read} bytes read and {written} written, {:.3} ms from submission to end (median of {ROUNDS})",
        time.as_secs_f64() * 1e3
    );
    let Some(copy) = copy.filter(|_| read + written > 0) else { return Ok(head) };
    let rate = (read + written) as f64 / time.as_secs_f64().max(1e-9) / 1e9;
    let copied = 2.0 * copy.bytes as f64 / median(&mut copies).as_secs_f64().max(1e-9) / 1e9;
    Ok(format!(
        "{head}; {rate:.2} GB/s, {:.0}% of the {copied:.2} GB/s of a copy of {} bytes",
        100.0 * rate / copied,
        copy.bytes
    ))
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

/// A copy from one buffer to another.
struct Copy {
    from: wgpu::Buffer,
    to: wgpu::Buffer,
    bytes: u64,
}

impl Copy {
    /// Creates the buffers; `None` if the device has no room for them.
    fn new(context: &Context, bytes: u64) -> Option<Self> {
        let most = MAX_COPIED.min(context.device().limits().max_buffer_size);
        let bytes = bytes.min(most).next_multiple_of(4).clamp(4, most);
        let scope = context.device().push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let buffer = |usage| {
            context.device().create_buffer(&wgpu::BufferDescriptor {
                label: Some("indim --stats"),
                size: bytes,
                usage,
                mapped_at_creation: false,
            })
        };
        let [from, to] = [wgpu::BufferUsages::COPY_SRC, wgpu::BufferUsages::COPY_DST].map(buffer);
        pollster::block_on(scope.pop()).is_none().then_some(Self { from, to, bytes })
    }

    fn time(&self, context: &Context) -> Result<Duration, Error> {
        let start = Instant::now();
        let mut encoder = context.device().create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(&self.from, 0, &self.to, 0, self.bytes);
        context.queue().submit([encoder.finish()]);
        context.wait()?;
        Ok(start.elapsed())
    }
}
