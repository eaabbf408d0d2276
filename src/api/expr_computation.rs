//! Turns the graph of an expression into a [`BoundComputation`], which a context can run.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::api::expr_node::{BoundComputation, HostElements, Node, NodeKind};
use crate::api::living::{self, Listed};
use crate::device::arrays::array::AnyArray;
use crate::device::context::Context;
use crate::graph::computation::{Computation, Input, Instruction, NodeId, Parameter, Payload};
use crate::graph::instruction_list::InstructionList;
use crate::graph::move_call::MoveCalls;
use crate::semantics::error::{ArrayError, Result};
use crate::semantics::hash::FastMap;
use crate::semantics::opcode::Opcode;
use crate::semantics::precision::Precision;

/// The largest number of instructions of a computation that a node caches.
const MAX_CACHED_INSTRUCTIONS: usize = 256;

/// Returns the cached computation of a node, from the second evaluation on; none the first time,
/// and none for a long computation.
pub(crate) fn cached_computation(root: &Arc<Node>) -> Option<&BoundComputation> {
    if !root.cache.evaluated.swap(true, Ordering::Relaxed) {
        return None;
    }
    let build = || {
        // It fails for literals only, which an evaluation before this one has uploaded.
        let bound = BoundComputation::of(&[root], None).ok()?;
        let short = bound.computation.instructions.len() <= MAX_CACHED_INSTRUCTIONS;
        short.then(|| Box::new(bound))
    };
    root.cache.computation.get_or_init(build).as_deref()
}

impl BoundComputation {
    /// Lists the operations below `roots` as instructions, operands first, and their arrays as
    /// parameters. There is at least one root. Literals that were not uploaded yet are uploaded to
    /// `context`. Below a node that keeps its array, nothing is listed.
    ///
    /// The depth-first search has an explicit stack, since an expression may be deeper than the
    /// thread's stack.
    pub(crate) fn of(roots: &[&Arc<Node>], context: Option<&Context>) -> Result<Self> {
        linearized(roots, context).map(|(bound, _)| bound)
    }

    /// Version of [`BoundComputation::of`] that adds the values to be kept as further results,
    /// after the others, and also returns their nodes.
    pub(crate) fn with_living<'a>(
        roots: &[&'a Arc<Node>],
        context: Option<&Context>,
    ) -> Result<(Self, Vec<&'a Node>)> {
        let (mut bound, listed) = linearized(roots, context)?;
        let living = living::living(&listed, &bound.computation);
        if !living.is_empty() {
            let roots = bound.computation.roots.iter().copied();
            let roots = roots.chain(living.iter().map(|living| living.id)).collect();
            bound.computation =
                Arc::new(Computation { roots, ..Computation::clone(&bound.computation) });
        }
        Ok((bound, living.into_iter().map(|living| living.node).collect()))
    }
}

/// Returns the computation of `roots`, and its operations by the nodes that they were listed for,
/// those of operands first.
fn linearized<'a>(
    roots: &[&'a Arc<Node>],
    context: Option<&Context>,
) -> Result<(BoundComputation, Vec<Listed<'a>>)> {
    let mut linearizer = Linearizer::default();
    let mut listed = Vec::new();
    // A node that is reached under two precisions becomes two instructions.
    let mut stack: Vec<(&Node, Option<Precision>, bool)> =
        roots.iter().rev().map(|root| (&***root, None, false)).collect();
    while let Some((node, outer, inputs_done)) = stack.pop() {
        let key = (std::ptr::from_ref(node), outer);
        if linearizer.ids.contains_key(&key) {
            continue;
        }
        let precision = match node.kind {
            NodeKind::Precision(inner) => Some(inner),
            _ => outer,
        };
        let array = match &node.kind {
            NodeKind::Literal(literal) => Some(uploaded(node, literal, context)?),
            // Under another precision, the value may be another.
            _ => stored(node, roots).filter(|_| outer.is_none() && !inputs_done),
        };
        if let Some(array) = array {
            let id = linearizer.add_array(array);
            linearizer.ids.insert(key, id);
            continue;
        }
        if !inputs_done && !node.inputs.is_empty() {
            stack.push((node, outer, true));
            let inputs = node.inputs.iter().rev();
            stack.extend(inputs.map(|(input, _)| (&**input, precision, false)));
            continue;
        }
        let id = linearizer.add(node, precision);
        linearizer.ids.insert(key, id);
        listed.push(Listed { node, id, is_plain: outer.is_none() });
    }
    let Linearizer { list, parameters, arrays, ids, .. } = linearizer;
    let name = name_of(roots);
    let roots = roots.iter().map(|root| ids[&(Arc::as_ptr(root), None)]).collect();
    let computation = Computation {
        instructions: list.instructions,
        parameters,
        roots,
        name,
        move_calls: MoveCalls::default(),
    };
    Ok((BoundComputation { computation: Arc::new(computation), arrays }, listed))
}

