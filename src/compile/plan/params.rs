//! The parameter block of a kernel: what its members are, and their values.

use std::fmt;

use super::access::Access;
use super::space::{Piece, Space};
use super::walk::Walk;
use crate::compile::plan::kernel::{Kernel, Schedule};
use crate::semantics::element::{ElementType, Scalar};

/// A member of the parameter block. Positions and strides of an operand that is read in whole words
/// count words, others elements; all are modulo 2^32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    /// Always 0, which no compiler knows: it keeps a product's rounding apart from a sum's.
    Zero,
    /// How many invocations have work.
    Total,
    /// Workgroups in the first dimension of the dispatch.
    Fold,
    /// Units a row (a period, a row of blocks).
    Columns,
    /// Tiles that cover the rows.
    Tiles,
    /// Rows (periods, rows of blocks).
    Rows,
    /// How many rows lie between two of one invocation's.
    Lanes,
    /// Units in all, the last one perhaps not whole; inside outer dimensions, those of one round.
    Units,
    /// Elements in front of the first one that this dispatch writes.
    Start,
    /// Elements in all.
    Count,
    /// Size of a merged dimension.
    Size(usize),
    /// First word of spare memory behind the result.
    Spare,
    /// First word of the result.
    ResultOffset,
    /// Stride of the result along a dimension, in words.
    ResultStride(usize),
    /// What carrying into a dimension adds to a position in the result.
    ResultCarry(usize),
    /// Where a leaf starts.
    Offset(usize),
    /// The upper 32 bits of an iota's values, in all of the kernel's space.
    High(usize),
    /// Stride of a leaf along a dimension.
    Stride(usize, usize),
    /// Stride of a leaf from one row to the next within a period, in elements.
    RowStride(usize),
    /// What carrying into a dimension adds to a leaf's offset: one step along it, less the whole
    /// next inner one.
    CarryStep(usize, usize),
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zero => f.write_str("zero"),
            Self::Total => f.write_str("total"),
            Self::Fold => f.write_str("fold"),
            Self::Columns => f.write_str("columns"),
            Self::Tiles => f.write_str("tiles"),
            Self::Rows => f.write_str("rows"),
            Self::Lanes => f.write_str("lanes"),
            Self::Units => f.write_str("units"),
            Self::Start => f.write_str("start"),
            Self::Count => f.write_str("count"),
            Self::Size(d) => write!(f, "size_{d}"),
            Self::Spare => f.write_str("spare"),
            Self::ResultOffset => f.write_str("result_offset"),
            Self::ResultStride(d) => write!(f, "result_stride_{d}"),
            Self::ResultCarry(d) => write!(f, "result_carry_{d}"),
            Self::Offset(leaf) => write!(f, "offset_{leaf}"),
            Self::High(leaf) => write!(f, "high_{leaf}"),
            Self::Stride(leaf, d) => write!(f, "stride_{leaf}_{d}"),
            Self::RowStride(leaf) => write!(f, "row_stride_{leaf}"),
            Self::CarryStep(leaf, d) => write!(f, "carry_{leaf}_{d}"),
        }
    }
}

impl Kernel {
    /// Members of the parameter block in front of the constants; each is one u32.
    pub(crate) fn fields(&self) -> Vec<Field> {
        let mut fields = vec![Field::Total, Field::Fold, Field::Zero];
        match self.schedule {
            Schedule::Flat | Schedule::Short => fields.push(Field::ResultOffset),
            Schedule::Rows | Schedule::Periods | Schedule::Blocks => self.row_fields(&mut fields),
            Schedule::Carry => {
                fields.extend([Field::Start, Field::ResultOffset]);
                fields.extend((0..self.rank).map(Field::Size));
                if self.scattered {
                    fields.push(Field::Count);
                    fields.extend((0..self.rank).map(Field::ResultStride));
                    fields.extend((0..self.rank - 1).map(Field::ResultCarry));
                }
            }
        }
        for number in 0..self.leaves.len() {
            self.leaf_fields(number, &mut fields);
        }
        fields
    }

    fn row_fields(&self, fields: &mut Vec<Field>) {
        if self.in_order {
            if self.schedule == Schedule::Rows {
                fields.extend([Field::Columns, Field::Rows]);
            } else {
                fields.push(Field::Size(self.rank - 1));
            }
            fields.extend(self.outer_dimensions().map(Field::Size));
            fields.push(Field::ResultOffset);
            return;
        }
        fields.push(Field::Columns);
        if self.schedule != Schedule::Blocks {
            fields.extend([Field::Tiles, Field::Rows]);
            if self.spread {
                fields.push(Field::Lanes);
            }
        }
        if self.schedule == Schedule::Blocks {
            fields.push(Field::Rows);
        }
        if self.schedule == Schedule::Periods {
            // Within a period, positions are found from the size of a row.
            fields.extend([Field::Units, Field::Size(self.rank - 1)]);
        }
        fields.extend(self.outer_dimensions().map(Field::Size));
        if self.branchless && self.schedule != Schedule::Blocks {
            fields.push(Field::Spare);
        }
        fields.push(Field::ResultOffset);
        fields.extend((0..self.rank - 1).map(Field::ResultStride));
    }

