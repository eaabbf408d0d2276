//! [`Scan`]: each invocation walks through a block, and stores what it has combined so far at each
//! element.
//!
//! A cumulative operation asks for a reduction of the block at each of its elements, in which the
//! elements after that one are masked (`indim_core::graph::build::scans`). Here these reductions are
//! found again, so that each element is combined once.

use super::traverse::{Counts, Extent, Traverse};
use crate::cost::{GATHER_WEIGHT, MAX_STRAIGHT_LINE};
use crate::kernel::body::{ValueRef, loop_weight, needed};
use crate::kernel::fold::{Accumulator, CHILDREN, Fold, STRANDS};
use crate::kernel::ir::KernelIr;
use crate::kernel::load::LoadSource;
use crate::layout::{MAX_QUADS, QUAD, elements};
use crate::plan::field::Field;
use crate::plan::input::PlanInput;
use crate::plan::schedule::Schedule;
use crate::plan::space::Space;
use indim_core::semantics::opcode::Opcode;
use indim_core::semantics::reduce;

/// A walk through the blocks of a cumulative operation. Its space has the block once: along it, operands
/// of the map are folded, and results are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Scan {
    /// True if units lie along the innermost dimension, and invocations step down the block, which is
    /// the one before; false if a block is a unit.
    pub(crate) columns: bool,
    /// True if what is stored at an element leaves it out.
    pub(crate) exclusive: bool,
}

impl Scan {
    /// Returns the walk with its space and the quads of its units, if a kernel reduces masked blocks, and
    /// they are whole quads of one node.
    pub(in crate::plan) fn space(input: &PlanInput<'_>) -> Option<(Self, u32, Space)> {
        let PlanInput { ir, window, space, .. } = *input;
        let fold = ir.fold.as_ref().filter(|fold| !fold.has_passes() && fold.part.is_none())?;
        let has_edges = ir.outputs.iter().any(|output| output.edges.is_some());
        if window.range.is_some() || space.folded.len() != 1 || ir.map.has_loops() || has_edges {
            return None;
        }
        let mut masks = fold.accumulators.iter().map(|accumulator| Mask::of(ir, accumulator));
        let mask = masks.next()??;
        let is_alike = |other: Option<Mask>| {
            other.is_some_and(|other| {
                other.indices == mask.indices && other.exclusive == mask.exclusive
            })
        };
        if !masks.all(is_alike) {
            return None;
        }
        let [element, result] = mask.indices;
        let (folded, block) = (counts_along(input, element)?, counts_along(input, result)?);
        let count = space.sizes[folded];
        let is_square = folded == space.folded.start && block < folded;
        let is_node = count <= CHILDREN && count.is_multiple_of(QUAD);
        if !is_square || space.sizes[block] != count || !is_node || reads_along(input, fold, block)
        {
            return None;
        }
        let space = with_block_once(Space::new(ir, window), block);
        let columns = block + 2 == space.rank();
        if !columns && block + 1 != space.rank() || space.result.last() != Some(&1) {
            return None;
        }
        let scan = Self { columns, exclusive: mask.exclusive };
        let quads = scan.quads(&PlanInput { space: &space, ..*input }, fold, count)?;
        Some((scan, quads, space))
    }

    /// Returns the quads of its units, if there are some in which it is quick to compile.
    fn quads(self, input: &PlanInput<'_>, fold: &Fold, count: usize) -> Option<u32> {
        let gathers = GATHER_WEIGHT * input.gathers();
        let straight = loop_weight(&input.ir.map.ops) + loop_weight(&fold.epilogue) + gathers;
        let rows = if self.columns { STRANDS } else { 1 };
        let fits = |&quads: &u32| {
            quads.is_multiple_of(input.min_quads())
                && input.are_rows_whole(quads)
                && straight * elements(quads) * rows <= MAX_STRAIGHT_LINE
        };
        if self.columns {
            let most = if input.limits.tuning.wide { WIDE_COLUMN_QUADS } else { 1 };
            return [most, 1].map(|quads| quads.max(input.min_quads())).into_iter().find(fits);
        }
        let quads = u32::try_from(count / QUAD).ok()?;
        Some(quads).filter(|&quads| quads <= MAX_QUADS).filter(fits)
    }
}

/// The quads of a unit in columns where one load reads as much: four strands of it are kept, of two
/// words each, for which GPUs have no registers. (Measured on lavapipe, blocks of 16 rows of (2048,2048):
/// 10.7 ms of a processor's time, and 17.2 in units of one quad.)
const WIDE_COLUMN_QUADS: u32 = 2;

