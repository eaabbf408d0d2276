//! Runs `indim bench`, which measures the broadcasting patterns on this machine, each against its
//! floor.

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use indim::Precision;
use indim_bench::{BenchError, Change, Floors, Options, Pattern, Progress, Types};
use indim_expr::{Diagnostic, Result, nearest};

use crate::output::answer::Answer;
use crate::output::terminal;

#[derive(Debug, Args)]
pub(crate) struct Bench {
    /// The patterns to measure; all of them without one
    pub(crate) patterns: Vec<String>,
    /// About how many elements each result has, such as 268435456 for 1 GiB; the patterns that
    /// measure latency keep their own
    #[arg(long, value_name = "N", value_parser = elements)]
    pub(crate) elements: Option<usize>,
    /// Measure in arrays of this element type, or of all types, each by turns with f32; may be given
    /// several times. Patterns that compute more than sums are measured in f32 only
    #[arg(long = "type", value_name = "TYPE")]
    pub(crate) types: Vec<Types>,
    /// Write a line of JSON for each pattern
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// Write a chart of the times against those of the floors
    #[arg(long, value_name = "FILE.svg")]
    pub(crate) chart: Option<PathBuf>,
    /// Measure on an adapter whose name contains this, in any case; see `indim adapters`
    #[arg(long, value_name = "NAME")]
    pub(crate) adapter: Option<String>,
    /// Make one of the library's choices of speed otherwise, such as wide=false or tile_rows=1, to
    /// see what it is worth; they are fields of PlanLimits in the library's documentation
    #[arg(long, value_name = "FIELD=VALUE", value_parser = change)]
    pub(crate) plan: Vec<Change>,
    /// Measure relaxed operations, see `indim eval --help`; the floors stay what they are
    #[arg(long)]
    pub(crate) relaxed: bool,
    /// Use the wall clock around a wait even where the adapter has timestamps
    #[arg(long)]
    pub(crate) wall: bool,
    /// Measure against the floors of other devices, so that these are tested, too
    #[arg(long, hide = true, value_parser = floors)]
    pub(crate) floors: Option<Floors>,
    /// For at least how long each pattern is sampled, in seconds; 0 for a trial of few samples
    #[arg(long, value_name = "S", value_parser = seconds, default_value = "1.5")]
    pub(crate) seconds: f64,
}

/// Measures, writes files and prints the table. Returns an error if a pattern could not be
/// measured.
pub(crate) fn bench(args: &Bench) -> Result<()> {
    let failed = |error: BenchError| Diagnostic::new(error.to_string());
    let tasks = indim_bench::tasks(&chosen(&args.patterns)?, &args.types).map_err(failed)?;
    // Find files that cannot be written before minutes of measuring.
    let mut json = args.json.as_deref().map(create).transpose()?;
    let chart = args.chart.as_deref().map(create).transpose()?;
    let options = Options {
        tasks,
        by_type: !args.types.is_empty(),
        elements: args.elements,
        adapter: args.adapter.clone(),
        plan: args.plan.clone(),
        precision: if args.relaxed { Precision::Relaxed } else { Precision::Accurate },
        wall: args.wall,
        floors: args.floors,
        least: Duration::from_secs_f64(args.seconds),
    };
    let report = indim_bench::run(&options, &mut |progress| {
        match (progress, &mut json) {
            (Progress::Text(text), _) => terminal::to_stderr(text),
            (Progress::Json(line), Some(target)) => write(target, line).map_err(BenchError::new)?,
            (Progress::Json(_), None) => {}
        }
        Ok(())
    });
    let report = report.map_err(failed)?;
    if let Some(mut target) = chart {
        write(&mut target, &report.chart()).map_err(Diagnostic::new)?;
    }
    terminal::finish(&Answer::Text(report.table()), &[])?;
    let (failed, count) = (report.failed(), report.count());
    match failed.len() {
        0 => Ok(()),
        n => Err(Diagnostic::new(format!(
            "{n} of {count} patterns could not be measured: {}",
            failed.join(", ")
        ))),
    }
}

