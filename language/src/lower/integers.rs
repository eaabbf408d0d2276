//! Numbers and element types in calls, which are known before anything is computed: sizes, dimensions,
//! bits, small numbers, the type of a result.

use indim_core::{ElementType, ScalarValue};

use crate::lower::state::Lowering;
use crate::report::diagnostic::{Diagnostic, Result};
use crate::syntax::names;
use crate::syntax::parser::{Kind, NodeId};

/// Returns integers given one by one, as in `broadcast(x, 2, 3)`, or as a list.
pub(super) fn spread(lowering: &Lowering<'_>, args: &[NodeId]) -> Result<Vec<i64>> {
    match *args {
        [list] if matches!(lowering.node(list).kind, Kind::List(_)) => integers(lowering, list),
        _ => args.iter().map(|&id| integer(lowering, id)).collect(),
    }
}

/// Returns a list of integers, as in `[2, 3]`.
pub(super) fn integers(lowering: &Lowering<'_>, id: NodeId) -> Result<Vec<i64>> {
    match &lowering.node(id).kind {
        Kind::List(items) => items.iter().map(|&item| integer(lowering, item)).collect(),
        _ => Err(Diagnostic::at(
            lowering.node(id).span.clone(),
            "expected a list of integers, such as [2, 3]",
        )),
    }
}

/// Returns a size or a dimension.
pub(super) fn integer(lowering: &Lowering<'_>, id: NodeId) -> Result<i64> {
    known(lowering, id, "sizes and dimensions")
}

/// Returns the bit count of a format.
pub(super) fn bits(lowering: &Lowering<'_>, id: NodeId) -> Result<i64> {
    known(lowering, id, "the bits of a format")
}

/// Returns an integer literal; the error calls it `what`.
fn known(lowering: &Lowering<'_>, id: NodeId, what: &str) -> Result<i64> {
    let node = lowering.node(id);
    let number = match node.kind {
        Kind::Number(number) => number.to_i64(),
        _ => None,
    };
    number.ok_or_else(|| {
        Diagnostic::at(
            node.span.clone(),
            format!("expected an integer, as {what} are known before anything is computed"),
        )
    })
}

/// Returns the element type that is named.
pub(crate) fn element_type(lowering: &Lowering<'_>, id: NodeId) -> Result<ElementType> {
    let node = lowering.node(id);
    let name = lowering.text(&node.at);
    if node.kind != Kind::Name {
        return Err(Diagnostic::at(node.span.clone(), "expected an element type, such as s32"));
    }
    name.parse().map_err(|_| names::unknown_type(node.at.clone(), name))
}

/// Returns a number that is written as one.
pub(super) fn number(lowering: &Lowering<'_>, id: NodeId) -> Result<f64> {
    let node = lowering.node(id);
    let value = match node.kind {
        Kind::Number(number) => number.to_scalar(ElementType::F64).ok(),
        _ => None,
    };
    match value.map(|scalar| scalar.value()) {
        Some(ScalarValue::Float(value)) => Ok(value),
        _ => Err(Diagnostic::at(node.span.clone(), "expected a number, such as 1e-5")),
    }
}
