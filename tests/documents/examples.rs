//! Tests that each public function has an example in its documentation, which `cargo test --doc` runs.
//! Those count that are `pub` and not hidden, and whose type, name or, in `src/`, module stands in a
//! `pub use` of [`DOORS`].

use std::collections::BTreeSet;
use std::fs;

use crate::markdown::root;
use crate::none;
use crate::operations::files;

const DOORS: [&str; 3] = ["src/lib.rs", "src/api/numpy/mod.rs", "core/src/lib.rs"];

/// Returns the words of `pub use` statements that are not hidden.
fn exported(text: &str) -> impl Iterator<Item = &str> {
    let statements = text.split(';').filter_map(|part| part.split_once("pub use "));
    let shown = statements.filter(|(before, _)| !before.trim_end().ends_with("#[doc(hidden)]"));
    let names =
        shown.flat_map(|(_, names)| names.split(|c: char| !c.is_alphanumeric() && c != '_'));
    names.filter(|name| !name.is_empty())
}

/// Returns the name of the public function that a line begins.
fn function(line: &str) -> Option<&str> {
    let (before, rest) = line.trim_start().split_once("fn ")?;
    let is_public = matches!(before, "pub " | "pub const " | "pub async ");
    rest.split(['(', '<']).next().filter(|_| is_public)
}

/// Returns the name of the type whose `impl` block a line begins.
fn type_name(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("impl")?;
    let mut depth = 0;
    let end = rest.find(|c: char| {
        depth += i32::from(c == '<') - i32::from(c == '>');
        depth == 0 && c == ' '
    });
    rest[end? + 1..].split(['<', ' ']).next()
}

/// Returns the lines of public functions that have no example, and the number of public functions.
fn without_example(text: &str, is_public: impl Fn(&str) -> bool) -> (Vec<(usize, &str)>, usize) {
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    let (mut missing, mut count, mut of) = (Vec::new(), 0, "");
    for (number, line) in lines.iter().enumerate() {
        of = type_name(line).unwrap_or(of);
        let Some(name) = function(line) else { continue };
        let owner = if line.starts_with("pub") { name } else { of };
        let is_end = |line: &str| line.is_empty() || line.ends_with(['{', '}', ';']);
        let is_above = |line: &&&str| line.trim_start().starts_with("//") || !is_end(line);
        let above = || lines[..number].iter().rev().take_while(is_above);
        let has = |part: &str| above().any(|line| line.trim_start().starts_with(part));
        // A name that a macro is given may be any.
        if !has("#[doc(hidden)]") && (owner.starts_with('$') || is_public(owner)) {
            count += 1;
            missing.extend((!has("/// ```")).then_some((number + 1, name)));
        }
    }
    (missing, count)
}

#[test]
fn every_public_function_has_an_example() {
    let doors = DOORS.map(|path| fs::read_to_string(root().join(path)).unwrap());
    let exported: BTreeSet<&str> = doors.iter().flat_map(|text| exported(text)).collect();
    let (mut faults, mut count) = (Vec::new(), 0);
    for file in ["src", "core/src", "compiler/src"]
        .iter()
        .flat_map(|folder| files(&root().join(folder), "rs"))
    {
        let text = fs::read_to_string(&file).unwrap();
        let path = file.strip_prefix(root()).unwrap().with_extension("");
        let is_module = |part| exported.contains(part) && path.starts_with("src");
        let of_module = path.iter().filter_map(|part| part.to_str()).any(is_module);
        let is_type = |owner: &str| owner.starts_with(char::is_uppercase);
        let is_public = |owner: &str| exported.contains(owner) || of_module && !is_type(owner);
        let (missing, found) = without_example(&text, is_public);
        let name = |(line, name)| format!("{}.rs:{line}: {name}", path.display());
        faults.extend(missing.into_iter().map(name));
        count += found;
    }
    none(faults);
    assert!(count > 250, "only {count} functions were found");
}

#[test]
fn a_missing_example_is_found() {
    let method = "impl<T: Into<u8>> Array<T> {\n    /// Returns it.\n    pub async fn get() {}\n}";
    assert_eq!(without_example(method, |of| of == "Array"), (vec![(3, "get")], 1));
    let with = method.replace("it.", "it.\n    /// ```\n    /// x.get();\n    /// ```");
    assert_eq!(without_example(&with, |of| of == "Array"), (vec![], 1));
}
