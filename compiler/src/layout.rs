//! The layout of elements in memory: quads, the widths of loads, and the padding around an array.

use indim_core::semantics::element::ElementType;

/// The number of elements of a quad. It keeps two invocations from writing one word of memory: a
/// quad is whole words of every element type but S4 and U4, of which two quads are a word.
pub(crate) const QUAD: usize = 4;

/// Quads of the largest unit; in rows of 3 elements a unit may have three times as many.
pub(crate) const MAX_QUADS: u32 = 8;

/// 32-bit words of the largest unit: 12 quads of 32-bit elements, in rows of 3 of them.
const MAX_UNIT_WORDS: usize = 3 * 4 * QUAD;

/// Bytes after an array that invocations past its end may write to: the largest units of a
/// workgroup of 64 invocations.
pub const SPARE_BYTES: usize = 64 * MAX_UNIT_WORDS * 4;

/// The maximum size in bytes of an array without spare memory, which would take more than the array
/// itself. Kernels that write it have a branch, whose cost is negligible for so small an array.
const MAX_BARE_BYTES: u64 = 512;

/// Returns the bytes of spare memory of an array of this size, where arrays have it.
pub fn spare_behind(bytes: u64) -> u32 {
    if bytes <= MAX_BARE_BYTES { 0 } else { SPARE_BYTES as u32 }
}

/// The sizes of buffers, and the starts of bindings and of spare memory, are multiples of this many
/// bytes, at least. So the last unit of a kernel is whole, and an offset in a binding is the same
/// in words of any size as in the array.
pub const ALIGNMENT: u64 = 64;

/// Returns the number of elements in `quads` quads.
pub(crate) const fn elements(quads: u32) -> usize {
    quads as usize * QUAD
}

/// The position of an array in its binding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Bytes from the start of the binding to the array.
    pub offset: u32,
    /// The binding's size is a multiple of this many bytes, so that words of that size are whole.
    pub granularity: u32,
    /// Bytes after the array, from the next multiple of 64 on, that may be written to.
    pub spare: u32,
}

impl Layout {
    /// The layout of arrays allocated by the library.
    pub const OWN: Self =
        Self { offset: 0, granularity: ALIGNMENT as u32, spare: SPARE_BYTES as u32 };
}

/// The word width with which a buffer is bound as an array; one load or store moves one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LoadWidth {
    Bytes4,
    Bytes8,
    Bytes16,
    Bytes32,
}

impl LoadWidth {
    const ALL: [Self; 4] = [Self::Bytes32, Self::Bytes16, Self::Bytes8, Self::Bytes4];

    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::Bytes4 => 4,
            Self::Bytes8 => 8,
            Self::Bytes16 => 16,
            Self::Bytes32 => 32,
        }
    }

    /// Returns how many elements of this type one load reads.
    pub(crate) fn elements(self, element_type: ElementType) -> usize {
        self.bytes() * 8 / element_type.bits()
    }

    /// Returns the smallest width that an element of `bits` bits fits into.
    pub(crate) fn min_for(bits: usize) -> Self {
        if bits > 32 { Self::Bytes8 } else { Self::Bytes4 }
    }

    /// Returns the widths that divide `bytes`, the largest first; 32 bytes only if `wide`.
    pub(crate) fn dividing(bytes: usize, wide: bool) -> impl Iterator<Item = Self> {
        Self::ALL
            .into_iter()
            .filter(move |width| bytes.is_multiple_of(width.bytes()))
            .filter(move |&width| wide || width != Self::Bytes32)
    }
}
