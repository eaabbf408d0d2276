//! Runs `indim run`: reads a program in StableHLO, and finds its arguments among the operands.
//! Computing, printing and writing are those of `eval`, showing kernels that of `explain`.

use std::fmt::Write as _;
use std::io::Read;
use std::path::PathBuf;

use clap::Args;
use indim::{Context, Literal};
use indim_expr::{Declared, Diagnostic, Lowered, Result, continues_name, nearest, starts_name};
use indim_stablehlo::{Argument as Parameter, Check, Module, Problems, Program};

use crate::commands::byte_count::ByteCount;
use crate::commands::eval::Prepared;
use crate::operand::parse::{self as operands, Argument, CastTo, Operand, ReadOptions};
use crate::operand::refused::refused_run;
use crate::operand::upload::upload;
use crate::output::result_names::Results;

/// The most bytes of a program; an endless device must not fill the memory.
const MAX_PROGRAM_BYTES: u64 = 1 << 30;

/// The options of `indim run`.
#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The program in MLIR's text form, or `-` for the standard input
    #[arg(value_name = "FILE.mlir")]
    file: String,
    /// The function's arguments by their names, by the names that JAX gives them, or by their
    /// numbers from 0; each a literal, a path to a .npy or .npz file, or a fill such as random:2x3
    #[arg(value_name = "NAME|NUMBER=ARRAY", value_parser = argument)]
    operands: Vec<Argument>,
    /// The function to compute; by default main, or the only public one
    #[arg(long, value_name = "NAME")]
    function: Option<String>,
    /// Write the result, or the one of this name, to a .npy file or a .npz archive, as `eval` does;
    /// several results are called out0, out1, ..., unless the program names them, and as many paths
    /// as results are theirs in order
    #[arg(short, long, value_name = "[NAME=]OUT.npy|OUT.npz[:ARRAY]")]
    pub(crate) output: Vec<PathBuf>,
    /// Compare values as the program's own operations check.expect_... say; exits with 1 if any
    /// differ
    #[arg(long, conflicts_with_all = ["output", "json", "explain"])]
    pub(crate) check: bool,
    /// Show the kernels instead, with WebGPU's default limits; needs no GPU and no operands
    #[arg(long, conflicts_with_all = ["output", "json"])]
    pub(crate) explain: bool,
    /// Print the kernels' WGSL, too
    #[arg(long, requires = "explain")]
    pub(crate) wgsl: bool,
    /// Print an object of JSON in a line for each result, and an error as one on the standard error
    #[arg(long)]
    pub(crate) json: bool,
    /// Convert .npy files of 64-bit numbers to this element type; with NAME=, that operand
    #[arg(long, value_name = "[NAME=]TYPE")]
    cast: Vec<CastTo>,
    /// Seed of random fills
    #[arg(long, value_name = "N", default_value_t = 0)]
    seed: u64,
    /// Compute on an adapter whose name contains this, in any case; see `indim adapters`
    #[arg(long, value_name = "NAME")]
    pub(crate) adapter: Option<String>,
    /// Compute in chunks where operands and results together take more bytes than this, where the
    /// program allows that
    #[arg(long, value_name = "BYTES", default_value = "512M")]
    pub(crate) max_memory: ByteCount,
}

/// The end of the command's long help.
pub(crate) const RUN_HELP: &str = "\
What keeps a program out is told at once, with lines: operations that are not implemented, and
broken constraints by their names in StableHLO's specification.

Examples:
  indim run gelu.mlir arg0=random:4x8
  indim run step.mlir 0=params.npy 1=grads.npy -o out0=params.npy
  python -c 'import jax; print(jax.jit(jax.nn.softmax).lower(jax.numpy.ones((2, 3))).as_text())' |
    indim run - 0='[[1,2,3],[4,5,6]]'
";

/// Parses `NAME=ARRAY`, where the name may be a number, or any text that JAX writes.
fn argument(text: &str) -> std::result::Result<Argument, String> {
    match text.split_once('=') {
        Some((name, array)) if !name.is_empty() => {
            Ok(Argument { name: name.to_owned(), array: array.to_owned() })
        }
        _ => Err("an argument is written NAME=ARRAY or NUMBER=ARRAY, such as 0=x.npy".to_owned()),
    }
}

/// A program with its operands.
pub(crate) struct ReadProgram {
    pub(crate) prepared: Prepared,
    checks: Vec<Check>,
}

