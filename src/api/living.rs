//! Finds the values that an evaluation keeps beside its results: small ones that are also held
//! elsewhere.
//!
//! A loop such as `w = w - 0.1 * mean(x * w - 1)` reads a large value in each round, but never the
//! small one that grows. Each round would compute that anew, for each row of the large one, and by a
//! kernel that no round had before. So the evaluation computes it once, and its node keeps it.

use std::sync::Arc;

use crate::api::expr_node::Node;
use crate::compile::cost::COSTLY_FACTOR;
use crate::compile::materialize::weight::tree_weights;
use crate::graph::computation::{Computation, Instruction, NodeId, Payload};
use crate::semantics::hash::FastMap;
use crate::semantics::shape::Shape;
use crate::semantics::view::View;

/// The least number of operations and loads of a value that is kept: a dispatch has to pay. A costly
/// function is enough.
const LEAST_WEIGHT: u32 = 8;

/// A node, with the instruction that computes its value.
#[derive(Debug, Clone, Copy)]
pub(super) struct Listed<'a> {
    pub(super) node: &'a Node,
    pub(super) id: NodeId,
    /// True if no precision is requested around it.
    pub(super) is_plain: bool,
}

/// Facts about a node, from those above it.
#[derive(Default)]
struct Uses {
    /// The number of operands that it is.
    operands: usize,
    /// The number of its holders: the same, unless it is held elsewhere.
    holders: usize,
    /// The number of elements of a result for each of its own, along dimensions in which the result
    /// repeats it.
    repeats: u64,
}

/// Returns the nodes that are kept, given all of a computation, operands first. Such a value
///
/// - has another holder, which may evaluate it or build on it later;
/// - is broadcast, and has at most a [`COSTLY_FACTOR`]th of the elements of a result;
/// - is worth a dispatch;
/// - has arrays below it, so that it belongs to their context anyway;
/// - calls no function with a loop, which may exceed its bound for an element that is not needed.
pub(super) fn living<'a>(listed: &[Listed<'a>], computation: &Computation) -> Vec<Listed<'a>> {
    let Computation { instructions, roots, .. } = computation;
    let most = roots.iter().map(|&root| count(&instructions[root].shape)).max().unwrap_or(0);
    let is_small = |instruction: &Instruction| {
        let is_operation = matches!(instruction.payload, Payload::None | Payload::Call(_));
        is_operation && !instruction.is_view() && count(&instruction.shape) <= most / COSTLY_FACTOR
    };
    if !instructions.iter().any(is_small) {
        return Vec::new();
    }
    let weights = tree_weights(instructions);
    let is_fit = |id: NodeId| weights[id] >= LEAST_WEIGHT && is_small(&instructions[id]);
    if !(0..instructions.len()).any(is_fit) {
        return Vec::new();
    }
    let may_be_stored = of_arrays_without_loops(instructions);
    let mut is_root = vec![false; instructions.len()];
    roots.iter().for_each(|&root| is_root[root] = true);
    let mut uses: FastMap<*const Node, Uses> = FastMap::default();
    let mut living = Vec::new();
    for &Listed { node, id, is_plain } in listed.iter().rev() {
        let of_node = uses.entry(std::ptr::from_ref(node)).or_default();
        let is_held = of_node.holders > of_node.operands;
        let is_broadcast = of_node.repeats >= COSTLY_FACTOR;
        let is_kept = is_fit(id) && is_plain && is_held && is_broadcast;
        let is_kept = is_kept && !is_root[id] && may_be_stored[id];
        // Values below a kept one are not kept for its sake.
        let repeats = match (is_kept, is_root[id]) {
            (true, _) => 0,
            (false, true) => of_node.repeats.max(1),
            (false, false) => of_node.repeats,
        };
        if is_kept {
            living.push(Listed { node, id, is_plain });
        }
        for (input, view) in &node.inputs {
            let of_input = uses.entry(Arc::as_ptr(input)).or_default();
            of_input.operands += 1;
            of_input.holders = Arc::strong_count(input);
            let through = repeats.saturating_mul(stretch(view, &input.shape, &node.shape));
            of_input.repeats = of_input.repeats.max(through);
        }
    }
    living
}

/// Returns, for each instruction, whether its value depends on an array, and on no function with a
/// loop.
fn of_arrays_without_loops(instructions: &[Instruction]) -> Vec<bool> {
    let mut of_arrays: Vec<bool> = Vec::with_capacity(instructions.len());
    let mut has_loops: Vec<bool> = Vec::with_capacity(instructions.len());
    for instruction in instructions {
        let mut inputs = instruction.inputs.iter().map(|input| input.node);
        let is_array = matches!(instruction.payload, Payload::Parameter(_));
        let loops = instruction.call().is_some_and(|call| call.has_loops());
        of_arrays.push(is_array || inputs.clone().any(|input| of_arrays[input]));
        has_loops.push(loops || inputs.any(|input| has_loops[input]));
    }
    of_arrays.into_iter().zip(has_loops).map(|(arrays, loops)| arrays && !loops).collect()
}

/// Returns how many elements of a result read each element of an operand of which it repeats all.
fn stretch(view: &View, operand: &Shape, result: &Shape) -> u64 {
    let varies = view.varies(operand, &vec![true; operand.rank()], result);
    let along = result.dims().iter().zip(varies).filter(|(_, varies)| !varies);
    along.map(|(&size, _)| size as u64).fold(1, u64::saturating_mul)
}

/// Returns the number of elements; 0 if they cannot be counted.
fn count(shape: &Shape) -> u64 {
    shape.element_count().unwrap_or(0) as u64
}
