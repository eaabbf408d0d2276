//! Times compute passes by timestamp queries, also those in caller-owned encoders.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::device::guard::error_scope::GuardedDevice;
use crate::device::guard::lock::lock;
use indim_core::semantics::error::Result;

/// The largest number of passes whose times wait to be collected. Further passes are not timed.
const MAX_WAITING: usize = 1024;

/// The bytes of two timestamps, the begin and the end of a pass.
const BYTES: u64 = 16;

/// The time that the device took for one compute pass.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Timing {
    /// The name of the computation ([`Expr::named`](crate::Expr::named)), or the label of the pass.
    pub name: String,
    /// The time between its begin and its end on the device.
    pub duration: Duration,
}

#[derive(Debug)]
pub(crate) struct Timer {
    /// The nanoseconds of one tick.
    period: f64,
    slots: Mutex<Slots>,
}

#[derive(Debug, Default)]
struct Slots {
    free: Vec<Slot>,
    /// The passes that are recorded, in their order.
    waiting: VecDeque<Waiting>,
}

/// Queries of one pass, and the buffers through which the host reads them.
#[derive(Debug)]
struct Slot {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    read: wgpu::Buffer,
    /// The begin that was read last. wgpu maps the buffer even if it rejects the submission; then
    /// it holds nothing new.
    last_begin: u64,
}

#[derive(Debug)]
struct Waiting {
    slot: Slot,
    name: String,
    answer: Arc<AtomicU8>,
}

const READABLE: u8 = 1;
const GONE: u8 = 2;

/// Reports that the pass never ran, if dropped before its callback is called.
struct Answer(Arc<AtomicU8>);

impl Drop for Answer {
    fn drop(&mut self) {
        let (order, other) = (Ordering::AcqRel, Ordering::Acquire);
        // It stays as the callback has set it.
        let _ = self.0.compare_exchange(0, GONE, order, other);
    }
}

impl Timer {
    pub(crate) fn new(queue: &wgpu::Queue) -> Self {
        Self { period: f64::from(queue.get_timestamp_period()), slots: Mutex::default() }
    }

    /// Records a pass, timed if there is room for its time.
    pub(crate) fn pass(
        &self,
        device: &GuardedDevice,
        encoder: &mut wgpu::CommandEncoder,
        name: &str,
        record: impl FnOnce(&mut wgpu::ComputePass<'_>),
    ) {
        let slot = self.take(device);
        let timestamp_writes = slot.as_ref().map(|slot| wgpu::ComputePassTimestampWrites {
            query_set: &slot.queries,
            beginning_of_pass_write_index: Some(0),
            end_of_pass_write_index: Some(1),
        });
        let descriptor = wgpu::ComputePassDescriptor { label: Some(name), timestamp_writes };
        record(&mut encoder.begin_compute_pass(&descriptor));
        let Some(slot) = slot else { return };
        encoder.resolve_query_set(&slot.queries, 0..2, &slot.resolved, 0);
        encoder.copy_buffer_to_buffer(&slot.resolved, 0, &slot.read, 0, Some(BYTES));
        let answer = Arc::new(AtomicU8::new(0));
        let told = Answer(Arc::clone(&answer));
        encoder.map_buffer_on_submit(&slot.read, wgpu::MapMode::Read, .., move |mapped| {
            told.0.store(if mapped.is_ok() { READABLE } else { GONE }, Ordering::Release);
        });
        lock(&self.slots).waiting.push_back(Waiting { slot, name: name.to_owned(), answer });
    }

    /// Returns the times of the passes that have run since the last call, in the order in which they
    /// were recorded.
    pub(crate) fn take_timings(&self, device: &GuardedDevice) -> Vec<Timing> {
        let mut slots = lock(&self.slots);
        let Slots { free, waiting } = &mut *slots;
        let mut timings = Vec::new();
        for Waiting { mut slot, name, answer } in std::mem::take(waiting) {
            match answer.load(Ordering::Acquire) {
                READABLE => {
                    let read = device.checked("the times of a pass", None, || slot.read_ticks());
                    let Ok(ticks) = read else { continue };
                    if let Some(ticks) = ticks {
                        let nanoseconds = ticks as f64 * self.period;
                        let duration = Duration::from_nanos(nanoseconds as u64);
                        timings.push(Timing { name, duration });
                    }
                    free.push(slot);
                }
                GONE => {}
                _ => waiting.push_back(Waiting { slot, name, answer }),
            }
        }
        timings
    }

    fn take(&self, device: &GuardedDevice) -> Option<Slot> {
        let mut slots = lock(&self.slots);
        if slots.waiting.len() >= MAX_WAITING {
            return None;
        }
        let free = slots.free.pop();
        drop(slots);
        // An untimed pass is better than none.
        free.or_else(|| Slot::new(device).ok())
    }
}

impl Slot {
    fn new(device: &GuardedDevice) -> Result<Self> {
        let label = Some(device.labels.timing.as_str());
        let buffer = |usage| {
            let (size, mapped_at_creation) = (BYTES, false);
            device
                .allocate(BYTES, &wgpu::BufferDescriptor { label, size, usage, mapped_at_creation })
        };
        let queries = device.checked("timestamp queries", None, || {
            let ty = wgpu::QueryType::Timestamp;
            device.create_query_set(&wgpu::QuerySetDescriptor { label, ty, count: 2 })
        })?;
        Ok(Self {
            queries,
            resolved: buffer(wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC)?,
            read: buffer(wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST)?,
            last_begin: 0,
        })
    }

    /// Returns the ticks of the pass, if it has run.
    fn read_ticks(&mut self) -> Option<u64> {
        let ticks = self.read.get_mapped_range(..).ok().and_then(|view| {
            let word =
                |range| Some(u64::from_le_bytes(<[u8; 8]>::try_from(view.get(range)?).ok()?));
            Some((word(0..8)?, word(8..16)?))
        });
        self.read.unmap();
        let (begin, end) = ticks?;
        let is_new = std::mem::replace(&mut self.last_begin, begin) != begin;
        is_new.then(|| end.saturating_sub(begin))
    }
}
