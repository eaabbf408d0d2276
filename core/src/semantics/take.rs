//! The rules of take and take_along_dimension. Indices out of range are clamped, by XLA's rule for
//! gather; nothing of these rules depends on the values of indices.

use crate::semantics::element::ElementType;
use crate::semantics::error::{Error, Result};
use crate::semantics::infer::{Inferred, TensorType, accept, expect_class, type_error};
use crate::semantics::opcode::{OpClass, Opcode};
use crate::semantics::shape::Shape;
use crate::semantics::type_error::TypeError;
use crate::semantics::view_error::ViewError;

/// Checks rules T1, G1, G3, G2 and C1.
pub(crate) fn take(
    op: Opcode,
    operand: TensorType<'_>,
    indices: TensorType<'_>,
    dimension: i64,
) -> Result<Inferred> {
    expect_class(op, "a take", op.class() == OpClass::Take)?;
    accept(op, "operand", operand.element_type)?;
    if indices.element_type.integer_range().is_none() {
        let integers = ElementType::ALL.iter().copied();
        let accepted = integers.filter(|other| other.integer_range().is_some()).collect();
        let (operand, found) = ("indices", indices.element_type);
        return Err(type_error(op, TypeError::NotAccepted { operand, found, accepted }));
    }
    let shape = taken(op, operand.shape, indices.shape, dimension);
    let shape = shape.map_err(Error::view(op.method()))?;
    Inferred::new(op, operand.element_type, shape)
}

/// Checks rules G1, G3 and G2, and returns the shape of the result.
fn taken(
    op: Opcode,
    operand: &Shape,
    indices: &Shape,
    dimension: i64,
) -> std::result::Result<Shape, ViewError> {
    let known = usize::try_from(dimension).ok().filter(|&known| known < operand.rank());
    let Some(along) = known else {
        return Err(ViewError::TakeOutOfBounds { dimension, operand: operand.clone() });
    };
    let dims = if op == Opcode::TakeAlongDimension {
        beside(operand, indices, along)?
    } else {
        let (before, after) = (&operand.dims()[..along], &operand.dims()[along + 1..]);
        [before, indices.dims(), after].concat()
    };
    if operand.dims()[along] == 0 && !dims.contains(&0) {
        let (operand, indices) = (operand.clone(), indices.clone());
        return Err(ViewError::TakeFromNone { dimension: along, operand, indices });
    }
    Ok(Shape::from(dims))
}

/// Checks rule G3, and returns the sizes of the result.
fn beside(
    operand: &Shape,
    indices: &Shape,
    dimension: usize,
) -> std::result::Result<Vec<usize>, ViewError> {
    let shapes = || (operand.clone(), indices.clone());
    if operand.rank() != indices.rank() {
        let (operand, indices) = shapes();
        return Err(ViewError::TakeAlongRank { operand, indices });
    }
    let size = |(d, (&size, &other))| match (size, other) {
        _ if d == dimension => Ok(other),
        (1, _) => Ok(other),
        (_, 1) => Ok(size),
        _ if size == other => Ok(size),
        _ => {
            let (operand, indices) = shapes();
            Err(ViewError::TakeAlongSize { operand, indices, differs: d, dimension })
        }
    };
    operand.dims().iter().zip(indices.dims()).enumerate().map(size).collect()
}
