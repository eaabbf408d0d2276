//! [`KernelIr`]: a kernel's code before planning.

use crate::cost;
use crate::kernel::body::{Body, loop_words};
use crate::kernel::fold::Fold;
use crate::kernel::load::{ArrayId, Load, LoadSource};
use crate::kernel::output::{Output, Placed};
use crate::limits::PlanLimits;
use indim_core::graph::computation::NodeId;
use indim_core::semantics::element::ElementType;
use indim_core::semantics::shape::Shape;
use indim_core::semantics::sorted::sorted_set;

/// One kernel, before planning: `map` is computed at each position of a space, and stored.
#[derive(Debug, Clone)]
pub struct KernelIr {
    /// The iteration space: the sizes of the shape, or others with the same elements in the same
    /// order if a reshape requires dimensions to be split or merged.
    pub(crate) space: Shape,
    pub map: Body,
    /// How the map's values are combined before anything is stored, if they are. The outputs are then
    /// values of its epilogue.
    pub fold: Option<Fold>,
    /// The operations of the map that call functions with loops, each with a node that it computes.
    pub(crate) loop_calls: Vec<(usize, NodeId)>,
    /// The arrays that it writes, at least one.
    pub outputs: Vec<Output>,
    /// The shape of each of these.
    pub shape: Shape,
    /// The place in existing memory of the only output, if it is written there. In kernels of
    /// several outputs, existing memory is written as new memory is: from its start to its end.
    pub destination: Option<Placed>,
}

