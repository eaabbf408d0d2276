//! [`FoldRows`]: each invocation folds into one element, or those of a workgroup do together.

use super::traverse::{Counts, Extent, Strided, Traverse};
use crate::cost::{GATHER_WEIGHT, MAX_STRAIGHT_LINE};
use crate::kernel::body::loop_weight;
use crate::kernel::fold::{CHILDREN, Fold, STRANDS};
use crate::kernel::load::{Load, LoadSource};
use crate::layout::{MAX_QUADS, elements};
use crate::plan::access::{Access, KernelLoad, LoadMode};
use crate::plan::field::Field;
use crate::plan::input::PlanInput;
use crate::plan::schedule::Schedule;

/// How the nodes of the tree that lie in a row are folded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Nodes {
    /// There is one.
    One,
    /// An invocation folds one after the other, and adds each to the node above them.
    InTurn,
    /// As many invocations of a workgroup fold one each. They meet in the workgroup's memory.
    Together { lanes: usize },
}

impl Nodes {
    fn of(input: &PlanInput<'_>) -> Self {
        let (count, workgroup) = (input.space.folded_count, input.workgroup_size());
        if count <= CHILDREN {
            return Self::One;
        }
        let lanes = if count <= STRANDS * CHILDREN { STRANDS } else { CHILDREN };
        let accumulators = input.ir.fold.as_ref().map_or(0, |fold| fold.accumulators.len());
        let bytes = (accumulators * workgroup * MEETING_BYTES) as u64;
        let has_room = bytes <= u64::from(input.limits.device.max_compute_workgroup_storage_size);
        // Where a loop is ended an invocation may return, and others would wait for it.
        let all_meet = !input.ir.map.has_loops();
        let together = input.limits.tuning.folds_together && count > FEW_NODES * CHILDREN;
        if together && workgroup.is_multiple_of(lanes) && has_room && all_meet {
            return Self::Together { lanes };
        }
        Self::InTurn
    }

    /// Returns the number of invocations that fold into one element.
    pub(crate) fn lanes(self) -> usize {
        match self {
            Self::One | Self::InTurn => 1,
            Self::Together { lanes } => lanes,
        }
    }
}

/// As many nodes take an invocation fewer operations than meeting does (docs/performance.md, "On paper").
const FEW_NODES: usize = 2;

/// Bytes of a workgroup's memory that an accumulator takes for each invocation: 8 for its node, and at
/// most as many for a strand of the node above.
const MEETING_BYTES: usize = 16;

/// Neighbouring elements that one invocation folds into, side by side: what all of them read it loads
/// once.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Group {
    pub(crate) elements: usize,
    /// The loads, by number, that are the same for all of them.
    pub(crate) shared: Vec<usize>,
}

impl Group {
    const ONE: Self = Self { elements: 1, shared: Vec::new() };

    /// Returns the group of a fold whose nodes are folded in this way.
    fn of(input: &PlanInput<'_>, nodes: Nodes) -> Self {
        let (ir, space) = (input.ir, input.space);
        let Some(last) = space.folded.start.checked_sub(1) else { return Self::ONE };
        let is_alone = |load: &Load| load.source == LoadSource::Iota;
        let varies = |strides: &[isize]| strides[space.folded.clone()].iter().any(|&s| s != 0);
        let loads = ir.map.loads.iter().zip(&space.strides).enumerate();
        let read = loads.filter(|(_, (load, strides))| !is_alone(load) && varies(strides));
        let shared: Vec<usize> =
            read.filter(|(_, (_, strides))| strides[last] == 0).map(|(load, _)| load).collect();
        let fewest = if input.limits.tuning.folds_together { ENOUGH_GROUPS } else { 1 };
        let fits = space.sizes[last] >= GROUPED && space.count() / GROUPED >= fewest;
        let is_one_block = !ir.has_passes() && space.part.is_none() && space.folded_count <= BLOCK;
        let is_simple = is_one_block && !ir.map.has_loops() && nodes.lanes() == 1;
        if shared.is_empty() || !fits || !is_simple {
            return Self::ONE;
        }
        Self { elements: GROUPED, shared }
    }
}

/// The elements of a group.
const GROUPED: usize = 4;

/// As many invocations keep a GPU busy.
const ENOUGH_GROUPS: usize = 1 << 18;

/// The elements of two levels of the tree, which one loop folds.
pub(crate) const BLOCK: usize = CHILDREN * CHILDREN;

/// Returns the number of levels above the blocks of a row of `count` elements.
fn levels_above(count: usize) -> usize {
    let above = |level: u32| BLOCK.saturating_mul(CHILDREN.saturating_pow(level));
    (0..).find(|&level| above(level) >= count).unwrap_or(0) as usize
}

