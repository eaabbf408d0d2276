//! Parses numbers in EXPR and literals, and computes their values in an element type.

use std::cmp::Ordering;
use std::fmt;

use indim_core::num_complex::Complex32;
use indim_core::{ElementType, Scalar};

use crate::syntax::narrow;

/// A number as written: exact if it is whole, otherwise with its nearest floats.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Number {
    negative: bool,
    /// The magnitude, if it is a whole number below 2^128.
    whole: Option<u128>,
    /// The f32 nearest to the magnitude; infinite beyond the largest.
    single: f32,
    /// The f64 nearest to the magnitude; infinite beyond the largest.
    double: f64,
    /// The side of `double` on which the magnitude lies, where rounding to 16 bits depends on it.
    side: Ordering,
    /// True if it has neither a point nor an exponent, so that rounding it would surprise.
    written_whole: bool,
    /// True if a value other than 0 was written, however small.
    nonzero: bool,
    suffix: Option<Suffix>,
}

/// The letters that may directly follow a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Suffix {
    Type(ElementType),
    /// `i`, or Python's `j`.
    Imaginary,
}

/// The reason why a number is not a value of an element type. The text completes a sentence that
/// begins with the number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum NumberError {
    Fraction(ElementType),
    Range(ElementType, i128, i128),
    NotTruth,
    /// The number is not a value of the type; the nearest one is given.
    Inexact(ElementType, f64),
    TooLarge(ElementType),
    TooSmall(ElementType),
    Imaginary(ElementType),
    /// The type of the number's suffix, and the requested one.
    Typed(ElementType, ElementType),
}

impl fmt::Display for NumberError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Fraction(to) => write!(f, "is not a value of {to}: it is not a whole number"),
            Self::Range(to, low, high) => {
                write!(f, "is not a value of {to}, which holds {low} to {high}")
            }
            Self::NotTruth => {
                write!(f, "is not a value of pred, which holds true and false (or 1 and 0)")
            }
            Self::Inexact(to, nearest) => {
                write!(f, "is not exactly representable in {to}; the nearest value is ")?;
                match to {
                    // Its own type has fewer digits.
                    ElementType::F32 | ElementType::C64 => write!(f, "{}", nearest as f32)?,
                    _ => write!(f, "{nearest}")?,
                }
                write!(f, "; a number with a point or an exponent is rounded")
            }
            Self::TooLarge(to) => {
                let largest = match to {
                    ElementType::F16 => "6.5504e4",
                    ElementType::Bf16 => "3.3895314e38",
                    ElementType::F64 => "1.7976931348623157e308",
                    _ => "3.4028235e38",
                };
                write!(f, "is too large for {to}, whose largest value is {largest}")
            }
            Self::TooSmall(to) => write!(f, "is too small for {to}: it would become 0"),
            Self::Imaginary(to) => write!(f, "is imaginary, and not a value of {to}"),
            Self::Typed(of, to) => write!(f, "is of {of}, not of {to}"),
        }
    }
}

