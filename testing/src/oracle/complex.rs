//! Computes XLA's operations on complex numbers. Sums, parts and compares are exact; the rest is
//! computed in f64 with a tolerance in parts of the result's magnitude, which allows each part as
//! much.
//!
//! Infinities and NaN are left open, as are the axes where an inverse function has its cuts: there
//! XLA follows no standard, and its recorded answers decide.

use std::f64::consts::PI;

use indim::{ElementType, Opcode};

use super::float;
use super::format::F32;
use super::value::{Span, Value};
use ElementType::C64;

/// How far a result may be from the true one, relative to its magnitude: twice the bound of the
/// library's golden data.
const TOLERANCE: f64 = 32.0 / (1 << 23) as f64;
/// Magnitudes of results that are far from overflow and from subnormal numbers.
const USUAL: std::ops::Range<f64> = 1e-30..1e37;

/// A real and an imaginary part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Complex {
    pub re: f64,
    pub im: f64,
}

const ONE: Complex = Complex { re: 1.0, im: 0.0 };

fn new(re: f64, im: f64) -> Complex {
    Complex { re, im }
}

impl Complex {
    pub fn magnitude(self) -> f64 {
        libm::hypot(self.re, self.im)
    }

    fn plus(self, other: Self) -> Self {
        new(self.re + other.re, self.im + other.im)
    }

    fn minus(self, other: Self) -> Self {
        new(self.re - other.re, self.im - other.im)
    }

    fn times(self, other: Self) -> Self {
        let Self { re, im } = other;
        new(self.re * re - self.im * im, self.re * im + self.im * re)
    }

    /// Divides. The parts are those of F32, so that no square overflows.
    fn over(self, other: Self) -> Self {
        let square = other.re * other.re + other.im * other.im;
        let Self { re, im } = self.times(other.conjugate());
        new(re / square, im / square)
    }

    fn conjugate(self) -> Self {
        new(self.re, -self.im)
    }

    /// Turned by a right angle.
    fn times_i(self) -> Self {
        new(-self.im, self.re)
    }

    fn over_i(self) -> Self {
        new(self.im, -self.re)
    }

    fn exp(self) -> Self {
        let scale = libm::exp(self.re);
        new(scale * libm::cos(self.im), scale * libm::sin(self.im))
    }

    fn exp_m1(self) -> Self {
        let half = libm::sin(self.im / 2.0);
        let re = libm::expm1(self.re) * libm::cos(self.im) - 2.0 * half * half;
        new(re, libm::exp(self.re) * libm::sin(self.im))
    }

    fn log(self) -> Self {
        let Self { re, im } = self;
        let near_one = (0.5..2.0).contains(&self.magnitude());
        let log = if near_one {
            0.5 * libm::log1p((re.abs() - 1.0) * (re.abs() + 1.0) + im * im)
        } else {
            libm::log(self.magnitude())
        };
        new(log, libm::atan2(im, re))
    }

    fn log_1p(self) -> Self {
        let Self { re, im } = self;
        if self.magnitude() > 0.5 {
            return self.plus(ONE).log();
        }
        new(0.5 * libm::log1p(re * (2.0 + re) + im * im), libm::atan2(im, 1.0 + re))
    }

    fn logistic(self) -> Self {
        // Whichever of the two exponentials is not large.
        if self.re < 0.0 {
            let exp = self.exp();
            return exp.over(exp.plus(ONE));
        }
        ONE.over(new(-self.re, -self.im).exp().plus(ONE))
    }

    fn sqrt(self) -> Self {
        let Self { re, im } = self;
        let larger = libm::sqrt((self.magnitude() + re.abs()) / 2.0);
        if larger == 0.0 {
            new(0.0, im)
        } else if re >= 0.0 {
            new(larger, im / (2.0 * larger))
        } else {
            new(im.abs() / (2.0 * larger), larger.copysign(im))
        }
    }

    fn sinh(self) -> Self {
        let Self { re, im } = self;
        new(libm::sinh(re) * libm::cos(im), libm::cosh(re) * libm::sin(im))
    }

    fn cosh(self) -> Self {
        let Self { re, im } = self;
        new(libm::cosh(re) * libm::cos(im), libm::sinh(re) * libm::sin(im))
    }

    fn tanh(self) -> Self {
        let Self { re, im } = self;
        if re.abs() > 25.0 {
            return new(1f64.copysign(re), 0.0);
        }
        let (sinh, cos) = (libm::sinh(re), libm::cos(im));
        let square = sinh * sinh + cos * cos;
        new(sinh * libm::cosh(re) / square, libm::sin(im) * cos / square)
    }

    /// The formula is from W. Kahan, "Branch cuts for complex elementary functions", 1987.
    fn asin(self) -> Self {
        let (below, above) = (ONE.minus(self).sqrt(), ONE.plus(self).sqrt());
        let re = libm::atan2(self.re, below.times(above).re);
        new(re, libm::asinh(below.conjugate().times(above).im))
    }

