//! Analyses a computation's nodes before it is cut into kernels, and records which are stored.

use crate::cost::{ACCESS, CHEAP, DISPATCH, OpCost};
use crate::materialize::asked::{self, Asked};
use crate::materialize::weight;
use crate::normalize::normalized::{Attribute, Normalized};
use indim_core::graph::computation::NodeId;
use indim_core::semantics::hash::FastSet;
use indim_core::semantics::shape::Shape;

/// A computation with facts about its nodes; each list is by node.
pub(crate) struct Analysis<'a> {
    pub(crate) computation: &'a Normalized,
    /// For each dimension, true if the value differs along it.
    varies: Vec<Vec<bool>>,
    /// The number of elements over which the value varies.
    pub(crate) varying_len: Vec<u64>,
    /// True if the value is written to memory, for other kernels to read.
    pub(crate) materialized: Vec<bool>,
    /// True if the value is a computed result, which has a kernel.
    pub(crate) is_root: Vec<bool>,
    /// The most elements of a row that a kernel may pass over several times; 0 if none may.
    pub(crate) longest_row: usize,
    /// True if the value depends on a function with loops.
    pub(crate) rests_on_loops: Vec<bool>,
    /// The needed elements; empty if no function with loops is called.
    asked: Vec<Asked>,
}

/// A node's shape, and the dimensions along which its value varies; along others the index is
/// irrelevant.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodeDims<'a> {
    pub(crate) shape: &'a Shape,
    pub(crate) varies: &'a [bool],
}

impl<'a> Analysis<'a> {
    /// Analyses a computation. If `own_memory`, each result has memory of its own, even one that is
    /// a parameter. `is_misaligned(n)` is true if argument n does not start at a multiple of 8
    /// bytes.
    pub(crate) fn new(
        computation: &'a Normalized,
        own_memory: bool,
        is_misaligned: &impl Fn(usize) -> bool,
    ) -> Self {
        let instructions = &computation.instructions;
        let mut varies: Vec<Vec<bool>> = Vec::with_capacity(instructions.len());
        let mut varying_len = Vec::with_capacity(instructions.len());
        let mut materialized = vec![false; instructions.len()];
        // The operand of a bitcast and what is read at computed positions are stored in full; so is an
        // argument in which 64-bit elements would begin in the middle of a word.
        let rests_on_loops = computation.rests_on_loops();
        for instruction in instructions.iter() {
            // Functions with loops are called on elements that are needed, not within a reduction.
            if instruction.reduction().is_some() {
                let operand = instruction.inputs[0].node;
                materialized[operand] |= rests_on_loops[operand];
            }
            if let Some(table) = instruction.table() {
                let is_array = matches!(instructions[table].attribute, Attribute::Parameter(_));
                materialized[table] |= !is_array;
            }
            let Some(operand) = instruction.bitcast_operand() else { continue };
            materialized[operand] |= match instructions[operand].attribute {
                Attribute::Parameter(number) => {
                    instruction.element_type.bits() == 64 && is_misaligned(number)
                }
                _ => true,
            };
        }
        for (node, instruction) in instructions.iter().enumerate() {
            let shape = &instruction.shape;
            let mut own = vec![false; shape.rank()];
            match instruction.attribute {
                Attribute::Parameter(_) => own.fill(true),
                Attribute::Iota(dimension) => own[dimension] = true,
                Attribute::Constant { .. }
                | Attribute::Call(_)
                | Attribute::Reduction(_)
                | Attribute::None => {}
            }
            for input in &instruction.inputs {
                let operand = &instructions[input.node].shape;
                let along = input.view.varies(operand, &varies[input.node], instruction.domain());
                let along = match instruction.reduction() {
                    Some(reduction) => reduction.kept(&along),
                    None => along,
                };
                own.iter_mut().zip(along).for_each(|(own, along)| *own |= along);
            }
            if materialized[node] {
                own.fill(true);
            }
            let mut len = 1u64;
            for (own, &size) in own.iter_mut().zip(shape.dims()) {
                *own &= size != 1;
                len = len.saturating_mul(if *own { size as u64 } else { 1 });
            }
            varies.push(own);
            varying_len.push(len);
        }
        let mut is_root = vec![false; instructions.len()];
        let roots = computation.computed_roots(own_memory);
        roots.iter().for_each(|&root| is_root[root] = true);
        let asked = if rests_on_loops.contains(&true) {
            asked::asked(computation, &rests_on_loops)
        } else {
            Vec::new()
        };
        let mut new = Self {
            computation,
            varies,
            varying_len,
            materialized,
            is_root,
            longest_row: 0,
            rests_on_loops,
            asked,
        };
        // A result is in memory anyway, so others read it unless it costs less to compute.
        for root in roots.into_iter().filter(|_| computation.roots.len() > 1) {
            let is_moved = instructions[root].is_view() || new.is_leaf(root);
            new.materialized[root] |= !is_moved && new.costs_more(root, ACCESS);
        }
        new
    }

