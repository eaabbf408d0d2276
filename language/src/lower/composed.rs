//! Lowers calls of operations that are composed of reductions, and of NumPy's reductions.

use indim_core::graph::build;
use indim_core::numpy::{Axis, NumpyReduction};
use indim_core::{ElementType, ScalarValue};

use crate::lower::integers::spread;
use crate::lower::state::{Lowering, NodeValue};
use crate::report::diagnostic::{Diagnostic, Result};
use crate::syntax::composed::{Composed, Takes};
use crate::syntax::names;
use crate::syntax::parser::{Kind, NodeId};

/// Lowers `mean(x, [0, 1])`, or `mean(x, 0, 1)`; with a number, `layer_norm(x, [1], 1e-5)`; of one
/// dimension, `cumsum(x, 1)`.
pub(crate) fn call(
    lowering: &mut Lowering<'_>,
    id: NodeId,
    args: &[NodeId],
    composed: &Composed,
) -> Result<NodeValue> {
    let wrong_count = |lowering: &Lowering<'_>| {
        let span = lowering.node(id).span.clone();
        let more = match composed.takes {
            Takes::Dimensions => " and dimensions",
            Takes::DimensionsAndNumber => ", its dimensions and a number",
            Takes::Dimension => " and one of its dimensions",
        };
        Diagnostic::at(span, format!("{} takes an operand{more}", composed.name))
            .help(format!("as in {}", names::usage(composed.name)))
    };
    let (x, list, epsilon) = match (composed.takes, args) {
        (Takes::DimensionsAndNumber, &[x, ref list @ .., epsilon]) if !list.is_empty() => {
            (x, list, number(lowering, epsilon)?)
        }
        (Takes::Dimensions | Takes::Dimension, &[x, ref list @ ..]) if !list.is_empty() => {
            (x, list, 0.0)
        }
        _ => return Err(wrong_count(lowering)),
    };
    let list = spread(lowering, list)?;
    if composed.takes == Takes::Dimension && list.len() != 1 {
        return Err(wrong_count(lowering));
    }
    let operand = lowering.array(x, ElementType::F32)?;
    let made = (composed.build)(&mut lowering.builder, operand, &list, epsilon);
    made.map(NodeValue::Op).map_err(lowering.at(id))
}

/// Returns the reduction of this name by NumPy's rules, if `--numpy` is given. `max(x, y)` is the
/// larger one of two.
pub(crate) fn of_numpy(
    lowering: &Lowering<'_>,
    name: &str,
    args: &[NodeId],
) -> Option<NumpyReduction> {
    let is_pair = matches!(name, "max" | "min") && args.len() > 1;
    NumpyReduction::of_name(name).filter(|_| lowering.numpy && !is_pair)
}

/// Lowers `sum(x)`, `sum(x, -1)` or `sum(x, [0, 1])` by NumPy's rules.
pub(crate) fn numpy_call(
    lowering: &mut Lowering<'_>,
    id: NodeId,
    args: &[NodeId],
    reduction: NumpyReduction,
) -> Result<NodeValue> {
    let [x, ref list @ ..] = *args else {
        let span = lowering.node(id).span.clone();
        let name = reduction.name();
        return Err(Diagnostic::at(
            span,
            format!("{name} takes an operand, and the axes to reduce"),
        )
        .help(format!("as in {name}(x), {name}(x, -1) or {name}(x, [0, 1])")));
    };
    let axis = match list {
        [] => Axis::default(),
        list => Axis::from(&spread(lowering, list)?[..]),
    };
    let operand = lowering.array(x, ElementType::F32)?;
    let made = build::reduce_as_numpy(&mut lowering.builder, reduction, &operand, &axis);
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
