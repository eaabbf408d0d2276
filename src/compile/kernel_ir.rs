//! A kernel's code before planning: straight-line operations over one iteration space.
//!
//! Broadcasts and views have disappeared here: a broadcast operand has a stride of 0, a reversed
//! one a negative stride. What remains are loads (of arrays and iotas, with an offset and strides
//! in the kernel's space), constants and operations on single elements.

use crate::compile::cost::{self, OpCost};
use crate::compile::limits::PlanLimits;
use crate::graph::computation::NodeId;
use crate::graph::function::body::Call;
use crate::semantics::element::{ElementType, Form, Scalar};
use crate::semantics::opcode::Opcode;
use crate::semantics::precision::Precision;
use crate::semantics::shape::Shape;

/// An array that is read. What made it is a node in the compiler, and a step in a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum ArrayId<Maker = NodeId> {
    /// The array given for this parameter.
    Parameter(usize),
    /// The array in which an earlier kernel stored a value.
    Stored(Maker),
}

/// The source of a load's elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum LoadSource {
    /// An array that the kernel only reads.
    Array(ArrayId),
    /// The existing array that the kernel writes as the output of this number; each element is read
    /// at the position where it is written.
    Destination(usize),
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
    /// For each of its dimensions, the corresponding dimension of the kernel's space; `None` after
    /// a reshape that splits or merges dimensions.
    pub(crate) dimensions: Option<Vec<usize>>,
    /// Elements from the array's first one to the one at the origin of the kernel's space; it may
    /// lie outside of the array if the load is clamped.
    pub(crate) offset: isize,
    /// The distance in elements between neighbours, for each dimension of the kernel's space; 0
    /// where the array is broadcast, negative where it is traversed backwards.
    pub(crate) strides: Vec<isize>,
    /// True if the space includes positions outside of the array. Any element may be read there,
    /// since the kernel selects another value.
    pub(crate) clamped: bool,
}

impl Load {
    /// Returns the array that it reads, unless that is the one that the kernel writes.
    pub(crate) fn array(&self) -> Option<ArrayId> {
        match self.source {
            LoadSource::Array(array) => Some(array),
            LoadSource::Destination(_) | LoadSource::Iota => None,
        }
    }

    /// Returns the number of elements from the start of a binding to the one at the origin, if the
    /// array begins `bytes` after the start.
    pub(crate) fn offset_in_binding(&self, bytes: u32) -> i64 {
        let before = self.element_type.elements_in(u64::from(bytes)).cast_signed();
        before.wrapping_add(self.offset as i64)
    }

    /// Returns true if another load has the same elements.
    pub(crate) fn reads_as(&self, other: &Self) -> bool {
        self.source == other.source
            && self.offset == other.offset
            && self.strides == other.strides
            && self.element_type == other.element_type
    }

    /// Returns true if an iota of this type needs a 64-bit index: every form does except 32-bit
    /// integers, for which the lower 32 bits suffice.
    pub(crate) fn is_long_as_iota(&self) -> bool {
        !matches!(self.element_type.form(), Form::S32 | Form::U32)
    }
}

/// Returns true if these strides, over a space of these sizes, lead outside of an array.
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

/// A constant of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KernelConstant {
    pub(crate) value: Scalar,
    /// The instruction that has this value; `None` for a number that follows from shapes. A run on
    /// other constants changes only the values of instructions.
    pub(crate) node: Option<NodeId>,
}

/// One operation on single elements.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct KernelOp {
    pub(crate) opcode: Opcode,
    /// The type that determines the spelling: the (last) operand's.
    pub(crate) from: ElementType,
    pub(crate) element_type: ElementType,
    pub(crate) operands: Vec<ValueRef>,
    pub(crate) precision: Precision,
    /// The function that is called, for a call.
    pub(crate) call: Option<Call>,
}

