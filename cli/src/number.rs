//! Numbers as the user writes them, and their value in an element type.

use std::fmt;

use indim::{ElementType, Scalar};

/// A number as written: exact where it is whole, else the nearest f32.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Number {
    negative: bool,
    /// The magnitude, where it is a whole number below 2^128.
    whole: Option<u128>,
    /// The magnitude's nearest f32; infinite past the largest.
    nearest: f32,
    /// Without a point or an exponent, so that rounding it would surprise.
    written_whole: bool,
    /// Something else than 0 was written, however small.
    nonzero: bool,
}

/// Why a number is no value of an element type. The text is the second half of a sentence that
/// names the number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum NumberError {
    Fraction(ElementType),
    Range(ElementType, i128, i128),
    NotTruth,
    Inexact(f32),
    TooLarge,
    TooSmall,
    Unsupported(ElementType),
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
            Self::Inexact(nearest) => write!(
                f,
                "is not exactly representable in f32; the nearest value is {nearest}; a number with a point or an exponent is rounded"
            ),
            Self::TooLarge => {
                write!(f, "is too large for f32, whose largest value is {:e}", f32::MAX)
            }
            Self::TooSmall => write!(f, "is too small for f32: it would become 0"),
            Self::Unsupported(to) => write!(f, "cannot be written as a {to} here"),
        }
    }
}

impl Number {
    /// Reads the spelling that the lexer has found to be a number.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let clean: String = text.chars().filter(|&c| c != '_').collect();
        let (radix, digits) = match clean.get(..2).map(str::to_ascii_lowercase).as_deref() {
            Some("0x") => (16, &clean[2..]),
            Some("0o") => (8, &clean[2..]),
            Some("0b") => (2, &clean[2..]),
            _ => return Self::parse_decimal(&clean),
        };
        // Past 2^128 it is past every element type, too.
        let whole = u128::from_str_radix(digits, radix).ok();
        let nearest = whole.map_or(f32::INFINITY, |n| n as f32);
        Some(Self {
            negative: false,
            whole,
            nearest,
            written_whole: true,
            nonzero: whole != Some(0),
        })
    }

    fn parse_decimal(clean: &str) -> Option<Self> {
        let nearest: f32 = clean.parse().ok()?;
        let (mantissa, exponent) = match clean.split_once(['e', 'E']) {
            // An exponent that does not fit is as good as the largest that does.
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
            nearest,
            written_whole: !clean.contains(['.', 'e', 'E']),
            nonzero: !kept.is_empty(),
        })
    }

    /// The same number with the other sign.
    pub(crate) fn negated(self) -> Self {
        Self { negative: !self.negative, ..self }
    }

    /// The number as a constant of an element type: exact, or rounded to the nearest f32 where it
    /// is written with a point or an exponent.
    pub(crate) fn to_scalar(self, to: ElementType) -> Result<Scalar, NumberError> {
        match to {
            ElementType::F32 => self.to_f32().map(Scalar::new),
            ElementType::S32 => {
                self.to_integer(to, i32::MIN.into(), i32::MAX.into()).map(|n| Scalar::new(n as i32))
            }
            ElementType::U32 => {
                self.to_integer(to, 0, u32::MAX.into()).map(|n| Scalar::new(n as u32))
            }
            ElementType::Pred => match self.to_integer(to, 0, 1) {
                Ok(n) => Ok(Scalar::new(n == 1)),
                Err(_) => Err(NumberError::NotTruth),
            },
            _ => Err(NumberError::Unsupported(to)),
        }
    }

    fn to_f32(self) -> Result<f32, NumberError> {
        let signed = if self.negative { -self.nearest } else { self.nearest };
        if self.nearest.is_infinite() {
            Err(NumberError::TooLarge)
        } else if self.nearest == 0.0 && self.nonzero {
            Err(NumberError::TooSmall)
        } else if self.written_whole && self.whole != Some(self.nearest as u128) {
            Err(NumberError::Inexact(signed))
        } else {
            Ok(signed)
        }
    }

    fn to_integer(self, to: ElementType, low: i128, high: i128) -> Result<i128, NumberError> {
        let range = NumberError::Range(to, low, high);
        let Some(whole) = self.whole else {
            // Neither whole nor small: either a fraction or past 2^128.
            let huge = self.written_whole || self.nearest.is_infinite();
            return Err(if huge { range } else { NumberError::Fraction(to) });
        };
        let magnitude = i128::try_from(whole).map_err(|_| range)?;
        let value = if self.negative { -magnitude } else { magnitude };
        if (low..=high).contains(&value) { Ok(value) } else { Err(range) }
    }

    /// The number as a dimension or a size, which `Builder` takes as `i64`.
    pub(crate) fn to_i64(self) -> Option<i64> {
        let magnitude = i128::try_from(self.whole?).ok()?;
        i64::try_from(if self.negative { -magnitude } else { magnitude }).ok()
    }
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
        assert_eq!(f32_of("16777217"), Err(NumberError::Inexact(16_777_216.0)));
        assert_eq!(f32_of("-16777217"), Err(NumberError::Inexact(-16_777_216.0)));
        assert_eq!(f32_of("16777217.0"), Ok(16_777_216.0));
        assert_eq!(f32_of("340282346638528859811704183484516925440"), Ok(f32::MAX));
        assert_eq!(f32_of("340282366920938463463374607431768211456"), Err(NumberError::TooLarge));
        assert_eq!(f32_of("1e40"), Err(NumberError::TooLarge));
        assert_eq!(f32_of("1e-50"), Err(NumberError::TooSmall));
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
    fn sizes() {
        assert_eq!(number("-3").to_i64(), Some(-3));
        assert_eq!(number("1.5").to_i64(), None);
        assert_eq!(number("18446744073709551616").to_i64(), None);
    }
}
