//! Tests functions of complex numbers where they are hard: over extreme exponents, both zeros and
//! both sides of every cut by mpmath's values, on the cuts and at infinity by what JAX gives.
//!
//! `complex/values.jsonl` is made by `generate/gen_complex.py`; `complex/cuts.jsonl` and
//! `complex/infinities.jsonl` are by `generate/gen_cuts.py`. Operands and results are bits of
//! float32 parts.

use std::collections::HashMap;
use std::fs;

use indim::{Context, ElementType, Opcode};
use indim_testing::compute;
use indim_testing::contexts;
use indim_testing::host_array::HostArray;
use serde::Deserialize;

/// A real and an imaginary part.
type Parts = [f32; 2];

/// The distance within which a function is held to its true value.
#[derive(Clone, Copy, Debug)]
enum Held {
    /// Of each part, in units in the last place of the true one.
    PartByPart,
    /// The distance of the number, in units of 2^-23 of the true magnitude.
    Normwise,
}

/// What `docs/numerics.md` promises, of either distance.
const LIMIT: f64 = 4.0;
/// The same in subnormal steps, for a result of any magnitude that is not held part by part.
const LIMIT_BELOW: f64 = 8.0 * f32::from_bits(1) as f64;
/// The same where terms of it are flushed.
const LIMIT_FLUSHED: f64 = 1.5 * f32::MIN_POSITIVE as f64;

/// The share of the terms of a real part which is to be left of them, so that it has its digits.
const LEFT: f64 = 1.0 / (1 << 20) as f64;
/// The same for angles from `LARGE_ANGLE` on.
const LEFT_OF_LARGE: f64 = 1.0 / (1 << 10) as f64;
const LARGE_ANGLE: f64 = 3072.0;

/// The division that `docs/numerics.md` states.
fn held(opcode: Opcode) -> Held {
    use Opcode::*;
    match opcode {
        Abs | Square | Sqrt | Rsqrt | Exp | Expm1 | Log | Log1p | Logistic | Asin | Acos | Atan
        | Asinh | Acosh | Atanh => Held::PartByPart,
        _ => Held::Normwise,
    }
}

/// Returns whether the real part is next to the curve on which its terms cancel: e^x cos y = 1 for
/// Expm1, cos y = -e^x for Logistic.
fn cancels(opcode: Opcode, z: Parts, truth: Parts) -> bool {
    let [y, re, im] = [z[1], truth[0], truth[1]].map(f64::from);
    let share = if y.abs() < LARGE_ANGLE { LEFT } else { LEFT_OF_LARGE };
    match opcode {
        // 1 - cos y, and what is left of it.
        Opcode::Expm1 => re.abs() < share * 2.0 * (0.5 * y).sin().powi(2),
        // 1 + cos y, and the real part of 1 + e^-z.
        Opcode::Logistic => re.abs() / (re * re + im * im) < share * 2.0 * (0.5 * y).cos().powi(2),
        _ => false,
    }
}

fn lines(name: &str) -> Vec<String> {
    let path = indim_testing::repository().join("tests/golden/complex").join(name);
    fs::read_to_string(&path).expect("the reference data").lines().map(str::to_owned).collect()
}

/// The complex numbers of hexadecimal digits, sixteen each.
fn numbers(digits: &str) -> Vec<Parts> {
    let word = |text: &str| f32::from_bits(u32::from_str_radix(text, 16).expect("digits"));
    let starts = (0..digits.len()).step_by(16);
    starts.map(|i| [word(&digits[i..i + 8]), word(&digits[i + 8..i + 16])]).collect()
}

/// The digits of operands with zeros for subnormal parts.
fn flushed(digits: &str) -> String {
    let part = |i| {
        let bits = u32::from_str_radix(&digits[i..i + 8], 16).expect("digits");
        let sign = bits & 0x8000_0000;
        format!("{:08x}", if bits & 0x7f80_0000 == 0 { sign } else { bits })
    };
    (0..digits.len()).step_by(8).map(part).collect()
}

