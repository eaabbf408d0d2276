//! Prints floats as NumPy does, alone and in arrays.

use half::{bf16, f16};

use crate::semantics::element::{Element, ElementType};

/// The maximum number of digits after the point in an array.
const PRECISION: usize = 8;
/// Below this a float is printed with an exponent.
const SMALL: f64 = 1e-4;

/// The rules for printing the floats of a type, which are held exactly as f64.
#[derive(Debug, Clone, Copy)]
pub(super) struct Format {
    of: ElementType,
    /// The magnitude from which floats are printed with an exponent, because further digits would
    /// not be certain.
    large: f64,
    /// The same for a float that stands alone.
    large_alone: f64,
}

impl Format {
    /// Returns the format of a float type, or of C64's parts.
    pub(super) fn of(of: ElementType) -> Self {
        let (of, large, large_alone) = match of {
            ElementType::F16 | ElementType::Bf16 => (of, 1e3, 1e3),
            ElementType::F64 => (of, 1e8, 1e16),
            _ => (ElementType::F32, 1e6, 1e6),
        };
        Self { of, large, large_alone }
    }

    /// Writes the element of a rank-0 array, which NumPy prints as `str` of its scalar.
    pub(super) fn scalar(self, x: f64) -> String {
        let text = self.short(x);
        if text.contains(['.', 'e']) || !x.is_finite() { text } else { text + ".0" }
    }

    /// Writes a complex number of such parts in the same way.
    pub(super) fn complex_scalar(self, re: f64, im: f64) -> String {
        if re == 0.0 && re.is_sign_positive() {
            return format!("{}j", self.short(im));
        }
        let sign = if im.is_sign_positive() || im.is_nan() { "+" } else { "" };
        format!("({}{sign}{}j)", self.short(re), self.short(im))
    }

    /// Returns the shortest digits, with an exponent where it is large or small, and no `.0`.
    pub(super) fn short(self, x: f64) -> String {
        if !x.is_finite() {
            return not_finite(x).to_owned();
        }
        if x != 0.0 && !(SMALL..self.large_alone).contains(&x.abs()) {
            let (mantissa, exponent) = with_exponent(&self.shortest_with_exponent(x));
            return format!("{}e{exponent}", mantissa.trim_end_matches('.'));
        }
        self.shortest(x)
    }

    /// Returns the shortest digits that parse to this value, without an exponent.
    fn shortest(self, x: f64) -> String {
        let text = match self.of {
            ElementType::F32 => format!("{}", x as f32),
            ElementType::F64 => format!("{x}"),
            _ => return format!("{}", self.near(x)),
        };
        match text.split_once('.').map(|(_, fraction)| fraction.len()) {
            Some(digits) => self.even(x, text, |x| format!("{x:.digits$}")),
            None => text,
        }
    }

    /// Returns the same with an exponent, as Rust writes it.
    fn shortest_with_exponent(self, x: f64) -> String {
        let text = match self.of {
            ElementType::F32 => format!("{:e}", x as f32),
            ElementType::F64 => format!("{x:e}"),
            _ => return format!("{:e}", self.near(x)),
        };
        let mantissa = text.split_once('e').map_or("", |(mantissa, _)| mantissa);
        let digits = mantissa.split_once('.').map_or(0, |(_, fraction)| fraction.len());
        self.even(x, text, |x| format!("{x:.digits$e}"))
    }

    /// Returns the spelling with the even last digit if two shortest ones are equally near. NumPy
    /// takes that one, as correct rounding does, and Rust the larger one.
    fn even(self, x: f64, shortest: String, rounded: impl Fn(f64) -> String) -> String {
        let candidate = rounded(x);
        if self.reads_back(&candidate, x) { candidate } else { shortest }
    }

    /// Returns the number of the fewest digits that a 16-bit float is the nearest one to. Where it
    /// lies in the middle of two, the even one may be nearer to the float below, as 0.01562 is for
    /// 2^-6.
    fn near(self, x: f64) -> f64 {
        let up = f64::from_bits(x.to_bits() + u64::from(x != 0.0));
        let spellings = (0..PRECISION).flat_map(|digits| [x, up].map(|x| format!("{x:.digits$e}")));
        let found = spellings.into_iter().find(|text| self.reads_back(text, x));
        found.and_then(|text| text.parse().ok()).unwrap_or(x)
    }

    fn reads_back(self, text: &str, x: f64) -> bool {
        match self.of {
            ElementType::F32 => text.parse::<f32>().is_ok_and(|y| f64::from(y) == x),
            of => text.parse::<f64>().is_ok_and(|y| rounded(y, of) == x),
        }
    }

    /// Returns the shortest mantissa, with at most [`PRECISION`] digits after the point, and the
    /// exponent, as in `1.5` and `-07`.
    fn scientific(self, x: f64) -> (String, String) {
        let (mantissa, exponent) = with_exponent(&self.shortest_with_exponent(x));
        match mantissa.split_once('.') {
            Some((_, fraction)) if fraction.len() > PRECISION => {
                let (mantissa, exponent) = with_exponent(&format!("{x:.PRECISION$e}"));
                (mantissa.trim_end_matches('0').to_owned(), exponent)
            }
            _ => (mantissa, exponent),
        }
    }

