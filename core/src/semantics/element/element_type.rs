//! [`ElementType`], the run-time name of a type, and the table of types: bits in memory and the
//! [`Form`] in which a shader computes on it.

use std::fmt;
use std::str::FromStr;

use crate::semantics::error_debug::debug_is_text;

/// The type of an array's elements, by XLA's names.
///
/// ```
/// use indim::{Element, ElementType};
///
/// let half: ElementType = "f16".parse()?;
/// assert_eq!(half, ElementType::F16);
/// assert_eq!(half.to_string(), "f16");
/// assert_eq!(<f32 as Element>::ELEMENT_TYPE, ElementType::F32);
/// # Ok::<(), indim::UnknownElementType>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ElementType {
    /// A boolean; one byte, 0 or 1, in host memory and on the device.
    Pred,
    /// A signed 4-bit integer, two's complement; one byte in host memory, half a byte on the
    /// device.
    S4,
    /// A signed 8-bit integer.
    S8,
    /// A signed 16-bit integer.
    S16,
    /// A signed 32-bit integer.
    S32,
    /// A signed 64-bit integer.
    S64,
    /// An unsigned 4-bit integer; one byte in host memory, half a byte on the device.
    U4,
    /// An unsigned 8-bit integer.
    U8,
    /// An unsigned 16-bit integer.
    U16,
    /// An unsigned 32-bit integer.
    U32,
    /// An unsigned 64-bit integer.
    U64,
    /// IEEE 754's binary16. Each operation's result is rounded to it, mostly from 32 bits.
    F16,
    /// bfloat16, the upper 16 bits of an F32. Operations compute in 32 bits and round each result.
    Bf16,
    /// A 32-bit IEEE 754 float.
    F32,
    /// A 64-bit IEEE 754 float; only on devices with `Features::SHADER_F64` and
    /// `Features::SHADER_INT64`.
    F64,
    /// A complex number of two F32, the real part first.
    C64,
}

/// The WGSL type in which a shader holds a value. Several element types share one, and with it the
/// WGSL of their operations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Form {
    /// `bool`.
    Bool,
    /// `i32`, sign-extended where the type is narrower.
    S32,
    /// `u32`, zero-extended where the type is narrower.
    U32,
    /// `i64`, or `vec2<u32>` with the low word first.
    S64,
    /// `u64`, or `vec2<u32>` with the low word first.
    U64,
    /// `f32`; for F16 and BF16 it holds only numbers that those types can represent.
    F32,
    /// `f64`.
    F64,
    /// `vec2<f32>`, the real part first.
    C64,
}

impl Form {
    /// Returns the suffix of this form's functions in shaders/, such as `s32`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Bool => "pred",
            Self::S32 => "s32",
            Self::U32 => "u32",
            Self::S64 => "s64",
            Self::U64 => "u64",
            Self::F32 => "f32",
            Self::F64 => "f64",
            Self::C64 => "c64",
        }
    }
}

/// One entry of the table of element types.
struct TypeInfo {
    name: &'static str,
    /// The size of one element on the device, in bits.
    bits: usize,
    form: Form,
}

