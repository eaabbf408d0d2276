//! Computes the error functions, the gamma functions and the Bessel functions.

use crate::double_double::{DoubleDouble, PI, two_product, two_sum};
use crate::error_function;
use crate::gamma;
use crate::real::Real as _;
use crate::wide::exponential::exp_of;
use crate::wide::number::Wide;

/// Below this magnitude an odd function's second term is below 2^-110 of its first.
const LINEAR: f64 = 1.0 / (1u64 << 56) as f64;
/// The operand from which erfc is computed by its continued fraction.
const LARGE: f64 = 2.0;
/// The operand from which Bessel functions are computed by their asymptotic expansion.
const BESSEL_LARGE: f64 = 40.0;

const ONE_OVER_ROOT_PI: DoubleDouble =
    DoubleDouble { high: 0.564_189_583_547_756_3, low: 7.667_729_806_582_94e-18 };
const EULER: DoubleDouble =
    DoubleDouble { high: 0.577_215_664_901_532_9, low: -4.942_915_152_430_645e-18 };

/// `zeta(k) / k` from k = 2 on; by mpmath.
const ZETA_OVER: [(f64, f64); 24] = [
    (0.822_467_033_424_113_2, 1.520_336_175_199_238e-17),
    (0.400_685_634_386_531_43, -2.250_747_042_487_504e-18),
    (0.270_580_808_427_784_54, 1.187_128_010_713_841_2e-17),
    (0.207_385_551_028_673_98, 4.099_767_328_621_813e-18),
    (0.169_557_176_997_408_2, 2.239_385_133_016_723_8e-18),
    (0.144_049_896_768_846_1, 9.623_140_085_232_555e-18),
    (0.125_509_669_524_743_04, -2.521_468_538_467_230_5e-18),
    (0.111_334_265_869_564_69, 4.643_990_572_582_924e-18),
    (0.100_099_457_512_781_8, 2.610_240_485_958_328_3e-18),
    (0.090_954_017_145_829_04, 8.306_705_457_691_885e-19),
    (0.083_353_840_546_109, 2.963_832_603_652_642e-19),
    (0.076_932_516_411_352_2, -3.290_035_601_918_119_8e-18),
    (0.071_432_946_295_361_33, 6.278_806_024_191_499e-18),
    (0.066_668_705_882_420_46, 3.229_586_075_996_630_6e-18),
    (0.062_500_955_141_213_04, 2.551_099_464_019_315e-18),
    (0.058_823_978_658_684_585, -2.691_290_134_196_635_7e-18),
    (0.055_555_767_627_403_614, -3.026_186_484_983_096_4e-18),
    (0.052_631_679_379_616_66, 2.523_843_702_471_215e-18),
    (0.050_000_047_698_101_69, 2.789_441_826_445_879_6e-19),
    (0.047_619_070_330_142_226, 2.479_634_268_429_335_5e-18),
    (0.045_454_556_293_204_67, 4.382_931_774_550_076e-19),
    (0.043_478_266_053_040_26, -1.846_222_988_039_594_3e-18),
    (0.041_666_669_150_341_21, 2.308_174_687_248_266e-18),
    (0.040_000_001_192_140_14, 3.145_690_613_937_729e-18),
];

/// Returns `e^(-x^2)`.
fn gauss(x: DoubleDouble) -> Wide {
    exp_of(-(x * x))
}

/// Returns `x + 2 x^3/3 + 4 x^5/15 + ...`: erf times `sqrt(pi)/2 e^(x^2)`, whose terms are all
/// positive. M. Abramowitz and I. A. Stegun, "Handbook of Mathematical Functions", 7.1.6.
fn erf_series(x: f64) -> DoubleDouble {
    let square = two_product(x, x).scaled(1);
    let (mut term, mut sum) = (DoubleDouble::of(x), DoubleDouble::of(x));
    let mut odd = 1.0;
    while term.high.abs() > 1e-33 * sum.high.abs() {
        odd += 2.0;
        term = (term * square).over(odd);
        sum = sum + term;
    }
    sum
}

/// Returns erf for a magnitude below `LARGE`.
fn small_erf(x: f64) -> DoubleDouble {
    let e = gauss(DoubleDouble::of(x));
    erf_series(x) * (ONE_OVER_ROOT_PI.scaled(1) * e.value).scaled(e.exponent)
}

/// Returns erfc of a positive number.
fn positive_erfc(x: f64) -> Wide {
    if x < LARGE {
        return (DoubleDouble::of(1.0) - small_erf(x)).into();
    }
    // x + (1/2)/(x + 1/(x + (3/2)/(x + ...))), 7.1.14; what many terms leave is about e^(-x sqrt(8
    // n)).
    let x_wide = DoubleDouble::of(x);
    let mut n = ((60.0 / x).powi(2) / 6.0).ceil() + 20.0;
    let mut fraction = x_wide;
    while n > 0.0 {
        fraction = x_wide + DoubleDouble::of(0.5 * n) / fraction;
        n -= 1.0;
    }
    let e = gauss(x_wide);
    Wide { value: e.value * ONE_OVER_ROOT_PI / fraction, exponent: e.exponent }
}