/// A walk in which units lie along the folded dimensions, of any kind and order.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct FoldRows {
    /// The number of folded dimensions.
    pub(crate) dimensions: usize,
    /// True if a unit may span rows of the innermost folded dimension, so that each element has a
    /// position of its own.
    pub(crate) spans_rows: bool,
    /// True if a part is a range of the folded space.
    pub(crate) is_range: bool,
    /// True if the last unit is whole.
    pub(crate) whole: bool,
    /// True if all that is folded into one element is one unit.
    pub(crate) is_unit: bool,
    /// How the nodes of a block are folded.
    pub(crate) nodes: Nodes,
    /// The levels of the tree above blocks, which are folded one after the other; 0 if a row is one.
    pub(crate) above: usize,
    pub(crate) group: Group,
}

impl FoldRows {
    /// Returns the walk with the quads of its units: up to a node of the tree.
    pub(super) fn choose(input: &PlanInput<'_>) -> (Self, u32) {
        let (space, count) = (input.space, input.space.folded_count);
        // What stands in a row beside its reductions is computed in units, too, in a loop of its own.
        let stored = input.ir.fold.as_ref().filter(|fold| fold.stores_each);
        let weights = stored.map_or(1, |fold| loop_weight(&fold.epilogue));
        let straight =
            loop_weight(&input.ir.map.ops).max(weights) + GATHER_WEIGHT * input.gathers();
        let is_quick = |quads: u32| straight * elements(quads) <= MAX_STRAIGHT_LINE;
        let nodes = Nodes::of(input);
        let fits = |quads: u32| elements(quads) < 2 * count;
        let dimensions = space.folded.len();
        let in_rows = |quads: u32| dimensions == 1 || space.inner().is_multiple_of(elements(quads));
        let sizes = [MAX_QUADS, 4, 2, 1].into_iter();
        let quads = sizes.clone().find(|&q| is_quick(q) && fits(q) && in_rows(q));
        let spans_rows = quads.is_none() && dimensions > 1;
        let quads = quads.unwrap_or(1);
        let group = if spans_rows || !is_quick(quads * GROUPED as u32) {
            Group::ONE
        } else {
            Group::of(input, nodes)
        };
        let rows = Self {
            dimensions,
            spans_rows,
            is_range: input.ir.fold.as_ref().is_some_and(Fold::is_range),
            whole: count.is_multiple_of(elements(quads)) && space.part.is_none(),
            is_unit: count == elements(quads) && space.part.is_none() && !input.ir.has_passes(),
            nodes,
            above: levels_above(count),
            group,
        };
        (rows, quads)
    }
}

impl Traverse for FoldRows {
    fn schedule(&self) -> Schedule {
        Schedule::FoldRows
    }

    fn row(&self, _: usize) -> Option<usize> {
        None
    }

    fn iota(&self, load: &Strided<'_>) -> LoadMode {
        if load.inner() == 1 && !self.spans_rows {
            return LoadMode { access: Access::Contiguous, step: 1, phase: 0 };
        }
        self.by_element(load)
    }

    fn by_element(&self, load: &Strided<'_>) -> LoadMode {
        LoadMode::by(if load.is_folded() { Access::Gather } else { Access::Splat })
    }

    fn by_word(&self, load: &Strided<'_>, lanes: isize) -> Option<LoadMode> {
        if self.spans_rows || !load.is_folded() { None } else { load.words_in_row(lanes) }
    }

    fn reads_past(&self) -> bool {
        !self.whole
    }

    fn fields(&self, rank: usize) -> Vec<Field> {
        let kept = rank - self.dimensions;
        let mut fields = vec![Field::Folded, Field::OfParts, Field::FirstFolded];
        let first = if self.group.elements == 1 {
            1
        } else {
            fields.push(Field::Columns);
            kept.min(2) - 1
        };
        fields.extend((first..rank).map(Field::Size));
        fields.push(Field::ResultOffset);
        fields.extend((0..kept).map(Field::ResultStride));
        fields
    }

    fn stride_fields(&self, number: usize, load: &KernelLoad, rank: usize) -> Vec<Field> {
        let rank = match load.mode.access {
            Access::Splat => rank - self.dimensions,
            _ if load.mode.in_words() => rank - 1,
            _ => rank,
        };
        (0..rank).map(|d| Field::Stride(number, d)).collect()
    }

    fn counts(&self, extent: &Extent<'_>) -> Counts {
        let (count, group) = (extent.space.count(), self.group.elements);
        let last = extent.space.folded.start.checked_sub(1).map_or(1, |d| extent.space.sizes[d]);
        let columns = last.div_ceil(group);
        let total = count / last.max(1) * columns;
        let workgroups = total.div_ceil(extent.workgroup / self.nodes.lanes());
        Counts { workgroups, fields: vec![(Field::Total, total), (Field::Columns, columns)] }
    }
}
