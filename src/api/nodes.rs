//! The nodes of expressions as a [`Graph`], to which operations are added, and the values that
//! operations start from.

use std::sync::Arc;

use crate::api::expr_node::{HostElements, Node, NodeKind};
use indim_core::graph::build::node_graph::{FunctionCall, Graph};
use indim_core::graph::operation::Operation;
use indim_core::semantics::element::ElementType;
use indim_core::semantics::infer::{Inferred, TensorType};
use indim_core::semantics::literal::Literal;
use indim_core::semantics::shape::Shape;

pub(crate) type Value = Arc<Node>;

/// Returns the same value, as the one input of a node of this kind.
pub(crate) fn same_as(node: &Value, kind: NodeKind) -> Value {
    let inferred = Inferred { element_type: node.element_type, shape: node.shape.clone() };
    Arc::new(Node::new(kind, inferred, &[node]))
}

/// Returns a value that has no operands.
pub(crate) fn leaf(kind: NodeKind, element_type: ElementType, shape: Shape) -> Value {
    Arc::new(Node::new(kind, Inferred { element_type, shape }, &[]))
}

/// Returns elements of host memory, which are dropped after the upload if requested.
pub(crate) fn host_elements(literal: Arc<Literal>, once: bool) -> Value {
    let (element_type, shape) = (literal.element_type(), literal.shape().clone());
    leaf(NodeKind::Literal(HostElements::new(literal, once)), element_type, shape)
}

/// The nodes of all expressions. Nodes belong to nothing, so that any can be operands together.
#[derive(Debug)]
pub(crate) struct Nodes;

impl Graph for Nodes {
    type Value = Value;

    fn tensor_type<'a>(&'a self, value: &'a Value) -> TensorType<'a> {
        value.tensor_type()
    }

    fn push(&mut self, operation: Operation, inferred: Inferred, operands: &[&Value]) -> Value {
        Arc::new(Node::new(NodeKind::Operation(operation), inferred, operands))
    }

    fn push_call(&mut self, call: FunctionCall, inferred: Inferred, operands: &[&Value]) -> Value {
        Arc::new(Node::new(NodeKind::Call(call), inferred, operands))
    }
}
