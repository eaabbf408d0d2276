//! Runs `indim eval`, which computes EXPRs on a GPU, and prepares EXPRs and operands for `eval` and
//! `explain`.

use std::io::Read;
use std::path::PathBuf;
use std::rc::Rc;

use indim::{Context, Error, Literal, Precision, WgslFunction};
use indim_expr::{Declared, Diagnostic, Given, Lowered, Parsed, Result, Source, lower};

use crate::commands::large::{self, Limit};
use crate::commands::stats;
use crate::operand::parse::{self as operands, Argument, Operand, ReadOptions};
use crate::operand::refused::refused_run;
use crate::operand::upload::upload;
use crate::operand::word::split_name;
use crate::output::printed::{Labelled, Printed};
use crate::output::result_file::{ResultFile, path_of};
use crate::output::result_files::{self, result_files};
use crate::output::result_names::Results;

/// The most bytes of all EXPRs; an endless device must not fill the memory.
const MAX_EXPR_BYTES: u64 = 64 << 20;

/// The help on a first argument that looks like an operand and is not an EXPR.
const EXPR_FIRST: &str = "the first argument is an EXPR; operands, NAME=ARRAY, stand behind it";

/// EXPRs and operands, checked as far as possible without a GPU.
pub(crate) struct Prepared {
    pub(crate) lowered: Lowered,
    pub(crate) results: Results,
    pub(crate) operands: Vec<Operand>,
    /// The user should be told these.
    pub(crate) notes: Vec<String>,
}

/// Reads the operands and lowers the EXPRs.
pub(crate) fn prepare(
    exprs: &[&str],
    arguments: &[Argument],
    functions: &[WgslFunction],
    options: ReadOptions<'_>,
    (numpy, precision): (bool, Precision),
) -> Result<Prepared> {
    let parsed = read_exprs(exprs)?;
    let operands = operands::read_all(arguments, options)?;
    let declared: Vec<Declared> = operands.iter().map(|operand| operand.declared.clone()).collect();
    let mut lowered = lower(&parsed, Given { operands: &declared, functions, numpy, precision })?;
    let mut notes = operands::unused(&operands, &lowered.parameters);
    notes.append(&mut lowered.notes);
    let results = Results::new(std::mem::take(&mut lowered.names));
    Ok(Prepared { lowered, results, operands, notes })
}

/// Reads and parses the EXPRs, with one bound each on their total bytes and tokens.
fn read_exprs(exprs: &[&str]) -> Result<Vec<Parsed>> {
    if exprs.iter().filter(|expr| **expr == "-").count() > 1 {
        return Err(Diagnostic::new("the standard input, `-`, is given for two EXPRs").help(
            "write both there, with `;` between them, or one of them to a file for `@FILE`",
        ));
    }
    let mut parsed = Vec::with_capacity(exprs.len());
    let (mut bytes, mut tokens) = (0, 0);
    for (number, expr) in exprs.iter().enumerate() {
        let name = if number == 0 { "EXPR".to_owned() } else { format!("EXPR {}", number + 1) };
        let source = expression(expr, name, MAX_EXPR_BYTES.saturating_sub(bytes))?;
        bytes += source.text.len() as u64;
        let expr = Parsed::new(source, tokens).map_err(|e| {
            if number == 0 && split_name(expr).is_some() { e.or_help(EXPR_FIRST) } else { e }
        })?;
        tokens += expr.tokens();
        parsed.push(expr);
    }
    Ok(parsed)
}

/// Returns the text of an EXPR: given directly, in `@FILE`, or on the standard input. At most
/// `left` bytes are accepted.
fn expression(expr: &str, own_name: String, left: u64) -> Result<Rc<Source>> {
    let (name, reader): (&str, Box<dyn Read>) = match (expr, expr.strip_prefix('@')) {
        ("-", _) => ("<stdin>", Box::new(std::io::stdin())),
        (_, Some(path)) => {
            let file = std::fs::File::open(path)
                .map_err(|e| Diagnostic::new(format!("cannot open {path} for EXPR: {e}")))?;
            (path, Box::new(file))
        }
        _ => return Ok(Source::new(own_name, expr)),
    };
    let mut bytes = Vec::new();
    reader
        .take(left + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| Diagnostic::new(format!("cannot read {name} for EXPR: {e}")))?;
    if bytes.len() as u64 > left {
        let all = if left < MAX_EXPR_BYTES { " of all EXPRs together" } else { "" };
        return Err(Diagnostic::new(format!(
            "{name} is too long for EXPR; the most are {MAX_EXPR_BYTES} bytes{all}"
        )));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| Diagnostic::new(format!("{name} is not UTF-8 text")))?;
    Ok(Source::new(name, text))
}

