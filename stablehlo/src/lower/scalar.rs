//! Computations on scalars, which regions are read as, and how they are applied to arrays.

use indim_core::graph::operation::Operation as Instruction;
use indim_core::{Builder, Computation, Op, Shape};

use crate::lower::rules;
use crate::lower::state::{Frame, Lowering};
use crate::lower::value::{Value, array_type};
use crate::report::problem::Finding;
use crate::syntax::cursor::Result;
use crate::syntax::module::{Operation, OperationId};

/// Begins the region of an operation, in a builder of its own, whose parameters its arguments are.
pub(crate) fn begin<'a>(
    l: &mut Lowering<'_, 'a>,
    id: OperationId,
    operation: &Operation<'a>,
) -> Result<()> {
    let &[region] = operation.regions.as_slice() else {
        let count = operation.regions.len();
        let message = format!("the operation has one region, but {count} are given");
        return Err(Finding::syntax(operation.span.clone(), message).of(operation.name));
    };
    let body = &l.source.regions[region];
    let mut values = vec![None; body.values];
    let mut builder = Builder::new();
    for ((_, of), value) in body.arguments.iter().zip(&mut values) {
        let unsupported = |message| Finding::unsupported(operation.place(), message);
        let (element_type, shape) = array_type(of).map_err(unsupported)?;
        let op = builder.parameter(element_type, &shape);
        let op = op.map_err(|error| rules::finding(operation, &error))?;
        *value = Some(std::rc::Rc::new(Value::new(of.clone(), op)));
    }
    l.builders.push(builder);
    let (for_operation, is_scalar) = (Some(id), true);
    l.frames.push(Frame { region, next: 0, values, function: None, for_operation, is_scalar });
    Ok(())
}

/// Applies a computation on scalars to arrays of this shape, or scalars, given for its parameters.
/// Returns its results, of this shape.
pub(crate) fn apply(
    l: &mut Lowering<'_, '_>,
    operation: &Operation<'_>,
    computation: &Computation,
    operands: &[Op],
    shape: &Shape,
) -> Result<Vec<Op>> {
    let mut values: Vec<Op> = Vec::new();
    for instruction in computation.instructions().iter() {
        let of: Vec<Op> = instruction.operands.iter().map(|&node| values[node]).collect();
        let to = instruction.element_type;
        let built = |b: &mut Builder| match (&instruction.operation, of.as_slice()) {
            (Instruction::Parameter(number), []) => Ok(operands.get(*number).copied()),
            (Instruction::Constant(value), []) => b.constant(*value).map(Some),
            (Instruction::Binary { opcode, .. }, &[lhs, rhs]) => {
                b.binary(*opcode, lhs, rhs, [0_i64; 0]).map(Some)
            }
            (Instruction::Elementwise(opcode), &[x]) => b.unary(*opcode, x).map(Some),
            (Instruction::Elementwise(_), &[from, to]) => b.next_after(from, to).map(Some),
            (Instruction::Elementwise(opcode), &[x, y, z]) => match opcode {
                indim_core::Opcode::Clamp => b.clamp(x, y, z).map(Some),
                _ => b.select(x, y, z).map(Some),
            },
            (Instruction::ReducePrecision { exponent_bits, mantissa_bits }, &[x]) => {
                b.reduce_precision(x, *exponent_bits, *mantissa_bits).map(Some)
            }
            (Instruction::ConvertElementType, &[x]) => b.convert_element_type(x, to).map(Some),
            (Instruction::BitcastConvertType, &[x]) if instruction.shape.rank() == 0 => {
                b.bitcast_convert_type(x, to).map(Some)
            }
            _ => Ok(None),
        };
        let value = built(l.builder()).map_err(|error| rules::finding(operation, &error))?;
        values.push(value.ok_or_else(|| {
            let name = instruction.operation.opcode().method();
            let message = format!("a region with {name} is not implemented, only scalars are");
            Finding::unsupported(operation.place(), message)
        })?);
    }
    let whole = |&root: &usize| {
        l.build(operation, |b| match b.shape(values[root])?.rank() {
            0 if shape.rank() > 0 => b.broadcast_in_dim(values[root], shape, [0_i64; 0]),
            _ => Ok(values[root]),
        })
    };
    computation.roots().iter().map(whole).collect()
}
