//! [`Scalar`]: one value with its element type.

use std::fmt;

use half::{bf16, f16};
use num_complex::Complex32;

use super::element_type::ElementType;
use super::int4::{S4, U4};
use super::rust_types::Element;

/// One value with its element type: a constant whose type is known at run time.
///
/// Scalars are compared and hashed by their bits, so that a NaN equals itself and -0 differs from
/// +0.
///
/// ```
/// use indim::{ElementType, Scalar};
///
/// let one = Scalar::new(1_f32);
/// assert_eq!(one, Scalar::from_bits(ElementType::F32, 0x3f80_0000));
/// assert_eq!(Scalar::new(f32::NAN), Scalar::new(f32::NAN));
/// assert_ne!(Scalar::new(0_f32), Scalar::new(-0_f32));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scalar {
    element_type: ElementType,
    bits: u64,
}

impl Scalar {
    /// Returns the constant `value`.
    ///
    /// ```
    /// use indim::{ElementType, Scalar};
    ///
    /// let half = Scalar::new(0.5_f32);
    /// assert_eq!((half.element_type(), half.bits()), (ElementType::F32, 0x3f00_0000));
    /// ```
    pub fn new<T: Element>(value: T) -> Self {
        Self { element_type: T::ELEMENT_TYPE, bits: value.to_bits() }
    }

    /// Returns the constant with this bit pattern. Bits above the type's are ignored; for PRED, any
    /// set bit means true. C64 has its real part in the low 32 bits.
    ///
    /// ```
    /// use indim::{ElementType, Scalar};
    ///
    /// assert_eq!(Scalar::from_bits(ElementType::F32, 0x3f00_0000), Scalar::new(0.5_f32));
    /// assert_eq!(Scalar::from_bits(ElementType::U8, 0x107), Scalar::new(7_u8));
    /// ```
    pub fn from_bits(element_type: ElementType, bits: u64) -> Self {
        let bits = match element_type {
            ElementType::Pred => u64::from(bits != 0),
            _ => bits & (u64::MAX >> (64 - element_type.bits())),
        };
        Self { element_type, bits }
    }

    /// Returns the element type.
    ///
    /// ```
    /// assert_eq!(indim::Scalar::new(7_u8).element_type(), indim::ElementType::U8);
    /// ```
    pub fn element_type(self) -> ElementType {
        self.element_type
    }

    /// Returns the bit pattern, with zeros above the type's bits; 0 or 1 for PRED.
    ///
    /// ```
    /// use indim::Scalar;
    ///
    /// assert_eq!((Scalar::new(-1_i8).bits(), Scalar::new(true).bits()), (0xff, 1));
    /// ```
    pub fn bits(self) -> u64 {
        self.bits
    }

    /// Returns the value if `T` is its type.
    ///
    /// ```
    /// use indim::Scalar;
    ///
    /// assert_eq!(Scalar::new(-1_i8).get::<i8>(), Some(-1));
    /// assert_eq!(Scalar::new(-1_i8).get::<i32>(), None);
    /// ```
    pub fn get<T: Element>(self) -> Option<T> {
        (T::ELEMENT_TYPE == self.element_type).then(|| T::from_bits(self.bits))
    }

    /// Returns the element of this type that is nearest to a number: floats are rounded once, to
    /// nearest, ties to even, and the real part of C64 is rounded so. Returns `None` if the type is
    /// one of integers and the number is none of its values, or if it is PRED and the number is
    /// neither 0 nor 1.
    ///
    /// ```
    /// use indim::{ElementType, Scalar};
    ///
    /// assert_eq!(Scalar::from_f64(ElementType::F32, 0.1), Some(Scalar::new(0.1_f32)));
    /// assert_eq!(Scalar::from_f64(ElementType::U8, 255.0), Some(Scalar::new(255_u8)));
    /// assert_eq!(Scalar::from_f64(ElementType::U8, 256.0), None);
    /// assert_eq!(Scalar::from_f64(ElementType::U8, 0.5), None);
    /// ```
    pub fn from_f64(element_type: ElementType, value: f64) -> Option<Self> {
        Some(match element_type {
            ElementType::F16 => Self::new(f16::of(value)),
            ElementType::Bf16 => Self::new(bf16::of(value)),
            ElementType::F32 => Self::new(f32::of(value)),
            ElementType::F64 => Self::new(value),
            ElementType::C64 => Self::new(Complex32::of(value)),
            _ if value.fract() != 0.0 || value.is_nan() => return None,
            // What is past the i128 is past all ranges.
            _ => return Self::from_i128(element_type, value as i128),
        })
    }

