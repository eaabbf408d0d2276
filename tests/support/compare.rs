//! Compares an array with the golden one.

use indim::ElementType;

use super::golden::HostArray;
use super::tolerance::Tolerance;

/// How near is near enough.
#[derive(Clone, Copy)]
pub enum Closeness<'a> {
    /// The same bits; any NaN for a NaN.
    Bits,
    /// Within the op's tolerance. The operand of a unary op is there for the ops whose golden
    /// values drift.
    Near { tolerance: &'a Tolerance, operand: Option<&'a HostArray> },
}

/// Compares element type, shape and values; an element is right where it matches `result` or `alt`
/// at its place. On a mismatch, says what was expected and what came, at the first element that
/// differs.
pub fn compare(
    result: &HostArray,
    alt: Option<&HostArray>,
    closeness: Closeness<'_>,
    got: &HostArray,
) -> Result<(), (String, String)> {
    let form = |array: &HostArray| {
        format!("{}{:?} of {} elements", array.element_type, array.shape, array.bits.len())
    };
    let same_form = got.element_type == result.element_type
        && got.shape == result.shape
        && got.bits.len() == result.bits.len();
    if !same_form {
        return Err((form(result), form(got)));
    }
    let element_type = result.element_type;
    let right = |index: usize| {
        [Some(result), alt].into_iter().flatten().any(|golden| {
            matches(element_type, closeness, index, golden.bits[index], got.bits[index])
        })
    };
    let wrong: Vec<usize> = (0..result.bits.len()).filter(|&i| !right(i)).collect();
    let Some(&first) = wrong.first() else {
        return Ok(());
    };
    let mut expected = show(element_type, result.bits[first]);
    if let Some(alt) = alt.filter(|alt| alt.bits[first] != result.bits[first]) {
        expected += &format!(" or {}", show(element_type, alt.bits[first]));
    }
    let limit = match closeness {
        Closeness::Bits => String::new(),
        Closeness::Near { tolerance, .. } => format!(" within {} ULP", tolerance.ulps()),
    };
    let distance = match (element_type, closeness) {
        (ElementType::F32, Closeness::Near { .. }) => format!(
            " ({} ULP off)",
            ulps(f32::from_bits(result.bits[first] as u32), f32::from_bits(got.bits[first] as u32))
        ),
        _ => String::new(),
    };
    Err((
        format!("{expected}{limit} at element {first} of {:?}", result.shape),
        format!(
            "{}{distance}; {} of {} elements are wrong",
            show(element_type, got.bits[first]),
            wrong.len(),
            result.bits.len()
        ),
    ))
}

fn matches(
    element_type: ElementType,
    closeness: Closeness<'_>,
    index: usize,
    golden: u64,
    got: u64,
) -> bool {
    if golden == got {
        return true;
    }
    if element_type != ElementType::F32 {
        return false;
    }
    let (golden, got) = (f32::from_bits(golden as u32), f32::from_bits(got as u32));
    // Sign and payload of a NaN result are not portable, on XLA's side either.
    if golden.is_nan() || got.is_nan() {
        return golden.is_nan() && got.is_nan();
    }
    match closeness {
        Closeness::Bits => false,
        Closeness::Near { tolerance, operand } => {
            let operand = operand.map(|operand| f32::from_bits(operand.bits[index] as u32));
            tolerance.allows(golden, got, operand)
        }
    }
}

/// Steps between two numbers that are not NaN, on the scale that orders all representable ones; +0
/// and -0 are the same place on it.
pub fn ulps(a: f32, b: f32) -> u64 {
    let place = |value: f32| {
        let magnitude = i64::from(value.abs().to_bits());
        if value.is_sign_negative() { -magnitude } else { magnitude }
    };
    place(a).abs_diff(place(b))
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
