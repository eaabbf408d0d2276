//! Rounds values on the host: literals, casts and fills of element types without a Rust type.

use indim_core::{ElementType, Scalar, ScalarValue};

/// Returns the nearest value of a float type, ties to even; for C64, of its part's type. The value
/// is rounded once.
pub fn round(value: f64, to: ElementType) -> f64 {
    match float(value, to).map(Scalar::value) {
        Some(ScalarValue::Float(near) | ScalarValue::Complex(near, _)) => near,
        _ => value,
    }
}

/// Returns the value rounded to a constant of a float type; for C64, a real number. `None` for
/// other types.
pub fn float(value: f64, to: ElementType) -> Option<Scalar> {
    let is_float = to != ElementType::Pred && to.integer_range().is_none();
    is_float.then(|| Scalar::from_f64(to, value)).flatten()
}

/// Returns the value of `inf` or `nan`, and its suffix if that is a float type, as in `inff16`.
pub fn not_finite(word: &str) -> Option<(f64, Option<ElementType>)> {
    let (value, of) = match (word.strip_prefix("inf"), word.strip_prefix("nan")) {
        (Some(of), _) => (f64::INFINITY, of),
        (_, Some(of)) => (f64::NAN, of),
        _ => return None,
    };
    if of.is_empty() {
        return Some((value, None));
    }
    let of = of.parse().ok()?;
    float(value, of).map(|_| (value, Some(of)))
}

/// Returns an empty list with room for `count` elements, if there is enough memory.
pub fn room(count: usize, of: ElementType) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(count.checked_mul(of.size_in_bytes())?).ok()?;
    Some(bytes)
}

/// Appends a constant's bytes, little-endian.
pub fn append(bytes: &mut Vec<u8>, scalar: Scalar) {
    let size = scalar.element_type().size_in_bytes();
    bytes.extend_from_slice(&scalar.bits().to_le_bytes()[..size]);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_no_room_for_what_cannot_be_counted() {
        // Half of the address space, and a size that wraps to 0 bytes.
        assert_eq!(room(usize::MAX / 2 + 1, ElementType::U8), None);
        assert_eq!(room(usize::MAX / 8 + 1, ElementType::F64), None);
        assert_eq!(room(0, ElementType::F64), Some(Vec::new()));
        assert!(room(3, ElementType::F64).is_some_and(|bytes| bytes.capacity() >= 24));
    }

    #[test]
    fn sixteen_bits_are_rounded_once() {
        let tiny = 2f64.powi(-40);
        // The value is just above the midpoint of two neighbours; rounding to f32 first would give
        // the midpoint itself.
        assert_eq!(round(1.0 + 2f64.powi(-11) + tiny, ElementType::F16), 1.0 + 2f64.powi(-10));
        assert_eq!(round(1.0 + 2f64.powi(-11), ElementType::F16), 1.0);
        assert_eq!(round(1.0 + 2f64.powi(-8) + tiny, ElementType::Bf16), 1.0 + 2f64.powi(-7));
        assert_eq!(round(-1.0 - 2f64.powi(-8) - tiny, ElementType::Bf16), -1.0 - 2f64.powi(-7));
        assert_eq!(round(65519.99, ElementType::F16), 65504.0);
        assert_eq!(round(65520.0, ElementType::F16), f64::INFINITY);
        assert_eq!(round(1e39, ElementType::Bf16), f64::INFINITY);
        assert_eq!(round(2f64.powi(-25) + tiny, ElementType::F16), 2f64.powi(-24));
        assert_eq!(round(1e-60, ElementType::Bf16), 0.0);
        assert!(round(f64::NAN, ElementType::F16).is_nan());
    }
}
