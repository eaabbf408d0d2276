//! Measures the tasks of a run, one after the other, and reports them.

use std::time::Duration;

use indim::wgpu::Features;
use indim::{Context, ContextOptions, Precision};

use crate::chart;
use crate::clock::{self, Clock};
use crate::error::Result;
use crate::measure::{self, Floors, Measured, Row, Settings};
use crate::plan::{self, Change};
use crate::report::{self, Header};
use crate::tasks::{self, Task};
use crate::typed_table;

/// The least size, in bytes, of the buffer for measuring the device's own copy.
const COPY_BYTES: u64 = 64 << 20;

/// The tasks of a run and its settings.
#[derive(Debug, Clone)]
pub struct Options {
    /// The patterns, each in an element type; see [`tasks`](crate::tasks).
    pub tasks: Vec<Task>,
    /// Whether the table compares element types, and leaves out tasks of types that the adapter
    /// lacks.
    pub by_type: bool,
    /// About how many elements each result has; patterns of latency keep their own number.
    pub elements: Option<usize>,
    /// Part of the adapter's name; that of the environment without one.
    pub adapter: Option<String>,
    /// Choices of speed that are made otherwise.
    pub plan: Vec<Change>,
    /// The precision of the library's operations.
    pub precision: Precision,
    /// Whether to use the wall clock even if the adapter has timestamps.
    pub wall: bool,
    /// The device whose floors are used; the adapter's own without one.
    pub floors: Option<Floors>,
    /// The least time to sample each pattern; 0 for a trial of few samples.
    pub least: Duration,
}

impl Default for Options {
    /// Measures nothing, for 1.5 seconds each.
    fn default() -> Self {
        Self {
            tasks: Vec::new(),
            by_type: false,
            elements: None,
            adapter: None,
            plan: Vec::new(),
            precision: Precision::Accurate,
            wall: false,
            floors: None,
            least: Duration::from_millis(1500),
        }
    }
}

/// A piece of output while a run is in progress.
#[derive(Debug, Clone, Copy)]
pub enum Progress<'a> {
    /// A part of a line for those who wait; the last part of a line has a line end.
    Text(&'a str),
    /// A line of JSON for a measured pattern, with its line end.
    Json(&'a str),
}

/// The measurements of a run.
pub struct Report {
    header: Header,
    rows: Vec<Row>,
    by_type: bool,
}

impl Report {
    /// Returns a table in Markdown, with what could not be measured below it.
    pub fn table(&self) -> String {
        let table = if self.by_type { typed_table::table } else { report::table };
        table(&self.header, &self.rows)
    }

    /// Returns a chart of the times against those of the floors, as SVG.
    pub fn chart(&self) -> String {
        let measured: Vec<&Measured> =
            self.rows.iter().filter_map(|row| row.as_ref().ok()).collect();
        let title = format!("{} ({})", self.header.adapter.name, self.header.adapter.backend);
        chart::svg(&title, &measured)
    }

    /// Returns the number of patterns in the report, measured or not.
    pub fn count(&self) -> usize {
        self.rows.len()
    }

    /// Returns the names of the patterns that could not be measured.
    pub fn failed(&self) -> Vec<String> {
        let failed = self.rows.iter().filter_map(|row| row.as_ref().err());
        failed.map(|&(task, _)| tasks::label(task)).collect()
    }
}

/// Measures all tasks. A pattern that cannot be measured is part of the report; an error ends the
/// run, and so does one that `progress` returns.
pub fn run(
    options: &Options,
    progress: &mut dyn FnMut(Progress<'_>) -> Result<()>,
) -> Result<Report> {
    let gpu = context(options)?;
    let clock = Clock::new(&gpu, options.wall)?;
    let header = header(&gpu, &clock, options)?;
    let settings = Settings { least: options.least, floors: options.floors };
    let mut tasks = options.tasks.clone();
    if options.by_type {
        tasks.retain(|(_, of)| tasks::is_supported(&gpu, *of));
    }
    let mut rows = Vec::new();
    for (number, &task) in tasks.iter().enumerate() {
        let (pattern, _) = task;
        let place = format!("[{:>2}/{}] {:<15}", number + 1, tasks.len(), tasks::label(task));
        let elements = match options.elements {
            Some(elements) if !pattern.is_latency() => elements,
            _ => pattern.elements(),
        };
        progress(Progress::Text(&place))?;
        let measured = measure::measure(&gpu, &clock, task, elements, settings);
        // No buffer that a pattern leaves in the pool has a size that the next one needs.
        gpu.trim();
        match &measured {
            Ok(row) => {
                progress(Progress::Text(&format!("{}\n", report::line(row))))?;
                let line = report::json(row, &header.adapter, header.copy_gb_per_s);
                progress(Progress::Json(&line))?;
            }
            Err(error) => progress(Progress::Text(&format!(" error: {error}\n")))?,
        }
        rows.push(measured.map_err(|error| (task, error.to_string())));
    }
    Ok(Report { header, rows, by_type: options.by_type })
}

fn context(options: &Options) -> Result<Context> {
    let mut own = ContextOptions::from_env();
    own.adapter_name = options.adapter.clone().or(own.adapter_name);
    own.precision = options.precision;
    // 64-bit integers are for the floors, which may use every feature of the device.
    own.optional_features = clock::FEATURES | Features::SHADER_INT64;
    let gpu = Context::blocking_with_options(own.clone())?;
    if options.plan.is_empty() {
        return Ok(gpu);
    }
    own.plan_limits = Some(plan::changed(gpu.plan_limits().clone(), &options.plan));
    Ok(Context::blocking_with_options(own)?)
}

fn header(gpu: &Context, clock: &Clock<'_>, options: &Options) -> Result<Header> {
    let copy_bytes = options.elements.map_or(0, |elements| elements as u64 * 4);
    let copy_bytes = copy_bytes.max(COPY_BYTES) / 4 * 4;
    let measured = measure::copy_gb_per_s(gpu, clock, copy_bytes, options.least);
    let (copy_gb_per_s, copy_bytes) = match measured {
        Ok(rate) => (rate, copy_bytes),
        // If the device cannot hold as much, each pattern reports it.
        Err(_) => (measure::copy_gb_per_s(gpu, clock, COPY_BYTES, options.least)?, COPY_BYTES),
    };
    let (adapter, without_timestamps) = (gpu.adapter_info(), clock.without.clone());
    Ok(Header { adapter, copy_gb_per_s, copy_bytes, without_timestamps })
}
