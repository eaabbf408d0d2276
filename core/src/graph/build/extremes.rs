//! Where the extremes of an array are, composed of reductions.

use crate::graph::build::node_graph::Graph;
use crate::graph::build::operations::{
    binary, broadcast_to, constant, iota, reduce_max, reduce_min, select, unary,
};
use crate::semantics::dims::Dims as _;
use crate::semantics::element::{ElementType, Scalar};
use crate::semantics::error::Result;
use crate::semantics::opcode::Opcode;
use crate::semantics::reduce;
use crate::semantics::shape::Shape;

/// Adds the position of the largest element (rules T1, R1, R2, R3).
pub fn argmax<G: Graph>(g: &mut G, operand: &G::Value, dimensions: &[i64]) -> Result<G::Value> {
    position(g, ("argmax", Opcode::ReduceMax), operand, dimensions)
}

/// Adds the position of the smallest element (rules T1, R1, R2, R3).
pub fn argmin<G: Graph>(g: &mut G, operand: &G::Value, dimensions: &[i64]) -> Result<G::Value> {
    position(g, ("argmin", Opcode::ReduceMin), operand, dimensions)
}

/// Adds the smallest position of an element that equals the extreme, or that is NaN: where one is, the
/// extreme is NaN and equals nothing.
fn position<G: Graph>(
    g: &mut G,
    (name, opcode): (&'static str, Opcode),
    operand: &G::Value,
    dimensions: &[i64],
) -> Result<G::Value> {
    let operand_type = g.operand(opcode, operand)?;
    let accepted: Vec<ElementType> = opcode.accepted().collect();
    reduce::check(name, &accepted, operand_type, dimensions)?;
    reduce::check_positions(name, operand_type.shape, dimensions)?;
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
    let positions = positions(g, &shape, dimensions)?;
    let none = constant(g, Scalar::new(i32::MAX));
    let among = select(g, &found, &positions, &none)?;
    reduce_min(g, &among, dimensions)
}

/// Adds the position of each element among those along some dimensions, in row-major order.
fn positions<G: Graph>(g: &mut G, shape: &Shape, dimensions: &[i64]) -> Result<G::Value> {
    let (mut sum, mut step) = (None, 1_i32);
    let sizes = shape.to_signed().into_owned();
    for d in (0..shape.rank()).rev().filter(|&d| dimensions.contains(&(d as i64))) {
        let index = iota(g, ElementType::S32, &sizes, d as i64)?;
        let factor = constant(g, Scalar::new(step));
        let along = binary(g, Opcode::Mul, &index, &factor, &[])?;
        sum = Some(match sum {
            None => along,
            Some(sum) => binary(g, Opcode::Add, &along, &sum, &[])?,
        });
        // The product of all sizes was checked.
        step = step.wrapping_mul(sizes[d] as i32);
    }
    match sum {
        Some(sum) => Ok(sum),
        None => {
            let zero = constant(g, Scalar::new(0_i32));
            broadcast_to(g, &zero, shape, &[])
        }
    }
}
