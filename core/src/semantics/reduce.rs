//! Reductions: their rules, and what they combine elements with.

use crate::semantics::data_movement::entry_of;
use crate::semantics::element::{ElementType, Scalar};
use crate::semantics::error::{Error, Result};
use crate::semantics::infer::{Inferred, TensorType, accept, expect_class};
use crate::semantics::opcode::{OpClass, Opcode};
use crate::semantics::rule::Rule;
use crate::semantics::shape::Shape;
use crate::semantics::type_error::TypeError;
use crate::semantics::view_error::ViewError;

/// Checks rules T1, R1, R2 and C1. The result has the other dimensions, in order.
pub(crate) fn reduce(op: Opcode, operand: TensorType<'_>, dimensions: &[i64]) -> Result<Inferred> {
    expect_class(op, "a reduction", op.class() == OpClass::Reduce)?;
    accept(op, "operand", operand.element_type)?;
    let kept = kept(operand.shape, dimensions).map_err(Error::view(op.method()))?;
    // A size of 0 may be among the reduced ones.
    Inferred::new(op, operand.element_type, Shape::from(kept))
}

/// Checks rules T1, R1 and R2 for an operation that is composed of reductions.
pub(crate) fn check(
    name: &'static str,
    accepted: &[ElementType],
    operand: TensorType<'_>,
    dimensions: &[i64],
) -> Result<()> {
    let found = operand.element_type;
    if !accepted.contains(&found) {
        let (operand, accepted) = ("operand", accepted.to_vec());
        let source = TypeError::NotAccepted { operand, found, accepted };
        return Err(Error::Type { op: name, source });
    }
    kept(operand.shape, dimensions).map(drop).map_err(Error::view(name))
}

/// Checks rule R3 on dimensions that were checked, and returns the number of elements that become one:
/// 1 to `most`.
pub(crate) fn check_positions(
    name: &'static str,
    operand: &Shape,
    dimensions: &[i64],
    most: i64,
) -> Result<i64> {
    let sizes = dimensions.iter().map(|&d| operand.dims()[d as usize] as u64);
    let count = sizes.fold(1, u64::saturating_mul);
    if let Some(count @ 1..) = i64::try_from(count).ok().filter(|&count| count <= most) {
        return Ok(count);
    }
    let (operand, dimensions) = (operand.clone(), dimensions.to_vec());
    Err(Error::view(name)(ViewError::Positions { operand, dimensions, count }))
}

/// Checks rules R1 and R2, and returns the sizes of the dimensions that are not reduced.
fn kept(operand: &Shape, dimensions: &[i64]) -> std::result::Result<Vec<usize>, ViewError> {
    let mut kept: Vec<Option<usize>> = operand.dims().iter().copied().map(Some).collect();
    let mut repeats = None;
    for (index, &dimension) in dimensions.iter().enumerate() {
        let dimension = entry_of(("dimensions", Rule::R1), (index, dimension), operand)?;
        if kept[dimension].take().is_none() {
            repeats = repeats.or(Some(index));
        }
    }
    match repeats {
        Some(index) => {
            let (given, operand) = (dimensions.to_vec(), operand.clone());
            Err(ViewError::ReduceRepeats { index, given, operand })
        }
        None => Ok(kept.into_iter().flatten().collect()),
    }
}

/// Returns the binary operation by which a reduction combines elements.
pub fn combines_by(op: Opcode) -> Option<Opcode> {
    Some(match op {
        Opcode::ReduceSum => Opcode::Add,
        Opcode::ReduceProd => Opcode::Mul,
        Opcode::ReduceMax => Opcode::Max,
        Opcode::ReduceMin => Opcode::Min,
        Opcode::ReduceAnd => Opcode::And,
        Opcode::ReduceOr => Opcode::Or,
        Opcode::ReduceXor => Opcode::Xor,
        _ => return None,
    })
}

/// Returns the value that changes nothing that it is combined with by one of these operations: what
/// a reduction gives of no elements.
pub fn identity(by: Opcode, element_type: ElementType) -> Scalar {
    let zero = Scalar::from_bits(element_type, 0);
    let all = Scalar::from_bits(element_type, u64::MAX >> (64 - element_type.bits()));
    let value = match (by, element_type.integer_range()) {
        (Opcode::Mul, _) => Scalar::from_i128(element_type, 1),
        (Opcode::And | Opcode::Min, None) if element_type == ElementType::Pred => {
            Scalar::from_i128(element_type, 1)
        }
        (Opcode::Max, Some((least, _))) => Scalar::from_i128(element_type, least),
        (Opcode::Min, Some((_, most))) => Scalar::from_i128(element_type, most),
        (Opcode::And, _) => Some(all),
        (Opcode::Max, None) if element_type != ElementType::Pred => {
            Scalar::from_f64(element_type, f64::NEG_INFINITY)
        }
        (Opcode::Min, None) => Scalar::from_f64(element_type, f64::INFINITY),
        _ => None,
    };
    value.unwrap_or(zero)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identities_are_the_ends_of_each_type() {
        let bits = |by, of| identity(by, of).bits();
        assert_eq!(bits(Opcode::Max, ElementType::S8), 0x80);
        assert_eq!(bits(Opcode::Min, ElementType::S8), 0x7f);
        assert_eq!(bits(Opcode::Min, ElementType::U64), u64::MAX);
        assert_eq!(bits(Opcode::And, ElementType::S4), 0xf);
        assert_eq!(bits(Opcode::And, ElementType::Pred), 1);
        assert_eq!(bits(Opcode::Max, ElementType::F32), u64::from((-f32::INFINITY).to_bits()));
        assert_eq!(bits(Opcode::Min, ElementType::F16), 0x7c00);
        assert_eq!(bits(Opcode::Mul, ElementType::Bf16), 0x3f80);
        assert_eq!(bits(Opcode::Mul, ElementType::C64), u64::from(1f32.to_bits()));
    }
}
