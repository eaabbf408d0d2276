//! Computes the operations whose last bits XLA leaves open, in f64 and with a tolerance.

use std::f64::consts::{FRAC_PI_2, PI};

use indim::Opcode;

use super::format::Format;
use super::value::{Span, corners, max, min};

/// Returns how many floats a result may be away from the reference: the same bound as for the
/// library's golden data. Half precision is rounded from F32.
fn ulps(opcode: Opcode, format: Format) -> i64 {
    match format.mantissa_bits {
        // The reference itself is good to 2^-40 there, and less beside zeros.
        52 if OF_REFERENCE.contains(&opcode) => 1 << 16,
        52 | 23 => 16,
        _ => 1,
    }
}

/// A function's values, with the results that an implementation may give for them.
#[derive(Clone, Copy)]
struct Tolerance {
    format: Format,
    ulps: i64,
    /// Near zeros that the reference does not know well.
    absolute: f64,
}

impl Tolerance {
    fn new(opcode: Opcode, format: Format) -> Self {
        let beside_zeros = matches!(opcode, Opcode::Lgamma | Opcode::Digamma);
        let double = beside_zeros && format.mantissa_bits == 52;
        // The reference is a sum that cancels.
        let absolute = if double || opcode == Opcode::Logaddexp { 1e-12 } else { 0.0 };
        Self { format, ulps: ulps(opcode, format), absolute }
    }

    /// Returns the results that an implementation may give where the exact value is `reference`.
    fn about(self, reference: f64) -> Span {
        let Self { format, ulps, absolute } = self;
        let rounded = format.round(reference);
        // An infinity far beyond the last float, or an exact one, leaves no choice; nor does a
        // zero, but for its sign.
        let slack = 4.0 * ulps as f64 / 2f64.powi(format.mantissa_bits as i32);
        let beyond = reference.abs() > format.largest() * (1.0 + slack);
        if rounded.is_nan() {
            Span::NAN
        } else if beyond && format.mantissa_bits < 52 {
            Span::of(rounded)
        } else if reference == 0.0 {
            Span::new(-0.0, 0.0)
        } else {
            let (lo, hi) = (format.step(rounded, -ulps), format.step(rounded, ulps));
            Span::new(min(lo, rounded - absolute), max(hi, rounded + absolute)).flushed(format)
        }
    }
}

