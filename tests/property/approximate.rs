//! The operations whose last bits XLA leaves open: computed in f64 here, with a tolerance.

use std::f64::consts::{FRAC_PI_2, PI};

use indim::Opcode;

use crate::float::corners;
use crate::value::{Span, max, min, step};

/// How many floats a result may be away from the reference: the bound that the golden data of the
/// library is held to, too.
const ULP: i32 = 16;

/// What an implementation may give where the exact value is `reference`.
fn about(reference: f64) -> Span {
    let rounded = reference as f32;
    // An infinity far beyond the last float, or an exact one, leaves no choice; nor does a zero,
    // but for its sign.
    let beyond = reference.abs() > f64::from(f32::MAX) * (1.0 + 1e-5);
    if rounded.is_nan() {
        Span::NAN
    } else if beyond {
        Span::of(rounded)
    } else if reference == 0.0 {
        Span::new(-0.0, 0.0)
    } else {
        Span::new(step(rounded, -ULP), step(rounded, ULP)).flushed()
    }
}

/// How a function behaves between two points.
enum Course {
    /// Never falls on its domain; NaN outside.
    Rising(f32, f32),
    /// Never rises on its domain; NaN outside.
    Falling(f32, f32),
    /// Between these points it only rises or only falls.
    Turning(&'static [f32]),
    /// The same for positive arguments; others have poles among them.
    Positive(&'static [f32]),
    /// Turns at odd multiples of pi/2, between -1 and 1.
    Sin,
    /// Turns at multiples of pi, between -1 and 1.
    Cos,
    /// Rises between its poles, the odd multiples of pi/2.
    Tan,
}

/// The functions of one operand.
#[rustfmt::skip]
pub(crate) const FUNCTIONS: &[Opcode] = {
    use Opcode::*;
    &[
        Rsqrt, Cbrt, Exp, Expm1, Log, Log1p, Logistic, Sin, Cos, Tan, Tanh, Sinh, Cosh,
        Asin, Acos, Atan, Asinh, Acosh, Atanh, Erf, Erfc, ErfInv, Lgamma, Digamma, BesselI0e,
        BesselI1e,
    ]
};

fn function(opcode: Opcode) -> (fn(f64) -> f64, Course) {
    use Course::{Cos, Falling, Positive, Rising, Sin, Tan, Turning};
    const INF: f32 = f32::INFINITY;
    let everywhere = Rising(-INF, INF);
    match opcode {
        Opcode::Rsqrt => (|x| 1.0 / libm::sqrt(x), Falling(0.0, INF)),
        Opcode::Cbrt => (libm::cbrt, everywhere),
        Opcode::Exp => (libm::exp, everywhere),
        Opcode::Expm1 => (libm::expm1, everywhere),
        Opcode::Log => (libm::log, Rising(-0.0, INF)),
        Opcode::Log1p => (libm::log1p, Rising(-1.0, INF)),
        Opcode::Logistic => (|x| 1.0 / (1.0 + libm::exp(-x)), everywhere),
        Opcode::Sin => (libm::sin, Sin),
        Opcode::Cos => (libm::cos, Cos),
        Opcode::Tan => (libm::tan, Tan),
        Opcode::Tanh => (libm::tanh, everywhere),
        Opcode::Sinh => (libm::sinh, everywhere),
        Opcode::Cosh => (libm::cosh, Turning(&[0.0])),
        Opcode::Asin => (libm::asin, Rising(-1.0, 1.0)),
        Opcode::Acos => (libm::acos, Falling(-1.0, 1.0)),
        Opcode::Atan => (libm::atan, everywhere),
        Opcode::Asinh => (libm::asinh, everywhere),
        // libm's acosh leaves out the domain for some negative numbers.
        Opcode::Acosh => (|x| if x < 1.0 { f64::NAN } else { libm::acosh(x) }, Rising(1.0, INF)),
        Opcode::Atanh => (libm::atanh, Rising(-1.0, 1.0)),
        Opcode::Erf => (libm::erf, everywhere),
        Opcode::Erfc => (libm::erfc, Falling(-INF, INF)),
        Opcode::ErfInv => (reference(opcode), Rising(-1.0, 1.0)),
        Opcode::Lgamma => (reference(opcode), Positive(&[1.461_632_1])),
        Opcode::Digamma => (reference(opcode), Positive(&[])),
        Opcode::BesselI0e => (reference(opcode), Turning(&[0.0])),
        Opcode::BesselI1e => (reference(opcode), Turning(&[-1.545_184_8, 1.545_184_8])),
        other => unreachable!("{} is no function of a float", other.name()),
    }
}

/// What libm does not have.
fn reference(opcode: Opcode) -> fn(f64) -> f64 {
    indim_reference::unary(opcode.name()).expect("the reference has every function")
}

pub(crate) fn unary(opcode: Opcode, x: Span) -> Span {
    let (f, course) = function(opcode);
    let at = |x: f32| about(f(f64::from(x)));
    let Some((lo, hi)) = x.ends else {
        return Span::NAN;
    };
    let result = if let Some(x) = x.single() {
        at(x)
    } else {
        match course {
            // rsqrt(-0) is -inf, left of the +inf of +0 and right of the NaN of what is negative.
            Course::Falling(0.0, _) if lo.is_sign_negative() && hi >= 0.0 => Span::ANY,
            Course::Rising(from, to) | Course::Falling(from, to) => {
                let (inner_lo, inner_hi) = (max(lo, from), min(hi, to));
                if inner_lo.total_cmp(&inner_hi).is_gt() {
                    Span::NAN
                } else {
                    let outside = inner_lo != lo || inner_hi != hi;
                    at(inner_lo).or(at(inner_hi)).or_nan(outside)
                }
            }
            Course::Positive(_) if lo <= 0.0 => Span::ANY,
            Course::Turning(points) | Course::Positive(points) => {
                let inside = points.iter().filter(|&&point| lo < point && point < hi);
                inside.map(|&point| at(point)).fold(at(lo).or(at(hi)), Span::or)
            }
            Course::Sin => wave(lo, hi, FRAC_PI_2, at),
            Course::Cos => wave(lo, hi, 0.0, at),
            Course::Tan if is_wide(lo, hi) || turns(lo, hi, FRAC_PI_2).next().is_some() => {
                Span::ANY
            }
            Course::Tan => at(lo).or(at(hi)),
        }
    };
    result.or_nan(x.nan)
}

/// Whether a periodic function takes all of its values in between.
fn is_wide(lo: f32, hi: f32) -> bool {
    f64::from(hi) - f64::from(lo) > 6.3
}

/// The numbers k for which k * pi + phase is between the two, which are not far apart.
fn turns(lo: f32, hi: f32, phase: f64) -> impl Iterator<Item = i64> {
    let k = |x: f32| (f64::from(x) - phase) / PI;
    // A little more than the span: a turn that is missed would be an error, one too many is not.
    let (from, to) = ((k(lo) - 1e-9).ceil(), (k(hi) + 1e-9).floor());
    from as i64..=to as i64
}

/// Sine or cosine: 1 at even turns, -1 at odd ones.
fn wave(lo: f32, hi: f32, phase: f64, at: impl Fn(f32) -> Span) -> Span {
    if lo.is_infinite() || hi.is_infinite() {
        return Span::ANY;
    }
    if is_wide(lo, hi) {
        return about(-1.0).or(about(1.0));
    }
    turns(lo, hi, phase)
        .map(|k| about(if k % 2 == 0 { 1.0 } else { -1.0 }))
        .fold(at(lo).or(at(hi)), Span::or)
}

pub(crate) fn binary(opcode: Opcode, x: Span, y: Span) -> Span {
    let f: fn(f64, f64) -> f64 = if opcode == Opcode::Pow { libm::pow } else { libm::atan2 };
    if let (Some(a), Some(b)) = (x.single_or_nan(), y.single_or_nan()) {
        // C's pow: 1 for x^0 and 1^y, NaN or not.
        return about(f(f64::from(a), f64::from(b)));
    }
    let (Some((a, b)), Some((c, _))) = (x.ends, y.ends) else {
        return if opcode == Opcode::Pow { Span::ANY } else { Span::NAN };
    };
    let one_sign = |lo: f32, hi: f32| lo.is_sign_negative() == hi.is_sign_negative();
    let monotone = match opcode {
        // In each operand for a positive base; a NaN on either side may still give 1.
        Opcode::Pow => a.is_sign_positive() && !x.nan && !y.nan,
        // Off the cut, which is where lhs changes its sign while rhs is negative.
        _ => one_sign(a, b) || c.is_sign_positive(),
    };
    if !monotone {
        return if opcode == Opcode::Pow { Span::ANY } else { about_pi().or_nan(x.nan || y.nan) };
    }
    // The tolerance of every corner, by its lower and its upper end.
    let low = corners(x, y, |a, b| lower(about(f(f64::from(a), f64::from(b)))));
    let high = corners(x, y, |a, b| upper(about(f(f64::from(a), f64::from(b)))));
    low.or(high).or_nan(x.nan || y.nan)
}

fn lower(span: Span) -> f32 {
    span.ends.map_or(f32::NAN, |(lo, _)| lo)
}

fn upper(span: Span) -> f32 {
    span.ends.map_or(f32::NAN, |(_, hi)| hi)
}

/// Any angle.
fn about_pi() -> Span {
    about(-PI).or(about(PI))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(span: Span, x: f32) -> bool {
        span.value().admits(x.to_bits(), indim::ElementType::F32)
    }

    #[test]
    fn a_tolerance_around_the_reference() {
        let exp = unary(Opcode::Exp, Span::of(1.0));
        assert!(holds(exp, std::f32::consts::E) && holds(exp, step(std::f32::consts::E, 16)));
        assert!(!holds(exp, step(std::f32::consts::E, 18)));
        assert_eq!(unary(Opcode::Exp, Span::of(100.0)), Span::of(f32::INFINITY));
        assert_eq!(unary(Opcode::Log, Span::of(-1.0)), Span::NAN);
        assert_eq!(unary(Opcode::Log, Span::of(0.0)), Span::of(f32::NEG_INFINITY));
        assert_eq!(unary(Opcode::Log, Span::of(1.0)), Span::new(-0.0, 0.0));
    }

    #[test]
    fn spans_hold_what_is_between_their_ends() {
        let mut random = crate::random::Random::new(1);
        for round in 0..20_000 {
            let opcode = FUNCTIONS[round % FUNCTIONS.len()];
            let scale = random.pick(&[0.5, 2.0, 20.0]);
            let (a, b) = (random.normal() * scale, random.normal() * random.pick(&[0.01, 1.0]));
            let ends = (min(a as f32, (a + b) as f32), max(a as f32, (a + b) as f32));
            let middle = (f64::from(ends.0) + random.unit() * b.abs()) as f32;
            let middle = middle.clamp(ends.0, ends.1);
            let span = unary(opcode, Span::new(ends.0, ends.1));
            let inner = unary(opcode, Span::of(middle));
            let hull = span.or(inner);
            assert_eq!(hull, span, "{} over {ends:?} at {middle}", opcode.name());
        }
    }
}
