//! The values that an element may have. Most are known bit for bit; an approximate function or a
//! flushed subnormal leaves a span of floats; where a decision hangs on such a span, nothing is
//! known.

use indim::ElementType;
use indim_reference::may_be_flushed;

use super::format::{self, F32, Format};
use ElementType::{C64, S4, S8, S16, S32, S64};

/// All the values that a right implementation may give for one element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// These bits, as many as the type has. A NaN here came unchanged from a parameter, a constant
    /// or a bitcast, so that even its sign and payload are known.
    Bits(u64),
    /// Any float of this span is right.
    Span(Span),
    /// A complex number with its parts in these spans.
    Complex(Span, Span),
    /// Any value of its type.
    Unknown,
}

/// Floats from one to another in total order (-0 before +0), or a NaN, or either. Both are numbers
/// of the value's type, which f64 holds all.
#[derive(Clone, Copy, Debug)]
pub struct Span {
    /// The lowest and the highest float, neither a NaN; `None` if the value can only be a NaN.
    pub ends: Option<(f64, f64)>,
    /// True where a NaN of whatever sign and payload is possible.
    pub nan: bool,
}

impl PartialEq for Span {
    fn eq(&self, other: &Self) -> bool {
        let bits = |s: &Span| s.ends.map(|(lo, hi)| (lo.to_bits(), hi.to_bits()));
        bits(self) == bits(other) && self.nan == other.nan
    }
}

pub const FALSE: Value = Value::Bits(0);
pub const TRUE: Value = Value::Bits(1);

pub fn min(a: f64, b: f64) -> f64 {
    if a.total_cmp(&b).is_le() { a } else { b }
}

pub fn max(a: f64, b: f64) -> f64 {
    if a.total_cmp(&b).is_ge() { a } else { b }
}

/// Returns whether the bits are the same, or both are NaN.
pub fn is_same(element: ElementType, a: u64, b: u64) -> bool {
    match format::of(element) {
        _ if element == C64 => {
            let part = |z: u64| (z & 0xffff_ffff, z >> 32);
            let ((a_re, a_im), (b_re, b_im)) = (part(a), part(b));
            is_same(ElementType::F32, a_re, b_re) && is_same(ElementType::F32, a_im, b_im)
        }
        Some(format) => a == b || format.decode(a).is_nan() && format.decode(b).is_nan(),
        None => a == b,
    }
}

/// Bits of one element.
pub fn width(element: ElementType) -> u32 {
    match element {
        ElementType::Pred => 1,
        S4 | ElementType::U4 => 4,
        S8 | ElementType::U8 => 8,
        S16 | ElementType::U16 | ElementType::F16 | ElementType::Bf16 => 16,
        S32 | ElementType::U32 | ElementType::F32 => 32,
        _ => 64,
    }
}

/// The bits that an element can have.
pub fn mask(element: ElementType) -> u64 {
    u64::MAX >> (64 - width(element))
}

pub fn is_signed_integer(element: ElementType) -> bool {
    matches!(element, S4 | S8 | S16 | S32 | S64)
}

/// The real and the imaginary part's bits.
pub fn parts(bits: u64) -> (u64, u64) {
    (bits & 0xffff_ffff, bits >> 32)
}

impl Span {
    pub const NAN: Span = Span { ends: None, nan: true };
    pub const ANY: Span = Span { ends: Some((f64::NEG_INFINITY, f64::INFINITY)), nan: true };

    pub fn new(lo: f64, hi: f64) -> Self {
        debug_assert!(lo.total_cmp(&hi).is_le() && !lo.is_nan() && !hi.is_nan(), "{lo}..{hi}");
        Self { ends: Some((lo, hi)), nan: false }
    }

    /// Returns the span of one float, or of a NaN.
    pub fn of(x: f64) -> Self {
        if x.is_nan() { Self::NAN } else { Self::new(x, x) }
    }

    /// The floats that `value` may be, for operations that only move or test them.
    pub fn from_value(value: Value, format: Format) -> Self {
        match value {
            Value::Bits(bits) => Self::of(format.decode(bits)),
            Value::Span(span) => span,
            Value::Complex(..) | Value::Unknown => Self::ANY,
        }
    }

    /// The floats that `value` may be as an operand of arithmetic: a subnormal may count as a zero.
    pub fn operand(value: Value, format: Format) -> Self {
        Self::from_value(value, format).flushed(format)
    }