/// How a function behaves between two points.
enum Course {
    /// Never falls on its domain; NaN outside.
    Rising(f64, f64),
    /// Never rises on its domain; NaN outside.
    Falling(f64, f64),
    /// Between these points it only rises or only falls.
    Turning(&'static [f64]),
    /// The same for positive arguments; others have poles among them.
    Positive(&'static [f64]),
    /// Turns at odd multiples of pi/2, between -1 and 1.
    Sin,
    /// Turns at multiples of pi, between -1 and 1.
    Cos,
    /// Rises between its poles, the odd multiples of pi/2.
    Tan,
}

/// The functions of one operand.
#[rustfmt::skip]
pub const FUNCTIONS: &[Opcode] = {
    use Opcode::*;
    &[
        Rsqrt, Cbrt, Exp, Expm1, Log, Log2, Log10, Log1p, Logistic, Sin, Cos, Tan, Tanh, Sinh, Cosh,
        Asin, Acos, Atan, Asinh, Acosh, Atanh, Erf, Erfc, ErfInv, Lgamma, Digamma, BesselI0e,
        BesselI1e,
    ]
};

/// libm lacks these.
const OF_REFERENCE: &[Opcode] =
    &[Opcode::ErfInv, Opcode::Lgamma, Opcode::Digamma, Opcode::BesselI0e, Opcode::BesselI1e];

fn function(opcode: Opcode) -> (fn(f64) -> f64, Course) {
    use Course::{Cos, Falling, Positive, Rising, Sin, Tan, Turning};
    const INF: f64 = f64::INFINITY;
    let everywhere = Rising(-INF, INF);
    match opcode {
        Opcode::Rsqrt => (|x| 1.0 / libm::sqrt(x), Falling(0.0, INF)),
        Opcode::Cbrt => (libm::cbrt, everywhere),
        Opcode::Exp => (libm::exp, everywhere),
        Opcode::Expm1 => (libm::expm1, everywhere),
        Opcode::Log => (libm::log, Rising(-0.0, INF)),
        Opcode::Log2 => (libm::log2, Rising(-0.0, INF)),
        Opcode::Log10 => (libm::log10, Rising(-0.0, INF)),
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
        other => unreachable!("{} is not a function of a float", other.name()),
    }
}

/// The value at a number of F64, to an ULP or so; None where only the reference for F32 has one.
pub fn value(opcode: Opcode, x: f64) -> Option<f64> {
    (!OF_REFERENCE.contains(&opcode)).then(|| function(opcode).0(x))
}

fn reference(opcode: Opcode) -> fn(f64) -> f64 {
    indim_reference::unary(opcode.name()).expect("the reference has every function")
}

pub fn unary(opcode: Opcode, format: Format, x: Span) -> Span {
    let (f, course) = function(opcode);
    let tolerance = Tolerance::new(opcode, format);
    let at = |x: f64| tolerance.about(f(x));
    let Some((lo, hi)) = x.ends else {
        return Span::NAN;
    };
    let far = lo.abs().max(hi.abs()) > 4e6;
    let result = if format.mantissa_bits == 52 && far && OF_REFERENCE.contains(&opcode) {
        // From here on F32 has only integers. The reference relies on that, and F64 has others.
        Span::ANY
    } else if let Some(x) = x.single() {
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
            Course::Sin => wave(lo, hi, FRAC_PI_2, tolerance, at),
            Course::Cos => wave(lo, hi, 0.0, tolerance, at),
            Course::Tan if is_wide(lo, hi) || turns(lo, hi, FRAC_PI_2).next().is_some() => {
                Span::ANY
            }
            Course::Tan => at(lo).or(at(hi)),
        }
    };
    result.or_nan(x.nan)
}

/// Returns whether a periodic function takes all of its values in between.
fn is_wide(lo: f64, hi: f64) -> bool {
    // Nor is it worth while to find turns far out, where f64 has few digits for them.
    hi - lo > 6.3 || lo.abs().max(hi.abs()) > 1e6
}

/// The numbers k for which k * pi + phase is between the two, which are not far apart.
fn turns(lo: f64, hi: f64, phase: f64) -> impl Iterator<Item = i64> {
    let k = |x: f64| (x - phase) / PI;
    // A little more than the span: a turn that is missed would be an error, one too many is not.
    let (from, to) = ((k(lo) - 1e-9).ceil(), (k(hi) + 1e-9).floor());
    from as i64..=to as i64
}

/// Sine or cosine: 1 at even turns, -1 at odd ones.
fn wave(lo: f64, hi: f64, phase: f64, tolerance: Tolerance, at: impl Fn(f64) -> Span) -> Span {
    if lo.is_infinite() || hi.is_infinite() {
        return Span::ANY;
    }
    if is_wide(lo, hi) {
        return tolerance.about(-1.0).or(tolerance.about(1.0));
    }
    turns(lo, hi, phase)
        .map(|k| tolerance.about(if k % 2 == 0 { 1.0 } else { -1.0 }))
        .fold(at(lo).or(at(hi)), Span::or)
}

pub fn binary(opcode: Opcode, format: Format, x: Span, y: Span) -> Span {
    let tolerance = Tolerance::new(opcode, format);
    let about = |reference| tolerance.about(reference);
    let f: fn(f64, f64) -> f64 = match opcode {
        Opcode::Pow => libm::pow,
        Opcode::Hypot => hypot,
        Opcode::Logaddexp => logaddexp,
        _ => libm::atan2,
    };
    if let (Some(a), Some(b)) = (x.single_or_nan(), y.single_or_nan()) {
        // C's pow: 1 for x^0 and 1^y, NaN or not.
        return about(f(a, b));
    }
    // Both operands of these two count the same.
    let of_infinities = matches!(opcode, Opcode::Pow | Opcode::Hypot);
    let (Some((a, b)), Some((c, _))) = (x.ends, y.ends) else {
        return if of_infinities { Span::ANY } else { Span::NAN };
    };
    let one_sign = |lo: f64, hi: f64| lo.is_sign_negative() == hi.is_sign_negative();
    let monotone = match opcode {
        // In each operand for a positive base; a NaN on either side may still give 1.
        Opcode::Pow => a.is_sign_positive() && !x.nan && !y.nan,
        Opcode::Hypot => a.is_sign_positive() && c.is_sign_positive() && !x.nan && !y.nan,
        Opcode::Logaddexp => true,
        // Off the cut, which is where lhs changes its sign while rhs is negative.
        _ => one_sign(a, b) || c.is_sign_positive(),
    };
    let any_angle = about(-PI).or(about(PI));
    if !monotone {
        return if of_infinities { Span::ANY } else { any_angle.or_nan(x.nan || y.nan) };
    }
    // The tolerance of every corner, by its lower and its upper end.
    let low = corners(x, y, |a, b| lower(about(f(a, b))));
    let high = corners(x, y, |a, b| upper(about(f(a, b))));
    low.or(high).or_nan(x.nan || y.nan)
}

/// C99's, by which an infinity wins over NaN.
fn hypot(x: f64, y: f64) -> f64 {
    if x.is_infinite() || y.is_infinite() { f64::INFINITY } else { libm::hypot(x, y) }
}

/// NumPy's formula.
fn logaddexp(x: f64, y: f64) -> f64 {
    if x == y {
        return x + std::f64::consts::LN_2;
    }
    let difference = x - y;
    if difference > 0.0 {
        x + libm::log1p(libm::exp(-difference))
    } else {
        y + libm::log1p(libm::exp(difference))
    }
}

fn lower(span: Span) -> f64 {
    span.ends.map_or(f64::NAN, |(lo, _)| lo)
}

fn upper(span: Span) -> f64 {
    span.ends.map_or(f64::NAN, |(_, hi)| hi)
}

#[cfg(test)]
mod tests {
    use super::super::format::{self, F32};
    use super::*;
    use indim::ElementType;