impl Number {
    /// Parses a spelling that the lexer has accepted as a number.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let clean: String = text.chars().filter(|&c| c != '_').collect();
        let (radix, digits) = match clean.get(..2).map(str::to_ascii_lowercase).as_deref() {
            Some("0x") => (16, &clean[2..]),
            Some("0o") => (8, &clean[2..]),
            Some("0b") => (2, &clean[2..]),
            _ => return Self::parse_decimal(&clean),
        };
        // Beyond 2^128 it is outside of every element type but F64.
        let whole = u128::from_str_radix(digits, radix).ok();
        Some(Self {
            negative: false,
            whole,
            single: whole.map_or(f32::INFINITY, |n| n as f32),
            double: whole.map_or(f64::INFINITY, |n| n as f64),
            side: Ordering::Equal,
            written_whole: true,
            nonzero: whole != Some(0),
            suffix: None,
        })
    }

    fn parse_decimal(clean: &str) -> Option<Self> {
        let (single, double): (f32, f64) = (clean.parse().ok()?, clean.parse().ok()?);
        let (mantissa, exponent) = match clean.split_once(['e', 'E']) {
            // An exponent that does not fit counts as the largest one.
            Some((mantissa, exponent)) => {
                let end = if exponent.starts_with('-') { i64::MIN / 2 } else { i64::MAX / 2 };
                (mantissa, exponent.parse().unwrap_or(end))
            }
            None => (clean, 0),
        };
        let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = format!("{before}{after}");
        let digits = digits.trim_start_matches('0');
        let kept = digits.trim_end_matches('0');
        let exponent = exponent
            .saturating_sub_unsigned(after.len() as u64)
            .saturating_add_unsigned((digits.len() - kept.len()) as u64);
        let whole = if kept.is_empty() {
            Some(0)
        } else {
            u32::try_from(exponent)
                .ok()
                .and_then(|e| 10u128.checked_pow(e))
                .and_then(|power| kept.parse::<u128>().ok()?.checked_mul(power))
        };
        Some(Self {
            negative: false,
            whole,
            single,
            double,
            side: side(kept, exponent, double),
            written_whole: !clean.contains(['.', 'e', 'E']),
            nonzero: !kept.is_empty(),
            suffix: None,
        })
    }

    /// Returns the same number with a suffix: the name of an element type, or `i` or `j`.
    pub(crate) fn suffixed(self, suffix: &str) -> Option<Self> {
        let suffix = match suffix {
            "i" | "j" => Suffix::Imaginary,
            name => Suffix::Type(name.parse().ok()?),
        };
        Some(Self { suffix: Some(suffix), ..self })
    }

    /// Returns the negated number.
    pub(crate) fn negated(self) -> Self {
        Self { negative: !self.negative, ..self }
    }

    /// Returns the element type of the number's suffix.
    pub(crate) fn element_type(self) -> Option<ElementType> {
        self.suffix.map(|suffix| match suffix {
            Suffix::Type(element_type) => element_type,
            Suffix::Imaginary => ElementType::C64,
        })
    }

    /// Returns true if the number has neither a point nor an exponent.
    pub(crate) fn is_written_whole(self) -> bool {
        self.written_whole
    }

    /// Returns the side of an integer type's range on which a bare whole number lies; `None` if it
    /// is in the range, or another kind of number.
    pub(crate) fn beyond(self, of: ElementType) -> Option<Ordering> {
        let (low, high) = of.integer_range()?;
        let is_bare = self.written_whole && self.suffix.is_none();
        let is_beyond = is_bare && self.to_integer(of, low, high).is_err();
        is_beyond.then_some(if self.negative { Ordering::Less } else { Ordering::Greater })
    }

    pub(crate) fn is_imaginary(self) -> bool {
        self.suffix == Some(Suffix::Imaginary)
    }

    /// Returns the number as a constant of an element type: exact, or rounded to the type's nearest
    /// value if it has a point or an exponent.
    pub(crate) fn to_scalar(self, to: ElementType) -> Result<Scalar, NumberError> {
        match self.suffix {
            Some(Suffix::Imaginary) if to != ElementType::C64 => {
                return Err(NumberError::Imaginary(to));
            }
            Some(Suffix::Imaginary) => {
                return self.to_f64(to).map(|im| Scalar::new(Complex32::new(0.0, im as f32)));
            }
            Some(Suffix::Type(of)) if of != to => return Err(NumberError::Typed(of, to)),
            _ => {}
        }
        if to == ElementType::Pred {
            let truth = self.to_integer(to, 0, 1).map_err(|_| NumberError::NotTruth)?;
            return Ok(Scalar::new(truth == 1));
        }
        if let Some((low, high)) = to.integer_range() {
            // The low bits are those of the type.
            return self.to_integer(to, low, high).map(|n| Scalar::from_bits(to, n as u64));
        }
        // All other types are floats.
        let value = self.to_f64(to)?;
        narrow::float(value, to).ok_or(NumberError::Fraction(to))
    }

    /// Returns the number as a constant of an element type, as NumPy does: a bare number is a
    /// Python float, rounded to a float type, possibly to an infinity or to 0.
    pub(crate) fn to_weak_scalar(self, to: ElementType) -> Result<Scalar, NumberError> {
        // Python cannot convert an integer beyond the largest float.
        let is_beyond = self.written_whole && self.double.is_infinite();
        if self.suffix.is_some() || is_beyond {
            return self.to_scalar(to);
        }
        let signed = if self.negative { -self.double } else { self.double };
        narrow::float(signed, to).map_or_else(|| self.to_scalar(to), Ok)
    }

    /// Returns true if the number is negative.
    pub(crate) fn is_negative(self) -> bool {
        self.negative && self.nonzero
    }

    /// Returns the value in a float type; for C64, in the type of its parts.
    fn to_f64(self, to: ElementType) -> Result<f64, NumberError> {
        let magnitude = match to {
            ElementType::F64 => self.double,
            ElementType::F32 | ElementType::C64 => self.single.into(),
            _ => narrow::round(
                match self.side {
                    Ordering::Less => self.double.next_down(),
                    Ordering::Equal => self.double,
                    Ordering::Greater => self.double.next_up(),
                },
                to,
            ),
        };
        let signed = if self.negative { -magnitude } else { magnitude };
        if magnitude.is_infinite() {
            Err(NumberError::TooLarge(to))
        } else if magnitude == 0.0 && self.nonzero {
            Err(NumberError::TooSmall(to))
        } else if self.written_whole && self.whole != Some(magnitude as u128) {
            Err(NumberError::Inexact(to, signed))
        } else {
            Ok(signed)
        }
    }

    fn to_integer(self, to: ElementType, low: i128, high: i128) -> Result<i128, NumberError> {
        let range = NumberError::Range(to, low, high);
        let Some(whole) = self.whole else {
            // The number is neither whole nor small: it is a fraction, or beyond 2^128.
            let huge = self.written_whole || self.single.is_infinite();
            return Err(if huge { range } else { NumberError::Fraction(to) });
        };
        let magnitude = i128::try_from(whole).map_err(|_| range)?;
        let value = if self.negative { -magnitude } else { magnitude };
        if (low..=high).contains(&value) { Ok(value) } else { Err(range) }
    }

    /// Returns the number as a dimension or a size, which `Builder` takes as `i64`.
    pub(crate) fn to_i64(self) -> Option<i64> {
        if self.suffix.is_some() {
            return None;
        }
        let magnitude = i128::try_from(self.whole?).ok()?;
        i64::try_from(if self.negative { -magnitude } else { magnitude }).ok()
    }
}

