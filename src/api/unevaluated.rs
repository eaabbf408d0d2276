//! Copies of values, without the arrays that evaluations keep of them.

use std::sync::Arc;

use crate::api::any_expr::AnyExpr;
use crate::api::expr_node::{Node, NodeCache, NodeKind};
use indim_core::semantics::hash::FastMap;

/// The copies of nodes, by the nodes' addresses.
type Copies = FastMap<*const Node, Arc<Node>>;

impl AnyExpr {
    /// Returns values equal to these that no evaluation has touched: they start from the same
    /// elements of host memory, constants and arrays. A value keeps its array on the context that
    /// evaluated it; its copy can be evaluated on another one, also when the device of the first is
    /// lost. Copies share what the values share.
    ///
    /// ```
    /// # let lost = indim::Context::blocking()?;
    /// use indim::{AnyExpr, Context, Literal};
    ///
    /// let x = AnyExpr::literal(Literal::from_slice([2], &[1_f32, 2.])?);
    /// lost.eval(&x)?; // its elements are there now
    /// let array = Context::blocking()?.eval(&AnyExpr::unevaluated(&[x])[0])?;
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn unevaluated(values: &[Self]) -> Vec<Self> {
        let mut copies = Copies::default();
        values.iter().map(|value| Self::of(unevaluated(&value.node, &mut copies))).collect()
    }
}

/// Returns the copy of a node, and adds those of the nodes below to `copies`. The search has an
/// explicit stack, since an expression may be deeper than the thread's stack.
fn unevaluated(root: &Arc<Node>, copies: &mut Copies) -> Arc<Node> {
    let mut stack = vec![(root, false)];
    while let Some((node, inputs_done)) = stack.pop() {
        if copies.contains_key(&Arc::as_ptr(node)) {
            continue;
        }
        if !inputs_done && !node.inputs.is_empty() {
            stack.push((node, true));
            stack.extend(node.inputs.iter().map(|input| (input, false)));
            continue;
        }
        let inputs = node.inputs.iter().map(|input| copy_of(input, copies)).collect();
        let copy = Node {
            kind: kind(node),
            element_type: node.element_type,
            shape: node.shape.clone(),
            inputs,
            cache: NodeCache::default(),
        };
        copies.insert(Arc::as_ptr(node), Arc::new(copy));
    }
    copy_of(root, copies)
}

/// Returns the copy of a node that has one.
fn copy_of(node: &Arc<Node>, copies: &Copies) -> Arc<Node> {
    Arc::clone(&copies[&Arc::as_ptr(node)])
}

/// Returns the contents of a node's copy: the array if the elements have left host memory.
fn kind(node: &Node) -> NodeKind {
    match &node.kind {
        NodeKind::Array(array) => NodeKind::Array(array.clone()),
        NodeKind::Literal(literal) => match (literal.get(), node.cache.array.get()) {
            (None, Some(array)) => NodeKind::Array(array.clone()),
            _ => NodeKind::Literal(literal.copy()),
        },
        NodeKind::Operation(operation) => NodeKind::Operation(operation.clone()),
        NodeKind::Call(call) => NodeKind::Call(call.clone()),
        NodeKind::Precision(precision) => NodeKind::Precision(*precision),
        NodeKind::Named(name) => NodeKind::Named(Arc::clone(name)),
    }
}
