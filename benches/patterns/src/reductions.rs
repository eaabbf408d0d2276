//! How the patterns that reduce are computed.

use indim::{AnyArray, Array, ElementType, Expr};

use crate::patterns::Pattern;

/// The number added to the variances of rows, as in the floors.
const EPSILON: f64 = 1e-5;

/// Records a pattern that reduces, and returns its result, or the first of several.
pub(crate) fn run(pattern: Pattern, operands: &[Array<f32>]) -> indim::Result<AnyArray> {
    let x = &operands[0];
    let done = |expr: Expr<f32>| Ok(expr.eval()?.as_any().clone());
    match pattern {
        Pattern::SumColumns => done(x.reduce_sum([0])),
        Pattern::SumAll => done(x.reduce_sum([0, 1]).reshape([1])),
        Pattern::SumMiddle => done(x.reduce_sum([1])),
        Pattern::MeanVar => {
            let (var, _) = indim::eval((&x.var([1]), &x.mean([1])))?;
            Ok(var.as_any().clone())
        }
        Pattern::Argmax => Ok(x.argmax([1]).eval()?.as_any().clone()),
        Pattern::Distance => done((x - &operands[1]).square().reduce_sum([1])),
        Pattern::Pairwise => done((x - &operands[1]).square().reduce_sum([2])),
        Pattern::Softmax | Pattern::SoftmaxShort | Pattern::SoftmaxLong => done(x.softmax([1])),
        Pattern::LayerNorm | Pattern::LayerNormShort | Pattern::LayerNormLong => {
            done(x.layer_norm([1], EPSILON))
        }
        _ => done(x.reduce_sum([1])),
    }
}

/// Returns the element type of a pattern's result.
pub(crate) fn result_type(pattern: Pattern, of: ElementType) -> ElementType {
    if pattern == Pattern::Argmax { ElementType::S32 } else { of }
}
