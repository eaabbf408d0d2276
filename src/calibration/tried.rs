//! Defines the operations of F32 that the probes try, and the kernel that computes all of them.
//!
//! It is a single kernel, because compiling takes most of a probe's time, and each kernel has a
//! fixed cost.

use super::probe::read;
use crate::device::context::Context;
use indim_compiler::arithmetic::{Arithmetic, Rounding};
use indim_core::graph::builder::{Builder, Op};
use indim_core::graph::computation::Computation;
use indim_core::semantics::element::{ElementType, Scalar};
use indim_core::semantics::error::Result;
use indim_core::semantics::literal::Literal;
use indim_core::semantics::precision::Precision;

/// An operation, in the order of its number in the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tried {
    Unsigned,
    Signed,
    Sum,
    Product,
    Quotient,
    /// The reciprocal of the second operand, for which drivers have other instructions than for
    /// quotients.
    Reciprocal,
    Root,
    Ceiling,
    Less,
    Exponential,
}

use Tried::{
    Ceiling, Exponential, Less, Product, Quotient, Reciprocal, Root, Signed, Sum, Unsigned,
};

pub(super) const ALL: [Tried; 10] =
    [Unsigned, Signed, Sum, Product, Quotient, Reciprocal, Root, Ceiling, Less, Exponential];

impl Tried {
    /// Returns the result for operands of these bits, rounded once, but for the exponential, which
    /// is the host's.
    pub(super) fn of(self, [x, y]: [u32; 2]) -> f32 {
        let [a, b] = [x, y].map(f32::from_bits);
        match self {
            Unsigned => x as f32,
            Signed => x.cast_signed() as f32,
            Sum => a + b,
            Product => a * b,
            Quotient => a / b,
            Reciprocal => b.recip(),
            Root => a.sqrt(),
            Ceiling => a.ceil(),
            Less => f32::from(u8::from(a < b)),
            Exponential => a.exp(),
        }
    }

    fn record(self, b: &mut Builder, x: Op, [lhs, rhs]: [Op; 2]) -> Result<Op> {
        match self {
            Unsigned => b.convert_element_type(x, ElementType::F32),
            Signed => {
                let signed = b.bitcast_convert_type(x, ElementType::S32)?;
                b.convert_element_type(signed, ElementType::F32)
            }
            Sum => b.add(lhs, rhs, &[]),
            Product => b.mul(lhs, rhs, &[]),
            Quotient => b.div(lhs, rhs, &[]),
            Reciprocal => b.reciprocal(rhs),
            Root => b.sqrt(lhs),
            Ceiling => b.ceil(lhs),
            Less => {
                let less = b.lt(lhs, rhs, &[])?;
                b.convert_element_type(less, ElementType::F32)
            }
            Exponential => b.exp(lhs),
        }
    }
}

/// An operation with the bits of its operands; one that takes one operand does not read the other.
pub(super) type Row = (Tried, [u32; 2]);

/// Returns a row of floats.
pub(super) fn row(tried: Tried, x: f32, y: f32) -> Row {
    (tried, [x, y].map(f32::to_bits))
}

/// Computes the rows by the adapter's own operations, but for quotients, reciprocals and roots, which
/// are computed in the given way.
pub(super) async fn compute(
    context: &Context,
    division: Rounding,
    rows: &[Row],
) -> Result<Vec<f32>> {
    // Shorter kernels compile faster.
    let mut limits = context.plan_limits().clone();
    (limits.tuning.tile_rows, limits.tuning.short_row_tile) = (1, 1);
    (limits.tuning.quads_per_unit, limits.tuning.wide) = (1, false);
    let mut arithmetic = Arithmetic::default();
    (arithmetic.division, arithmetic.square_root) = (division, division);
    limits.arithmetic = Some(arithmetic);
    let context = context.beside(limits, Precision::Accurate)?;
    let upload = |column: Vec<u32>| context.upload(&Literal::from_slice([column.len()], &column)?);
    let number = upload(rows.iter().map(|&(tried, _)| tried as u32).collect())?;
    let x = upload(rows.iter().map(|&(_, [x, _])| x).collect())?;
    let y = upload(rows.iter().map(|&(_, [_, y])| y).collect())?;
    let results = context.run(&computation(rows.len())?, &[&number, &x, &y])?;
    let quads: Vec<f32> = read(&results).await?.to_vec()?;
    Ok(quads.into_iter().step_by(QUAD).collect())
}

/// The number of times that each row is computed: a quad of equal elements is computed as one number,
/// which compiles in less time than four.
const QUAD: usize = 4;

/// Returns the kernel of all operations, of which each row takes one by its number.
fn computation(count: usize) -> Result<Computation> {
    let mut b = Builder::new();
    let mut column = || {
        let column = b.parameter(ElementType::U32, [count])?;
        b.broadcast_in_dim(column, &[count as i64, QUAD as i64], &[0])
    };
    let [number, x, y] = [column()?, column()?, column()?];
    let lhs = b.bitcast_convert_type(x, ElementType::F32)?;
    let rhs = b.bitcast_convert_type(y, ElementType::F32)?;
    let mut result = Unsigned.record(&mut b, x, [lhs, rhs])?;
    for tried in ALL.into_iter().filter(|&tried| tried != Unsigned) {
        let value = tried.record(&mut b, x, [lhs, rhs])?;
        let own = b.constant(Scalar::new(tried as u32))?;
        let is_this = b.eq(number, own, &[])?;
        result = b.select(is_this, value, result)?;
    }
    b.build(result)
}