    /// Returns an integer as an element of this type: unchanged, or rounded once to a float, to
    /// nearest, ties to even; as the real part of C64. Returns `None` if the type is one of integers
    /// and the integer is none of its values, or if it is PRED and the integer is neither 0 nor 1.
    ///
    /// ```
    /// use indim::{ElementType, Scalar};
    ///
    /// assert_eq!(Scalar::from_i128(ElementType::S64, -7), Some(Scalar::new(-7_i64)));
    /// assert_eq!(Scalar::from_i128(ElementType::F32, 16_777_217), Some(Scalar::new(16_777_216_f32)));
    /// assert_eq!(Scalar::from_i128(ElementType::S8, 128), None);
    /// ```
    pub fn from_i128(element_type: ElementType, value: i128) -> Option<Self> {
        Some(match element_type {
            ElementType::Pred if value == 0 || value == 1 => Self::new(value == 1),
            ElementType::Pred => return None,
            ElementType::F16 => Self::new(f16::of(odd(value))),
            ElementType::Bf16 => Self::new(bf16::of(odd(value))),
            ElementType::F32 => Self::new(value as f32),
            ElementType::F64 => Self::new(value as f64),
            ElementType::C64 => Self::new(Complex32::new(value as f32, 0.0)),
            integer => {
                let (least, most) = integer.integer_range()?;
                // The low bits are the type's.
                (least..=most).contains(&value).then(|| Self::from_bits(integer, value as u64))?
            }
        })
    }

    /// Returns the value, exactly.
    ///
    /// ```
    /// use indim::{Scalar, ScalarValue};
    ///
    /// assert_eq!(Scalar::new(-7_i8).value(), ScalarValue::Integer(-7));
    /// assert_eq!(Scalar::new(0.5_f32).value(), ScalarValue::Float(0.5));
    /// ```
    pub fn value(self) -> ScalarValue {
        let float = |part: u32| f64::from(f32::from_bits(part));
        match self.element_type {
            ElementType::Pred => ScalarValue::Pred(self.bits != 0),
            ElementType::F16 => ScalarValue::Float(<f16 as Element>::from_bits(self.bits).into()),
            ElementType::Bf16 => ScalarValue::Float(<bf16 as Element>::from_bits(self.bits).into()),
            ElementType::F32 => ScalarValue::Float(float(self.bits as u32)),
            ElementType::F64 => ScalarValue::Float(f64::from_bits(self.bits)),
            ElementType::C64 => {
                ScalarValue::Complex(float(self.bits as u32), float((self.bits >> 32) as u32))
            }
            integer => {
                let signed = integer.integer_range().is_some_and(|(least, _)| least < 0);
                // Up to the top and back, which extends the sign.
                let unused = 64 - integer.bits();
                ScalarValue::Integer(if signed {
                    i128::from((self.bits << unused).cast_signed() >> unused)
                } else {
                    self.bits.into()
                })
            }
        }
    }

    fn as_debug<T: Element>(self) -> impl fmt::Debug {
        T::from_bits(self.bits)
    }
}

/// The value of a [`Scalar`], in a type that holds all values of its kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ScalarValue {
    /// Of PRED.
    Pred(bool),
    /// Of S4 to U64.
    Integer(i128),
    /// Of F16, BF16, F32 and F64.
    Float(f64),
    /// Of C64: the real and the imaginary part.
    Complex(f64, f64),
}

/// Returns an integer as an f64 that is rounded to a 16-bit float as the integer itself would be:
/// where it is not exact, its last bit is 1 (rounding to odd; Boldo and Melquiond, 2008).
fn odd(integer: i128) -> f64 {
    let near = integer as f64;
    let back = near as i128;
    if back == integer || near.to_bits() & 1 == 1 {
        return near;
    }
    // The integer lies between two neighbours, and the other one is odd.
    if (back > integer) == (near > 0.0) {
        f64::from_bits(near.to_bits() - 1)
    } else {
        f64::from_bits(near.to_bits() + 1)
    }
}