    /// The formula is from the same paper as that of `asin`.
    fn acos(self) -> Self {
        let (below, above) = (ONE.minus(self).sqrt(), ONE.plus(self).sqrt());
        let re = 2.0 * libm::atan2(below.re, above.re);
        new(re, libm::asinh(above.conjugate().times(below).im))
    }

    /// The acos turned by a right angle, to that side on which its real part is not negative.
    fn acosh(self) -> Self {
        let Self { re, im } = self.acos();
        if im <= 0.0 { new(-im, re) } else { new(im, -re) }
    }

    fn atanh(self) -> Self {
        let Self { re, im } = self;
        let square = (1.0 - re) * (1.0 - re) + im * im;
        let angle = libm::atan2(2.0 * im, (1.0 - re) * (1.0 + re) - im * im);
        new(0.25 * libm::log1p(4.0 * re / square), 0.5 * angle)
    }

    /// XLA's, which other libraries do not have: -i log((x + iy) / sqrt(x^2 + y^2)). Its digits are
    /// those of atan(y / x), which does not cancel near zeros, and is off by whole turns of pi.
    fn atan2(self, x: Self) -> Self {
        let length = x.times(x).plus(self.times(self)).sqrt();
        let direct = x.plus(self.times_i()).over(length).log().over_i();
        let quotient = self.over(x).times_i().atanh().over_i();
        if !quotient.re.is_finite() || !quotient.im.is_finite() {
            return direct;
        }
        let turns = ((direct.re - quotient.re) / PI).round();
        new(quotient.re + turns * PI, quotient.im)
    }
}

/// The true value; None where it is left open.
pub fn truth(opcode: Opcode, z: Complex) -> Option<Complex> {
    let on_axis = z.re == 0.0 || z.im == 0.0;
    if on_axis && HAS_CUTS.contains(&opcode) || !z.re.is_finite() || !z.im.is_finite() {
        return None;
    }
    Some(match opcode {
        Opcode::Abs => new(z.magnitude(), 0.0),
        Opcode::Sign if z == new(0.0, 0.0) => return None,
        Opcode::Sign => new(z.re / z.magnitude(), z.im / z.magnitude()),
        Opcode::Square => z.times(z),
        Opcode::Reciprocal => ONE.over(z),
        Opcode::Exp => z.exp(),
        Opcode::Expm1 => z.exp_m1(),
        Opcode::Log => z.log(),
        Opcode::Log2 => z.log().times(new(std::f64::consts::LOG2_E, 0.0)),
        Opcode::Log10 => z.log().times(new(std::f64::consts::LOG10_E, 0.0)),
        Opcode::Log1p => z.log_1p(),
        Opcode::Logistic => z.logistic(),
        Opcode::Sqrt => z.sqrt(),
        Opcode::Rsqrt => ONE.over(z.sqrt()),
        Opcode::Sin => z.times_i().sinh().over_i(),
        Opcode::Cos => z.times_i().cosh(),
        Opcode::Tan => z.times_i().tanh().over_i(),
        Opcode::Sinh => z.sinh(),
        Opcode::Cosh => z.cosh(),
        Opcode::Tanh => z.tanh(),
        Opcode::Asin => z.asin(),
        Opcode::Acos => z.acos(),
        Opcode::Asinh => z.times_i().asin().over_i(),
        Opcode::Acosh => z.acosh(),
        Opcode::Atan => z.times_i().atanh().over_i(),
        Opcode::Atanh => z.atanh(),
        other => unreachable!("{} is not a function of a complex number", other.name()),
    })
}

/// Along a part of an axis.
const HAS_CUTS: &[Opcode] = {
    use Opcode::*;
    &[Log, Log2, Log10, Log1p, Sqrt, Rsqrt, Asin, Acos, Asinh, Acosh, Atan, Atanh, Pow]
};

/// The true value of an operation of two; None where it is left open.
pub fn truth_of_two(opcode: Opcode, z: Complex, w: Complex) -> Option<Complex> {
    let finite = [z.re, z.im, w.re, w.im].iter().all(|part| part.is_finite());
    match opcode {
        _ if !finite => None,
        Opcode::Mul => Some(z.times(w)),
        Opcode::Div => Some(z.over(w)),
        Opcode::Pow if z.re == 0.0 || z.im == 0.0 => None,
        Opcode::Pow => Some(w.times(z.log()).exp()),
        Opcode::Atan2 => Some(z.atan2(w)),
        other => unreachable!("{} is not an operation of complex numbers", other.name()),
    }
}

/// A complex number that is known.
fn known(x: Value) -> Option<Complex> {
    let (re, im) = x.parts();
    let part = |value| Span::operand(value, F32).single();
    Some(new(part(re)?, part(im)?))
}

