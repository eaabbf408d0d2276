//! The `indim` command: elementwise array expressions on any GPU, with XLA's broadcasting
//! semantics. All that it knows of shapes, types and kernels is `indim`'s.
//!
//! It is a library for its tests alone, which run many commands in one process. What people use is
//! the program.

#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        reason = "a test fails by panicking"
    )
)]

mod adapters;
mod advice;
mod answer;
mod args;
mod bar;
mod batch;
mod bench;
mod byte_count;
mod calls;
mod cast;
mod compare;
mod diagnostic;
mod eval;
mod explain;
mod file_format;
mod fill;
mod folder_lock;
mod foreign;
mod functions;
mod json;
mod language;
mod large;
mod lexer;
mod literal;
mod lower;
mod lowering;
mod mask;
mod names;
mod narrow;
mod npy;
mod npz;
mod number;
mod operand;
mod operand_source;
mod output;
mod parser;
#[cfg(test)]
mod parser_tests;
mod picture;
mod precedence;
mod print;
mod printed;
mod promote;
mod promotions;
mod result_file;
mod result_files;
mod results;
mod scope;
mod session;
mod shell;
mod shorten;
mod stats;
mod subscript;
mod suggest;
mod temporary;
mod terminal;
mod upload;
mod word;

use std::process::ExitCode;

use clap::Parser as _;

use args::Cli;
pub use session::{Outcome, Session};

/// Runs the program. It exits with 0 when all is done, with 1 where EXPR, an operand or the GPU is
/// at fault, and with 2, which clap gives, on wrong usage.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    temporary::remove_when_interrupted();
    let as_json = cli.command.answers_in_json();
    match Session::default()
        .command(cli.command)
        .and_then(|(out, notes)| terminal::finish(&out, &notes))
    {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            terminal::to_stderr(&json::report(&error, as_json));
            ExitCode::FAILURE
        }
    }
}