    /// Returns true if computing a node's value once and reading it at each use, `used` elements in
    /// all, costs less than computing it at each use.
    pub(crate) fn pays_to_store(&self, node: NodeId, used: u64) -> bool {
        let own = self.varying_len[node];
        let Some(repeated) = used.checked_sub(own).filter(|&n| n > 0) else { return false };
        // used * cost > own * (cost + ACCESS) + used * ACCESS + DISPATCH
        let traffic =
            (u128::from(own) + u128::from(used)) * u128::from(ACCESS) + u128::from(DISPATCH);
        self.costs_more(node, u64::try_from(traffic / u128::from(repeated)).unwrap_or(u64::MAX))
    }

    /// Returns true if one element of a node costs more than `max` to compute.
    fn costs_more(&self, node: NodeId, max: u64) -> bool {
        let mut sum = 0;
        let mut counted = FastSet::default();
        let mut stack = vec![node];
        while let Some(next) = stack.pop() {
            if !counted.insert(next) {
                continue;
            }
            let instruction = &self.computation.instructions[next];
            sum += match instruction.attribute {
                Attribute::Constant { .. } => 0,
                Attribute::Iota(_) => CHEAP,
                Attribute::Parameter(_) => ACCESS,
                Attribute::None if next != node && self.materialized[next] => ACCESS,
                Attribute::None if instruction.bitcast_operand().is_some() => ACCESS,
                // It is computed once.
                Attribute::Reduction(_) => return true,
                Attribute::None | Attribute::Call(_) => {
                    stack.extend(instruction.inputs.iter().map(|input| input.node));
                    if instruction.is_view() { 0 } else { self.cost(next).run }
                }
            };
            if sum > max {
                return true;
            }
        }
        false
    }

    /// Returns the cost of a node's operation or call.
    pub(crate) fn cost(&self, node: NodeId) -> OpCost {
        let instructions = &self.computation.instructions;
        weight::cost(instructions, &instructions[node])
    }

    /// Returns true if the node has no operation: a parameter, a constant or an iota.
    pub(crate) fn is_leaf(&self, node: NodeId) -> bool {
        let attribute = &self.computation.instructions[node].attribute;
        !matches!(attribute, Attribute::None | Attribute::Call(_) | Attribute::Reduction(_))
    }

    /// Returns the shape of the array that the kernel of this node writes. A temporary has size 1
    /// along dimensions in which the value does not vary. An array without elements keeps its
    /// shape.
    pub(crate) fn written_shape(&self, node: NodeId) -> Shape {
        let shape = &self.computation.instructions[node].shape;
        if self.is_root[node] {
            return shape.clone();
        }
        let keep = |(&size, &varies): (&usize, &bool)| if varies || size == 0 { size } else { 1 };
        Shape::from(shape.dims().iter().zip(&self.varies[node]).map(keep).collect::<Vec<_>>())
    }

    /// Returns the elements of a node that are needed.
    pub(crate) fn asked(&self, node: NodeId) -> &Asked {
        self.asked.get(node).unwrap_or(&Asked::All)
    }

    pub(crate) fn dims(&self, node: NodeId) -> NodeDims<'_> {
        NodeDims { shape: &self.computation.instructions[node].shape, varies: &self.varies[node] }
    }
}
