//! XLA's exact operations on F32, over spans: each result is rounded once, so that ends map to
//! ends where an operation is monotone. Where it is not, the span grows, at worst to everything.

use indim::Opcode;

use crate::approximate;
use crate::value::{FALSE, Span, TRUE, Value, max, min, step};

/// A binary operation of two floats, compares included.
pub(crate) fn binary(opcode: Opcode, a: Value, b: Value) -> Value {
    let (x, y) = (Span::operand(a), Span::operand(b));
    match opcode {
        Opcode::Add => arithmetic(x, y, |a, b| a + b, add),
        Opcode::Sub => arithmetic(x, y, |a, b| a - b, |x, y| add(x, negated(y))),
        Opcode::Mul => arithmetic(x, y, |a, b| a * b, mul),
        Opcode::Div => arithmetic(x, y, |a, b| a / b, div),
        Opcode::Rem => arithmetic(x, y, |a, b| a % b, rem),
        Opcode::Max => arithmetic(x, y, max, |x, y| corners(x, y, max)),
        Opcode::Min => arithmetic(x, y, min, |x, y| corners(x, y, min)),
        Opcode::Pow | Opcode::Atan2 => approximate::binary(opcode, x, y).flushed().value(),
        Opcode::Eq => equal(x, y),
        Opcode::Ne => not(equal(x, y)),
        Opcode::Lt => less(x, y),
        Opcode::Gt => less(y, x),
        Opcode::Le => less_or_equal(x, y),
        Opcode::Ge => less_or_equal(y, x),
        total => total_order(total, a, b),
    }
}

/// `exact` on two known floats, `over` on spans that have ends; a sure NaN gives a NaN.
fn arithmetic(
    x: Span,
    y: Span,
    exact: impl Fn(f32, f32) -> f32,
    over: impl Fn(Span, Span) -> Span,
) -> Value {
    if x.ends.is_none() || y.ends.is_none() {
        return Value::Span(Span::NAN);
    }
    let span = match (x.single(), y.single()) {
        (Some(a), Some(b)) => Span::of(exact(a, b)),
        _ => over(x, y).or_nan(x.nan || y.nan),
    };
    span.flushed().value()
}

/// The hull of `f` over the four pairs of ends: right for an `f` that is monotone in each operand
/// while the other is held fixed.
pub(crate) fn corners(x: Span, y: Span, f: impl Fn(f32, f32) -> f32) -> Span {
    let (Some((a, b)), Some((c, d))) = (x.ends, y.ends) else {
        return Span::NAN;
    };
    [(a, c), (a, d), (b, c), (b, d)]
        .into_iter()
        .map(|(a, b)| Span::of(f(a, b)))
        .reduce(Span::or)
        .unwrap_or(Span::NAN)
}

fn add(x: Span, y: Span) -> Span {
    corners(x, y, |a, b| a + b)
}

fn mul(x: Span, y: Span) -> Span {
    let zero_by_infinity = |x: Span, y: Span| x.has_zero() && y.has_infinity();
    if zero_by_infinity(x, y) || zero_by_infinity(y, x) {
        return Span::ANY;
    }
    corners(x, y, |a, b| a * b)
}

fn div(x: Span, y: Span) -> Span {
    let Some((lo, hi)) = y.ends else {
        return Span::NAN;
    };
    let one_sign = lo.is_sign_negative() == hi.is_sign_negative();
    let undefined = (x.has_zero() && y.has_zero()) || (x.has_infinity() && y.has_infinity());
    if undefined || !one_sign {
        return Span::ANY;
    }
    corners(x, y, |a, b| a / b)
}

/// Between two multiples of a known divisor, `a % b` rises with `a`; across one it may be anything
/// up to the divisor.
fn rem(x: Span, y: Span) -> Span {
    let (Some((lo, hi)), Some(b)) = (x.ends, y.single()) else {
        return Span::ANY;
    };
    if !lo.is_finite() || !hi.is_finite() || b == 0.0 || b.is_infinite() {
        return Span::ANY;
    }
    let (from, to) = (lo % b, hi % b);
    // No multiple in between: as far apart as before, and of one sign.
    let same = f64::from(hi) - f64::from(lo) == f64::from(to) - f64::from(from);
    if same && lo.is_sign_negative() == hi.is_sign_negative() {
        Span::new(from, to)
    } else {
        Span::new(-b.abs(), b.abs())
    }
}