    /// The span, with both zeros if it has a subnormal: XLA flushes them on a CPU and keeps them
    /// when it folds constants, a GPU may do either, with or without the sign.
    pub fn flushed(self, format: Format) -> Self {
        let (Some((lo, hi)), Some((smallest, largest))) = (self.ends, format.flushed()) else {
            return self;
        };
        let touches = |from: f64, to: f64| lo <= to && hi >= from;
        if touches(smallest, largest) || touches(-largest, -smallest) {
            Self { ends: Some((min(lo, -0.0), max(hi, 0.0))), nan: self.nan }
        } else {
            self
        }
    }

    /// The span of a result that was computed in f64, rounded; with both zeros if an adapter may
    /// flush it, before or after that: a type of fewer digits than F32 is rounded to once more.
    pub fn result(self, format: Format) -> Self {
        let rounded = self.rounded(format).flushed(format);
        let tiny = |x: f64| x != 0.0 && may_be_flushed(x);
        let flushes = format.flushed().is_some() && format.mantissa_bits <= 23;
        match (self.ends, rounded.ends) {
            (Some((lo, hi)), Some((low, high))) if flushes && (tiny(lo) || tiny(hi)) => {
                Self { ends: Some((min(low, -0.0), max(high, 0.0))), ..rounded }
            }
            _ => rounded,
        }
    }

    /// The one float that this is, if there is only one.
    pub fn single(self) -> Option<f64> {
        match self.ends {
            Some((lo, hi)) if lo.to_bits() == hi.to_bits() && !self.nan => Some(lo),
            _ => None,
        }
    }

    /// Like `single`, and a certain NaN also counts.
    pub fn single_or_nan(self) -> Option<f64> {
        if self.ends.is_none() { Some(f64::NAN) } else { self.single() }
    }

    pub fn has_zero(self) -> bool {
        self.ends.is_some_and(|(lo, hi)| lo <= 0.0 && hi >= 0.0)
    }

    pub fn has_infinity(self) -> bool {
        self.ends.is_some_and(|(lo, hi)| lo.is_infinite() || hi.is_infinite())
    }

    /// Everything that is in either.
    pub fn or(self, other: Span) -> Self {
        let ends = match (self.ends, other.ends) {
            (Some((a, b)), Some((c, d))) => Some((min(a, c), max(b, d))),
            (ends, None) | (None, ends) => ends,
        };
        Self { ends, nan: self.nan || other.nan }
    }

    pub fn or_nan(self, nan: bool) -> Self {
        Self { nan: self.nan || nan, ..self }
    }

    /// The ends rounded, for the result of an operation that was computed in f64.
    pub fn rounded(self, format: Format) -> Self {
        Self { ends: self.ends.map(|(lo, hi)| (format.round(lo), format.round(hi))), ..self }
    }

    /// The same as a value: bits where they are certain.
    pub fn value(self, format: Format) -> Value {
        match self.single() {
            Some(x) => Value::Bits(format.encode(x)),
            None if self == Self::ANY => Value::Unknown,
            None => Value::Span(self),
        }
    }

    fn admits(self, got: f64) -> bool {
        if got.is_nan() {
            return self.nan;
        }
        self.ends.is_some_and(|(lo, hi)| lo.total_cmp(&got).is_le() && got.total_cmp(&hi).is_le())
    }

    fn is_vague(self, format: Format) -> bool {
        // Half the digits.
        let widest = 1i64 << (format.mantissa_bits / 2 + 1);
        let coarse = |x: f64| {
            // Without the subnormals: how far apart two floats are where there are none.
            let normal = format.rank(format.smallest_normal());
            let magnitude = (format.rank(x.abs()) - normal + 1).max(0);
            if x < 0.0 { -magnitude } else { magnitude }
        };
        match self.ends {
            None => false,
            Some(_) if self.nan => true,
            Some((lo, hi)) => coarse(hi).saturating_sub(coarse(lo)) > widest,
        }
    }
}

impl Value {
    pub fn truth(x: bool) -> Self {
        Self::Bits(u64::from(x))
    }

    /// A number of a real type.
    pub fn of(x: f64, format: Format) -> Self {
        Self::Bits(format.encode(x))
    }

