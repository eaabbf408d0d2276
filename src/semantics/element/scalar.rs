//! [`Scalar`]: one value with its element type.

use std::fmt;

use super::{Element, ElementType, S4, U4};

/// One value with its element type: a constant whose type is known at run time.
///
/// Compared and hashed by its bits, so that a NaN equals itself and -0 is not +0.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scalar {
    element_type: ElementType,
    bits: u64,
}

impl Scalar {
    /// The constant `value`.
    pub fn new<T: Element>(value: T) -> Self {
        Self { element_type: T::ELEMENT_TYPE, bits: value.to_bits() }
    }

    /// The constant with this bit pattern, of which the type's low bits count; for PRED any bit set
    /// means true. C64 has its real part in the low half.
    pub fn from_bits(element_type: ElementType, bits: u64) -> Self {
        let bits = match element_type {
            ElementType::Pred => u64::from(bits != 0),
            _ => bits & (u64::MAX >> (64 - element_type.bits())),
        };
        Self { element_type, bits }
    }

    /// Its type.
    pub fn element_type(self) -> ElementType {
        self.element_type
    }

    /// Its bit pattern, zeros above the type's bits; 0 or 1 for PRED.
    pub fn bits(self) -> u64 {
        self.bits
    }

    /// The value, if `T` is its type.
    pub fn get<T: Element>(self) -> Option<T> {
        (T::ELEMENT_TYPE == self.element_type).then(|| T::from_bits(self.bits))
    }

    fn shown<T: Element>(self) -> impl fmt::Debug {
        T::from_bits(self.bits)
    }
}

impl fmt::Debug for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value: &dyn fmt::Debug = match self.element_type {
            ElementType::Pred => &self.shown::<bool>(),
            ElementType::S4 => &self.shown::<S4>(),
            ElementType::S8 => &self.shown::<i8>(),
            ElementType::S16 => &self.shown::<i16>(),
            ElementType::S32 => &self.shown::<i32>(),
            ElementType::S64 => &self.shown::<i64>(),
            ElementType::U4 => &self.shown::<U4>(),
            ElementType::U8 => &self.shown::<u8>(),
            ElementType::U16 => &self.shown::<u16>(),
            ElementType::U32 => &self.shown::<u32>(),
            ElementType::U64 => &self.shown::<u64>(),
            ElementType::F16 => &self.shown::<half::f16>(),
            ElementType::Bf16 => &self.shown::<half::bf16>(),
            ElementType::F32 => &self.shown::<f32>(),
            ElementType::F64 => &self.shown::<f64>(),
            ElementType::C64 => &self.shown::<num_complex::Complex32>(),
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