/// What the library makes of these operands. Abs has a zero as its imaginary part.
fn computed(gpu: &Context, opcode: Opcode, points: &[String]) -> Vec<Parts> {
    let points: Vec<Vec<Parts>> = points.iter().map(|point| numbers(point)).collect();
    let operand = |i: usize| {
        let bits = |z: Parts| u64::from(z[0].to_bits()) | u64::from(z[1].to_bits()) << 32;
        let bits: Vec<u64> = points.iter().map(|point| bits(point[i])).collect();
        HostArray { element_type: ElementType::C64, shape: vec![bits.len()], bits }
    };
    let operands: Vec<HostArray> = (0..points[0].len()).map(operand).collect();
    let operands: Vec<&HostArray> = operands.iter().collect();
    let computation = compute::built(&operands, |builder, parameters| match *parameters {
        [z] => builder.unary(opcode, z),
        [z, w] => builder.binary(opcode, z, w, &[]),
        _ => unreachable!("{} has one operand or two", opcode.name()),
    });
    let result = compute::run(gpu, &computation.expect("a computation"), &operands);
    let parts = |bits: &u64| [*bits as u32, (*bits >> 32) as u32].map(f32::from_bits);
    result.expect("a result").bits.iter().map(parts).collect()
}

/// The number of floats from one part to the true one, which lies within half of one of that. A
/// subnormal part may be flushed where `flushes` is true.
fn steps(got: f32, truth: f32, flushes: bool) -> f64 {
    let order = |x: f32| {
        let magnitude = i64::from(x.to_bits() & 0x7fff_ffff);
        if x.is_sign_negative() { -magnitude } else { magnitude }
    };
    if got.is_nan() || truth.is_nan() {
        if got.is_nan() && truth.is_nan() { 0.0 } else { f64::INFINITY }
    } else if flushes && got == 0.0 && truth.abs() <= f32::MIN_POSITIVE {
        0.0
    } else {
        (order(got) - order(truth)).unsigned_abs() as f64
    }
}

/// The distance that is held, in its units.
fn distance(held: Held, got: Parts, truth: Parts, flushes: bool) -> f64 {
    let [re, im] = [0, 1].map(|i| steps(got[i], truth[i], flushes));
    let by_part = re.max(im);
    let off = [0, 1].map(|i| f64::from(got[i]) - f64::from(truth[i]));
    let size = libm::hypot(f64::from(truth[0]), f64::from(truth[1]));
    let is_finite = |z: Parts| z.iter().all(|part| part.is_finite());
    match held {
        Held::PartByPart => by_part,
        // An overflow hides how large the other part is.
        Held::Normwise if truth.iter().any(|part| part.is_infinite()) && !is_finite(got) => 0.0,
        Held::Normwise if !is_finite(got) || !is_finite(truth) => by_part,
        Held::Normwise => {
            let off = libm::hypot(off[0], off[1]);
            let floor = if flushes { LIMIT_FLUSHED } else { LIMIT_BELOW };
            if off <= floor { 0.0 } else { off / size * f64::from(1 << 23) }
        }
    }
}

/// Returns whether products of subnormal numbers are 0 on this adapter.
fn flushes(gpu: &Context) -> bool {
    let product = computed(gpu, Opcode::Mul, &["00000001000000004b00000000000000".to_owned()]);
    product[0][0] == 0.0
}

/// A line of `values.jsonl`: operands, or what a function gives for the last ones; null if none is
/// defined.
#[derive(Deserialize)]
#[serde(untagged)]
enum ValuesLine {
    Operands { operands: Vec<String> },
    Function { op: String, results: Vec<Option<String>> },
}

/// Operands with their places.
#[derive(Default)]
struct Points {
    digits: Vec<String>,
    places: HashMap<String, usize>,
}

