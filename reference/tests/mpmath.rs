//! Tests every function against mpmath, at the points of `mpmath.jsonl`, which `generate.py` made.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use indim_reference::{binary, unary};
use serde::Deserialize;

/// The bound of the crate's documentation.
const BOUND: f64 = 1.0 / (1u64 << 40) as f64;

/// One function's points.
#[derive(Deserialize)]
struct Line {
    op: String,
    /// Bits of float32, hexadecimal.
    operands: Vec<Vec<String>>,
    /// Bits of float64.
    values: Vec<String>,
}

fn single(digits: &str) -> f64 {
    f64::from(f32::from_bits(u32::from_str_radix(digits, 16).unwrap()))
}

fn double(digits: &str) -> f64 {
    f64::from_bits(u64::from_str_radix(digits, 16).unwrap())
}

/// The function's value at the operands.
fn computed(op: &str, operands: &[f64]) -> f64 {
    match *operands {
        [x] => unary(op).map(|function| function(x)),
        [x, y] => binary(op).map(|function| function(x, y)),
        _ => None,
    }
    .unwrap_or_else(|| panic!("no function {op} of {} operands", operands.len()))
}

#[test]
fn every_function_is_within_the_bound() {
    let lines: Vec<Line> =
        include_str!("mpmath.jsonl").lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    let mut failures = Vec::new();
    for line in &lines {
        assert!(line.values.len() >= 100, "{}: few points", line.op);
        assert_eq!(line.values.len(), line.operands.len());
        let (mut largest, mut at) = (0.0, Vec::new());
        for (operands, truth) in line.operands.iter().zip(&line.values) {
            let operands: Vec<f64> = operands.iter().map(|digits| single(digits)).collect();
            let (got, truth) = (computed(&line.op, &operands), double(truth));
            let error = if got == truth { 0.0 } else { (got / truth - 1.0).abs() };
            // A NaN, which no bound rejects, must fail.
            let error = if error.is_nan() { f64::INFINITY } else { error };
            if error > largest {
                (largest, at) = (error, operands.clone());
            }
            if error > BOUND {
                failures.push(format!("{} of {operands:?} is {got:e}, not {truth:e}", line.op));
            }
        }
        println!("{:16} 2^{:.1} at {at:?}", line.op, f64::log2(largest));
    }
    assert!(lines.len() >= 36);
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}
