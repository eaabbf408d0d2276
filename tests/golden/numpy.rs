//! Tests the NumPy rules: `indim::numpy` broadcasts and promotes what NumPy does, and nothing else.

use std::fs;

use indim::{AnyArray, AnyExpr, Context, ElementType, Opcode, Rule, Shape, numpy};
use indim_testing::contexts;
use indim_testing::golden::judge::Failure;
use indim_testing::golden::runner;
use serde::Deserialize;
use serde_json::{Value, json};

/// Every line of `tests/golden/numpy/*.jsonl`, and of each file that the environment variable
/// `INDIM_GOLDEN_NUMPY` names (paths separated by `:`). No GPU.
#[test]
fn every_golden_line() {
    let files = runner::files("numpy", "INDIM_GOLDEN_NUMPY");
    runner::run(&files, || judge).report("numpy");
}

/// The answer of NumPy's broadcast_shapes.
#[derive(Deserialize)]
struct Line {
    id: String,
    shapes: Vec<Vec<usize>>,
    ok: bool,
    result_shape: Option<Vec<usize>>,
}

/// The answer of NumPy's result_type, in NumPy's names.
#[derive(Deserialize)]
struct TypesLine {
    id: String,
    dtypes: Vec<String>,
    result_type: String,
}

/// A line of either kind.
fn judge(line: &[u8]) -> Result<(), Failure> {
    match serde_json::from_slice(line) {
        Ok(line) => judge_types(&line),
        Err(_) => judge_shapes(line),
    }
}

fn failed(op: &str, id: &str, expected: String, got: String, malformed: bool) -> Failure {
    Failure { id: id.to_owned(), op: op.to_owned(), expected, got, malformed }
}

/// NumPy's name of an element type, if it is one of those.
fn element_type(dtype: &str) -> Option<ElementType> {
    let short = match dtype {
        "bool" => "pred".to_owned(),
        "complex64" => "c64".to_owned(),
        name => name.replace("uint", "u").replace("int", "s").replace("float", "f"),
    };
    short.parse().ok()
}

fn judge_types(line: &TypesLine) -> Result<(), Failure> {
    let failure = |expected: String, got: String, malformed: bool| {
        Err(failed("result_type", &line.id, expected, got, malformed))
    };
    let Some(types) = line.dtypes.iter().map(|name| element_type(name)).collect::<Option<Vec<_>>>()
    else {
        return failure("element types".to_owned(), format!("{:?}", line.dtypes), true);
    };
    let wanted = match (line.result_type.as_str(), element_type(&line.result_type)) {
        ("complex128", _) => None,
        (_, Some(wanted)) => Some(wanted),
        (name, None) => return failure("an element type".to_owned(), name.to_owned(), true),
    };
    let orders = [types.to_vec(), types.iter().rev().copied().collect()];
    for types in orders {
        match (wanted, numpy::result_type(&types)) {
            (Some(wanted), Ok(found)) if found == wanted => {}
            (None, Err(error)) if error.rule() == Some(Rule::P2) => {}
            (_, answer) => {
                let got = answer.map_or_else(|error| error.to_string(), |of| of.to_string());
                return failure(line.result_type.clone(), got, false);
            }
        }
    }
    Ok(())
}

fn judge_shapes(line: &[u8]) -> Result<(), Failure> {
    let failure = |id: &str, expected: String, got: String, malformed: bool| {
        Err(failed("broadcast_shapes", id, expected, got, malformed))
    };
    let line: Line = match serde_json::from_slice(line) {
        Ok(line) => line,
        Err(error) => return failure("?", "a golden line".to_owned(), error.to_string(), true),
    };
    let shapes: Vec<Shape> = line.shapes.iter().map(|sizes| Shape::new(sizes)).collect();
    let shapes: Vec<&Shape> = shapes.iter().collect();
    match (line.ok, &line.result_shape, numpy::broadcast_shapes(&shapes)) {
        (true, Some(wanted), Ok(shape)) if shape.dims() == wanted => Ok(()),
        (false, None, Err(error)) if error.rule() == Some(Rule::P1) => Ok(()),
        (true, Some(wanted), answer) => {
            let got = answer.map_or_else(|error| error.to_string(), |shape| shape.to_string());
            failure(&line.id, format!("{wanted:?}"), got, false)
        }
        (false, None, answer) => {
            let got = answer.map_or_else(|error| error.to_string(), |shape| shape.to_string());
            failure(&line.id, "a refusal by P1".to_owned(), got, false)
        }
        _ => failure(
            &line.id,
            "result_shape where ok, and only there".to_owned(),
            "another line".to_owned(),
            true,
        ),
    }
}

