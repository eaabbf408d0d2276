//! Reads user-defined functions, in WGSL.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use indim::WgslFunction;
use indim_expr::{Diagnostic, Result, Source, names};

/// The most bytes to read of a file. The library accepts less; this bound keeps an endless device
/// from filling the memory.
const MAX_BYTES: u64 = 1 << 20;

/// Reads and checks the function in each file. `max_iterations`, if given, bounds its loops.
pub(crate) fn read(paths: &[PathBuf], max_iterations: Option<u32>) -> Result<Vec<WgslFunction>> {
    let mut functions: Vec<WgslFunction> = Vec::with_capacity(paths.len());
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

fn read_one(path: &Path) -> Result<WgslFunction> {
    let refuse = |why: String| Diagnostic::new(format!("--fn {}: {why}", path.display()));
    let mut text = String::new();
    let file = File::open(path).map_err(|error| refuse(error.to_string()))?;
    file.take(MAX_BYTES).read_to_string(&mut text).map_err(|error| refuse(error.to_string()))?;
    let function = WgslFunction::wgsl(&text).map_err(|error| {
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