impl fmt::Debug for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value: &dyn fmt::Debug = match self.element_type {
            ElementType::Pred => &self.as_debug::<bool>(),
            ElementType::S4 => &self.as_debug::<S4>(),
            ElementType::S8 => &self.as_debug::<i8>(),
            ElementType::S16 => &self.as_debug::<i16>(),
            ElementType::S32 => &self.as_debug::<i32>(),
            ElementType::S64 => &self.as_debug::<i64>(),
            ElementType::U4 => &self.as_debug::<U4>(),
            ElementType::U8 => &self.as_debug::<u8>(),
            ElementType::U16 => &self.as_debug::<u16>(),
            ElementType::U32 => &self.as_debug::<u32>(),
            ElementType::U64 => &self.as_debug::<u64>(),
            ElementType::F16 => &self.as_debug::<half::f16>(),
            ElementType::Bf16 => &self.as_debug::<half::bf16>(),
            ElementType::F32 => &self.as_debug::<f32>(),
            ElementType::F64 => &self.as_debug::<f64>(),
            ElementType::C64 => &self.as_debug::<num_complex::Complex32>(),
        };
        write!(f, "{} {value:?}", self.element_type)
    }
}

impl<T: Element> From<T> for Scalar {
    fn from(value: T) -> Self {
        Self::new(value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scalars_compare_by_bits() {
        assert_eq!(Scalar::new(f32::NAN), Scalar::new(f32::NAN));
        assert_ne!(Scalar::new(0.0f64), Scalar::new(-0.0f64));
        assert_eq!(Scalar::new(7i32).get::<i32>(), Some(7));
        assert_eq!(Scalar::new(7i32).get::<u32>(), None);
        assert_eq!(Scalar::from_bits(ElementType::Pred, 9).get::<bool>(), Some(true));
        assert_eq!(Scalar::new(-1i8), Scalar::from_bits(ElementType::S8, u64::MAX));
        assert_eq!(Scalar::from_bits(ElementType::S4, 0xf).get::<S4>(), S4::new(-1));
    }

    #[test]
    fn integers_are_rounded_once() {
        let bf16_of = |n| Scalar::from_i128(ElementType::Bf16, n).map(Scalar::value);
        // 257 * 2^54 lies in the middle of two bf16, and an f64 does not see the 1.
        let middle = 257i128 << 54;
        assert_eq!(bf16_of(middle), Some(ScalarValue::Float((256i128 << 54) as f64)));
        assert_eq!(bf16_of(middle + 1), Some(ScalarValue::Float((258i128 << 54) as f64)));
        assert_eq!(bf16_of(-middle - 1), Some(ScalarValue::Float(-((258i128 << 54) as f64))));
    }

    #[test]
    fn values_are_those_of_every_type() {
        for &element_type in ElementType::ALL {
            for n in [0, 1] {
                let scalar = Scalar::from_i128(element_type, n).unwrap();
                assert_eq!(Scalar::from_f64(element_type, n as f64), Some(scalar));
                let expected = match element_type {
                    ElementType::Pred => ScalarValue::Pred(n == 1),
                    ElementType::C64 => ScalarValue::Complex(n as f64, 0.0),
                    of if of.integer_range().is_some() => ScalarValue::Integer(n),
                    _ => ScalarValue::Float(n as f64),
                };
                assert_eq!(scalar.value(), expected);
            }
            let Some((least, most)) = element_type.integer_range() else { continue };
            for n in [least, most] {
                let scalar = Scalar::from_i128(element_type, n).unwrap();
                assert_eq!(scalar.value(), ScalarValue::Integer(n));
            }
            for n in [least - 1, most + 1] {
                assert_eq!(Scalar::from_i128(element_type, n), None);
                assert_eq!(Scalar::from_f64(element_type, n as f64 * 2.0 + 0.0), None);
            }
            for x in [0.5, f64::NAN, f64::INFINITY] {
                assert_eq!(Scalar::from_f64(element_type, x), None);
            }
        }
        assert_eq!(ElementType::S4.integer_range(), Some((-8, 7)));
        assert_eq!(ElementType::U64.integer_range(), Some((0, u64::MAX.into())));
        assert_eq!(Scalar::from_f64(ElementType::Pred, 2.0), None);
    }

    #[test]
    fn every_type_shows_its_value() {
        for &element_type in ElementType::ALL {
            for bits in [0, u64::MAX] {
                let text = format!("{:?}", Scalar::from_bits(element_type, bits));
                assert!(text.starts_with(element_type.name()), "{text}");
            }
        }
        assert_eq!(format!("{:?}", Scalar::new(-7i16)), "s16 -7");
        let z = num_complex::Complex32::new(1.5, -2.0);
        assert_eq!(Scalar::new(z).get(), Some(z));
    }
}
