//! The nodes of expressions as a [`Graph`], to which operations are added, and the values that
//! operations start from.

use std::sync::Arc;

use crate::api::expr_node::{HostElements, Node, NodeKind};
use crate::graph::build::node_graph::Graph;
use crate::graph::computation::Payload;
use crate::semantics::element::ElementType;
use crate::semantics::infer::{Inferred, TensorType};
use crate::semantics::literal::Literal;
use crate::semantics::opcode::Opcode;
use crate::semantics::shape::Shape;
use crate::semantics::view::View;

pub(crate) type Value = Arc<Node>;

/// Returns the same value, as the one input of a node of this kind.
pub(crate) fn same_as(node: &Value, kind: NodeKind) -> Value {
    let inferred = Inferred {
        element_type: node.element_type,
        shape: node.shape.clone(),
        views: vec![View::identity(&node.shape)],
    };
    Arc::new(Node::new(kind, inferred, &[node]))
}

/// Returns a value that has no operands.
pub(crate) fn leaf(kind: NodeKind, element_type: ElementType, shape: Shape) -> Value {
    let inferred = Inferred { element_type, shape, views: Vec::new() };
    Arc::new(Node::new(kind, inferred, &[]))
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

    fn push(
        &mut self,
        opcode: Opcode,
        inferred: Inferred,
        operands: &[&Value],
        payload: Payload,
    ) -> Value {
        let kind = match payload {
            Payload::Constant(value) => NodeKind::Constant(value),
            Payload::Iota(dimension) => NodeKind::Iota(dimension),
            Payload::Call(call) => NodeKind::Call(call),
            Payload::None | Payload::Parameter(_) => NodeKind::Operation(opcode),
        };
        Arc::new(Node::new(kind, inferred, operands))
    }

    fn with_context_of(&mut self, value: Value, operands: &[&Value]) -> Value {
        let TensorType { element_type, shape } = value.tensor_type();
        let of_operands = operands.iter().map(|operand| View::identity(&operand.shape));
        let views = std::iter::once(View::identity(shape)).chain(of_operands).collect();
        let inferred = Inferred { element_type, shape: shape.clone(), views };
        let inputs = [&[&value], operands].concat();
        Arc::new(Node::new(NodeKind::ContextOf, inferred, &inputs))
    }
}
