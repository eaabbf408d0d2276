//! Tests every function in pairs of float64 numbers against mpmath, at the points of `wide.jsonl`,
//! which `generate_wide.py` made.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

use indim_reference::{DoubleDouble, Wide, wide_binary, wide_ulps, wide_unary};
use serde::Deserialize;

/// The bound of the crate's documentation, in ULP.
const BOUND: f64 = 1.0 / (1u64 << 16) as f64;

/// One function's points.
#[derive(Deserialize)]
struct Line {
    op: String,
    /// Bits of float64, hexadecimal.
    operands: Vec<Vec<String>>,
    /// A number, what it leaves of the true value, and the power of two that both are times.
    values: Vec<(String, String, i32)>,
}

fn double(digits: &str) -> f64 {
    f64::from_bits(u64::from_str_radix(digits, 16).unwrap())
}

/// The function's value at the operands.
fn computed(op: &str, operands: &[f64]) -> Wide {
    match *operands {
        [x] => wide_unary(op).map(|function| function(x)),
        [x, y] => wide_binary(op).map(|function| function(x, y)),
        _ => None,
    }
    .unwrap_or_else(|| panic!("no function {op} of {} operands", operands.len()))
}

/// The difference in ULP of the true value.
fn error(got: Wide, (high, low, exponent): &(String, String, i32)) -> f64 {
    // Both by the true value's power of two: 2^52 of its ULP are 1.
    let scale = 2f64.powi(((got.exponent - exponent) / 2).clamp(-500, 500));
    let rest = 2f64.powi((got.exponent - exponent) - (got.exponent - exponent) / 2);
    let scaled = |x: f64| x * scale * rest;
    let high_off = scaled(got.value.high) - double(high);
    (high_off + (scaled(got.value.low) - double(low))).abs() * 2f64.powi(52)
}

#[test]
fn every_function_is_within_the_bound() {
    let lines: Vec<Line> =
        include_str!("wide.jsonl").lines().map(|l| serde_json::from_str(l).unwrap()).collect();
    assert_eq!(lines.len(), 32);
    let mut failures = Vec::new();
    for line in &lines {
        assert!(line.values.len() >= 40, "{}: few points", line.op);
        assert_eq!(line.values.len(), line.operands.len());
        let mut largest: f64 = 0.0;
        for (operands, truth) in line.operands.iter().zip(&line.values) {
            let operands: Vec<f64> = operands.iter().map(|digits| double(digits)).collect();
            let got = computed(&line.op, &operands);
            let error = error(got, truth);
            // NaN must not be passed over.
            if error.is_nan() || error > BOUND {
                failures.push(format!("{} of {operands:?} is {got:?}: {error:e} ULP", line.op));
            }
            largest = largest.max(error);
        }
        println!("{:12} 2^{:.1} ULP", line.op, largest.log2());
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

fn wide(high: f64, low: f64, exponent: i32) -> Wide {
    Wide { value: DoubleDouble { high, low }, exponent }
}

#[test]
fn errors_are_in_spacings_at_the_truth() {
    let epsilon = f64::EPSILON;
    assert_eq!(wide_ulps(1.0, wide(1.0, 0.0, 0)), 0.0);
    assert_eq!(wide_ulps(1.0 + epsilon, wide(1.0, 0.0, 0)), 1.0);
    assert_eq!(wide_ulps(1.0, wide(1.0, epsilon / 4.0, 0)), 0.25);
    assert_eq!(wide_ulps(-2.0, wide(-1.0, -epsilon / 8.0, 1)), 0.125);
    assert_eq!(wide_ulps(1.0, wide(1.0, -epsilon / 8.0, 0)), 0.125);
    assert_eq!(wide_ulps(1.0, wide(1.0 - epsilon / 2.0, 0.0, 0)), 1.0);
    assert_eq!(wide_ulps(f64::MAX, wide(1.0, 0.0, 1024)), 1.0);
    assert_eq!(wide_ulps(f64::INFINITY, wide(1.0, 0.0, 1024)), 0.0);
    assert_eq!(wide_ulps(f64::INFINITY, wide(1.0, 0.0, 4000)), 0.0);
    assert_eq!(wide_ulps(f64::INFINITY, wide(f64::MAX, 0.0, 0)), 1.0);
    assert!(wide_ulps(f64::NEG_INFINITY, wide(1.0, 0.0, 4000)) > 1e15);
    assert_eq!(wide_ulps(f64::MIN_POSITIVE, wide(1.0, epsilon / 2.0, -1022)), 0.5);
    assert_eq!(wide_ulps(0.0, wide(1.0, 0.0, -1023)), 0.0);
    assert_eq!(wide_ulps(0.0, wide(1.0, 0.0, -4000)), 0.0);
    assert_eq!(wide_ulps(0.0, wide(1.0, 0.0, -1022)), 1.0);
    assert_eq!(wide_ulps(f64::from_bits(3), wide(1.0, 0.0, -1074)), 2.0);
}
