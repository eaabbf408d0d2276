//! Calls of user-defined functions.

use crate::graph::build::node_graph::Graph;
use crate::graph::computation::Payload;
use crate::graph::function::wgsl::Function;
use crate::semantics::error::{Error, Result};
use crate::semantics::function_error::CallError;
use crate::semantics::infer::Inferred;
use crate::semantics::opcode::Opcode;

/// Adds a call of a function that has one result.
pub(crate) fn call<G: Graph>(
    g: &mut G,
    function: &Function,
    operands: &[&G::Value],
    broadcast_dimensions: &[&[i64]],
) -> Result<G::Value> {
    let results = infer(g, function, operands, broadcast_dimensions)?;
    let inferred = function.body().only_result(results)?;
    Ok(result(g, function, 0, inferred, operands))
}

/// Adds a call of a function with all its results.
pub(crate) fn call_all<G: Graph>(
    g: &mut G,
    function: &Function,
    operands: &[&G::Value],
    broadcast_dimensions: &[&[i64]],
) -> Result<Vec<G::Value>> {
    let results = infer(g, function, operands, broadcast_dimensions)?;
    Ok(all(g, function, results, operands))
}

/// Adds every result of a call that was inferred.
pub(crate) fn all<G: Graph>(
    g: &mut G,
    function: &Function,
    results: Vec<Inferred>,
    operands: &[&G::Value],
) -> Vec<G::Value> {
    let results = results.into_iter().enumerate();
    results.map(|(number, inferred)| result(g, function, number, inferred, operands)).collect()
}

/// Adds one result of a call that was inferred.
pub(crate) fn result<G: Graph>(
    g: &mut G,
    function: &Function,
    number: usize,
    inferred: Inferred,
    operands: &[&G::Value],
) -> G::Value {
    g.push(Opcode::Call, inferred, operands, Payload::Call(function.result(number)))
}

/// Infers the results of a call.
pub(crate) fn infer<G: Graph>(
    g: &G,
    function: &Function,
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
