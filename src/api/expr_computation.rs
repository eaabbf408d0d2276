//! Turns the graph of an expression into a [`BoundComputation`], which a context can run.

use std::hash::{Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::api::expr_node::{BoundComputation, HostElements, Node, NodeKind};
use crate::api::living::{self, Listed};
use crate::device::arrays::array::AnyArray;
use crate::device::context::Context;
use crate::device::program::expressions::{KeptExpression, KeptKind, KeptValue};
use crate::errors::array::ArrayError;
use crate::graph::build::move_call::MoveCalls;
use crate::graph::computation::{
    Computation, Input, Instruction, Instructions, NodeId, Parameter, Payload,
};
use crate::graph::instruction_list::InstructionList;
use crate::semantics::element::Scalar;
use crate::semantics::error::Result;
use crate::semantics::hash::{FastMap, hasher};
use crate::semantics::opcode::Opcode;
use crate::semantics::precision::Precision;
use crate::semantics::view::View;

/// The largest number of instructions of a computation that a node caches.
const MAX_CACHED_INSTRUCTIONS: usize = 256;

/// A longer expression is made a computation each time, since planning it takes longer.
const MAX_KEPT_VALUES: usize = 1 << 12;

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
/// those of operands first. The computation of an expression of the same structure is used again.
fn linearized<'a>(
    roots: &[&'a Arc<Node>],
    context: Option<&Context>,
) -> Result<(BoundComputation, Vec<Listed<'a>>)> {
    let listing = Listing::of(roots, context)?;
    let name = name_of(roots);
    let context = context.or(listing.arrays.first().map(|array| array.context()));
    let cache = context.map(|context| &context.inner.expressions);
    let cache = cache.filter(|_| listing.values.len() <= MAX_KEPT_VALUES);
    let hash = cache.map_or(0, |_| listing.hash(name.as_deref()));
    let is_it = |kept: &KeptExpression| kept.computation.name == name && listing.is(kept);
    let (computation, ids) = match cache.and_then(|cache| cache.get(hash, is_it)) {
        Some(kept) => (Arc::clone(&kept.computation), Arc::clone(&kept.ids)),
        None => {
            let (computation, ids) = listing.computation(name);
            // It has the same constants, unless two instructions share a hash.
            let constants = computation.constants().map(|(_, value)| value);
            if let (Some(cache), true) = (cache, constants.eq(listing.constants.iter().copied())) {
                cache.insert(hash, listing.kept(Arc::clone(&computation), Arc::clone(&ids)));
            }
            (computation, ids)
        }
    };
    let Listing { values, arrays, constants, .. } = listing;
    let of_node = values.iter().zip(&*ids).filter(|(value, _)| value.is_listed);
    let listed =
        of_node.map(|(value, &id)| Listed { node: value.node, id, is_plain: value.is_plain });
    let listed = listed.collect();
    let has_constants = computation.constants().count() == constants.len();
    let constants = has_constants.then_some(constants);
    Ok((BoundComputation { computation, constants, arrays }, listed))
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

/// The values of an expression, operands first.
#[derive(Default)]
struct Listing<'a> {
    values: Vec<Value<'a>>,
    /// The numbers of all values' operands.
    inputs: Vec<u32>,
    /// The numbers of the results.
    roots: Vec<usize>,
    /// The arrays and the scalars, each once.
    arrays: Vec<AnyArray>,
    constants: Vec<Scalar>,
    /// The numbers of arrays, by their addresses, and of scalars.
    array_numbers: FastMap<usize, usize>,
    constant_numbers: FastMap<Scalar, usize>,
}

/// One value of a listing.
struct Value<'a> {
    node: &'a Node,
    kind: KeptKind,
    /// The precision that is requested around it.
    precision: Option<Precision>,
    /// The first of its operands among the listing's inputs; their views are the node's.
    first_input: u32,
    /// True if no precision is requested around the node itself.
    is_plain: bool,
    /// False if it is an array that the node keeps.
    is_listed: bool,
}

