//! [`Type`]: the types of values, as they are written.

use std::fmt;

use indim_core::{ElementType, Shape};

/// The type of a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Type<'a> {
    /// An array.
    Tensor(Tensor<'a>),
    /// Tokens, tuples and all others.
    Other(&'a str),
}

/// The type of an array.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tensor<'a> {
    /// The sizes; `None` for one that is known when the program runs only.
    pub(crate) sizes: Vec<Option<i64>>,
    /// The element type.
    pub(crate) element: Element<'a>,
    /// True if an encoding follows, such as bounds on sizes.
    pub(crate) is_encoded: bool,
}

/// An element type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element<'a> {
    /// One that arrays have here.
    Known(ElementType),
    /// Another one.
    Other(&'a str),
}

impl<'a> Type<'a> {
    /// Reads a type from its text, such as `tensor<2x3xf32>`; `None` if its sizes cannot be read.
    pub(crate) fn read(text: &'a str) -> Option<Self> {
        let inner = text.strip_prefix("tensor<").and_then(|rest| rest.strip_suffix('>'));
        let Some(mut rest) = inner.map(str::trim) else { return Some(Self::Other(text)) };
        let mut sizes = Vec::new();
        while let Some((size, after)) = size(rest) {
            sizes.push(size?);
            rest = after;
        }
        // An encoding follows a comma outside of all brackets.
        let mut depth = 0_usize;
        let comma = rest.find(|c| {
            match c {
                '<' => depth += 1,
                '>' => depth = depth.saturating_sub(1),
                _ => {}
            }
            c == ',' && depth == 0
        });
        let element = Element::read(rest[..comma.unwrap_or(rest.len())].trim());
        Some(Self::Tensor(Tensor { sizes, element, is_encoded: comma.is_some() }))
    }

    /// Returns the array's type, if it is one.
    pub(crate) fn tensor(&self) -> Option<&Tensor<'a>> {
        match self {
            Self::Tensor(tensor) => Some(tensor),
            Self::Other(_) => None,
        }
    }

    /// Checks whether values of both types may be the same: sizes that are not known fit all.
    pub(crate) fn fits(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Tensor(a), Self::Tensor(b)) => a.element == b.element && a.fits_shape(b),
            _ => self == other,
        }
    }
}

/// Reads a size and the `x` after it. The inner `None` is a size that cannot be read.
#[allow(clippy::option_option, reason = "a size may be missing, unreadable or not known")]
fn size(text: &str) -> Option<(Option<Option<i64>>, &str)> {
    let text = text.trim_start();
    if let Some(rest) = text.strip_prefix('?') {
        return Some((Some(None), rest.trim_start().strip_prefix('x')?));
    }
    let digits = text.find(|c: char| !c.is_ascii_digit()).filter(|&end| end > 0)?;
    let rest = text[digits..].trim_start().strip_prefix('x')?;
    Some((text[..digits].parse().ok().map(Some), rest))
}

impl<'a> Tensor<'a> {
    /// Returns the shape, if all sizes are known.
    pub(crate) fn shape(&self) -> Option<Shape> {
        let sizes = self.sizes.iter().map(|size| usize::try_from((*size)?).ok());
        sizes.collect::<Option<Vec<usize>>>().map(Shape::from)
    }

    /// Returns the element type, if arrays have it here.
    pub(crate) fn element_type(&self) -> Option<ElementType> {
        match self.element {
            Element::Known(element_type) => Some(element_type),
            Element::Other(_) => None,
        }
    }

    /// Checks whether both shapes may be the same.
    pub(crate) fn fits_shape(&self, other: &Self) -> bool {
        let same = |(a, b): (&Option<i64>, &Option<i64>)| a.is_none() || b.is_none() || a == b;
        self.sizes.len() == other.sizes.len() && self.sizes.iter().zip(&other.sizes).all(same)
    }
}

impl<'a> Element<'a> {
    /// Reads an element type. Integers without a sign in their name are signed, as in StableHLO.
    pub(crate) fn read(text: &'a str) -> Self {
        Self::Known(match text {
            "i1" => ElementType::Pred,
            "i4" | "si4" => ElementType::S4,
            "i8" | "si8" => ElementType::S8,
            "i16" | "si16" => ElementType::S16,
            "i32" | "si32" => ElementType::S32,
            "i64" | "si64" => ElementType::S64,
            "ui4" => ElementType::U4,
            "ui8" => ElementType::U8,
            "ui16" => ElementType::U16,
            "ui32" => ElementType::U32,
            "ui64" => ElementType::U64,
            "f16" => ElementType::F16,
            "bf16" => ElementType::Bf16,
            "f32" => ElementType::F32,
            "f64" => ElementType::F64,
            "complex<f32>" => ElementType::C64,
            _ => return Self::Other(text),
        })
    }

