//! Adds the operation of an instruction once more, to other operands.

use std::fmt;

use crate::graph::build;
use crate::graph::builder::{Builder, Op};
use crate::graph::computation::Instruction;
use crate::graph::function::body::SharedFunction;
#[cfg(feature = "functions")]
use crate::graph::function::wgsl::WgslFunction;
use crate::graph::operation::Operation;
use crate::semantics::dims::List;
use crate::semantics::error::Error;
use crate::semantics::infer::TensorType;

/// Why an operation could not be added.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The builder refused it.
    Rule(Error),
    /// It refers to something that is not there, which only stored data does.
    Data(String),
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule(error) => error.fmt(f),
            Self::Data(reason) => reason.fmt(f),
        }
    }
}

/// Adds the operation of an instruction on these operands. The builder checks every rule. Sizes and
/// element types that are given to an operation are those of the instruction.
pub(crate) fn again(
    builder: &mut Builder,
    instruction: &Instruction,
    functions: &[SharedFunction],
    operands: &[Op],
) -> Result<Op, Failure> {
    builder.request_precision(instruction.precision);
    let Instruction { ref operation, element_type, ref shape, .. } = *instruction;
    let made = match operation {
        Operation::Parameter(_) if operands.is_empty() => {
            Some(builder.parameter(element_type, shape))
        }
        Operation::Call { function, result, broadcast_dimensions } => {
            let call = (*function, *result, &**broadcast_dimensions);
            return again_call(builder, functions, call, operands);
        }
        _ => {
            let given = TensorType { element_type, shape };
            build::by_attributes(builder, operation, given, operands)
        }
    };
    let (op, count) = (operation.opcode().method(), operands.len());
    let made = made.ok_or_else(|| Failure::Data(format!("{op} does not take {count} operands")));
    made?.map_err(Failure::Rule)
}

/// Adds one result of a call of a function.
#[cfg(feature = "functions")]
fn again_call(
    builder: &mut Builder,
    functions: &[SharedFunction],
    (number, result, broadcast_dimensions): (usize, usize, &[List]),
    operands: &[Op],
) -> Result<Op, Failure> {
    let shared = functions.get(number).ok_or_else(|| {
        let count = functions.len();
        Failure::Data(format!("function {number} is called, and there are {count}"))
    })?;
    let function = WgslFunction { shared: shared.clone() };
    let dimensions: Vec<&[i64]> = broadcast_dimensions.iter().map(|list| &**list).collect();
    let operands: Vec<&Op> = operands.iter().collect();
    let results = build::call::infer(builder, &function, &operands, &dimensions);
    let inferred = results.map_err(Failure::Rule)?.into_iter().nth(result).ok_or_else(|| {
        let (name, count) = (function.name(), function.results().len());
        Failure::Data(format!(
            "result {result} of `{name}` is used, and it has {count}, counted from 0"
        ))
    })?;
    Ok(build::call::result(builder, &function, (result, inferred), &operands, &dimensions))
}

/// Returns the refusal of a function, which this build does not read.
#[cfg(not(feature = "functions"))]
fn again_call(
    _: &mut Builder,
    _: &[SharedFunction],
    (number, ..): (usize, usize, &[List]),
    _: &[Op],
) -> Result<Op, Failure> {
    let refusal = "is called, and functions are not compiled in";
    Err(Failure::Data(format!("function {number} {refusal}")))
}
