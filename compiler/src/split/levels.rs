//! Cuts long folds into kernels for the levels of their tree: each stores nodes, which the next one
//! folds. Where what is folded into one element lies too far apart for a binding, its map is stored
//! first.

use crate::kernel::body::{Body, Folded, KernelOp, ValueRef};
use crate::kernel::fold::{Accumulator, CHILDREN, Fold, Part, word_ops, words_as_one};
use crate::kernel::ir::KernelIr;
use crate::kernel::load::{ArrayId, Load, LoadSource};
use crate::kernel::output::Output;
use crate::limits::PlanLimits;
use crate::plan::space::Space;
use crate::plan::window::Window;
use indim_core::graph::computation::NodeId;
use indim_core::semantics::element::ElementType;
use indim_core::semantics::shape::Shape;

/// The most elements that a kernel folds into one along rows: two levels of the tree.
const ROW: usize = CHILDREN * CHILDREN;

/// The most stored nodes along a row that a kernel folds into one on processors: four levels.
const NODES: usize = ROW * ROW;

/// The same on GPUs, where a workgroup folds them, which would be alone with more for too long.
const NODES_OF_WORKGROUP: usize = 4 * ROW;

/// Returns the kernels with long folds cut. The stored nodes have numbers from `first_number` on.
pub(super) fn levels(
    kernels: Vec<KernelIr>,
    mut first_number: NodeId,
    limits: &PlanLimits,
) -> Vec<KernelIr> {
    let mut cut = Vec::with_capacity(kernels.len());
    for mut kernel in kernels {
        if kernel.has_passes() {
            // One kernel folds all of a row.
            cut.push(kernel);
            continue;
        }
        let next = |kernel: &KernelIr, first_number, of_nodes: bool| {
            if of_nodes && folds_all_nodes(kernel, limits) {
                return None;
            }
            stored_first(kernel, first_number, limits)
                .or_else(|| cut_once(kernel, first_number, limits))
        };
        let mut of_nodes = false;
        while let Some([before, rest]) = next(&kernel, first_number, of_nodes) {
            first_number += before.outputs.len();
            of_nodes = before.fold.is_some();
            cut.push(before);
            kernel = rest;
        }
        cut.push(kernel);
    }
    cut
}

/// Returns a kernel that stores the map's values, in the order in which they are folded, and the kernel
/// that folds these, if the elements that one element is made of do not fit a binding; `None` if they
/// do.
fn stored_first(
    kernel: &KernelIr,
    first_number: NodeId,
    limits: &PlanLimits,
) -> Option<[KernelIr; 2]> {
    let fold = kernel.fold.as_ref()?;
    if fold.count() == 0 || kernel.space.dims().contains(&0) {
        return None;
    }
    let merged = Space::new(kernel, &Window::whole(kernel));
    let part = match merged.folded.len() {
        1 => part_size(kernel, &merged, limits),
        _ => usize::MAX,
    };
    let room = room(limits);
    let is_far_apart = |(load, strides): (&Load, &Vec<isize>)| {
        let span = merged.folded.clone().fold(0u64, |span, d| {
            let steps = merged.sizes[d].min(part).saturating_sub(1) as u64;
            span.saturating_add(steps.saturating_mul(strides[d].unsigned_abs() as u64))
        });
        load.source != LoadSource::Iota
            && strides[merged.folded.clone()] != [1]
            && span.saturating_mul(load.element_type.bits() as u64) / 8 > room
    };
    if !kernel.map.loads.iter().zip(&merged.strides).any(is_far_apart) {
        return None;
    }
    let space = Shape::from([kernel.space.dims(), &fold.sizes].concat());
    let mut map = kernel.map.clone();
    for load in &mut map.loads {
        let folded = std::mem::take(&mut load.folded);
        load.strides.extend(folded);
        load.dimensions = None;
    }
    drop_unused(&mut map, fold);
    let mut outputs: Vec<Output> = Vec::new();
    let mut accumulators = fold.accumulators.clone();
    let mut body = Body { constants: kernel.map.constants.clone(), ..Body::default() };
    for value in accumulators.iter_mut().flat_map(|accumulator| &mut accumulator.values).flatten() {
        let element_type = match *value {
            ValueRef::Load(number) => map.loads[number].element_type,
            ValueRef::Op(number) => map.ops[number].element_type,
            ValueRef::Constant(number) => map.constants[number].value.element_type(),
            ValueRef::Folded(_) => return None,
        };
        let node = first_number + outputs.len();
        outputs.push(Output {
            node,
            is_result: false,
            element_type,
            value: *value,
            strides: space.strides(),
            edges: None,
            existing: None,
        });
        let strides = space.strides().into_iter().map(usize::cast_signed);
        let strides: Vec<isize> = strides.take(kernel.space.rank()).collect();
        body.loads.push(Load {
            source: LoadSource::Array(ArrayId::Stored(node)),
            element_type,
            shape: space.clone(),
            dimensions: None,
            offset: 0,
            strides,
            folded: vec![1],
            clamped: false,
            table: false,
        });
        *value = ValueRef::Load(body.loads.len() - 1);
    }
    let copy = KernelIr {
        map,
        fold: None,
        loop_calls: Vec::new(),
        outputs,
        shape: space.clone(),
        space,
        destination: None,
    };
    let rest = with_epilogue(kernel, fold, (body, accumulators), vec![fold.sizes.iter().product()]);
    Some([copy, rest])
}