    /// Returns the kind and the bits of a plain or quantised type, by which one is promotable to
    /// another.
    fn rank(self) -> Option<(&'a str, u64)> {
        let known = match self {
            Self::Known(ElementType::C64) => return Some(("complex", 64)),
            Self::Known(known) => known,
            Self::Other("complex<f64>") => return Some(("complex", 128)),
            Self::Other(_) => return None,
        };
        let kind = match known {
            ElementType::Pred => "pred",
            ElementType::F16 | ElementType::Bf16 | ElementType::F32 | ElementType::F64 => "float",
            _ => "integer",
        };
        Some((kind, known.bits() as u64))
    }

    /// Returns the storage and the expressed type of a quantised type.
    fn quantised(self) -> Option<[Self; 2]> {
        let Self::Other(text) = self else { return None };
        let inner = text.strip_prefix("!quant.uniform<")?.strip_suffix('>')?;
        let (storage, rest) = inner.split_once(':')?;
        let storage = storage.split('<').next().unwrap_or(storage);
        let expressed = rest.split([',', ':']).next()?;
        Some([storage, expressed].map(|text| Element::read(text.trim())))
    }

    /// Checks the specification's `is_promotable` from this type to another; what is not known here
    /// is promotable to itself only.
    pub(crate) fn is_promotable(self, to: Self) -> bool {
        if let (Some([storage, expressed]), Some([to_storage, to_expressed])) =
            (self.quantised(), to.quantised())
        {
            return expressed == to_expressed && storage.is_promotable(to_storage);
        }
        match (self.rank(), to.rank()) {
            (Some((kind, bits)), Some((to_kind, to_bits))) => kind == to_kind && bits <= to_bits,
            _ => self == to,
        }
    }
}

impl fmt::Display for Element<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Known(element_type) => f.write_str(name(*element_type)),
            Self::Other(text) => f.write_str(text),
        }
    }
}

impl fmt::Display for Tensor<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("tensor<")?;
        for size in &self.sizes {
            match size {
                Some(size) => write!(f, "{size}x")?,
                None => f.write_str("?x")?,
            }
        }
        write!(f, "{}>", self.element)
    }
}

impl fmt::Display for Type<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tensor(tensor) => tensor.fmt(f),
            Self::Other(text) => f.write_str(text),
        }
    }
}

/// Returns MLIR's name of an element type.
pub(crate) fn name(element_type: ElementType) -> &'static str {
    match element_type {
        ElementType::Pred => "i1",
        ElementType::S4 => "i4",
        ElementType::S8 => "i8",
        ElementType::S16 => "i16",
        ElementType::S32 => "i32",
        ElementType::S64 => "i64",
        ElementType::U4 => "ui4",
        ElementType::U8 => "ui8",
        ElementType::U16 => "ui16",
        ElementType::U32 => "ui32",
        ElementType::U64 => "ui64",
        ElementType::F16 => "f16",
        ElementType::Bf16 => "bf16",
        ElementType::F32 => "f32",
        ElementType::F64 => "f64",
        ElementType::C64 => "complex<f32>",
        other => other.name(),
    }
}

/// Returns the type of an array as MLIR writes it, such as `tensor<2x3xf32>`.
pub(crate) fn tensor(element_type: ElementType, shape: &Shape) -> String {
    let sizes: String = shape.dims().iter().map(|size| format!("{size}x")).collect();
    format!("tensor<{sizes}{}>", name(element_type))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_read_and_written() {
        for text in
            ["tensor<f32>", "tensor<2x?xi1>", "tensor<0x4xcomplex<f32>>", "tuple<tensor<i32>>"]
        {
            assert_eq!(Type::read(text).unwrap().to_string(), text);
        }
        assert_eq!(Type::read("tensor<99999999999999999999xf32>"), None);
        let bounded = Type::read("tensor<?xf32, #stablehlo.bounds<3>>").unwrap();
        assert!(bounded.tensor().unwrap().is_encoded);
    }

    #[test]
    fn promotion_keeps_the_kind_and_widens() {
        let promotable = |from, to| Element::read(from).is_promotable(Element::read(to));
        assert!(promotable("f32", "f64") && promotable("i8", "i32") && promotable("i1", "i1"));
        assert!(!promotable("f64", "f32") && !promotable("i32", "f32"));
        let [narrow, wide] = ["!quant.uniform<i8:f32, 2.0:15>", "!quant.uniform<i16:f32, 2.0:15>"];
        assert!(promotable(narrow, wide) && !promotable(wide, narrow));
    }
}
