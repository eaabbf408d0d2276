//! The command: `cargo run --release -p indim-accuracy -- [OP...]`.

mod args;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser as _;
use indim::{Context, ContextOptions, Precision, wgpu};
use indim_accuracy::builtin::Builtin;
use indim_accuracy::column::{Column, Library};
use indim_accuracy::cost::{self, Cost};
use indim_accuracy::function::Function;
use indim_accuracy::pairs::Pairs;
use indim_accuracy::peer::Peer;
use indim_accuracy::record::{self, Record};
use indim_accuracy::state::{Current, Settings, State};
use indim_accuracy::sweep::Sweep;
use indim_accuracy::{Result, progress};

use crate::args::Cli;

/// How often a measurement is saved.
const SAVING: Duration = Duration::from_secs(5);

fn main() -> ExitCode {
    match run(&Cli::parse()) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

/// Whether everything is within its limits in the library's own columns.
fn run(cli: &Cli) -> Result<bool> {
    let functions = Function::select(&cli.ops)?;
    if cli.cost {
        return costs(cli, &functions);
    }
    let fine = if cli.no_run { true } else { sweep(cli, &functions)? };
    if let (Some(table), Some(json)) = (&cli.table, &cli.json) {
        std::fs::write(table, record::table(&record::read(json)?)?)?;
    }
    Ok(fine)
}

/// Measures all functions, and keeps what was found.
fn sweep(cli: &Cli, functions: &[Function]) -> Result<bool> {
    let mut columns = cli.columns.iter().map(|name| column(name)).collect::<Result<Vec<_>>>()?;
    for peer in &cli.peer {
        columns.push(Box::new(Peer::new(peer)?));
    }
    let settings = Settings {
        columns: columns.iter().map(|column| describe(&**column)).collect(),
        step: cli.step,
        pairs: cli.pairs,
        chunk: cli.chunk,
    };
    let path = state_path(cli);
    let mut state = match &path {
        Some(path) => State::open(path, settings)?,
        None => State::new(settings),
    };
    let pairs = Pairs::default();
    let mut fine = true;
    for function in functions {
        let done: Vec<Record> =
            state.finished.iter().filter(|record| record.op == function.name).cloned().collect();
        let records = match done.is_empty() {
            true => measure(function, &pairs, &mut columns, &mut state, path.as_deref())?,
            false => done,
        };
        for record in &records {
            println!("{}", record.summary());
            if matches!(record.column.as_str(), "accurate" | "gl") {
                fine &= record.complaint(function.limit).is_none_or(|complaint| {
                    eprintln!("{complaint}");
                    false
                });
            }
        }
        if let Some(json) = &cli.json {
            record::update(json, &records)?;
        }
    }
    if let Some(path) = path.filter(|path| path.exists()) {
        std::fs::remove_file(path)?;
    }
    Ok(fine)
}

/// Measures what functions cost; always fine.
fn costs(cli: &Cli, functions: &[Function]) -> Result<bool> {
    let context = Context::blocking()?;
    let bar = progress::bar("", functions.len() as u64, 0);
    let mut costs: Vec<Cost> = Vec::new();
    for function in functions {
        bar.set_message(function.name.clone());
        costs.extend(cost::measure(function, &context)?);
        bar.inc(1);
    }
    bar.finish_and_clear();
    let table = cost::table(&costs)?;
    print!("{table}");
    if let Some(path) = &cli.table {
        std::fs::write(path, &table)?;
    }
    if let Some(path) = &cli.json {
        let mut text = String::new();
        for cost in &costs {
            text += &serde_json::to_string(cost)?;
            text.push('\n');
        }
        std::fs::write(path, text)?;
    }
    Ok(true)
}

/// Measures a function, from where an interrupted measurement was.
fn measure(
    function: &Function,
    pairs: &Pairs,
    columns: &mut [Box<dyn Column>],
    state: &mut State,
    path: Option<&Path>,
) -> Result<Vec<Record>> {
    let begin = state.begin(&function.name);
    let settings = state.settings.clone();
    let sweep = Sweep::new(function, &settings, pairs);
    let bar = progress::bar(&function.name, sweep.chunks(), begin.next);
    let mut saved = Instant::now();
    let end = sweep.run(columns, begin, |current: &Current| {
        bar.set_position(current.next);
        if let Some(path) = path.filter(|_| saved.elapsed() >= SAVING) {
            state.current = Some(current.clone());
            state.save(path)?;
            saved = Instant::now();
        }
        Ok(true)
    })?;
    bar.finish_and_clear();
    let records: Vec<Record> = columns
        .iter()
        .zip(end.tallies)
        // A column without such a function has no inputs.
        .filter(|(_, tally)| tally.inputs > 0)
        .map(|(column, tally)| {
            Record::new(function, column.name(), column.adapter(), tally, end.seconds)
        })
        .collect();
    state.finish(&records);
    if let Some(path) = path {
        state.save(path)?;
    }
    Ok(records)
}

fn column(name: &str) -> Result<Box<dyn Column>> {
    Ok(match name {
        "accurate" => Box::new(Library::new(name, Context::blocking()?)),
        "relaxed" => {
            let mut options = ContextOptions::from_env();
            options.precision = Precision::Relaxed;
            Box::new(Library::new(name, Context::blocking_with_options(options)?))
        }
        "builtin" => Box::new(Builtin::new(Context::blocking()?)),
        "gl" => {
            let mut options = ContextOptions::from_env();
            options.backends = Some(wgpu::Backends::GL);
            Box::new(Library::new(name, Context::blocking_with_options(options)?))
        }
        _ => {
            return Err(
                format!("no column `{name}`; there are accurate, relaxed, builtin and gl").into()
            );
        }
    })
}

/// What a column is computed by, for the state.
fn describe(column: &dyn Column) -> String {
    let adapter = column.adapter();
    format!("{}: {}, {}, {}", column.name(), adapter.name, adapter.driver, adapter.backend)
}

/// Where to keep the state: where it was said, or beside the output.
fn state_path(cli: &Cli) -> Option<PathBuf> {
    cli.state.clone().or_else(|| {
        let mut path = cli.json.clone()?.into_os_string();
        path.push(".state");
        Some(path.into())
    })
}
