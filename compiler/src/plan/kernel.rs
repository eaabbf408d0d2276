//! [`Kernel`], the structure of a planned kernel, which determines the shader's text.

use std::ops::Range;

use super::access::{Access, KernelLoad};
use super::schedule::Schedule;
use super::walk::kinds::Walk;
use crate::arithmetic::{Arithmetic, Half};
use crate::kernel::body::{Body, ValueRef};
use crate::kernel::fold::Accumulator;
use crate::kernel::output::Edges;
use crate::layout::{LoadWidth, elements};
use indim_core::semantics::element::ElementType;

/// A body, as a kernel's text depends on it.
pub(crate) type PlannedBody = Body<KernelLoad, ElementType>;

/// The structure of one kernel: everything that its text depends on.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Kernel {
    pub(crate) walk: Walk,
    /// The number of merged dimensions.
    pub(crate) rank: usize,
    /// Quads of a unit.
    pub(crate) quads: u32,
    pub(crate) workgroup_size: u32,
    /// The word width with which each input buffer is bound as an array; each buffer is bound once.
    pub bindings: Vec<LoadWidth>,
    pub map: PlannedBody,
    /// How the map's values are combined before anything is stored, if they are.
    pub(crate) fold: Option<PlannedFold>,
    /// The arrays that it writes, at least one.
    pub(crate) outputs: Vec<KernelOutput>,
    /// Maximum bytes of a parameter block that is bound as a uniform.
    pub(crate) max_uniform_bytes: u32,
    /// How the adapter computes. Its `half` is native only if all values are F16.
    pub(crate) arithmetic: Arithmetic,
    /// True if 64-bit integers are native to the shader; otherwise they are pairs of words.
    pub(crate) int64: bool,
    /// True if functions with few hard operands are called for a unit at once, whether or not the
    /// kernel starts with a branch, and short walks start with none.
    pub(crate) by_units: bool,
    /// True if functions use 64-bit floats where there is such a version.
    pub(crate) through_f64: bool,
    /// True if it calls functions with loops, and the driver may end these by itself.
    pub(crate) bounded_loops: bool,
}

/// The folding of a kernel, as its text depends on it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct PlannedFold {
    pub(crate) accumulators: Vec<Accumulator>,
    /// Its loads and constants are those of the map.
    pub(crate) epilogue: PlannedBody,
    /// The dimensions along which it folds, and the one that numbers parts, as in the space.
    pub(crate) folded: Range<usize>,
    pub(crate) part: Option<usize>,
}

/// An array that a kernel writes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct KernelOutput {
    pub(crate) value: ValueRef,
    pub(crate) element_type: ElementType,
    /// The word width with which its buffer is bound as an array.
    pub(crate) width: LoadWidth,
    /// The code that keeps existing elements at the ends of its rows.
    pub(crate) edges: Option<Edges>,
}

impl Kernel {
    /// Returns the number of elements of a unit.
    pub(crate) fn unit(&self) -> usize {
        elements(self.quads)
    }

    /// Returns the public name of its walk.
    pub(crate) fn schedule(&self) -> Schedule {
        self.walk.traverse().schedule()
    }

    /// Returns the number of rows that an invocation computes at a time.
    pub(crate) fn tile(&self) -> usize {
        self.walk.traverse().tile(self.unit())
    }

    /// Returns true if all values are F16, computed in the shader's 16-bit floats.
    pub(crate) fn is_half(&self) -> bool {
        self.arithmetic.half == Half::Native
    }

    /// Returns true if it calls a function with loops, and binds a word for them after its outputs.
    pub(crate) fn has_loops(&self) -> bool {
        self.map.has_loops()
    }

    /// Returns the code that keeps existing elements at the ends of rows, if each unit lies in one row
    /// and a branch can tell whether a unit has any.
    pub(crate) fn edges_of_units(&self) -> Option<Edges> {
        let edges = self.outputs[0].edges?;
        let is_in_rows = matches!(self.walk, Walk::Flat(_) | Walk::Rows(_) | Walk::Blocks(_));
        let in_order = |load: usize| self.map.loads[load].mode.access == Access::Contiguous;
        let all_in_order = in_order(edges.index) && edges.there.is_none_or(in_order);
        (is_in_rows && all_in_order).then_some(edges)
    }

    /// Returns the number of buffers that it writes.
    pub fn written_buffers(&self) -> usize {
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
        self.walk.stores_elements() && output.element_type.elements_per_word() > 1
    }
}
