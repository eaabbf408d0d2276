//! What an element may be. Most are known bit for bit; an approximate function or a flushed
//! subnormal leaves a span of floats; where a decision hangs on such a span, nothing is known.

use indim::ElementType;

use crate::program::show;

/// All the values that a right implementation may give for one element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Value {
    /// These bits. A NaN here came unchanged from a parameter, a constant or a bitcast, so that
    /// even its sign and payload are known.
    Bits(u32),
    /// Some float of this span.
    Span(Span),
    /// Any value of its type.
    Unknown,
}

/// Floats from one to another in total order (-0 before +0), or a NaN, or either.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Span {
    /// Lowest and highest, neither a NaN; none if the value can only be a NaN.
    pub(crate) ends: Option<(f32, f32)>,
    /// Whether a NaN of whatever sign and payload is possible.
    pub(crate) nan: bool,
}

impl PartialEq for Span {
    fn eq(&self, other: &Self) -> bool {
        let bits = |s: &Span| s.ends.map(|(lo, hi)| (lo.to_bits(), hi.to_bits()));
        bits(self) == bits(other) && self.nan == other.nan
    }
}

pub(crate) const FALSE: Value = Value::Bits(0);
pub(crate) const TRUE: Value = Value::Bits(1);

/// The position of a float that is no NaN among all floats: neighbours differ by 1, -0 is -1 and
/// +0 is 0.
pub(crate) fn rank_of(x: f32) -> i32 {
    let bits = x.to_bits().cast_signed();
    if bits < 0 { bits ^ i32::MAX } else { bits }
}

/// The float `steps` places above `x`, at most an infinity.
pub(crate) fn step(x: f32, steps: i32) -> f32 {
    let limit = rank_of(f32::INFINITY);
    // The limits are those of the two infinities: no NaN is reached.
    let rank = rank_of(x).saturating_add(steps).clamp(-limit - 1, limit);
    f32::from_bits(if rank < 0 { rank ^ i32::MAX } else { rank }.cast_unsigned())
}

pub(crate) fn min(a: f32, b: f32) -> f32 {
    if a.total_cmp(&b).is_le() { a } else { b }
}

pub(crate) fn max(a: f32, b: f32) -> f32 {
    if a.total_cmp(&b).is_ge() { a } else { b }
}

/// Rank without the subnormals: how far apart two floats are for an implementation that has none.
fn coarse_rank(x: f32) -> i64 {
    let smallest = i64::from(f32::MIN_POSITIVE.to_bits());
    let magnitude = (i64::from(x.abs().to_bits()) - smallest + 1).max(0);
    if x < 0.0 { -magnitude } else { magnitude }
}

impl Span {
    pub(crate) const NAN: Span = Span { ends: None, nan: true };
    pub(crate) const ANY: Span = Span { ends: Some((f32::NEG_INFINITY, f32::INFINITY)), nan: true };

    pub(crate) fn new(lo: f32, hi: f32) -> Self {
        debug_assert!(lo.total_cmp(&hi).is_le() && !lo.is_nan() && !hi.is_nan(), "{lo}..{hi}");
        Self { ends: Some((lo, hi)), nan: false }
    }

    /// One float, or the NaN.
    pub(crate) fn of(x: f32) -> Self {
        if x.is_nan() { Self::NAN } else { Self::new(x, x) }
    }

    /// The floats that `value` may be, for operations that only move or test them.
    pub(crate) fn from_value(value: Value) -> Self {
        match value {
            Value::Bits(bits) => Self::of(f32::from_bits(bits)),
            Value::Span(span) => span,
            Value::Unknown => Self::ANY,
        }
    }

    /// The floats that `value` may be as an operand of arithmetic: a subnormal may count as a zero.
    pub(crate) fn operand(value: Value) -> Self {
        Self::from_value(value).flushed()
    }

    /// The span, with both zeros if it has a subnormal: XLA flushes them on a CPU and keeps them
    /// when it folds constants, a GPU may do either, with or without the sign.
    pub(crate) fn flushed(self) -> Self {
        let Some((lo, hi)) = self.ends else {
            return self;
        };
        let smallest = f32::from_bits(1);
        let largest = f32::from_bits(f32::MIN_POSITIVE.to_bits() - 1);
        let touches = |from: f32, to: f32| lo <= to && hi >= from;
        if touches(smallest, largest) || touches(-largest, -smallest) {
            Self { ends: Some((min(lo, -0.0), max(hi, 0.0))), nan: self.nan }
        } else {
            self
        }
    }

    /// The one float that this is, if there is only one.
    pub(crate) fn single(self) -> Option<f32> {
        match self.ends {
            Some((lo, hi)) if lo.to_bits() == hi.to_bits() && !self.nan => Some(lo),
            _ => None,
        }
    }

    /// Like `single`, and a sure NaN counts, too.
    pub(crate) fn single_or_nan(self) -> Option<f32> {
        if self.ends.is_none() { Some(f32::NAN) } else { self.single() }
    }

    pub(crate) fn has_zero(self) -> bool {
        self.ends.is_some_and(|(lo, hi)| lo <= 0.0 && hi >= 0.0)
    }

    pub(crate) fn has_infinity(self) -> bool {
        self.ends.is_some_and(|(lo, hi)| lo.is_infinite() || hi.is_infinite())
    }

    /// Everything that is in either.
    pub(crate) fn or(self, other: Span) -> Self {
        let ends = match (self.ends, other.ends) {
            (Some((a, b)), Some((c, d))) => Some((min(a, c), max(b, d))),
            (ends, None) | (None, ends) => ends,
        };
        Self { ends, nan: self.nan || other.nan }
    }

