//! Calls of user-defined functions.

use crate::graph::build::node_graph::{FunctionCall, Graph};
use crate::graph::function::wgsl::WgslFunction;
use crate::semantics::error::{Error, Result};
use crate::semantics::function_error::CallError;
use crate::semantics::infer::Inferred;
use crate::semantics::opcode::Opcode;

/// Adds a call of a function that has one result.
pub(crate) fn call<G: Graph>(
    g: &mut G,
    function: &WgslFunction,
    operands: &[&G::Value],
    broadcast_dimensions: &[&[i64]],
) -> Result<G::Value> {
    let results = infer(g, function, operands, broadcast_dimensions)?;
    let inferred = function.body().only_result(results)?;
    Ok(result(g, function, (0, inferred), operands, broadcast_dimensions))
}

/// Adds a call of a function with all its results.
pub fn call_all<G: Graph>(
    g: &mut G,
    function: &WgslFunction,
    operands: &[&G::Value],
    broadcast_dimensions: &[&[i64]],
) -> Result<Vec<G::Value>> {
    let results = infer(g, function, operands, broadcast_dimensions)?;
    Ok(all(g, function, results, operands, broadcast_dimensions))
}

/// Adds every result of a call that was inferred.
pub fn all<G: Graph>(
    g: &mut G,
    function: &WgslFunction,
    results: Vec<Inferred>,
    operands: &[&G::Value],
    broadcast_dimensions: &[&[i64]],
) -> Vec<G::Value> {
    let results = results.into_iter().enumerate();
    results.map(|each| result(g, function, each, operands, broadcast_dimensions)).collect()
}

/// Adds the result of this number of a call that was inferred.
pub fn result<G: Graph>(
    g: &mut G,
    function: &WgslFunction,
    (result, inferred): (usize, Inferred),
    operands: &[&G::Value],
    broadcast_dimensions: &[&[i64]],
) -> G::Value {
    let broadcast_dimensions = broadcast_dimensions.iter().map(|&list| list.into()).collect();
    let call = FunctionCall { function: function.shared.clone(), result, broadcast_dimensions };
    g.push_call(call, inferred, operands)
}

/// Infers the results of a call.
pub(crate) fn infer<G: Graph>(
    g: &G,
    function: &WgslFunction,
    operands: &[&G::Value],
    broadcast_dimensions: &[&[i64]],
) -> Result<Vec<Inferred>> {
    let body = function.body();
    // With too few operands, the lists are too few as well.
    body.check_count(operands.len())?;
    if broadcast_dimensions.len() != operands.len() {
        let (wanted, given) = (operands.len(), broadcast_dimensions.len());
        let source = Box::new(CallError::DimensionsCount { wanted, given });
        return Err(Error::Call { function: body.name.clone(), source });
    }
    let types = operands.iter().map(|&operand| g.operand(Opcode::Call, operand));
    let types = types.collect::<Result<Vec<_>>>()?;
    let dimensions = broadcast_dimensions.iter().copied();
    body.infer(&types.into_iter().zip(dimensions).collect::<Vec<_>>(), false)
}