/// The judge itself bites: with another shape or type, or with `ok` turned round, every line fails.
#[test]
fn every_mutated_line_fails() {
    let mut lines = 0;
    for path in runner::files("numpy", "INDIM_GOLDEN_NUMPY") {
        let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{error}"));
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            let golden: Value =
                serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}"));
            lines += 1;
            if golden["dtypes"].is_array() {
                let mut other_type = golden.clone();
                let turned = golden["result_type"] == "float64";
                other_type["result_type"] = json!(if turned { "complex128" } else { "float64" });
                assert!(judge(other_type.to_string().as_bytes()).is_err(), "{line}");
                continue;
            }
            let mut other_shape = golden.clone();
            if let Some(sizes) = other_shape["result_shape"].as_array_mut() {
                sizes.push(json!(1));
                assert!(judge(other_shape.to_string().as_bytes()).is_err(), "{line}");
            }
            let mut other_answer = golden.clone();
            let refused = golden["ok"] == false;
            other_answer["ok"] = json!(refused);
            other_answer["result_shape"] = if refused { json!([1]) } else { Value::Null };
            assert!(judge(other_answer.to_string().as_bytes()).is_err(), "{line}");
        }
    }
    assert!(lines > 950, "{lines}");
}

/// Shapes that align at the last dimension: equal ones, a row, a column, both, scalars, size 0,
/// ranks far apart.
const PAIRS: [(&[usize], &[usize]); 10] = [
    (&[2, 3], &[2, 3]),
    (&[2, 3], &[3]),
    (&[3], &[2, 3]),
    (&[4, 1], &[4, 5]),
    (&[4, 1], &[1, 5]),
    (&[], &[2, 2]),
    (&[7], &[]),
    (&[0, 3], &[1, 3]),
    (&[8, 1, 6, 1], &[7, 1, 5]),
    (&[2], &[3, 1, 4, 1, 2, 2]),
];

fn context() -> Context {
    contexts::blocking().unwrap_or_else(|error| panic!("{error}"))
}

/// Small integers, so that sums are exact: `first`, `first + 1`, ...
fn counting(first: usize, shape: &[usize]) -> Vec<f32> {
    let count: usize = shape.iter().product();
    (first..first + count).map(|value| value as f32).collect()
}

/// The element that NumPy's rule puts at `index` of a result: indices are aligned at the last one,
/// and a dimension of size 1 has only index 0.
fn element(data: &[f32], shape: &[usize], index: &[usize]) -> f32 {
    let aligned = &index[index.len() - shape.len()..];
    let place = shape
        .iter()
        .zip(aligned)
        .fold(0, |place, (&size, &at)| place * size + if size == 1 { 0 } else { at });
    data[place]
}

/// Every index into a shape, in row-major order.
fn indices(shape: &[usize]) -> Vec<Vec<usize>> {
    shape.iter().fold(vec![Vec::new()], |outer, &size| {
        outer
            .iter()
            .flat_map(|index| (0..size).map(move |at| [&index[..], &[at]].concat()))
            .collect()
    })
}

#[test]
fn add_aligns_at_the_last_dimension() -> indim::Result<()> {
    let gpu = context();
    for (lhs, rhs) in PAIRS {
        let (x, y) = (counting(1, lhs), counting(100, rhs));
        let sum = numpy::add(&gpu.array(lhs, &x)?, &gpu.array(rhs, &y)?).eval()?;
        let shape = numpy::broadcast_shapes(&[&lhs.into(), &rhs.into()])?;
        let expected: Vec<f32> = indices(shape.dims())
            .iter()
            .map(|index| element(&x, lhs, index) + element(&y, rhs, index))
            .collect();
        assert_eq!(sum.shape(), &shape, "{lhs:?} + {rhs:?}");
        assert_eq!(sum.to_vec_blocking()?, expected, "{lhs:?} + {rhs:?}");
    }
    Ok(())
}

#[test]
fn broadcast_to_stretches_the_operand() -> indim::Result<()> {
    let gpu = context();
    for (from, other) in PAIRS {
        let to = numpy::broadcast_shapes(&[&from.into(), &other.into()])?;
        let x = counting(1, from);
        let stretched = numpy::broadcast_to(&gpu.array(from, &x)?, &to).eval()?;
        let expected: Vec<f32> =
            indices(to.dims()).iter().map(|index| element(&x, from, index)).collect();
        assert_eq!(stretched.shape(), &to, "{from:?} to {to}");
        assert_eq!(stretched.to_vec_blocking()?, expected, "{from:?} to {to}");
    }
    Ok(())
}

