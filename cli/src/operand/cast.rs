//! Converts files to another element type for `--cast`, and reports changed values.

use indim::num_complex::Complex32;
use indim::{ElementType, Scalar, ScalarValue, Shape};
use indim_expr::narrow;
use indim_npy::Dtype;

use crate::operand::print;

/// A value as stored in a file; each variant holds all values of several types exactly.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Decoded {
    Whole(i128),
    Float(f64),
    Complex(f64, f64),
}

impl Decoded {
    fn text(self) -> String {
        match self {
            Self::Whole(n) => n.to_string(),
            Self::Float(x) => format!("{x:?}"),
            Self::Complex(re, im) => format!("{re:?}{im:+?}i"),
        }
    }
}

/// The converted elements.
#[derive(Debug)]
pub(crate) struct Cast {
    pub(crate) bytes: Vec<u8>,
    /// The number of values that changed by more than rounding.
    pub(crate) changed: usize,
    /// The first of those: its index, its value and its result.
    first: Option<(usize, Decoded, Scalar)>,
}

impl Cast {
    /// Describes the first value that changed by more than rounding, its result, and, given a
    /// shape, its index.
    pub(crate) fn first_changed(&self, shape: Option<&Shape>) -> Option<String> {
        let (at, value, became) = self.first?;
        let place = shape.map(|shape| format!(" at {:?}", index_of(at, shape)));
        let place = place.unwrap_or_default();
        Some(format!("{}{place}, which became {}", value.text(), print::word(became)))
    }

    /// Returns the report on the conversion of an array of this shape.
    pub(crate) fn report(&self, from: Dtype, to: ElementType, shape: &Shape) -> String {
        let total = shape.element_count().unwrap_or(0);
        let first = self.first_changed(Some(shape));
        report((from, to), &format!("{total} values"), self.changed as u64, first.as_deref())
    }
}

/// Returns the report on a conversion of these values, of which `changed` changed by more than
/// rounding.
pub(crate) fn report(
    (from, to): (Dtype, ElementType),
    values: &str,
    changed: u64,
    first: Option<&str>,
) -> String {
    let head = format!("{from} converted to {to}");
    match first {
        None => format!("{head}; none of {values} changed by more than rounding"),
        Some(first) => format!(
            "{head}; {changed} of {values} changed by more than rounding; the first is {first}"
        ),
    }
}

/// Returns the multi-dimensional index of an element, given its row-major index.
fn index_of(at: usize, shape: &Shape) -> Vec<usize> {
    let mut rest = at;
    let mut index = vec![0; shape.rank()];
    for (place, &size) in index.iter_mut().zip(shape.dims()).rev() {
        *place = rest % size.max(1);
        rest /= size.max(1);
    }
    index
}

/// Converts little-endian elements by the rules of ConvertElementType: floats are truncated to
/// integers with saturation, and NaN becomes 0; integers keep their low bits; only the real part of
/// a complex number is used. A result of a float type is rounded once. Returns `None` if there is
/// not enough memory.
pub(crate) fn cast(bytes: &[u8], from: Dtype, to: ElementType) -> Option<Cast> {
    let room = narrow::room(bytes.len() / from.size(), to)?;
    let mut cast = Cast { bytes: room, changed: 0, first: None };
    for (at, element) in bytes.chunks_exact(from.size()).enumerate() {
        let value = decode(element, from);
        let (kept, became) = convert(value, to);
        narrow::append(&mut cast.bytes, became);
        if !kept {
            cast.changed += 1;
            cast.first.get_or_insert((at, value, became));
        }
    }
    Some(cast)
}

/// Returns the value in another type, and whether it changed by rounding at most.
fn convert(value: Decoded, to: ElementType) -> (bool, Scalar) {
    if let (Decoded::Complex(re, im), ElementType::C64) = (value, to) {
        let ((kept_re, re), (kept_im, im)) = (rounded(re, to), rounded(im, to));
        return (kept_re && kept_im, Scalar::new(Complex32::new(re as f32, im as f32)));
    }
    let (real, imaginary) = match value {
        Decoded::Complex(re, im) => (Decoded::Float(re), im),
        other => (other, 0.0),
    };
    let (kept, scalar) = convert_real(real, to);
    (kept && imaginary == 0.0, scalar)
}