    pub(crate) fn or_nan(self, nan: bool) -> Self {
        Self { nan: self.nan || nan, ..self }
    }

    /// The same as a value: bits where they are certain.
    pub(crate) fn value(self) -> Value {
        match self.single() {
            Some(x) => Value::Bits(x.to_bits()),
            None if self == Self::ANY => Value::Unknown,
            None => Value::Span(self),
        }
    }
}

impl Value {
    pub(crate) fn of(x: f32) -> Self {
        Self::Bits(x.to_bits())
    }

    pub(crate) fn truth(x: bool) -> Self {
        Self::Bits(u32::from(x))
    }

    /// The bits, if they are certain.
    pub(crate) fn bits(self) -> Option<u32> {
        match self {
            Self::Bits(bits) => Some(bits),
            _ => None,
        }
    }

    /// Either of two values of one type.
    pub(crate) fn or(self, other: Value, element: ElementType) -> Self {
        if self == other {
            self
        } else if element == ElementType::F32 {
            Span::from_value(self).or(Span::from_value(other)).value()
        } else {
            Self::Unknown
        }
    }

    /// Whether an implementation may give `got`. Any NaN stands for any other.
    pub(crate) fn admits(self, got: u32, element: ElementType) -> bool {
        if element != ElementType::F32 {
            return self.bits().is_none_or(|bits| bits == got);
        }
        if let Self::Bits(bits) = self {
            let nans = f32::from_bits(bits).is_nan() && f32::from_bits(got).is_nan();
            return bits == got || nans;
        }
        let (span, got) = (Span::from_value(self), f32::from_bits(got));
        if got.is_nan() {
            return span.nan;
        }
        span.ends.is_some_and(|(lo, hi)| lo.total_cmp(&got).is_le() && got.total_cmp(&hi).is_le())
    }

    /// Whether so many values are admitted that a comparison says next to nothing.
    pub(crate) fn is_vague(self) -> bool {
        const WIDEST: i64 = 1 << 12;
        match self {
            Self::Bits(_) => false,
            Self::Unknown => true,
            Self::Span(Span { ends: None, .. }) => false,
            Self::Span(Span { nan: true, .. }) => true,
            Self::Span(Span { ends: Some((lo, hi)), .. }) => {
                coarse_rank(hi) - coarse_rank(lo) > WIDEST
            }
        }
    }

    /// Whether the element tells little about a kernel: vague, or nothing but a NaN.
    pub(crate) fn is_dull(self, element: ElementType) -> bool {
        let nan = element == ElementType::F32
            && self.bits().is_some_and(|bits| f32::from_bits(bits).is_nan());
        nan || self.is_vague() || self == Self::Span(Span::NAN)
    }

    /// Some admitted value as bits, to stand for this element in a parameter.
    pub(crate) fn example(self) -> u32 {
        match self {
            Self::Bits(bits) => bits,
            Self::Span(Span { ends: Some((lo, _)), .. }) => lo.to_bits(),
            Self::Span(_) => f32::NAN.to_bits(),
            Self::Unknown => 0,
        }
    }

    pub(crate) fn show(self, element: ElementType) -> String {
        match self {
            Self::Bits(bits) => show(element, bits),
            Self::Unknown => "anything".to_owned(),
            Self::Span(Span { ends: None, .. }) => "a NaN".to_owned(),
            Self::Span(Span { ends: Some((lo, hi)), nan }) => {
                let nan = if nan { " or a NaN" } else { "" };
                format!("{} .. {}{nan}", show(element, lo.to_bits()), show(element, hi.to_bits()))
            }
        }
    }
}

#[test]
fn ranks_follow_total_order() {
    assert_eq!((rank_of(-0.0), rank_of(0.0)), (-1, 0));
    assert_eq!(step(-0.0, 1).to_bits(), 0);
    assert_eq!(step(0.0, -1).to_bits(), (-0.0f32).to_bits());
    assert_eq!(step(f32::MAX, 5), f32::INFINITY);
    assert_eq!(step(f32::MIN, -5), f32::NEG_INFINITY);
    assert_eq!(step(1.0, 1).to_bits(), 1.0f32.to_bits() + 1);
    assert_eq!(step(-1.0, 1).to_bits(), (-1.0f32).to_bits() - 1);
}

#[test]
fn a_subnormal_may_be_flushed() {
    let sub = f32::from_bits(77);
    assert_eq!(Span::of(sub).flushed(), Span::new(-0.0, sub));
    assert_eq!(Span::of(-sub).flushed(), Span::new(-sub, 0.0));
    assert_eq!(Span::of(f32::MIN_POSITIVE).flushed(), Span::of(f32::MIN_POSITIVE));
    assert_eq!(Span::new(sub, 1.0).flushed(), Span::new(-0.0, 1.0));
    assert!(!Span::of(sub).flushed().value().is_vague());
    assert!(Value::of(sub).admits(77, ElementType::F32));
    assert!(!Value::of(sub).admits(0, ElementType::F32));
}

#[test]
fn any_nan_stands_for_any_other() {
    let f32 = ElementType::F32;
    assert!(Value::Bits(0x7fc0_0001).admits(0xffc0_0000, f32));
    assert!(!Value::of(1.0).admits(0x7fc0_0000, f32));
    assert!(!Value::Span(Span::NAN).admits(0, f32));
    assert!(!Value::Bits(0x7fc0_0001).admits(0xffc0_0000, ElementType::U32));
}
