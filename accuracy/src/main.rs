//! The command: `cargo run --release -p indim-accuracy -- [OP...]`.

mod args;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::Parser as _;
use indim::{Context, ContextOptions, ElementType, Precision, wgpu};
use indim_accuracy::agreement;
use indim_accuracy::builtin::Builtin;
use indim_accuracy::column::{Adapter, Column, Library};
use indim_accuracy::cost::{self, Cost};
use indim_accuracy::function::Function;
use indim_accuracy::listed::Listed;
use indim_accuracy::pairs::Pairs;
use indim_accuracy::peer::Peer;
use indim_accuracy::record::{self, Record};
use indim_accuracy::state::{Current, Settings, State};
use indim_accuracy::sweep::Sweep;
use indim_accuracy::typed::{self, inputs::Inputs};
use indim_accuracy::{Result, progress};

use crate::args::Cli;

/// The time between two savings of a measurement.
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

/// Measures, and returns whether the library's columns are within all limits.
fn run(cli: &Cli) -> Result<bool> {
    if cli.cost {
        return costs(cli, &Function::select(&cli.ops)?);
    }
    if cli.agree {
        return agreements(cli);
    }
    let functions = record::listed(cli.element_type)?;
    let fine = if cli.no_run {
        true
    } else if cli.element_type == ElementType::F32 {
        sweep(cli)?
    } else {
        typed_sweep(cli)?
    };
    if let (Some(table), Some(json)) = (&cli.table, &cli.json) {
        let text = record::table(&record::read(json)?, &functions, cli.element_type)?;
        std::fs::write(table, text)?;
    }
    Ok(fine)
}

/// Measures functions on F32 in all columns.
fn sweep(cli: &Cli) -> Result<bool> {
    let functions = Function::select(&cli.ops)?;
    let mut columns = cli.columns.iter().map(|name| column(name)).collect::<Result<Vec<_>>>()?;
    for peer in &cli.peer {
        columns.push(Box::new(Peer::new(peer)?));
    }
    let told: Vec<String> = columns.iter().map(|c| describe(c.name(), &c.adapter())).collect();
    let names: Vec<Listed> = functions.iter().map(Function::listed).collect();
    let pairs = Pairs::default();
    measure_all(cli, told, &names, |i, begin, settings, progress| {
        let sweep = Sweep::new(&functions[i], settings, &pairs);
        let bar = progress::bar(&functions[i].name, sweep.chunks(), begin.next);
        let end = sweep.run(&mut columns, begin, |current: &Current| {
            bar.set_position(current.next);
            progress(current)
        })?;
        bar.finish_and_clear();
        let told = columns.iter().map(|column| (column.name().to_owned(), column.adapter()));
        Ok((end, told.collect()))
    })
}

/// Measures functions on another type, as the library has them.
fn typed_sweep(cli: &Cli) -> Result<bool> {
    let [name] = &cli.columns[..] else {
        return Err("several columns at once are of F32 only".into());
    };
    if !record::OWN_COLUMNS.contains(&name.as_str()) || !cli.peer.is_empty() || cli.step != 1 {
        return Err("relaxed, builtin, --peer and --step are of F32 only".into());
    }
    let mut functions = typed::function::Function::select(cli.element_type, &cli.ops)?;
    let context = context(name)?;
    functions.retain(|function| {
        let runs = function.runs_on(&context);
        if !runs {
            eprintln!("{}: the device has no 64-bit floats", function.name);
        }
        runs
    });
    let adapter = Adapter::of(&context);
    let names: Vec<Listed> = functions.iter().map(typed::function::Function::listed).collect();
    let inputs = Inputs::default();
    measure_all(cli, vec![describe(name, &adapter)], &names, |i, begin, settings, progress| {
        let sweep = typed::sweep::Sweep::new(&functions[i], settings, &inputs);
        let bar = progress::bar(&functions[i].name, sweep.chunks(), begin.next);
        let end = sweep.run(&context, begin, |current: &Current| {
            bar.set_position(current.next);
            progress(current)
        })?;
        bar.finish_and_clear();
        Ok((end, vec![(name.clone(), adapter.clone())]))
    })
}

/// A function that is called after every chunk and returns whether to go on.
type Progress<'a> = &'a mut dyn FnMut(&Current) -> Result<bool>;

/// Measures all functions, and keeps the findings. `measure` takes a function's number, and also
/// returns the columns.
fn measure_all(
    cli: &Cli,
    columns: Vec<String>,
    functions: &[Listed],
    mut measure: impl FnMut(
        usize,
        Current,
        &Settings,
        Progress<'_>,
    ) -> Result<(Current, Vec<(String, Adapter)>)>,
) -> Result<bool> {
    let settings = settings(cli, columns);
    let order = record::listed(cli.element_type)?;
    let path = state_path(cli);
    let mut state = match &path {
        Some(path) => State::open(path, settings.clone())?,
        None => State::new(settings.clone()),
    };
    let mut fine = true;
    for (i, function) in functions.iter().enumerate() {
        let of = |record: &&Record| record.op == function.name;
        let mut records: Vec<Record> = state.finished.iter().filter(of).cloned().collect();
        if records.is_empty() {
            let begin = state.begin(&function.name);
            let mut saved = Instant::now();
            let (end, told) = measure(i, begin, &settings, &mut |current| {
                if let Some(path) = path.as_deref().filter(|_| saved.elapsed() >= SAVING) {
                    state.current = Some(current.clone());
                    state.save(path)?;
                    saved = Instant::now();
                }
                Ok(true)
            })?;
            records = recorded(function, cli.element_type, end, told);
            state.finish(&records);
            if let Some(path) = &path {
                state.save(path)?;
            }
        }
        fine &= report(function, &records);
        if let Some(json) = &cli.json {
            record::update(json, &records, &order)?;
        }
    }
    if let Some(path) = path.filter(|path| path.exists()) {
        std::fs::remove_file(path)?;
    }
    Ok(fine)
}

