//! Runs `indim bench`, which measures the broadcasting patterns on this machine, each against its
//! floor, a kernel written by hand for its shapes.

pub(crate) mod args;
mod chart;
mod clock;
mod device;
mod floors;
mod kernel;
mod measure;
mod patterns;
mod plan;
mod report;
mod tasks;
mod template;
mod typed;
mod typed_table;
mod verify;
mod wide;

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use indim::wgpu::Features;
use indim::{Context, ContextOptions, Precision};

use crate::output::answer::Answer;
use crate::output::terminal;
use crate::report::diagnostic::{Diagnostic, Result};
use args::Bench;
use clock::Clock;
use device::library;
use measure::{Measured, Row, Settings};
use report::Header;
use tasks::Types;

/// The least size, in bytes, of the buffer for measuring the device's own copy.
const COPY_BYTES: u64 = 64 << 20;

/// Measures, writes files and prints the table. Returns an error if a pattern could not be
/// measured.
pub(crate) fn bench(args: &Bench) -> Result<()> {
    let mut tasks = tasks::tasks(&args.patterns, &args.types)?;
    // Find files that cannot be written before minutes of measuring.
    let mut json = args.json.as_deref().map(create).transpose()?;
    let mut chart = args.chart.as_deref().map(create).transpose()?;
    let mut options = ContextOptions::from_env();
    options.adapter_name = args.adapter.clone().or(options.adapter_name);
    if args.relaxed {
        options.precision = Precision::Relaxed;
    }
    // 64-bit integers are for the floors, which may use every feature of the device.
    options.optional_features = clock::FEATURES | Features::SHADER_INT64;
    let mut gpu = library(Context::blocking_with_options(options.clone()))?;
    if !args.plan.is_empty() {
        options.plan_limits = Some(plan::changed(gpu.plan_limits().clone(), &args.plan));
        gpu = library(Context::blocking_with_options(options))?;
    }
    let clock = Clock::new(&gpu, args.wall)?;
    let least = Duration::from_secs_f64(args.seconds);
    let settings = Settings { least, floors: args.floors };
    let header = header(&gpu, &clock, args.elements, least)?;

    if args.types.contains(&Types::All) {
        tasks.retain(|(_, of)| tasks::is_supported(&gpu, *of));
    }
    let mut rows = Vec::new();
    for (number, &task) in tasks.iter().enumerate() {
        let (pattern, _) = task;
        let place = format!("[{:>2}/{}] {:<15}", number + 1, tasks.len(), tasks::label(task));
        let elements = match args.elements {
            Some(elements) if !pattern.is_latency() => elements,
            _ => pattern.elements(),
        };
        terminal::to_stderr(&place);
        let measured = measure::measure(&gpu, &clock, task, elements, settings);
        // No buffer that a pattern leaves in the pool has a size that the next one needs.
        gpu.trim();
        match &measured {
            Ok(row) => {
                terminal::to_stderr(&format!("{}\n", report::line(row)));
                if let Some((file, path)) = &mut json {
                    let line = report::json(row, &header.adapter, header.copy_gb_per_s);
                    file.write_all(line.as_bytes()).map_err(|e| cannot_write(path, &e))?;
                }
            }
            Err(error) => terminal::to_stderr(&format!(" error: {}\n", error.message())),
        }
        rows.push(measured.map_err(|error| (task, error.message().to_owned())));
    }
    let table = if args.types.is_empty() {
        report::table(&header, &rows)
    } else {
        typed_table::table(&header, &rows)
    };
    finish(&mut chart, &header, &rows, &table)
}

/// Prints the table and writes the chart. Returns an error if a pattern failed.
fn finish(
    chart: &mut Option<(File, &Path)>,
    header: &Header,
    rows: &[Row],
    table: &str,
) -> Result<()> {
    if let Some((file, path)) = chart {
        let measured: Vec<&Measured> = rows.iter().filter_map(|row| row.as_ref().ok()).collect();
        let title = format!("{} ({})", header.adapter.name, header.adapter.backend);
        let svg = chart::svg(&title, &measured);
        file.write_all(svg.as_bytes()).map_err(|e| cannot_write(path, &e))?;
    }
    terminal::finish(&Answer::Text(table.to_owned()), &[])?;
    let failed: Vec<String> =
        rows.iter().filter_map(|row| row.as_ref().err()).map(|&(t, _)| tasks::label(t)).collect();
    match failed.len() {
        0 => Ok(()),
        n => Err(Diagnostic::new(format!(
            "{n} of {} patterns could not be measured: {}",
            rows.len(),
            failed.join(", ")
        ))),
    }
}

fn header(
    gpu: &Context,
    clock: &Clock<'_>,
    elements: Option<usize>,
    least: Duration,
) -> Result<Header> {
    let copy_bytes = elements.map_or(0, |elements| elements as u64 * 4).max(COPY_BYTES) / 4 * 4;
    let measured = measure::copy_gb_per_s(gpu, clock, copy_bytes, least);
    let (copy_gb_per_s, copy_bytes) = match measured {
        Ok(rate) => (rate, copy_bytes),
        // If the device cannot hold as much, each pattern reports it.
        Err(_) => (measure::copy_gb_per_s(gpu, clock, COPY_BYTES, least)?, COPY_BYTES),
    };
    let (adapter, without_timestamps) = (gpu.adapter_info(), clock.without.clone());
    Ok(Header { adapter, copy_gb_per_s, copy_bytes, without_timestamps })
}

fn create(path: &Path) -> Result<(File, &Path)> {
    match File::create(path) {
        Ok(file) => Ok((file, path)),
        Err(error) => Err(cannot_write(path, &error)),
    }
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Box<Diagnostic> {
    Diagnostic::new(format!("cannot write {}: {error}", path.display()))
}
