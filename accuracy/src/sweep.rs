//! Measures functions: the device computes a chunk while threads judge the ones before, and their
//! findings are merged in the chunks' order, so that a measurement can stop after any of them.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use crate::Result;
use crate::chunk::Chunk;
use crate::column::Column;
use crate::function::Function;
use crate::judge::Tally;
use crate::pairs::Pairs;
use crate::special;
use crate::state::{Current, Settings};

/// Magnitudes of f32, both of each sign bit's.
const MAGNITUDES: u64 = 1 << 31;

/// The inputs on which a function is measured, in chunks.
#[derive(Debug)]
pub struct Sweep<'a> {
    function: &'a Function,
    settings: &'a Settings,
    pairs: &'a Pairs,
}

impl<'a> Sweep<'a> {
    /// Returns the sweep of one function.
    pub fn new(function: &'a Function, settings: &'a Settings, pairs: &'a Pairs) -> Self {
        Self { function, settings, pairs }
    }

    /// Returns how many magnitudes there are, or how many pairs.
    fn length(&self) -> u64 {
        if self.function.is_binary() {
            return self.settings.pairs;
        }
        MAGNITUDES.div_ceil(self.settings.step.into())
    }

    /// Returns whether boundaries have a separate chunk, as they do if not all inputs are taken.
    fn has_boundaries(&self) -> bool {
        !self.function.is_binary() && self.settings.step > 1
    }

    /// Returns how many chunks there are.
    pub fn chunks(&self) -> u64 {
        self.length().div_ceil(self.settings.chunk.into()) + u64::from(self.has_boundaries())
    }

    /// Returns the operands of one chunk.
    pub(crate) fn chunk(&self, number: u64) -> Chunk {
        if self.has_boundaries() && number + 1 == self.chunks() {
            return Chunk::Listed { lhs: special::boundaries().into(), rhs: [].into() };
        }
        let first = number * u64::from(self.settings.chunk);
        let end = self.length().min(first + u64::from(self.settings.chunk));
        if self.function.is_binary() {
            let pairs = (first..end).map(|number| self.pairs.get(number));
            let (lhs, rhs): (Vec<u32>, Vec<u32>) = pairs.map(|[a, b]| (a, b)).unzip();
            return Chunk::Listed { lhs: lhs.into(), rhs: rhs.into() };
        }
        let step = self.settings.step;
        // Below 2^31, as all of them are.
        Chunk::Signed { start: first as u32 * step, step, count: (end - first) as u32 }
    }

    /// Measures from `begin` on, and calls `progress` after every chunk, which returns whether to
    /// go on.
    ///
    /// # Errors
    /// The error that a column or `progress` reports.
    pub fn run(
        &self,
        columns: &mut [Box<dyn Column>],
        begin: Current,
        progress: impl FnMut(&Current) -> Result<bool>,
    ) -> Result<Current> {
        let compute = |number| {
            let chunk = self.chunk(number);
            let mut results = Vec::with_capacity(columns.len());
            for column in columns.iter_mut() {
                results.push(column.compute(self.function, &chunk)?.unwrap_or_default());
            }
            Ok((chunk, results))
        };
        let judge = |(chunk, results): &(Chunk, Vec<Vec<u32>>)| chunk.judge(self.function, results);
        pipeline(Work { chunks: self.chunks(), compute, judge }, begin, progress)
    }
}

/// Work that is to be done, by chunks.
pub(crate) struct Work<C, J> {
    /// The number of chunks.
    pub(crate) chunks: u64,
    /// Computes the one of this number.
    pub(crate) compute: C,
    /// Judges the results of each column.
    pub(crate) judge: J,
}

/// Computes the chunks from where `begin` is, while threads judge the ones before, and calls
/// `progress` after every one, which returns whether to go on.
pub(crate) fn pipeline<T: Send>(
    work: Work<impl FnMut(u64) -> Result<T>, impl Fn(&T) -> Vec<Tally> + Sync>,
    begin: Current,
    mut progress: impl FnMut(&Current) -> Result<bool>,
) -> Result<Current> {
    let Work { chunks, mut compute, judge } = work;
    let workers = thread::available_parallelism().map_or(2, usize::from);
    // A chunk for each worker, and as many that wait.
    let (to_workers, work) = sync_channel::<(u64, T)>(workers);
    let work = Arc::new(Mutex::new(work));
    let (to_merger, judged) = channel();
    thread::scope(|scope| {
        for _ in 0..workers {
            let (work, to_merger) = (Arc::clone(&work), to_merger.clone());
            let judge = &judge;
            scope.spawn(move || work_off(&work, &to_merger, judge));
        }
        drop((work, to_merger));
        let mut merger = Merger { current: begin, waiting: BTreeMap::new(), since: Instant::now() };
        let first = merger.current.next;
        for number in first..chunks {
            let computed = compute(number)?;
            if to_workers.send((number, computed)).is_err() {
                return Err("a thread that compares results ended".into());
            }
            for (number, tallies) in judged.try_iter() {
                merger.add(number, tallies);
            }
            if !progress(merger.now())? {
                return Ok(merger.current);
            }
        }
        drop(to_workers);
        for (number, tallies) in judged {
            merger.add(number, tallies);
            progress(merger.now())?;
        }
        if merger.current.next != chunks {
            return Err("a thread that compares results ended early".into());
        }
        Ok(merger.current)
    })
}

/// Judges chunks until no more arrive.
fn work_off<T>(
    work: &Mutex<Receiver<(u64, T)>>,
    judged: &Sender<(u64, Vec<Tally>)>,
    judge: &impl Fn(&T) -> Vec<Tally>,
) {
    loop {
        let next = work.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((number, computed)) = next else { return };
        if judged.send((number, judge(&computed))).is_err() {
            return;
        }
    }
}

/// Merges the findings in the chunks' order.
struct Merger {
    current: Current,
    waiting: BTreeMap<u64, Vec<Tally>>,
    since: Instant,
}

impl Merger {
    fn add(&mut self, number: u64, tallies: Vec<Tally>) {
        self.waiting.insert(number, tallies);
        while let Some(tallies) = self.waiting.remove(&self.current.next) {
            for (sum, tally) in self.current.tallies.iter_mut().zip(tallies) {
                sum.merge(tally);
            }
            self.current.next += 1;
        }
    }

    fn now(&mut self) -> &Current {
        let now = Instant::now();
        self.current.seconds += (now - self.since).as_secs_f64();
        self.since = now;
        &self.current
    }
}