    fn leaf_fields(&self, number: usize, fields: &mut Vec<Field>) {
        let leaf = &self.leaves[number];
        fields.push(Field::Offset(number));
        if leaf.high {
            fields.push(Field::High(number));
        }
        match (self.schedule, leaf.access) {
            // It is walked through like the result.
            (Schedule::Carry, Access::Contiguous | Access::Splat) => {}
            (Schedule::Carry, _) => {
                fields.extend((0..self.rank).map(|d| Field::Stride(number, d)));
                fields.extend((0..self.rank - 1).map(|d| Field::CarryStep(number, d)));
            }
            _ => {
                // Along the innermost dimension these have no stride, or one that the text knows.
                let inner = matches!(leaf.access, Access::Gather | Access::Transposed)
                    || (leaf.binding.is_none() && leaf.access != Access::Splat);
                let rank = if inner { self.rank } else { self.rank - 1 };
                fields.extend((0..rank).map(|d| Field::Stride(number, d)));
                let within = matches!(leaf.access, Access::Gather | Access::Split);
                if self.schedule == Schedule::Periods && within {
                    fields.push(Field::RowStride(number));
                }
            }
        }
    }

    /// Words in front of the constants, which start at a multiple of 16 bytes.
    pub(crate) fn header_words(&self) -> usize {
        self.fields().len().next_multiple_of(4)
    }

    /// For each constant, the first of its words behind the header. None lies across a multiple of
    /// 16 bytes.
    pub(crate) fn constant_offsets(&self) -> Vec<usize> {
        let mut next = 0usize;
        let place = |element_type: &ElementType| {
            let words = element_type.bits().div_ceil(32);
            let place = next.next_multiple_of(words);
            next = place + words;
            place
        };
        self.constants.iter().map(place).collect()
    }

    /// Words of all constants.
    pub(crate) fn constant_words(&self) -> usize {
        let last = self.constants.last().map_or(0, |last| last.bits().div_ceil(32));
        (self.constant_offsets().last().unwrap_or(&0) + last).next_multiple_of(4)
    }

    /// Size of the parameter block in bytes.
    pub(crate) fn block_bytes(&self) -> usize {
        (self.header_words() + self.constant_words()) * 4
    }

    /// What a leaf's positions count: elements a word, or 1.
    fn leaf_unit(&self, number: usize) -> i64 {
        let leaf = &self.leaves[number];
        match leaf.binding {
            Some(binding) if leaf.reading().in_words() => {
                self.bindings[binding].elements(leaf.element_type) as i64
            }
            _ => 1,
        }
    }
}

/// Fills the parameter block.
pub(super) fn block(
    kernel: &Kernel,
    space: &Space,
    piece: &Piece,
    walk: &Walk,
    constants: &[Scalar],
) -> Vec<u32> {
    let result_word = match kernel.scattered {
        true => 1,
        false => kernel.result_word.elements(kernel.element_type) as i64,
    };
    // A step along the rows is one of whole periods.
    let rows_of = |d: usize| if d == kernel.row { walk.period_rows as i64 } else { 1 };
    let mut words = Vec::with_capacity(kernel.block_bytes() / 4);
    for field in kernel.fields() {
        let value: i64 = match field {
            Field::Zero => 0,
            Field::Total => walk.total as i64,
            Field::Fold => i64::from(walk.groups[0]),
            Field::Columns => walk.columns as i64,
            Field::Tiles => walk.tiles as i64,
            Field::Rows => walk.rows as i64,
            Field::Lanes => walk.lanes as i64,
            Field::Units => walk.units as i64,
            Field::Count => space.count() as i64,
            Field::Start => piece.range.as_ref().map_or(0, |range| range.start) as i64,
            Field::Size(d) => space.sizes[d] as i64,
            Field::Spare => walk.spare as i64,
            Field::ResultOffset => piece.result_offset as i64 / result_word,
            Field::ResultStride(d) => {
                (space.result[d] as i64).wrapping_mul(rows_of(d)) / result_word
            }
            // Towards minus infinity: the rest is the phase.
            Field::Offset(leaf) => piece.offsets[leaf].div_euclid(kernel.leaf_unit(leaf)),
            Field::High(leaf) => piece.offsets[leaf] >> 32,
            Field::Stride(leaf, d) => {
                let stride = (space.strides[leaf][d] as i64).wrapping_mul(rows_of(d));
                // Blocks step along the rows of a transposed leaf by whole words.
                if kernel.leaves[leaf].access == Access::Transposed && d == kernel.row {
                    1
                } else {
                    stride / kernel.leaf_unit(leaf)
                }
            }
            Field::RowStride(leaf) => space.strides[leaf][kernel.row] as i64,
            Field::CarryStep(leaf, d) => carry(space, &space.strides[leaf], d),
            Field::ResultCarry(d) => carry(space, &space.result, d),
        };
        // Sizes past 2^32 do not reach a device; strides and steps, which may be negative, are
        // meant modulo 2^32.
        words.push(value as u32);
    }
    words.resize(kernel.header_words(), 0);
    words.resize(kernel.block_bytes() / 4, 0);
    for (constant, place) in constants.iter().zip(kernel.constant_offsets()) {
        let first = kernel.header_words() + place;
        let bits = constant.bits();
        words[first] = bits as u32;
        if constant.element_type().bits() > 32 {
            words[first + 1] = (bits >> 32) as u32;
        }
    }
    words
}

/// One step along dimension `d`, less the whole next inner one.
fn carry(space: &Space, strides: &[isize], d: usize) -> i64 {
    let inner = (space.sizes[d + 1] as i64).wrapping_mul(strides[d + 1] as i64);
    (strides[d] as i64).wrapping_sub(inner)
}