/// Returns what is wrong with a function's values at these points. Where products of subnormal
/// numbers are flushed, the value may be that of the flushed operands instead.
fn complaints(
    gpu: &Context,
    opcode: Opcode,
    points: &Points,
    results: &[Option<String>],
    flushes: bool,
) -> Vec<String> {
    let held = held(opcode);
    let truth_at = |i: usize| results[i].as_ref().map(|digits| numbers(digits)[0]);
    let got = computed(gpu, opcode, &points.digits);
    let is_wrong = |i: usize| {
        let Some(truth) = truth_at(i) else { return false };
        let beside = points.places.get(&flushed(&points.digits[i])).filter(|_| flushes);
        let is_near = |truth: Option<Parts>| {
            truth.is_none_or(|truth| {
                if !cancels(opcode, numbers(&points.digits[i])[0], truth) {
                    return distance(held, got[i], truth, flushes) <= LIMIT;
                }
                // The imaginary part has no terms that cancel.
                let size = distance(Held::Normwise, got[i], truth, flushes);
                size.max(steps(got[i][1], truth[1], flushes)) <= LIMIT
            })
        };
        !is_near(Some(truth)) && !beside.is_some_and(|&place| is_near(truth_at(place)))
    };
    let shown = |i: usize| {
        let operands = numbers(&points.digits[i]);
        let (name, truth) = (opcode.name(), truth_at(i));
        format!("{name} of {operands:?} is {:?}, not {truth:?}, {held:?}", got[i])
    };
    (0..results.len()).filter(|&i| is_wrong(i)).map(shown).collect()
}

#[test]
fn every_part_is_there_at_every_exponent() {
    let gpu = contexts::gpu();
    let flushes = flushes(&gpu);
    let (mut points, mut wrong, mut functions) = (Points::default(), Vec::new(), 0);
    for line in lines("values.jsonl") {
        match serde_json::from_str(&line).expect("a line") {
            ValuesLine::Operands { operands } => {
                let places = operands.iter().cloned().enumerate().map(|(i, z)| (z, i)).collect();
                points = Points { digits: operands, places };
            }
            ValuesLine::Function { op, results } => {
                assert!(results.iter().flatten().count() > 300, "{op} has few values");
                let opcode = Opcode::from_name(&op).expect("an operation");
                wrong.extend(complaints(&gpu, opcode, &points, &results, flushes));
                functions += 1;
            }
        }
    }
    assert!(functions >= 28, "{functions} functions");
    assert!(
        wrong.is_empty(),
        "{} values:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(60)].join("\n")
    );
}

/// A line of `cuts.jsonl`; `row` is its row in `cuts.md`, empty where there is none.
#[derive(Deserialize)]
struct Cut {
    op: String,
    operands: Vec<String>,
    results: Vec<String>,
    row: String,
}

/// Makes a power of the operand: what JAX was asked for is that with exponent 0.5.
fn with_exponent(opcode: Opcode, operand: &str) -> String {
    let exponent = if opcode == Opcode::Pow { "3f00000000000000" } else { "" };
    format!("{operand}{exponent}")
}

