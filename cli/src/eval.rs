//! Runs `indim eval`, which computes EXPR on a GPU, and prepares EXPR and operands for `eval` and
//! `explain`.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use indim::{Computation, Context, DeviceError, Error, Literal, Precision};

use crate::diagnostic::{Diagnostic, Result, Source};
use crate::lower::{Lowered, lower};
use crate::lowering::Declared;
use crate::operand::{self, Argument, Operand, ReadOptions};
use crate::parser::parse;
use crate::{npy, output};

/// The longest EXPR that is read from a file; a device that never ends must not fill the memory.
const MAX_EXPR_BYTES: u64 = 64 << 20;

/// EXPR and operands, checked as far as they can be without a GPU.
pub(crate) struct Prepared {
    pub(crate) lowered: Lowered,
    pub(crate) operands: Vec<Operand>,
    /// The user should be told these.
    pub(crate) notes: Vec<String>,
}

/// Reads the operands and lowers EXPR.
pub(crate) fn prepare(
    expr: &str,
    arguments: &[Argument],
    options: ReadOptions<'_>,
    numpy: bool,
    precision: Precision,
) -> Result<Prepared> {
    let source = expression(expr)?;
    let tree = parse(&source.text).map_err(|e| e.in_source(&source))?;
    let operands = operand::read_all(arguments, options)?;
    let declared: Vec<Declared> = operands.iter().map(|operand| operand.declared.clone()).collect();
    let lowered = lower(&tree, &source.text, &declared, numpy, precision)
        .map_err(|e| e.in_source(&source))?;
    let notes = operand::unused(&operands, &lowered.parameters);
    Ok(Prepared { lowered, operands, notes })
}

/// Returns the text of EXPR: given as it is, in `@FILE`, or on the standard input.
fn expression(expr: &str) -> Result<Rc<Source>> {
    let (name, reader): (&str, Box<dyn Read>) = match (expr, expr.strip_prefix('@')) {
        ("-", _) => ("<stdin>", Box::new(std::io::stdin())),
        (_, Some(path)) => {
            let file = std::fs::File::open(path)
                .map_err(|e| Diagnostic::new(format!("cannot open {path} for EXPR: {e}")))?;
            (path, Box::new(file))
        }
        _ => return Ok(Source::new("EXPR", expr)),
    };
    let mut bytes = Vec::new();
    reader
        .take(MAX_EXPR_BYTES + 1)
        .read_to_end(&mut bytes)
        .map_err(|e| Diagnostic::new(format!("cannot read {name} for EXPR: {e}")))?;
    if bytes.len() as u64 > MAX_EXPR_BYTES {
        return Err(Diagnostic::new(format!(
            "{name} is too long for EXPR; the most are {MAX_EXPR_BYTES} bytes"
        )));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| Diagnostic::new(format!("{name} is not UTF-8 text")))?;
    Ok(Source::new(name, text))
}

/// Computes EXPR; gives the result, and notes for the user. No context is asked for
/// before all is checked that can be checked without one.
pub(crate) fn eval(
    prepared: Prepared,
    context: impl FnOnce() -> Result<Context>,
    output: Option<&PathBuf>,
) -> Result<(Literal, Vec<String>)> {
    let Prepared { lowered, operands, mut notes } = prepared;
    if let Some(path) = output {
        check_writable(path, &lowered.computation)?;
    }
    let context = context()?;

    let mut operands: Vec<Option<Operand>> = operands.into_iter().map(Some).collect();
    let mut arrays = Vec::with_capacity(lowered.parameters.len());
    for &number in &lowered.parameters {
        let Some(operand) = operands.get_mut(number).and_then(Option::take) else {
            continue;
        };
        let name = operand.declared.name.clone();
        check_size(&context, &operand.declared)?;
        // Only one array at a time is in host memory.
        let (literal, more) = operand.literal()?;
        notes.extend(more);
        let Some(literal) = literal else { continue };
        let array = context.upload(&literal).map_err(|e| refused_upload(&e, &name))?;
        arrays.push(array);
    }
    let arguments: Vec<_> = arrays.iter().collect();
    let result = context
        .run(&lowered.computation, &arguments)
        .and_then(|array| array.to_literal_blocking())
        .map_err(|e| Diagnostic::new(e.to_string()))?;
    if let Some(path) = output {
        npy::write(path, &result)
            .map_err(|e| Diagnostic::new(format!("cannot write {}: {e}", path.display())))?;
    }
    Ok((result, notes))
}

/// Returns the error for an operand that the device does not take.
fn refused_upload(error: &Error, name: &str) -> Box<Diagnostic> {
    let diagnostic = Diagnostic::new(format!("operand `{name}`: {error}"));
    match error {
        Error::Device(DeviceError::Unsupported { instead, .. }) => {
            diagnostic.help(format!("a file is converted by `--cast {name}={instead}`"))
        }
        _ => diagnostic,
    }
}

/// Refuses what no .npy file can hold, and where none can be, before it is computed.
fn check_writable(path: &Path, result: &Computation) -> Result<()> {
    let element_type = result.element_type();
    let refused = |why: String| Diagnostic::new(format!("cannot write {}: {why}", path.display()));
    if npy::descr(element_type).is_none() {
        return Err(refused(format!(".npy files have no dtype for {element_type}"))
            .help(npy::instead(element_type)));
    }
    npy::refuse_shape(result.shape()).map_err(refused)?;
    output::check(path).map_err(|e| refused(e.to_string()))
}

/// Refuses what no buffer of the device can hold, before it is made or read.
fn check_size(context: &Context, declared: &Declared) -> Result<()> {
    let Declared { name, element_type, shape } = declared;
    let count = shape.element_count().unwrap_or(usize::MAX) as u64;
    let bytes = (count.saturating_mul(element_type.bits() as u64)).div_ceil(8);
    let allowed = context.device().limits().max_buffer_size;
    if bytes <= allowed {
        return Ok(());
    }
    let (element_type, shape, limit) = (*element_type, shape.clone(), "max_buffer_size");
    let error = DeviceError::TooLarge { element_type, shape, bytes, limit, allowed };
    Err(Diagnostic::new(format!("operand `{name}`: {error}")))
}