    /// Returns the shortest digits without an exponent, with at most [`PRECISION`] of them after
    /// the point.
    fn positional(self, x: f64) -> String {
        let text = self.shortest(x);
        match text.split_once('.') {
            None => text + ".",
            Some((_, fraction)) if fraction.len() <= PRECISION => text,
            Some(_) => format!("{x:.PRECISION$}").trim_end_matches('0').to_owned(),
        }
    }
}

/// Returns the nearest value of a float type.
fn rounded(value: f64, to: ElementType) -> f64 {
    match to {
        ElementType::F16 => f16::of(value).into(),
        ElementType::Bf16 => bf16::of(value).into(),
        ElementType::F64 => value,
        _ => f32::of(value).into(),
    }
}

fn not_finite(x: f64) -> &'static str {
    match (x.is_nan(), x > 0.0) {
        (true, _) => "nan",
        (false, true) => "inf",
        (false, false) => "-inf",
    }
}

/// Splits a number that Rust writes as `1e5` into the mantissa, with its point, and the exponent in
/// C's spelling.
fn with_exponent(text: &str) -> (String, String) {
    let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let point = if mantissa.contains('.') { "" } else { "." };
    let sign = if exponent < 0 { '-' } else { '+' };
    (format!("{mantissa}{point}"), format!("{sign}{:02}", exponent.abs()))
}

/// The columns in which an array's elements are printed, so that their points are aligned.
#[derive(Debug)]
pub(super) struct Floats {
    format: Format,
    /// True if positive numbers get a sign, too.
    signed: bool,
    /// The number of characters after the `e`; `None` without an exponent.
    exponent: Option<usize>,
    /// Characters before the point, and after it, including an exponent.
    left: usize,
    right: usize,
    /// Digits after the point, if there is an exponent.
    digits: usize,
}

impl Floats {
    pub(super) fn new(
        format: Format,
        values: impl Iterator<Item = f64> + Clone,
        signed: bool,
    ) -> Self {
        let finite = || values.clone().filter(|x| x.is_finite());
        let nonzero = || finite().map(f64::abs).filter(|&x| x != 0.0);
        let (largest, smallest) =
            (nonzero().fold(0.0, f64::max), nonzero().fold(f64::INFINITY, f64::min));
        // The comparison is in the type itself, as in NumPy.
        let exponent = largest >= format.large
            || smallest < rounded(SMALL, format.of)
            || rounded(largest / smallest, format.of) > 1000.0;

        let (mut left, mut digits, mut power) = (0, 0, 0);
        for x in finite() {
            let (number, tail) =
                if exponent { format.scientific(x) } else { (format.positional(x), String::new()) };
            let (whole, fraction) = number.split_once('.').unwrap_or((&number, ""));
            let sign = usize::from(signed && x.is_sign_positive());
            left = left.max(whole.len() + sign);
            (digits, power) = (digits.max(fraction.len()), power.max(tail.len()));
        }
        let right = digits + if exponent { power + 1 } else { 0 };
        for x in values.clone().filter(|x| !x.is_finite()) {
            let width = if signed { 4 } else { not_finite(x).len() };
            left = left.max(width.saturating_sub(right + 1));
        }
        let exponent = exponent.then_some(power);
        Self { format, signed, exponent, left, right, digits }
    }

    pub(super) fn word(&self, x: f64) -> String {
        let Self { left, right, digits, .. } = *self;
        let sign = if self.signed && (x.is_nan() || x.is_sign_positive()) { "+" } else { "" };
        if !x.is_finite() {
            let text = format!("{sign}{}", not_finite(x));
            return format!("{text:>width$}", width = left + right + 1);
        }
        let text = match self.exponent {
            Some(power) => {
                let mut number = self.format.scientific(x);
                let fraction = number.0.split_once('.').map_or("", |(_, fraction)| fraction);
                // Digits beyond the shortest mantissa are the value's own, not zeros.
                if fraction.len() < digits {
                    number = with_exponent(&format!("{x:.digits$e}"));
                }
                let (mantissa, exponent) = number;
                let (below, places) = exponent.split_at(1);
                format!(
                    "{sign}{mantissa}e{below}{places:0>width$}",
                    width = power.saturating_sub(1)
                )
            }
            None => format!("{sign}{}", self.format.positional(x)),
        };
        let before = text.find('.').unwrap_or(text.len());
        let after = (text.len() - before).saturating_sub(1);
        format!(
            "{}{text}{}",
            " ".repeat(left.saturating_sub(before)),
            " ".repeat(right.saturating_sub(after))
        )
    }
}

/// Returns a complex number whose parts are aligned separately.
pub(super) fn complex_word(re: &str, im: &str) -> String {
    let digits = im.trim_end().len();
    format!("{re}{}j{}", &im[..digits], &im[digits..])
}
