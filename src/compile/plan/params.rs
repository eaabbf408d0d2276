//! Lays out a kernel's parameter block and fills in the values.

use std::fmt;

use super::access::Access;
use super::dispatch::DispatchShape;
use super::kernel::{Kernel, KernelOutput};
use super::schedule::Schedule;
use super::space::Space;
use super::window::Window;
use crate::semantics::element::{ElementType, Scalar};

/// A member of the parameter block. Positions and strides of an operand that is read in whole words
/// count words, others count elements; all are modulo 2^32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    /// A 0 that compilers cannot know to be 0: it keeps them from contracting a product and a sum.
    Zero,
    /// The number of invocations that have work.
    Total,
    /// Workgroups in the first dimension of the dispatch.
    Fold,
    /// Units of a row (of a period, of a row of blocks).
    Columns,
    /// Tiles that cover the rows.
    Tiles,
    /// Rows (periods, rows of blocks).
    Rows,
    /// The distance in rows between two that one invocation computes; `lanes` in the text.
    RowStep,
    /// Units in total, of which the last may be incomplete; inside outer dimensions, those of one
    /// round.
    Units,
    /// Elements before the first one that this dispatch writes.
    Start,
    /// The total number of elements.
    Count,
    /// Size of a merged dimension.
    Size(usize),
    /// First word of the spare memory after the first output, whose words are the unit of all
    /// output positions.
    Spare,
    /// The number of whole words of the first output's binding before the end of the result.
    End,
    /// Elements of the result in the word after those.
    EndElements,
    /// First word of the output.
    ResultOffset,
    /// Stride of the output along a dimension, in words.
    ResultStride(usize),
    /// The step that a carry into a dimension adds to a position in the result.
    ResultCarry(usize),
    /// The position at which a load starts.
    Offset(usize),
    /// The upper 32 bits of an iota's values, in all of the kernel's space.
    High(usize),
    /// Stride of a load along a dimension.
    Stride(usize, usize),
    /// Stride of a load from one row to the next within a period, in elements.
    RowStride(usize),
    /// The step that a carry into a dimension adds to a load's position: one along it, less the
    /// whole next inner one.
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
            Self::RowStep => f.write_str("lanes"),
            Self::Units => f.write_str("units"),
            Self::Start => f.write_str("start"),
            Self::Count => f.write_str("count"),
            Self::Size(d) => write!(f, "size_{d}"),
            Self::Spare => f.write_str("spare"),
            Self::End => f.write_str("end"),
            Self::EndElements => f.write_str("end_elements"),
            Self::ResultOffset => f.write_str("result_offset"),
            Self::ResultStride(d) => write!(f, "result_stride_{d}"),
            Self::ResultCarry(d) => write!(f, "result_carry_{d}"),
            Self::Offset(load) => write!(f, "offset_{load}"),
            Self::High(load) => write!(f, "high_{load}"),
            Self::Stride(load, d) => write!(f, "stride_{load}_{d}"),
            Self::RowStride(load) => write!(f, "row_stride_{load}"),
            Self::CarryStep(load, d) => write!(f, "carry_{load}_{d}"),
        }
    }
}

impl Kernel {
    /// Returns the members of the parameter block before the constants; each is one u32.
    pub(crate) fn fields(&self) -> Vec<Field> {
        let mut fields = vec![Field::Total, Field::Fold, Field::Zero];
        match self.schedule {
            Schedule::Flat | Schedule::Short => fields.push(Field::ResultOffset),
            Schedule::Rows | Schedule::Periods | Schedule::Blocks => self.row_fields(&mut fields),
            Schedule::Carry => {
                fields.extend([Field::Start, Field::ResultOffset]);
                fields.extend((0..self.rank).map(Field::Size));
                if self.element_stores {
                    fields.push(Field::Count);
                    fields.extend((0..self.rank).map(Field::ResultStride));
                    fields.extend((0..self.rank - 1).map(Field::ResultCarry));
                }
            }
        }
        if self.has_loops() && !self.element_stores {
            fields.extend([Field::End, Field::EndElements]);
        }
        for number in 0..self.loads.len() {
            self.load_fields(number, &mut fields);
        }
        fields
    }

