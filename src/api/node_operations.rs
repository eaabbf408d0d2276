//! Operations on the nodes of expressions, whose element types are known at run time. They infer
//! types and shapes as [`Builder`](crate::Builder) does.

use std::sync::Arc;

use crate::api::expr_node::{HostElements, Node, NodeKind};
use crate::graph::computation::Payload;
use crate::graph::moves::{self, Assembler};
use crate::semantics::element::{ElementType, Scalar};
use crate::semantics::error::{Error, Result};
use crate::semantics::infer::{self, Inferred, TensorType};
use crate::semantics::literal::Literal;
use crate::semantics::opcode::Opcode;
use crate::semantics::shape::Shape;
use crate::semantics::view::View;

pub(crate) type Value = Arc<Node>;

/// Returns a binary operation or comparison, with XlaBuilder's arguments.
pub(crate) fn binary(
    opcode: Opcode,
    lhs: Value,
    rhs: Value,
    broadcast_dimensions: &[i64],
) -> Result<Value> {
    let inferred =
        infer::binary(opcode, lhs.tensor_type(), rhs.tensor_type(), broadcast_dimensions)?;
    Ok(operation(opcode, inferred, vec![lhs, rhs]))
}

pub(crate) fn unary(opcode: Opcode, x: Value) -> Result<Value> {
    let inferred = infer::unary(opcode, x.tensor_type())?;
    Ok(operation(opcode, inferred, vec![x]))
}

/// Returns a conversion: of values, or of bits.
pub(crate) fn convert(opcode: Opcode, x: Value, to: ElementType) -> Result<Value> {
    let inferred = infer::convert(opcode, x.tensor_type(), to)?;
    Ok(operation(opcode, inferred, vec![x]))
}

pub(crate) fn select(pred: Value, on_true: Value, on_false: Value) -> Result<Value> {
    let inferred =
        infer::select(pred.tensor_type(), on_true.tensor_type(), on_false.tensor_type())?;
    Ok(operation(Opcode::Select, inferred, vec![pred, on_true, on_false]))
}

pub(crate) fn clamp(min: Value, x: Value, max: Value) -> Result<Value> {
    let inferred = infer::clamp(min.tensor_type(), x.tensor_type(), max.tensor_type())?;
    Ok(operation(Opcode::Clamp, inferred, vec![min, x, max]))
}

pub(crate) fn next_after(from: Value, to: Value) -> Result<Value> {
    let inferred = infer::next_after(from.tensor_type(), to.tensor_type())?;
    Ok(operation(Opcode::NextAfter, inferred, vec![from, to]))
}

pub(crate) fn reduce_precision(x: Value, exponent_bits: i64, mantissa_bits: i64) -> Result<Value> {
    let (inferred, format) =
        infer::reduce_precision(x.tensor_type(), exponent_bits, mantissa_bits)?;
    let [exponent, mantissa] = format.map(constant);
    Ok(operation(Opcode::ReducePrecision, inferred, vec![exponent, mantissa, x]))
}

/// Returns the same value, as the one input of a node of this kind.
pub(crate) fn same_as(node: &Value, kind: NodeKind) -> Value {
    let inferred = Inferred {
        element_type: node.element_type,
        shape: node.shape.clone(),
        views: vec![View::identity(&node.shape)],
    };
    Arc::new(Node::new(kind, inferred, vec![Arc::clone(node)]))
}

pub(crate) fn constant(value: Scalar) -> Value {
    leaf(NodeKind::Constant(value), value.element_type(), Shape::scalar())
}

/// Returns a value that has no operands.
pub(crate) fn leaf(kind: NodeKind, element_type: ElementType, shape: Shape) -> Value {
    let inferred = Inferred { element_type, shape, views: Vec::new() };
    Arc::new(Node::new(kind, inferred, Vec::new()))
}

/// Returns elements of host memory, which are dropped after the upload if requested.
pub(crate) fn host_elements(literal: Arc<Literal>, once: bool) -> Value {
    let (element_type, shape) = (literal.element_type(), literal.shape().clone());
    leaf(NodeKind::Literal(HostElements::new(literal, once)), element_type, shape)
}

pub(crate) fn iota(element_type: ElementType, sizes: &[i64], iota_dimension: i64) -> Result<Value> {
    let (inferred, dimension) = infer::iota(element_type, sizes, iota_dimension)?;
    Ok(Arc::new(Node::new(NodeKind::Iota(dimension), inferred, Vec::new())))
}

