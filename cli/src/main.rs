//! The `indim` command: elementwise array expressions on any GPU, with XLA's broadcasting
//! semantics. All that it knows of shapes, types and kernels is the library's.

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
mod parser;
mod picture;
mod print;
mod suggest;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use clap::Parser as _;

use args::{Cli, Command, Input};
use diagnostic::{Diagnostic, Result};
use eval::Prepared;
use indim::Precision;
use operand::Reading;

/// 0: done. 1: EXPR, an operand or the GPU is at fault. 2, from clap: wrong usage.
fn main() -> ExitCode {
    let cli = Cli::parse();
    match run(cli.command).and_then(|(out, notes)| finish(&out, &notes)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            to_stderr(&error.render());
            ExitCode::FAILURE
        }
    }
}

/// What goes to the standard output, and notes.
fn run(command: Command) -> Result<(String, Vec<String>)> {
    match command {
        Command::Eval(args) => {
            eval::eval(prepare(&args.input, false)?, args.adapter, args.output.as_ref())
        }
        Command::Explain(args) => explain::explain(prepare(&args.input, true)?, args.wgsl),
        Command::Adapters(args) => {
            let (out, in_doubt) = adapters::adapters(args.check)?;
            if !in_doubt {
                return Ok((out, Vec::new()));
            }
            finish(&out, &[])?;
            Err(Diagnostic::new(
                "an adapter breaks what results rest on, or could not be tried; see BROKEN, \
                 unanswered or \"self-check none\" above",
            ))
        }
        Command::Bench(args) => bench::bench(&args).map(|()| (String::new(), Vec::new())),
    }
}

fn prepare(input: &Input, shapes_allowed: bool) -> Result<Prepared> {
    let reading = Reading { casts: &input.cast, seed: input.seed, shapes_allowed };
    let precision = if input.relaxed { Precision::Relaxed } else { Precision::Accurate };
    eval::prepare(&input.expr, &input.operands, reading, input.numpy, precision)
}

fn finish(out: &str, notes: &[String]) -> Result<()> {
    for note in notes {
        to_stderr(&format!("{note}\n"));
    }
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(out.as_bytes()).and_then(|()| stdout.flush()) {
        // A reader that has seen enough, such as `head`, is no error.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        done => done.map_err(|e| Diagnostic::new(format!("cannot write the output: {e}"))),
    }
}

/// There is nowhere to say that the standard error does not work.
fn to_stderr(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}
