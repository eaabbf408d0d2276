//! The options and help of `indim bench`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::bench::plan::Change;
use crate::bench::tasks::Types;

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
    #[arg(long, value_name = "FIELD=VALUE")]
    pub(crate) plan: Vec<Change>,
    /// Measure relaxed operations, see `indim eval --help`; the floors stay what they are
    #[arg(long)]
    pub(crate) relaxed: bool,
    /// Use the wall clock around a wait even where the adapter has timestamps
    #[arg(long)]
    pub(crate) wall: bool,
    /// Measure against the floors of other devices, so that these are tested, too
    #[arg(long, hide = true, value_enum)]
    pub(crate) floors: Option<Floors>,
    /// For at least how long each pattern is sampled, in seconds; 0 for a trial of few samples
    #[arg(long, value_name = "S", value_parser = seconds, default_value = "1.5")]
    pub(crate) seconds: f64,
}

/// Floors for another device than the one that measures.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Floors {
    /// For processors without 64-bit integers.
    Narrow,
    /// For GPUs.
    Gpu,
}

/// Parses `--elements`. Fewer than 4096 do not fill the patterns' shapes, and kernels count in 32
/// bits.
fn elements(text: &str) -> Result<usize, String> {
    match text.parse::<u64>() {
        Ok(elements) if (1 << 12..1 << 32).contains(&elements) => {
            usize::try_from(elements).map_err(|_| "this machine does not count so far".to_owned())
        }
        _ => Err("it must be a whole number from 4096 to 4294967295".to_owned()),
    }
}

/// Parses `--seconds`.
fn seconds(text: &str) -> Result<f64, String> {
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