impl KernelOp {
    /// Returns true if it calls a function with loops.
    pub(crate) fn has_loops(&self) -> bool {
        self.call.as_ref().is_some_and(Call::has_loops)
    }

    /// Returns true if both are results of one call.
    pub(crate) fn is_same_call(&self, other: &Self) -> bool {
        let functions = (&self.call, &other.call);
        matches!(functions, (Some(own), Some(other)) if own.function == other.function)
            && self.operands == other.operands
    }

    /// Returns its cost on operands of its type.
    pub(crate) fn cost(&self) -> OpCost {
        OpCost::new(self.opcode, self.from, self.call.as_ref())
    }
}

/// Returns, for each operation of a kernel that calls a function with loops, the number of the word
/// that reports whether a loop of the call has run too often. Results of one call share a word.
pub(crate) fn loop_words(ops: &[KernelOp]) -> Vec<Option<usize>> {
    let mut words: Vec<Option<usize>> = Vec::with_capacity(ops.len());
    let mut count = 0;
    for op in ops {
        let known = || words.iter().zip(ops).find(|(_, other)| other.is_same_call(op));
        words.push(op.has_loops().then(|| match known() {
            Some((&Some(word), _)) => word,
            _ => {
                count += 1;
                count - 1
            }
        }));
    }
    words
}

/// An array that a kernel writes.
#[derive(Debug, Clone)]
pub(crate) struct Output {
    /// The node that it holds.
    pub(crate) node: NodeId,
    /// True if this is a result of the computation, false if only later kernels read it.
    pub(crate) is_result: bool,
    pub(crate) element_type: ElementType,
    pub(crate) value: ValueRef,
    /// The number of the result whose existing memory it is written to; `None` for new memory.
    pub(crate) existing: Option<usize>,
}

/// Existing memory that a kernel writes, with a distance for each dimension of the kernel's space,
/// none of them negative.
#[derive(Debug, Clone)]
pub(crate) struct Placed {
    /// Elements from the start of the binding to the array.
    pub(crate) begin: usize,
    /// Elements from the start of the binding to the one at the origin of the space.
    pub(crate) offset: usize,
    pub(crate) strides: Vec<usize>,
    /// Elements from the start of the binding to the end of the array.
    pub(crate) end: u64,
    /// The size of the whole array's binding is a multiple of this number of bytes.
    pub(crate) granularity: u32,
    /// True for memory allocated by the library, whose arrays are followed by padding.
    pub(crate) is_own: bool,
    /// True if the kernel writes all of an array, so that it may also write to the padding.
    pub(crate) is_whole: bool,
}

impl Placed {
    /// Returns true if units may reach past the end of the written elements.
    pub(crate) fn may_pass_end(&self) -> bool {
        self.is_own && self.is_whole
    }
}

/// One kernel, before planning.
#[derive(Debug, Clone)]
pub(crate) struct KernelIr {
    /// The arrays that it writes, at least one.
    pub(crate) outputs: Vec<Output>,
    /// The shape of each of these.
    pub(crate) shape: Shape,
    /// The iteration space: those sizes, or others with the same elements in the same order if a
    /// reshape requires dimensions to be split or merged.
    pub(crate) space: Shape,
    pub(crate) loads: Vec<Load>,
    pub(crate) constants: Vec<KernelConstant>,
    pub(crate) ops: Vec<KernelOp>,
    /// The operations that call functions with loops, each with a node that it computes.
    pub(crate) loop_calls: Vec<(usize, NodeId)>,
    /// The place in existing memory of the only output, if it is written there. In kernels of
    /// several outputs, existing memory is written as new memory is: from its start to its end.
    pub(crate) destination: Option<Placed>,
}