impl<'a> Listing<'a> {
    /// Lists the values below these roots. A node that is reached under two precisions is two.
    fn of(roots: &[&'a Arc<Node>], context: Option<&Context>) -> Result<Self> {
        let mut listing = Self::default();
        // Maps a node, with the precision requested around it, to its number.
        let mut numbers: FastMap<(*const Node, Option<Precision>), usize> = FastMap::default();
        let mut stack: Vec<(&'a Node, Option<Precision>, bool)> =
            roots.iter().rev().map(|root| (&***root, None, false)).collect();
        while let Some((node, outer, inputs_done)) = stack.pop() {
            let key = (std::ptr::from_ref(node), outer);
            if numbers.contains_key(&key) {
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
            if array.is_none() && !inputs_done && !node.inputs.is_empty() {
                stack.push((node, outer, true));
                let inputs = node.inputs.iter().rev();
                stack.extend(inputs.map(|(input, _)| (&**input, precision, false)));
                continue;
            }
            let first_input = listing.inputs.len() as u32;
            let kind = match array {
                Some(array) => listing.array(array),
                None => {
                    let number = |(input, _): &(Arc<Node>, View)| {
                        numbers[&(Arc::as_ptr(input), precision)] as u32
                    };
                    listing.inputs.extend(node.inputs.iter().map(number));
                    listing.kind(node)
                }
            };
            numbers.insert(key, listing.values.len());
            let (is_plain, is_listed) = (outer.is_none(), array.is_none());
            listing.values.push(Value { node, kind, precision, first_input, is_plain, is_listed });
        }
        listing.roots = roots.iter().map(|root| numbers[&(Arc::as_ptr(root), None)]).collect();
        Ok(listing)
    }

    fn kind(&mut self, node: &Node) -> KeptKind {
        match &node.kind {
            NodeKind::Array(array) => self.array(array),
            NodeKind::Constant(value) => {
                let next = self.constants.len();
                let number = *self.constant_numbers.entry(*value).or_insert(next);
                if number == next {
                    self.constants.push(*value);
                }
                KeptKind::Constant(number)
            }
            NodeKind::Iota(dimension) => KeptKind::Iota(*dimension),
            NodeKind::Operation(opcode) => KeptKind::Operation(*opcode),
            NodeKind::Call(call) => KeptKind::Call(call.clone()),
            // Literals are arrays by now.
            NodeKind::Literal(_)
            | NodeKind::Precision(_)
            | NodeKind::Named(_)
            | NodeKind::ContextOf => KeptKind::Same,
        }
    }

    fn array(&mut self, array: &AnyArray) -> KeptKind {
        let next = self.arrays.len();
        let number = *self.array_numbers.entry(array.address()).or_insert(next);
        if number == next {
            self.arrays.push(array.clone());
        }
        KeptKind::Array(number)
    }

    /// Returns a value's operands, with their views.
    fn inputs(&self, value: &Value<'a>) -> impl ExactSizeIterator<Item = (usize, &'a View)> {
        let views = value.node.inputs.iter().map(|(_, view)| view);
        let count = if matches!(value.kind, KeptKind::Array(_)) { 0 } else { views.len() };
        let first = value.first_input as usize;
        self.inputs[first..first + count].iter().map(|&input| input as usize).zip(views)
    }

    /// Returns the hash of the structure: everything but the arrays and the values of scalars.
    fn hash(&self, name: Option<&str>) -> u64 {
        let mut hasher = hasher();
        (name, &self.roots).hash(&mut hasher);
        for value in &self.values {
            let Value { node, kind, precision, .. } = value;
            (kind, node.element_type, &node.shape, precision).hash(&mut hasher);
            self.inputs(value).for_each(|input| input.hash(&mut hasher));
        }
        hasher.finish()
    }

    /// Returns true if an expression has this structure.
    fn is(&self, kept: &KeptExpression) -> bool {
        let alike = |(value, kept): (&Value<'a>, &KeptValue)| {
            let Value { node, kind, precision, .. } = value;
            *kind == kept.kind
                && node.element_type == kept.element_type
                && *precision == kept.precision
                && node.shape == kept.shape
                && self.inputs(value).eq(kept.inputs.iter().map(|(number, view)| (*number, view)))
        };
        self.roots == kept.roots
            && self.values.len() == kept.values.len()
            && self.values.iter().zip(&kept.values).all(alike)
    }

    /// Makes the computation. Returns the instruction of each value, too.
    fn computation(&self, name: Option<Arc<str>>) -> (Arc<Computation>, Arc<[NodeId]>) {
        let (mut list, mut ids) = (InstructionList::default(), Vec::new());
        for value in &self.values {
            ids.push(self.add(&mut list, &ids, value));
        }
        let parameter = |array: &AnyArray| Parameter {
            element_type: array.element_type(),
            shape: array.shape().clone(),
        };
        let computation = Computation {
            instructions: Instructions::new(list.instructions),
            parameters: self.arrays.iter().map(parameter).collect(),
            roots: self.roots.iter().map(|&root| ids[root]).collect(),
            name,
            move_calls: MoveCalls::default(),
        };
        (Arc::new(computation), ids.into())
    }

    /// Returns the structure, with the computation made of it.
    fn kept(&self, computation: Arc<Computation>, ids: Arc<[NodeId]>) -> KeptExpression {
        let kept_value = |value: &Value<'a>| KeptValue {
            kind: value.kind.clone(),
            element_type: value.node.element_type,
            shape: value.node.shape.clone(),
            precision: value.precision,
            inputs: self.inputs(value).map(|(number, view)| (number, view.clone())).collect(),
        };
        let values = self.values.iter().map(kept_value).collect();
        KeptExpression { values, roots: self.roots.clone(), computation, ids }
    }

    /// Adds a value's instruction, after those of its inputs, and returns its id.
    fn add(&self, list: &mut InstructionList, ids: &[NodeId], value: &Value<'a>) -> NodeId {
        let input =
            |(number, view): (usize, &View)| Input { node: ids[number], view: view.clone() };
        let inputs: Vec<Input> = self.inputs(value).map(input).collect();
        let (opcode, payload) = match &value.kind {
            KeptKind::Array(number) => (Opcode::Parameter, Payload::Parameter(*number)),
            KeptKind::Constant(number) => {
                (Opcode::Constant, Payload::Constant(self.constants[*number]))
            }
            KeptKind::Iota(dimension) => (Opcode::Iota, Payload::Iota(*dimension)),
            KeptKind::Operation(opcode) => (*opcode, Payload::None),
            KeptKind::Call(call) => (Opcode::Call, Payload::Call(call.clone())),
            KeptKind::Same => return inputs.first().map_or(0, |input| input.node),
        };
        let Node { element_type, ref shape, .. } = *value.node;
        list.push(Instruction {
            opcode,
            element_type,
            shape: shape.clone(),
            inputs,
            payload,
            precision: Precision::of(value.precision, opcode, element_type),
        })
    }
}