fn convert_real(value: Decoded, to: ElementType) -> (bool, Scalar) {
    let float = match value {
        Decoded::Whole(n) => n as f64,
        Decoded::Float(x) | Decoded::Complex(x, _) => x,
    };
    if to == ElementType::Pred {
        return (float == 0.0 || float == 1.0, Scalar::new(float != 0.0));
    }
    if let Some((low, high)) = to.integer_range() {
        let whole = match value {
            Decoded::Whole(n) => n,
            // NaN becomes 0; a value outside of i128 is outside of every type.
            _ => (float as i128).clamp(low, high),
        };
        let scalar = Scalar::from_bits(to, whole as u64);
        let kept = (low..=high).contains(&whole)
            // Beyond 2^53 the float of an integer may be another number.
            && (matches!(value, Decoded::Whole(_)) || (whole as f64 == float && float as i128 == whole));
        return (kept, scalar);
    }
    let (kept, near) = match value {
        // A 64-bit integer may be past all finite values of F16.
        Decoded::Whole(n) => match Scalar::from_i128(to, n).map(Scalar::value) {
            Some(ScalarValue::Float(near) | ScalarValue::Complex(near, _)) => {
                (near.is_finite(), near)
            }
            _ => (true, n as f64),
        },
        _ => rounded(float, to),
    };
    (kept, narrow::float(near, to).unwrap_or(Scalar::new(near)))
}

/// Returns the nearest value of a float type, and whether the difference is at most half a unit in
/// that type's last place, which is not the case for overflow to infinity or underflow to a
/// subnormal or 0.
fn rounded(x: f64, to: ElementType) -> (bool, f64) {
    let near = narrow::round(x, to);
    let half_a_place = match to {
        ElementType::F16 => 2f64.powi(-11),
        ElementType::Bf16 => 2f64.powi(-8),
        _ => 2f64.powi(-24),
    };
    let close = (near - x).abs() <= x.abs() * half_a_place;
    (x.is_nan() || near == x || (near.is_finite() && close), near)
}

