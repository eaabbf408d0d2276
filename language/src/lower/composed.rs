//! Lowers calls of operations that are composed of reductions.

use indim_core::ElementType;

use crate::lower::integers::{number, spread};
use crate::lower::keywords::Arguments;
use crate::lower::numpy;
use crate::lower::state::{Lowering, NodeValue};
use crate::report::diagnostic::{Diagnostic, Result};
use crate::syntax::composed::{Composed, Takes};
use crate::syntax::names;
use crate::syntax::parser::NodeId;

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
    let arguments = if lowering.numpy && composed.takes != Takes::DimensionsAndNumber {
        Arguments::of(lowering, composed.name, args, &["axis"])?
    } else {
        lowering.refuse_keywords(composed.name, args)?;
        Arguments::of(lowering, composed.name, args, &[])?
    };
    let (x, list, epsilon) = match (composed.takes, arguments.by_position) {
        (Takes::DimensionsAndNumber, &[x, ref list @ .., epsilon]) => (x, list, Some(epsilon)),
        (Takes::Dimensions | Takes::Dimension, &[x, ref list @ ..]) => (x, list, None),
        _ => return Err(wrong_count(lowering)),
    };
    let list = arguments.listed(lowering, list, "axis")?;
    if list.is_empty() {
        return Err(wrong_count(lowering));
    }
    let mut dimensions = spread(lowering, &list)?;
    if composed.takes == Takes::Dimension && dimensions.len() != 1 {
        return Err(wrong_count(lowering));
    }
    let epsilon = epsilon.map_or(Ok(0.0), |id| number(lowering, id))?;
    let mut operand = lowering.array(x, ElementType::F32)?;
    if lowering.numpy {
        numpy::dimensions(lowering, operand, &mut dimensions);
        if matches!(composed.name, "cumsum" | "cumprod") {
            operand = numpy::widened(lowering, id, operand)?;
        }
    }
    let made = (composed.build)(&mut lowering.builder, operand, &dimensions, epsilon);
    made.map(NodeValue::Op).map_err(lowering.at(id))
}
