//! Turns the graph of an expression into a [`BoundComputation`], which a context can run.

use std::borrow::Cow;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::api::expr_node::{BoundComputation, HostElements, Node, NodeKind};
use crate::api::living::{self, Listed};
use crate::device::arrays::array::AnyArray;
use crate::device::context::Context;
use crate::device::program::expressions::{KeptExpression, KeptKind, KeptValue};
use indim_core::errors::array::ArrayError;
use indim_core::graph::computation::{Computation, Instruction, NodeId, Parameter};
use indim_core::graph::instruction_list::InstructionList;
use indim_core::graph::known_operand::{self, KnownOperand};
use indim_core::graph::operation::Operation;
use indim_core::semantics::element::Scalar;
use indim_core::semantics::error::Result;
use indim_core::semantics::hash::{FastMap, hasher};
use indim_core::semantics::precision::Precision;

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
        let short = bound.computation.instructions().len() <= MAX_CACHED_INSTRUCTIONS;
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
            let roots = bound.computation.roots().iter().copied();
            let roots = roots.chain(living.iter().map(|living| living.id)).collect();
            bound.computation = Arc::new(bound.computation.with_roots(roots));
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
    let is_it =
        |kept: &KeptExpression| kept.computation.name() == name.as_ref() && listing.is(kept);
    let (computation, ids) = match cache.and_then(|cache| cache.get(hash, is_it)) {
        Some(kept) => (Arc::clone(&kept.computation), Arc::clone(&kept.ids)),
        None => {
            let (computation, ids) = listing.computation(name);
            // It has the same constants, unless two instructions share a hash.
            let has_all = computation.constants().eq(listing.constants.iter().copied());
            if let (Some(cache), true) = (cache, has_all) {
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
    kind: KeptKind<'a>,
    /// The precision that is requested around it.
    precision: Option<Precision>,
    /// Its operands among the listing's inputs.
    inputs: Range<u32>,
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
                stack.extend(inputs.map(|input| (&**input, precision, false)));
                continue;
            }
            let first_input = listing.inputs.len() as u32;
            let kind = match array {
                Some(array) => listing.array(array),
                None => {
                    let number =
                        |input: &Arc<Node>| numbers[&(Arc::as_ptr(input), precision)] as u32;
                    listing.inputs.extend(node.inputs.iter().map(number));
                    match listing.kind(node) {
                        KeptKind::Operation(operation) => {
                            listing.operation(node, operation, first_input)
                        }
                        kind => kind,
                    }
                }
            };
            numbers.insert(key, listing.values.len());
            let inputs = first_input..listing.inputs.len() as u32;
            let (is_plain, is_listed) = (outer.is_none(), array.is_none());
            listing.values.push(Value { node, kind, precision, inputs, is_plain, is_listed });
        }
        listing.roots = roots.iter().map(|root| numbers[&(Arc::as_ptr(root), None)]).collect();
        Ok(listing)
    }

    fn kind(&mut self, node: &'a Node) -> KeptKind<'a> {
        match &node.kind {
            NodeKind::Array(array) => self.array(array),
            NodeKind::Operation(Operation::Constant(value)) => {
                let next = self.constants.len();
                let number = *self.constant_numbers.entry(*value).or_insert(next);
                if number == next {
                    self.constants.push(*value);
                }
                KeptKind::Constant(number)
            }
            NodeKind::Operation(operation) => KeptKind::Operation(Cow::Borrowed(operation)),
            NodeKind::Call(call) => KeptKind::Call(Cow::Borrowed(call)),
            // Literals are arrays by now.
            NodeKind::Literal(_) | NodeKind::Precision(_) | NodeKind::Named(_) => KeptKind::Same,
        }
    }

    /// Returns an operation, with its second operand if that is part of the structure. Its operands
    /// are the inputs from `first` on.
    fn operation(&self, node: &Node, operation: Cow<'a, Operation>, first: u32) -> KeptKind<'a> {
        if !KnownOperand::may_be_of(&operation, node.element_type) {
            return KeptKind::Operation(operation);
        }
        let mut second = self.inputs.get(first as usize + 1);
        while let Some(&number) = second {
            let value = &self.values[number as usize];
            second = match &value.kind {
                KeptKind::Constant(number) => {
                    return match KnownOperand::of(&operation, self.constants[*number]) {
                        Some(known) => KeptKind::WithKnown(operation, known),
                        None => KeptKind::Operation(operation),
                    };
                }
                KeptKind::Operation(below) if known_operand::repeats(below) => {
                    self.inputs(value).first()
                }
                KeptKind::Same => self.inputs(value).first(),
                _ => None,
            };
        }
        KeptKind::Operation(operation)
    }

    fn array(&mut self, array: &AnyArray) -> KeptKind<'a> {
        let next = self.arrays.len();
        let number = *self.array_numbers.entry(array.address()).or_insert(next);
        if number == next {
            self.arrays.push(array.clone());
        }
        KeptKind::Array(number)
    }

    /// Returns the numbers of a value's operands.
    fn inputs(&self, value: &Value<'a>) -> &[u32] {
        &self.inputs[value.inputs.start as usize..value.inputs.end as usize]
    }

    /// Returns the hash of the structure: everything but the arrays and the values of scalars.
    fn hash(&self, name: Option<&str>) -> u64 {
        let mut hasher = hasher();
        (name, &self.roots).hash(&mut hasher);
        for value in &self.values {
            let Value { node, kind, precision, .. } = value;
            (kind, node.element_type, &node.shape, precision).hash(&mut hasher);
            self.inputs(value).hash(&mut hasher);
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
                && self.inputs(value) == kept.inputs
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
        let parameter =
            |array: &AnyArray| Parameter::new(array.element_type(), array.shape().clone());
        let parameters = self.arrays.iter().map(parameter).collect();
        let roots = self.roots.iter().map(|&root| ids[root]).collect();
        let mut computation = Computation::of(list.finish(), parameters, roots);
        if let Some(name) = name {
            computation = computation.named(&name);
        }
        (Arc::new(computation), ids.into())
    }

    /// Returns the structure, with the computation made of it.
    fn kept(&self, computation: Arc<Computation>, ids: Arc<[NodeId]>) -> KeptExpression {
        let kept_value = |value: &Value<'a>| KeptValue {
            kind: match &value.kind {
                KeptKind::Array(number) => KeptKind::Array(*number),
                KeptKind::Constant(number) => KeptKind::Constant(*number),
                KeptKind::Operation(operation) => {
                    KeptKind::Operation(Cow::Owned(operation.clone().into_owned()))
                }
                KeptKind::WithKnown(operation, known) => {
                    KeptKind::WithKnown(Cow::Owned(operation.clone().into_owned()), *known)
                }
                KeptKind::Call(call) => KeptKind::Call(Cow::Owned(call.clone().into_owned())),
                KeptKind::Same => KeptKind::Same,
            },
            element_type: value.node.element_type,
            shape: value.node.shape.clone(),
            precision: value.precision,
            inputs: self.inputs(value).to_vec(),
        };
        let values = self.values.iter().map(kept_value).collect();
        KeptExpression { values, roots: self.roots.clone(), computation, ids }
    }

    /// Adds a value's instruction, after those of its inputs, and returns its id.
    fn add(&self, list: &mut InstructionList, ids: &[NodeId], value: &Value<'a>) -> NodeId {
        let operands: Vec<NodeId> =
            self.inputs(value).iter().map(|&number| ids[number as usize]).collect();
        let operation = match &value.kind {
            KeptKind::Array(number) => Operation::Parameter(*number),
            KeptKind::Constant(number) => Operation::Constant(self.constants[*number]),
            KeptKind::Operation(operation) | KeptKind::WithKnown(operation, _) => {
                operation.clone().into_owned()
            }
            KeptKind::Call(call) => {
                let function = list.function(&call.function);
                call.clone().into_owned().operation(function)
            }
            KeptKind::Same => return operands.first().copied().unwrap_or(0),
        };
        let Node { element_type, ref shape, .. } = *value.node;
        list.push(Instruction {
            precision: Precision::of(value.precision, operation.opcode(), element_type),
            operation,
            operands,
            element_type,
            shape: shape.clone(),
        })
    }
}