fn equal(x: Span, y: Span) -> Value {
    let (Some((a, b)), Some((c, d))) = (x.ends, y.ends) else {
        return FALSE;
    };
    if b < c || d < a {
        FALSE
    } else if a == d && b == c && !x.nan && !y.nan {
        TRUE
    } else {
        Value::Unknown
    }
}

fn not(value: Value) -> Value {
    value.bits().map_or(Value::Unknown, |bits| Value::truth(bits == 0))
}

fn less(x: Span, y: Span) -> Value {
    ordered(x, y, |a, b| a < b)
}

fn less_or_equal(x: Span, y: Span) -> Value {
    ordered(x, y, |a, b| a <= b)
}

fn ordered(x: Span, y: Span, holds: impl Fn(f32, f32) -> bool) -> Value {
    let (Some((a, b)), Some((c, d))) = (x.ends, y.ends) else {
        return FALSE;
    };
    if !holds(a, d) {
        // Not even for the pair that is most in favour; a NaN does not hold either.
        FALSE
    } else if holds(b, c) && !x.nan && !y.nan {
        TRUE
    } else {
        Value::Unknown
    }
}

/// Compares by bits, so that a NaN counts if its bits are known.
fn total_order(opcode: Opcode, a: Value, b: Value) -> Value {
    // A subnormal may be flushed here, too: XLA's data has both answers.
    let range = |value: Value| match value {
        Value::Bits(bits) if f32::from_bits(bits).is_nan() => {
            Some((f32::from_bits(bits), f32::from_bits(bits)))
        }
        other => Span::operand(other).ends.filter(|_| !Span::operand(other).nan),
    };
    let (Some((a, b)), Some((c, d))) = (range(a), range(b)) else {
        return Value::Unknown;
    };
    let decide = |sure: bool, impossible: bool| match (sure, impossible) {
        (true, _) => TRUE,
        (_, true) => FALSE,
        _ => Value::Unknown,
    };
    let below = |a: f32, b: f32| a.total_cmp(&b).is_lt();
    let same = decide(
        !below(a, d) && !below(d, a) && !below(b, c) && !below(c, b),
        below(b, c) || below(d, a),
    );
    let less = decide(below(b, c), !below(a, d));
    let greater = decide(below(d, a), !below(c, b));
    match opcode {
        Opcode::EqTotalOrder => same,
        Opcode::NeTotalOrder => not(same),
        Opcode::LtTotalOrder => less,
        Opcode::GeTotalOrder => not(less),
        Opcode::GtTotalOrder => greater,
        Opcode::LeTotalOrder => not(greater),
        other => unreachable!("{} is no operation of floats", other.name()),
    }
}

fn negated(x: Span) -> Span {
    Span { ends: x.ends.map(|(lo, hi)| (-hi, -lo)), nan: x.nan }
}

pub(crate) fn unary(opcode: Opcode, x: Value) -> Value {
    match opcode {
        Opcode::Real => return x,
        Opcode::Imag => return Value::of(0.0),
        // These two keep the bits of a subnormal.
        Opcode::Neg => return negated(Span::from_value(x)).value(),
        Opcode::Abs => return magnitude(Span::from_value(x)).value(),
        Opcode::IsFinite => return is_finite(Span::from_value(x)),
        _ => {}
    }
    let x = Span::operand(x);
    let span = match opcode {
        Opcode::Sign => rising(x, sign),
        Opcode::Ceil => rising(x, f32::ceil),
        Opcode::Floor => rising(x, f32::floor),
        Opcode::Round => rising(x, f32::round),
        Opcode::RoundNearestEven => rising(x, f32::round_ties_even),
        Opcode::Sqrt => sqrt(x),
        Opcode::Square => square(x),
        Opcode::Reciprocal => return binary(Opcode::Div, Value::of(1.0), x.value()),
        other => approximate::unary(other, x),
    };
    span.flushed().value()
}