fn decode(element: &[u8], from: Dtype) -> Decoded {
    let bits = |bytes: &[u8]| {
        let mut wide = [0; 8];
        wide[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(wide)
    };
    match from {
        Dtype::Bool => Decoded::Whole(i128::from(bits(element) != 0)),
        Dtype::Uint(_) => Decoded::Whole(bits(element).into()),
        Dtype::Int(size) => {
            // Shifting left and right again extends the sign.
            let unused = 64 - 8 * size as u32;
            Decoded::Whole(i128::from((bits(element) << unused).cast_signed() >> unused))
        }
        Dtype::Float(size) => Decoded::Float(float(bits(element), size)),
        Dtype::Complex(size) => {
            let (re, im) = element.split_at(size / 2);
            Decoded::Complex(float(bits(re), size / 2), float(bits(im), size / 2))
        }
    }
}

/// Returns the float with these bits, in `size` bytes.
fn float(bits: u64, size: usize) -> f64 {
    match size {
        2 => indim::half::f16::from_bits(bits as u16).into(),
        4 => f32::from_bits(bits as u32).into(),
        _ => f64::from_bits(bits),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cast(bytes: &[u8], from: Dtype, to: ElementType) -> Cast {
        super::cast(bytes, from, to).expect("few elements")
    }

    fn f64s(values: &[f64], to: ElementType) -> Cast {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        cast(&bytes, Dtype::Float(8), to)
    }

    fn words(cast: &Cast) -> Vec<u32> {
        cast.bytes.as_chunks::<4>().0.iter().map(|&c| u32::from_le_bytes(c)).collect()
    }

    #[test]
    fn to_f32_counts_what_is_more_than_rounded() {
        let largest = f64::from(f32::MAX);
        let kept = f64s(
            &[0.1, 1e-38, -0.0, f64::NAN, f64::INFINITY, largest, 1.0 + 1e-12, 5.0],
            ElementType::F32,
        );
        // 1e-38 is a subnormal f32, and 0.1 % off.
        assert_eq!(kept.changed, 1);
        let changed = f64s(&[1e300, 1e-300, -1e39, 1e-44], ElementType::F32);
        assert_eq!(changed.changed, 4);
        assert_eq!(words(&changed)[..2], [f32::INFINITY.to_bits(), 0]);
        assert_eq!(
            changed.report(Dtype::Float(8), ElementType::F32, &Shape::from([2, 2])),
            "float64 converted to f32; 4 of 4 values changed by more than rounding; the first is 1e300 at [0, 0], which became inf"
        );
    }

    #[test]
    fn to_integers_counts_all_that_is_not_kept() {
        let values = [1.0, -1.0, 1.5, 3e9, f64::NAN, -0.0, f64::NEG_INFINITY];
        let signed = f64s(&values, ElementType::S32);
        assert_eq!(
            words(&signed).iter().map(|&w| w.cast_signed()).collect::<Vec<_>>(),
            [1, -1, 1, i32::MAX, 0, 0, i32::MIN]
        );
        assert_eq!(signed.changed, 4);
        let unsigned = f64s(&values, ElementType::U32);
        assert_eq!(words(&unsigned), [1, 0, 1, 3_000_000_000, 0, 0, 0]);
        assert_eq!(unsigned.changed, 4);
        assert_eq!(
            unsigned.report(Dtype::Float(8), ElementType::U32, &Shape::from([7])),
            "float64 converted to u32; 4 of 7 values changed by more than rounding; the first is -1.0 at [1], which became 0"
        );
        let nibbles = f64s(&[7.0, 8.0, -9.5], ElementType::S4);
        assert_eq!((nibbles.bytes.as_slice(), nibbles.changed), (&[7, 7, 8][..], 2));
        assert_eq!(f64s(&[9_223_372_036_854_775_808.0], ElementType::S64).changed, 1);
        assert_eq!(f64s(&[0.0, 1.0, 2.0, f64::NAN], ElementType::Pred).bytes, [0, 1, 1, 1]);
    }

    #[test]
    fn integers_keep_their_low_bits() {
        let bytes: Vec<u8> =
            [1i64, -1, 1 << 32, i64::MIN].iter().flat_map(|v| v.to_le_bytes()).collect();
        let signed = cast(&bytes, Dtype::Int(8), ElementType::S32);
        assert_eq!((words(&signed), signed.changed), (vec![1, u32::MAX, 0, 0], 2));
        let unsigned = cast(&bytes, Dtype::Int(8), ElementType::U32);
        assert_eq!((words(&unsigned), unsigned.changed), (vec![1, u32::MAX, 0, 0], 3));
        let float = cast(&bytes, Dtype::Int(8), ElementType::F32);
        assert_eq!(float.changed, 0);
        let small = cast(&[0xff, 0x80], Dtype::Int(1), ElementType::S32);
        assert_eq!((words(&small), small.changed), (vec![u32::MAX, -128i32 as u32], 0));
        let half = cast(&bytes, Dtype::Int(8), ElementType::F16);
        assert_eq!((&half.bytes[4..], half.changed), (&[0x00, 0x7c, 0x00, 0xfc][..], 2));
    }

    #[test]
    fn sixteen_bits_and_complex_numbers() {
        let half = cast(&[0x00, 0x3c, 0xff, 0x7b], Dtype::Float(2), ElementType::F32);
        assert_eq!(words(&half), [1f32.to_bits(), 65504f32.to_bits()]);
        let brain = f64s(&[1.0 + 2f64.powi(-8) + 2f64.powi(-40), 1e39], ElementType::Bf16);
        assert_eq!((brain.bytes.as_slice(), brain.changed), (&[0x81, 0x3f, 0x80, 0x7f][..], 1));
        let complex: Vec<u8> =
            [1.5f64, -2.0, 3.0, 0.0].iter().flat_map(|v| v.to_le_bytes()).collect();
        let c64 = cast(&complex, Dtype::Complex(16), ElementType::C64);
        assert_eq!(words(&c64), [1.5f32, -2.0, 3.0, 0.0].map(f32::to_bits));
        assert_eq!(c64.changed, 0);
        let real = cast(&complex, Dtype::Complex(16), ElementType::F32);
        assert_eq!(words(&real), [1.5f32, 3.0].map(f32::to_bits));
        assert_eq!(
            real.report(Dtype::Complex(16), ElementType::F32, &Shape::from([2])),
            "complex128 converted to f32; 1 of 2 values changed by more than rounding; the first is 1.5-2.0i at [0], which became 1.5"
        );
    }
}