/// Output beyond the elements that a terminal has room for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shown {
    /// All elements of results without a file, which are then not computed in chunks.
    pub(crate) all: bool,
    /// The time that the computation takes.
    pub(crate) stats: bool,
}

/// The outcome of an evaluation.
pub(crate) struct Evaluated {
    pub(crate) results: Vec<Labelled>,
    /// The user should be told these.
    pub(crate) notes: Vec<String>,
    /// The error for missing results, rejected by a function's loop limit.
    pub(crate) refused: Option<Box<Diagnostic>>,
}

/// Computes the EXPRs: at once if operands and results fit into `max_memory` bytes, otherwise in
/// chunks, or only the printed elements of results without files. Returns the labelled results, and
/// notes for the user. The context is created only after all checks that do not need one.
pub(crate) fn eval(
    prepared: Prepared,
    context: impl FnOnce() -> Result<Context>,
    outputs: &[PathBuf],
    max_memory: u64,
    shown: Shown,
) -> Result<Evaluated> {
    let Prepared { lowered, results, operands, mut notes } = prepared;
    let files = result_files(outputs, &results, &lowered.computation)?;
    let context = context()?;
    let limit = large::limit(&lowered, &operands, &context, max_memory);
    if let Some(limit) = limit.filter(|_| shown.all) {
        refuse_unwritten(&results, &files, limit)?;
    }
    let prints_less = !shown.all && files.is_empty() && large::is_abbreviated(&lowered);
    let in_chunks = limit.is_some() || (prints_less && !shown.stats);
    let mut evaluated = if in_chunks {
        let memory = (max_memory, limit.is_none());
        let chunked = large::eval((&lowered, &results), operands, &context, &files, memory)?;
        Evaluated { results: chunked.0, notes: chunked.1, refused: None }
    } else {
        at_once((&lowered, &results), operands, &context, &files, shown.stats)?
    };
    notes.append(&mut evaluated.notes);
    if in_chunks && shown.stats {
        notes.push("note: what is computed in chunks has no --stats".to_owned());
    }
    Ok(Evaluated { notes, ..evaluated })
}

/// Rejects a result without a file if not all of its elements can be printed.
fn refuse_unwritten(results: &Results, files: &[ResultFile], limit: Limit) -> Result<()> {
    let unwritten = (0..results.count()).find(|&number| path_of(files, number).is_none());
    let Some(number) = unwritten else { return Ok(()) };
    let (why, help) = match limit {
        Limit::Memory => (
            "operands and results take more than --max-memory".to_owned(),
            "write it by -o, or raise --max-memory",
        ),
        Limit::Buffer(bytes) => (
            format!("an array takes more than the adapter's largest buffer, {bytes} bytes"),
            "write it by -o",
        ),
    };
    let title = results.title(number);
    let message = format!("--json prints all elements of the {title}, but {why}");
    Err(Diagnostic::new(message).help(help))
}

/// Computes all results whole, and writes the files. If a loop limit rejects a result, the others
/// are still printed, unless there are files: those hold all results or none.
fn at_once(
    (lowered, results): (&Lowered, &Results),
    operands: Vec<Operand>,
    context: &Context,
    files: &[ResultFile],
    with_stats: bool,
) -> Result<Evaluated> {
    let mut arrays = Vec::with_capacity(lowered.parameters.len());
    let mut notes = Vec::new();
    for operand in operands::used(operands, &lowered.parameters) {
        // Only one array at a time is in host memory.
        let (array, more) = upload(context, operand)?;
        notes.extend(more);
        arrays.extend(array);
    }
    let arguments: Vec<_> = arrays.iter().collect();
    let failed = |e: Error| refused_run(&e, lowered.narrower.as_deref());
    let arrays = context.run_all(&lowered.computation, &arguments).map_err(failed)?;
    let mut literals: Vec<Option<Literal>> = Vec::with_capacity(arrays.len());
    let mut refused = None;
    for array in arrays {
        match array.to_literal_blocking() {
            Ok(literal) => literals.push(Some(literal)),
            Err(error @ Error::Call { .. }) if files.is_empty() => {
                refused.get_or_insert(error);
                literals.push(None);
            }
            Err(error) => return Err(failed(error)),
        }
    }
    let refused = refused.map(failed);
    // With files, no result is missing here.
    if !files.is_empty() {
        let whole: Vec<Literal> = literals.into_iter().flatten().collect();
        result_files::write(files, &whole)?;
        literals = whole.into_iter().map(Some).collect();
    }
    if with_stats {
        let measured = stats::measure(context, &lowered.computation, &arguments);
        // A failure here is only a note: the results are computed, and the files written.
        notes.push(measured.unwrap_or_else(|e| format!("note: there are no --stats: {e}")));
    }
    let printed = literals.into_iter().map(|literal| literal.map(Printed::Whole));
    Ok(Evaluated { results: Labelled::all(results, files, printed), notes, refused })
}