    /// A complex number; known where both parts are.
    pub fn complex(real: Span, imaginary: Span) -> Self {
        match (real.value(F32), imaginary.value(F32)) {
            (Self::Bits(real), Self::Bits(imaginary)) => Self::Bits(real | imaginary << 32),
            (Self::Unknown, Self::Unknown) => Self::Unknown,
            _ => Self::Complex(real, imaginary),
        }
    }

    /// The parts of a complex number.
    pub fn parts(self) -> (Value, Value) {
        match self {
            Self::Bits(bits) => {
                let (real, imaginary) = parts(bits);
                (Self::Bits(real), Self::Bits(imaginary))
            }
            Self::Complex(real, imaginary) => (real.value(F32), imaginary.value(F32)),
            _ => (Self::Unknown, Self::Unknown),
        }
    }

    /// The bits, if they are certain.
    pub fn bits(self) -> Option<u64> {
        match self {
            Self::Bits(bits) => Some(bits),
            _ => None,
        }
    }

    /// Either of two values of one type.
    pub fn or(self, other: Value, element: ElementType) -> Self {
        if self == other {
            return self;
        }
        if element == C64 {
            let ((a, b), (c, d)) = (self.parts(), other.parts());
            let either = |x, y| Span::from_value(x, F32).or(Span::from_value(y, F32));
            return Self::complex(either(a, c), either(b, d));
        }
        match format::of(element) {
            Some(f) => Span::from_value(self, f).or(Span::from_value(other, f)).value(f),
            None => Self::Unknown,
        }
    }

    /// Returns whether an implementation may give `got`. All NaNs count as one.
    pub fn admits(self, got: u64, element: ElementType) -> bool {
        if element == C64 {
            let ((real, imaginary), got) = (self.parts(), parts(got));
            let f32 = ElementType::F32;
            return real.admits(got.0, f32) && imaginary.admits(got.1, f32);
        }
        let Some(format) = format::of(element) else {
            return self.bits().is_none_or(|bits| bits == got);
        };
        if let Self::Bits(bits) = self {
            return bits == got || (format.is_nan(bits) && format.is_nan(got));
        }
        Span::from_value(self, format).admits(format.decode(got))
    }

    /// Returns whether too many values are admitted for a comparison to prove anything.
    pub fn is_vague(self, element: ElementType) -> bool {
        match self {
            Self::Bits(_) => false,
            Self::Unknown => true,
            Self::Span(span) => format::of(element).is_none_or(|format| span.is_vague(format)),
            // A part that is small beside the other has few digits.
            Self::Complex(real, imaginary) => real.is_vague(F32) && imaginary.is_vague(F32),
        }
    }

    /// Returns whether the element proves little about a kernel: it is vague, or always a NaN.
    pub fn is_dull(self, element: ElementType) -> bool {
        if element == C64 {
            let (real, imaginary) = self.parts();
            let f32 = ElementType::F32;
            return real.is_dull(f32) && imaginary.is_dull(f32);
        }
        let nan = |bits| format::of(element).is_some_and(|format| format.is_nan(bits));
        self.bits().is_some_and(nan) || self.is_vague(element) || self == Self::Span(Span::NAN)
    }

    /// Some admitted value as bits, to stand for this element in a parameter.
    pub fn example(self, element: ElementType) -> u64 {
        let format = format::of(element).unwrap_or(F32);
        match self {
            Self::Bits(bits) => bits,
            Self::Span(Span { ends: Some((lo, _)), .. }) => format.encode(lo),
            Self::Span(_) => format.encode(f64::NAN),
            Self::Complex(..) => {
                let (real, imaginary) = self.parts();
                let f32 = ElementType::F32;
                real.example(f32) | imaginary.example(f32) << 32
            }
            Self::Unknown => 0,
        }
    }

    pub fn show(self, element: ElementType) -> String {
        match self {
            Self::Bits(bits) => show(element, bits),
            Self::Unknown => "anything".to_owned(),
            Self::Span(span) => show_span(span, element),
            Self::Complex(real, imaginary) => {
                let f32 = ElementType::F32;
                format!("({}) + ({})i", show_span(real, f32), show_span(imaginary, f32))
            }
        }
    }
}

fn show_span(span: Span, element: ElementType) -> String {
    let format = format::of(element).unwrap_or(F32);
    match span.ends {
        None => "a NaN".to_owned(),
        Some((lo, hi)) => {
            let nan = if span.nan { " or a NaN" } else { "" };
            let [lo, hi] = [lo, hi].map(|x| show(element, format.encode(x)));
            format!("{lo} .. {hi}{nan}")
        }
    }
}