    fn row_fields(&self, fields: &mut Vec<Field>) {
        if self.linear_units {
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
            if self.row_interleaved {
                fields.push(Field::RowStep);
            }
        }
        if self.schedule == Schedule::Blocks {
            fields.push(Field::Rows);
        }
        if self.schedule == Schedule::Periods {
            // Within a period, positions are computed from the size of a row.
            fields.extend([Field::Units, Field::Size(self.rank - 1)]);
        }
        fields.extend(self.outer_dimensions().map(Field::Size));
        if self.branchless && self.schedule != Schedule::Blocks {
            fields.push(Field::Spare);
        }
        fields.push(Field::ResultOffset);
        fields.extend((0..self.rank - 1).map(Field::ResultStride));
    }

    fn load_fields(&self, number: usize, fields: &mut Vec<Field>) {
        let load = &self.loads[number];
        fields.push(Field::Offset(number));
        if load.high {
            fields.push(Field::High(number));
        }
        match (self.schedule, load.mode.access) {
            // These loads are traversed like the result.
            (Schedule::Carry, Access::Contiguous | Access::Splat) => {}
            (Schedule::Carry, _) => {
                fields.extend((0..self.rank).map(|d| Field::Stride(number, d)));
                fields.extend((0..self.rank - 1).map(|d| Field::CarryStep(number, d)));
            }
            _ => {
                // Along the innermost dimension the other access modes have no stride, or one that
                // is fixed in the text.
                let inner = matches!(load.mode.access, Access::Gather | Access::Transposed)
                    || (load.binding.is_none() && load.mode.access != Access::Splat);
                let rank = if inner { self.rank } else { self.rank - 1 };
                fields.extend((0..rank).map(|d| Field::Stride(number, d)));
                let within = matches!(load.mode.access, Access::Gather | Access::Split);
                if self.schedule == Schedule::Periods && within {
                    fields.push(Field::RowStride(number));
                }
            }
        }
    }

    /// Returns the number of words before the constants, which start at a multiple of 16 bytes.
    pub(crate) fn header_words(&self) -> usize {
        self.fields().len().next_multiple_of(4)
    }

    /// Returns the offset of each constant's first word after the header. No constant crosses a
    /// multiple of 16 bytes.
    pub(crate) fn constant_offsets(&self) -> Vec<usize> {
        let mut next = 0usize;
        let offset = |element_type: &ElementType| {
            let words = element_type.bits().div_ceil(32);
            let offset = next.next_multiple_of(words);
            next = offset + words;
            offset
        };
        self.constants.iter().map(offset).collect()
    }

    /// Returns the number of each constant's first word in the parameter block.
    pub(crate) fn constant_positions(&self) -> Vec<usize> {
        let header = self.header_words();
        self.constant_offsets().into_iter().map(|offset| header + offset).collect()
    }

    /// Returns the number of words of all constants.
    pub(crate) fn constant_words(&self) -> usize {
        let last = self.constants.last().map_or(0, |last| last.bits().div_ceil(32));
        (self.constant_offsets().last().unwrap_or(&0) + last).next_multiple_of(4)
    }

    /// Returns true if the parameter block is bound as storage, because it is too large for a
    /// uniform.
    pub(crate) fn params_in_storage(&self) -> bool {
        self.block_bytes() > self.max_uniform_bytes as usize
    }

    /// Returns the size of the parameter block in bytes.
    fn block_bytes(&self) -> usize {
        (self.header_words() + self.constant_words()) * 4
    }

    /// Returns how many elements one step of a load's position is: those of a word, or 1.
    fn load_unit(&self, number: usize) -> i64 {
        let load = &self.loads[number];
        match load.binding {
            Some(binding) if load.mode.in_words() => {
                self.width(binding).elements(load.element_type) as i64
            }
            _ => 1,
        }
    }
}

