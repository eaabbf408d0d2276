//! How each operand of a kernel is read.

use std::fmt;

use super::space::Space;
use crate::compile::kernel_ir::{Load, LoadSource};
use crate::compile::plan::kernel::{Layout, QUAD, Schedule};
use crate::semantics::element::ElementType;

/// How an operand is read for the neighbouring elements that an invocation computes together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Access {
    /// Neighbours, in loads of whole words.
    Contiguous,
    /// One element for all.
    Splat,
    /// Every second, third or fourth one, or backwards, or from within a word: in loads of whole
    /// words, of which a part is taken.
    Strided,
    /// Neighbours in another dimension: loaded along that one for a block of rows, and turned in
    /// registers.
    Transposed,
    /// One element up to the end of a row, and one from there on.
    Split,
    /// Each by itself.
    Gather,
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
        })
    }
}

/// What a buffer is bound as an array of, and so what one load takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Word {
    /// `u32`.
    Bytes4,
    /// `vec2<u32>`.
    Bytes8,
    /// `vec4<u32>`.
    Bytes16,
    /// `vec4<u64>`.
    Bytes32,
}

impl Word {
    const ALL: [Self; 4] = [Self::Bytes32, Self::Bytes16, Self::Bytes8, Self::Bytes4];

    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::Bytes4 => 4,
            Self::Bytes8 => 8,
            Self::Bytes16 => 16,
            Self::Bytes32 => 32,
        }
    }

    /// Elements of this type in one word.
    pub(crate) fn elements(self, element_type: ElementType) -> usize {
        self.bytes() * 8 / element_type.bits()
    }

    /// The smallest one that elements of so many bits fit into.
    pub(crate) fn least(bits: usize) -> Self {
        if bits > 32 { Self::Bytes8 } else { Self::Bytes4 }
    }

    pub(crate) fn wgsl(self) -> &'static str {
        match self {
            Self::Bytes4 => "u32",
            Self::Bytes8 => "vec2<u32>",
            Self::Bytes16 => "vec4<u32>",
            Self::Bytes32 => "vec4<u64>",
        }
    }

    /// The words that `bytes` consist of, the largest first.
    pub(crate) fn dividing(bytes: usize, wide: bool) -> impl Iterator<Item = Self> {
        Self::ALL
            .into_iter()
            .filter(move |word| bytes.is_multiple_of(word.bytes()))
            .filter(move |&word| wide || word != Self::Bytes32)
    }
}

/// How one leaf is read, once the word of its binding is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reading {
    pub(crate) access: Access,
    /// Distance in elements of neighbours, for `Contiguous` and `Strided`.
    pub(crate) step: i32,
    /// Place of the first element in its word, for `Strided`.
    pub(crate) phase: u32,
}

impl Reading {
    fn of(access: Access) -> Self {
        Self { access, step: 0, phase: 0 }
    }

    /// Whether loads are of whole words.
    pub(crate) fn in_words(self) -> bool {
        matches!(self.access, Access::Contiguous | Access::Strided | Access::Transposed)
    }
}

/// Farther apart than this, elements are not worth the words between them.
const MAX_STEP: isize = 4;

/// What the choice for a leaf rests on.
pub(crate) struct Choice<'a> {
    pub(crate) space: &'a Space,
    pub(crate) schedule: Schedule,
    /// The dimension of the rows.
    pub(crate) row: usize,
    /// Elements computed together.
    pub(crate) unit: usize,
    pub(crate) wide: bool,
}

/// One leaf in its place.
pub(crate) struct Placed<'a> {
    pub(crate) leaf: &'a Load,
    pub(crate) strides: &'a [isize],
    /// Place in the binding of the element at the origin.
    pub(crate) offset: i64,
}

