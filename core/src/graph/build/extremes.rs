//! Where the extremes of an array are, composed of reductions.

use crate::graph::build::node_graph::Graph;
use crate::graph::build::operations::{
    binary, broadcast_to, constant, convert, in_type, iota, reduce_max, reduce_min, select, unary,
};
use crate::semantics::dims::Dims as _;
use crate::semantics::element::{ElementType, Form, Scalar};
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

/// Adds the smallest position of the extreme. Elements of up to 32 bits are read once: what is reduced
/// is an integer of 64 bits, of a key that is the smaller the nearer the element is to the extreme,
/// and the position, found in S32, below it.
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
    let is_narrow = i32::try_from(count).is_ok();
    let scalar =
        if is_narrow { |position| Scalar::new(position as i32) } else { Scalar::new::<i64> };
    let positions = positions(g, &shape, dimensions, scalar)?;
    let position = if is_narrow && element_type.bits() <= 32 {
        let key = key(g, opcode, operand, element_type)?;
        let [key, positions] = [key, positions].map(|x| in_type(g, &x, ElementType::S64));
        let by = constant(g, Scalar::new(32_i64));
        let key = binary(g, Opcode::ShiftLeft, &key?, &by, &[])?;
        let both = binary(g, Opcode::Or, &key, &positions?, &[])?;
        let least = reduce_min(g, &both, dimensions)?;
        in_type(g, &least, ElementType::S32)?
    } else {
        let found = equal_to_extreme(g, opcode, operand, (element_type, &shape), dimensions)?;
        let none = constant(g, scalar(if is_narrow { i64::from(i32::MAX) } else { i64::MAX }));
        let among = select(g, &found, &positions, &none)?;
        reduce_min(g, &among, dimensions)?
    };
    in_type(g, &position, index_type)
}

/// Adds an S32 of each element of up to 32 bits: the smaller, the nearer the element is to the extreme;
/// the smallest of all for NaN. Zeros of both signs have the same.
fn key<G: Graph>(
    g: &mut G,
    opcode: Opcode,
    operand: &G::Value,
    element_type: ElementType,
) -> Result<G::Value> {
    let mut nan = None;
    let ascending = match element_type.form() {
        Form::F32 => {
            let x = in_type(g, operand, ElementType::F32)?;
            nan = Some(unary(g, Opcode::IsNan, &x)?);
            // Bits of negative floats descend, and end with those of -0 at -1.
            let bits = convert(g, Opcode::BitcastConvertType, &x, ElementType::S32)?;
            let [zero, last, rest] = [0, -1, i32::MAX].map(|n| constant(g, Scalar::new(n)));
            let is_negative = binary(g, Opcode::Lt, &bits, &zero, &[])?;
            let ascending = binary(g, Opcode::Xor, &bits, &rest, &[])?;
            let key = select(g, &is_negative, &ascending, &bits)?;
            let is_zero = binary(g, Opcode::Eq, &key, &last, &[])?;
            select(g, &is_zero, &zero, &key)?
        }
        Form::U32 if element_type == ElementType::U32 => {
            let bits = convert(g, Opcode::BitcastConvertType, operand, ElementType::S32)?;
            let sign = constant(g, Scalar::new(i32::MIN));
            binary(g, Opcode::Xor, &bits, &sign, &[])?
        }
        _ => in_type(g, operand, ElementType::S32)?,
    };
    let key = match opcode {
        Opcode::ReduceMax => unary(g, Opcode::Not, &ascending)?,
        _ => ascending,
    };
    let Some(nan) = nan else { return Ok(key) };
    let first = constant(g, Scalar::new(i32::MIN));
    select(g, &nan, &first, &key)
}

/// Adds whether an element equals the extreme or is NaN: where one is, the extreme is NaN and equals
/// nothing.
fn equal_to_extreme<G: Graph>(
    g: &mut G,
    opcode: Opcode,
    operand: &G::Value,
    (element_type, shape): (ElementType, &Shape),
    dimensions: &[i64],
) -> Result<G::Value> {
    let extreme = match opcode {
        Opcode::ReduceMax => reduce_max(g, operand, dimensions)?,
        _ => reduce_min(g, operand, dimensions)?,
    };
    let kept: Vec<i64> =
        (0..shape.rank() as i64).filter(|dimension| !dimensions.contains(dimension)).collect();
    let found = binary(g, Opcode::Eq, operand, &extreme, &kept)?;
    if !Opcode::IsNan.accepts(element_type) {
        return Ok(found);
    }
    let is_nan = unary(g, Opcode::IsNan, operand)?;
    binary(g, Opcode::Or, &found, &is_nan, &[])
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
        let along = if step == 1 {
            index
        } else {
            let factor = constant(g, scalar(step));
            binary(g, Opcode::Mul, &index, &factor, &[])?
        };
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
