//! Computes XLA's exact operations on floats, over spans: each result is rounded once, so that ends
//! map to ends where an operation is monotone. Where it is not, the span grows, at worst to
//! everything.
//!
//! Everything is computed in f64 and then rounded. Of F32 and shorter types that is as good as
//! rounding once: f64 has more than twice their digits and two (Figueroa, "When is double rounding
//! innocuous?", 1995).

use indim::Opcode;

use super::approximate;
use super::format::{Format, power_of_two};
use super::value::{FALSE, Span, TRUE, Value, corners, max, min};

/// A binary operation of two floats, compares included.
pub fn binary(opcode: Opcode, format: Format, a: Value, b: Value) -> Value {
    let (x, y) = (Span::operand(a, format), Span::operand(b, format));
    let arithmetic = |exact: fn(f64, f64) -> f64, over: &dyn Fn(Span, Span) -> Span| {
        arithmetic(format, x, y, exact, over)
    };
    match opcode {
        Opcode::Add => arithmetic(|a, b| a + b, &add),
        Opcode::Sub => arithmetic(|a, b| a - b, &|x, y| add(x, negated(y))),
        Opcode::Mul => arithmetic(|a, b| a * b, &mul),
        Opcode::Div => arithmetic(|a, b| a / b, &div),
        Opcode::Rem => arithmetic(|a, b| a % b, &rem),
        Opcode::Remainder => arithmetic(remainder, &remainder_over),
        // Its steps are rounded, those of half precision to F32.
        Opcode::FloorDivide if format.mantissa_bits == 52 => {
            arithmetic(floor_divide, &|_, _| Span::ANY)
        }
        Opcode::FloorDivide => arithmetic(floor_divide_f32, &|_, _| Span::ANY),
        Opcode::Copysign => copysign(format, a, b),
        Opcode::Max => arithmetic(max, &|x, y| corners(x, y, max)),
        Opcode::Min => arithmetic(min, &|x, y| corners(x, y, min)),
        Opcode::Pow | Opcode::Atan2 | Opcode::Hypot | Opcode::Logaddexp => {
            approximate::binary(opcode, format, x, y).flushed(format).value(format)
        }
        Opcode::Eq => equal(x, y),
        Opcode::Ne => not(equal(x, y)),
        Opcode::Lt => less(x, y),
        Opcode::Gt => less(y, x),
        Opcode::Le => less_or_equal(x, y),
        Opcode::Ge => less_or_equal(y, x),
        total => total_order(total, format, a, b),
    }
}

/// `exact` on two known floats, `over` on spans that have ends; a sure NaN gives a NaN.
fn arithmetic(
    format: Format,
    x: Span,
    y: Span,
    exact: impl Fn(f64, f64) -> f64,
    over: impl Fn(Span, Span) -> Span,
) -> Value {
    if x.ends.is_none() || y.ends.is_none() {
        return Value::Span(Span::NAN);
    }
    let span = match (x.single(), y.single()) {
        (Some(a), Some(b)) => Span::of(exact(a, b)),
        _ => over(x, y).or_nan(x.nan || y.nan),
    };
    span.result(format).value(format)
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
    // There is no multiple in between if the ends are as far apart as before, and of one sign.
    let same = hi - lo == to - from;
    if same && lo.is_sign_negative() == hi.is_sign_negative() {
        Span::new(from, to)
    } else {
        Span::new(-b.abs(), b.abs())
    }
}

/// Python's `%`.
fn remainder(a: f64, b: f64) -> f64 {
    let rest = a % b;
    if rest == 0.0 {
        rest.copysign(b)
    } else if (rest < 0.0) == (b < 0.0) {
        rest
    } else {
        rest + b
    }
}

/// By a known divisor it lies between a zero of its sign and the divisor.
fn remainder_over(x: Span, y: Span) -> Span {
    let (Some((lo, hi)), Some(b)) = (x.ends, y.single()) else {
        return Span::ANY;
    };
    if !lo.is_finite() || !hi.is_finite() || b == 0.0 || b.is_infinite() {
        return Span::ANY;
    }
    let zero = 0f64.copysign(b);
    Span::new(min(zero, b), max(zero, b))
}

/// NumPy's `npy_floor_divide`, in steps of F64 and of F32.
macro_rules! floor_divide {
    ($name:ident, $float:ty) => {
        fn $name(a: f64, b: f64) -> f64 {
            let (a, b) = (a as $float, b as $float);
            if b == 0.0 {
                return (a / b).into();
            }
            let rest = a % b;
            let mut quotient = (a - rest) / b;
            if rest != 0.0 && (b < 0.0) != (rest < 0.0) {
                quotient -= 1.0;
            }
            if quotient == 0.0 {
                return <$float>::copysign(0.0, a / b).into();
            }
            let whole = quotient.floor();
            (if quotient - whole > 0.5 { whole + 1.0 } else { whole }).into()
        }
    };
}

