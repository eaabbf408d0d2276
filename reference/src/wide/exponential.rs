//! Computes exponentials, logarithms, functions that consist of them, and roots.

use crate::double_double::{
    DoubleDouble, LN_2, LN_10, fast_two_sum, power_of_two, two_product, two_sum,
};
use crate::real::Real as _;
use crate::wide::number::Wide;

/// Below this magnitude `f(x) = x + c x^2` or `x + c x^3` is x itself: the square is below 2^-110.
const LINEAR: f64 = 1.0 / (1u64 << 55) as f64;
/// Below this one it is so of `x + c x^2`.
const TINY: f64 = LINEAR * LINEAR;

fn one() -> DoubleDouble {
    DoubleDouble::of(1.0)
}

/// Returns `e^x - 1` for a magnitude below 3/8: of x/64 by Taylor's series, then six times
/// `(1 + t)^2 - 1 = t (2 + t)`.
fn small_exp_m1(x: DoubleDouble) -> DoubleDouble {
    let x = x.scaled(-6);
    let (mut power, mut sum, mut n) = (x, x, 1.0);
    while power.high.abs() > 1e-34 * sum.high.abs() {
        n += 1.0;
        power = (power * x).over(n);
        sum = sum + power;
    }
    for _ in 0..6 {
        sum = sum * (DoubleDouble::of(2.0) + sum);
    }
    sum
}

/// Returns `e^x` as a number near 1 and a power of two.
pub(super) fn exp_of(x: DoubleDouble) -> Wide {
    // Beyond, every result is out of float64's range.
    let x = if x.high.abs() < 3000.0 { x } else { DoubleDouble::of(3000f64.copysign(x.high)) };
    let n = (x.high * std::f64::consts::LOG2_E).round();
    let rest = x - LN_2 * DoubleDouble::of(n);
    Wide { value: one() + small_exp_m1(rest), exponent: n as i32 }
}

/// Returns `log(1 + a)`.
fn ln_1p(a: DoubleDouble) -> DoubleDouble {
    // 1 + a would lose the low digits of a.
    if a.high.abs() < 0.375 {
        (a / (DoubleDouble::of(2.0) + a)).twice_artanh()
    } else {
        (one() + a).ln()
    }
}

pub(super) fn exp(x: f64) -> Wide {
    exp_of(DoubleDouble::of(x))
}

pub(super) fn expm1(x: f64) -> Wide {
    if x.abs() < TINY {
        return Wide::of(x);
    }
    if x.abs() < 0.375 {
        return small_exp_m1(DoubleDouble::of(x)).into();
    }
    let e = exp(x);
    // From e^200 on the 1 is below the last digit.
    if x > 200.0 { e } else { (e.value.scaled(e.exponent.max(-1000)) - one()).into() }
}

pub(super) fn log(x: f64) -> Wide {
    DoubleDouble::of(x).ln().into()
}

pub(super) fn log2(x: f64) -> Wide {
    (DoubleDouble::of(x).ln() / LN_2).into()
}

pub(super) fn log10(x: f64) -> Wide {
    (DoubleDouble::of(x).ln() / LN_10).into()
}

/// Returns the larger operand and `log(1 + e^-d)`, where d is its distance to the other one.
pub(crate) fn logaddexp(x: f64, y: f64) -> Wide {
    let (larger, smaller) = if x >= y { (x, y) } else { (y, x) };
    let e = exp_of(two_sum(smaller, -larger));
    let m = DoubleDouble::of(larger);
    if e.exponent >= -200 {
        return (m + ln_1p(e.value.scaled(e.exponent))).into();
    }
    // Here log(1 + e) is e, which counts beside a small operand only.
    if larger.abs() > power_of_two(-80) {
        return Wide::of(larger);
    }
    let up = (-e.exponent).min(1000);
    let sum = m.scaled(up) + e.value.scaled((e.exponent + up).max(-2000));
    Wide { value: sum, exponent: -up }
}

pub(super) fn log1p(x: f64) -> Wide {
    if x.abs() < TINY { Wide::of(x) } else { ln_1p(DoubleDouble::of(x)).into() }
}

pub(super) fn logistic(x: f64) -> Wide {
    let e = exp(-x.abs());
    let sum = one() + e.value.scaled(e.exponent.max(-1000));
    if x < 0.0 { Wide { value: e.value / sum, exponent: e.exponent } } else { (one() / sum).into() }
}

