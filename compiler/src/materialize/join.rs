//! Joins the kernels of several results, so that one kernel writes all results of one shape and
//! reads each operand once.

use crate::cost::load_weight;
use crate::kernel::body::{Folded, KernelOp, ValueRef};
use crate::kernel::fold::Accumulator;
use crate::kernel::ir::KernelIr;
use crate::kernel::load::{ArrayId, Load, LoadSource};
use crate::kernel::output::Output;
use crate::limits::PlanLimits;
use indim_core::graph::computation::NodeId;
use indim_core::semantics::hash::{FastMap, FastSet};
use indim_core::semantics::shape::Shape;

/// Joins kernels of results over one space as far as the limits allow. Kernels arrive in order of
/// execution and stay in it.
pub(super) fn join(kernels: Vec<KernelIr>, limits: &PlanLimits) -> Vec<KernelIr> {
    let mut groups: Vec<Option<KernelIr>> = Vec::with_capacity(kernels.len());
    // The group that writes each node.
    let mut writers: FastMap<NodeId, usize> = FastMap::default();
    // The groups of results of one shape over one space.
    let mut alike: FastMap<[Shape; 2], Vec<usize>> = FastMap::default();
    for kernel in kernels {
        let key = writes_results(&kernel).then(|| [kernel.shape.clone(), kernel.space.clone()]);
        let tried = key.as_ref().and_then(|key| alike.get(key)).map_or(&[][..], Vec::as_slice);
        let joined = tried.iter().rev().take(MAX_TRIED).find_map(|&number| {
            let group = groups[number].as_ref().filter(|group| may_join(group, &kernel, limits))?;
            let joined = joined(group, &kernel).filter(|joined| fits(joined, limits))?;
            let direct = needs(&kernel, &writers).filter(|&other| other != number);
            (!may_reach(&groups, &writers, direct, number)).then_some((number, joined))
        });
        let nodes: Vec<NodeId> = kernel.outputs.iter().map(|output| output.node).collect();
        let number = match joined {
            Some((number, joined)) => {
                groups[number] = Some(joined);
                number
            }
            None => {
                let number = groups.len();
                groups.push(Some(kernel));
                if let Some(key) = key {
                    alike.entry(key).or_default().push(number);
                }
                number
            }
        };
        writers.extend(nodes.into_iter().map(|node| (node, number)));
    }
    in_order(groups, &writers)
}

/// The number of last groups of one shape that a kernel may join. Earlier ones are mostly full, and
/// trying them all would take time quadratic in the number of results.
const MAX_TRIED: usize = 8;

fn writes_results(kernel: &KernelIr) -> bool {
    kernel.outputs.iter().all(|output| output.is_result)
}

/// Returns true if a kernel that does the work of both stays within the caps on buffers, as far as
/// that is known without making it. A driver that ends loops ends the rest of the invocation, which
/// must not include another result.
fn may_join(group: &KernelIr, kernel: &KernelIr, limits: &PlanLimits) -> bool {
    if limits.device.bounded_loops && group.has_loops() && kernel.has_loops() {
        return false;
    }
    if group.has_passes() || kernel.has_passes() {
        return false;
    }
    let arrays = group.arrays();
    let is_new = |array: &ArrayId| {
        let is_written = |output: &Output| *array == ArrayId::Stored(output.node);
        !arrays.contains(array) && !group.outputs.iter().any(is_written)
    };
    let new = kernel.arrays().iter().filter(|array| is_new(array)).count();
    let written = group.outputs.len() + kernel.outputs.len() - 1;
    arrays.len() + new + written <= limits.caps(false).sources
}

/// Returns the groups whose arrays a kernel reads.
fn needs<'a>(
    kernel: &'a KernelIr,
    writers: &'a FastMap<NodeId, usize>,
) -> impl Iterator<Item = usize> + 'a {
    kernel.map.loads.iter().filter_map(|load| match load.array() {
        Some(ArrayId::Stored(node)) => writers.get(&node).copied(),
        Some(ArrayId::Parameter(_)) | None => None,
    })
}

/// The maximum number of groups that are checked for needing another one.
const MAX_ASKED: usize = 256;

/// Returns true if one of these groups needs the group `wanted`, directly or indirectly, or if
/// there are too many to check.
fn may_reach(
    groups: &[Option<KernelIr>],
    writers: &FastMap<NodeId, usize>,
    from: impl Iterator<Item = usize>,
    wanted: usize,
) -> bool {
    let mut stack: Vec<usize> = from.collect();
    let mut seen = FastSet::default();
    while let Some(number) = stack.pop() {
        if !seen.insert(number) {
            continue;
        }
        if seen.len() > MAX_ASKED {
            return true;
        }
        for other in groups[number].iter().flat_map(|group| needs(group, writers)) {
            if other == wanted {
                return true;
            }
            stack.push(other);
        }
    }
    false
}