    #[test]
    fn a_tolerance_around_the_reference() {
        let one = Span::of(1.0);
        let e = std::f64::consts::E;
        for (element, ulps) in [(ElementType::F32, 16), (ElementType::F16, 1)] {
            let format = format::of(element).unwrap();
            let exp = unary(Opcode::Exp, format, one).value(format);
            let e = format.round(e);
            let holds = |steps| exp.admits(format.encode(format.step(e, steps)), element);
            assert!(holds(0) && holds(ulps) && holds(-ulps));
            assert!(!holds(ulps + 1) && !holds(-ulps - 1));
        }
        let unary = |opcode, x| unary(opcode, F32, Span::of(x));
        assert_eq!(unary(Opcode::Exp, 100.0), Span::of(f64::INFINITY));
        assert_eq!(unary(Opcode::Log, -1.0), Span::NAN);
        assert_eq!(unary(Opcode::Log, 0.0), Span::of(f64::NEG_INFINITY));
        assert_eq!(unary(Opcode::Log, 1.0), Span::new(-0.0, 0.0));
    }

    #[test]
    fn spans_hold_what_is_between_their_ends() {
        let mut state = 1u64;
        let mut random = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 11) as f64 / 2f64.powi(53)
        };
        for round in 0..20_000 {
            let opcode = FUNCTIONS[round % FUNCTIONS.len()];
            let scale = [0.5, 2.0, 20.0][round % 3];
            let middle = |random: f64| F32.round((random - 0.5) * 4.0 * scale);
            let (a, width) = (middle(random()), random() * [0.01, 1.0][round % 2]);
            let ends = (a, F32.round(a + width));
            let inner = F32.round(a + width * random()).clamp(ends.0, ends.1);
            let span = unary(opcode, F32, Span::new(ends.0, ends.1));
            let inner = unary(opcode, F32, Span::of(inner));
            assert_eq!(span.or(inner), span, "{} over {ends:?}", opcode.name());
        }
    }
}
