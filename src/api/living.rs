//! Finds the values that an evaluation keeps beside its results: small ones that are also held
//! elsewhere.
//!
//! A loop such as `w = w - 0.1 * mean(x * w - 1)` reads a large value in each round, but never the
//! small one that grows. Each round would compute that anew, for each row of the large one, and by a
//! kernel that no round had before. So the evaluation computes it once, and its node keeps it.

use std::sync::Arc;

use crate::api::expr_node::{Node, NodeKind};
use indim_compiler::cost::{COSTLY_FACTOR, OpCost};
use indim_core::graph::computation::{Computation, Instruction, NodeId};
use indim_core::graph::function::body::Call;
use indim_core::graph::operation::Operation;
use indim_core::semantics::hash::FastMap;
use indim_core::semantics::opcode::OpClass;
use indim_core::semantics::shape::Shape;

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
/// - is broadcast, and has at most a [`COSTLY_FACTOR`]th of the elements of a result or of what is
///   reduced;
/// - is worth a dispatch;
/// - has arrays below it, so that it belongs to their context anyway;
/// - calls no function with a loop, which may exceed its bound for an element that is not needed.
pub(super) fn living<'a>(listed: &[Listed<'a>], computation: &Computation) -> Vec<Listed<'a>> {
    let (instructions, roots) = (computation.instructions(), computation.roots());
    let results = roots.iter().map(|&root| count(&instructions[root].shape));
    let reductions = instructions.iter().filter(|instruction| reduces(&instruction.operation));
    let reduced = reductions.map(|reduction| count(&instructions[reduction.operands[0]].shape));
    let most = results.chain(reduced).max().unwrap_or(0);
    let is_small = |instruction: &Instruction| {
        computes(&instruction.operation) && count(&instruction.shape) <= most / COSTLY_FACTOR
    };
    if !instructions.iter().any(is_small) {
        return Vec::new();
    }
    let weights = weights(computation);
    let is_fit = |id: NodeId| weights[id] >= LEAST_WEIGHT && is_small(&instructions[id]);
    if !(0..instructions.len()).any(is_fit) {
        return Vec::new();
    }
    let may_be_stored = of_arrays_without_loops(computation);
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
        for (number, input) in node.inputs.iter().enumerate() {
            let of_input = uses.entry(Arc::as_ptr(input)).or_default();
            of_input.operands += 1;
            of_input.holders = Arc::strong_count(input);
            let through = repeats.saturating_mul(stretch(node, number));
            of_input.repeats = of_input.repeats.max(through);
        }
    }
    living
}

/// The weight of a move for each operand: an index, a comparison and a select.
const MOVE: u32 = 3;

/// Returns, for each instruction, about how many operations and loads compute its value. Repeated
/// uses are counted each time.
fn weights(computation: &Computation) -> Vec<u32> {
    let instructions = computation.instructions();
    let mut weights: Vec<u32> = Vec::with_capacity(instructions.len());
    for Instruction { operation, operands, element_type, .. } in instructions.iter() {
        let call = called(computation, operation);
        let own = match operation.opcode().class() {
            OpClass::Nullary => u32::from(!matches!(operation, Operation::Constant(_))),
            OpClass::Broadcast | OpClass::View => 0,
            OpClass::Move => MOVE.saturating_mul(operands.len() as u32),
            _ => {
                let of = operands.last().map_or(*element_type, |&x| instructions[x].element_type);
                OpCost::new(operation.opcode(), of, call.as_ref()).weight as u32
            }
        };
        let below = operands.iter().map(|&operand| weights[operand]);
        weights.push(below.fold(own, u32::saturating_add));
    }
    weights
}

/// Returns true for an operation that is neither a leaf nor a view.
fn computes(operation: &Operation) -> bool {
    !matches!(operation.opcode().class(), OpClass::Nullary | OpClass::Broadcast | OpClass::View)
}

fn reduces(operation: &Operation) -> bool {
    matches!(operation, Operation::Reduce { .. })
}

/// Returns the function that an operation calls, if it is a call.
fn called(computation: &Computation, operation: &Operation) -> Option<Call> {
    let &Operation::Call { function, result, .. } = operation else { return None };
    Some(Call { function: computation.instructions().functions[function].clone(), result })
}

/// Returns, for each instruction, whether its value depends on an array, and on no function with a
/// loop.
fn of_arrays_without_loops(computation: &Computation) -> Vec<bool> {
    let instructions = computation.instructions();
    let mut of_arrays: Vec<bool> = Vec::with_capacity(instructions.len());
    let mut has_loops: Vec<bool> = Vec::with_capacity(instructions.len());
    for Instruction { operation, operands, .. } in instructions.iter() {
        let is_array = matches!(operation, Operation::Parameter(_));
        let loops = called(computation, operation).is_some_and(|call| call.has_loops());
        of_arrays.push(is_array || operands.iter().any(|&operand| of_arrays[operand]));
        has_loops.push(loops || operands.iter().any(|&operand| has_loops[operand]));
    }
    of_arrays.into_iter().zip(has_loops).map(|(arrays, loops)| arrays && !loops).collect()
}

/// Returns how many elements of a node read each element of its operand `number` if it repeats all of
/// these.
fn stretch(node: &Node, number: usize) -> u64 {
    let operand = &node.inputs[number].shape;
    let view = match &node.kind {
        NodeKind::Operation(operation) => operation.view(number, operand, &node.shape),
        NodeKind::Call(call) => call.clone().operation(0).view(number, operand, &node.shape),
        _ => None,
    };
    let Some(view) = view else { return 1 };
    let varies = view.varies(operand, &vec![true; operand.rank()], &node.shape);
    let along = node.shape.dims().iter().zip(varies).filter(|(_, varies)| !varies);
    along.map(|(&size, _)| size as u64).fold(1, u64::saturating_mul)
}

/// Returns the number of elements; 0 if they cannot be counted.
fn count(shape: &Shape) -> u64 {
    shape.element_count().unwrap_or(0) as u64
}