/// Returns the findings about a function, for each column that has it.
fn recorded(
    function: &Listed,
    element_type: ElementType,
    end: Current,
    columns: Vec<(String, Adapter)>,
) -> Vec<Record> {
    columns
        .into_iter()
        .zip(end.tallies)
        // A column without such a function has no inputs.
        .filter(|(_, tally)| tally.inputs > 0)
        .map(|((name, adapter), tally)| {
            Record::new(function, element_type, (&name, adapter), tally, end.seconds)
        })
        .collect()
}

/// Reports the findings, and returns whether the library's columns are within the limit.
fn report(function: &Listed, records: &[Record]) -> bool {
    let mut fine = true;
    for record in records {
        println!("{}", record.summary());
        if record::OWN_COLUMNS.contains(&record.column.as_str()) {
            fine &= record.complaint(function.limit).is_none_or(|complaint| {
                eprintln!("{complaint}");
                false
            });
        }
    }
    fine
}

/// Measures what functions cost; always fine.
fn costs(cli: &Cli, functions: &[Function]) -> Result<bool> {
    let [name] = &cli.columns[..] else {
        return Err("the cost is that of one column".into());
    };
    let context = context(name)?;
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

/// Compares the bits of two columns, and returns whether functions differ no more than promised.
fn agreements(cli: &Cli) -> Result<bool> {
    let [one, other] = &cli.columns[..] else {
        return Err("two columns are compared, such as --columns accurate,swiftshader".into());
    };
    let [mut one, mut other] = [column(one)?, column(other)?];
    println!("{}", describe(one.name(), &one.adapter()));
    println!("{}", describe(other.name(), &other.adapter()));
    if one.adapter() == other.adapter() && cli.columns.iter().any(|name| name == "swiftshader") {
        return Err(format!(
            "both columns compute on {}; VK_ADD_DRIVER_FILES names a second driver, and WGPU_ADAPTER_NAME the first",
            one.adapter().name
        )
        .into());
    }
    let mut functions = Function::select(&cli.ops)?;
    functions.retain(Function::has_float_results);
    let (settings, pairs) = (settings(cli, Vec::new()), Pairs::default());
    let (mut text, mut fine) = (String::new(), true);
    for function in &functions {
        let sweep = Sweep::new(function, &settings, &pairs);
        let bar = progress::bar(&function.name, sweep.chunks(), 0);
        let columns: [&mut dyn Column; 2] = [one.as_mut(), other.as_mut()];
        let found = agreement::compare(function, &sweep, columns, |done| bar.set_position(done))?;
        bar.finish_and_clear();
        if let Some(found) = found {
            println!("{}: {found}", function.name);
            fine &= found.is_promised(&function.name);
            text += &serde_json::to_string(&(&function.name, found))?;
            text.push('\n');
        }
        if let Some(path) = &cli.json {
            std::fs::write(path, &text)?;
        }
    }
    Ok(fine)
}

fn settings(cli: &Cli, columns: Vec<String>) -> Settings {
    Settings {
        columns,
        step: cli.step,
        pairs: cli.pairs(),
        chunk: cli.chunk,
        element_type: cli.element_type.name().to_owned(),
        inputs: cli.inputs,
    }
}

fn column(name: &str) -> Result<Box<dyn Column>> {
    Ok(match name {
        "builtin" => Box::new(Builtin::new(Context::blocking()?)),
        _ => Box::new(Library::new(name, context(name)?)),
    })
}

/// Returns the context that a library column computes on.
fn context(column: &str) -> Result<Context> {
    let mut options = ContextOptions::from_env();
    match column {
        "accurate" => {}
        "relaxed" => options.precision = Precision::Relaxed,
        "gl" => options.backends = Some(wgpu::Backends::GL),
        "swiftshader" => {
            options.backends = Some(wgpu::Backends::VULKAN);
            options.adapter_name = Some("SwiftShader".to_owned());
        }
        "without_f64" => {
            let mut limits = Context::blocking_with_options(options.clone())?.plan_limits().clone();
            limits.tuning.through_f64 = false;
            options.plan_limits = Some(limits);
        }
        _ => {
            let known = "accurate, relaxed, without_f64, builtin, gl and swiftshader";
            return Err(format!("no column `{column}`; there are {known}").into());
        }
    }
    Ok(Context::blocking_with_options(options)?)
}

/// Returns the adapter or program that computes a column, for the state.
fn describe(name: &str, adapter: &Adapter) -> String {
    format!("{name}: {}, {}, {}", adapter.name, adapter.driver, adapter.backend)
}

/// Returns the path of the state: the given one, or one beside the output.
fn state_path(cli: &Cli) -> Option<PathBuf> {
    cli.state.clone().or_else(|| {
        let mut path = cli.json.clone()?.into_os_string();
        path.push(".state");
        Some(path.into())
    })
}
