//! Numbers of some 100 bits: the unevaluated sum of two float64 numbers. The way of T. J. Dekker,
//! "A floating-point technique for extending the available precision", Numerische Mathematik 18
//! (1971), with the exact sum by D. E. Knuth, "The Art of Computer Programming", volume 2.
//!
//! Nothing here is for numbers whose products over- or underflow.

use std::ops::{Add, Div, Mul, Neg, Sub};

use crate::real::Real;

/// `high + low`, where `high` is the sum rounded to float64.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DoubleDouble {
    /// The sum, rounded.
    pub high: f64,
    /// The rest.
    pub low: f64,
}

pub(crate) const LN_2: DoubleDouble =
    DoubleDouble { high: std::f64::consts::LN_2, low: 2.319_046_813_846_299_6e-17 };
pub(crate) const LN_10: DoubleDouble =
    DoubleDouble { high: std::f64::consts::LN_10, low: -2.170_756_223_382_249_4e-16 };
pub(crate) const PI: DoubleDouble =
    DoubleDouble { high: std::f64::consts::PI, low: 1.224_646_799_147_353_2e-16 };

/// Returns `2^exponent`, for -1022 to 1023.
pub(crate) fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(u64::from((1023 + exponent).cast_unsigned()) << 52)
}

/// Returns the sum, and what rounding it left over.
pub(crate) fn two_sum(a: f64, b: f64) -> DoubleDouble {
    let high = a + b;
    let b_share = high - a;
    let low = (a - (high - b_share)) + (b - b_share);
    DoubleDouble { high, low }
}

/// Returns the same where a is the larger one, or zero.
pub(crate) fn fast_two_sum(a: f64, b: f64) -> DoubleDouble {
    let high = a + b;
    DoubleDouble { high, low: b - (high - a) }
}

/// Returns the product, and what rounding it left over.
pub(crate) fn two_product(a: f64, b: f64) -> DoubleDouble {
    let high = a * b;
    let ((a_head, a_tail), (b_head, b_tail)) = (split(a), split(b));
    let low = ((a_head * b_head - high) + a_head * b_tail + a_tail * b_head) + a_tail * b_tail;
    DoubleDouble { high, low }
}

/// Returns two halves of 26 bits.
fn split(a: f64) -> (f64, f64) {
    let scaled = 134_217_729.0 * a;
    let head = scaled - (scaled - a);
    (head, a - head)
}

impl Add for DoubleDouble {
    type Output = DoubleDouble;

    fn add(self, other: DoubleDouble) -> DoubleDouble {
        let high = two_sum(self.high, other.high);
        let low = two_sum(self.low, other.low);
        let partial = fast_two_sum(high.high, high.low + low.high);
        fast_two_sum(partial.high, partial.low + low.low)
    }
}

impl Neg for DoubleDouble {
    type Output = DoubleDouble;

    fn neg(self) -> DoubleDouble {
        DoubleDouble { high: -self.high, low: -self.low }
    }
}

impl Sub for DoubleDouble {
    type Output = DoubleDouble;

    fn sub(self, other: DoubleDouble) -> DoubleDouble {
        self + -other
    }
}

impl Mul for DoubleDouble {
    type Output = DoubleDouble;

    fn mul(self, other: DoubleDouble) -> DoubleDouble {
        let product = two_product(self.high, other.high);
        let crossed = self.high * other.low + self.low * other.high;
        fast_two_sum(product.high, product.low + crossed)
    }
}

impl Div for DoubleDouble {
    type Output = DoubleDouble;

    fn div(self, other: DoubleDouble) -> DoubleDouble {
        let first = self.high / other.high;
        let rest = self - other * Real::of(first);
        let second = rest.high / other.high;
        let rest = rest - other * Real::of(second);
        fast_two_sum(first, second) + Real::of(rest.high / other.high)
    }
}

impl DoubleDouble {
    /// Multiplies by a power of two, which is exact where nothing becomes subnormal.
    pub(crate) fn scaled(self, exponent: i32) -> DoubleDouble {
        // It scales in two steps, since the power itself may be out of range.
        let (half, rest) = (power_of_two(exponent / 2), power_of_two(exponent - exponent / 2));
        DoubleDouble { high: self.high * half * rest, low: self.low * half * rest }
    }