pub(super) fn erf(x: f64) -> Wide {
    if x.abs() < LINEAR {
        return times(x, ONE_OVER_ROOT_PI.scaled(1));
    }
    if x.abs() < LARGE {
        return small_erf(x).into();
    }
    let tail = positive_erfc(x.abs().min(30.0));
    let result = DoubleDouble::of(1.0) - tail.value.scaled(tail.exponent.max(-900));
    if x < 0.0 { (-result).into() } else { result.into() }
}

pub(super) fn erfc(x: f64) -> Wide {
    if x >= 0.5 {
        return positive_erfc(x.min(40.0));
    }
    let erf = erf(x);
    (DoubleDouble::of(1.0) - erf.value.scaled(erf.exponent.max(-900))).into()
}

/// Returns a number times a constant, whatever its size.
fn times(x: f64, factor: DoubleDouble) -> Wide {
    let exponent = ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    Wide { value: DoubleDouble::of(x).scaled(-exponent) * factor, exponent }
}

/// Returns Newton's step from float64's value: what is left over is about its square, 2^-95.
pub(super) fn erf_inv(x: f64) -> Wide {
    let half_root_pi = DoubleDouble::of(0.5) / ONE_OVER_ROOT_PI;
    if x.abs() < LINEAR {
        return times(x, half_root_pi);
    }
    let a = x.abs();
    let y = error_function::erf_inv(a);
    // erf(y) - a, or the same by what both are less than 1.
    let excess = if a < 0.5 {
        small_erf(y) - DoubleDouble::of(a)
    } else {
        let tail = positive_erfc(y);
        DoubleDouble::of(1.0 - a) - tail.value.scaled(tail.exponent)
    };
    let e = gauss(DoubleDouble::of(y));
    let step = excess * half_root_pi / e.value.scaled(e.exponent);
    let result = DoubleDouble::of(y) - step;
    if x < 0.0 { (-result).into() } else { result.into() }
}

/// Returns `lgamma(1 + d)` for a magnitude below 1/8, 6.1.33: no terms cancel there.
fn lgamma_near_1(d: DoubleDouble) -> DoubleDouble {
    let mut sum = DoubleDouble::of(0.0);
    for &(high, low) in ZETA_OVER.iter().rev() {
        sum = DoubleDouble { high, low } - sum * d;
    }
    d * (sum * d - EULER)
}

pub(super) fn lgamma(x: f64) -> Wide {
    let from_1 = two_sum(x, -1.0);
    let from_2 = two_sum(x, -2.0);
    if from_1.high.abs() < 0.125 {
        lgamma_near_1(from_1).into()
    } else if from_2.high.abs() < 0.125 {
        // lgamma(2 + d) = lgamma(1 + d) + log(1 + d)
        let log = (from_2 / (DoubleDouble::of(2.0) + from_2)).twice_artanh();
        (lgamma_near_1(from_2) + log).into()
    } else if x.abs() < LINEAR * LINEAR {
        (-DoubleDouble::of(x.abs()).ln()).into()
    } else {
        gamma::wide_lgamma(x)
    }
}

pub(super) fn digamma(x: f64) -> Wide {
    if x.abs() < LINEAR * LINEAR {
        // -1/x
        let exponent = ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023;
        let value = -DoubleDouble::of(1.0) / DoubleDouble::of(x).scaled(-exponent);
        return Wide { value, exponent: -exponent };
    }
    gamma::wide_digamma(x)
}

pub(super) fn i0e(x: f64) -> Wide {
    bessel(0.0, x.abs())
}

pub(super) fn i1e(x: f64) -> Wide {
    let a = x.abs();
    let result = if a < LINEAR * LINEAR {
        times(a, DoubleDouble::of(0.5))
    } else if a < BESSEL_LARGE {
        let of_series = bessel(1.0, a);
        Wide { value: of_series.value * DoubleDouble::of(0.5 * a), ..of_series }
    } else {
        bessel(1.0, a)
    };
    if x < 0.0 { Wide { value: -result.value, ..result } } else { result }
}

/// Returns the function of this order of a positive number; below `BESSEL_LARGE` over
/// `(x/2)^order`. As [`crate::bessel`] does it: 9.6.10 and 9.7.1.
fn bessel(order: f64, x: f64) -> Wide {
    let of = DoubleDouble::of;
    if x < BESSEL_LARGE {
        let quarter = two_product(x, x).scaled(-2);
        let (mut term, mut sum, mut k) = (of(1.0), of(1.0), 0.0);
        while term.high > 1e-33 * sum.high {
            k += 1.0;
            term = (term * quarter).over(k * (k + order));
            sum = sum + term;
        }
        let e = exp_of(of(-x));
        return (sum * e.value.scaled(e.exponent)).into();
    }
    let m = 4.0 * order * order;
    // Powers of two aside, since x may be large; terms that vanish do no harm.
    let exponent = (((x.to_bits() >> 52) & 0x7ff) as i32 - 1023) / 2 * 2;
    let near = of(x).scaled(-exponent);
    let inverse = (of(0.125) / near).scaled((-exponent).max(-900));
    let (mut term, mut sum, mut k) = (of(1.0), of(1.0), 0.0);
    while term.high.abs() > 1e-30 && k < 60.0 {
        k += 1.0;
        let odd = 2.0 * k - 1.0;
        term = (term * of(odd * odd - m) * inverse).over(k);
        sum = sum + term;
    }
    let root = (PI.scaled(1) * near).sqrt();
    Wide { value: sum / root, exponent: -exponent / 2 }
}
