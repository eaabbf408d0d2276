//! Rounds values on the host: literals, casts and fills of element types without a Rust type.

use indim::half::{bf16, f16};
use indim::num_complex::Complex32;
use indim::{Element, ElementType, Scalar};

/// Returns the nearest value of a float type, ties to even; for C64, of its part's type. The value
/// is rounded once.
pub(crate) fn round(value: f64, to: ElementType) -> f64 {
    match to {
        ElementType::F16 => f16::of(value).into(),
        ElementType::Bf16 => bf16::of(value).into(),
        ElementType::F32 | ElementType::C64 => f64::from(value as f32),
        _ => value,
    }
}

/// Returns the value rounded to a constant of a float type; for C64, a real number. `None` for
/// other types.
pub(crate) fn float(value: f64, to: ElementType) -> Option<Scalar> {
    // This is exact, so the type in between does not matter.
    let narrow = round(value, to) as f32;
    Some(match to {
        ElementType::F16 => Scalar::new(f16::from_f32(narrow)),
        ElementType::Bf16 => Scalar::new(bf16::from_f32(narrow)),
        ElementType::F32 => Scalar::new(narrow),
        ElementType::F64 => Scalar::new(value),
        ElementType::C64 => Scalar::new(Complex32::new(narrow, 0.0)),
        _ => return None,
    })
}

/// Returns the value of `inf` or `nan`, and its suffix if that is a float type, as in `inff16`.
pub(crate) fn not_finite(word: &str) -> Option<(f64, Option<ElementType>)> {
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

/// Returns the least and the greatest value of an integer type; `None` for other types.
pub(crate) fn range(of: ElementType) -> Option<(i128, i128)> {
    use ElementType::{S4, S8, S16, S32, S64, U4, U8, U16, U32, U64};
    let bits = of.bits();
    match of {
        S4 | S8 | S16 | S32 | S64 => Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1)),
        U4 | U8 | U16 | U32 | U64 => Some((0, (1 << bits) - 1)),
        _ => None,
    }
}

/// Returns an integer as an f64 that rounds to 16-bit floats as the integer itself would: if it is
/// inexact, its last bit is 1 (rounding to odd).
pub(crate) fn odd(integer: i128) -> f64 {
    let near = integer as f64;
    let back = near as i128;
    if back == integer || near.to_bits() & 1 == 1 {
        return near;
    }
    // The integer lies between two neighbours; take the odd one.
    if (back > integer) == (near > 0.0) {
        f64::from_bits(near.to_bits() - 1)
    } else {
        f64::from_bits(near.to_bits() + 1)
    }
}

/// Returns an empty list with room for `count` elements, if there is enough memory.
pub(crate) fn room(count: usize, of: ElementType) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    bytes.try_reserve_exact(count.checked_mul(of.size_in_bytes())?).ok()?;
    Some(bytes)
}

/// Appends a constant's bytes, little-endian.
pub(crate) fn append(bytes: &mut Vec<u8>, scalar: Scalar) {
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

    #[test]
    fn integers_are_rounded_once_too() {
        // 257 * 2^54 is the midpoint of two bf16, and the added 1 is below f64 resolution.
        let middle = 257i128 << 54;
        assert_eq!(round(odd(middle), ElementType::Bf16), (256i128 << 54) as f64);
        assert_eq!(round(odd(middle + 1), ElementType::Bf16), (258i128 << 54) as f64);
        assert_eq!(round(odd(-middle - 1), ElementType::Bf16), -((258i128 << 54) as f64));
        assert_eq!(odd(5), 5.0);
    }

    #[test]
    fn ranges_are_those_of_rust() {
        assert_eq!(range(ElementType::S4), Some((-8, 7)));
        assert_eq!(range(ElementType::S64), Some((i64::MIN.into(), i64::MAX.into())));
        assert_eq!(range(ElementType::U64), Some((0, u64::MAX.into())));
        assert_eq!(range(ElementType::F16), None);
    }
}
