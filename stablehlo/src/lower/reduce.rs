//! `reduce`: by operations that the library reduces with, by regions that are one of them, and by
//! regions that find the largest or smallest value and its position.

use std::rc::Rc;

use indim_core::graph::operation::Operation as Instruction;
use indim_core::{Computation, ElementType, Op, Opcode, Scalar, Shape};

use crate::lower::attributes::list;
use crate::lower::elementwise::value;
use crate::lower::order::{self, Picks};
use crate::lower::reduce_types;
use crate::lower::results::finish_one;
use crate::lower::scalar;
use crate::lower::state::{Lowering, result_types};
use crate::lower::value::{Kind, Value, array_type};
use crate::report::problem::Finding;
use crate::syntax::attribute::Attribute;
use crate::syntax::cursor::Result;
use crate::syntax::module::{Operation, OperationId};

/// The regions that are implemented, for messages.
const IMPLEMENTED: &str = "implemented are add, multiply, maximum, minimum, and, or, xor of each input, \
     and the largest or smallest value with its position";

/// Checks a reduction, and lowers it or begins its region.
pub(crate) fn begin<'a>(
    l: &mut Lowering<'_, 'a>,
    id: OperationId,
    operation: &Operation<'a>,
    operands: &[Rc<Value<'a>>],
) -> Result<()> {
    let dimensions = reduce_types::check(l, operation, operands)?;
    for of in operands.iter().map(|operand| &operand.of).chain(result_types(operation)) {
        array_type(of).map_err(|message| Finding::unsupported(operation.place(), message))?;
    }
    let Some(named) = operation.attribute("applies") else {
        return scalar::begin(l, id, operation);
    };
    if operands.iter().any(|operand| operand.is_refused()) {
        l.refuse(operation);
        return Ok(());
    }
    let by = match named.value {
        Attribute::Word(name) => reduce_types::by(name),
        _ => None,
    };
    let Some(by) = by else {
        return Err(Finding::unsupported(operation.place(), IMPLEMENTED));
    };
    for index in 0..operands.len() / 2 {
        let of = result_types(operation)[index].tensor().and_then(|of| of.element_type());
        let pair = [&operands[index], &operands[operands.len() / 2 + index]];
        let result = monoid(l, operation, (by, of), pair, &dimensions)?;
        finish_one(l, operation, index, result);
    }
    Ok(())
}

/// Lowers a reduction by a region that was read.
pub(crate) fn end<'a>(
    l: &mut Lowering<'_, 'a>,
    operation: &Operation<'a>,
    region: &Computation,
) -> Result<Vec<Value<'a>>> {
    let operands = l.operands(operation)?;
    if operands.iter().any(|operand| operand.is_refused()) {
        let types = result_types(operation);
        return Ok(types.into_iter().map(|of| Value::refused(of.clone())).collect());
    }
    let dimensions = list(operation, &["dimensions"])?;
    let count = operands.len() / 2;
    let by: Option<Vec<Opcode>> = (0..count).map(|index| combines_by(region, index)).collect();
    if let Some(by) = by {
        let types: Vec<ElementType> = region.results().map(|(of, _)| of).collect();
        let reduced = by.into_iter().zip(types).enumerate().map(|(index, (by, of))| {
            let pair = [&operands[index], &operands[count + index]];
            monoid(l, operation, (by, Some(of)), pair, &dimensions)
        });
        return reduced.collect();
    }
    match (order::picks(region), count) {
        (Some(picks), 1) => {
            let by = if picks == Picks::Largest { Opcode::Max } else { Opcode::Min };
            let pair = [&operands[0], &operands[1]];
            Ok(vec![monoid(l, operation, (by, None), pair, &dimensions)?])
        }
        (Some(picks), _) => with_position(l, operation, region, picks, &operands, &dimensions),
        (None, _) => {
            let mut names: Vec<&str> = Vec::new();
            for instruction in region.instructions().iter() {
                let opcode = instruction.operation.opcode();
                if opcode != Opcode::Parameter && !names.contains(&opcode.method()) {
                    names.push(opcode.method());
                }
            }
            let message = if names.is_empty() {
                "reduction by a region that returns an argument is not implemented".to_owned()
            } else {
                format!("reduction by a region of {} is not implemented", names.join(", "))
            };
            Err(Finding::unsupported(operation.place(), message).help(IMPLEMENTED))
        }
    }
}

/// Returns the operation by which a region combines the values of one input, if it is one by which
/// the library reduces.
fn combines_by(region: &Computation, index: usize) -> Option<Opcode> {
    let count = region.roots().len();
    let instructions = region.instructions();
    let root = &instructions[region.roots()[index]];
    let Instruction::Binary { opcode, .. } = root.operation else { return None };
    let argument = |node: usize| match instructions[node].operation {
        Instruction::Parameter(number) => Some(number),
        _ => None,
    };
    let [first, second] = root.operands.as_slice() else { return None };
    let mut arguments = [argument(*first)?, argument(*second)?];
    arguments.sort_unstable();
    (arguments == [index, count + index] && reduction(opcode).is_some()).then_some(opcode)
}