/// Returns the array of a node that need not be computed.
fn stored<'a>(node: &'a Node, roots: &[&Arc<Node>]) -> Option<&'a AnyArray> {
    let is_root = || roots.iter().any(|root| std::ptr::eq(Arc::as_ptr(root), node));
    node.array().or_else(|| node.cache.living.get().filter(|_| !is_root()))
}

/// Returns the array of a literal, which is uploaded once.
fn uploaded<'a>(
    node: &'a Node,
    literal: &HostElements,
    context: Option<&Context>,
) -> Result<&'a AnyArray> {
    if let Some(array) = node.array() {
        return Ok(array);
    }
    let Some(elements) = literal.get() else {
        // Another thread has uploaded them meanwhile.
        return node.array().ok_or_else(|| ArrayError::NoContext.into());
    };
    let array = context.ok_or(ArrayError::NoContext)?.upload(&elements)?;
    let array = node.cache.array.get_or_init(|| array);
    literal.are_uploaded();
    Ok(array)
}

/// Returns the names of expressions that are computed together, if they have some.
fn name_of(roots: &[&Arc<Node>]) -> Option<Arc<str>> {
    let names: Vec<&Arc<str>> = roots
        .iter()
        .filter_map(|root| match &root.kind {
            NodeKind::Named(name) => Some(name),
            _ => None,
        })
        .collect();
    match names.as_slice() {
        [] => None,
        [name] => Some(Arc::clone(name)),
        several => Some(several.iter().map(|name| &***name).collect::<Vec<_>>().join(", ").into()),
    }
}

/// The instructions, parameters and arrays found so far.
#[derive(Default)]
struct Linearizer {
    list: InstructionList,
    parameters: Vec<Parameter>,
    arrays: Vec<AnyArray>,
    /// Maps an array's address to the number of its parameter.
    parameter_of: FastMap<usize, usize>,
    /// Maps a node, with the precision requested around it, to its instruction.
    ids: FastMap<(*const Node, Option<Precision>), NodeId>,
}

impl Linearizer {
    /// Adds a node's instruction, after those of its inputs, and returns its id.
    fn add(&mut self, node: &Node, precision: Option<Precision>) -> NodeId {
        let mut inputs: Vec<Input> = Vec::with_capacity(node.inputs.len());
        for (input, view) in &node.inputs {
            let node = self.ids[&(Arc::as_ptr(input), precision)];
            inputs.push(Input { node, view: view.clone() });
        }
        let (opcode, payload) = match &node.kind {
            NodeKind::Array(array) => return self.add_array(array),
            NodeKind::Constant(value) => (Opcode::Constant, Payload::Constant(*value)),
            NodeKind::Iota(dimension) => (Opcode::Iota, Payload::Iota(*dimension)),
            NodeKind::Operation(opcode) => (*opcode, Payload::None),
            NodeKind::Call(call) => (Opcode::Call, Payload::Call(call.clone())),
            // The node stands for its first input. Literals are arrays by now.
            NodeKind::Literal(_)
            | NodeKind::Precision(_)
            | NodeKind::Named(_)
            | NodeKind::Beside => {
                return inputs.first().map_or(0, |input| input.node);
            }
        };
        self.list.push(Instruction {
            opcode,
            element_type: node.element_type,
            shape: node.shape.clone(),
            inputs,
            payload,
            precision: Precision::of(precision, opcode, node.element_type),
        })
    }

    /// Adds the instruction of an array, and returns its id.
    fn add_array(&mut self, array: &AnyArray) -> NodeId {
        let number = self.parameter(array);
        self.list.push(Instruction {
            opcode: Opcode::Parameter,
            element_type: array.element_type(),
            shape: array.shape().clone(),
            inputs: Vec::new(),
            payload: Payload::Parameter(number),
            precision: None,
        })
    }

    /// Returns the number of the array's parameter, adding the parameter the first time.
    fn parameter(&mut self, array: &AnyArray) -> usize {
        let next = self.arrays.len();
        let number = *self.parameter_of.entry(array.address()).or_insert(next);
        if number == next {
            let (element_type, shape) = (array.element_type(), array.shape().clone());
            self.arrays.push(array.clone());
            self.parameters.push(Parameter { element_type, shape });
        }
        number
    }
}
