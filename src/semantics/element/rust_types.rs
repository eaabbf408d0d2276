//! The Rust types that have an element type, and what operations ask of them.

use std::borrow::Cow;
use std::fmt;

use half::{bf16, f16};
use num_complex::Complex32;

use super::{ElementType, S4, U4};

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that can be an array's element. Sealed: the kernels must know each of them.
pub trait Element: Copy + fmt::Debug + PartialEq + Send + Sync + 'static + sealed::Sealed {
    /// Its name at run time.
    const ELEMENT_TYPE: ElementType;

    #[doc(hidden)]
    fn to_bits(self) -> u64;
    #[doc(hidden)]
    fn from_bits(bits: u64) -> Self;
    /// From host memory, where S4 and U4 take a byte each.
    #[doc(hidden)]
    fn bytes_to_vec(bytes: &[u8]) -> Vec<Self>;
    #[doc(hidden)]
    fn as_bytes(data: &[Self]) -> Cow<'_, [u8]>;
}

/// Everything but PRED: the types of `Sub`, `Div`, `Pow`, `Neg` and `Iota`.
pub trait Number: Element {}
/// Everything but complex numbers: the types of `Max`, `Min` and of the compares but `Eq` and `Ne`.
pub trait Ordered: Element {}
/// Integers and floats: the types of `Rem` and `Clamp`.
pub trait Real: Number + Ordered {}
/// Numbers with a sign, and complex ones: the types of `Abs` and `Sign`.
pub trait Signed: Number {
    /// The type of `Abs`: F32 of C64, else the same.
    type Magnitude: Element;
}
/// Integers: the types of the shifts, `Clz` and `PopulationCount`.
pub trait Integer: Real + Bitwise {}
/// Floats and complex numbers: the types of most transcendental functions.
pub trait Inexact: Signed {
    /// The type of the real and imaginary part.
    type Part: Element;
}
/// Floats: the types of the other ones.
pub trait Float: Inexact + Real {}
/// Integers and PRED: the types of `And`, `Or`, `Xor` and `Not`.
pub trait Bitwise: Element {}

macro_rules! plain_element {
    ($ty:ty, $variant:ident, $to:expr, $from:expr) => {
        impl sealed::Sealed for $ty {}
        impl Element for $ty {
            const ELEMENT_TYPE: ElementType = ElementType::$variant;
            fn to_bits(self) -> u64 {
                ($to)(self)
            }
            fn from_bits(bits: u64) -> Self {
                ($from)(bits)
            }
            fn bytes_to_vec(bytes: &[u8]) -> Vec<Self> {
                // Mapped memory is aligned; its elements are written once.
                match bytemuck::try_cast_slice(bytes) {
                    Ok(elements) => elements.to_vec(),
                    Err(_) => bytemuck::pod_collect_to_vec(bytes),
                }
            }
            fn as_bytes(data: &[Self]) -> Cow<'_, [u8]> {
                Cow::Borrowed(bytemuck::cast_slice(data))
            }
        }
    };
}

plain_element!(i8, S8, |v: i8| u64::from(v.cast_unsigned()), |b| b as i8);
plain_element!(i16, S16, |v: i16| u64::from(v.cast_unsigned()), |b| b as i16);
plain_element!(i32, S32, |v: i32| u64::from(v.cast_unsigned()), |b| b as i32);
plain_element!(i64, S64, i64::cast_unsigned, u64::cast_signed);
plain_element!(u8, U8, u64::from, |b| b as u8);
plain_element!(u16, U16, u64::from, |b| b as u16);
plain_element!(u32, U32, u64::from, |b| b as u32);
plain_element!(u64, U64, |v| v, |b| b);
plain_element!(f16, F16, |v: f16| u64::from(v.to_bits()), |b| f16::from_bits(b as u16));
plain_element!(bf16, Bf16, |v: bf16| u64::from(v.to_bits()), |b| bf16::from_bits(b as u16));
plain_element!(f32, F32, |v: f32| u64::from(v.to_bits()), |b| f32::from_bits(b as u32));
plain_element!(f64, F64, f64::to_bits, f64::from_bits);
plain_element!(
    Complex32,
    C64,
    |v: Complex32| u64::from(v.re.to_bits()) | (u64::from(v.im.to_bits()) << 32),
    |b| Complex32::new(f32::from_bits(b as u32), f32::from_bits((b >> 32) as u32))
);

impl sealed::Sealed for bool {}
impl Element for bool {
    const ELEMENT_TYPE: ElementType = ElementType::Pred;
    fn to_bits(self) -> u64 {
        u64::from(self)
    }
    fn from_bits(bits: u64) -> Self {
        bits != 0
    }
    fn bytes_to_vec(bytes: &[u8]) -> Vec<Self> {
        bytes.iter().map(|&b| b != 0).collect()
    }
    fn as_bytes(data: &[Self]) -> Cow<'_, [u8]> {
        Cow::Borrowed(bytemuck::cast_slice(data))
    }
}

macro_rules! nibble_element {
    ($($ty:ty, $variant:ident, $to:expr, $from:expr;)*) => {$(
        impl sealed::Sealed for $ty {}
        impl Element for $ty {
            const ELEMENT_TYPE: ElementType = ElementType::$variant;
            fn to_bits(self) -> u64 {
                u64::from($to(self.get()) & 15)
            }
            fn from_bits(bits: u64) -> Self {
                Self::wrapping($from(bits as u8))
            }
            fn bytes_to_vec(bytes: &[u8]) -> Vec<Self> {
                bytes.iter().map(|&b| Self::wrapping($from(b))).collect()
            }
            fn as_bytes(data: &[Self]) -> Cow<'_, [u8]> {
                Cow::Owned(data.iter().map(|v| $to(v.get())).collect())
            }
        }
    )*};
}

nibble_element! {
    S4, S4, i8::cast_unsigned, u8::cast_signed;
    U4, U4, u8::from, u8::from;
}

macro_rules! marked {
    ($($marker:ident: $($ty:ty)*;)*) => {$($(impl $marker for $ty {})*)*};
}

marked! {
    Number: S4 i8 i16 i32 i64 U4 u8 u16 u32 u64 f16 bf16 f32 f64 Complex32;
    Ordered: bool S4 i8 i16 i32 i64 U4 u8 u16 u32 u64 f16 bf16 f32 f64;
    Real: S4 i8 i16 i32 i64 U4 u8 u16 u32 u64 f16 bf16 f32 f64;
    Integer: S4 i8 i16 i32 i64 U4 u8 u16 u32 u64;
    Bitwise: bool S4 i8 i16 i32 i64 U4 u8 u16 u32 u64;
    Float: f16 bf16 f32 f64;
}

macro_rules! signed {
    ($($ty:ty)*) => {$(impl Signed for $ty { type Magnitude = $ty; })*};
}
signed!(S4 i8 i16 i32 i64 f16 bf16 f32 f64);
impl Signed for Complex32 {
    type Magnitude = f32;
}

macro_rules! inexact {
    ($($ty:ty)*) => {$(impl Inexact for $ty { type Part = $ty; })*};
}
inexact!(f16 bf16 f32 f64);
impl Inexact for Complex32 {
    type Part = f32;
}
