//! Assigns results to files by `-o [NAME=]OUT.npy` and `-o [NAME=]OUT.npz:ARRAY`, and writes them.

use std::collections::HashMap;
use std::fs::File;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

use indim::{Computation, ElementType, Literal, Shape};
use indim_expr::{Diagnostic, Result, nearest};
use indim_npy::Dtype;

use crate::operand::npy;
use crate::operand::npz;
use crate::operand::word::split_name;
use crate::output::file_format;
use crate::output::result_file::{Contents, Copied, ResultFile, settle};
use crate::output::result_names::Results;
use crate::output::whole_files;
use crate::output::whole_files::cannot_write;

/// Returns the file of each `-o`; all that lead into one archive are one file. Before anything is
/// computed, this rejects arrays that .npy cannot hold, and paths that cannot be written.
pub(crate) fn result_files(
    outputs: &[PathBuf],
    results: &Results,
    computation: &Computation,
) -> Result<Vec<ResultFile>> {
    let types: Vec<(ElementType, &Shape)> = computation.results().collect();
    let numbers = results.numbers();
    let mut paths: HashMap<usize, PathBuf> = HashMap::new();
    let mut places: HashMap<PathBuf, usize> = HashMap::new();
    let mut files: Vec<ResultFile> = Vec::with_capacity(outputs.len());
    // As many paths as results, none with a name, are theirs in order.
    let is_path = |output: &PathBuf| {
        split_name(&output.to_string_lossy()).is_none() && npz::split(output).is_none()
    };
    let in_order = outputs.len() == results.count() && outputs.iter().all(is_path);
    for (index, output) in outputs.iter().enumerate() {
        let placed = if in_order {
            vec![placed(index, output, results)]
        } else {
            split(output, results, &numbers)?
        };
        for Placed { number, path, member, keeps_others } in placed {
            if let Some(before) = paths.insert(number, path.clone()) {
                return Err(Diagnostic::new(format!(
                    "{} is written to one file, but two are given: {} and {}",
                    the(results, number),
                    before.display(),
                    path.display()
                )));
            }
            let Some(&(element_type, shape)) = types.get(number) else { continue };
            check(&path, element_type, shape)?;
            let place =
                whole_files::place(&path).map_err(|e| cannot_write(&path, &e.to_string()))?;
            let contents = match member {
                None => Contents::Npy(number),
                Some(member) => Contents::Npz(vec![(number, member)]),
            };
            let Some(&file) = places.get(&place) else {
                places.insert(place, files.len());
                files.push(ResultFile { path, contents, keeps_others, copied: Copied::default() });
                continue;
            };
            files[file].keeps_others |= keeps_others;
            let help = match &contents {
                Contents::Npy(_) => "each result has a file of its own",
                Contents::Npz(_) => "each result has a name of its own in an archive",
            };
            join(&mut files[file].contents, contents).map_err(|other| {
                Diagnostic::new(format!(
                    "{} and {} are both to be written to {}",
                    the(results, other),
                    the(results, number),
                    path.display()
                ))
                .help(help)
            })?;
        }
    }
    files.iter().try_for_each(ResultFile::check_old_archive)?;
    Ok(files)
}

/// Adds to the contents of a file. The error is the result that already takes the place.
fn join(contents: &mut Contents, more: Contents) -> std::result::Result<(), usize> {
    match (contents, more) {
        (Contents::Npz(members), Contents::Npz(more)) => {
            let is_taken = |name: &str| members.iter().find(|(_, taken)| taken == name);
            if let Some(&(other, _)) = more.iter().find_map(|(_, name)| is_taken(name)) {
                return Err(other);
            }
            members.extend(more);
            Ok(())
        }
        (contents, _) => Err(contents.results().next().map_or(0, |(number, _)| number)),
    }
}

/// Writes all results to their files; on an error, no file changes. See [`whole_files::write_all`].
pub(crate) fn write(files: &[ResultFile], results: &[Literal]) -> Result<()> {
    let paths: Vec<&Path> = files.iter().map(|file| file.path.as_path()).collect();
    let write = |number: usize, writer: &mut BufWriter<&File>| {
        match &files[number].contents {
            Contents::Npy(result) => indim_npy::write(writer, &results[*result])?,
            Contents::Npz(members) => {
                let mut archive = files[number].begin_archive(writer)?;
                for (result, name) in members {
                    archive.write(name, &results[*result])?;
                }
                archive.finish()?;
            }
        }
        Ok(())
    };
    whole_files::write_all(&paths, write, |ready| settle(files, ready))
        .map_err(|(number, error)| cannot_write(paths[number], &error.to_string()))
}

/// A result's place in a file.
struct Placed {
    number: usize,
    path: PathBuf,
    /// Its name, if the file is an archive.
    member: Option<String>,
    /// True if that name is given explicitly, so that the archive's other arrays stay.
    keeps_others: bool,
}

/// Returns a result's place in the file of a path.
fn placed(number: usize, path: &Path, results: &Results) -> Placed {
    match npz::split(path) {
        None => Placed { number, path: path.to_owned(), member: None, keeps_others: false },
        Some((path, name)) => {
            let keeps_others = name.is_some();
            let member = Some(name.unwrap_or_else(|| results.member(number)));
            Placed { number, path, member, keeps_others }
        }
    }
}

/// Returns the result that an `-o` names, or the only one, with its path; for an archive without a
/// name, all results.
fn split(output: &Path, results: &Results, numbers: &HashMap<&str, usize>) -> Result<Vec<Placed>> {
    let shown = output.display();
    let named = split_name(&output.to_string_lossy()).map(|(name, _)| name.to_owned());
    let placed = |number: usize, path: &Path| placed(number, path, results);
    let Some(name) = named else {
        return match (results.count(), npz::split(output)) {
            (1, _) => Ok(vec![placed(0, output)]),
            (count, Some((_, None))) => Ok((0..count).map(|n| placed(n, output)).collect()),
            (count, _) => Err(Diagnostic::new(format!(
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
        Some(path) if !path.as_os_str().is_empty() => Ok(vec![placed(number, path)]),
        Some(_) => Err(Diagnostic::new(format!("-o {shown}: no file is named behind the `=`"))),
        None => Err(Diagnostic::new(format!("-o {shown}: a path behind NAME= has to be UTF-8"))),
    }
}

/// Returns help on naming the result for a file.
fn naming(results: &Results, output: &Path) -> String {
    let path = output.display();
    match results.list() {
        Some(list) => format!("write `-o NAME={path}`; the results are {list}"),
        None => format!("name the results, as in `y = x + 1`, and write `-o y={path}`"),
    }
}

/// Returns a result's title for use within a sentence.
fn the(results: &Results, number: usize) -> String {
    match results.count() {
        1 => "the result".to_owned(),
        _ => results.title(number),
    }
}

/// Rejects an array that .npy cannot hold, and a path that cannot be written.
fn check(path: &Path, element_type: ElementType, shape: &Shape) -> Result<()> {
    file_format::check(path)?;
    if Dtype::of(element_type).is_none() {
        let why = format!(".npy files have no dtype for {element_type}");
        return Err(cannot_write(path, &why).help(npy::instead(element_type)));
    }
    indim_npy::check_shape(shape).map_err(|why| cannot_write(path, &why.to_string()))?;
    whole_files::check(path).map_err(|e| cannot_write(path, &e.to_string()))
}
