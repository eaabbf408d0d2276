//! Tests that an operation is written in few places: lists in other languages are those of the table
//! of operations, and docs/extending.md's numbers of files are true.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use indim::{OpClass, Opcode};
use indim_core::semantics::op::random_table::for_each_random;
use indim_core::semantics::op::table::composed_table;

use crate::markdown::root;

/// The most files of the library that name an elementwise operation, and one of class `Move`.
const ELEMENTWISE: usize = 4;
const STRUCTURED: usize = 6;

/// The rows of the table of composed operations: the name, and the attributes.
macro_rules! rows {
    ([] $(
        $(#[doc = $doc:literal])+
        $name:ident $method:ident $class:ident (
            $($operand:ident),+; $($attribute:ident $(: $kind:ident = $value:tt)?),*
            $(; $shape:tt; $errors:literal)?
        ) $bound:ident -> $result:ident, $properties:expr;
    )*) => {
        [$((stringify!($method), <[&str]>::join(&[$(stringify!($attribute)),*], ", "))),*]
    };
}

/// Composed operations that other languages write as a slice, with strides or before a reshape.
const SLICES: [&str; 2] = ["index", "step_by"];

/// Composed operations that the Python package lacks under their names: NumPy has none of them, but
/// for positions, which are those in S64, and for products, whose operands broadcast there.
const COMPOSED_NOT_IN_PYTHON: [&str; 6] =
    ["argmax_s64", "argmin_s64", "layer_norm", "rms_norm", "dot", "dot_general"];

/// Operations that the Python package neither has nor needs.
const NOT_IN_PYTHON: &[&str] = &[
    "bessel_i1e",
    "eq_total_order",
    "erf_inv",
    "ge_total_order",
    "gt_total_order",
    "is_nan",
    "le_total_order",
    "lt_total_order",
    "ne_total_order",
];

/// Returns the names of the operations of these classes.
fn methods(classes: &[OpClass]) -> BTreeSet<String> {
    let listed = Opcode::ALL.iter().filter(|op| classes.contains(&op.class()));
    listed.map(|op| op.method().to_owned()).collect()
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns the files in a folder, and in those within it, with these endings.
pub(crate) fn files(folder: &Path, ending: &str) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files(&path, ending));
        } else if path.extension().is_some_and(|extension| extension == ending) {
            found.push(path);
        }
    }
    found
}

/// Returns the texts between double quotes.
fn quoted(text: &str) -> BTreeSet<String> {
    text.split('"').skip(1).step_by(2).map(str::to_owned).collect()
}

fn snake_case(name: &str) -> String {
    let mut snake = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() {
            snake.push('_');
        }
        snake.push(c.to_ascii_lowercase());
    }
    snake
}

#[test]
fn javascript_lists_every_operation() {
    let text = read("web/js/indim.d.ts");
    let list = |name: &str| -> BTreeSet<String> {
        let (_, list) = text.split_once(&format!("export type {name} =")).unwrap();
        quoted(list.split_once(';').unwrap().0).iter().map(|name| snake_case(name)).collect()
    };
    assert_eq!(list("UnaryOperation"), methods(&[OpClass::Unary]));
    let binary = methods(&[OpClass::Binary, OpClass::Compare, OpClass::Pair]);
    assert_eq!(list("BinaryOperation"), binary);
    let composed = composed();
    let taking = |attributes: &str| -> BTreeSet<String> {
        let of = composed.iter().filter(|(name, of)| of == attributes && !SLICES.contains(name));
        of.map(|(name, _)| (*name).to_owned()).collect()
    };
    let mut reductions = methods(&[OpClass::Reduce]);
    reductions.extend(taking("dimensions"));
    assert_eq!(list("Reduction"), reductions);
    assert_eq!(list("Cumulative"), taking("dimension"));
    // The module makes these methods of lists, and those with a number by hand.
    let made = read("web/src/expr.rs");
    let of_list = |name: &str| {
        let (_, list) = made.split_once(&format!("const {name}: &[&str] =")).unwrap();
        quoted(list.split_once(';').unwrap().0)
    };
    assert_eq!(of_list("COMPOSED"), taking("dimensions"));
    assert_eq!(of_list("CUMULATIVE"), taking("dimension"));
    for normalizing in taking("dimensions, epsilon") {
        let method = text.split("): Expr;").map(snake_case).filter(|line| {
            line.contains(&format!("\n  {normalizing}(dimensions: readonly number[], epsilon"))
        });
        assert_eq!(method.count(), 1, "{normalizing}");
    }
    for product in taking("").iter().chain(&taking("dimension_numbers")) {
        assert!(snake_case(&text).contains(&format!("\n  {product}(rhs: ")), "{product}");
    }
    let (_, random) = text.split_once("export const random: {").unwrap();
    let random = snake_case(random.split_once("\n};").unwrap().0);
    macro_rules! find {
        ([$($doc:literal)+] $method:ident $($rest:tt)*) => {
            let name = stringify!($method).strip_prefix("random_").unwrap();
            assert!(random.contains(&format!("\n  {name}(key: ")), "{name}");
        };
    }
    for_each_random! { find }
}

