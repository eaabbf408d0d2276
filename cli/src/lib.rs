//! The `indim` command: elementwise array expressions on any GPU, with XLA's broadcasting
//! semantics. All that it knows of shapes, types and kernels is `indim`'s.
//!
//! It is a library only for its tests, which run many commands in one process. Users run the
//! program.

#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        reason = "a test fails by panicking"
    )
)]

mod commands;
mod operand;
mod output;

use std::process::ExitCode;

use clap::Parser as _;

use commands::args::Cli;
pub use commands::session::{Outcome, Session};

/// Runs the program. Exit codes: 0 for success, 1 for an error in EXPR, an operand or the GPU, and
/// 2, from clap, for wrong usage.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    output::temporary::remove_when_interrupted();
    let as_json = cli.command.answers_in_json();
    match Session::default()
        .command(cli.command)
        .and_then(|(out, notes)| output::terminal::finish(&out, &notes))
    {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::terminal::to_stderr(&output::json::report(&error, as_json));
            ExitCode::FAILURE
        }
    }
}