/// Returns the patterns of these names.
fn chosen(names: &[String]) -> Result<Vec<Pattern>> {
    let known = || Pattern::ALL.iter().map(|pattern| pattern.name());
    names
        .iter()
        .map(|name| {
            let found = Pattern::ALL.iter().copied().find(|pattern| pattern.name() == name);
            found.ok_or_else(|| {
                let (meant, all) = (meant(name, known()), known().collect::<Vec<_>>());
                Diagnostic::new(format!("no pattern is named `{name}`"))
                    .help(format!("{meant}the patterns are {}", all.join(", ")))
            })
        })
        .collect()
}

/// Returns a question about the known name that is near to this one, if there is one.
fn meant<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> String {
    nearest(name, known).map(|near| format!("did you mean `{near}`? ")).unwrap_or_default()
}

fn create(path: &Path) -> Result<(File, &Path)> {
    match File::create(path) {
        Ok(file) => Ok((file, path)),
        Err(error) => Err(Diagnostic::new(cannot_write(path, &error))),
    }
}

fn write((file, path): &mut (File, &Path), text: &str) -> std::result::Result<(), String> {
    file.write_all(text.as_bytes()).map_err(|error| cannot_write(path, &error))
}

fn cannot_write(path: &Path, error: &std::io::Error) -> String {
    format!("cannot write {}: {error}", path.display())
}

/// Parses `--plan`.
fn change(text: &str) -> std::result::Result<Change, String> {
    let (name, value) = text.split_once('=').ok_or("it must be FIELD=VALUE")?;
    if !Change::FIELDS.contains(&name) {
        let (meant, all) = (meant(name, Change::FIELDS), Change::FIELDS.join(", "));
        return Err(format!("no field is named `{name}`; {meant}the fields are {all}"));
    }
    let number = match value {
        "true" => Some(1),
        "false" => Some(0),
        number => number.parse().ok(),
    };
    number
        .and_then(|number| Change::new(name, number))
        .ok_or_else(|| format!("{name} must be a whole number, true or false, not `{value}`"))
}

/// Parses `--floors`.
fn floors(text: &str) -> std::result::Result<Floors, String> {
    match text {
        "narrow" => Ok(Floors::Narrow),
        "gpu" => Ok(Floors::Gpu),
        _ => Err("it must be narrow or gpu".to_owned()),
    }
}

/// Parses `--elements`. Fewer than 4096 do not fill the patterns' shapes, and kernels count in 32
/// bits.
fn elements(text: &str) -> std::result::Result<usize, String> {
    match text.parse::<u64>() {
        Ok(elements) if (1 << 12..1 << 32).contains(&elements) => usize::try_from(elements)
            .map_err(|_| "this machine cannot count that many elements".to_owned()),
        _ => Err("it must be a whole number from 4096 to 4294967295".to_owned()),
    }
}

/// Parses `--seconds`.
fn seconds(text: &str) -> std::result::Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.0..=3600.0).contains(&seconds) => Ok(seconds),
        _ => Err("it must be a number from 0 to 3600".to_owned()),
    }
}

pub(crate) const BENCH_HELP: &str = "\
Each pattern is measured by turns with its floor: a kernel written by hand for exactly its shapes,
or for the patterns of latency the same commands with everything allocated beforehand. Results are
compared first. Medians of at least 20 samples, by the device's timestamps where it has some.

A line of JSON has pattern, adapter, backend, elements, result_elements, bytes (all operands, read
once, and the result), median_ms, gb_per_s, copy_gb_per_s (the device's own copy), floor_ms (null
where there is no floor: in other types than f32, only same has one), type and elements_per_s; with
--type also f32_ms.

Examples:
  indim bench
  indim bench row column --json bench.jsonl
  indim bench same --type all
  indim bench --elements 268435456 --json bench.jsonl --chart bench.svg
";
