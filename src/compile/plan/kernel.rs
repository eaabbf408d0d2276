//! [`Kernel`], the structure of a planned kernel, which determines the shader's text.

use super::access::KernelLoad;
use super::schedule::Schedule;
use crate::compile::arithmetic::{Arithmetic, Half};
use crate::compile::kernel::body::{KernelOp, ValueRef};
use crate::compile::layout::{LoadWidth, elements};
use crate::semantics::element::ElementType;

/// The structure of one kernel: everything that its text depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Kernel {
    pub(crate) schedule: Schedule,
    /// The number of merged dimensions.
    pub(crate) rank: usize,
    /// The dimension of the rows, if there are any.
    pub(crate) row: usize,
    /// Quads of a unit.
    pub(crate) quads: u32,
    /// The word width with which each input buffer is bound as an array; each buffer is bound once.
    pub(crate) bindings: Vec<LoadWidth>,
    pub(crate) loads: Vec<KernelLoad>,
    /// The element types of the constants.
    pub(crate) constants: Vec<ElementType>,
    pub(crate) ops: Vec<KernelOp>,
    /// The arrays that it writes, at least one.
    pub(crate) outputs: Vec<KernelOutput>,
    /// True if elements are stored one by one, each at its own position: in a carry kernel over a
    /// window that does not begin and end with quads of the written array. Elements that share a
    /// word may be written concurrently, so this takes atomic operations.
    pub(crate) element_stores: bool,
    pub(crate) workgroup_size: u32,
    /// In schedules by rows or periods, the number of them that an invocation computes at a time; 1
    /// in others.
    pub(crate) tile_rows: u32,
    /// True if the rows of one invocation are apart, so that invocations that run together compute
    /// neighbouring rows.
    pub(crate) row_interleaved: bool,
    /// In rows and periods without tiles, true if units are numbered as in the result.
    pub(crate) linear_units: bool,
    /// Elements of a row in a short kernel; 0 in others.
    pub(crate) row_len: usize,
    /// Units that one invocation computes in flat and carry kernels; 1 in others.
    pub(crate) units_per_invocation: u32,
    /// In a flat kernel, true if the units of one invocation lie a workgroup apart; false in
    /// others.
    pub(crate) interleaved: bool,
    /// True if the units of one invocation are written one after the other, all their loads first;
    /// false if a loop covers them, or there is only one.
    pub(crate) unrolled: bool,
    /// True if an invocation past the end writes to spare memory instead of returning.
    pub(crate) branchless: bool,
    /// Maximum bytes of a parameter block that is bound as a uniform.
    pub(crate) max_uniform_bytes: u32,
    /// How the adapter computes. Its `half` is native only if all values are F16.
    pub(crate) arithmetic: Arithmetic,
    /// True if 64-bit integers are native to the shader; otherwise they are pairs of words.
    pub(crate) int64: bool,
    /// True if functions with few hard operands are called for a unit at once, whether or not the
    /// kernel starts with a branch.
    pub(crate) by_units: bool,
    /// True if functions use 64-bit floats where there is such a version.
    pub(crate) through_f64: bool,
    /// True if it calls functions with loops, and the driver may end these by itself.
    pub(crate) bounded_loops: bool,
}

/// An array that a kernel writes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct KernelOutput {
    pub(crate) value: ValueRef,
    pub(crate) element_type: ElementType,
    /// The word width with which its buffer is bound as an array.
    pub(crate) width: LoadWidth,
}

impl Kernel {
    /// Returns the number of elements of a unit.
    pub(crate) fn unit(&self) -> usize {
        elements(self.quads)
    }

    /// Returns true if all values are F16, computed in the shader's 16-bit floats.
    pub(crate) fn is_half(&self) -> bool {
        self.arithmetic.half == Half::Native
    }

    /// Returns true if it calls a function with loops, and binds a word for them after its outputs.
    pub(crate) fn has_loops(&self) -> bool {
        self.ops.iter().any(KernelOp::has_loops)
    }

    /// Returns the number of buffers that it writes.
    pub(crate) fn written_buffers(&self) -> usize {
        self.outputs.len() + usize::from(self.has_loops())
    }

    /// Returns the word width of a binding: inputs come first, then the outputs.
    pub(crate) fn width(&self, binding: usize) -> LoadWidth {
        let outputs = self.outputs.iter().map(|output| output.width);
        let mut all = self.bindings.iter().copied().chain(outputs);
        all.nth(binding).unwrap_or(LoadWidth::Bytes4)
    }

    /// Returns the number of words of an output in a unit.
    pub(crate) fn stores(&self, output: &KernelOutput) -> usize {
        self.unit() / output.width.elements(output.element_type)
    }

    /// Returns true if the kernel stores elements narrower than a word one by one in an output.
    pub(crate) fn stores_in_words(&self, output: &KernelOutput) -> bool {
        self.element_stores && output.element_type.elements_per_word() > 1
    }

    /// Returns the dimensions around the rows.
    pub(crate) fn outer_dimensions(&self) -> impl DoubleEndedIterator<Item = usize> + '_ {
        (0..self.rank.saturating_sub(1)).filter(|&d| d != self.row)
    }

    /// Returns how many blocks across and down a workgroup covers: as square as possible, so that
    /// lines that a block reads in part are read by its neighbours at the same time.
    pub(crate) fn block_group(&self) -> [usize; 2] {
        let size = self.workgroup_size as usize;
        let across =
            (1..=size).rev().find(|&n| n * n <= size && size.is_multiple_of(n)).unwrap_or(1);
        [across, size / across]
    }
}
