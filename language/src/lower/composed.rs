//! Lowers calls of operations that are composed of reductions.

use indim_core::{ElementType, ScalarValue};

use crate::lower::integers::spread;
use crate::lower::state::{Lowering, NodeValue};
use crate::report::diagnostic::{Diagnostic, Result};
use crate::syntax::composed::Composed;
use crate::syntax::names;
use crate::syntax::parser::{Kind, NodeId};

/// Lowers `mean(x, [0, 1])`, or `mean(x, 0, 1)`; with a number, `layer_norm(x, [1], 1e-5)`.
pub(crate) fn call(
    lowering: &mut Lowering<'_>,
    id: NodeId,
    args: &[NodeId],
    composed: &Composed,
) -> Result<NodeValue> {
    let wrong_count = |lowering: &Lowering<'_>| {
        let span = lowering.node(id).span.clone();
        let what = if composed.takes_epsilon {
            ", its dimensions and a number"
        } else {
            " and dimensions"
        };
        Diagnostic::at(span, format!("{} takes an operand{what}", composed.name))
            .help(format!("as in {}", names::usage(composed.name)))
    };
    let (x, list, epsilon) = match *args {
        [x, ref list @ .., epsilon] if composed.takes_epsilon && !list.is_empty() => {
            (x, list, number(lowering, epsilon)?)
        }
        [x, ref list @ ..] if !composed.takes_epsilon && !list.is_empty() => (x, list, 0.0),
        _ => return Err(wrong_count(lowering)),
    };
    let list = spread(lowering, list)?;
    let operand = lowering.array(x, ElementType::F32)?;
    let made = (composed.build)(&mut lowering.builder, operand, &list, epsilon);
    made.map(NodeValue::Op).map_err(lowering.at(id))
}

/// Returns a number that is written as one.
fn number(lowering: &Lowering<'_>, id: NodeId) -> Result<f64> {
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