/// A mask of one accumulator.
struct Mask {
    /// The loads of the indices of an element and of the result.
    indices: [usize; 2],
    exclusive: bool,
    /// The value that an element adds to the result where the mask is true.
    value: ValueRef,
}

impl Mask {
    /// Returns the mask of an accumulator whose value changes nothing where it is false.
    fn of(ir: &KernelIr, accumulator: &Accumulator) -> Option<Self> {
        let op = |value: ValueRef, opcodes: &[Opcode]| match value {
            ValueRef::Op(number) => {
                ir.map.ops.get(number).filter(|op| opcodes.contains(&op.opcode))
            }
            _ => None,
        };
        let [Some(value), None] = accumulator.values else { return None };
        let [is_before, value, ValueRef::Constant(nothing)] =
            op(value, &[Opcode::Select])?.operands[..]
        else {
            return None;
        };
        let nothing = ir.map.constants[nothing];
        let identity = reduce::identity(accumulator.by, accumulator.element_type);
        // Of an instruction it may be another one in the next run.
        if nothing.node.is_some() || nothing.value.bits() != identity.bits() {
            return None;
        }
        let compare = op(is_before, &[Opcode::Le, Opcode::Lt])?;
        let [ValueRef::Load(element), ValueRef::Load(result)] = compare.operands[..] else {
            return None;
        };
        let exclusive = compare.opcode == Opcode::Lt;
        Some(Self { indices: [element, result], exclusive, value })
    }
}

/// Returns the accumulators of a kernel with what they combine where nothing is masked.
pub(in crate::plan) fn unmasked(ir: &KernelIr, fold: &Fold) -> Vec<Accumulator> {
    let values = |accumulator: &Accumulator| match Mask::of(ir, accumulator) {
        Some(mask) => [Some(mask.value), None],
        None => accumulator.values,
    };
    let all = fold.accumulators.iter();
    all.map(|of| Accumulator { values: values(of), ..of.clone() }).collect()
}

/// Returns the dimension along which a load is the index, from 0 on.
fn counts_along(input: &PlanInput<'_>, load: usize) -> Option<usize> {
    let strides = &input.space.strides[load];
    let along = strides.iter().position(|&stride| stride != 0)?;
    let is_index = input.ir.map.loads[load].source == LoadSource::Iota
        && input.window.offsets[load] == 0
        && strides[along] == 1
        && strides[along + 1..].iter().all(|&stride| stride == 0);
    is_index.then_some(along)
}

/// Returns true if what is combined differs along a dimension of the results.
fn reads_along(input: &PlanInput<'_>, fold: &Fold, dimension: usize) -> bool {
    let map = &input.ir.map;
    let accumulators = unmasked(input.ir, fold);
    let values = || accumulators.iter().flat_map(|accumulator| accumulator.values.iter().flatten());
    let computed = needed(&map.ops, values(), None);
    let ops = map.ops.iter().zip(computed).filter(|(_, computed)| *computed);
    let mut read = values().chain(ops.flat_map(|(op, _)| &op.operands));
    read.any(|value| match *value {
        ValueRef::Load(load) => input.space.strides[load][dimension] != 0,
        _ => false,
    })
}

/// Returns a space whose last dimension, the folded one, is this one.
fn with_block_once(mut space: Space, block: usize) -> Space {
    let last = space.rank() - 1;
    for strides in space.strides.iter_mut().chain([&mut space.result]) {
        // One of them is 0.
        let folded = strides.pop().unwrap_or_default();
        strides[block] += folded;
    }
    space.sizes.pop();
    Space { folded: last..last, ..space }
}

impl Traverse for Scan {
    fn schedule(&self) -> Schedule {
        Schedule::Scan
    }

    fn row(&self, rank: usize) -> Option<usize> {
        if self.columns { rank.checked_sub(2) } else { None }
    }

    fn tile(&self, _: usize) -> usize {
        if self.columns { STRANDS } else { 1 }
    }

    fn fields(&self, rank: usize) -> Vec<Field> {
        let mut fields = Vec::new();
        if self.columns {
            fields.extend([Field::Columns, Field::Folded]);
        }
        fields.extend((0..rank - 1).map(Field::Size));
        fields.push(Field::ResultOffset);
        fields.extend((0..rank - 1).map(Field::ResultStride));
        fields
    }

    fn counts(&self, extent: &Extent<'_>) -> Counts {
        let space = extent.space;
        let columns = space.inner() / extent.unit;
        let down = if self.columns { space.folded_count } else { 1 };
        let total = space.count() / extent.unit / down;
        Counts {
            workgroups: total.div_ceil(extent.workgroup),
            fields: vec![(Field::Total, total), (Field::Columns, columns)],
        }
    }
}
