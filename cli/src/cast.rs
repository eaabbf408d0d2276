//! `--cast`: files of types that the engine does not have, such as NumPy's float64, converted to
//! one that it has, and what that did to the values.

use indim::{ElementType, Shape};

use crate::npy::Stored;

/// A value as it stands in a file; each of these holds all of several types exactly.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Value {
    Whole(i128),
    Float(f64),
}

/// The converted elements.
#[derive(Debug)]
pub(crate) struct Cast {
    pub(crate) bytes: Vec<u8>,
    /// How many values changed by more than rounding.
    pub(crate) changed: usize,
    /// The first of those: its place, what it was and what it became.
    first: Option<(usize, Value, String)>,
}

impl Cast {
    /// What the conversion did, for the user.
    pub(crate) fn report(&self, from: Stored, to: ElementType, shape: &Shape) -> String {
        let total = shape.element_count().unwrap_or(0);
        let Some((at, value, became)) = &self.first else {
            return format!(
                "{from} converted to {to}; none of {total} values changed by more than rounding"
            );
        };
        let mut rest = *at;
        let mut index = vec![0; shape.rank()];
        for (place, &size) in index.iter_mut().zip(shape.dims()).rev() {
            *place = rest % size.max(1);
            rest /= size.max(1);
        }
        let value = match value {
            Value::Whole(n) => n.to_string(),
            Value::Float(x) => format!("{x:?}"),
        };
        let changed = self.changed;
        format!(
            "{from} converted to {to}; {changed} of {total} values changed by more than rounding; the first is {value} at {index:?}, which became {became}"
        )
    }
}

/// Converts little-endian elements. Rules are those of ConvertElementType: floats become integers
/// by truncation, saturating, NaN gives 0; integers keep their low bits.
pub(crate) fn cast(bytes: &[u8], from: Stored, to: ElementType) -> Cast {
    let mut cast = Cast {
        bytes: Vec::with_capacity(bytes.len() / from.size() * to.size_in_bytes()),
        changed: 0,
        first: None,
    };
    for (at, element) in bytes.chunks_exact(from.size()).enumerate() {
        let value = decode(element, from);
        let (kept, became) = match to {
            ElementType::F32 => {
                let (kept, x) = to_f32(value);
                cast.bytes.extend(x.to_le_bytes());
                (kept, Became::Float(x))
            }
            ElementType::S32 => {
                let n = match value {
                    Value::Whole(n) => n as i32,
                    Value::Float(x) => x as i32,
                };
                cast.bytes.extend(n.to_le_bytes());
                (is_exactly(value, n.into()), Became::Whole(n.into()))
            }
            ElementType::U32 => {
                let n = match value {
                    Value::Whole(n) => n as u32,
                    Value::Float(x) => x as u32,
                };
                cast.bytes.extend(n.to_le_bytes());
                (is_exactly(value, n.into()), Became::Whole(n.into()))
            }
            // The types that `--cast` offers are those above.
            _ => (true, Became::Whole(0)),
        };
        if !kept {
            cast.changed += 1;
            cast.first.get_or_insert_with(|| (at, value, became.text()));
        }
    }
    cast
}

enum Became {
    Whole(i64),
    Float(f32),
}

impl Became {
    fn text(&self) -> String {
        match self {
            Self::Whole(n) => n.to_string(),
            Self::Float(x) => format!("{x:?}"),
        }
    }
}

/// The nearest f32, and whether it is only rounded: off by half of f32's last place or less, which
/// an overflow to infinity and an underflow to a subnormal or 0 are not.
fn to_f32(value: Value) -> (bool, f32) {
    match value {
        Value::Whole(n) => (true, n as f32),
        Value::Float(x) => {
            let y = x as f32;
            let error = (f64::from(y) - x).abs();
            let rounded = error <= x.abs() * f64::from(f32::EPSILON / 2.0);
            (x.is_nan() || f64::from(y) == x || (y.is_finite() && rounded), y)
        }
    }
}

fn is_exactly(value: Value, n: i64) -> bool {
    match value {
        Value::Whole(m) => m == i128::from(n),
        // Every 32-bit integer is an f64.
        Value::Float(x) => x == n as f64,
    }
}

fn decode(element: &[u8], from: Stored) -> Value {
    let mut wide = [0; 8];
    wide[..element.len()].copy_from_slice(element);
    let bits = u64::from_le_bytes(wide);
    match from {
        Stored::Bool => Value::Whole(i128::from(bits != 0)),
        Stored::Uint(_) => Value::Whole(bits.into()),
        Stored::Int(size) => {
            // Up to the top and back, which extends the sign.
            let unused = 64 - 8 * size as u32;
            Value::Whole(i128::from((bits << unused).cast_signed() >> unused))
        }
        Stored::Float(2) => Value::Float(half(bits as u16)),
        Stored::Float(4) => Value::Float(f32::from_bits(bits as u32).into()),
        Stored::Float(_) => Value::Float(f64::from_bits(bits)),
    }
}

/// IEEE 754 binary16.
fn half(bits: u16) -> f64 {
    let fraction = f64::from(bits & 0x3ff) / 1024.0;
    let magnitude = match bits >> 10 & 0x1f {
        0 => fraction * 2f64.powi(-14),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (1.0 + fraction) * 2f64.powi(i32::from(exponent) - 15),
    };
    if bits >> 15 == 1 { -magnitude } else { magnitude }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f64s(values: &[f64], to: ElementType) -> Cast {
        let bytes: Vec<u8> = values.iter().flat_map(|v| v.to_le_bytes()).collect();
        cast(&bytes, Stored::Float(8), to)
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
            changed.report(Stored::Float(8), ElementType::F32, &Shape::from([2, 2])),
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
            unsigned.report(Stored::Float(8), ElementType::U32, &Shape::from([7])),
            "float64 converted to u32; 4 of 7 values changed by more than rounding; the first is -1.0 at [1], which became 0"
        );
    }

    #[test]
    fn integers_keep_their_low_bits() {
        let bytes: Vec<u8> =
            [1i64, -1, 1 << 32, i64::MIN].iter().flat_map(|v| v.to_le_bytes()).collect();
        let signed = cast(&bytes, Stored::Int(8), ElementType::S32);
        assert_eq!((words(&signed), signed.changed), (vec![1, u32::MAX, 0, 0], 2));
        let unsigned = cast(&bytes, Stored::Int(8), ElementType::U32);
        assert_eq!((words(&unsigned), unsigned.changed), (vec![1, u32::MAX, 0, 0], 3));
        let float = cast(&bytes, Stored::Int(8), ElementType::F32);
        assert_eq!(float.changed, 0);
        let small = cast(&[0xff, 0x80], Stored::Int(1), ElementType::S32);
        assert_eq!((words(&small), small.changed), (vec![u32::MAX, -128i32 as u32], 0));
    }

    #[test]
    fn half_precision() {
        for (bits, value) in [
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x0001, 2f64.powi(-24)),
            (0x7bff, 65504.0),
            (0xfc00, f64::NEG_INFINITY),
        ] {
            assert_eq!(half(bits), value);
        }
        assert!(half(0x7e00).is_nan());
    }
}
