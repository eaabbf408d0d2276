//! The formats of floats by their bits.

use indim::ElementType;

/// A float format, as IEEE 754 lays them out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Format {
    exponent_bits: u32,
    mantissa_bits: u32,
    /// True if subnormals may be flushed to zero. F16's may not: they are normal in F32, in which
    /// F16 is computed.
    pub flushes: bool,
}

impl Format {
    /// Returns the format of a type, if it is a real float.
    pub fn of(element_type: ElementType) -> Option<Self> {
        let (exponent_bits, mantissa_bits) = match element_type {
            ElementType::F16 => (5, 10),
            ElementType::Bf16 => (8, 7),
            ElementType::F32 => (8, 23),
            ElementType::F64 => (11, 52),
            _ => return None,
        };
        Some(Self { exponent_bits, mantissa_bits, flushes: element_type != ElementType::F16 })
    }

    /// Returns the sign's bit.
    pub fn sign(self) -> u64 {
        1 << (self.exponent_bits + self.mantissa_bits)
    }

    /// Returns the bits of infinity.
    pub fn infinity(self) -> u64 {
        ((1 << self.exponent_bits) - 1) << self.mantissa_bits
    }

    fn bias(self) -> i32 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    /// Returns whether the bits are a NaN's.
    pub fn is_nan(self, bits: u64) -> bool {
        bits & !self.sign() > self.infinity()
    }

    /// Returns whether the bits are a subnormal number's.
    pub fn is_subnormal(self, bits: u64) -> bool {
        let magnitude = bits & !self.sign();
        magnitude != 0 && magnitude >> self.mantissa_bits == 0
    }

    /// Returns the bits with a subnormal number flushed, where that may be.
    pub fn flushed(self, bits: u64) -> u64 {
        if self.flushes && self.is_subnormal(bits) { bits & self.sign() } else { bits }
    }

    /// Returns the number, which float64 has exactly.
    pub fn decode(self, bits: u64) -> f64 {
        if self.mantissa_bits == 52 {
            return f64::from_bits(bits);
        }
        let fraction = (bits & ((1 << self.mantissa_bits) - 1)) as f64;
        let field = ((bits & !self.sign()) >> self.mantissa_bits) as i32;
        let one = 2f64.powi(self.mantissa_bits as i32);
        let magnitude = match field {
            _ if bits & !self.sign() == self.infinity() => f64::INFINITY,
            _ if self.is_nan(bits) => f64::NAN,
            0 => fraction / one * self.smallest_normal(),
            _ => (1.0 + fraction / one) * 2f64.powi(field - self.bias()),
        };
        if bits & self.sign() == 0 { magnitude } else { -magnitude }
    }

    /// Returns the nearest number of the format, ties to even.
    pub fn round(self, x: f64) -> u64 {
        if self.mantissa_bits == 52 {
            return x.to_bits();
        }
        let sign = if x.is_sign_negative() { self.sign() } else { 0 };
        if x.is_nan() {
            return sign | self.infinity() | 1 << (self.mantissa_bits - 1);
        }
        let spacing = self.spacing(x);
        let steps = (x.abs() / spacing).round_ties_even();
        // Steps from the least number of this exponent on, which may carry into the next one.
        let field = (spacing.log2() as i32 + self.mantissa_bits as i32 + self.bias()).max(1);
        let least = 2f64.powi(self.mantissa_bits as i32);
        let magnitude = if steps > 2.0 * least {
            self.infinity()
        } else if steps < least {
            steps as u64
        } else {
            ((field as u64) << self.mantissa_bits) + (steps - least) as u64
        };
        sign | magnitude.min(self.infinity())
    }

    /// Orders bits as IEEE 754's totalOrder orders the numbers: by magnitude, negative ones
    /// reversed.
    pub fn total_order_key(self, bits: u64) -> i64 {
        let magnitude = (bits & !self.sign()) as i64;
        if bits & self.sign() == 0 { magnitude } else { -1 - magnitude }
    }

    /// Returns the least normal number.
    pub fn smallest_normal(self) -> f64 {
        2f64.powi(1 - self.bias())
    }

    /// Returns the largest subnormal number.
    pub fn largest_subnormal(self) -> f64 {
        self.smallest_normal() * (1.0 - 2f64.powi(-(self.mantissa_bits as i32)))
    }

    /// Returns where the format would go on if it could: the power of two after its largest number.
    pub fn beyond(self) -> f64 {
        2f64.powi(self.bias() + 1)
    }

    /// Returns the distance of neighbours at `|x|`; beyond the largest numbers, theirs.
    pub fn spacing(self, x: f64) -> f64 {
        let exponent = ((x.to_bits() >> 52) & 0x7ff) as i32 - 1023;
        2f64.powi(exponent.clamp(1 - self.bias(), self.bias()) - self.mantissa_bits as i32)
    }

    /// Returns C99's `nextafter`, except that `to` is returned where both are equal.
    pub fn next_after(self, from: u64, to: u64) -> u64 {
        let (a, b) = (self.decode(from), self.decode(to));
        if a.is_nan() || b.is_nan() {
            return self.infinity() | 1 << (self.mantissa_bits - 1);
        }
        if a == b {
            return to;
        }
        if a == 0.0 {
            return 1 | (to & self.sign());
        }
        if (a < b) == (a > 0.0) { from + 1 } else { from - 1 }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "in tests a panic is the report")]

    use super::*;

    fn format(element_type: ElementType) -> Format {
        Format::of(element_type).unwrap()
    }

    #[test]
    fn all_numbers_come_back() {
        for element_type in [ElementType::F16, ElementType::Bf16] {
            let format = format(element_type);
            for bits in 0..=0xffff {
                let x = format.decode(bits);
                assert_eq!(format.is_nan(bits), x.is_nan());
                if !x.is_nan() {
                    assert_eq!(format.round(x), bits, "{element_type:?} {bits:#x} {x:e}");
                }
            }
            assert!(format.is_nan(format.round(f64::NAN)));
        }
    }

    #[test]
    fn float32_is_the_cpus() {
        let format = format(ElementType::F32);
        for i in 0..1u64 << 16 {
            let x = f64::from_bits(crate::special::mix(i));
            let near = f64::from_bits(0x3690_0000_0000_0000 + (crate::special::mix(i) >> 2));
            for x in [x, near] {
                let due = u64::from((x as f32).to_bits());
                assert!(format.round(x) == due || x.is_nan(), "{x:e}");
            }
            let bits = crate::special::mix(i) as u32;
            let x = f64::from(f32::from_bits(bits));
            assert!(x.is_nan() || format.decode(bits.into()).to_bits() == x.to_bits());
        }
    }

    #[test]
    fn halves_go_to_even() {
        let f16 = format(ElementType::F16);
        assert_eq!(f16.round(65519.9), 0x7bff);
        assert_eq!(f16.round(65520.0), 0x7c00);
        assert_eq!(f16.round(-1e300), 0xfc00);
        assert_eq!(f16.round(2049.0), f16.round(2048.0));
        assert_eq!(f16.round(2f64.powi(-25)), 0);
        assert_eq!(f16.round(1.5 * 2f64.powi(-24)), 2);
        assert_eq!(f16.next_after(0, 0x8001), 0x8001);
        assert_eq!(f16.next_after(0x3c00, 0), 0x3bff);
        assert_eq!(f16.round(1e300), 0x7c00);
        let ascending = [0xfe00, 0xfc00, 0x8001, 0x8000, 0, 1, 0x7c00, 0x7e00];
        assert!(ascending.is_sorted_by_key(|&bits| f16.total_order_key(bits)));
    }
}
