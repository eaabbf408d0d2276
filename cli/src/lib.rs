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
mod answer;
mod args;
mod bench;
mod calls;
mod cast;
mod diagnostic;
mod eval;
mod explain;
mod fill;
mod lexer;
mod literal;
mod lower;
mod narrow;
mod npy;
mod number;
mod operand;
mod output;
mod parser;
mod picture;
mod print;
mod session;
mod shorten;
mod suggest;

use std::io::{BufWriter, ErrorKind, Write};
use std::process::ExitCode;

use clap::Parser as _;

use answer::Answer;
use args::Cli;
use diagnostic::{Diagnostic, Result};
pub use session::{Outcome, Session};

/// The program. 0: done. 1: EXPR, an operand or the GPU is at fault. 2, from clap: wrong usage.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    match Session::default().command(cli.command).and_then(|(out, notes)| finish(&out, &notes)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            to_stderr(&error.render());
            ExitCode::FAILURE
        }
    }
}

fn finish(answer: &Answer, notes: &[String]) -> Result<()> {
    for note in notes {
        to_stderr(&line(note));
    }
    let mut stdout = BufWriter::new(std::io::stdout().lock());
    match answer.write(&mut stdout).and_then(|()| stdout.flush()) {
        // A reader that has seen enough, such as `head`, is no error.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        done => done.map_err(|e| Diagnostic::new(format!("cannot write the output: {e}"))),
    }
}

/// What the user is told besides the output, on a line.
fn line(note: &str) -> String {
    diagnostic::short(note) + "\n"
}

/// There is nowhere to say that the standard error does not work.
fn to_stderr(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}
