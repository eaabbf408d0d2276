//! Element types: the run-time name ([`ElementType`]), the Rust types that have one
//! ([`Element`]), and a constant of any of them ([`Scalar`]).

use std::fmt;
use std::str::FromStr;

/// The type of an array's elements, by XLA's names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ElementType {
    /// A truth value; one byte, 0 or 1, in memory and on the device.
    Pred,
    /// A signed 32-bit integer, two's complement.
    S32,
    /// An unsigned 32-bit integer.
    U32,
    /// A 32-bit IEEE 754 float.
    F32,
}

impl ElementType {
    /// Every element type, in the order of the op table's columns.
    pub const ALL: &'static [ElementType] = &[Self::Pred, Self::S32, Self::U32, Self::F32];

    /// XLA's lower-case name, as in `f32[2,3]`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pred => "pred",
            Self::S32 => "s32",
            Self::U32 => "u32",
            Self::F32 => "f32",
        }
    }

    /// Size of one element in bytes, in host memory and on the device alike.
    pub const fn size_in_bytes(self) -> usize {
        match self {
            Self::Pred => 1,
            Self::S32 | Self::U32 | Self::F32 => 4,
        }
    }

    /// The column of this type in the op table.
    pub(crate) const fn column(self) -> usize {
        self as usize
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The text names no element type.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is no element type; those are pred, s32, u32 and f32")]
pub struct UnknownElementType {
    /// What was given.
    pub name: String,
}

impl FromStr for ElementType {
    type Err = UnknownElementType;

    /// Takes XLA's names, and `i32` for `s32`.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let canonical = if name == "i32" { "s32" } else { name };
        Self::ALL
            .iter()
            .copied()
            .find(|t| t.name() == canonical)
            .ok_or_else(|| UnknownElementType { name: name.to_owned() })
    }
}

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that can be an array's element. Sealed: the kernels must know each of them.
pub trait Element: Copy + fmt::Debug + PartialEq + Send + Sync + 'static + sealed::Sealed {
    /// Its name at run time.
    const ELEMENT_TYPE: ElementType;

    #[doc(hidden)]
    fn to_bits(self) -> u32;
    #[doc(hidden)]
    fn from_bits(bits: u32) -> Self;
    #[doc(hidden)]
    fn bytes_to_vec(bytes: &[u8]) -> Vec<Self>;
    #[doc(hidden)]
    fn as_bytes(data: &[Self]) -> &[u8];
}

/// Numbers: everything but PRED. The types of `Sub`, `Div`, `Pow`, `Neg`, `Rem`, `Clamp`.
pub trait Number: Element {}
/// Numbers with a sign: the types of `Abs` and `Sign`.
pub trait Signed: Number {}
/// Integers: the types of the shifts, `Clz` and `PopulationCount`.
pub trait Integer: Number {}
/// Floats: the types of the transcendental functions.
pub trait Float: Signed {}
/// Integers and PRED: the types of `And`, `Or`, `Xor` and `Not`.
pub trait Bitwise: Element {}

macro_rules! word_element {
    ($ty:ty, $variant:ident, $to:expr, $from:expr) => {
        impl sealed::Sealed for $ty {}
        impl Element for $ty {
            const ELEMENT_TYPE: ElementType = ElementType::$variant;
            fn to_bits(self) -> u32 {
                ($to)(self)
            }
            fn from_bits(bits: u32) -> Self {
                ($from)(bits)
            }
            fn bytes_to_vec(bytes: &[u8]) -> Vec<Self> {
                // Mapped memory is aligned; its elements are written once.
                match bytemuck::try_cast_slice(bytes) {
                    Ok(elements) => elements.to_vec(),
                    Err(_) => bytemuck::pod_collect_to_vec(bytes),
                }
            }
            fn as_bytes(data: &[Self]) -> &[u8] {
                bytemuck::cast_slice(data)
            }
        }
        impl Number for $ty {}
    };
}

word_element!(f32, F32, f32::to_bits, f32::from_bits);
word_element!(i32, S32, i32::cast_unsigned, u32::cast_signed);
word_element!(u32, U32, |v| v, |v| v);

impl sealed::Sealed for bool {}
impl Element for bool {
    const ELEMENT_TYPE: ElementType = ElementType::Pred;
    fn to_bits(self) -> u32 {
        u32::from(self)
    }
    fn from_bits(bits: u32) -> Self {
        bits != 0
    }
    fn bytes_to_vec(bytes: &[u8]) -> Vec<Self> {
        bytes.iter().map(|&b| b != 0).collect()
    }
    fn as_bytes(data: &[Self]) -> &[u8] {
        bytemuck::cast_slice(data)
    }
}

impl Signed for f32 {}
impl Signed for i32 {}
impl Integer for i32 {}
impl Integer for u32 {}
impl Float for f32 {}
impl Bitwise for i32 {}
impl Bitwise for u32 {}
impl Bitwise for bool {}

/// One value with its element type: a constant whose type is known at run time.
///
/// Compared and hashed by its bits, so that a NaN equals itself and -0 is not +0.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Scalar {
    element_type: ElementType,
    bits: u32,
}

impl Scalar {
    /// The constant `value`.
    pub fn new<T: Element>(value: T) -> Self {
        Self { element_type: T::ELEMENT_TYPE, bits: value.to_bits() }
    }

    /// The constant with this bit pattern; for PRED any bit set means true.
    pub fn from_bits(element_type: ElementType, bits: u32) -> Self {
        let bits = if element_type == ElementType::Pred { u32::from(bits != 0) } else { bits };
        Self { element_type, bits }
    }

    /// Its type.
    pub fn element_type(self) -> ElementType {
        self.element_type
    }

    /// Its bit pattern; 0 or 1 for PRED.
    pub fn bits(self) -> u32 {
        self.bits
    }

    /// The value, if `T` is its type.
    pub fn get<T: Element>(self) -> Option<T> {
        (T::ELEMENT_TYPE == self.element_type).then(|| T::from_bits(self.bits))
    }
}

impl fmt::Debug for Scalar {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.element_type {
            ElementType::Pred => write!(f, "pred {}", self.bits != 0),
            ElementType::S32 => write!(f, "s32 {}", self.bits.cast_signed()),
            ElementType::U32 => write!(f, "u32 {}", self.bits),
            ElementType::F32 => write!(f, "f32 {:?}", f32::from_bits(self.bits)),
        }
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
    fn names_round_trip() {
        for &t in ElementType::ALL {
            assert_eq!(t.name().parse::<ElementType>().unwrap(), t);
            assert_eq!(ElementType::ALL[t.column()], t);
        }
        assert_eq!("i32".parse::<ElementType>().unwrap(), ElementType::S32);
        assert_eq!(
            "f8".parse::<ElementType>().unwrap_err().to_string(),
            "`f8` is no element type; those are pred, s32, u32 and f32"
        );
    }

    #[test]
    fn scalars_compare_by_bits() {
        assert_eq!(Scalar::new(f32::NAN), Scalar::new(f32::NAN));
        assert_ne!(Scalar::new(0.0f32), Scalar::new(-0.0f32));
        assert_eq!(Scalar::new(7i32).get::<i32>(), Some(7));
        assert_eq!(Scalar::new(7i32).get::<u32>(), None);
        assert_eq!(Scalar::from_bits(ElementType::Pred, 9).get::<bool>(), Some(true));
    }
}
