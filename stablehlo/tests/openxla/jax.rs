//! Runs programs of JAX's on its arrays: `NAME.mlir` and `NAME.export.mlir` with `NAME.npz`, whose
//! members are `in0`, ... and `out0`, ...

use std::fs;
use std::path::Path;

use indim::Context;
use indim_core::{ElementType, Literal, ScalarValue};
use indim_npy::NpzReader;
use indim_stablehlo::Module;

use crate::run::{Outcome, refused, results};

/// The most bytes of a member.
const MOST: u64 = 1 << 30;

/// Runs a program, and compares its results with JAX's.
pub(crate) fn judged(gpu: &Context, path: &Path) -> Outcome {
    let text = fs::read_to_string(path).unwrap();
    let file = path.file_name().unwrap().to_string_lossy().into_owned();
    let program = Module::parse(&file, &text)
        .and_then(|module| module.program(module.entry().unwrap_or("main")));
    let program = match program {
        Ok(program) => program,
        Err(problems) => return refused(&problems),
    };
    let stem = file.trim_end_matches(".mlir").trim_end_matches(".export");
    let mut arrays = NpzReader::open(path.with_file_name(format!("{stem}.npz")), MOST).unwrap();
    let mut members = |prefix: &str| -> Vec<Literal> {
        let names = arrays.names();
        let name = |number: usize| format!("{prefix}{number}");
        let count = (0..).take_while(|&number| names.contains(&name(number))).count();
        (0..count).map(|number| arrays.read(&name(number)).unwrap()).collect()
    };
    let (inputs, outputs) = (members("in"), members("out"));
    let found = match results(gpu, &program, &inputs) {
        Ok(found) => found,
        Err(error) => return Outcome::Failed(error.to_string()),
    };
    if found.len() != outputs.len() {
        return Outcome::Failed(format!("{} results in place of {}", found.len(), outputs.len()));
    }
    for (number, (found, expected)) in found.iter().zip(&outputs).enumerate() {
        if let Err(message) = compare(found, expected) {
            return Outcome::Failed(format!("out{number}: {message}"));
        }
    }
    Outcome::Passed
}

/// Compares results by the rounding of their type, relative to the element and to 1.
fn compare(found: &Literal, expected: &Literal) -> Result<(), String> {
    let of = found.element_type();
    // NumPy has no bfloat16: JAX's are given in F32.
    let types_fit = of == expected.element_type() || of == ElementType::Bf16;
    if !types_fit || found.shape() != expected.shape() {
        let (shape, wanted) = (found.shape(), expected.shape());
        return Err(format!("{of}{shape} in place of {}{wanted}", expected.element_type()));
    }
    let tolerance = match of {
        ElementType::F64 => 1e-11,
        ElementType::F16 => 4e-3,
        ElementType::Bf16 => 3e-2,
        _ => 2e-5,
    };
    for index in 0..found.len() {
        let [a, e] = [found, expected].map(|side| side.element(index).unwrap().value());
        let near = |a: f64, e: f64, scale: f64| {
            a == e || (a.is_nan() && e.is_nan()) || (a - e).abs() <= tolerance * (1.0 + scale)
        };
        let fits = match (a, e) {
            (ScalarValue::Float(a), ScalarValue::Float(e)) => near(a, e, e.abs()),
            (ScalarValue::Complex(a, b), ScalarValue::Complex(e, f)) => {
                near(a, e, e.hypot(f)) && near(b, f, e.hypot(f))
            }
            (a, e) => a == e,
        };
        if !fits {
            return Err(format!("element {index} is {a:?} in place of {e:?}"));
        }
    }
    Ok(())
}