floor_divide!(floor_divide, f64);
floor_divide!(floor_divide_f32, f32);

/// Bits are kept, also those of subnormals.
fn copysign(format: Format, a: Value, b: Value) -> Value {
    let x = magnitude(Span::from_value(a, format));
    match signbit(format, b).bits() {
        Some(0) => x.value(format),
        Some(_) => negated(x).value(format),
        None => x.or(negated(x)).value(format),
    }
}

/// Returns whether the sign is negative. The sign of a NaN is known only if all its bits are.
fn signbit(format: Format, x: Value) -> Value {
    if let Value::Bits(bits) = x {
        return Value::truth(bits & format.sign_bit() != 0);
    }
    match Span::from_value(x, format) {
        Span { ends: Some((lo, hi)), nan: false }
            if lo.is_sign_negative() == hi.is_sign_negative() =>
        {
            Value::truth(lo.is_sign_negative())
        }
        _ => Value::Unknown,
    }
}

fn is_nan(x: Span) -> Value {
    match x.ends {
        None => TRUE,
        Some(_) if x.nan => Value::Unknown,
        Some(_) => FALSE,
    }
}

fn is_inf(x: Span) -> Value {
    match x.ends {
        Some((lo, hi)) if lo == hi && lo.is_infinite() && !x.nan => TRUE,
        Some(_) if x.has_infinity() => Value::Unknown,
        _ => FALSE,
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

fn ordered(x: Span, y: Span, holds: impl Fn(f64, f64) -> bool) -> Value {
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

/// Returns where a value may be in the total order: its bits with those of negative numbers turned
/// around.
fn places(value: Value, format: Format) -> Option<(i64, i64)> {
    // If the value is a NaN whose bits are known, those bits are compared.
    if let Value::Bits(bits) = value
        && format.is_nan(bits)
    {
        let place = format.place(bits);
        return Some((place, place));
    }
    // A subnormal may also be flushed here: XLA's data has both answers.
    let span = Span::operand(value, format);
    let (lo, hi) = span.ends.filter(|_| !span.nan)?;
    Some((format.rank(lo), format.rank(hi)))
}

fn total_order(opcode: Opcode, format: Format, a: Value, b: Value) -> Value {
    let (Some((a, b)), Some((c, d))) = (places(a, format), places(b, format)) else {
        return Value::Unknown;
    };
    let decide = |sure: bool, impossible: bool| match (sure, impossible) {
        (true, _) => TRUE,
        (_, true) => FALSE,
        _ => Value::Unknown,
    };
    let same = decide(a == d && b == c, b < c || d < a);
    let less = decide(b < c, a >= d);
    let greater = decide(d < a, c >= b);
    match opcode {
        Opcode::EqTotalOrder => same,
        Opcode::NeTotalOrder => not(same),
        Opcode::LtTotalOrder => less,
        Opcode::GeTotalOrder => not(less),
        Opcode::GtTotalOrder => greater,
        Opcode::LeTotalOrder => not(greater),
        other => unreachable!("{} is not an operation of floats", other.name()),
    }
}

fn negated(x: Span) -> Span {
    Span { ends: x.ends.map(|(lo, hi)| (-hi, -lo)), nan: x.nan }
}

pub fn unary(opcode: Opcode, format: Format, x: Value) -> Value {
    let span = Span::from_value(x, format);
    match opcode {
        Opcode::Real => return x,
        Opcode::Imag => return Value::Bits(0),
        // These two keep the bits of a subnormal.
        Opcode::Neg => return negated(span).value(format),
        Opcode::Abs => return magnitude(span).value(format),
        Opcode::IsFinite => return is_finite(span),
        Opcode::IsInf => return is_inf(span),
        Opcode::IsNan => return is_nan(span),
        Opcode::Signbit => return signbit(format, x),
        _ => {}
    }
    let x = span.flushed(format);
    let span = match opcode {
        Opcode::Sign => rising(x, sign),
        Opcode::Ceil => rising(x, f64::ceil),
        Opcode::Floor => rising(x, f64::floor),
        Opcode::Trunc => rising(x, f64::trunc),
        Opcode::Round => rising(x, f64::round),
        Opcode::RoundNearestEven => rising(x, f64::round_ties_even),
        Opcode::Sqrt => sqrt(x),
        Opcode::Square => square(x),
        Opcode::Reciprocal => {
            let one = Value::of(1.0, format);
            return binary(Opcode::Div, format, one, x.value(format));
        }
        other => return approximate::unary(other, format, x).flushed(format).value(format),
    };
    span.result(format).value(format)
}

/// The neighbour of one float towards the other. Bits are kept, also those of subnormals.
pub fn next_after(format: Format, from: Value, to: Value) -> Value {
    let (x, y) = (Span::from_value(from, format), Span::from_value(to, format));
    let (Some((lo, hi)), Some((c, d))) = (x.ends, y.ends) else {
        return Value::Span(Span::NAN);
    };
    let neighbour = |from, to| neighbour(format, from, to);
    if let (Some(from), Some(to)) = (x.single(), y.single()) {
        return Value::of(neighbour(from, to), format);
    }
    // Equal zeros of two signs give the other one.
    let zero = if x.has_zero() { Span::new(-0.0, 0.0) } else { Span::of(lo) };
    let reach = corners(Span::new(lo, hi), Span::new(c, d), neighbour).or(zero);
    let around = Span::new(format.step(lo, -1), format.step(hi, 1)).or(reach);
    around.or_nan(x.nan || y.nan).value(format)
}

fn neighbour(format: Format, from: f64, to: f64) -> f64 {
    if from == to {
        to
    } else if from == 0.0 {
        format.smallest().copysign(to)
    } else {
        format.step(from, if to > from { 1 } else { -1 })
    }
}

/// A float in a format of these widths; a NaN becomes an infinity where no mantissa could hold it.
pub fn reduce_precision(format: Format, x: Value, exponent_bits: i64, mantissa_bits: i64) -> Value {
    let x = Span::from_value(x, format);
    let infinity = Span::of(f64::INFINITY);
    let Some((lo, hi)) = x.ends else {
        return if mantissa_bits == 0 { infinity.value(format) } else { Value::Span(Span::NAN) };
    };
    let reduced = |x| reduced(format, x, exponent_bits, mantissa_bits);
    let span = Span::new(reduced(lo), reduced(hi));
    let span = if x.nan && mantissa_bits == 0 { span.or(infinity) } else { span.or_nan(x.nan) };
    // A format with fewer exponents has no subnormals left.
    span.value(format)
}

/// By arithmetic on the value, which f64 holds exactly.
fn reduced(format: Format, x: f64, exponent_bits: i64, mantissa_bits: i64) -> f64 {
    if x == 0.0 || x.is_infinite() {
        return x;
    }
    let own = i64::from(format.exponent_bits);
    let exponent = ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    let exponent = exponent.max(1 - format.bias());
    let unit = power_of_two(exponent - mantissa_bits.min(format.mantissa_bits.into()) as i32);
    let quotient = x.abs() / unit;
    // Without mantissa bits the last bit, which a tie makes even, is the exponent's.
    let rounded = match quotient {
        1.5 if mantissa_bits == 0 => f64::from(1 + (exponent + format.bias()) % 2),
        other => other.round_ties_even(),
    };
    let rounded = rounded * unit;
    let bias = (1i64 << (exponent_bits.min(own) - 1)) - 1;
    let magnitude = if exponent_bits < own && rounded >= 2f64.powi(bias as i32 + 1) {
        f64::INFINITY
    } else if exponent_bits < own && rounded < 2f64.powi(1 - bias as i32) {
        0.0
    } else {
        rounded
    };
    format.round(magnitude).copysign(x)
}

/// A function that never falls, and whose result is exact.
fn rising(x: Span, f: impl Fn(f64) -> f64) -> Span {
    Span { ends: x.ends.map(|(lo, hi)| (f(lo), f(hi))), nan: x.nan }
}

fn sign(x: f64) -> f64 {
    if x == 0.0 { x } else { 1f64.copysign(x) }
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
        Some((lo, hi)) if lo < 0.0 => rising(Span::new(-0.0, hi), f64::sqrt).or_nan(true),
        _ => rising(x, f64::sqrt),
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
pub fn clamp(format: Format, lo: Value, x: Value, hi: Value) -> Value {
    binary(Opcode::Min, format, binary(Opcode::Max, format, lo, x), hi)
}

#[cfg(test)]
mod tests {
    use super::super::format::F32;
    use super::*;

    fn span(lo: f64, hi: f64) -> Value {
        Span::new(F32.round(lo), F32.round(hi)).value(F32)
    }

    fn known(x: f64) -> Value {
        Value::of(x, F32)
    }

    #[test]
    fn known_operands_give_known_results() {
        let op = |opcode, a: f64, b: f64| binary(opcode, F32, known(a), known(b));
        assert_eq!(op(Opcode::Add, 0.1, 0.2), known(f64::from(0.1f32 + 0.2)));
        assert_eq!(op(Opcode::Rem, -5.5, 2.0), known(-1.5));
        assert_eq!(op(Opcode::Rem, 5.0, 0.0), Value::Span(Span::NAN));
        assert_eq!(op(Opcode::Remainder, -5.5, 2.0), known(0.5));
        assert_eq!(op(Opcode::Remainder, 4.0, -2.0), known(-0.0));
        assert_eq!(op(Opcode::FloorDivide, -5.5, 2.0), known(-3.0));
        assert_eq!(op(Opcode::FloorDivide, 5.0, -0.0), known(f64::NEG_INFINITY));
        assert_eq!(op(Opcode::Copysign, 5.0, -0.0), known(-5.0));
        assert_eq!(op(Opcode::Max, -0.0, 0.0), known(0.0));
        assert_eq!(op(Opcode::Min, 0.0, -0.0), known(-0.0));
        assert_eq!(op(Opcode::Max, f64::NAN, 1.0), Value::Span(Span::NAN));
        assert_eq!(op(Opcode::Ne, f64::NAN, f64::NAN), TRUE);
        assert_eq!(op(Opcode::Le, f64::NAN, 1.0), FALSE);
        assert_eq!(op(Opcode::Eq, -0.0, 0.0), TRUE);
        assert_eq!(op(Opcode::LtTotalOrder, -0.0, 0.0), TRUE);
        assert_eq!(op(Opcode::GtTotalOrder, f64::NAN, f64::INFINITY), TRUE);
        let op = |opcode, x| unary(opcode, F32, known(x));
        assert_eq!(op(Opcode::Round, -0.3), known(-0.0));
        assert_eq!(op(Opcode::Sqrt, -1.0), Value::Span(Span::NAN));
        assert_eq!(op(Opcode::Sign, -0.0), known(-0.0));
        assert_eq!(op(Opcode::Trunc, -1.7), known(-1.0));
        let nan = |bits| unary(Opcode::Signbit, F32, Value::Bits(bits));
        assert_eq!((nan(0xffc0_0000), nan(0x7fc0_0000)), (TRUE, FALSE));
        assert_eq!(unary(Opcode::Signbit, F32, Value::Span(Span::NAN)), Value::Unknown);
    }

    #[test]
    fn spans_hold_every_result() {
        let two = known(2.0);
        let binary = |opcode, a, b| binary(opcode, F32, a, b);
        assert_eq!(binary(Opcode::Mul, span(-1.0, 3.0), span(-2.0, 1.0)), span(-6.0, 3.0));
        assert_eq!(binary(Opcode::Sub, span(1.0, 2.0), span(0.5, 0.75)), span(0.25, 1.5));
        assert_eq!(binary(Opcode::Div, two, span(-1.0, 1.0)), Value::Unknown);
        assert_eq!(binary(Opcode::Div, two, span(1.0, 4.0)), span(0.5, 2.0));
        assert_eq!(binary(Opcode::Rem, span(4.5, 5.5), two), span(0.5, 1.5));
        assert_eq!(binary(Opcode::Rem, span(3.5, 4.5), two), span(-2.0, 2.0));
        assert_eq!(binary(Opcode::Lt, span(1.0, 2.0), span(2.0, 3.0)), Value::Unknown);
        assert_eq!(binary(Opcode::Le, span(1.0, 2.0), span(2.0, 3.0)), TRUE);
        assert_eq!(binary(Opcode::Lt, span(2.0, 3.0), span(1.0, 2.0)), FALSE);
        assert_eq!(unary(Opcode::Abs, F32, span(-3.0, 2.0)), span(0.0, 3.0));
        assert_eq!(unary(Opcode::Floor, F32, span(1.25, 1.75)), known(1.0));
    }

    #[test]
    fn halves_are_rounded_once() {
        let half = super::super::format::of(indim::ElementType::F16).unwrap();
        let add = |a, b| binary(Opcode::Add, half, Value::of(a, half), Value::of(b, half));
        // 2049 and a bit more would be a tie of F16's without the bit.
        assert_eq!(add(2048.0, 1.0), Value::of(2048.0, half));
        assert_eq!(add(2048.0, 1.0 + 2f64.powi(-10)), Value::of(2050.0, half));
        assert_eq!(add(65504.0, 16.0), Value::of(f64::INFINITY, half));
        // Subnormal numbers are kept.
        assert_eq!(add(half.smallest(), half.smallest()), Value::of(2f64.powi(-23), half));
    }
}
