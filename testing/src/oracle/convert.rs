//! Computes conversions between every pair of element types, and bitcasts.

use indim::ElementType;

use super::format::{self, F32, Format};
use super::integer;
use super::value::{FALSE, Span, TRUE, Value, mask, width};
use ElementType::{C64, Pred};

pub fn convert(from: ElementType, to: ElementType, x: Value) -> Value {
    if from == to {
        return x;
    }
    if from == C64 {
        // The imaginary part is lost, also to PRED.
        let real = x.parts().0;
        return convert(ElementType::F32, to, real);
    }
    if to == C64 {
        let real = match convert(from, ElementType::F32, x) {
            Value::Bits(bits) => return Value::Bits(bits),
            other => Span::from_value(other, F32),
        };
        return Value::complex(real, Span::of(0.0));
    }
    match (format::of(from), format::of(to)) {
        (Some(format), Some(to)) => float_to_float(format, to, x),
        (Some(format), None) if to == Pred => float_to_pred(format, x),
        (Some(format), None) => float_to_integer(format, to, x),
        (None, Some(format)) => {
            let number = x.bits().map(|bits| integer::decode(from, bits));
            number.map_or(Value::Unknown, |number| Value::Bits(nearest(number, format)))
        }
        (None, None) => {
            let number = x.bits().map(|bits| integer::decode(from, bits));
            number.map_or(Value::Unknown, |number| match to {
                Pred => Value::truth(number != 0),
                _ => Value::Bits(integer::encode(to, number)),
            })
        }
    }
}

/// The bits of the float that is nearest to an integer.
fn nearest(number: i128, format: Format) -> u64 {
    if format.mantissa_bits == 52 {
        return (number as f64).to_bits();
    }
    format.encode(to_odd(number))
}

/// An integer as f64, such that a later rounding to fewer digits is right: one that f64 does not
/// have becomes an odd one (Boldo & Melquiond, "When double rounding is odd", 2005).
fn to_odd(number: i128) -> f64 {
    let magnitude = number.unsigned_abs();
    let below = (128 - magnitude.leading_zeros()).saturating_sub(53);
    let lost = magnitude & ((1 << below) - 1) != 0;
    let kept = (magnitude >> below) | u128::from(lost);
    let value = kept as f64 * 2f64.powi(below as i32);
    if number < 0 { -value } else { value }
}

/// Rounded once. A subnormal number may be flushed on either side.
fn float_to_float(from: Format, to: Format, x: Value) -> Value {
    let span = Span::operand(x, from);
    span.rounded(to).flushed(to).value(to)
}

/// x != 0, which holds for a NaN.
fn float_to_pred(format: Format, x: Value) -> Value {
    let span = Span::operand(x, format);
    match span.ends {
        Some((lo, hi)) if lo == 0.0 && hi == 0.0 && !span.nan => FALSE,
        Some(_) if span.has_zero() => Value::Unknown,
        _ => TRUE,
    }
}

/// Truncates, saturates, takes NaN to 0.
fn float_to_integer(format: Format, to: ElementType, x: Value) -> Value {
    let span = Span::operand(x, format);
    let (least, largest) = integer::limits(to);
    let cast = |x: f64| {
        // Beyond the limits, Rust's conversion also saturates.
        integer::encode(to, (x as i128).clamp(least, largest))
    };
    match span.ends.map(|(lo, hi)| (cast(lo), cast(hi))) {
        None => Value::Bits(0),
        Some((lo, hi)) if lo == hi && (!span.nan || lo == 0) => Value::Bits(lo),
        Some(_) => Value::Unknown,
    }
}

/// Returns the elements of an array as those of another type: one becomes several along a new last
/// dimension, the lowest bits first, or several become one.
pub fn bitcast(from: ElementType, to: ElementType, x: &[Value]) -> Vec<Value> {
    let (width, wanted) = (width(from), width(to));
    if from == to {
        x.to_vec()
    } else if wanted <= width {
        let piece = |value: Value, n: u32| match value.bits() {
            Some(bits) => Value::Bits((bits >> (wanted * n)) & mask(to)),
            None => Value::Unknown,
        };
        x.iter().flat_map(|&value| (0..width / wanted).map(move |n| piece(value, n))).collect()
    } else {
        let whole = |pieces: &[Value]| {
            let joined = pieces.iter().enumerate().try_fold(0, |joined, (n, piece)| {
                Some(joined | piece.bits()? << (width as usize * n))
            });
            joined.map_or(Value::Unknown, Value::Bits)
        };
        x.chunks((wanted / width) as usize).map(whole).collect()
    }
}

/// The number of an iota's place.
pub fn counted(element: ElementType, place: usize) -> Value {
    let number = place as i128;
    match format::of(element) {
        // The imaginary part is above.
        _ if element == C64 => Value::Bits(nearest(number, F32)),
        Some(format) => Value::Bits(nearest(number, format)),
        None => Value::Bits(integer::encode(element, number)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ElementType::{Bf16, F16, F64, S4, S8, S32, S64, U8, U64};

    #[test]
    fn numbers_are_rounded_once() {
        let of = |number: i128, to| {
            let x = Value::Bits(integer::encode(S64, number));
            let format = format::of(to).unwrap();
            convert(S64, to, x).bits().map(|bits| format.decode(bits))
        };
        assert_eq!(of((257 << 30) + 1, Bf16), Some(258.0 * 2f64.powi(30)));
        assert_eq!(of(257 << 30, Bf16), Some(256.0 * 2f64.powi(30)));
        assert_eq!(of(65519, F16), Some(65504.0));
        assert_eq!(of(65520, F16), Some(f64::INFINITY));
        assert_eq!(of((1 << 53) + 1, F64), Some(2f64.powi(53)));
        assert_eq!(of((1 << 53) + 3, F64), Some(2f64.powi(53) + 4.0));
        assert_eq!(of((1 << 54) + 3, F64), Some(2f64.powi(54) + 4.0));
        assert_eq!(
            of((1 << 62) + (1 << 38) + 1, ElementType::F32),
            Some(2f64.powi(62) + 2f64.powi(39))
        );
    }

    #[test]
    fn floats_saturate() {
        let of = |x: f64, to| {
            integer::decode(
                to,
                convert(F64, to, Value::of(x, format::of(F64).unwrap())).bits().unwrap(),
            )
        };
        assert_eq!(of(-8.9, S4), -8);
        assert_eq!(of(1e300, U64), u64::MAX.into());
        assert_eq!(of(-1.0, U8), 0);
        assert_eq!(of(f64::NAN, S32), 0);
        assert_eq!(of(f64::NEG_INFINITY, S64), i64::MIN.into());
    }

    #[test]
    fn bits_are_taken_apart_and_joined() {
        let bytes = bitcast(S32, U8, &[Value::Bits(0x0403_0201)]);
        assert_eq!(bytes, [1, 2, 3, 4].map(Value::Bits));
        assert_eq!(bitcast(U8, S32, &bytes), [Value::Bits(0x0403_0201)]);
        assert_eq!(bitcast(S8, S4, &[Value::Bits(0x21)]), [1, 2].map(Value::Bits));
    }
}
