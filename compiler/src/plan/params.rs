//! Lays out a kernel's parameter block and fills in the values.

use super::access::Access;
use super::dispatch::Dispatch;
use super::field::Field;
use super::input::PlanInput;
use super::kernel::{Kernel, KernelOutput};
use super::space::Space;
use super::window::Window;
use indim_core::semantics::element::{ElementType, Scalar};

impl Kernel {
    /// Returns the members of the parameter block before the constants; each is one u32.
    pub(crate) fn fields(&self) -> Vec<Field> {
        let mut fields = vec![Field::Total, Field::Fold, Field::Zero];
        let walk = self.walk.traverse();
        fields.extend(walk.fields(self.rank));
        if self.has_loops() && !self.walk.stores_elements() {
            fields.extend([Field::End, Field::EndElements]);
        }
        for (number, load) in self.map.loads.iter().enumerate() {
            fields.push(Field::Offset(number));
            if load.high {
                fields.push(Field::High(number));
            }
            fields.extend(walk.stride_fields(number, load, self.rank));
        }
        fields
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
        self.map.constants.iter().map(offset).collect()
    }

    /// Returns the number of each constant's first word in the parameter block.
    pub fn constant_positions(&self) -> Vec<usize> {
        let header = self.header_words();
        self.constant_offsets().into_iter().map(|offset| header + offset).collect()
    }

    /// Returns the number of words of all constants.
    pub(crate) fn constant_words(&self) -> usize {
        let last = self.map.constants.last().map_or(0, |last| last.bits().div_ceil(32));
        (self.constant_offsets().last().unwrap_or(&0) + last).next_multiple_of(4)
    }

    /// Returns true if the parameter block is bound as storage, because it is too large for a
    /// uniform.
    pub fn params_in_storage(&self) -> bool {
        self.block_bytes() > self.max_uniform_bytes as usize
    }

    /// Returns the size of the parameter block in bytes.
    fn block_bytes(&self) -> usize {
        (self.header_words() + self.constant_words()) * 4
    }

    /// Returns how many elements one step of a load's position is: those of a word, or 1.
    fn load_unit(&self, number: usize) -> i64 {
        let load = &self.map.loads[number];
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
    input: &PlanInput<'_>,
    dispatch: &Dispatch,
    constants: &[Scalar],
) -> Vec<u32> {
    let PlanInput { window, space, .. } = *input;
    let result_width = if kernel.walk.stores_elements() {
        1
    } else {
        let KernelOutput { element_type, width, .. } = kernel.outputs[0];
        width.elements(element_type) as i64
    };
    let walk = kernel.walk.traverse();
    let row = walk.row(kernel.rank);
    let step = |d: usize| if Some(d) == row { walk.rows_of_step(space, kernel.unit()) } else { 1 };
    let mut words = Vec::with_capacity(kernel.block_bytes() / 4);
    for field in kernel.fields() {
        let value: i64 = match field {
            Field::Zero => 0,
            Field::Fold => i64::from(dispatch.groups[0]),
            Field::Total
            | Field::Columns
            | Field::Tiles
            | Field::Rows
            | Field::RowStep
            | Field::Units => dispatch.count(field),
            Field::Count => space.count() as i64,
            Field::Start => window.range.as_ref().map_or(0, |range| range.start) as i64,
            Field::Folded => space.folded_count as i64,
            Field::OfParts => input.parts()[1],
            Field::FirstFolded => input.parts()[0],
            Field::Size(d) => space.sizes[d] as i64,
            Field::Spare => dispatch.spare as i64,
            Field::End => end(space, window) / result_width,
            Field::EndElements => end(space, window) % result_width,
            Field::ResultOffset => window.result_offset as i64 / result_width,
            Field::ResultStride(d) => {
                (space.result[d] as i64).wrapping_mul(step(d) as i64) / result_width
            }
            // This rounds towards minus infinity: the rest is the phase.
            Field::Offset(load) => window.offsets[load].div_euclid(kernel.load_unit(load)),
            Field::High(load) => window.offsets[load] >> 32,
            Field::Stride(load, d) => {
                let stride = (space.strides[load][d] as i64).wrapping_mul(step(d) as i64);
                // Blocks step along the rows of a transposed load by whole words.
                if kernel.map.loads[load].mode.access == Access::Transposed && Some(d) == row {
                    1
                } else {
                    stride / kernel.load_unit(load)
                }
            }
            Field::RowStride(load) => row.map_or(0, |row| space.strides[load][row] as i64),
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
pub fn put_constant(constant: Scalar, first: usize, words: &mut [u32]) {
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