/// Returns the library's reduction by an operation.
fn reduction(by: Opcode) -> Option<Opcode> {
    Some(match by {
        Opcode::Add => Opcode::ReduceSum,
        Opcode::Mul => Opcode::ReduceProd,
        Opcode::Max => Opcode::ReduceMax,
        Opcode::Min => Opcode::ReduceMin,
        Opcode::And => Opcode::ReduceAnd,
        Opcode::Or => Opcode::ReduceOr,
        Opcode::Xor => Opcode::ReduceXor,
        _ => return None,
    })
}

/// Reduces one input in an element type, and combines it with its initial value where that matters.
fn monoid<'a>(
    l: &mut Lowering<'_, 'a>,
    operation: &Operation<'a>,
    (by, of): (Opcode, Option<ElementType>),
    [input, init]: [&Rc<Value<'a>>; 2],
    dimensions: &[i64],
) -> Result<Value<'a>> {
    let Some(opcode) = reduction(by) else {
        return Err(Finding::unsupported(operation.place(), IMPLEMENTED));
    };
    let operand = l.op(operation, input)?;
    let operand = converted(l, operation, operand, of)?;
    let result = match init.kind {
        Kind::Splat(value)
            if order::is_identity(by, value)
                && is_scalar(init)
                && of.is_none_or(|of| of == value.element_type()) =>
        {
            l.build(operation, |b| b.reduce(opcode, operand, dimensions))?
        }
        _ => {
            let init = l.op(operation, init)?;
            let init = converted(l, operation, init, of)?;
            l.build(operation, |b| b.reduce_with_init(opcode, operand, init, dimensions))?
        }
    };
    value(l, operation, result)
}

fn is_scalar(value: &Value<'_>) -> bool {
    value.of.tensor().is_some_and(|of| of.sizes.is_empty())
}

/// Converts a value to an element type, where it has another one.
pub(crate) fn converted(
    l: &mut Lowering<'_, '_>,
    operation: &Operation<'_>,
    x: Op,
    to: Option<ElementType>,
) -> Result<Op> {
    l.build(operation, |b| match to {
        Some(to) if b.element_type(x)? != to => b.convert_element_type(x, to),
        _ => Ok(x),
    })
}

/// Lowers a reduction to the largest or smallest value and its position.
fn with_position<'a>(
    l: &mut Lowering<'_, 'a>,
    operation: &Operation<'a>,
    region: &Computation,
    picks: Picks,
    operands: &[Rc<Value<'a>>],
    dimensions: &[i64],
) -> Result<Vec<Value<'a>>> {
    let unsupported = |message: String| Finding::unsupported(operation.place(), message);
    let [values, positions, init, init_position] = operands else {
        return Err(unsupported(IMPLEMENTED.to_owned()));
    };
    let (_, shape) = array_type(&values.of).map_err(unsupported)?;
    let (position_type, _) = array_type(&positions.of).map_err(unsupported)?;
    let along = match dimensions {
        &[along] if positions.iota == Some(along) => along,
        _ => {
            let message = "positions must be an iota along the one reduced dimension";
            return Err(unsupported(message.to_owned()));
        }
    };
    let size = shape.dims()[along as usize];
    let largest = position_type.integer_range().map_or(0, |(_, most)| most);
    if size as i128 > largest {
        return Err(unsupported(format!("positions up to {size} do not fit {position_type}")));
    }
    let kept: Vec<usize> =
        (0..shape.rank()).filter(|&d| d as i64 != along).map(|d| shape.dims()[d]).collect();
    let kept = Shape::from(kept);
    let inits = [l.op(operation, init)?, l.op(operation, init_position)?];
    if size == 0 {
        let whole =
            inits.map(|op| l.build(operation, |b| b.broadcast_in_dim(op, &kept, [0_i64; 0])));
        return whole.into_iter().map(|op| value(l, operation, op?)).collect();
    }
    let x = l.op(operation, values)?;
    let is_wide = position_type == ElementType::S64;
    let (by, found) = match picks {
        Picks::Largest => {
            let found = l.build(operation, |b| {
                if is_wide { b.argmax_s64(x, [along]) } else { b.argmax(x, [along]) }
            });
            (Opcode::Max, found?)
        }
        Picks::Smallest => {
            let found = l.build(operation, |b| {
                if is_wide { b.argmin_s64(x, [along]) } else { b.argmin(x, [along]) }
            });
            (Opcode::Min, found?)
        }
    };
    let found = converted(l, operation, found, Some(position_type))?;
    let opcode = if by == Opcode::Max { Opcode::ReduceMax } else { Opcode::ReduceMin };
    let extreme = l.build(operation, |b| b.reduce(opcode, x, [along]))?;
    let is_zero = |value: &Value<'_>| matches!(value.kind, Kind::Splat(zero) if zero == Scalar::from_bits(position_type, 0));
    let is_identity = matches!(init.kind, Kind::Splat(value) if order::is_identity(by, value));
    let results = if is_identity && is_zero(init_position) {
        vec![extreme, found]
    } else {
        let operands = [inits[0], inits[1], extreme, found];
        scalar::apply(l, operation, region, &operands, &kept)?
    };
    results.into_iter().map(|op| value(l, operation, op)).collect()
}