/// The neighbour of one float on the side of the other. Bits are kept, those of subnormals, too.
pub(crate) fn next_after(from: Value, to: Value) -> Value {
    let (x, y) = (Span::from_value(from), Span::from_value(to));
    let (Some((lo, hi)), Some((c, d))) = (x.ends, y.ends) else {
        return Value::Span(Span::NAN);
    };
    if let (Some(from), Some(to)) = (x.single(), y.single()) {
        return Value::of(neighbour(from, to));
    }
    // Equal zeros of two signs give the other one.
    let zero = if x.has_zero() { Span::new(-0.0, 0.0) } else { Span::of(lo) };
    let reach = corners(Span::new(lo, hi), Span::new(c, d), neighbour).or(zero);
    let around = Span::new(step(lo, -1), step(hi, 1)).or(reach);
    around.or_nan(x.nan || y.nan).value()
}

fn neighbour(from: f32, to: f32) -> f32 {
    if from == to {
        to
    } else if from == 0.0 {
        f32::from_bits(1).copysign(to)
    } else {
        step(from, if to > from { 1 } else { -1 })
    }
}

/// A float in a format of so many bits; a NaN is an infinity where no mantissa could hold it.
pub(crate) fn reduce_precision(x: Value, exponent_bits: i64, mantissa_bits: i64) -> Value {
    let x = Span::from_value(x);
    let infinity = Span::of(f32::INFINITY);
    let Some((lo, hi)) = x.ends else {
        return if mantissa_bits == 0 { infinity.value() } else { Value::Span(Span::NAN) };
    };
    let reduced = |x| reduced(x, exponent_bits, mantissa_bits);
    let span = Span::new(reduced(lo), reduced(hi));
    let span = if x.nan && mantissa_bits == 0 { span.or(infinity) } else { span.or_nan(x.nan) };
    // Of a format with fewer exponents no subnormal is left.
    span.value()
}

