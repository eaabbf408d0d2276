#![doc = include_str!("../README.md")]
#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        reason = "a test fails by panicking"
    )
)]

mod chart;
mod clock;
mod device;
mod error;
mod floors;
mod kernel;
mod measure;
mod normalised;
mod patterns;
mod plan;
mod program_floors;
mod programs;
mod random;
mod reduced;
mod reductions;
mod report;
mod run;
mod tasks;
mod template;
mod typed;
mod typed_table;
mod verify;
mod wide;
mod workload;

pub use error::{BenchError, Result};
pub use measure::Floors;
pub use patterns::Pattern;
pub use plan::Change;
pub use run::{Options, Progress, Report, run};
pub use tasks::{Task, Types, tasks};
