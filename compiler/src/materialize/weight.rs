//! The weight of values: everything that a kernel takes to compute one element, operations and
//! loads.

use crate::cost::OpCost;
use crate::normalize::normalized::{Attribute, NormalInstruction};
use indim_core::graph::computation::NodeId;
use indim_core::semantics::hash::FastSet;

/// The weight from which a value is worth an array of its own if it is much smaller than the space
/// it is broadcast to. A costly function alone weighs as much.
const LONG: u32 = 32;

/// The weight below which a value is computed again from stored ones: reading it from an array of its
/// own would take as long.
const NEAR: u32 = 4;

/// Returns, for each instruction, the weight of everything that computes its value. Repeated uses
/// are counted each time.
fn tree_weights(instructions: &[NormalInstruction]) -> Vec<u32> {
    let mut weights: Vec<u32> = Vec::with_capacity(instructions.len());
    for instruction in instructions {
        let below = instruction.inputs.iter().map(|input| weights[input.node]);
        weights.push(below.fold(own_weight(instructions, instruction), u32::saturating_add));
    }
    weights
}

/// Returns, for each instruction, whether its value weighs at least [`LONG`], each operation and load
/// counted once.
pub(super) fn long_values(instructions: &[NormalInstruction]) -> Vec<bool> {
    let weights = tree_weights(instructions);
    let mut is_long: Vec<bool> = Vec::with_capacity(instructions.len());
    for (node, instruction) in instructions.iter().enumerate() {
        let rests_on_long = instruction.inputs.iter().any(|input| is_long[input.node]);
        is_long.push(
            rests_on_long || weights[node] >= LONG && weighs(instructions, node, LONG, |_| false),
        );
    }
    is_long
}

/// Returns true if few operations compute a value from others that are stored, or from leaves.
pub(super) fn is_near(
    instructions: &[NormalInstruction],
    node: NodeId,
    is_stored: impl Fn(NodeId) -> bool,
) -> bool {
    !weighs(instructions, node, NEAR, is_stored)
}

/// Returns true if a value weighs at least `least`, each operation and load counted once. What is
/// stored below it weighs nothing.
fn weighs(
    instructions: &[NormalInstruction],
    of: NodeId,
    least: u32,
    is_stored: impl Fn(NodeId) -> bool,
) -> bool {
    let (mut sum, mut counted, mut stack) = (0, FastSet::default(), vec![of]);
    while let Some(node) = stack.pop() {
        if counted.insert(node) && (node == of || !is_stored(node)) {
            let instruction = &instructions[node];
            sum += own_weight(instructions, instruction);
            stack.extend(instruction.inputs.iter().map(|input| input.node));
        }
        if sum >= least {
            return true;
        }
    }
    false
}

/// Returns the weight of an operation, or of a load; 0 for constants and operations that only move
/// elements.
fn own_weight(instructions: &[NormalInstruction], instruction: &NormalInstruction) -> u32 {
    match instruction.attribute {
        Attribute::Constant { .. } => 0,
        Attribute::Parameter(_) | Attribute::Iota(_) => 1,
        Attribute::None | Attribute::Call(_) if instruction.is_view() => 0,
        Attribute::None | Attribute::Call(_) | Attribute::Reduction(_) => {
            cost(instructions, instruction).weight as u32
        }
    }
}

/// Returns the cost of an operation or a call.
pub(super) fn cost(instructions: &[NormalInstruction], instruction: &NormalInstruction) -> OpCost {
    // An operation is spelled by its (last) operand's type.
    let of = instruction.inputs.last().map_or(instruction, |input| &instructions[input.node]);
    OpCost::new(instruction.opcode, of.element_type, instruction.call())
}