    /// Returns a quotient by a number that is one float64 number.
    pub(crate) fn over(self, n: f64) -> DoubleDouble {
        let first = self.high / n;
        let rest = self - two_product(first, n);
        fast_two_sum(first, rest.high / n)
    }

    /// Returns twice the inverse hyperbolic tangent by its series, for a magnitude below 1/4.
    pub(crate) fn twice_artanh(self) -> DoubleDouble {
        let square = self * self;
        let (mut power, mut sum) = (self, self);
        let mut odd = 1.0;
        while power.high.abs() > Self::NEGLIGIBLE * sum.high.abs() {
            odd += 2.0;
            power = power * square;
            sum = sum + power.over(odd);
        }
        sum + sum
    }

    /// Returns sine and cosine by Taylor's series at 0, for a magnitude below 4: from the fourth on
    /// its terms fall.
    pub(crate) fn sin_cos(self) -> (DoubleDouble, DoubleDouble) {
        let (mut sin, mut cos) = (self, Self::of(1.0));
        let (mut power, mut n) = (self, 1.0);
        while power.high.abs() > Self::NEGLIGIBLE * self.high.abs().min(1.0) {
            n += 1.0;
            power = (power * self).over(-n);
            cos = cos + power;
            n += 1.0;
            power = (power * self).over(n);
            sin = sin + power;
        }
        (sin, cos)
    }

    /// Returns Newton's step from float64's root; of a number whose square does not vanish.
    pub(crate) fn sqrt(self) -> DoubleDouble {
        let root = self.high.sqrt();
        if root == 0.0 {
            return Self::of(root);
        }
        let rest = self - two_product(root, root);
        fast_two_sum(root, rest.high / (2.0 * root))
    }
}

impl Real for DoubleDouble {
    const LARGE: f64 = 24.0;
    const NEGLIGIBLE: f64 = 1e-33;

    fn of(x: f64) -> DoubleDouble {
        DoubleDouble { high: x, low: 0.0 }
    }

    fn to_f64(self) -> f64 {
        self.high + self.low
    }

    /// Returns `ln(2^k m) = k ln(2) + 2 artanh((m - 1) / (m + 1))`, with m between the roots of 1/2
    /// and 2.
    fn ln(self) -> DoubleDouble {
        let exponent = (self.high * std::f64::consts::FRAC_1_SQRT_2).log2().ceil();
        let m = self.scaled(-(exponent as i32));
        let one = Self::of(1.0);
        LN_2 * Self::of(exponent) + ((m - one) / (m + one)).twice_artanh()
    }

    fn sin_cos_pi(z: f64) -> (DoubleDouble, DoubleDouble) {
        (PI * Self::of(z)).sin_cos()
    }

    fn pi() -> DoubleDouble {
        PI
    }

    fn half_ln_tau() -> DoubleDouble {
        DoubleDouble { high: 0.918_938_533_204_672_8, low: -3.878_294_158_067_241_4e-17 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what is left of the difference to two numbers that are the true value.
    fn off(value: DoubleDouble, high: f64, low: f64) -> f64 {
        (value - DoubleDouble { high, low }).to_f64().abs()
    }

    // The values are mpmath's.
    #[test]
    fn a_hundred_bits() {
        let third = DoubleDouble::of(1.0) / DoubleDouble::of(3.0);
        assert!(off(third, 1.0 / 3.0, 1.850_371_707_708_594e-17) < 1e-32);
        assert!(off(third * DoubleDouble::of(3.0), 1.0, 0.0) < 1e-32);
        let ln_3 = DoubleDouble::of(3.0).ln();
        assert!(off(ln_3, 1.098_612_288_668_109_8, -9.071_297_235_001_53e-17) < 1e-31);
        let (sin, cos) = DoubleDouble::sin_cos_pi(0.25);
        let root = (std::f64::consts::FRAC_1_SQRT_2, -4.833_646_656_726_457e-17);
        assert!(off(sin, root.0, root.1) < 1e-31 && off(cos, root.0, root.1) < 1e-31);
        let (_, cos) = DoubleDouble::sin_cos_pi(-0.5);
        assert!(cos.to_f64().abs() < 1e-31);
    }
}