/// One bit pattern as its value, and as bits where the value does not determine them.
pub fn show(element: ElementType, bits: u64) -> String {
    if element == C64 {
        let (real, imaginary) = parts(bits);
        let f32 = ElementType::F32;
        return format!("{} + {}i", show(f32, real), show(f32, imaginary));
    }
    match format::of(element) {
        Some(format) => {
            let digits = width(element) as usize / 4;
            format!("{:?}={bits:0digits$x}", format.decode(bits))
        }
        None if is_signed_integer(element) => {
            let above = 64 - width(element);
            ((bits << above).cast_signed() >> above).to_string()
        }
        None => bits.to_string(),
    }
}

/// The hull of `f` over the four pairs of ends: right for an `f` that is monotone in each operand
/// while the other is held fixed.
pub fn corners(x: Span, y: Span, f: impl Fn(f64, f64) -> f64) -> Span {
    let (Some((a, b)), Some((c, d))) = (x.ends, y.ends) else {
        return Span::NAN;
    };
    [(a, c), (a, d), (b, c), (b, d)]
        .into_iter()
        .map(|(a, b)| Span::of(f(a, b)))
        .reduce(Span::or)
        .unwrap_or(Span::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SINGLE: ElementType = ElementType::F32;

    #[test]
    fn a_subnormal_may_be_flushed() {
        let sub = F32.decode(77);
        assert_eq!(Span::of(sub).flushed(F32), Span::new(-0.0, sub));
        assert_eq!(Span::of(-sub).flushed(F32), Span::new(-sub, 0.0));
        let normal = Span::of(F32.smallest_normal());
        assert_eq!(normal.flushed(F32), normal);
        assert_eq!(Span::new(sub, 1.0).flushed(F32), Span::new(-0.0, 1.0));
        assert!(!Span::of(sub).flushed(F32).value(F32).is_vague(SINGLE));
        assert!(Value::of(sub, F32).admits(77, SINGLE));
        assert!(!Value::of(sub, F32).admits(0, SINGLE));
        // Not of F16, which is computed where it is normal.
        let half = format::of(ElementType::F16).unwrap();
        assert_eq!(Span::of(half.smallest()).flushed(half), Span::of(half.smallest()));
    }

    #[test]
    fn a_result_may_be_flushed_before_it_is_rounded() {
        for format in [F32, format::of(ElementType::Bf16).unwrap()] {
            let normal = format.smallest_normal();
            let below = Span::of(normal - F32.smallest() / 2.0);
            assert_eq!(below.rounded(format), Span::of(normal));
            assert_eq!(below.result(format), Span::new(-0.0, normal));
            assert_eq!(Span::of(normal).result(format), Span::of(normal));
        }
    }

    #[test]
    fn any_nan_stands_for_any_other() {
        assert!(Value::Bits(0x7fc0_0001).admits(0xffc0_0000, SINGLE));
        assert!(!Value::of(1.0, F32).admits(0x7fc0_0000, SINGLE));
        assert!(!Value::Span(Span::NAN).admits(0, SINGLE));
        assert!(!Value::Bits(0x7fc0_0001).admits(0xffc0_0000, ElementType::U32));
        let complex = Value::Bits(0x7fc0_0001_3f80_0000);
        assert!(complex.admits(0xffc0_0000_3f80_0000, C64));
        assert!(!complex.admits(0xffc0_0000_3f80_0001, C64));
    }

    #[test]
    fn a_complex_number_is_two_spans() {
        let value = Value::complex(Span::new(1.0, 2.0), Span::NAN);
        assert!(value.admits(0x7fc0_0000_3fc0_0000, C64));
        assert!(!value.admits(0x7fc0_0000_4040_0000, C64) && !value.admits(0x3fc0_0000, C64));
        let known = Value::complex(Span::of(1.0), Span::of(-0.0));
        assert_eq!(known, Value::Bits(0x8000_0000_3f80_0000));
    }

    #[test]
    fn a_value_is_shown_with_what_its_type_makes_of_it() {
        assert_eq!(show(S4, 0xf), "-1");
        assert_eq!(show(ElementType::U4, 0xf), "15");
        assert_eq!(show(ElementType::F16, 0x3c00), "1.0=3c00");
        assert_eq!(show(S64, u64::MAX), "-1");
    }
}
