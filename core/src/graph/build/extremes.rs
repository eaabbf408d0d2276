//! Where the extremes of an array are, composed of reductions.

use crate::graph::build::node_graph::Graph;
use crate::graph::build::operations::{
    binary, broadcast_to, constant, convert, iota, reduce_max, reduce_min, select, unary,
};
use crate::semantics::dims::Dims as _;
use crate::semantics::element::{ElementType, Scalar};
use crate::semantics::error::Result;
use crate::semantics::opcode::Opcode;
use crate::semantics::reduce;
use crate::semantics::shape::Shape;

/// Adds the position of the largest element (rules T1, R1, R2, R3).
pub fn argmax<G: Graph>(g: &mut G, operand: &G::Value, dimensions: &[i64]) -> Result<G::Value> {
    position(g, ("argmax", Opcode::ReduceMax, ElementType::S32), operand, dimensions)
}

/// Adds the position of the smallest element (rules T1, R1, R2, R3).
pub fn argmin<G: Graph>(g: &mut G, operand: &G::Value, dimensions: &[i64]) -> Result<G::Value> {
    position(g, ("argmin", Opcode::ReduceMin, ElementType::S32), operand, dimensions)
}

/// Version of [`argmax`] in S64.
pub fn argmax_s64<G: Graph>(g: &mut G, operand: &G::Value, dimensions: &[i64]) -> Result<G::Value> {
    position(g, ("argmax_s64", Opcode::ReduceMax, ElementType::S64), operand, dimensions)
}

/// Version of [`argmin`] in S64.
pub fn argmin_s64<G: Graph>(g: &mut G, operand: &G::Value, dimensions: &[i64]) -> Result<G::Value> {
    position(g, ("argmin_s64", Opcode::ReduceMin, ElementType::S64), operand, dimensions)
}

/// Adds the smallest position of an element that equals the extreme, or that is NaN: where one is, the
/// extreme is NaN and equals nothing. Positions are found in S32 where they fit.
fn position<G: Graph>(
    g: &mut G,
    (name, opcode, index_type): (&'static str, Opcode, ElementType),
    operand: &G::Value,
    dimensions: &[i64],
) -> Result<G::Value> {
    let operand_type = g.operand(opcode, operand)?;
    let accepted: Vec<ElementType> = opcode.accepted().collect();
    reduce::check(name, &accepted, operand_type, dimensions)?;
    let most = if index_type == ElementType::S32 { i64::from(i32::MAX) } else { i64::MAX };
    let count = reduce::check_positions(name, operand_type.shape, dimensions, most)?;
    let (element_type, shape) = (operand_type.element_type, operand_type.shape.clone());
    let extreme = match opcode {
        Opcode::ReduceMax => reduce_max(g, operand, dimensions)?,
        _ => reduce_min(g, operand, dimensions)?,
    };
    let kept: Vec<i64> =
        (0..shape.rank() as i64).filter(|dimension| !dimensions.contains(dimension)).collect();
    let mut found = binary(g, Opcode::Eq, operand, &extreme, &kept)?;
    if Opcode::IsNan.accepts(element_type) {
        let is_nan = unary(g, Opcode::IsNan, operand)?;
        found = binary(g, Opcode::Or, &found, &is_nan, &[])?;
    }
    let scalar = match i32::try_from(count) {
        Ok(_) => |position: i64| Scalar::new(i32::try_from(position).unwrap_or(i32::MAX)),
        Err(_) => |position: i64| Scalar::new(position),
    };
    let positions = positions(g, &shape, dimensions, scalar)?;
    let none = constant(g, scalar(i64::MAX));
    let among = select(g, &found, &positions, &none)?;
    let position = reduce_min(g, &among, dimensions)?;
    convert(g, Opcode::ConvertElementType, &position, index_type)
}

/// Adds the position of each element among those along some dimensions, in row-major order, as numbers
/// that `scalar` makes.
fn positions<G: Graph>(
    g: &mut G,
    shape: &Shape,
    dimensions: &[i64],
    scalar: fn(i64) -> Scalar,
) -> Result<G::Value> {
    let (mut sum, mut step) = (None, 1_i64);
    let sizes = shape.to_signed().into_owned();
    for d in (0..shape.rank()).rev().filter(|&d| dimensions.contains(&(d as i64))) {
        let index = iota(g, scalar(0).element_type(), &sizes, d as i64)?;
        let factor = constant(g, scalar(step));
        let along = binary(g, Opcode::Mul, &index, &factor, &[])?;
        sum = Some(match sum {
            None => along,
            Some(sum) => binary(g, Opcode::Add, &along, &sum, &[])?,
        });
        // The product of all sizes was checked.
        step = step.wrapping_mul(sizes[d]);
    }
    match sum {
        Some(sum) => Ok(sum),
        None => {
            let zero = constant(g, scalar(0));
            broadcast_to(g, &zero, shape, &[])
        }
    }
}