/// By arithmetic on the value, which f64 holds exactly.
fn reduced(x: f32, exponent_bits: i64, mantissa_bits: i64) -> f32 {
    if x == 0.0 || x.is_infinite() {
        return x;
    }
    let value = f64::from(x);
    let exponent = ((value.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    let exponent = exponent.max(-126);
    let unit = 2f64.powi(exponent - mantissa_bits.min(23) as i32);
    let quotient = value.abs() / unit;
    // Without mantissa bits the last bit, which a tie makes even, is the exponent's.
    let rounded = match quotient {
        1.5 if mantissa_bits == 0 => f64::from(1 + (exponent + 127) % 2),
        other => other.round_ties_even(),
    };
    let rounded = rounded * unit;
    let bias = (1i64 << (exponent_bits.min(8) - 1)) - 1;
    let magnitude = if exponent_bits < 8 && rounded >= 2f64.powi(bias as i32 + 1) {
        f64::INFINITY
    } else if exponent_bits < 8 && rounded < 2f64.powi(1 - bias as i32) {
        0.0
    } else {
        rounded
    };
    (magnitude as f32).copysign(x)
}

/// A function that never falls, and whose result is exact.
fn rising(x: Span, f: impl Fn(f32) -> f32) -> Span {
    Span { ends: x.ends.map(|(lo, hi)| (f(lo), f(hi))), nan: x.nan }
}

fn sign(x: f32) -> f32 {
    if x == 0.0 { x } else { 1f32.copysign(x) }
}

fn magnitude(x: Span) -> Span {
    let Some((lo, hi)) = x.ends else { return x };
    let ends = if lo.is_sign_positive() {
        (lo, hi)
    } else if hi.is_sign_negative() {
        (-hi, -lo)
    } else {
        (0.0, max(-lo, hi))
    };
    Span { ends: Some(ends), nan: x.nan }
}

fn square(x: Span) -> Span {
    rising(magnitude(x), |x| x * x)
}

fn sqrt(x: Span) -> Span {
    match x.ends {
        // Below -0 there is only the NaN.
        Some((_, hi)) if hi < 0.0 => Span::NAN,
        Some((lo, hi)) if lo < 0.0 => rising(Span::new(-0.0, hi), f32::sqrt).or_nan(true),
        _ => rising(x, f32::sqrt),
    }
}

fn is_finite(x: Span) -> Value {
    match x.ends {
        None => FALSE,
        Some((lo, hi)) if lo == hi && lo.is_infinite() => FALSE,
        Some(_) if x.nan || x.has_infinity() => Value::Unknown,
        Some(_) => TRUE,
    }
}

/// min(max(lo, x), hi)
pub(crate) fn clamp(lo: Value, x: Value, hi: Value) -> Value {
    binary(Opcode::Min, binary(Opcode::Max, lo, x), hi)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(lo: f32, hi: f32) -> Value {
        Span::new(lo, hi).value()
    }

    #[test]
    fn known_operands_give_known_results() {
        let op = |opcode, a: f32, b: f32| binary(opcode, Value::of(a), Value::of(b));
        assert_eq!(op(Opcode::Add, 0.1, 0.2), Value::of(0.1f32 + 0.2));
        assert_eq!(op(Opcode::Rem, -5.5, 2.0), Value::of(-1.5));
        assert_eq!(op(Opcode::Rem, 5.0, 0.0), Value::Span(Span::NAN));
        assert_eq!(op(Opcode::Max, -0.0, 0.0), Value::of(0.0));
        assert_eq!(op(Opcode::Min, 0.0, -0.0), Value::of(-0.0));
        assert_eq!(op(Opcode::Max, f32::NAN, 1.0), Value::Span(Span::NAN));
        assert_eq!(op(Opcode::Ne, f32::NAN, f32::NAN), TRUE);
        assert_eq!(op(Opcode::Le, f32::NAN, 1.0), FALSE);
        assert_eq!(op(Opcode::Eq, -0.0, 0.0), TRUE);
        assert_eq!(op(Opcode::LtTotalOrder, -0.0, 0.0), TRUE);
        assert_eq!(op(Opcode::GtTotalOrder, f32::NAN, f32::INFINITY), TRUE);
        assert_eq!(unary(Opcode::Round, Value::of(-0.3)), Value::of(-0.0));
        assert_eq!(unary(Opcode::Sqrt, Value::of(-1.0)), Value::Span(Span::NAN));
        assert_eq!(unary(Opcode::Sign, Value::of(-0.0)), Value::of(-0.0));
    }

    #[test]
    fn spans_hold_every_result() {
        let two = Value::of(2.0);
        assert_eq!(binary(Opcode::Mul, span(-1.0, 3.0), span(-2.0, 1.0)), span(-6.0, 3.0));
        assert_eq!(binary(Opcode::Sub, span(1.0, 2.0), span(0.5, 0.9)), span(1.0 - 0.9, 1.5));
        assert_eq!(binary(Opcode::Div, two, span(-1.0, 1.0)), Value::Unknown);
        assert_eq!(binary(Opcode::Div, two, span(1.0, 4.0)), span(0.5, 2.0));
        assert_eq!(binary(Opcode::Rem, span(4.5, 5.5), two), span(0.5, 1.5));
        assert_eq!(binary(Opcode::Rem, span(3.5, 4.5), two), span(-2.0, 2.0));
        assert_eq!(binary(Opcode::Lt, span(1.0, 2.0), span(2.0, 3.0)), Value::Unknown);
        assert_eq!(binary(Opcode::Le, span(1.0, 2.0), span(2.0, 3.0)), TRUE);
        assert_eq!(binary(Opcode::Lt, span(2.0, 3.0), span(1.0, 2.0)), FALSE);
        assert_eq!(unary(Opcode::Abs, span(-3.0, 2.0)), span(0.0, 3.0));
        assert_eq!(unary(Opcode::Floor, span(1.2, 1.8)), Value::of(1.0));
    }
}
