//! Runs commands one after the other, on shared contexts.

use std::collections::HashMap;
use std::ffi::OsString;
use std::io::{self, BufRead, BufWriter, Write};

use clap::Parser as _;
use indim::{Context, ContextOptions, Precision};
use indim_expr::{Diagnostic, Result};

use crate::commands::adapters;
use crate::commands::args::{Cli, Command, Input};
use crate::commands::batch;
use crate::commands::batch::{Batch, Shared};
use crate::commands::bench;
use crate::commands::eval::{self, Prepared, Shown};
use crate::commands::explain;
use crate::commands::language::Settings;
use crate::commands::ops;
use crate::commands::run;
use crate::commands::shell;
use crate::operand::functions;
use crate::operand::parse::ReadOptions;
use crate::operand::word::Word;
use crate::output::answer::Answer;
use crate::output::json;
use crate::output::terminal;

/// The output and exit status of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// The exit status.
    pub code: i32,
    /// The text for the standard output.
    pub stdout: String,
    /// The text for the standard error.
    pub stderr: String,
}

/// `batch` as a command of its own.
#[derive(Debug, clap::Parser)]
struct BatchCommand {
    #[command(flatten)]
    args: batch::args::Batch,
}

/// Runs commands in this process. The context of an adapter is created by the first command that
/// needs it.
#[derive(Debug, Default)]
pub struct Session {
    /// The contexts, by the value of `--adapter`.
    contexts: HashMap<Option<String>, Context>,
}

impl Session {
    /// Runs the command with these arguments, without the program's name.
    ///
    /// `batch` and `bench` print directly, and so do `adapters` and `eval` if they fail in part;
    /// [`batch`](Self::batch) does not.
    pub fn run<A: Into<OsString>>(&mut self, arguments: impl IntoIterator<Item = A>) -> Outcome {
        let name = OsString::from("indim");
        let arguments = std::iter::once(name).chain(arguments.into_iter().map(Into::into));
        let cli = match Cli::try_parse_from(arguments) {
            Ok(cli) => cli,
            Err(usage) => return misuse(&usage),
        };
        let as_json = cli.command.answers_in_json();
        match self.command(cli.command) {
            Ok((answer, notes)) => {
                let stderr = notes.iter().map(|note| terminal::line(note)).collect();
                let mut stdout = Vec::new();
                // Writing to memory cannot fail.
                let _ = answer.write(&mut stdout);
                Outcome { code: 0, stdout: String::from_utf8_lossy(&stdout).into_owned(), stderr }
            }
            Err(error) => {
                Outcome { code: 1, stdout: String::new(), stderr: json::report(&error, as_json) }
            }
        }
    }

    /// Returns the answer for the standard output, and notes.
    pub(crate) fn command(&mut self, command: Command) -> Result<(Answer, Vec<String>)> {
        let text = |(out, notes)| (Answer::Text(out), notes);
        match command {
            Command::Eval(args) => {
                let prepared = prepare(&args.input, false)?;
                let context = || self.context(args.adapter);
                let shown = Shown { all: args.json, stats: args.stats };
                let evaluated =
                    eval::eval(prepared, context, &args.output, args.max_memory.0, shown)?;
                let answer = if args.json {
                    Answer::Json { arrays: evaluated.results, line: None }
                } else {
                    Answer::Arrays(evaluated.results)
                };
                let Some(refused) = evaluated.refused else { return Ok((answer, evaluated.notes)) };
                terminal::finish(&answer, &evaluated.notes)?;
                Err(refused)
            }
            Command::Batch(args) => {
                let mut out = BufWriter::new(io::stdout().lock());
                self.answer_lines(args, io::stdin().lock(), &mut out, &mut terminal::to_stderr)?;
                Ok(text((String::new(), Vec::new())))
            }
            Command::Explain(args) if args.stablehlo => {
                explain::stablehlo(prepare(&args.input, true)?).map(text)
            }
            Command::Explain(args) => {
                explain::explain(prepare(&args.input, true)?, args.wgsl).map(text)
            }
            Command::Run(args) => {
                let read = run::read(&args)?;
                if args.explain {
                    return explain::explain(read.prepared, args.wgsl).map(text);
                }
                let mut context = || self.context(args.adapter.clone());
                if args.check {
                    return run::check(read, context()?).map(text);
                }
                let shown = Shown { all: args.json, stats: false };
                let limit = args.max_memory.0;
                let evaluated = eval::eval(read.prepared, context, &args.output, limit, shown)?;
                let arrays = evaluated.results;
                let answer = if args.json {
                    Answer::Json { arrays, line: None }
                } else {
                    Answer::Arrays(arrays)
                };
                Ok((answer, evaluated.notes))
            }
            Command::Adapters(args) => {
                let (out, in_doubt) = adapters::adapters(args.check)?;
                let out = Answer::Text(out);
                if !in_doubt {
                    return Ok((out, Vec::new()));
                }
                terminal::finish(&out, &[])?;
                Err(Diagnostic::new(
                    "an adapter breaks what results rest on, or could not be tried; see BROKEN, \
                     unanswered or \"self-check none\" above",
                ))
            }
            Command::Ops(args) => Ok(text((ops::ops(args.json), Vec::new()))),
            Command::Completions { shell } => Ok(text((shell::completions(shell), Vec::new()))),
            Command::Man { command } => {
                shell::man(command.as_deref()).map(|page| text((page, Vec::new())))
            }
            Command::Bench(args) => bench::bench(&args).map(|()| text((String::new(), Vec::new()))),
        }
    }

