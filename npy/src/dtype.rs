//! [`Dtype`]: the types of a file's elements.

use std::fmt;

use indim::ElementType;

/// The type of a file's elements, of those that are numbers or bools; NumPy's term.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dtype {
    /// NumPy's bool, of one byte.
    Bool,
    /// A signed integer of 1, 2, 4 or 8 bytes.
    Int(usize),
    /// An unsigned integer of 1, 2, 4 or 8 bytes.
    Uint(usize),
    /// A float of 2, 4 or 8 bytes.
    Float(usize),
    /// A complex number of 8 or 16 bytes, both parts together.
    Complex(usize),
}

impl Dtype {
    /// Returns the size of an element in bytes.
    pub fn size(self) -> usize {
        match self {
            Self::Bool => 1,
            Self::Int(size) | Self::Uint(size) | Self::Float(size) | Self::Complex(size) => size,
        }
    }

    /// Returns the count of numbers in an element: 2 for a complex one.
    pub fn parts(self) -> usize {
        if matches!(self, Self::Complex(_)) { 2 } else { 1 }
    }

    /// Returns the element type with the same values; `None` for complex128, which `indim` lacks.
    pub fn element_type(self) -> Option<ElementType> {
        match self {
            Self::Bool => Some(ElementType::Pred),
            Self::Int(1) => Some(ElementType::S8),
            Self::Int(2) => Some(ElementType::S16),
            Self::Int(4) => Some(ElementType::S32),
            Self::Int(8) => Some(ElementType::S64),
            Self::Uint(1) => Some(ElementType::U8),
            Self::Uint(2) => Some(ElementType::U16),
            Self::Uint(4) => Some(ElementType::U32),
            Self::Uint(8) => Some(ElementType::U64),
            Self::Float(2) => Some(ElementType::F16),
            Self::Float(4) => Some(ElementType::F32),
            Self::Float(8) => Some(ElementType::F64),
            Self::Complex(8) => Some(ElementType::C64),
            _ => None,
        }
    }

    /// Returns the type for elements of this element type; `None` for BF16, S4 and U4, which NumPy
    /// lacks.
    pub fn of(element_type: ElementType) -> Option<Self> {
        Some(match element_type {
            ElementType::Pred => Self::Bool,
            ElementType::S8 => Self::Int(1),
            ElementType::S16 => Self::Int(2),
            ElementType::S32 => Self::Int(4),
            ElementType::S64 => Self::Int(8),
            ElementType::U8 => Self::Uint(1),
            ElementType::U16 => Self::Uint(2),
            ElementType::U32 => Self::Uint(4),
            ElementType::U64 => Self::Uint(8),
            ElementType::F16 => Self::Float(2),
            ElementType::F32 => Self::Float(4),
            ElementType::F64 => Self::Float(8),
            ElementType::C64 => Self::Complex(8),
            _ => return None,
        })
    }

    /// Returns the format's name of the type, little-endian.
    pub(crate) fn descr(self) -> String {
        let kind = match self {
            Self::Bool => 'b',
            Self::Int(_) => 'i',
            Self::Uint(_) => 'u',
            Self::Float(_) => 'f',
            Self::Complex(_) => 'c',
        };
        let order = if self.size() == 1 { '|' } else { '<' };
        format!("{order}{kind}{}", self.size())
    }
}

impl fmt::Display for Dtype {
    /// Writes NumPy's name, such as `float32`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool => write!(f, "bool"),
            Self::Int(size) => write!(f, "int{}", size * 8),
            Self::Uint(size) => write!(f, "uint{}", size * 8),
            Self::Float(size) => write!(f, "float{}", size * 8),
            Self::Complex(size) => write!(f, "complex{}", size * 8),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_go_there_and_back() {
        let lacking: Vec<ElementType> = ElementType::ALL
            .iter()
            .copied()
            .filter(|&element_type| match Dtype::of(element_type) {
                Some(dtype) => {
                    assert_eq!(dtype.element_type(), Some(element_type), "{dtype}");
                    assert_eq!(dtype.size(), element_type.size_in_bytes(), "{dtype}");
                    false
                }
                None => true,
            })
            .collect();
        assert_eq!(lacking, [ElementType::S4, ElementType::U4, ElementType::Bf16]);
        assert_eq!(Dtype::Complex(16).element_type(), None);
        let names = [Dtype::Bool, Dtype::Int(8), Dtype::Uint(1), Dtype::Complex(16)];
        assert_eq!(names.map(|d| d.to_string()), ["bool", "int64", "uint8", "complex128"]);
        assert_eq!(names.map(Dtype::descr), ["|b1", "<i8", "|u1", "<c16"]);
    }
}