/// Returns the words of the parameter block.
pub(super) fn block(
    kernel: &Kernel,
    space: &Space,
    window: &Window,
    shape: &DispatchShape,
    constants: &[Scalar],
) -> Vec<u32> {
    let result_width = if kernel.element_stores {
        1
    } else {
        let KernelOutput { element_type, width, .. } = kernel.outputs[0];
        width.elements(element_type) as i64
    };
    // A step along the rows is a whole number of periods.
    let rows_of = |d: usize| if d == kernel.row { shape.period_rows as i64 } else { 1 };
    let mut words = Vec::with_capacity(kernel.block_bytes() / 4);
    for field in kernel.fields() {
        let value: i64 = match field {
            Field::Zero => 0,
            Field::Total => shape.total as i64,
            Field::Fold => i64::from(shape.groups[0]),
            Field::Columns => shape.columns as i64,
            Field::Tiles => shape.tiles as i64,
            Field::Rows => shape.rows as i64,
            Field::RowStep => shape.row_step as i64,
            Field::Units => shape.units as i64,
            Field::Count => space.count() as i64,
            Field::Start => window.range.as_ref().map_or(0, |range| range.start) as i64,
            Field::Size(d) => space.sizes[d] as i64,
            Field::Spare => shape.spare as i64,
            Field::End => end(space, window) / result_width,
            Field::EndElements => end(space, window) % result_width,
            Field::ResultOffset => window.result_offset as i64 / result_width,
            Field::ResultStride(d) => {
                (space.result[d] as i64).wrapping_mul(rows_of(d)) / result_width
            }
            // This rounds towards minus infinity: the rest is the phase.
            Field::Offset(load) => window.offsets[load].div_euclid(kernel.load_unit(load)),
            Field::High(load) => window.offsets[load] >> 32,
            Field::Stride(load, d) => {
                let stride = (space.strides[load][d] as i64).wrapping_mul(rows_of(d));
                // Blocks step along the rows of a transposed load by whole words.
                if kernel.loads[load].mode.access == Access::Transposed && d == kernel.row {
                    1
                } else {
                    stride / kernel.load_unit(load)
                }
            }
            Field::RowStride(load) => space.strides[load][kernel.row] as i64,
            Field::CarryStep(load, d) => carry(space, &space.strides[load], d),
            Field::ResultCarry(d) => carry(space, &space.result, d),
        };
        // Sizes past 2^32 do not reach a device; strides and steps, which may be negative, are
        // modulo 2^32.
        words.push(value as u32);
    }
    words.resize(kernel.block_bytes() / 4, 0);
    put_constants(kernel, constants, &mut words);
    words
}

/// Writes the constants after the header.
fn put_constants(kernel: &Kernel, constants: &[Scalar], words: &mut [u32]) {
    for (&constant, first) in constants.iter().zip(kernel.constant_positions()) {
        put_constant(constant, first, words);
    }
}

/// Writes a constant to a parameter block, from this word on.
pub(crate) fn put_constant(constant: Scalar, first: usize, words: &mut [u32]) {
    let bits = constant.bits();
    words[first] = bits as u32;
    if constant.element_type().bits() > 32 {
        words[first + 1] = (bits >> 32) as u32;
    }
}

/// Returns the elements from the start of an output's binding to the end of the written elements.
fn end(space: &Space, window: &Window) -> i64 {
    let (sizes, first) = (&space.sizes, i64::from(window.result_offset));
    if let Some(range) = &window.range {
        return first + i64::from(range.end - range.start);
    }
    if sizes.contains(&0) {
        return first;
    }
    let steps = sizes.iter().zip(&space.result);
    let last: i64 = steps.map(|(&size, &stride)| (size as i64 - 1) * stride as i64).sum();
    first + last + 1
}

/// Returns the step of a carry into dimension `d`: one along it, less the whole next inner one.
fn carry(space: &Space, strides: &[isize], d: usize) -> i64 {
    let inner = (space.sizes[d + 1] as i64).wrapping_mul(strides[d + 1] as i64);
    (strides[d] as i64).wrapping_sub(inner)
}