/// Returns the groups, each after those that it needs.
fn in_order(mut groups: Vec<Option<KernelIr>>, writers: &FastMap<NodeId, usize>) -> Vec<KernelIr> {
    let mut ordered = Vec::with_capacity(groups.len());
    for first in 0..groups.len() {
        let mut stack = vec![first];
        while let Some(&number) = stack.last() {
            let Some(group) = &groups[number] else {
                stack.pop();
                continue;
            };
            let before = needs(group, writers).find(|&other| groups[other].is_some());
            match before {
                Some(before) => stack.push(before),
                None => {
                    ordered.extend(groups[number].take());
                    stack.pop();
                }
            }
        }
    }
    ordered
}

/// Returns true if a kernel is within the caps; see [`PlanLimits::caps`].
fn fits(kernel: &KernelIr, limits: &PlanLimits) -> bool {
    let caps = limits.caps(kernel.may_need_table(limits));
    let ops: usize = kernel.map.ops.iter().map(|op| op.cost().weight).sum();
    let mut places: FastMap<LoadSource, usize> = FastMap::default();
    kernel.map.loads.iter().for_each(|load| *places.entry(load.source).or_default() += 1);
    let loads: usize = places.values().map(|&places| load_weight(places)).sum();
    // The caps leave room for one written array.
    let bound = kernel.most_buffers() - 1;
    ops <= caps.ops && loads <= caps.loads && bound <= caps.sources
}

/// Returns a kernel that computes what both do; `None` if the second one reads what the first one
/// writes at a different position, or if they do not fold alike.
fn joined(first: &KernelIr, second: &KernelIr) -> Option<KernelIr> {
    let sizes = |kernel: &KernelIr| kernel.fold.as_ref().map(|fold| fold.sizes.clone());
    if sizes(first) != sizes(second) {
        return None;
    }
    let mut all = first.clone();
    let own_place = |load: &Load| {
        let strides = second.space.strides();
        let sides = second.space.dims().iter().zip(&load.strides).zip(strides);
        load.offset == 0
            && !load.table
            && sides
                .into_iter()
                .all(|((&size, &stride), own)| size == 1 || stride == own.cast_signed())
    };
    let mut moved = Moved::default();
    for load in &second.map.loads {
        let written =
            first.outputs.iter().find(|output| load.array() == Some(ArrayId::Stored(output.node)));
        moved.loads.push(match written {
            // What is folded is not known before the epilogue.
            Some(_) if first.fold.is_some() => return None,
            Some(output) if own_place(load) && load.element_type == output.element_type => {
                output.value
            }
            Some(_) => return None,
            None => ValueRef::Load(position(&mut all.map.loads, load, Load::reads_as)),
        });
    }
    let constants = second.map.constants.iter();
    moved.constants =
        constants.map(|c| position(&mut all.map.constants, c, |a, b| a == b)).collect();
    moved.add(&mut all.map.ops, &second.map.ops);
    if let (Some(fold), Some(others)) = (&mut all.fold, &second.fold) {
        for accumulator in &others.accumulators {
            let values = accumulator.values.map(|value| value.map(|value| moved.value(value)));
            let accumulator = Accumulator { values, ..accumulator.clone() };
            let number = position(&mut fold.accumulators, &accumulator, |a, b| a == b);
            moved.accumulators.push(number);
        }
        moved.add(&mut fold.epilogue, &others.epilogue);
    }
    all.loop_calls.extend(second.loop_calls.iter().map(|&(op, node)| (moved.ops[op], node)));
    for output in &second.outputs {
        let value = moved.value(output.value);
        all.outputs.push(Output { value, ..output.clone() });
    }
    Some(all)
}

/// The values of a kernel in another one that computes them, too, by number.
#[derive(Default)]
struct Moved {
    loads: Vec<ValueRef>,
    constants: Vec<usize>,
    /// The numbers of the operations that were added last.
    ops: Vec<usize>,
    accumulators: Vec<usize>,
}

impl Moved {
    fn value(&self, value: ValueRef) -> ValueRef {
        match value {
            ValueRef::Load(number) => self.loads[number],
            ValueRef::Constant(number) => ValueRef::Constant(self.constants[number]),
            ValueRef::Op(number) => ValueRef::Op(self.ops[number]),
            ValueRef::Folded(Folded::Result(number)) => {
                ValueRef::Folded(Folded::Result(self.accumulators[number]))
            }
            ValueRef::Folded(Folded::Word(number, word)) => {
                ValueRef::Folded(Folded::Word(self.accumulators[number], word))
            }
        }
    }

    /// Adds operations to others, each once.
    fn add(&mut self, all: &mut Vec<KernelOp>, added: &[KernelOp]) {
        let mut numbers: FastMap<KernelOp, usize> =
            all.iter().cloned().enumerate().map(|(number, op)| (op, number)).collect();
        self.ops.clear();
        for op in added {
            let operands = op.operands.iter().map(|&operand| self.value(operand)).collect();
            let op = KernelOp { operands, ..op.clone() };
            let next = all.len();
            let number = *numbers.entry(op.clone()).or_insert(next);
            if number == next {
                all.push(op);
            }
            self.ops.push(number);
        }
    }
}

/// Returns the number of an item in a list, adding it if the list lacks an equal one.
fn position<T: Clone>(list: &mut Vec<T>, item: &T, same: impl Fn(&T, &T) -> bool) -> usize {
    list.iter().position(|known| same(known, item)).unwrap_or_else(|| {
        list.push(item.clone());
        list.len() - 1
    })
}