impl ElementType {
    /// Every element type, in the order of [`ElementType`].
    pub const ALL: &'static [ElementType] = &[
        Self::Pred,
        Self::S4,
        Self::S8,
        Self::S16,
        Self::S32,
        Self::S64,
        Self::U4,
        Self::U8,
        Self::U16,
        Self::U32,
        Self::U64,
        Self::F16,
        Self::Bf16,
        Self::F32,
        Self::F64,
        Self::C64,
    ];

    const fn info(self) -> TypeInfo {
        let (name, bits, form) = match self {
            Self::Pred => ("pred", 8, Form::Bool),
            Self::S4 => ("s4", 4, Form::S32),
            Self::S8 => ("s8", 8, Form::S32),
            Self::S16 => ("s16", 16, Form::S32),
            Self::S32 => ("s32", 32, Form::S32),
            Self::S64 => ("s64", 64, Form::S64),
            Self::U4 => ("u4", 4, Form::U32),
            Self::U8 => ("u8", 8, Form::U32),
            Self::U16 => ("u16", 16, Form::U32),
            Self::U32 => ("u32", 32, Form::U32),
            Self::U64 => ("u64", 64, Form::U64),
            Self::F16 => ("f16", 16, Form::F32),
            Self::Bf16 => ("bf16", 16, Form::F32),
            Self::F32 => ("f32", 32, Form::F32),
            Self::F64 => ("f64", 64, Form::F64),
            Self::C64 => ("c64", 64, Form::C64),
        };
        TypeInfo { name, bits, form }
    }

    /// Returns XLA's lower-case name, as in `f32[2,3]`.
    ///
    /// ```
    /// assert_eq!(indim::ElementType::Bf16.name(), "bf16");
    /// ```
    pub const fn name(self) -> &'static str {
        self.info().name
    }

    /// Returns the size of one element on the device, in bits: 4 for S4 and U4, else 8 for each
    /// byte that the element takes in host memory.
    ///
    /// ```
    /// use indim::ElementType;
    ///
    /// assert_eq!(ElementType::ALL.iter().map(|of| of.bits()).min(), Some(4)); // S4 and U4
    /// assert_eq!((ElementType::Pred.bits(), ElementType::C64.bits()), (8, 64));
    /// ```
    pub const fn bits(self) -> usize {
        self.info().bits
    }

    /// Returns the size of one element in host memory, in bytes. On the device it is the same,
    /// except that a byte holds two elements of S4 or U4, the first one in its low four bits.
    ///
    /// ```
    /// use indim::ElementType;
    ///
    /// assert_eq!((ElementType::F16.size_in_bytes(), ElementType::U4.size_in_bytes()), (2, 1));
    /// ```
    pub const fn size_in_bytes(self) -> usize {
        self.bits().div_ceil(8)
    }

    /// Returns the least and the largest value of an integer type, S4 to U64; `None` for the other
    /// types.
    ///
    /// ```
    /// assert_eq!(indim::ElementType::U4.integer_range(), Some((0, 15)));
    /// ```
    pub const fn integer_range(self) -> Option<(i128, i128)> {
        let bits = self.bits();
        match self {
            Self::S4 | Self::S8 | Self::S16 | Self::S32 | Self::S64 => {
                Some((-(1 << (bits - 1)), (1 << (bits - 1)) - 1))
            }
            Self::U4 | Self::U8 | Self::U16 | Self::U32 | Self::U64 => Some((0, (1 << bits) - 1)),
            Self::Pred | Self::F16 | Self::Bf16 | Self::F32 | Self::F64 | Self::C64 => None,
        }
    }

    /// Returns the form in which shaders hold a value of this type.
    #[doc(hidden)]
    pub const fn form(self) -> Form {
        self.info().form
    }

    /// Checks whether the form is wider than the type, so that a shader must round or wrap results
    /// to the type.
    #[doc(hidden)]
    pub const fn is_narrow(self) -> bool {
        self.bits() < 32 && !matches!(self, Self::Pred)
    }

    /// Returns how many elements a 32-bit word of device memory holds; 1 for types of 32 bits and
    /// more. An invocation writes whole words, so that no two invocations write to one.
    #[doc(hidden)]
    pub const fn elements_per_word(self) -> usize {
        match self.bits() {
            bits @ ..32 => 32 / bits,
            _ => 1,
        }
    }

    /// Returns the bytes of device memory that `count` elements take, unless they exceed `u64`.
    ///
    /// ```
    /// use indim::ElementType;
    ///
    /// assert_eq!(ElementType::F32.device_bytes(3), Some(12));
    /// assert_eq!(ElementType::U4.device_bytes(3), Some(2));
    /// assert_eq!(ElementType::F32.device_bytes(u64::MAX), None);
    /// ```
    pub const fn device_bytes(self, count: u64) -> Option<u64> {
        match self.bits() {
            4 => Some(count.div_ceil(2)),
            bits => count.checked_mul(bits as u64 / 8),
        }
    }

    /// Returns how many whole elements `bytes` bytes of device memory hold.
    #[doc(hidden)]
    pub const fn elements_in(self, bytes: u64) -> u64 {
        match self.bits() {
            4 => bytes.saturating_mul(2),
            bits => bytes / (bits as u64 / 8),
        }
    }
}

impl fmt::Display for ElementType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

debug_is_text! {
/// A text that does not name an element type.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is not an element type; those are {}", known())]
pub struct UnknownElementType {
    /// The text given.
    pub name: String,
}
}

/// Lists the names of all element types for a message.
fn known() -> String {
    let names: Vec<&str> = ElementType::ALL.iter().map(|t| t.name()).collect();
    match names.split_last() {
        Some((last, init)) => format!("{} and {last}", init.join(", ")),
        None => String::new(),
    }
}

impl FromStr for ElementType {
    type Err = UnknownElementType;

    /// Parses XLA's lower-case names, and `i32` for `s32`.
    ///
    /// # Errors
    /// [`UnknownElementType`] for any other text.
    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let canonical = if name == "i32" { "s32" } else { name };
        Self::ALL
            .iter()
            .copied()
            .find(|t| t.name() == canonical)
            .ok_or_else(|| UnknownElementType { name: name.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for (i, &t) in ElementType::ALL.iter().enumerate() {
            assert_eq!(t.name().parse::<ElementType>().unwrap(), t);
            assert_eq!(t as usize, i);
        }
        assert_eq!("i32".parse::<ElementType>().unwrap(), ElementType::S32);
        assert_eq!(
            "f8".parse::<ElementType>().unwrap_err().to_string(),
            "`f8` is not an element type; those are pred, s4, s8, s16, s32, s64, u4, u8, u16, u32, \
             u64, f16, bf16, f32, f64 and c64"
        );
    }

    #[test]
    fn two_4_bit_elements_take_a_byte() {
        assert_eq!(ElementType::S4.device_bytes(3), Some(2));
        assert_eq!(ElementType::C64.device_bytes(3), Some(24));
        assert_eq!(ElementType::U64.device_bytes(u64::MAX / 4), None);
        assert_eq!(ElementType::U4.elements_per_word(), 8);
        assert_eq!(ElementType::F64.elements_per_word(), 1);
    }
}
