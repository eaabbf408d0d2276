//! [`Node`]: an operation in the graph of an expression, which every way to build expressions
//! shares.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, OnceLock};

use crate::device::arrays::array::AnyArray;
use crate::device::guard::lock::lock;
use indim_core::graph::build::node_graph::FunctionCall;
use indim_core::graph::computation::Computation;
use indim_core::graph::operation::Operation;
use indim_core::semantics::element::{ElementType, Scalar};
use indim_core::semantics::infer::{Inferred, TensorType};
use indim_core::semantics::literal::Literal;
use indim_core::semantics::precision::Precision;
use indim_core::semantics::shape::Shape;

/// A value of an expression: an operation, or an array or scalar that operations start from.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) kind: NodeKind,
    pub(crate) element_type: ElementType,
    pub(crate) shape: Shape,
    /// The operands.
    pub(crate) inputs: Vec<Arc<Node>>,
    pub(crate) cache: NodeCache,
}

/// The computation and the array that a node keeps for being evaluated again.
#[derive(Debug, Default)]
pub(crate) struct NodeCache {
    /// True if the node was evaluated before. The first evaluation keeps nothing: an expression
    /// that is evaluated once, as each step of a long loop is, is not worth the memory.
    pub(crate) evaluated: AtomicBool,
    /// `None` inside if the computation is too long to be kept.
    pub(crate) computation: OnceLock<Option<Box<BoundComputation>>>,
    /// The value's array, once an [`AnyExpr`](crate::AnyExpr) was evaluated, or the uploaded
    /// elements of a literal.
    pub(crate) array: OnceLock<AnyArray>,
    /// The value's array, once another expression was evaluated that has the value in it; see
    /// [`living`](super::living). It is never returned as the result of a typed expression, whose
    /// holder may write to its buffer.
    pub(crate) living: OnceLock<AnyArray>,
}

/// Elements in host memory, which the first evaluation uploads.
#[derive(Debug)]
pub(crate) struct HostElements {
    /// `None` once they are uploaded, if requested.
    elements: Mutex<Option<Arc<Literal>>>,
    once: bool,
}

impl HostElements {
    pub(crate) fn new(elements: Arc<Literal>, once: bool) -> Self {
        Self { elements: Mutex::new(Some(elements)), once }
    }

    /// Returns the elements while they are in host memory.
    pub(crate) fn get(&self) -> Option<Arc<Literal>> {
        lock(&self.elements).clone()
    }

    /// Returns the same elements, for a separate value.
    pub(crate) fn copy(&self) -> Self {
        Self { elements: Mutex::new(self.get()), once: self.once }
    }

    /// Drops the elements if they are wanted for one upload only.
    pub(crate) fn are_uploaded(&self) {
        if self.once {
            lock(&self.elements).take();
        }
    }
}

/// The attribute of a node, by what kind of value it is.
#[derive(Debug)]
pub(crate) enum NodeKind {
    Array(AnyArray),
    Literal(HostElements),
    Operation(Operation),
    /// One result of a call of a user-defined function.
    Call(FunctionCall),
    /// The value of the one input. Operations below it have this precision, unless another node of
    /// this kind stands between.
    Precision(Precision),
    /// The value of the one input, whose commands have this name if it is evaluated.
    Named(Arc<str>),
}

impl Drop for Node {
    /// Drops the nodes of a long chain in a loop. Recursion would overflow the stack.
    fn drop(&mut self) {
        let mut stack = std::mem::take(&mut self.inputs);
        while let Some(input) = stack.pop() {
            if let Some(mut node) = Arc::into_inner(input) {
                stack.append(&mut node.inputs);
            }
        }
    }
}

/// A computation with the arrays that are its arguments.
#[derive(Debug)]
pub(crate) struct BoundComputation {
    pub(crate) computation: Arc<Computation>,
    /// Values in the place of the computation's constants, in their order, if they are others.
    pub(crate) constants: Option<Vec<Scalar>>,
    pub(crate) arrays: Vec<AnyArray>,
}

impl Node {
    pub(crate) fn new(kind: NodeKind, inferred: Inferred, inputs: &[&Arc<Node>]) -> Self {
        Self {
            kind,
            element_type: inferred.element_type,
            shape: inferred.shape,
            inputs: inputs.iter().map(|&input| Arc::clone(input)).collect(),
            cache: NodeCache::default(),
        }
    }

    /// Returns the node's array: the one that it is, or the one that its cache keeps.
    pub(crate) fn array(&self) -> Option<&AnyArray> {
        match &self.kind {
            NodeKind::Array(array) => Some(array),
            _ => self.cache.array.get(),
        }
    }

    /// Returns the node's type, as inference takes it.
    pub(crate) fn tensor_type(&self) -> TensorType<'_> {
        TensorType { element_type: self.element_type, shape: &self.shape }
    }
}
