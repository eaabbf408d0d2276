//! Tests the compiler's errors for operands of a wrong type: the messages that the operand traits
//! carry are shown, with a remedy.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::SystemTime;

/// Returns the compiler's errors for a program that uses the library and must not compile.
fn compiled(body: &str) -> String {
    let this = std::env::current_exe().unwrap();
    let deps = this.parent().unwrap();
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let library = format!("indim={}", library(deps).display());
    let mut child = Command::new(rustc)
        .args(["--edition=2024", "--crate-type=lib", "--emit=metadata", "-o", "/dev/null", "-"])
        .args(["--extern", &library, "-L"])
        .arg(format!("dependency={}", deps.display()))
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let program = format!(
        "use indim::{{Array, Expr, Function}};\n\
         pub fn example(x: Array<f32>, n: Array<i32>, mask: Expr<bool>) {{\n{body}\n}}\n"
    );
    child.stdin.take().unwrap().write_all(program.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!output.status.success(), "it compiles: {body}\n{said}");
    assert!(!said.contains("error[E0463]") && !said.contains("error[E0514]"), "{said}");
    said
}

/// Returns the library that this test was linked with: the one that was built last.
fn library(deps: &Path) -> PathBuf {
    let files = deps.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let is_library = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with("libindim-") && name.ends_with(".rlib")
    };
    let built = |path: &PathBuf| -> SystemTime { path.metadata().unwrap().modified().unwrap() };
    files.filter(is_library).max_by_key(built).expect("the library")
}

#[track_caller]
fn says(body: &str, parts: &[&str]) {
    let said = compiled(body);
    for part in parts {
        assert!(said.contains(part), "{part:?} is not in what the compiler says:\n{said}");
    }
}

const POINT: &str =
    "a number beside floats has a point, as `2.0` has, and one beside integers has none, as `2`";

#[test]
fn numbers_and_arrays_of_another_type() {
    says(
        "let _ = &x * 2;",
        &["error[E0277]: `{integer}` is not an operand beside elements of type `f32`", POINT],
    );
    says(
        "let _ = x.max(0);",
        &["`{integer}` is not an operand beside elements of type `f32`", POINT],
    );
    says(
        "let _ = &n + 1.5;",
        &["`{float}` is not an operand beside elements of type `i32`", POINT],
    );
    says(
        "let _ = &x + &n;",
        &[
            "Array<i32>` is not an operand beside elements of type `f32`",
            "types do not mix: convert an array or an expression by `.convert_element_type::<f32>()`",
        ],
    );
    says(
        "let _ = x.in_dim([0]) + 1;",
        &["`{integer}` is not an operand beside elements of type `f32`", POINT],
    );
}

#[test]
fn values_of_another_type() {
    says(
        "let _ = x.clamp(0, 1.0);",
        &["`{integer}` is not a value of elements of type `f32`", POINT],
    );
    says(
        "let _ = x.clamp(x.in_dim([0]), 1.0);",
        &["`InDim<f32>` is not a value of elements of type `f32`", ".broadcast_like(&x, [1])"],
    );
    says("let _ = mask.select(&x, 1);", &["beside elements of type `f32`", POINT]);
}

#[test]
fn a_select_of_numbers_alone() {
    says("let _ = mask.select(1.0, 0.0);", &["type annotations needed", "`Expr<_>`"]);
}

#[test]
fn what_is_no_list() {
    says(
        "let _ = x.transpose([1.0]);",
        &[
            "`[{float}; 1]` is not a list of sizes, dimensions or indices",
            "give an array, a slice or a vector of `i64`, `usize` or `i32`, such as `[1]`",
        ],
    );
}

#[test]
fn operands_of_a_function() {
    let call = |operands: &str| {
        format!("let f = Function::wgsl(\"\").unwrap(); let _ = f.call::<f32>({operands});")
    };
    let tuple = "is not a tuple of one to eight operands of a function";
    let cure = "write one operand as `(&x,)`, with a comma, and several as `(&x, &y, 0.5)`";
    says(&call("&x"), &["error[E0277]: `&indim::Array<f32>`", tuple, cure]);
    says(&call("2.0"), &["error[E0277]: `{float}`", tuple, cure]);
    says(&call("[&x, &x]"), &["error[E0277]: `[&indim::Array<f32>; 2]`", tuple, cure]);
    says(
        &call("(1, 2, 3, 4, 5, 6, 7, 8, 9)"),
        &[tuple, "more than eight operands go to `call_any`"],
    );
    says(
        &call("(&x, \"2\")"),
        &[
            "error[E0277]: `&str` is not an operand of a function",
            "an operand is an array or an expression, as `x` or `&x`, one with `in_dim`, a number",
        ],
    );
}

#[test]
fn a_tuple_is_no_shape() {
    says(
        "indim::Literal::from_slice((2, 3), &[0_f32; 6]);",
        &[
            "error[E0277]: `({integer}, {integer})` is not a list of sizes, dimensions or indices",
            "give an array, a slice or a vector of",
        ],
    );
}

#[test]
fn an_expression_that_nobody_uses() {
    says(
        "#![deny(unused_must_use)]\n&x + 1.0;",
        &["an expression computes nothing by itself; `eval` computes it"],
    );
}
