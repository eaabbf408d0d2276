//! [`Element`], implemented by the Rust types that have an element type, and the traits that select
//! the types an operation accepts.

use std::borrow::Cow;
use std::fmt;

use half::{bf16, f16};
use num_complex::Complex32;

use super::element_type::ElementType;
use super::int4::{S4, U4};

mod sealed {
    pub trait Sealed {}
}

/// A Rust type that can be an array's element. The trait is sealed, because the code generator must
/// support each type.
pub trait Element: Copy + fmt::Debug + PartialEq + Send + Sync + 'static + sealed::Sealed {
    /// The type's name at run time.
    const ELEMENT_TYPE: ElementType;

    /// Returns the number in this type, for code over several types. It is converted as
    /// [`Opcode::ConvertElementType`](crate::Opcode::ConvertElementType) converts F64: floats are
    /// rounded once, to nearest, ties to even; integers are truncated, with saturation, and NaN
    /// becomes 0; PRED is true unless the number is 0; in C64 it is the real part. `f64` holds
    /// integers up to 2^53.
    ///
    /// ```
    /// use indim::{Element, Float, half::f16};
    ///
    /// fn half_turn<T: Float>() -> T {
    ///     T::of(std::f64::consts::PI)
    /// }
    /// assert_eq!(half_turn::<f32>(), std::f32::consts::PI);
    /// assert_eq!(half_turn::<f16>().to_f32(), 3.140625);
    /// assert_eq!(u8::of(-1.5), 0);
    /// ```
    fn of(value: f64) -> Self;

    // The element's bit pattern, zero-extended.
    #[doc(hidden)]
    fn to_bits(self) -> u64;
    #[doc(hidden)]
    fn from_bits(bits: u64) -> Self;
    // Reads elements from a literal's bytes; S4 and U4 take a byte each there.
    #[doc(hidden)]
    fn bytes_to_vec(bytes: &[u8]) -> Vec<Self>;
    // The elements as a literal's bytes.
    #[doc(hidden)]
    fn as_bytes(data: &[Self]) -> Cow<'_, [u8]>;
}

/// Every type but PRED. `Sub`, `Div`, `Pow`, `Neg` and `Iota` take these.
pub trait Number: Element {}
/// Every type but the complex ones. `Max`, `Min` and all comparisons but `Eq` and `Ne` take these.
pub trait Ordered: Element {}
/// Integers and floats. `Rem`, `FloorDivide`, `Remainder` and `Clamp` take these.
pub trait Real: Number + Ordered {}
/// Signed integers, floats and complex numbers. `Abs` and `Sign` take these.
pub trait Signed: Number {
    /// The result type of `Abs`: `f32` for C64, else the type itself.
    type Magnitude: Element;
}
/// Integers. The shifts, `Clz` and `PopulationCount` take these.
pub trait Integer: Real + Bitwise {}
/// Floats and complex numbers; the name is NumPy's. Most transcendental functions take these.
pub trait Inexact: Signed {
    /// The type of the real and imaginary parts: `f32` for C64, else the type itself.
    type Part: Element;
}
/// Floats. The roundings, `Cbrt`, `Copysign`, `Hypot`, `Logaddexp`, `IsFinite`, `Signbit`, `NextAfter`,
/// `ReducePrecision` and the error, gamma and Bessel functions take these.
pub trait Float: Inexact + Real {}
/// The parts of complex numbers: F32. `Complex` takes these.
pub trait ComplexPart: Float {}
/// Complex numbers and their parts. `Conj` takes these.
pub trait Conjugable: Inexact {}
/// Integers and PRED. `And`, `Or`, `Xor` and `Not` take these.
pub trait Bitwise: Element {}

/// Returns an `f32` that rounds to 16 bits as the `f64` does: if inexact, its last bit is 1
/// (rounding to odd). Rounding to nearest here would round twice.
fn to_odd(value: f64) -> f32 {
    let near = value as f32;
    let back = f64::from(near);
    if back == value || value.is_nan() || near.to_bits() & 1 == 1 {
        return near;
    }
    // The value lies between two neighbours, and the other one is odd; that of infinity is the
    // largest number.
    let step = if back.abs() > value.abs() { -1 } else { 1 };
    f32::from_bits(near.to_bits().wrapping_add_signed(step))
}

