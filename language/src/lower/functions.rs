//! Lowers calls of user-defined functions.

use indim_core::WgslFunction;

use crate::lower::state::{Lowering, NodeValue};
use crate::report::diagnostic::Result;
use crate::syntax::parser::NodeId;

/// Lowers a call. Operands of lower rank carry `in_dim`, or are aligned by NumPy's rule.
pub(crate) fn call(
    lowering: &mut Lowering<'_>,
    id: NodeId,
    args: &[NodeId],
    function: &WgslFunction,
) -> Result<NodeValue> {
    let at = lowering.at(id);
    let parameters: Vec<_> = function.parameters().map(|(_, element_type)| element_type).collect();
    let mut operands = Vec::with_capacity(args.len());
    let mut dimensions = Vec::with_capacity(args.len());
    for (number, &arg) in args.iter().enumerate() {
        // The library reports an excess of operands.
        let number_type = parameters.get(number).copied().unwrap_or(indim_core::ElementType::F32);
        let (operand, given) = lowering.operand(arg, number_type)?;
        operands.push(operand);
        dimensions.push(given);
    }
    let mut ranks = Vec::with_capacity(operands.len());
    for &operand in &operands {
        ranks.push(lowering.builder.shape(operand).map_err(&at)?.rank());
    }
    let rank = ranks.iter().copied().max().unwrap_or(0);
    let dimensions: Vec<Vec<i64>> = ranks
        .iter()
        .zip(dimensions)
        .map(|(&own, given)| match given {
            Some(given) => given,
            None if lowering.numpy && own > 0 && own < rank => {
                indim_core::numpy::broadcast_dimensions(own, rank)
            }
            None => Vec::new(),
        })
        .collect();
    let dimensions: Vec<&[i64]> = dimensions.iter().map(Vec::as_slice).collect();
    let made = lowering.builder.call(function, &operands, &dimensions);
    made.map(NodeValue::Op).map_err(|error| {
        let help = lowering.call_help(&error, function, args);
        match help {
            Some(help) => at(error).help(help),
            None => at(error),
        }
    })
}
