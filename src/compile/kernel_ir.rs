//! Holds a kernel's code before planning: straight-line operations over one iteration space.
//!
//! Broadcasts and views have disappeared here: an operand that is broadcast is the same operand
//! with a stride of 0, one that is reversed has a negative stride. There remain loads (of arrays
//! and iotas, with an offset and strides in the kernel's space), constants and operations on single
//! elements.

use crate::compile::cost;
use crate::graph::computation::NodeId;
use crate::semantics::element::{ElementType, Form, Scalar};
use crate::semantics::opcode::Opcode;
use crate::semantics::precision::Precision;
use crate::semantics::shape::Shape;

/// The array, if there is one, that the elements of a load come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum LoadSource {
    /// The array given for this parameter.
    Parameter(usize),
    /// The array in which an earlier kernel stored the value of this node.
    Stored(NodeId),
    /// No array: the value is the index along a dimension.
    Iota,
}

/// One operand of a kernel, as its code reads it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Load {
    pub(crate) source: LoadSource,
    pub(crate) element_type: ElementType,
    /// The shape of the array as it is stored.
    pub(crate) shape: Shape,
    /// For each of its dimensions, the dimension of the kernel's space that it becomes; `None`
    /// behind a reshape that splits or merges dimensions.
    pub(crate) dimensions: Option<Vec<usize>>,
    /// Elements from the array's first one to the one at the origin of the kernel's space; it may
    /// lie outside of the array if the load is clamped.
    pub(crate) offset: isize,
    /// The distance in elements between neighbours, for each dimension of the kernel's space; 0
    /// where the array is broadcast, negative where it is walked through backwards.
    pub(crate) strides: Vec<isize>,
    /// True if positions outside of the array are among those of the space, where any element of it
    /// may be read: the kernel selects another value there.
    pub(crate) clamped: bool,
}

impl Load {
    /// Returns the number of elements from the start of a binding to the one at the origin, if the
    /// array begins `bytes` behind the start.
    pub(crate) fn offset_in_binding(&self, bytes: u32) -> i64 {
        let before = self.element_type.elements_in(u64::from(bytes)).cast_signed();
        before.wrapping_add(self.offset as i64)
    }

    /// Returns true if an iota of this type needs a 64-bit index: it does in every form but 32-bit
    /// integers, to which the lower 32 bits are all.
    pub(crate) fn is_long_as_iota(&self) -> bool {
        !matches!(self.element_type.form(), Form::S32 | Form::U32)
    }
}

/// Returns true if a walk of these strides through a space of these sizes leaves an array.
pub(crate) fn leaves(offset: isize, strides: &[isize], space: &[usize], array: &Shape) -> bool {
    if space.contains(&0) {
        return false;
    }
    let (mut first, mut last) = (offset as i128, offset as i128);
    for (&stride, &size) in strides.iter().zip(space) {
        let reach = stride as i128 * (size as i128 - 1);
        first += reach.min(0);
        last += reach.max(0);
    }
    let count = array.element_count().map_or(i128::MAX, |count| count as i128);
    first < 0 || last >= count
}

/// A value inside a kernel, by its number among those of its kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum ValueRef {
    Load(usize),
    Constant(usize),
    Op(usize),
}

/// One operation on single elements.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct KernelOp {
    pub(crate) opcode: Opcode,
    /// The type that the spelling is chosen by: the (last) operand's.
    pub(crate) from: ElementType,
    pub(crate) element_type: ElementType,
    pub(crate) operands: Vec<ValueRef>,
    pub(crate) precision: Precision,
}

/// One kernel, before planning.
#[derive(Debug, Clone)]
pub(crate) struct KernelIr {
    /// The node that it computes.
    pub(crate) node: NodeId,
    /// True if that is the computation's result, and false if it is a value that later kernels
    /// read.
    pub(crate) is_result: bool,
    /// The shape of the array that is written.
    pub(crate) shape: Shape,
    /// The iteration space: those sizes, or others with the same elements in the same order, where
    /// a reshape needs dimensions to be split or merged.
    pub(crate) space: Shape,
    pub(crate) element_type: ElementType,
    pub(crate) loads: Vec<Load>,
    pub(crate) constants: Vec<Scalar>,
    pub(crate) ops: Vec<KernelOp>,
    pub(crate) result: ValueRef,
}

impl KernelIr {
    /// Returns the types of all that it reads, computes and writes; some of them several times.
    pub(crate) fn element_types(&self) -> impl Iterator<Item = ElementType> + '_ {
        let loads = self.loads.iter().map(|load| load.element_type);
        let constants = self.constants.iter().map(|constant| constant.element_type());
        let ops = self.ops.iter().flat_map(|op| [op.from, op.element_type]);
        loads.chain(constants).chain(ops).chain([self.element_type])
    }

    /// Returns the work of one element; see
    /// [`PlanLimits::max_work_per_submission`](super::limits::PlanLimits::max_work_per_submission).
    pub(crate) fn element_work(&self) -> u64 {
        let arrays = self.loads.iter().filter(|load| load.source != LoadSource::Iota);
        let accesses = arrays.map(|load| load.element_type).chain([self.element_type]);
        let ops: u64 = self.ops.iter().map(|op| cost::work(op.opcode, op.from)).sum();
        accesses.map(cost::access_work).sum::<u64>() + ops
    }

    /// Returns the same kernel without the space's dimensions of size 1, if it has any. There may
    /// be thousands of these, and as many windows.
    pub(crate) fn without_degenerate(&self) -> Option<Self> {
        let dims = self.space.dims();
        if !dims.contains(&1) {
            return None;
        }
        let kept: Vec<usize> = (0..dims.len()).filter(|&d| dims[d] != 1).collect();
        let space: Vec<usize> = kept.iter().map(|&d| dims[d]).collect();
        let mut compact = Self { space: Shape::from(space), ..self.clone() };
        for load in &mut compact.loads {
            load.dimensions = None;
            load.strides = kept.iter().map(|&d| load.strides[d]).collect();
        }
        Some(compact)
    }

    /// Returns the arrays that it reads, each once, in ascending order.
    pub(crate) fn sources(&self) -> Vec<LoadSource> {
        let sources = self.loads.iter().map(|load| load.source);
        let mut sources: Vec<_> = sources.filter(|&s| s != LoadSource::Iota).collect();
        sources.sort_unstable();
        sources.dedup();
        sources
    }
}
