//! [`Scalar`]: one value with its element type.

use std::fmt;

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
    pub fn new<T: Element>(value: T) -> Self {
        Self { element_type: T::ELEMENT_TYPE, bits: value.to_bits() }
    }

    /// Returns the constant with this bit pattern. Bits above the type's are ignored; for PRED, any
    /// set bit means true. C64 has its real part in the low 32 bits.
    pub fn from_bits(element_type: ElementType, bits: u64) -> Self {
        let bits = match element_type {
            ElementType::Pred => u64::from(bits != 0),
            _ => bits & (u64::MAX >> (64 - element_type.bits())),
        };
        Self { element_type, bits }
    }

    /// Returns the element type.
    pub fn element_type(self) -> ElementType {
        self.element_type
    }

    /// Returns the bit pattern, with zeros above the type's bits; 0 or 1 for PRED.
    pub fn bits(self) -> u64 {
        self.bits
    }

    /// Returns the value if `T` is its type.
    pub fn get<T: Element>(self) -> Option<T> {
        (T::ELEMENT_TYPE == self.element_type).then(|| T::from_bits(self.bits))
    }

    fn as_debug<T: Element>(self) -> impl fmt::Debug {
        T::from_bits(self.bits)
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
