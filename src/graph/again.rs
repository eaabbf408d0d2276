//! Adds the operation of an instruction once more, to other operands.

use std::fmt;

use crate::graph::build;
use crate::graph::builder::{Builder, Op};
use crate::graph::computation::Instruction;
use crate::graph::function::body::SharedFunction;
#[cfg(feature = "functions")]
use crate::graph::function::wgsl::Function;
use crate::graph::operation::{List, Operation};
use crate::semantics::error::Error;
use crate::semantics::shape::Shape;

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
    let b = builder;
    b.request_precision(instruction.precision);
    let Instruction { operation, element_type, shape, .. } = instruction;
    let made = match (operation, operands) {
        (Operation::Parameter(_), []) => b.parameter(*element_type, shape),
        (Operation::Constant(value), []) => b.constant(*value),
        (Operation::Iota { dimension }, []) => b.iota(*element_type, signed(shape), *dimension),
        (Operation::Binary { opcode, broadcast_dimensions }, &[lhs, rhs]) => {
            build::binary(b, *opcode, &lhs, &rhs, broadcast_dimensions)
        }
        (Operation::Elementwise(opcode), _) => {
            build::elementwise(b, *opcode, &operands.iter().collect::<Vec<_>>())
        }
        (Operation::ReducePrecision { exponent_bits, mantissa_bits }, &[x]) => {
            b.reduce_precision(x, *exponent_bits, *mantissa_bits)
        }
        (Operation::ConvertElementType, &[x]) => b.convert_element_type(x, *element_type),
        (Operation::BitcastConvertType, &[x]) => b.bitcast_convert_type(x, *element_type),
        (Operation::BroadcastInDim { broadcast_dimensions }, [x]) => {
            build::broadcast_to(b, x, shape, broadcast_dimensions)
        }
        (Operation::Broadcast, [x]) => {
            let old = b.shape(*x).map_or(0, Shape::rank);
            build::broadcast(b, x, &signed(shape)[..shape.rank().saturating_sub(old)])
        }
        (Operation::Transpose { permutation }, [x]) => build::transpose(b, x, permutation),
        (Operation::Slice { start_indices, limit_indices, strides }, [x]) => {
            build::slice(b, x, start_indices, limit_indices, strides)
        }
        (Operation::Reverse { dimensions }, [x]) => build::reverse(b, x, dimensions),
        (Operation::Reshape, [x]) => build::reshape(b, x, &signed(shape)),
        (Operation::Pad { low, high, interior }, [x, value]) => {
            build::pad(b, x, value, low, high, interior)
        }
        (Operation::Concatenate { dimension }, _) => b.concatenate(operands, *dimension),
        (Operation::Roll { shifts, dimensions }, [x]) => build::roll(b, x, shifts, dimensions),
        (Operation::Call { function, result, broadcast_dimensions }, _) => {
            let call = (*function, *result, &**broadcast_dimensions);
            return again_call(b, functions, call, operands);
        }
        _ => {
            let (op, count) = (operation.opcode().method(), operands.len());
            return Err(Failure::Data(format!("{op} does not take {count} operands")));
        }
    };
    made.map_err(Failure::Rule)
}

/// Returns the sizes of a result as they were given to its operation, in signed numbers.
fn signed(shape: &Shape) -> Vec<i64> {
    shape.dims().iter().map(|&size| i64::try_from(size).unwrap_or(i64::MAX)).collect()
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
    let function = Function { shared: shared.clone() };
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