/// Reads the program and its operands.
pub(crate) fn read(args: &Run) -> Result<ReadProgram> {
    let (name, text) = text(&args.file)?;
    let module = Module::parse(&name, &text).map_err(|problems| refused(&name, &problems))?;
    let function = match &args.function {
        Some(function) => function.as_str(),
        None => module.entry().ok_or_else(|| {
            Diagnostic::new(format!("{name} has several functions, and none is `main`"))
                .help(format!("choose one by --function: {}", module.functions().join(", ")))
        })?,
    };
    let program =
        if args.check { module.program_with_checks(function) } else { module.program(function) };
    let program = program.map_err(|problems| refused(&name, &problems))?;
    if args.check && program.checks().is_empty() {
        let message = format!("{name}: `@{function}` checks nothing");
        return Err(Diagnostic::new(message).help("leave --check out to see its results"));
    }
    let options = ReadOptions { casts: &args.cast, seed: args.seed, shapes_allowed: args.explain };
    let given = operands::read_all(&args.operands, options)?;
    let mut operands = matched(&program, given, args.explain)?;
    for (number, constant) in program.constants().iter().enumerate() {
        operands.push(Operand::given(format!("constant {number}"), constant.clone()));
    }
    let names = result_names(&program);
    let lowered = Lowered {
        computation: program.computation().clone(),
        parameters: (0..operands.len()).collect(),
        names: Vec::new(),
        notes: Vec::new(),
        narrower: None,
    };
    let results = Results::new(names);
    let prepared = Prepared { lowered, results, operands, notes: Vec::new() };
    Ok(ReadProgram { prepared, checks: program.checks().to_vec() })
}

/// Computes a program, and compares what its checks name. Returns a line for each.
pub(crate) fn check(read: ReadProgram, context: Context) -> Result<(String, Vec<String>)> {
    let Prepared { lowered, operands, mut notes, .. } = read.prepared;
    let mut arrays = Vec::new();
    for operand in operands {
        let (array, more) = upload(&context, operand)?;
        notes.extend(more);
        arrays.extend(array);
    }
    let arguments: Vec<_> = arrays.iter().collect();
    let results = context.run_all(&lowered.computation, &arguments);
    let results = results.and_then(|results| {
        results
            .iter()
            .map(|result| result.to_literal_blocking())
            .collect::<indim::Result<Vec<Literal>>>()
    });
    let results = results.map_err(|error| refused_run(&error, None))?;
    let (mut out, mut failed) = (String::new(), 0);
    for check in &read.checks {
        let differences = check.differences(&results).unwrap_or_default();
        let Some(first) = differences.first() else {
            let _ = writeln!(out, "line {}: as expected", check.line);
            continue;
        };
        failed += 1;
        let (index, actual, expected) = (first.index, first.actual, first.expected);
        let more = match differences.len() - 1 {
            0 => String::new(),
            more => format!(", and {more} more differ"),
        };
        let _ = writeln!(
            out,
            "line {}: element {index} is {actual:?}, not {expected:?}{more}",
            check.line
        );
    }
    match failed {
        0 => Ok((out, notes)),
        _ => {
            let count = read.checks.len();
            Err(Diagnostic::new(format!("{failed} of {count} checks failed")).details(&out))
        }
    }
}

/// Returns the name and the text of a program.
fn text(file: &str) -> Result<(String, String)> {
    let (name, reader): (&str, Box<dyn Read>) = match file {
        "-" => ("<stdin>", Box::new(std::io::stdin())),
        path => {
            let file = std::fs::File::open(path)
                .map_err(|e| Diagnostic::new(format!("cannot open {path}: {e}")))?;
            (path, Box::new(file))
        }
    };
    let mut bytes = Vec::new();
    reader
        .take(MAX_PROGRAM_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| Diagnostic::new(format!("cannot read {name}: {e}")))?;
    if bytes.len() as u64 > MAX_PROGRAM_BYTES {
        let message = format!("{name} is too long; the most are {MAX_PROGRAM_BYTES} bytes");
        return Err(Diagnostic::new(message));
    }
    let is_bytecode = bytes.starts_with(b"ML\xefR");
    let text = String::from_utf8(bytes).map_err(|_| {
        if !is_bytecode {
            return Diagnostic::new(format!("{name} is not UTF-8 text"));
        }
        Diagnostic::new(format!("{name} is MLIR bytecode, and only text is read")).help(
            "write it as text: `exported.mlir_module()`, or `stablehlo-translate --deserialize`",
        )
    })?;
    Ok((name.to_owned(), text))
}