pub(crate) fn broadcast(x: Value, sizes: &[i64]) -> Result<Value> {
    let inferred = infer::broadcast(x.tensor_type(), sizes)?;
    Ok(operation(Opcode::Broadcast, inferred, vec![x]))
}

pub(crate) fn broadcast_in_dim(
    x: Value,
    out_sizes: &[i64],
    broadcast_dimensions: &[i64],
) -> Result<Value> {
    let output =
        Shape::from_signed(out_sizes).map_err(Error::shape(Opcode::BroadcastInDim.method()))?;
    broadcast_to(x, &output, broadcast_dimensions)
}

/// Version of [`broadcast_in_dim`] for a [`Shape`], whose sizes are not negative.
pub(crate) fn broadcast_to(
    x: Value,
    output: &Shape,
    broadcast_dimensions: &[i64],
) -> Result<Value> {
    let inferred = infer::broadcast_in_dim(x.tensor_type(), output, broadcast_dimensions)?;
    Ok(operation(Opcode::BroadcastInDim, inferred, vec![x]))
}

pub(crate) fn transpose(x: Value, permutation: &[i64]) -> Result<Value> {
    let inferred = infer::transpose(x.tensor_type(), permutation)?;
    Ok(operation(Opcode::Transpose, inferred, vec![x]))
}

pub(crate) fn slice(
    x: Value,
    start_indices: &[i64],
    limit_indices: &[i64],
    strides: &[i64],
) -> Result<Value> {
    let inferred = infer::slice(x.tensor_type(), start_indices, limit_indices, strides)?;
    Ok(operation(Opcode::Slice, inferred, vec![x]))
}

pub(crate) fn reverse(x: Value, dimensions: &[i64]) -> Result<Value> {
    let inferred = infer::reverse(x.tensor_type(), dimensions)?;
    Ok(operation(Opcode::Reverse, inferred, vec![x]))
}

pub(crate) fn reshape(x: Value, new_sizes: &[i64]) -> Result<Value> {
    let inferred = infer::reshape(x.tensor_type(), new_sizes)?;
    Ok(operation(Opcode::Reshape, inferred, vec![x]))
}

/// Returns the value with low, high and interior padding.
pub(crate) fn pad(x: &Value, padding_value: &Value, amounts: [&[i64]; 3]) -> Result<Value> {
    moves::pad(&mut Nodes, x, padding_value, amounts)
}

pub(crate) fn concatenate(operands: &[Value], dimension: i64) -> Result<Value> {
    moves::concatenate(&mut Nodes, operands, dimension)
}

pub(crate) fn roll(x: &Value, shifts: &[i64], dimensions: &[i64]) -> Result<Value> {
    moves::roll(&mut Nodes, x, shifts, dimensions)
}

/// Makes the nodes that a move is assembled from.
struct Nodes;

impl Assembler for Nodes {
    type Value = Arc<Node>;

    fn tensor_type<'a>(&'a self, value: &'a Arc<Node>) -> TensorType<'a> {
        value.tensor_type()
    }

    fn instruction(
        &mut self,
        opcode: Opcode,
        inferred: Inferred,
        operands: &[&Arc<Node>],
        payload: Payload,
    ) -> Arc<Node> {
        let kind = match payload {
            Payload::Constant(value) => NodeKind::Constant(value),
            Payload::Iota(dimension) => NodeKind::Iota(dimension),
            Payload::Call(call) => NodeKind::Call(call),
            Payload::None | Payload::Parameter(_) => NodeKind::Operation(opcode),
        };
        let inputs = operands.iter().map(|&operand| Arc::clone(operand)).collect();
        Arc::new(Node::new(kind, inferred, inputs))
    }

    fn beside(&mut self, value: Arc<Node>, operands: &[&Arc<Node>]) -> Arc<Node> {
        let TensorType { element_type, shape } = value.tensor_type();
        let of_operands = operands.iter().map(|operand| View::identity(&operand.shape));
        let views = std::iter::once(View::identity(shape)).chain(of_operands).collect();
        let inferred = Inferred { element_type, shape: shape.clone(), views };
        let mut inputs = vec![value];
        inputs.extend(operands.iter().map(|&operand| Arc::clone(operand)));
        Arc::new(Node::new(NodeKind::Beside, inferred, inputs))
    }
}

fn operation(opcode: Opcode, inferred: Inferred, inputs: Vec<Value>) -> Value {
    Arc::new(Node::new(NodeKind::Operation(opcode), inferred, inputs))
}