    /// Runs `batch` with these arguments on the given lines instead of the standard input.
    pub fn batch(&mut self, arguments: &[String], lines: &[u8]) -> Outcome {
        let name = std::iter::once("batch".to_owned());
        let args = match BatchCommand::try_parse_from(name.chain(arguments.iter().cloned())) {
            Ok(command) => command.args,
            Err(usage) => return misuse(&usage),
        };
        let as_json = args.json;
        let (mut stdout, mut stderr) = (Vec::new(), String::new());
        let done = self.answer_lines(args, lines, &mut stdout, &mut |told| stderr += told);
        if let Err(error) = &done {
            stderr += &json::report(error, as_json);
        }
        let stdout = String::from_utf8_lossy(&stdout).into_owned();
        Outcome { code: i32::from(done.is_err()), stdout, stderr }
    }

    /// Runs `batch` on lines. Errors and notes go to `tell`.
    fn answer_lines(
        &mut self,
        args: batch::args::Batch,
        lines: impl BufRead,
        out: &mut impl Write,
        tell: &mut impl FnMut(&str),
    ) -> Result<()> {
        let settings = &args.settings;
        let functions = functions::read(&settings.functions, settings.max_iterations)?;
        let shared = Shared {
            functions: &functions,
            numpy: settings.numpy,
            precision: precision(settings),
            json: args.json,
        };
        let options = read_options(settings, false);
        let (mut batch, notes) =
            Batch::new(|| self.context(args.adapter), &args.operands, options, shared)?;
        // Notes come before the first answer.
        notes.iter().for_each(|note| tell(&terminal::line(note)));
        batch::run(&mut batch, lines, out, tell)
    }

    /// Returns the context on the adapter of this name, or on the one named by the environment.
    fn context(&mut self, adapter: Option<String>) -> Result<Context> {
        if let Some(context) = self.contexts.get(&adapter) {
            return Ok(context.clone());
        }
        let mut options = ContextOptions::from_env();
        options.adapter_name = adapter.clone().or(options.adapter_name);
        let context =
            Context::blocking_with_options(options).map_err(|e| Diagnostic::new(e.to_string()))?;
        self.contexts.insert(adapter, context.clone());
        Ok(context)
    }
}

/// Returns clap's output for invalid arguments, or for a request for help.
fn misuse(usage: &clap::Error) -> Outcome {
    let text = usage.render().to_string();
    let (stdout, stderr) =
        if usage.use_stderr() { (String::new(), text) } else { (text, String::new()) };
    Outcome { code: usage.exit_code(), stdout, stderr }
}

fn read_options(settings: &Settings, shapes_allowed: bool) -> ReadOptions<'_> {
    ReadOptions { casts: &settings.cast, seed: settings.seed, shapes_allowed }
}

fn precision(settings: &Settings) -> Precision {
    if settings.relaxed { Precision::Relaxed } else { Precision::Accurate }
}

fn prepare(input: &Input, shapes_allowed: bool) -> Result<Prepared> {
    let settings = &input.settings;
    let (mut exprs, mut operands) = (vec![input.expr.as_str()], Vec::new());
    for word in &input.words {
        match word {
            Word::Expr(expr) => exprs.push(expr),
            Word::Operand(operand) => operands.push(operand.clone()),
        }
    }
    let functions = functions::read(&settings.functions, settings.max_iterations)?;
    let options = read_options(settings, shapes_allowed);
    eval::prepare(&exprs, &operands, &functions, options, (settings.numpy, precision(settings)))
}