/// Returns the side of its nearest f64 on which a number lies, given its digits, without zeros at
/// either end, and its exponent. It is computed only if that f64 may be the midpoint of two 16-bit
/// floats; otherwise it does not matter, and the result is `Equal`.
fn side(digits: &str, exponent: i64, double: f64) -> Ordering {
    // The significand of such a midpoint has at most 12 bits.
    if double.to_bits().trailing_zeros() < 40 || double < 1e-42 || double.is_infinite() {
        return Ordering::Equal;
    }
    // The 160 digits suffice: numbers of 12 bits down to 2^-152 have fewer.
    let exact = format!("{double:.160e}");
    let (mantissa, power) = exact.split_once('e').unwrap_or((&exact, "0"));
    let mantissa = mantissa.replacen('.', "", 1);
    // Places before the point, of 0.DIGITS.
    let places = |len: usize, exponent: i64| exponent.saturating_add_unsigned(len as u64);
    let theirs = (power.parse::<i64>().unwrap_or(0) + 1, mantissa.trim_end_matches('0'));
    (places(digits.len(), exponent), digits).cmp(&theirs)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Number {
        match text.strip_prefix('-') {
            Some(rest) => number(rest).negated(),
            None => Number::parse(text).unwrap_or_else(|| panic!("{text}")),
        }
    }

    fn f32_of(text: &str) -> Result<f32, NumberError> {
        number(text).to_scalar(ElementType::F32).map(|s| s.get::<f32>().unwrap_or(f32::NAN))
    }

    fn s32_of(text: &str) -> Result<i32, NumberError> {
        number(text).to_scalar(ElementType::S32).map(|s| s.get::<i32>().unwrap_or(-1))
    }

    fn u32_of(text: &str) -> Result<u32, NumberError> {
        number(text).to_scalar(ElementType::U32).map(|s| s.get::<u32>().unwrap_or(1))
    }

    #[test]
    fn f32_is_exact_for_whole_numbers_and_nearest_for_decimals() {
        assert_eq!(f32_of("0.1"), Ok(0.1));
        assert_eq!(f32_of(".5"), Ok(0.5));
        assert_eq!(f32_of("1."), Ok(1.0));
        assert_eq!(f32_of("1_000"), Ok(1000.0));
        assert_eq!(f32_of("0x10"), Ok(16.0));
        assert_eq!(f32_of("16777216"), Ok(16_777_216.0));
        assert_eq!(f32_of("16777217"), Err(NumberError::Inexact(ElementType::F32, 16_777_216.0)));
        assert_eq!(f32_of("-16777217"), Err(NumberError::Inexact(ElementType::F32, -16_777_216.0)));
        assert_eq!(f32_of("16777217.0"), Ok(16_777_216.0));
        assert_eq!(f32_of("340282346638528859811704183484516925440"), Ok(f32::MAX));
        assert_eq!(
            f32_of("340282366920938463463374607431768211456"),
            Err(NumberError::TooLarge(ElementType::F32))
        );
        assert_eq!(f32_of("1e40"), Err(NumberError::TooLarge(ElementType::F32)));
        assert_eq!(f32_of("1e-50"), Err(NumberError::TooSmall(ElementType::F32)));
        assert_eq!(f32_of("0e-999999999999999999999"), Ok(0.0));
        assert_eq!(f32_of("-0").map(f32::to_bits), Ok((-0.0f32).to_bits()));
    }

    #[test]
    fn integers_are_exact_whatever_the_spelling() {
        assert_eq!(s32_of("1e3"), Ok(1000));
        assert_eq!(s32_of("1.50e1"), Ok(15));
        assert_eq!(s32_of("-2147483648"), Ok(i32::MIN));
        let range = NumberError::Range(ElementType::S32, i32::MIN.into(), i32::MAX.into());
        assert_eq!(s32_of("2147483648"), Err(range));
        assert_eq!(s32_of("1e99999999999999999999"), Err(range));
        assert_eq!(s32_of("9".repeat(60).as_str()), Err(range));
        assert_eq!(s32_of("1.5"), Err(NumberError::Fraction(ElementType::S32)));
        assert_eq!(s32_of("1e-99999999999999999999"), Err(NumberError::Fraction(ElementType::S32)));
        assert_eq!(u32_of("0xFFFF_FFFF"), Ok(u32::MAX));
        assert_eq!(u32_of("-1"), Err(NumberError::Range(ElementType::U32, 0, u32::MAX.into())));
        assert_eq!(u32_of("-0"), Ok(0));
    }

    #[test]
    fn pred_holds_0_and_1() {
        let pred = |text| number(text).to_scalar(ElementType::Pred).map(|s| s.get::<bool>());
        assert_eq!(pred("1"), Ok(Some(true)));
        assert_eq!(pred("0"), Ok(Some(false)));
        assert_eq!(pred("2"), Err(NumberError::NotTruth));
        assert_eq!(pred("0.5"), Err(NumberError::NotTruth));
    }

    #[test]
    fn every_type_has_its_range_and_its_rounding() {
        let bits = |text, to| number(text).to_scalar(to).map(Scalar::bits);
        assert_eq!(bits("-8", ElementType::S4), Ok(0x8));
        assert_eq!(bits("8", ElementType::S4), Err(NumberError::Range(ElementType::S4, -8, 7)));
        assert_eq!(bits("-1", ElementType::S64), Ok(u64::MAX));
        assert_eq!(bits("18446744073709551615", ElementType::U64), Ok(u64::MAX));
        assert_eq!(bits("255", ElementType::U8), Ok(255));
        assert_eq!(bits("0.1", ElementType::F64), Ok(0.1f64.to_bits()));
        assert_eq!(bits("1e300", ElementType::F64), Ok(1e300f64.to_bits()));
        assert_eq!(
            bits("2049", ElementType::F16),
            Err(NumberError::Inexact(ElementType::F16, 2048.0))
        );
        assert_eq!(bits("65520.0", ElementType::F16), Err(NumberError::TooLarge(ElementType::F16)));
        assert_eq!(bits("1e-9", ElementType::F16), Err(NumberError::TooSmall(ElementType::F16)));
        assert_eq!(bits("-2.5", ElementType::C64), Ok(u64::from((-2.5f32).to_bits())));
        // 1 + 2^-11 is the midpoint of two f16, and 1 + 2^-8 of two bf16: ties go to even, and the
        // least excess decides, even one below f64 resolution.
        for (text, f16, bf16) in [
            ("1.00048828125", 0x3c00, 0x3f80),
            ("1.00048828125000000000000000000000001", 0x3c01, 0x3f80),
            ("1.00146484375", 0x3c02, 0x3f80),
            ("1.00146484374999999999999999999999999", 0x3c01, 0x3f80),
            ("1.00390625", 0x3c04, 0x3f80),
            ("1.00390625000000000000000000000000001", 0x3c04, 0x3f81),
        ] {
            assert_eq!(bits(text, ElementType::F16), Ok(f16), "{text}");
            assert_eq!(bits(text, ElementType::Bf16), Ok(bf16), "{text}");
        }
    }

    #[test]
    fn suffixes_are_types() {
        let typed = |text, suffix| number(text).suffixed(suffix);
        let three = typed("3", "u8").unwrap();
        assert_eq!(three.element_type(), Some(ElementType::U8));
        assert_eq!(three.to_scalar(ElementType::U8), Ok(Scalar::new(3u8)));
        let error = NumberError::Typed(ElementType::U8, ElementType::S32);
        assert_eq!(three.to_scalar(ElementType::S32), Err(error));
        assert_eq!(three.to_i64(), None);
        assert_eq!(typed("3", "x"), None);
        let two = typed("-2", "i").unwrap();
        assert!(two.is_imaginary());
        assert_eq!(two.to_scalar(ElementType::C64), Ok(Scalar::new(Complex32::new(0.0, -2.0))));
        assert_eq!(two.to_scalar(ElementType::F32), Err(NumberError::Imaginary(ElementType::F32)));
    }

    #[test]
    fn sizes() {
        assert_eq!(number("-3").to_i64(), Some(-3));
        assert_eq!(number("1.5").to_i64(), None);
        assert_eq!(number("18446744073709551616").to_i64(), None);
    }
}