/// Returns the error for a program that is refused.
fn refused(name: &str, problems: &Problems) -> Box<Diagnostic> {
    let count = match problems.problems().len() {
        1 => "for this reason".to_owned(),
        count => format!("for {count} reasons"),
    };
    Diagnostic::new(format!("{name} is refused {count}")).details(&problems.to_string())
}

/// Returns the operand of each argument, in order.
fn matched(program: &Program, given: Vec<Operand>, may_lack: bool) -> Result<Vec<Operand>> {
    let arguments = program.arguments();
    let mut places: Vec<Option<Operand>> = arguments.iter().map(|_| None).collect();
    for operand in given {
        let Some(number) = number_of(&operand.declared.name, arguments) else {
            return Err(unknown(&operand.declared.name, arguments));
        };
        let Declared { name, element_type, shape } = &operand.declared;
        let argument = &arguments[number];
        if *element_type != argument.element_type() || shape != argument.shape() {
            let wanted = format!("{}{}", argument.element_type(), argument.shape());
            let message =
                format!("argument `{name}` is {wanted}, but {element_type}{shape} is given");
            let of = argument.element_type();
            return Err(Diagnostic::new(message).help(format!(
                "write a literal with its type, as in `{name}={of}:[1, 2]`, or convert a file by `--cast {of}`"
            )));
        }
        if places[number].is_some() {
            return Err(Diagnostic::new(format!(
                "argument {number} is given twice, last as `{name}`"
            )));
        }
        places[number] = Some(operand);
    }
    let operand = |(number, place): (usize, Option<Operand>)| match place {
        Some(operand) => Ok(operand),
        None => {
            let declared = declared(&arguments[number]);
            if may_lack {
                return Ok(Operand::without_elements(declared));
            }
            let Declared { name, element_type, shape } = declared;
            let message =
                format!("argument {number}, `{name}`, {element_type}{shape}, is not given");
            Err(Diagnostic::new(message).help(format!("write `{name}=ARRAY` or `{number}=ARRAY`")))
        }
    };
    places.into_iter().enumerate().map(operand).collect()
}

/// Returns an argument as an operand is declared.
fn declared(argument: &Parameter) -> Declared {
    Declared {
        name: argument.name().to_owned(),
        element_type: argument.element_type(),
        shape: argument.shape().clone(),
    }
}

/// Returns the number of the argument that is called by its name, JAX's name, or its number.
fn number_of(name: &str, arguments: &[Parameter]) -> Option<usize> {
    let by_name = arguments.iter().position(|argument| argument.name() == name);
    let by_label = || arguments.iter().position(|argument| argument.label() == Some(name));
    let by_number = || name.parse().ok().filter(|&number| number < arguments.len());
    by_name.or_else(by_label).or_else(by_number)
}

/// Returns the error for an operand that is not an argument.
fn unknown(name: &str, arguments: &[Parameter]) -> Box<Diagnostic> {
    let error = Diagnostic::new(format!("the function has no argument `{name}`"));
    let near = nearest(name, arguments.iter().map(Parameter::name));
    let names: Vec<&str> = arguments.iter().map(Parameter::name).take(16).collect();
    error.help(match near {
        Some(near) => format!("did you mean `{near}`?"),
        None if names.is_empty() => "it takes none".to_owned(),
        None => format!("its arguments are {}", names.join(", ")),
    })
}

/// Returns the names of the function's results: the program's where they can be written before a `=`.
fn result_names(program: &Program) -> Vec<Option<String>> {
    let count = program.computation().results().len();
    let is_name = |name: &String| {
        let mut letters = name.chars();
        letters.next().is_some_and(starts_name) && letters.all(continues_name)
    };
    let name = |number: usize| {
        let named = program.results().get(number).cloned().flatten().filter(is_name);
        let is_alone = |name: &String| {
            program.results().iter().flatten().filter(|other| *other == name).count() == 1
        };
        match (count, named.filter(is_alone)) {
            (1, _) => None,
            (_, Some(name)) => Some(name),
            (_, None) => Some(format!("out{number}")),
        }
    };
    (0..count).map(name).collect()
}