impl KernelIr {
    /// Returns the types of everything that it reads, computes and writes, with repetitions.
    pub fn element_types(&self) -> impl Iterator<Item = ElementType> + '_ {
        self.map.element_types().chain(self.fold_types()).chain(self.output_types())
    }

    fn fold_types(&self) -> impl Iterator<Item = ElementType> + '_ {
        let accumulators = self.fold.iter().flat_map(|fold| &fold.accumulators);
        let epilogue = self.fold.iter().flat_map(|fold| &fold.epilogue);
        let types = accumulators.map(|accumulator| accumulator.element_type);
        types.chain(epilogue.flat_map(|op| [op.from, op.element_type]))
    }

    /// Returns the number of positions of the map at each position of the space.
    pub(crate) fn folded(&self) -> usize {
        self.fold.as_ref().map_or(1, Fold::count)
    }

    /// Returns true if it passes over what it folds several times.
    pub(crate) fn has_passes(&self) -> bool {
        self.fold.as_ref().is_some_and(Fold::has_passes)
    }

    /// Returns the number of elements of an output at each position of the space.
    pub(crate) fn stored(&self) -> usize {
        self.fold.as_ref().filter(|fold| fold.stores_each).map_or(1, Fold::count)
    }

    /// Returns the element types of the arrays that it writes.
    pub fn output_types(&self) -> impl Iterator<Item = ElementType> + '_ {
        self.outputs.iter().map(|output| output.element_type)
    }

    /// Returns the narrowest and the widest of these types.
    pub fn narrowest_and_widest_output(&self) -> [ElementType; 2] {
        let first = self.outputs[0].element_type;
        self.output_types().fold([first; 2], |[narrowest, widest], other| {
            let narrower = other.bits() < narrowest.bits();
            let wider = other.bits() > widest.bits();
            [if narrower { other } else { narrowest }, if wider { other } else { widest }]
        })
    }

    /// Returns the work of one element; see
    /// [`Tuning::max_work_per_submission`](crate::limits::Tuning::max_work_per_submission).
    pub fn element_work(&self) -> u64 {
        let loaded = self.map.array_loads().map(|load| load.element_type);
        let accesses = loaded.chain(self.output_types());
        let ops = self.map.ops.iter().map(|op| op.cost().work).fold(0, u64::saturating_add);
        let work = accesses.map(cost::access_work).fold(ops, u64::saturating_add);
        let passes = self.fold.as_ref().map_or(1, Fold::passes) as u64;
        work.saturating_mul(passes).saturating_mul(self.folded() as u64)
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
        if let Some(part) = compact.fold.as_mut().and_then(|fold| fold.part.as_mut()) {
            // Parts are several.
            part.dimension = kept.iter().position(|&d| d == part.dimension).unwrap_or_default();
        }
        for output in &mut compact.outputs {
            output.strides = kept.iter().map(|&d| output.strides[d]).collect();
        }
        for load in &mut compact.map.loads {
            load.dimensions = None;
            load.strides = kept.iter().map(|&d| load.strides[d]).collect();
        }
        Some(compact)
    }

    /// Returns true if its parameter block may be too large for a uniform, by an upper estimate.
    pub(crate) fn may_need_table(&self, limits: &PlanLimits) -> bool {
        let folded = self.fold.as_ref().map_or(0, |fold| fold.sizes.len());
        let rank = self.space.rank() + folded;
        let words = 16 + rank + self.map.loads.len() * (2 * rank + 2) + self.map.constants.len();
        words * 4 > limits.device.max_uniform_bytes as usize
    }

    /// Returns the type and the shape of an array that is read at computed positions and does not fit a
    /// binding of this size, or has more elements than positions count.
    pub fn unbound_table(&self, binding: u64) -> Option<(ElementType, &Shape)> {
        let is_too_large = |load: &&Load| {
            let count = load.shape.element_count().map_or(u64::MAX, |count| count as u64);
            let bytes = load.element_type.device_bytes(count);
            bytes.is_none_or(|bytes| bytes > binding) || u32::try_from(count).is_err()
        };
        let mut tables = self.map.loads.iter().filter(|load| load.table);
        let table = tables.find(is_too_large)?;
        Some((table.element_type, &table.shape))
    }

    /// Returns the strides of the written arrays, for each dimension of the space.
    pub(crate) fn output_strides(&self) -> &[usize] {
        &self.outputs[0].strides
    }

    /// Returns true if an operand is existing memory that it writes.
    pub fn reads_destination(&self) -> bool {
        self.map.loads.iter().any(|load| matches!(load.source, LoadSource::Destination(_)))
    }

    /// Returns true if it calls a function with loops.
    pub(crate) fn has_loops(&self) -> bool {
        self.map.has_loops()
    }

    /// Returns the nodes that belong to each word for loops.
    pub fn nodes_of_loop_words(&self) -> Vec<Vec<NodeId>> {
        let words = loop_words(&self.map.ops);
        let mut nodes = vec![Vec::new(); words.iter().flatten().max().map_or(0, |last| last + 1)];
        for &(op, node) in &self.loop_calls {
            if let Some(word) = words[op] {
                nodes[word].push(node);
            }
        }
        nodes
    }

    /// Returns the number of buffers that it writes: its outputs, and words for loops.
    pub fn written_buffers(&self) -> usize {
        self.outputs.len() + usize::from(self.has_loops())
    }

    /// Returns the most buffers that it binds, also where a long fold is cut into several kernels, of
    /// which the last one reads a partial result of each accumulator.
    pub(crate) fn most_buffers(&self) -> usize {
        let (read, written) = (self.arrays().len(), self.written_buffers());
        let Some(fold) = self.fold.as_ref().filter(|fold| !fold.has_passes()) else {
            return read + written;
        };
        let partial = fold.accumulators.len();
        let is_kept = |load: &&Load| load.folded.iter().all(|&stride| stride == 0);
        let after = self.map.loads.iter().filter(is_kept).filter_map(Load::array);
        let after = sorted_set(after.collect());
        (read + partial.max(written)).max(partial + after.len() + written)
    }

    /// Returns the arrays that it reads, except the one that it writes, each once, in ascending
    /// order.
    pub fn arrays(&self) -> Vec<ArrayId> {
        sorted_set(self.map.loads.iter().filter_map(Load::array).collect())
    }
}