impl KernelIr {
    /// Returns the types of everything that it reads, computes and writes, with repetitions.
    pub(crate) fn element_types(&self) -> impl Iterator<Item = ElementType> + '_ {
        let loads = self.loads.iter().map(|load| load.element_type);
        let constants = self.constants.iter().map(|constant| constant.value.element_type());
        let ops = self.ops.iter().flat_map(|op| [op.from, op.element_type]);
        loads.chain(constants).chain(ops).chain(self.output_types())
    }

    /// Returns the element types of the arrays that it writes.
    pub(crate) fn output_types(&self) -> impl Iterator<Item = ElementType> + '_ {
        self.outputs.iter().map(|output| output.element_type)
    }

    /// Returns the narrowest and the widest of these types.
    pub(crate) fn narrowest_and_widest_output(&self) -> [ElementType; 2] {
        let first = self.outputs[0].element_type;
        self.output_types().fold([first; 2], |[narrowest, widest], other| {
            let narrower = other.bits() < narrowest.bits();
            let wider = other.bits() > widest.bits();
            [if narrower { other } else { narrowest }, if wider { other } else { widest }]
        })
    }

    /// Returns the work of one element; see
    /// [`Tuning::max_work_per_submission`](super::limits::Tuning::max_work_per_submission).
    pub(crate) fn element_work(&self) -> u64 {
        let arrays = self.loads.iter().filter(|load| load.source != LoadSource::Iota);
        let accesses = arrays.map(|load| load.element_type).chain(self.output_types());
        let ops = self.ops.iter().map(|op| op.cost().work).fold(0, u64::saturating_add);
        accesses.map(cost::access_work).fold(ops, u64::saturating_add)
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
        if let Some(destination) = &mut compact.destination {
            destination.strides = kept.iter().map(|&d| destination.strides[d]).collect();
        }
        for load in &mut compact.loads {
            load.dimensions = None;
            load.strides = kept.iter().map(|&d| load.strides[d]).collect();
        }
        Some(compact)
    }

    /// Returns true if its parameter block may be too large for a uniform, by an upper estimate.
    pub(crate) fn may_need_table(&self, limits: &PlanLimits) -> bool {
        let rank = self.space.rank();
        let words = 16 + rank + self.loads.len() * (2 * rank + 2) + self.constants.len();
        words * 4 > limits.device.max_uniform_bytes as usize
    }

    /// Returns the strides of the written array, for each dimension of the space.
    pub(crate) fn output_strides(&self) -> Vec<usize> {
        match &self.destination {
            Some(destination) => destination.strides.clone(),
            None => self.space.strides(),
        }
    }

    /// Returns true if an operand is existing memory that it writes.
    pub(crate) fn reads_destination(&self) -> bool {
        self.loads.iter().any(|load| matches!(load.source, LoadSource::Destination(_)))
    }

    /// Returns true if it calls a function with loops.
    pub(crate) fn has_loops(&self) -> bool {
        self.ops.iter().any(KernelOp::has_loops)
    }

    /// Returns true if it calls a function whose compilation takes long.
    pub(crate) fn has_long_calls(&self) -> bool {
        self.ops.iter().filter_map(|op| op.call.as_ref()).any(cost::is_long)
    }

    /// Returns the nodes that belong to each word for loops.
    pub(crate) fn nodes_of_loop_words(&self) -> Vec<Vec<NodeId>> {
        let words = loop_words(&self.ops);
        let mut nodes = vec![Vec::new(); words.iter().flatten().max().map_or(0, |last| last + 1)];
        for &(op, node) in &self.loop_calls {
            if let Some(word) = words[op] {
                nodes[word].push(node);
            }
        }
        nodes
    }

    /// Returns the number of buffers that it writes: its outputs, and words for loops.
    pub(crate) fn written_buffers(&self) -> usize {
        self.outputs.len() + usize::from(self.has_loops())
    }

    /// Returns the arrays that it reads, except the one that it writes, each once, in ascending
    /// order.
    pub(crate) fn arrays(&self) -> Vec<ArrayId> {
        let mut arrays: Vec<ArrayId> = self.loads.iter().filter_map(Load::array).collect();
        arrays.sort_unstable();
        arrays.dedup();
        arrays
    }
}