macro_rules! plain_element {
    ($ty:ty, $variant:ident, $to:expr, $from:expr, $of:expr) => {
        impl sealed::Sealed for $ty {}
        impl Element for $ty {
            const ELEMENT_TYPE: ElementType = ElementType::$variant;
            fn of(value: f64) -> Self {
                ($of)(value)
            }
            fn to_bits(self) -> u64 {
                ($to)(self)
            }
            fn from_bits(bits: u64) -> Self {
                ($from)(bits)
            }
            fn bytes_to_vec(bytes: &[u8]) -> Vec<Self> {
                // Mapped memory is aligned, so this copies without an intermediate buffer.
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

plain_element!(i8, S8, |v: i8| u64::from(v.cast_unsigned()), |b| b as i8, |v| v as i8);
plain_element!(i16, S16, |v: i16| u64::from(v.cast_unsigned()), |b| b as i16, |v| v as i16);
plain_element!(i32, S32, |v: i32| u64::from(v.cast_unsigned()), |b| b as i32, |v| v as i32);
plain_element!(i64, S64, i64::cast_unsigned, u64::cast_signed, |v| v as i64);
plain_element!(u8, U8, u64::from, |b| b as u8, |v| v as u8);
plain_element!(u16, U16, u64::from, |b| b as u16, |v| v as u16);
plain_element!(u32, U32, u64::from, |b| b as u32, |v| v as u32);
plain_element!(u64, U64, |v| v, |b| b, |v| v as u64);
plain_element!(f16, F16, |v: f16| u64::from(v.to_bits()), |b| f16::from_bits(b as u16), |v| {
    f16::from_f32(to_odd(v))
});
plain_element!(bf16, Bf16, |v: bf16| u64::from(v.to_bits()), |b| bf16::from_bits(b as u16), |v| {
    bf16::from_f32(to_odd(v))
});
plain_element!(f32, F32, |v: f32| u64::from(v.to_bits()), |b| f32::from_bits(b as u32), |v| v
    as f32);
plain_element!(f64, F64, f64::to_bits, f64::from_bits, |v| v);
plain_element!(
    Complex32,
    C64,
    |v: Complex32| u64::from(v.re.to_bits()) | (u64::from(v.im.to_bits()) << 32),
    |b| Complex32::new(f32::from_bits(b as u32), f32::from_bits((b >> 32) as u32)),
    |v| Complex32::new(v as f32, 0.0)
);

impl sealed::Sealed for bool {}
impl Element for bool {
    const ELEMENT_TYPE: ElementType = ElementType::Pred;
    fn of(value: f64) -> Self {
        value != 0.0
    }
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

macro_rules! int4_element {
    ($($ty:ty, $variant:ident, $to:expr, $from:expr, $of:expr;)*) => {$(
        impl sealed::Sealed for $ty {}
        impl Element for $ty {
            const ELEMENT_TYPE: ElementType = ElementType::$variant;
            fn of(value: f64) -> Self {
                Self::wrapping(($of)(value))
            }
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

int4_element! {
    S4, S4, i8::cast_unsigned, u8::cast_signed, |v| (v as i8).clamp(-8, 7);
    U4, U4, u8::from, u8::from, |v| (v as u8).min(15);
}

macro_rules! implement {
    ($($marker:ident: $($ty:ty)*;)*) => {$($(impl $marker for $ty {})*)*};
}

implement! {
    Number: S4 i8 i16 i32 i64 U4 u8 u16 u32 u64 f16 bf16 f32 f64 Complex32;
    Ordered: bool S4 i8 i16 i32 i64 U4 u8 u16 u32 u64 f16 bf16 f32 f64;
    Real: S4 i8 i16 i32 i64 U4 u8 u16 u32 u64 f16 bf16 f32 f64;
    Integer: S4 i8 i16 i32 i64 U4 u8 u16 u32 u64;
    Bitwise: bool S4 i8 i16 i32 i64 U4 u8 u16 u32 u64;
    Float: f16 bf16 f32 f64;
    ComplexPart: f32;
    Conjugable: f32 Complex32;
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

#[cfg(test)]
mod tests {
    use half::slice::HalfBitsSliceExt as _;

    use super::*;

    /// Checks whether the bytes of these elements are borrowed from `data`.
    fn is_borrowed<T: Element>(data: &[T]) -> bool {
        let bytes = T::as_bytes(data);
        matches!(bytes, Cow::Borrowed(_)) && bytes.as_ptr() == data.as_ptr().cast()
    }

    #[test]
    fn elements_are_uploaded_from_where_they_lie() {
        assert!(is_borrowed(&[1u8, 2]) && is_borrowed(&[1i64, -2]) && is_borrowed(&[1.5f64]));
        assert!(is_borrowed(&[f16::ONE]) && is_borrowed(&[bf16::ONE]) && is_borrowed(&[true]));
        assert!(is_borrowed(&[Complex32::I]));
        // Two share a byte on the device, but not in host memory.
        assert!(!is_borrowed(&[U4::MAX]));
    }

    /// Slices of bit patterns are cast to elements, whose bytes are those of the slice.
    #[test]
    fn bit_patterns_are_elements() {
        let patterns: &[u16] = &[0x3c00, 0x7e01, 0x8000];
        let halves: &[f16] = patterns.reinterpret_cast();
        let brains: &[bf16] = bytemuck::cast_slice(patterns);
        for bytes in [f16::as_bytes(halves), bf16::as_bytes(brains)] {
            assert_eq!(bytes.as_ptr(), patterns.as_ptr().cast());
            assert_eq!(&*bytes, bytemuck::cast_slice::<u16, u8>(patterns));
        }
        let pairs = [[1.0f32, -2.0], [f32::NAN, 0.0]];
        let complex: &[Complex32] = bytemuck::cast_slice(&pairs);
        assert_eq!(complex[0], Complex32::new(1.0, -2.0));
        assert_eq!(Complex32::as_bytes(complex).as_ptr(), pairs.as_ptr().cast());
    }
}