/// Returns the bytes of an array that one element may be made of: a binding begins at a multiple of the
/// alignment.
fn room(limits: &PlanLimits) -> u64 {
    limits.device.max_storage_buffer_binding_size / 2
}

/// Returns the number of elements that a kernel folds into one.
fn part_size(kernel: &KernelIr, space: &Space, limits: &PlanLimits) -> usize {
    let widest = kernel.map.loads.iter().map(|load| load.element_type.bits()).max().unwrap_or(0);
    let fits = (ROW * widest / 8) as u64 <= room(limits);
    let by_rows = columns(kernel, space).is_none()
        || limits.has_few_registers() && has_narrow_rows(kernel, space);
    if fits && by_rows { ROW } else { CHILDREN }
}

/// Returns true if neighbouring rows are near each other in memory, so that an invocation may fold many
/// of them into one element: 16 accumulators at a time, where four neighbours take 64.
fn has_narrow_rows(kernel: &KernelIr, space: &Space) -> bool {
    let mut loads = kernel.map.loads.iter().zip(&space.strides);
    loads.all(|(load, strides)| {
        let step = strides[space.folded.start].unsigned_abs();
        load.source == LoadSource::Iota || load.element_type.bits() == 32 && step <= NARROW
    })
}

/// The most elements of a narrow row: 1,024 rows of 4-byte elements take half a MiB, which a cache holds.
const NARROW: usize = 128;

/// Returns true if a kernel folds all stored nodes of a row, block by block, in place of a dispatch for
/// each level.
fn folds_all_nodes(kernel: &KernelIr, limits: &PlanLimits) -> bool {
    let Some(fold) = &kernel.fold else { return false };
    let (count, space) = (fold.count(), Space::new(kernel, &Window::whole(kernel)));
    let widest = kernel.map.loads.iter().map(|load| load.element_type.bits()).max().unwrap_or(0);
    let most = if limits.tuning.folds_together { NODES_OF_WORKGROUP } else { NODES };
    let fits = count <= most && (count * widest / 8) as u64 <= room(limits);
    fits && columns(kernel, &space).is_none()
}

/// Cuts off the lowest levels of a long fold; `None` if one kernel folds all.
fn cut_once(kernel: &KernelIr, first_number: NodeId, limits: &PlanLimits) -> Option<[KernelIr; 2]> {
    let fold = kernel.fold.as_ref()?;
    let count = fold.count();
    if count <= CHILDREN || kernel.space.dims().contains(&0) {
        return None;
    }
    let space = Space::new(kernel, &Window::whole(kernel));
    let columns = columns(kernel, &space);
    let size = part_size(kernel, &space, limits);
    if count <= size {
        return None;
    }
    // Parts are numbered before the dimension along which columns are neighbours.
    let at = columns.unwrap_or(kernel.space.rank());
    let parts = count.div_ceil(size);
    let lower = lower(kernel, fold, &Cut { space, at, size, parts, count }, first_number);
    let upper = upper(kernel, fold, &lower, at);
    Some([lower, upper])
}

/// How a fold is cut.
struct Cut {
    space: Space,
    /// The dimension of the lower kernel's space that numbers parts.
    at: usize,
    /// The elements of a part.
    size: usize,
    parts: usize,
    /// The elements of all parts.
    count: usize,
}

/// Returns the kept dimension along which columns are neighbours, if a kernel is to walk down these.
fn columns(kernel: &KernelIr, space: &Space) -> Option<usize> {
    let inner = kernel.space.dims().iter().rposition(|&size| size > 1)?;
    let [mut along, mut across] = [0, 0];
    for (load, strides) in kernel.map.loads.iter().zip(&space.strides) {
        if load.source == LoadSource::Iota {
            continue;
        }
        along += usize::from(strides.last().is_some_and(|stride| stride.unsigned_abs() == 1));
        across += usize::from(load.strides[inner] == 1);
    }
    (space.folded.len() == 1 && across > along).then_some(inner)
}