/// Returns `(e^|x| + sign e^-|x|) / 2` as a number and a power of two.
fn half_sum(x: f64, sign: f64) -> Wide {
    let e = exp(x.abs());
    let inverse = (one() / e.value).scaled((-2 * e.exponent).max(-1000));
    Wide { value: e.value + inverse * DoubleDouble::of(sign), exponent: e.exponent - 1 }
}

pub(super) fn sinh(x: f64) -> Wide {
    if x.abs() < LINEAR {
        return Wide::of(x);
    }
    if x.abs() < 0.375 {
        let e = small_exp_m1(DoubleDouble::of(x));
        return (e + e / (one() + e)).scaled(-1).into();
    }
    let result = half_sum(x, -1.0);
    if x < 0.0 { Wide { value: -result.value, ..result } } else { result }
}

pub(super) fn cosh(x: f64) -> Wide {
    half_sum(x, 1.0)
}

pub(super) fn tanh(x: f64) -> Wide {
    if x.abs() < LINEAR {
        return Wide::of(x);
    }
    // e^(2x) - 1 over that and 2.
    let twice = if x.abs() < 0.1875 {
        small_exp_m1(DoubleDouble::of(2.0 * x))
    } else {
        let e = exp((2.0 * x).clamp(-200.0, 200.0));
        e.value.scaled(e.exponent) - one()
    };
    (twice / (twice + DoubleDouble::of(2.0))).into()
}

/// Returns `log(x) + log(2)`, which inverse hyperbolic functions of large operands are.
fn log_of_twice(x: f64) -> DoubleDouble {
    DoubleDouble::of(x).ln() + LN_2
}

pub(super) fn asinh(x: f64) -> Wide {
    let a = x.abs();
    if a < LINEAR {
        return Wide::of(x);
    }
    let result = if a > 1.0 / LINEAR {
        log_of_twice(a)
    } else {
        let square = two_product(a, a);
        ln_1p(DoubleDouble::of(a) + square / (one() + (one() + square).sqrt()))
    };
    if x < 0.0 { (-result).into() } else { result.into() }
}

pub(super) fn acosh(x: f64) -> Wide {
    if x > 1.0 / LINEAR {
        return log_of_twice(x).into();
    }
    let t = two_sum(x, -1.0);
    ln_1p(t + (t * (t + DoubleDouble::of(2.0))).sqrt()).into()
}

pub(super) fn atanh(x: f64) -> Wide {
    if x.abs() < LINEAR {
        return Wide::of(x);
    }
    let a = x.abs();
    let result = ln_1p(DoubleDouble::of(2.0 * a) / two_sum(1.0, -a)).scaled(-1);
    if x < 0.0 { (-result).into() } else { result.into() }
}

/// Returns the operand as a number from 1 on and below 2^step, and the power of two, a multiple of
/// step.
fn significand(x: f64, step: i32) -> (f64, i32) {
    let exponent = (((x.to_bits() >> 52) & 0x7ff) as i32 - 1023).div_euclid(step) * step;
    (DoubleDouble::of(x).scaled(-exponent).high, exponent)
}

pub(super) fn hypot(x: f64, y: f64) -> Wide {
    let (_, exponent) = significand(x.abs().max(y.abs()), 1);
    let square = |x: f64| {
        let x = DoubleDouble::of(x).scaled(-exponent).high;
        two_product(x, x)
    };
    Wide { value: (square(x) + square(y)).sqrt(), exponent }
}

pub(super) fn cbrt(x: f64) -> Wide {
    let (m, exponent) = significand(x, 3);
    let root = m.cbrt();
    let cube = two_product(root, root) * DoubleDouble::of(root);
    let step = (DoubleDouble::of(m) - cube).high / (3.0 * root * root);
    Wide { value: fast_two_sum(root, step), exponent: exponent / 3 }
}

pub(super) fn rsqrt(x: f64) -> Wide {
    let (m, exponent) = significand(x, 2);
    Wide { value: one() / DoubleDouble::of(m).sqrt(), exponent: -exponent / 2 }
}

/// Returns the power by `e^(y log |x|)`, for x other than 0.
pub(super) fn pow(x: f64, y: f64) -> Wide {
    // No product of a larger y has a result in range, but for x = 1.
    let y_near = y.clamp(-power_of_two(80), power_of_two(80));
    let result = exp_of(DoubleDouble::of(x.abs()).ln() * DoubleDouble::of(y_near));
    let odd = y % 2.0 != 0.0;
    if x < 0.0 && odd { Wide { value: -result.value, ..result } } else { result }
}
