//! `map`: a region on scalars, applied to arrays.

use std::rc::Rc;

use indim_core::Computation;

use crate::lower::attributes::list;
use crate::lower::elementwise::value;
use crate::lower::scalar;
use crate::lower::state::Lowering;
use crate::lower::value::{Value, array_type};
use crate::report::problem::Finding;
use crate::syntax::cursor::Result;
use crate::syntax::module::{Operation, OperationId};

/// Checks a map, and begins its region.
pub(crate) fn begin<'a>(
    l: &mut Lowering<'_, 'a>,
    id: OperationId,
    operation: &Operation<'a>,
    operands: &[Rc<Value<'a>>],
) -> Result<()> {
    let rule =
        |constraint, message: String| Err(Finding::rule(operation.place(), constraint, message));
    let Some(first) = operands.first().and_then(|operand| operand.of.tensor()) else {
        return rule("C2", "the operation has no operand".to_owned());
    };
    for operand in operands {
        if operand.of.tensor().is_none_or(|of| of.sizes != first.sizes) {
            return rule("C1", format!("operands are {} and {first}", operand.of));
        }
    }
    let rank = first.sizes.len();
    let dimensions = list(operation, &["dimensions"])?;
    if !dimensions.iter().copied().eq((0..rank).map(|d| d as i64)) {
        return rule("C3", format!("dimensions are {dimensions:?}, not all {rank} in order"));
    }
    if let &[region] = operation.regions.as_slice() {
        let arguments = &l.source.regions[region].arguments;
        let fits =
            |(operand, (_, of)): (&Rc<Value<'_>>, &(&str, crate::syntax::types::Type<'_>))| {
                let (Some(operand), Some(of)) = (operand.of.tensor(), of.tensor()) else {
                    return false;
                };
                of.sizes.is_empty() && of.element == operand.element
            };
        if arguments.len() != operands.len() || !operands.iter().zip(arguments).all(fits) {
            let message = "the region takes one scalar of each operand's element type";
            return rule("C4", message.to_owned());
        }
    }
    scalar::begin(l, id, operation)
}

/// Applies the region.
pub(crate) fn end<'a>(
    l: &mut Lowering<'_, 'a>,
    operation: &Operation<'a>,
    computation: &Computation,
) -> Result<Vec<Value<'a>>> {
    let operands = l.operands(operation)?;
    let unsupported = |message| Finding::unsupported(operation.place(), message);
    let Some(first) = operands.first() else {
        return Err(unsupported("the operation has no operand".to_owned()));
    };
    if computation.roots().len() != 1 {
        let message = format!("the region has {} results, not one", computation.roots().len());
        return Err(Finding::rule(operation.place(), "C4", message));
    }
    let (_, shape) = array_type(&first.of).map_err(unsupported)?;
    let ops = l.ops(operation, &operands)?;
    let results = scalar::apply(l, operation, computation, &ops, &shape)?;
    results.into_iter().map(|op| value(l, operation, op)).collect()
}