/// Returns the kernel that folds parts.
fn lower(kernel: &KernelIr, fold: &Fold, cut: &Cut, first_number: NodeId) -> KernelIr {
    let mut dims = kernel.space.dims().to_vec();
    dims.insert(cut.at, cut.parts);
    let space = Shape::from(dims);
    let is_row = cut.space.folded.len() == 1;
    let mut map = kernel.map.clone();
    for (load, strides) in map.loads.iter_mut().zip(&cut.space.strides) {
        let step = if is_row { strides[cut.space.folded.start] } else { 0 };
        load.strides.insert(cut.at, step.wrapping_mul(cut.size.cast_signed()));
        if is_row {
            load.folded = vec![step];
            load.clamped |= !cut.count.is_multiple_of(cut.size);
        }
        load.dimensions = None;
    }
    drop_unused(&mut map, fold);
    let mut epilogue = Vec::new();
    let outputs = fold.accumulators.iter().enumerate().map(|(number, accumulator)| {
        let value = partial(number, accumulator, &mut epilogue);
        Output {
            node: first_number + number,
            is_result: false,
            element_type: partial_type(accumulator),
            value,
            strides: space.strides(),
            edges: None,
            existing: None,
        }
    });
    let outputs = outputs.collect();
    let part = Part { dimension: cut.at, of: cut.count, range: (!is_row).then_some(cut.size) };
    let sizes = if is_row { vec![cut.size] } else { fold.sizes.clone() };
    let accumulators = fold.accumulators.clone();
    KernelIr {
        map,
        fold: Some(Fold { sizes, part: Some(part), accumulators, epilogue, stores_each: false }),
        loop_calls: Vec::new(),
        outputs,
        shape: space.clone(),
        space,
        destination: None,
    }
}

/// Makes loads that only the epilogue has cost nothing: they become indices that nothing uses.
fn drop_unused(map: &mut Body, fold: &Fold) {
    let mut used = vec![false; map.loads.len()];
    let values = fold.accumulators.iter().flat_map(|accumulator| &accumulator.values).flatten();
    for value in map.ops.iter().flat_map(|op| &op.operands).chain(values) {
        if let ValueRef::Load(number) = *value {
            used[number] = true;
        }
    }
    for (load, _) in map.loads.iter_mut().zip(used).filter(|(_, used)| !used) {
        load.source = LoadSource::Iota;
        load.element_type = ElementType::U32;
        load.strides.fill(0);
        load.folded.fill(0);
        (load.offset, load.clamped, load.table) = (0, false, false);
    }
}

/// Returns the type in which a partial result is stored: two words of a sum as a complex number.
fn partial_type(accumulator: &Accumulator) -> ElementType {
    if accumulator.words == 2 { ElementType::C64 } else { accumulator.element_type }
}

/// Returns the value that is stored of an accumulator.
fn partial(number: usize, accumulator: &Accumulator, epilogue: &mut Vec<KernelOp>) -> ValueRef {
    if accumulator.words == 1 {
        return ValueRef::Folded(Folded::Result(number));
    }
    epilogue.push(words_as_one(number));
    ValueRef::Op(epilogue.len() - 1)
}

/// Returns the kernel that folds what the lower one stores, and has the epilogue.
fn upper(kernel: &KernelIr, fold: &Fold, lower: &KernelIr, at: usize) -> KernelIr {
    let mut strides: Vec<isize> =
        lower.space.strides().into_iter().map(usize::cast_signed).collect();
    let step = strides.remove(at);
    let mut map = Body { constants: kernel.map.constants.clone(), ..Body::default() };
    let mut accumulators = fold.accumulators.clone();
    for (accumulator, output) in accumulators.iter_mut().zip(&lower.outputs) {
        let load = ValueRef::Load(map.loads.len());
        map.loads.push(Load {
            source: LoadSource::Array(ArrayId::Stored(output.node)),
            element_type: output.element_type,
            shape: lower.shape.clone(),
            dimensions: None,
            offset: 0,
            strides: strides.clone(),
            folded: vec![step],
            clamped: false,
            table: false,
        });
        accumulator.values = if accumulator.words == 1 {
            [Some(load), None]
        } else {
            word_ops(load).map(|op| {
                map.ops.push(op);
                Some(ValueRef::Op(map.ops.len() - 1))
            })
        };
    }
    let sizes = vec![lower.space.dims()[at]];
    with_epilogue(kernel, fold, (map, accumulators), sizes)
}

/// Returns a kernel that folds the values of another map in a kernel's place.
fn with_epilogue(
    kernel: &KernelIr,
    fold: &Fold,
    (mut map, accumulators): (Body, Vec<Accumulator>),
    sizes: Vec<usize>,
) -> KernelIr {
    let mut moved: Vec<Option<usize>> = vec![None; kernel.map.loads.len()];
    let mut place = |value: &mut ValueRef| {
        if let ValueRef::Load(number) = value {
            let to = *moved[*number].get_or_insert_with(|| {
                map.loads.push(Load { folded: vec![0], ..kernel.map.loads[*number].clone() });
                map.loads.len() - 1
            });
            *number = to;
        }
    };
    let mut epilogue = fold.epilogue.clone();
    epilogue.iter_mut().flat_map(|op| &mut op.operands).for_each(&mut place);
    let mut outputs = kernel.outputs.clone();
    outputs.iter_mut().for_each(|output| place(&mut output.value));
    KernelIr {
        map,
        fold: Some(Fold { sizes, part: None, accumulators, epilogue, stores_each: false }),
        outputs,
        ..kernel.clone()
    }
}
