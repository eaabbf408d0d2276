//! Compares values as OpenXLA's interpreter does.

use indim_core::{ElementType, Literal, ScalarValue};
use indim_stablehlo::Measure;

/// An element that differs.
pub(crate) struct Difference {
    pub(crate) index: usize,
    pub(crate) actual: ScalarValue,
    pub(crate) expected: ScalarValue,
}

/// Compares all elements, and returns those that differ by more than the measure allows.
pub(crate) fn differences(
    measure: Measure,
    actual: &Literal,
    expected: &Literal,
) -> Result<Vec<Difference>, String> {
    if actual.element_type() != expected.element_type() || actual.shape() != expected.shape() {
        return Err(format!(
            "{}{} is compared with {}{}",
            actual.element_type(),
            actual.shape(),
            expected.element_type(),
            expected.shape()
        ));
    }
    let of = actual.element_type();
    let mut found = Vec::new();
    for index in 0..actual.len() {
        let [a, e] = [actual, expected].map(|side| side.element(index).unwrap().value());
        if !is_within(measure, of, a, e) {
            found.push(Difference { index, actual: a, expected: e });
        }
    }
    Ok(found)
}

/// Returns whether one element is as expected.
fn is_within(
    measure: Measure,
    of: ElementType,
    actual: ScalarValue,
    expected: ScalarValue,
) -> bool {
    match (actual, expected) {
        (ScalarValue::Float(actual), ScalarValue::Float(expected)) => {
            part_is_within(measure, of, actual, expected)
        }
        (ScalarValue::Complex(a_real, a_imag), ScalarValue::Complex(e_real, e_imag)) => {
            part_is_within(measure, ElementType::F32, a_real, e_real)
                && part_is_within(measure, ElementType::F32, a_imag, e_imag)
        }
        (actual, expected) => actual == expected,
    }
}

fn part_is_within(measure: Measure, of: ElementType, actual: f64, expected: f64) -> bool {
    match measure {
        Measure::Close { least, most } => (least..=most).contains(&distance(of, actual, expected)),
        _ if actual == expected || (actual.is_nan() && expected.is_nan()) => true,
        Measure::Almost { tolerance } => (actual - expected).abs() <= tolerance,
        _ => false,
    }
}

/// Returns how many floats of a type lie between two of them; the most there is if one of two that
/// differ is not finite.
pub(crate) fn distance(of: ElementType, a: f64, b: f64) -> u64 {
    if a == b || (a.is_nan() && b.is_nan()) {
        return 0;
    }
    if !a.is_finite() || !b.is_finite() {
        return u64::MAX;
    }
    place(of, a).abs_diff(place(of, b)).try_into().unwrap_or(u64::MAX)
}

/// Returns the place of a float among all of its type, counted from 0.
fn place(of: ElementType, value: f64) -> i128 {
    let scalar = indim_core::Scalar::from_f64(of, value.abs()).unwrap();
    let magnitude = i128::from(scalar.bits());
    if value < 0.0 { -magnitude } else { magnitude }
}