#[test]
fn what_does_not_align_is_refused() -> indim::Result<()> {
    let gpu = context();
    let x = gpu.array([2, 3], &counting(1, &[2, 3]))?;
    let y = gpu.array([2], &counting(1, &[2]))?;
    let refused = numpy::add(&x, &y).eval().err();
    assert_eq!(refused.and_then(|error| error.rule()), Some(Rule::P1));
    // A shape may only grow, unlike in broadcast_shapes.
    assert!(numpy::broadcast_to(&x, [3]).eval().is_err());
    assert!(numpy::broadcast_to(&x, [2, 1]).eval().is_err());
    Ok(())
}

#[test]
fn types_that_numpy_lacks_are_refused() {
    use ElementType::{Bf16, C64, F32, S4, S32, S64, U4};
    let message = |types: &[ElementType]| match numpy::result_type(types) {
        Ok(found) => panic!("{found}"),
        Err(error) => error.to_string(),
    };
    assert_eq!(
        message(&[F32, Bf16]),
        "result_type: NumPy has no bf16, and so no type that it and others become; convert it with convert_element_type"
    );
    assert!(message(&[U4, S32]).starts_with("result_type: NumPy has no u4, "));
    assert_eq!(
        message(&[S64, C64]),
        "result_type: c64 and s64 become complex128 in NumPy, which is not an element type here; convert one of them with convert_element_type"
    );
    assert_eq!(message(&[]), "result_type: no element types are given; there must be one or more");
    // Nothing is promoted between equal types.
    for of in [Bf16, S4, U4, C64] {
        assert_eq!(numpy::result_type(&[of; 3]).ok(), Some(of));
    }
}

/// Converts two arrays to NumPy's type for both, and applies an operation.
fn promoted(opcode: Opcode, lhs: &AnyArray, rhs: &AnyArray) -> indim::Result<AnyArray> {
    let to = numpy::result_type(&[lhs.element_type(), rhs.element_type()])?;
    let operand = |array: &AnyArray| AnyExpr::from(array).convert_element_type(to);
    lhs.context().eval(&numpy::apply(opcode, &[&operand(lhs)?, &operand(rhs)?])?)
}

#[test]
fn operands_are_promoted() -> indim::Result<()> {
    let gpu = context();
    let bytes = gpu.array([2, 2], &[1u8, 2, 3, 255])?;
    let signed = gpu.array([2], &[-1i8, 1])?;
    let floats = gpu.array([2], &[0.5f32, -2.0])?;
    let truth = gpu.array([2, 1], &[true, false])?;
    let sum = promoted(Opcode::Add, bytes.as_any(), signed.as_any())?;
    assert_eq!(sum.downcast::<i16>()?.to_vec_blocking()?, [0, 3, 2, 256]);
    let product = promoted(Opcode::Mul, bytes.as_any(), floats.as_any())?;
    assert_eq!(product.downcast::<f32>()?.to_vec_blocking()?, [0.5, -4.0, 1.5, -510.0]);
    let masked = promoted(Opcode::Mul, truth.as_any(), bytes.as_any())?;
    assert_eq!(masked.downcast::<u8>()?.to_vec_blocking()?, [1, 2, 0, 0]);
    let less = promoted(Opcode::Lt, bytes.as_any(), signed.as_any())?;
    assert_eq!(less.downcast::<bool>()?.to_vec_blocking()?, [false; 4]);
    let same = promoted(Opcode::Sub, bytes.as_any(), bytes.as_any())?;
    assert_eq!(same.downcast::<u8>()?.to_vec_blocking()?, [0; 4]);
    Ok(())
}

#[test]
fn what_cannot_be_promoted_is_refused() -> indim::Result<()> {
    let gpu = context();
    let words = gpu.array([2], &[1i32, 2])?;
    let floats = gpu.array([3], &[1.0f32, 2.0, 3.0])?;
    let complex = gpu.array([2], &[indim::num_complex::Complex32::new(1.0, 2.0); 2])?;
    let rule = |opcode, lhs: &AnyArray, rhs: &AnyArray| {
        promoted(opcode, lhs, rhs).err().and_then(|error| error.rule())
    };
    assert_eq!(rule(Opcode::Add, words.as_any(), complex.as_any()), Some(Rule::P2));
    assert_eq!(rule(Opcode::Add, words.as_any(), floats.as_any()), Some(Rule::P1));
    assert_eq!(rule(Opcode::And, floats.as_any(), floats.as_any()), Some(Rule::T1));
    Ok(())
}
