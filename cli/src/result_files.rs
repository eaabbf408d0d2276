//! Finds out which result goes to which file, from `-o [NAME=]OUT.npy`.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use indim::{Computation, ElementType, Literal, Shape};
use indim_npy::Dtype;

use crate::diagnostic::{Diagnostic, Result};
use crate::results::Results;
use crate::suggest::nearest;
use crate::word::split_name;
use crate::{npy, output};

/// A result and the file that it is written to.
#[derive(Debug)]
pub(crate) struct ResultFile {
    /// The result's number, from 0.
    number: usize,
    path: PathBuf,
}

impl ResultFile {
    /// Tells whether this is the file of the result of this number.
    pub(crate) fn is_of(&self, number: usize) -> bool {
        self.number == number
    }
}

/// Returns the file of each `-o`. Refused is what no .npy file can hold, and where none can be,
/// before it is computed.
pub(crate) fn result_files(
    outputs: &[PathBuf],
    results: &Results,
    computation: &Computation,
) -> Result<Vec<ResultFile>> {
    let types: Vec<(ElementType, &Shape)> = computation.results().collect();
    let numbers = results.numbers();
    let mut paths: HashMap<usize, &Path> = HashMap::new();
    let mut places: HashMap<PathBuf, usize> = HashMap::new();
    let mut files = Vec::with_capacity(outputs.len());
    for output in outputs {
        let (number, path) = split(output, results, &numbers)?;
        if let Some(before) = paths.insert(number, path) {
            return Err(Diagnostic::new(format!(
                "{} is written to one file, but two are given: {} and {}",
                the(results, number),
                before.display(),
                path.display()
            )));
        }
        let Some(&(element_type, shape)) = types.get(number) else { continue };
        check(path, element_type, shape)?;
        let place = output::place(path).map_err(|e| cannot_write(path, &e.to_string()))?;
        if let Some(other) = places.insert(place, number) {
            return Err(Diagnostic::new(format!(
                "{} and {} are both to be written to {}",
                the(results, other),
                the(results, number),
                path.display()
            ))
            .help("each result has a file of its own"));
        }
        files.push(ResultFile { number, path: path.to_owned() });
    }
    Ok(files)
}

/// Writes the results to their files: all of them, or none is changed. See [`output::write_all`].
pub(crate) fn write(files: &[ResultFile], results: &[Literal]) -> Result<()> {
    let pairs: Vec<(&Path, &Literal)> = files
        .iter()
        .filter_map(|file| Some((file.path.as_path(), results.get(file.number)?)))
        .collect();
    let paths: Vec<&Path> = pairs.iter().map(|(path, _)| *path).collect();
    output::write_all(&paths, |number, writer| Ok(indim_npy::write(writer, pairs[number].1)?))
        .map_err(|(number, error)| cannot_write(paths[number], &error.to_string()))
}

/// Returns the number of the result that an `-o` names, or of the only one, and the path.
fn split<'a>(
    output: &'a Path,
    results: &Results,
    numbers: &HashMap<&str, usize>,
) -> Result<(usize, &'a Path)> {
    let shown = output.display();
    let named = split_name(&output.to_string_lossy()).map(|(name, _)| name.to_owned());
    let Some(name) = named else {
        return match results.count() {
            1 => Ok((0, output)),
            count => Err(Diagnostic::new(format!(
                "-o {shown} does not say which of the {count} results it is for"
            ))
            .help(naming(results, output))),
        };
    };
    let Some(&number) = numbers.get(name.as_str()) else {
        let error = Diagnostic::new(format!("-o {shown}: no result is named `{name}`"));
        let near = nearest(&name, numbers.keys().copied());
        let which = match (near, results.list()) {
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, Some(list)) => format!("the results are {list}"),
            (None, None) => format!("an EXPR names its result, as in `{name} = x + 1`"),
        };
        return Err(error.help(format!("{which}; a file of that name is written ./{shown}")));
    };
    let path = output.to_str().and_then(split_name).map(|(_, path)| Path::new(path));
    match path {
        Some(path) if !path.as_os_str().is_empty() => Ok((number, path)),
        Some(_) => Err(Diagnostic::new(format!("-o {shown}: no file is named behind the `=`"))),
        None => Err(Diagnostic::new(format!("-o {shown}: a path behind NAME= has to be UTF-8"))),
    }
}

/// Says how to name the result that a file is for.
fn naming(results: &Results, output: &Path) -> String {
    let path = output.display();
    match results.list() {
        Some(list) => format!("write `-o NAME={path}`; the results are {list}"),
        None => format!("name the results, as in `y = x + 1`, and write `-o y={path}`"),
    }
}

/// Returns a result's title at the beginning or in the middle of a sentence.
fn the(results: &Results, number: usize) -> String {
    match results.count() {
        1 => "the result".to_owned(),
        _ => results.title(number),
    }
}

fn cannot_write(path: &Path, why: &str) -> Box<Diagnostic> {
    Diagnostic::new(format!("cannot write {}: {why}", path.display()))
}

/// Refuses an array that no .npy file can hold, and a path where none can be written.
fn check(path: &Path, element_type: ElementType, shape: &Shape) -> Result<()> {
    if Dtype::of(element_type).is_none() {
        let why = format!(".npy files have no dtype for {element_type}");
        return Err(cannot_write(path, &why).help(npy::instead(element_type)));
    }
    indim_npy::check_shape(shape).map_err(|why| cannot_write(path, &why.to_string()))?;
    output::check(path).map_err(|e| cannot_write(path, &e.to_string()))
}
