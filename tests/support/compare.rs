//! Compares an array with the golden one.

use indim::ElementType;
use indim_reference::ulps;

use super::golden::HostArray;
use super::tolerance::{Limit, Tolerance};

/// How near is near enough.
pub enum Closeness {
    /// The same bits as the golden value; any NaN for a NaN.
    Bits,
    /// Within the op's tolerance of the true value. A golden value has to be near that, too,
    /// within XLA's own error: otherwise the reference is not what XLA means, and then it proves
    /// nothing of the library. `operands` holds each operand's values, one for each element of the
    /// result.
    Near { tolerance: &'static Tolerance, operands: Vec<Vec<f64>> },
}

/// What was expected, and what came.
type Mismatch = (String, String);

/// Compares element type, shape and values; on a mismatch, says so of the first element that is
/// wrong.
pub fn compare(
    result: &HostArray,
    alt: Option<&HostArray>,
    closeness: &Closeness,
    got: &HostArray,
) -> Result<(), Mismatch> {
    let form = |array: &HostArray| {
        format!("{}{:?} of {} elements", array.element_type, array.shape, array.bits.len())
    };
    let same_form = got.element_type == result.element_type
        && got.shape == result.shape
        && got.bits.len() == result.bits.len();
    if !same_form {
        return Err((form(result), form(got)));
    }
    match closeness {
        Closeness::Bits => compare_bits(result, alt, got),
        Closeness::Near { tolerance, operands } => {
            let of_xla = |operands: &[f64]| tolerance.of_xla(operands);
            let golden: Vec<&HostArray> = [Some(result), alt].into_iter().flatten().collect();
            compare_near(&golden, "golden value ", of_xla, tolerance, operands)?;
            compare_near(&[got], "", |_| tolerance.of_library(), tolerance, operands)
        }
    }
}

/// An element is right where it has the bits of `result` or of `alt` at its place.
fn compare_bits(
    result: &HostArray,
    alt: Option<&HostArray>,
    got: &HostArray,
) -> Result<(), Mismatch> {
    let element_type = result.element_type;
    let right = |index: usize| {
        [Some(result), alt]
            .into_iter()
            .flatten()
            .any(|golden| same(element_type, golden.bits[index], got.bits[index]))
    };
    let wrong: Vec<usize> = (0..result.bits.len()).filter(|&i| !right(i)).collect();
    let Some(&first) = wrong.first() else {
        return Ok(());
    };
    let mut expected = show(element_type, result.bits[first]);
    if let Some(alt) = alt.filter(|alt| alt.bits[first] != result.bits[first]) {
        expected += &format!(" or {}", show(element_type, alt.bits[first]));
    }
    let count = got.bits.len();
    Err((
        format!("{expected} at element {first} of {:?}", result.shape),
        format!(
            "{}; {} of {count} elements are wrong",
            show(element_type, got.bits[first]),
            wrong.len()
        ),
    ))
}

/// The same bits, or both NaN: sign and payload of a NaN result are not portable, on XLA's side
/// either.
fn same(element_type: ElementType, golden: u64, got: u64) -> bool {
    let is_nan = |bits: u64| f32::from_bits(bits as u32).is_nan();
    golden == got || (element_type == ElementType::F32 && is_nan(golden) && is_nan(got))
}

/// Of each element, one of the arrays has a value within the limit of the true one.
fn compare_near(
    arrays: &[&HostArray],
    what: &str,
    limit: impl Fn(&[f64]) -> Limit,
    tolerance: &Tolerance,
    operands: &[Vec<f64>],
) -> Result<(), Mismatch> {
    let array = arrays[0];
    let operands_at = |i: usize| -> Vec<f64> { operands.iter().map(|values| values[i]).collect() };
    let right = |i: usize| {
        let operands = operands_at(i);
        let limit = limit(&operands);
        arrays
            .iter()
            .any(|array| tolerance.is_near(f32::from_bits(array.bits[i] as u32), &operands, limit))
    };
    let wrong: Vec<usize> = (0..array.bits.len()).filter(|&i| !right(i)).collect();
    let Some(&first) = wrong.first() else {
        return Ok(());
    };
    let operands = operands_at(first);
    let truth = tolerance.truth(&operands).unwrap_or(f64::NAN);
    Err((
        format!(
            "within {:.1} ULP of {truth:?}, of {operands:?}, at element {first} of {:?}",
            limit(&operands).ulps,
            array.shape
        ),
        format!(
            "{what}{}, {:.3} ULP off; {} of {} elements are wrong",
            show(array.element_type, array.bits[first]),
            ulps(f32::from_bits(array.bits[first] as u32), truth),
            wrong.len(),
            array.bits.len()
        ),
    ))
}

fn show(element_type: ElementType, bits: u64) -> String {
    match element_type {
        ElementType::F32 => {
            let bits = bits as u32;
            format!("{:?} ({bits:08x})", f32::from_bits(bits))
        }
        ElementType::S32 => (bits as u32 as i32).to_string(),
        _ => bits.to_string(),
    }
}
