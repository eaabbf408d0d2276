//! Probes whether a device's own 16-bit floats are rounded as XLA rounds F16.

use half::f16;

use super::inputs::Random;
use super::probe::read;
use crate::device::adapter::open;
use crate::device::context::Context;
use indim_compiler::arithmetic::{Arithmetic, Half};
use indim_core::graph::builder::Builder;
use indim_core::graph::computation::Computation;
use indim_core::semantics::element::ElementType;
use indim_core::semantics::error::Result;
use indim_core::semantics::literal::Literal;
use indim_core::semantics::precision::Precision;

/// The first rows have every value once, multiplied by 1, which shows that none is flushed or
/// changed.
const VALUES: usize = 1 << 16;
/// The other rows are random, and about every tenth sum lies in the middle of two values.
const RANDOM: usize = 1 << 13;

/// Returns the floats in which F16 is added and multiplied: native where sums and products are
/// rounded to nearest even, and subnormals stay; on a device without these types, and where it
/// fails or computes nothing, through f32.
pub(super) async fn choose(context: &Context) -> Half {
    let is_there = context.device().features().contains(open::HALF);
    if !is_there || !context.gpu().computes() {
        return Half::ThroughF32;
    }
    match try_on(context, &operands()).await {
        Ok(true) => Half::Native,
        _ => Half::ThroughF32,
    }
}

/// Returns whether `x * y + z` of all operands is right.
async fn try_on(context: &Context, operands: &[[f16; 3]]) -> Result<bool> {
    // Compiling takes most of the time, and is faster for smaller units.
    let mut limits = context.plan_limits().clone();
    (limits.tuning.quads_per_unit, limits.tuning.wide) = (1, false);
    let mut arithmetic = Arithmetic::portable();
    arithmetic.half = Half::Native;
    limits.arithmetic = Some(arithmetic);
    let context = context.beside(limits, Precision::Accurate)?;
    let upload = |number: usize| {
        let column: Vec<f16> = operands.iter().map(|row| row[number]).collect();
        context.upload(&Literal::from_slice([column.len()], &column)?)
    };
    let arrays = [upload(0)?, upload(1)?, upload(2)?];
    let results =
        context.run(&computation(operands.len())?, &[&arrays[0], &arrays[1], &arrays[2]])?;
    Ok(are_right(operands, &read(&results).await?.to_vec()?))
}

fn computation(count: usize) -> Result<Computation> {
    let mut b = Builder::new();
    let x = b.parameter(ElementType::F16, [count])?;
    let y = b.parameter(ElementType::F16, [count])?;
    let z = b.parameter(ElementType::F16, [count])?;
    let product = b.mul(x, y, &[])?;
    let sum = b.add(product, z, &[])?;
    b.build(sum)
}

fn operands() -> Vec<[f16; 3]> {
    let all = (0..=u16::MAX).map(|bits| [f16::from_bits(bits), f16::ONE, f16::NEG_ZERO]);
    let mut random = Random::new(3);
    let mut rows: Vec<[f16; 3]> = Vec::with_capacity(VALUES + RANDOM);
    rows.extend(all);
    rows.extend((0..RANDOM).map(|_| triple(&mut random)));
    rows
}

/// Returns two factors, whose product lies anywhere in the range or now and then out of it, and a
/// term of about the same size.
fn triple(random: &mut Random) -> [f16; 3] {
    let [x, y, z] = [random.next(), random.next(), random.next()].map(|r| (r >> 16) as u16);
    let [x, y] = [x, y].map(f16::from_bits);
    let product = product(x, y).to_bits();
    // The term has the product's exponent or one of the seven on either side, or is zero.
    let near = (product & 0x7c00).wrapping_add((z & 0xf).wrapping_sub(8) << 10) & 0x7c00;
    let term = if z & 0xf == 8 { 0x8000 } else { near | (z & 0x8000) | (z >> 4 & 0x03ff) };
    [x, y, f16::from_bits(term)]
}

/// Returns the rounded product, whose 22 bits are exact in an f32.
fn product(x: f16, y: f16) -> f16 {
    f16::from_f32(x.to_f32() * y.to_f32())
}

/// Returns the rounded sum. An f32 has more than twice the bits and two, with which a sum may be
/// rounded twice (S. A. Figueroa, "When is double rounding innocuous?", 1995).
fn sum(x: f16, y: f16) -> f16 {
    f16::from_f32(x.to_f32() + y.to_f32())
}

fn are_right(operands: &[[f16; 3]], results: &[f16]) -> bool {
    let right = |(&[x, y, z], &got): (&[f16; 3], &f16)| {
        let want = sum(product(x, y), z);
        got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan())
    };
    results.len() == operands.len() && operands.iter().zip(results).all(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns true if the probe accepts a device that computes in this way.
    fn passes(compute: impl Fn(f32, f32, f32) -> f16) -> bool {
        let operands = operands();
        let [x, y, z] = [0, 1, 2].map(|n| operands.iter().map(move |row| row[n].to_f32()));
        let results: Vec<f16> = x.zip(y).zip(z).map(|((x, y), z)| compute(x, y, z)).collect();
        are_right(&operands, &results)
    }

    fn rounded(x: f32) -> f32 {
        f16::from_f32(x).to_f32()
    }

    fn truncated(x: f32) -> f16 {
        let nearest = f16::from_f32(x);
        if nearest.to_f32().abs() > x.abs() {
            f16::from_bits(nearest.to_bits() - 1)
        } else {
            nearest
        }
    }

    #[test]
    fn wrong_results_are_found() {
        assert!(passes(|x, y, z| f16::from_f32(rounded(x * y) + z)));
        // These round once, truncate the sum, truncate both, and flush subnormals.
        assert!(!passes(|x, y, z| f16::from_f32(x * y + z)));
        assert!(!passes(|x, y, z| truncated(rounded(x * y) + z)));
        assert!(!passes(|x, y, z| truncated(truncated(x * y).to_f32() + z)));
        assert!(!passes(|x, y, z| {
            let x = if x.abs() < 6.2e-5 { x * 0.0 } else { x };
            f16::from_f32(rounded(x * y) + z)
        }));
    }

    #[test]
    fn operands_meet_every_case() {
        let operands = operands();
        let random = &operands[VALUES..];
        let count = |holds: &dyn Fn(f32, f32) -> bool| {
            random.iter().filter(|&&[x, y, z]| holds(product(x, y).to_f32(), z.to_f32())).count()
        };
        // In the middle of two values, both are equally near.
        let middle = |exact: f32| {
            let other = f16::from_f32(2.0 * exact - rounded(exact)).to_f32();
            exact.is_finite()
                && rounded(exact) != exact
                && (other - exact) == (exact - rounded(exact))
        };
        assert!(count(&|p, z| middle(p + z)) > RANDOM / 50);
        assert!(count(&|p, z| (p + z).is_finite() && rounded(p + z).is_infinite()) > 10);
        assert!(count(&|p, _| p != 0.0 && p.abs() < 6.1e-5) > 100);
    }
}
