//! [`Output`]: an array that a kernel writes, and [`Placed`], the place of one in existing memory.

use crate::kernel::body::ValueRef;
use indim_core::graph::computation::NodeId;
use indim_core::semantics::element::ElementType;

/// An array that a kernel writes.
#[derive(Debug, Clone)]
pub struct Output {
    /// The node that it holds.
    pub(crate) node: NodeId,
    /// True if this is a result of the computation, false if only later kernels read it.
    pub(crate) is_result: bool,
    pub(crate) element_type: ElementType,
    pub(crate) value: ValueRef,
    /// The distance in elements between neighbours, for each dimension of the kernel's space. The
    /// outputs of one kernel have equal strides.
    pub(crate) strides: Vec<usize>,
    /// The code that keeps existing elements at the ends of its rows, if these are widened.
    pub(crate) edges: Option<Edges>,
    /// The number of the result whose existing memory it is written to; `None` for new memory.
    pub existing: Option<usize>,
}

/// The code by which widened rows keep the existing elements before their first and after their last
/// own one; see [`edges`](super::edges). Units between need none of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Edges {
    /// The load of the index along a row.
    pub(crate) index: usize,
    /// The load of the existing elements; `None` if it has other users.
    pub(crate) there: Option<usize>,
    /// The first of the operations, which end with the select of an own or an existing element.
    pub(crate) first_op: usize,
}

/// The place of a kernel's output in existing memory. Positions are in elements, from the start of
/// the binding.
#[derive(Debug, Clone)]
pub struct Placed {
    /// The start of the array.
    pub(crate) begin: usize,
    /// The element at the origin of the kernel's space.
    pub(crate) offset: usize,
    /// The end of the array.
    pub(crate) end: u64,
    /// The size of the whole array's binding is a multiple of this number of bytes.
    pub(crate) granularity: u32,
    /// True for memory allocated by the library, whose arrays are followed by padding.
    pub is_own: bool,
    /// True if the kernel writes all of an array, so that it may also write to the padding.
    pub(crate) is_whole: bool,
}

impl Placed {
    /// Returns true if units may reach past the end of the written elements.
    pub(crate) fn may_pass_end(&self) -> bool {
        self.is_own && self.is_whole
    }
}