impl Choice<'_> {
    /// The word of a binding that these leaves share, and how each is read: so that as many as
    /// possible are read in whole words, and these are large.
    pub(crate) fn binding(&self, layout: Layout, leaves: &[&Placed<'_>]) -> (Word, Vec<Reading>) {
        // One array may be seen as elements of several widths.
        let bits = leaves.iter().map(|placed| placed.leaf.element_type.bits());
        let (narrowest, widest) = (bits.clone().min().unwrap_or(32), bits.max().unwrap_or(32));
        let by_elements = leaves.iter().map(|leaf| self.by_element(leaf)).collect();
        let mut best = (0, Word::least(widest), by_elements);
        for word in Word::dividing(self.unit * narrowest / 8, self.wide) {
            if word.bytes() * 8 < widest
                || !(layout.granularity as usize).is_multiple_of(word.bytes())
            {
                continue;
            }
            let readings: Vec<Reading> = leaves
                .iter()
                .map(|leaf| self.by_word(leaf, word).unwrap_or_else(|| self.by_element(leaf)))
                .collect();
            let count = readings.iter().filter(|reading| reading.in_words()).count();
            if count > best.0 {
                best = (count, word, readings);
            }
        }
        (best.1, best.2)
    }

    /// How an iota is read, which needs no load.
    pub(crate) fn iota(&self, leaf: &Placed<'_>) -> Reading {
        let periodic =
            matches!(self.schedule, Schedule::Periods | Schedule::Short | Schedule::Carry);
        match leaf.strides.last() {
            Some(1) if !periodic => Reading { access: Access::Contiguous, step: 1, phase: 0 },
            _ => self.by_element(leaf),
        }
    }

    fn by_element(&self, leaf: &Placed<'_>) -> Reading {
        let (inner, outer) = split_inner(leaf.strides);
        let whole_unit_in_a_row =
            matches!(self.schedule, Schedule::Flat | Schedule::Rows | Schedule::Blocks);
        Reading::of(match self.schedule {
            _ if inner == 0 && (whole_unit_in_a_row || outer.iter().all(|&s| s == 0)) => {
                Access::Splat
            }
            // At most one row ends within a unit.
            Schedule::Periods if inner == 0 && self.space.inner() >= self.unit => {
                if leaf.strides[self.row] == 0 { Access::Splat } else { Access::Split }
            }
            Schedule::Short => {
                return Reading { access: Access::Gather, step: i32::from(inner != 0), phase: 0 };
            }
            _ => Access::Gather,
        })
    }

    fn by_word(&self, leaf: &Placed<'_>, word: Word) -> Option<Reading> {
        let elements = word.elements(leaf.leaf.element_type).cast_signed();
        let aligned = |stride: isize| stride % elements == 0;
        let (inner, outer) = split_inner(leaf.strides);
        let contiguous = Reading { access: Access::Contiguous, step: 1, phase: 0 };
        let offset_aligned = leaf.offset % elements as i64 == 0;
        match self.schedule {
            Schedule::Carry => {
                let dense = self.space.is_dense(leaf.strides, self.space.rank());
                (dense && offset_aligned).then_some(contiguous)
            }
            Schedule::Periods | Schedule::Short => {
                let dense = self.space.is_dense(leaf.strides, 2);
                let beyond = &leaf.strides[..self.row];
                let fits = offset_aligned && beyond.iter().all(|&s| aligned(s));
                (dense && fits).then_some(contiguous)
            }
            Schedule::Blocks if inner.abs() > MAX_STEP => {
                let along_rows = leaf.strides[self.row] == 1 && elements as usize == self.unit;
                let mut others = leaf.strides.iter().enumerate().filter(|(d, _)| *d != self.row);
                let fits = offset_aligned && others.all(|(_, &s)| aligned(s));
                (along_rows && fits).then_some(Reading::of(Access::Transposed))
            }
            Schedule::Flat | Schedule::Rows | Schedule::Blocks => {
                if inner == 0 || inner.abs() > MAX_STEP || !outer.iter().all(|&s| aligned(s)) {
                    return None;
                }
                let phase = leaf.offset.rem_euclid(elements as i64) as u32;
                if inner == 1 && phase == 0 {
                    return Some(contiguous);
                }
                Some(Reading { access: Access::Strided, step: inner as i32, phase })
            }
        }
    }
}

fn split_inner(strides: &[isize]) -> (isize, &[isize]) {
    match strides {
        [outer @ .., inner] => (*inner, outer),
        [] => (0, strides),
    }
}

/// Whether a leaf runs along some other dimension than the innermost, and which.
pub(crate) fn transposed_along(leaf: &Load, strides: &[isize]) -> Option<usize> {
    let (inner, outer) = split_inner(strides);
    if leaf.source == LoadSource::Iota || inner.abs() <= MAX_STEP {
        return None;
    }
    outer.iter().position(|&stride| stride == 1)
}

/// Elements of the largest unit, for the size of spare memory.
pub(crate) const MAX_UNIT: usize = 3 * 4 * QUAD;