/// Returns the names of the composed operations, each with its attributes.
fn composed() -> Vec<(&'static str, String)> {
    composed_table! { [rows] }.into()
}

#[test]
fn python_calls_every_composed_operation() {
    let bound = read("python/src/calls.rs");
    let mut all: Vec<&str> = composed().into_iter().map(|(name, _)| name).collect();
    all.retain(|name| !SLICES.contains(name));
    // Random operations are bound by the table. Reductions go by NumPy's rules, which name them otherwise.
    let numpy = read("core/src/semantics/numpy/reduction.rs");
    let mut wrong = Vec::new();
    for name in all {
        let is_called =
            bound.contains(&format!(".{name}(")) || numpy.contains(&format!("\"{name}\""));
        let is_left_out = COMPOSED_NOT_IN_PYTHON.contains(&name);
        if is_called == is_left_out {
            wrong.push(name);
        }
    }
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn python_uses_every_operation() {
    let sources = files(&root().join("python/indim"), "py");
    let names: BTreeSet<String> =
        sources.iter().flat_map(|path| quoted(&fs::read_to_string(path).unwrap())).collect();
    let elementwise = methods(&[OpClass::Binary, OpClass::Compare, OpClass::Pair, OpClass::Unary]);
    let missing: Vec<&str> = elementwise.difference(&names).map(String::as_str).collect();
    assert_eq!(missing, NOT_IN_PYTHON);
}

/// Checks that every operation that Python's rules ask the library for is in the table.
#[test]
fn python_uses_no_other_operation() {
    let rules = read("python/indim/_rules.py");
    let all: BTreeSet<&str> = Opcode::ALL.iter().map(|op| op.method()).collect();
    let mut asked = 0;
    for call in ["_op(\"", "unary(\"", "binary(\""] {
        for part in rules.split(call).skip(1) {
            let name = part.split('"').next().unwrap();
            assert!(all.contains(name), "{call}{name}");
            asked += 1;
        }
    }
    assert!(asked > 40, "{asked}");
}

/// Returns the code of a file of the library without comments and without the tests at its end.
fn code(text: &str) -> String {
    let text = text.split("#[cfg(test)]").next().unwrap_or_default();
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    lines.collect::<Vec<_>>().join("\n")
}

/// Returns the files of the library that name an operation in their code: as a word, or as the
/// beginning of one.
fn naming(opcode: Opcode) -> Vec<String> {
    let begins = [opcode.name().to_owned(), opcode.method().to_owned()];
    let is_name = |word: &str| {
        let word = word.strip_prefix("xla_").unwrap_or(word);
        begins.iter().any(|name| word.starts_with(name.as_str()))
    };
    let folders = [("core/src", "rs"), ("compiler/src", "rs"), ("src", "rs"), ("shaders", "wgsl")];
    let all = folders.iter().flat_map(|(folder, ending)| files(&root().join(folder), ending));
    let names = |path: &std::path::PathBuf| {
        let code = code(&fs::read_to_string(path).unwrap());
        code.split(|c: char| !c.is_alphanumeric() && c != '_').any(is_name)
    };
    // No operation is added to the older format.
    let is_open = |path: &std::path::PathBuf| !path.ends_with("serialized/version_1.rs");
    let all = all.filter(is_open).filter(names);
    let mut found: Vec<String> = all.map(|path| path.display().to_string()).collect();
    found.sort();
    found
}

#[test]
fn an_elementwise_operation_is_in_few_files() {
    let files = naming(Opcode::Erfc);
    assert!((2..=ELEMENTWISE).contains(&files.len()), "{files:#?}");
    let page = read("docs/extending.md");
    assert!(page.contains("`Erfc` is the example. It touches four files of the library"));
}

#[test]
fn a_structured_operation_is_in_few_files() {
    let files = naming(Opcode::Roll);
    assert!((2..=STRUCTURED).contains(&files.len()), "{files:#?}");
    let page = read("docs/extending.md");
    assert!(page.contains("`Roll` is the example. It touches six files of the library"));
    for file in files {
        let path = Path::new(&file).strip_prefix(root()).unwrap();
        assert!(page.contains(&path.display().to_string()), "{file} is not in a step");
    }
}
