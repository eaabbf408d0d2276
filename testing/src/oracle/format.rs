//! The formats of floats: which numbers they have, as f64, and how an f64 is rounded to them.

use indim::ElementType;

/// A binary floating-point format as IEEE 754 lays them out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    pub exponent_bits: u32,
    pub mantissa_bits: u32,
    /// True where XLA, or an adapter, may take subnormal numbers for zeros. It computes F16 as F32,
    /// in which they are normal.
    flushes: bool,
}

const F16: Format = Format { exponent_bits: 5, mantissa_bits: 10, flushes: false };
const BF16: Format = Format { exponent_bits: 8, mantissa_bits: 7, flushes: true };
pub const F32: Format = Format { exponent_bits: 8, mantissa_bits: 23, flushes: true };
const F64: Format = Format { exponent_bits: 11, mantissa_bits: 52, flushes: true };

/// Returns the format of a float type.
pub fn of(element: ElementType) -> Option<Format> {
    match element {
        ElementType::F16 => Some(F16),
        ElementType::Bf16 => Some(BF16),
        ElementType::F32 => Some(F32),
        ElementType::F64 => Some(F64),
        _ => None,
    }
}

/// Also where it is subnormal, or so small that it is 0; `powi` divides by what is infinite there.
pub fn power_of_two(exponent: i32) -> f64 {
    match exponent {
        -1022.. => 2f64.powi(exponent),
        -1074..=-1023 => f64::from_bits(1 << (exponent + 1074)),
        _ => 0.0,
    }
}

/// The exponent of the leading bit of a number that is not 0; of subnormal f64 that of the smallest
/// normal one.
fn exponent_of(x: f64) -> i32 {
    (((x.to_bits() >> 52) & 0x7ff) as i32).max(1) - 1023
}

impl Format {
    pub fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    pub fn sign_bit(self) -> u64 {
        1 << (self.exponent_bits + self.mantissa_bits)
    }

    /// The bits of +inf; those of a NaN are above.
    fn infinity(self) -> u64 {
        ((1 << self.exponent_bits) - 1) << self.mantissa_bits
    }

    pub fn is_nan(self, bits: u64) -> bool {
        bits & (self.sign_bit() - 1) > self.infinity()
    }

    /// The number of these bits.
    pub fn decode(self, bits: u64) -> f64 {
        if self == F64 {
            return f64::from_bits(bits);
        }
        let magnitude = bits & (self.sign_bit() - 1);
        let exponent = (magnitude >> self.mantissa_bits) as i32;
        let mantissa = magnitude & ((1 << self.mantissa_bits) - 1);
        let value = match magnitude.cmp(&self.infinity()) {
            std::cmp::Ordering::Greater => f64::NAN,
            std::cmp::Ordering::Equal => f64::INFINITY,
            std::cmp::Ordering::Less => {
                let hidden = if exponent > 0 { 1 << self.mantissa_bits } else { 0 };
                let unit = exponent.max(1) - self.bias() - self.mantissa_bits as i32;
                (mantissa + hidden) as f64 * power_of_two(unit)
            }
        };
        if bits & self.sign_bit() == 0 { value } else { -value }
    }

    /// The bits of the nearest number, ties to even.
    pub fn encode(self, x: f64) -> u64 {
        if self == F64 {
            return x.to_bits();
        }
        let sign = if x.is_sign_negative() { self.sign_bit() } else { 0 };
        let magnitude = if x.is_nan() {
            self.infinity() | 1 << (self.mantissa_bits - 1)
        } else if x == 0.0 || x.is_infinite() {
            if x == 0.0 { 0 } else { self.infinity() }
        } else {
            let exponent = exponent_of(x).max(1 - self.bias());
            let unit = power_of_two(exponent - self.mantissa_bits as i32);
            // Whole units, of which a normal number has 2^mantissa_bits or more. As bits they are
            // the mantissa, and what is more counts exponents up, to the infinity.
            let units = (x.abs() / unit).round_ties_even() as u64;
            let binade = (exponent + self.bias() - 1) as u64;
            ((binade << self.mantissa_bits) + units).min(self.infinity())
        };
        sign | magnitude
    }