#[test]
fn cuts_are_those_of_jax() {
    let gpu = contexts::gpu();
    let (mut wrong, mut cuts) = (Vec::new(), 0);
    for line in lines("cuts.jsonl") {
        let Cut { op, operands, results, .. } = serde_json::from_str(&line).expect("a line");
        let opcode = Opcode::from_name(&op).expect("an operation");
        let points: Vec<String> = operands.iter().map(|z| with_exponent(opcode, z)).collect();
        let got = computed(&gpu, opcode, &points);
        for ((point, result), got) in operands.iter().zip(&results).zip(got) {
            let (z, jax) = (numbers(point), numbers(result)[0]);
            // JAX's own parts are noise in places where they should be 0; zeros have their signs.
            let has_sign_of = |i: usize| got[i].is_sign_negative() == jax[i].is_sign_negative();
            let signs = (0..2).all(|i| got[i] != 0.0 || jax[i] != 0.0 || has_sign_of(i));
            if !signs || distance(Held::Normwise, got, jax, true) > 2.0 * LIMIT {
                wrong.push(format!("{op} of {z:?} is {got:?}, JAX has {jax:?}"));
            }
        }
        cuts += 1;
    }
    assert!(cuts >= 34, "{cuts} cuts");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A line of `infinities.jsonl`.
#[derive(Deserialize)]
struct Infinities {
    op: String,
    operands: Vec<String>,
    jax: Vec<String>,
    c99: Vec<String>,
}

#[test]
fn infinite_operands_give_what_jax_or_c99_says() {
    let gpu = contexts::gpu();
    let (mut wrong, mut values) = (Vec::new(), 0);
    for line in lines("infinities.jsonl") {
        let Infinities { op, operands, jax, c99 } = serde_json::from_str(&line).expect("a line");
        let opcode = Opcode::from_name(&op).expect("an operation");
        for (i, got) in computed(&gpu, opcode, &operands).into_iter().enumerate() {
            let known = [&jax[i], &c99[i]].map(|digits| numbers(digits)[0]);
            // A part is a constant, infinite or NaN; JAX's constants have errors of their own.
            let is_near = |truth: Parts| {
                (0..2).all(|part| {
                    let (got, truth) = (got[part], truth[part]);
                    let is_zero = got == 0.0 && truth.abs() < 1e-30;
                    is_zero
                        || got.is_finite() == truth.is_finite() && steps(got, truth, true) <= 8.0
                })
            };
            if !known.into_iter().any(is_near) {
                let z = numbers(&operands[i])[0];
                wrong.push(format!("{op} of {z:?} is {got:?}, not one of {known:?}"));
            }
            values += 1;
        }
    }
    assert!(values >= 22 * 24, "{values} values");
    assert!(wrong.is_empty(), "{} values:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn the_table_of_cuts_is_in_the_documentation() {
    let page = indim_testing::repository().join("tests/golden/complex/cuts.md");
    let text = fs::read_to_string(page).expect("the page");
    let is_row =
        |line: &&str| line.starts_with('|') && (line.contains(" axis, ") || line.contains('±'));
    let rows = text.lines().filter(is_row).count();
    let table = lines("cuts.jsonl");
    let row = |line: &String| serde_json::from_str::<Cut>(line).expect("a line").row;
    let due: Vec<String> = table.iter().map(row).filter(|row| !row.is_empty()).collect();
    for row in &due {
        assert!(text.contains(row), "cuts.md lacks {row}");
    }
    assert_eq!(rows, due.len(), "cuts.md has other rows than cuts.jsonl");
}

/// Operands that once had wrong results, each with the parts that are due.
#[test]
fn known_faults_are_gone() {
    use Opcode::*;
    let gpu = contexts::gpu();
    let infinity = f32::INFINITY;
    #[rustfmt::skip]
    let faults: &[(Opcode, Parts, Parts)] = &[
        (Acosh, [-2.0, -1.0], [1.469_351_8, -2.634_236_3]),
        (Acos, [1.5, 0.0], [0.0, -0.962_423_6]),
        (Acos, [1.5, -0.0], [0.0, -0.962_423_6]),
        (Atan, [0.0, -1.5], [1.570_796_4, -0.804_719]),
        (Square, [9.486_769e-20, -9.486_769e-20], [0.0, -1.799_975_7e-38]),
        (Square, [3e38, 3e38], [0.0, infinity]),
        (Square, [-1.5, -1.5], [0.0, 4.5]),
        (Sqrt, [3.4e38, -1.5], [1.843_908_8e19, -4.067_446e-20]),
        (Logistic, [20.0, 3.0], [1.0, 2.908_700_2e-10]),
    ];
    for &(opcode, z, due) in faults {
        let digits = format!("{:08x}{:08x}", z[0].to_bits(), z[1].to_bits());
        let got = computed(&gpu, opcode, &[digits])[0];
        let error = distance(Held::PartByPart, got, due, true);
        assert!(error <= LIMIT, "{} of {z:?} is {got:?}, not {due:?}", opcode.name());
        let sign = got[0].is_sign_negative();
        assert!(opcode != Square || !sign, "Square of {z:?} has the real part {:?}", got[0]);
    }
}

/// -1e-45i has the root 2.65e-23 (1 - i), and where its operand is flushed, 0.
#[test]
fn a_flushed_operand_has_neither_sign_nor_size() {
    let gpu = contexts::gpu();
    let got = computed(&gpu, Opcode::Sqrt, &["0000000080000001".to_owned()])[0];
    let due = if flushes(&gpu) { [0.0, 0.0] } else { [2.646_978e-23, -2.646_978e-23] };
    assert!(distance(Held::PartByPart, got, due, true) <= LIMIT, "{got:?}, not {due:?}");
    assert_eq!(got[1].is_sign_negative(), due[1].is_sign_negative());
}
