//! How a load is read: in whole words, one by one, or once for several elements.

use std::fmt;

use indim_core::semantics::element::ElementType;

/// How an operand is read for the neighbouring elements that an invocation computes together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Access {
    /// The elements are also neighbours in the operand, and are loaded in whole words.
    Contiguous,
    /// All of them use one element of the operand.
    Splat,
    /// The elements are every second, third or fourth one of the operand, or in reverse order, or
    /// begin within a word: whole words are loaded, and a part of them is used.
    Strided,
    /// The elements are neighbours along another dimension: they are loaded along that one for a
    /// block of rows, and transposed in registers.
    Transposed,
    /// One element of the operand is used up to the end of a row, and another one from there on.
    Split,
    /// Each is loaded by itself.
    Gather,
    /// Each is loaded by itself, at a computed position.
    Taken,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Contiguous => "contiguous",
            Self::Splat => "splat",
            Self::Strided => "strided",
            Self::Transposed => "transposed",
            Self::Split => "split",
            Self::Gather => "gather",
            Self::Taken => "taken",
        })
    }
}

/// How one load is read, which depends on the width of its binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct LoadMode {
    pub(crate) access: Access,
    /// The distance in elements between neighbours, if they are read in words. In short kernels it
    /// is 1 if the elements of a row differ, else 0.
    pub(crate) step: i32,
    /// The lane of the first element in its word, if they are read in words.
    pub(crate) phase: u32,
}

impl LoadMode {
    pub(super) fn by(access: Access) -> Self {
        Self { access, step: 0, phase: 0 }
    }

    /// Returns true if whole words are loaded.
    pub(crate) fn in_words(self) -> bool {
        matches!(self.access, Access::Contiguous | Access::Strided | Access::Transposed)
    }
}

/// A load, as a kernel's text depends on it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KernelLoad {
    /// The number of the binding: inputs first, then the outputs; `None` for an iota.
    pub(crate) binding: Option<usize>,
    pub(crate) element_type: ElementType,
    pub(crate) mode: LoadMode,
    /// True if it is the same in every row of a tile.
    pub(crate) hoisted: bool,
    /// True if its elements are in the same order as the result's.
    pub(crate) dense: bool,
    /// True for an iota whose values have upper 32 bits other than 0.
    pub(crate) high: bool,
    /// True if it reads within its binding even where its position is outside.
    pub(crate) clamped: bool,
    /// True if elements are read at computed positions, by operations.
    pub(crate) table: bool,
}