    pub fn round(self, x: f64) -> f64 {
        if x.is_nan() { x } else { self.decode(self.encode(x)) }
    }

    pub fn largest(self) -> f64 {
        self.decode(self.infinity() - 1)
    }

    pub fn smallest_normal(self) -> f64 {
        self.decode(1 << self.mantissa_bits)
    }

    /// The smallest number above 0.
    pub fn smallest(self) -> f64 {
        self.decode(1)
    }

    /// The least and the largest number that may be taken for a zero.
    pub fn flushed(self) -> Option<(f64, f64)> {
        let largest = self.decode((1 << self.mantissa_bits) - 1);
        self.flushes.then(|| (self.smallest(), largest))
    }

    /// The position of these bits among all, NaN outermost: the total order.
    pub fn place(self, bits: u64) -> i64 {
        let magnitude = (bits & (self.sign_bit() - 1)).cast_signed();
        if bits & self.sign_bit() == 0 { magnitude } else { -1 - magnitude }
    }

    /// The position of a number among all: neighbours differ by 1, -0 is -1 and +0 is 0.
    pub fn rank(self, x: f64) -> i64 {
        self.place(self.encode(x))
    }

    /// The number `steps` places above `x`, at most an infinity.
    pub fn step(self, x: f64, steps: i64) -> f64 {
        let limit = self.infinity().cast_signed();
        // The limits are those of the two infinities: no NaN is reached.
        let rank = self.rank(x).saturating_add(steps).clamp(-limit - 1, limit);
        if rank < 0 {
            -self.decode((-1 - rank).cast_unsigned())
        } else {
            self.decode(rank.cast_unsigned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_16_bit_float_is_itself() {
        for format in [F16, BF16] {
            for bits in 0..1u64 << 16 {
                let x = format.decode(bits);
                assert_eq!(x.is_nan(), format.is_nan(bits));
                assert!(x.is_nan() || format.encode(x) == bits, "{bits:x} of {format:?}");
            }
        }
    }

    #[test]
    fn f32_is_rust_s() {
        let mut bits = 1u64;
        for _ in 0..100_000 {
            bits = bits
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let x = f32::from_bits((bits >> 32) as u32);
            assert!(x.is_nan() || F32.decode(u64::from(x.to_bits())) == f64::from(x));
            // Around where f32 has its numbers.
            let x = f64::from_bits((bits >> 12) | (1023 - 160 + (bits & 255)) << 52);
            assert_eq!(F32.encode(x), u64::from((x as f32).to_bits()), "{x:e}");
        }
    }

    #[test]
    fn powers_of_two_go_down_to_the_smallest() {
        assert_eq!(power_of_two(-1074), f64::from_bits(1));
        assert_eq!(power_of_two(-1022), f64::MIN_POSITIVE);
        assert_eq!(power_of_two(-1023) * 2.0, f64::MIN_POSITIVE);
        assert_eq!((power_of_two(-1075), power_of_two(3)), (0.0, 8.0));
    }

    #[test]
    fn ties_and_ends() {
        assert_eq!(F16.encode(65519.99), 0x7bff);
        assert_eq!(F16.encode(65520.0), 0x7c00);
        assert_eq!(F16.encode(1.5 * 2f64.powi(-24)), 2);
        assert_eq!(F16.encode(0.5 * 2f64.powi(-24)), 0);
        assert_eq!(F16.encode(-1e-30), 0x8000);
        assert_eq!(BF16.encode(1.0 + 2f64.powi(-8)), 0x3f80);
        assert_eq!(BF16.encode(1.0 + 2f64.powi(-8) + 2f64.powi(-40)), 0x3f81);
        assert_eq!((F32.rank(-0.0), F32.rank(0.0)), (-1, 0));
        assert_eq!(F32.step(-0.0, 1).to_bits(), 0);
        assert_eq!(F16.step(65504.0, 5), f64::INFINITY);
        assert_eq!(F64.step(f64::MIN, -5), f64::NEG_INFINITY);
        assert_eq!(BF16.step(-1.0, 1), -1.0 + 2f64.powi(-8));
    }
}
