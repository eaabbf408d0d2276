//! Reads user-defined functions, in WGSL, and lowers their calls in EXPR.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use indim::Function;

use crate::expr::lowering::{Lowering, NodeValue};
use crate::expr::names;
use crate::expr::parser::NodeId;
use crate::report::diagnostic::{Diagnostic, Result, Source};

/// The most bytes to read of a file. The library accepts less; this bound keeps an endless device
/// from filling the memory.
const MAX_BYTES: u64 = 1 << 20;

/// Reads and checks the function in each file. `max_iterations`, if given, bounds its loops.
pub(crate) fn read(paths: &[PathBuf], max_iterations: Option<u32>) -> Result<Vec<Function>> {
    let mut functions: Vec<Function> = Vec::with_capacity(paths.len());
    for path in paths {
        let function = read_one(path)?;
        let name = function.name();
        let refuse = |why: &str| {
            let message = format!("--fn {}: `{name}` {why}", path.display());
            Err(Diagnostic::new(message).help("give the function another name"))
        };
        if names::is_function(name) {
            return refuse("is a function that EXPR has already");
        }
        if functions.iter().any(|other| other.name() == name) {
            return refuse("is the name of another file's function, too");
        }
        functions.push(match max_iterations {
            Some(most) => function.with_max_iterations(most),
            None => function,
        });
    }
    Ok(functions)
}

fn read_one(path: &Path) -> Result<Function> {
    let refuse = |why: String| Diagnostic::new(format!("--fn {}: {why}", path.display()));
    let mut text = String::new();
    let file = File::open(path).map_err(|error| refuse(error.to_string()))?;
    file.take(MAX_BYTES).read_to_string(&mut text).map_err(|error| refuse(error.to_string()))?;
    let function = Function::wgsl(&text).map_err(|error| {
        let message = format!("--fn {}: {}", path.display(), error.reason());
        match error.range() {
            Some(range) => Diagnostic::at(range, message)
                .in_source(&Source::new(path.display().to_string(), text.as_str())),
            None => Diagnostic::new(message),
        }
    })?;
    if function.results().len() > 1 {
        let names: Vec<&str> = function.results().map(|(name, _)| name).collect();
        return Err(refuse(format!(
            "`{}` returns a struct of {} values ({}), and a call in EXPR has one",
            function.name(),
            names.len(),
            names.join(", ")
        ))
        .help("write a function for each of them"));
    }
    Ok(function)
}

/// Lowers a call. Operands of lower rank carry `in_dim`, or are aligned by NumPy's rule.
pub(crate) fn call(
    lowering: &mut Lowering<'_>,
    id: NodeId,
    args: &[NodeId],
    function: &Function,
) -> Result<NodeValue> {
    let at = lowering.at(id);
    let parameters: Vec<_> = function.parameters().map(|(_, element_type)| element_type).collect();
    let mut operands = Vec::with_capacity(args.len());
    let mut dimensions = Vec::with_capacity(args.len());
    for (number, &arg) in args.iter().enumerate() {
        // The library reports an excess of operands.
        let number_type = parameters.get(number).copied().unwrap_or(indim::ElementType::F32);
        let (operand, given) = lowering.operand(arg, number_type)?;
        operands.push(operand);
        dimensions.push(given);
    }
    let mut ranks = Vec::with_capacity(operands.len());
    for &operand in &operands {
        ranks.push(lowering.builder.shape(operand).map_err(&at)?.rank());
    }
    let rank = ranks.iter().copied().max().unwrap_or(0);
    let dimensions: Vec<Vec<i64>> = ranks
        .iter()
        .zip(dimensions)
        .map(|(&own, given)| match given {
            Some(given) => given,
            None if lowering.numpy && own > 0 && own < rank => {
                indim::numpy::broadcast_dimensions(own, rank)
            }
            None => Vec::new(),
        })
        .collect();
    let dimensions: Vec<&[i64]> = dimensions.iter().map(Vec::as_slice).collect();
    let made = lowering.builder.call(function, &operands, &dimensions);
    made.map(NodeValue::Op).map_err(|error| {
        let help = lowering.call_help(&error, function, args);
        match help {
            Some(help) => at(error).help(help),
            None => at(error),
        }
    })
}
