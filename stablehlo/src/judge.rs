//! Compares the values of a program's checks, as OpenXLA's interpreter does.

use indim_core::{ElementType, Literal, Scalar, ScalarValue};

use crate::lower::program::{Check, Checked, Measure};

/// An element that differs from the expected one by more than a check allows.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Difference {
    /// The number of the element, in row-major order.
    pub index: usize,
    /// Its value.
    pub actual: ScalarValue,
    /// The expected value.
    pub expected: ScalarValue,
}

impl Check {
    /// Compares the values of a check, given all results of the computation. Returns the elements
    /// that differ by more than its measure allows, or `None` if these are not the computation's
    /// results.
    ///
    /// ```
    /// use indim_core::Literal;
    ///
    /// let text = "func.func @main(%x: tensor<2xi32>) {
    ///   check.expect_eq_const %x, dense<[7, 8]> : tensor<2xi32>
    ///   return
    /// }";
    /// let program = indim_stablehlo::Module::parse("c.mlir", text)?.program_with_checks("main")?;
    /// let results = [Literal::from_slice([2], &[7, 9]).unwrap()];
    /// let differences = program.checks()[0].differences(&results).unwrap();
    /// assert_eq!((differences.len(), differences[0].index), (1, 1));
    /// # Ok::<(), indim_stablehlo::Problems>(())
    /// ```
    pub fn differences(&self, results: &[Literal]) -> Option<Vec<Difference>> {
        let side = |side: &'_ Checked| -> Option<Literal> {
            match side {
                Checked::Result(number) => results.get(*number).cloned(),
                Checked::Elements(elements) => Some(elements.clone()),
            }
        };
        let (actual, expected) = (side(&self.actual)?, side(&self.expected)?);
        let of = actual.element_type();
        if of != expected.element_type() || actual.shape() != expected.shape() {
            return None;
        }
        let mut found = Vec::new();
        for index in 0..actual.len() {
            let (actual, expected) =
                (actual.element(index)?.value(), expected.element(index)?.value());
            if !is_within(self.measure, of, actual, expected) {
                found.push(Difference { index, actual, expected });
            }
        }
        Some(found)
    }
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
        Measure::Equal => false,
    }
}

/// Returns how many floats of a type lie between two of them; the most there is if one of two that
/// differ is not finite.
fn distance(of: ElementType, a: f64, b: f64) -> u64 {
    if a == b || (a.is_nan() && b.is_nan()) {
        return 0;
    }
    match (place(of, a), place(of, b)) {
        (Some(a), Some(b)) => a.abs_diff(b).try_into().unwrap_or(u64::MAX),
        _ => u64::MAX,
    }
}

/// Returns the place of a finite float among all of its type, counted from 0.
fn place(of: ElementType, value: f64) -> Option<i128> {
    let magnitude = Scalar::from_f64(of, value.abs()).filter(|_| value.is_finite())?;
    let magnitude = i128::from(magnitude.bits());
    Some(if value < 0.0 { -magnitude } else { magnitude })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_floats_across_zero() {
        let least = f64::from(f32::from_bits(1));
        assert_eq!(distance(ElementType::F32, -least, least), 2);
        assert_eq!(distance(ElementType::F32, -0.0, 0.0), 0);
        assert_eq!(distance(ElementType::Bf16, 1.0, 1.0078125), 1);
        assert_eq!(distance(ElementType::F64, f64::NAN, f64::NAN), 0);
        assert_eq!(distance(ElementType::F64, f64::INFINITY, f64::MAX), u64::MAX);
    }
}