/// Returns the results that an implementation may give for this true value.
fn about(truth: Option<Complex>) -> Option<(Span, Span)> {
    let truth = truth.filter(|truth| USUAL.contains(&truth.magnitude()))?;
    let reach = TOLERANCE * truth.magnitude();
    let part = |x: f64| Span::new(x - reach, x + reach).rounded(F32).flushed(F32);
    Some((part(truth.re), part(truth.im)))
}

fn each(x: Value, f: impl Fn(Value) -> Value) -> Value {
    let (re, im) = x.parts();
    join(f(re), f(im))
}

fn join(re: Value, im: Value) -> Value {
    match (re, im) {
        (Value::Bits(re), Value::Bits(im)) => Value::Bits(re | im << 32),
        _ => Value::complex(Span::from_value(re, F32), Span::from_value(im, F32)),
    }
}

pub fn conjugate(element: ElementType, x: Value) -> Value {
    if element != C64 {
        return join(x, Value::of(-0.0, F32));
    }
    let (re, im) = x.parts();
    join(re, float::unary(Opcode::Neg, F32, im))
}

pub fn unary(opcode: Opcode, x: Value) -> Value {
    match opcode {
        Opcode::Real => x.parts().0,
        Opcode::Imag => x.parts().1,
        Opcode::IsInf | Opcode::IsNan => {
            let part = |part| float::unary(opcode, F32, part).bits();
            let (re, im) = x.parts();
            match (part(re), part(im)) {
                (Some(1), _) | (_, Some(1)) => Value::truth(true),
                (Some(_), Some(_)) => Value::truth(false),
                _ => Value::Unknown,
            }
        }
        Opcode::Neg => each(x, |part| float::unary(Opcode::Neg, F32, part)),
        other => {
            let truth = known(x).and_then(|z| truth(other, z));
            match about(truth) {
                None => Value::Unknown,
                Some((real, _)) if other == Opcode::Abs => real.value(F32),
                Some((re, im)) => Value::complex(re, im),
            }
        }
    }
}

pub fn binary(opcode: Opcode, a: Value, b: Value) -> Value {
    let ((a_re, a_im), (b_re, b_im)) = (a.parts(), b.parts());
    match opcode {
        Opcode::Add | Opcode::Sub => {
            let part = |a, b| float::binary(opcode, F32, a, b);
            join(part(a_re, b_re), part(a_im, b_im))
        }
        Opcode::Eq | Opcode::Ne => {
            let part = |a, b| float::binary(Opcode::Eq, F32, a, b).bits();
            let equal = match (part(a_re, b_re), part(a_im, b_im)) {
                (Some(0), _) | (_, Some(0)) => false,
                (Some(_), Some(_)) => true,
                _ => return Value::Unknown,
            };
            Value::truth(equal == (opcode == Opcode::Eq))
        }
        // Beside its cuts, which lie among all operands, an error of one decides on the sign of pi.
        Opcode::Atan2 => Value::Unknown,
        other => {
            let both = known(a).zip(known(b));
            match about(both.and_then(|(z, w)| truth_of_two(other, z, w))) {
                Some((re, im)) => Value::complex(re, im),
                None => Value::Unknown,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values by mpmath.
    #[test]
    fn functions_have_their_values() {
        let z = new(0.75, -1.25);
        for (opcode, re, im) in [
            (Opcode::Log, 0.376_885_901_188_190_1, -1.030_376_826_524_312_5),
            (Opcode::Sqrt, 1.050_651_696_260_784, -0.594_868_882_070_379_1),
            (Opcode::Asin, 0.453_276_177_638_793_9, -1.132_393_631_605_308_2),
            (Opcode::Tanh, 1.372_607_570_533_783_2, -0.385_795_952_609_750_66),
        ] {
            let got = truth(opcode, z).unwrap();
            let error = got.minus(new(re, im)).magnitude() / got.magnitude();
            assert!(error < 1e-14, "{}: {got:?}", opcode.name());
        }
    }

    #[test]
    fn inverses_invert() {
        use Opcode::*;
        for (function, inverse) in [
            (Sin, Asin),
            (Cos, Acos),
            (Tan, Atan),
            (Sinh, Asinh),
            (Cosh, Acosh),
            (Tanh, Atanh),
            (Exp, Log),
            (Expm1, Log1p),
        ] {
            for z in [new(0.5, 0.25), new(0.5, -1.25), new(-0.25, 0.75), new(1e-3, 2e-3)] {
                let back = truth(inverse, z).and_then(|w| truth(function, w)).unwrap();
                let error = back.minus(z).magnitude() / z.magnitude();
                assert!(error < 1e-12, "{}({z:?}): {back:?}", inverse.name());
            }
        }
    }
}
