//! Finds out whether a device's own 16-bit floats are rounded as XLA's.

use half::f16;

use super::inputs::Random;
use super::read;
use crate::compile::limits::{Half, PlanLimits};
use crate::device::context::Context;
use crate::device::open;
use crate::graph::builder::Builder;
use crate::graph::computation::Computation;
use crate::semantics::element::ElementType;
use crate::semantics::error::Result;
use crate::semantics::literal::Literal;
use crate::semantics::precision::Precision;

/// Of the first values, every one is taken as it is: it shows that none is flushed or changed.
const VALUES: usize = 1 << 16;
/// Products and sums of random ones, of which about every tenth lies in the middle of two values.
const RANDOM: usize = 1 << 13;

/// Native where sums and products are rounded to nearest even, and subnormals stay; on a device
/// without these types, and where it fails or computes nothing, through f32.
pub(super) async fn choose(context: &Context) -> Half {
    let is_there = context.device().features().contains(open::HALF);
    if !is_there || !context.gpu().computes() {
        return Half::ThroughF32;
    }
    match ask(context, &operands()).await {
        Ok(true) => Half::Native,
        _ => Half::ThroughF32,
    }
}

/// Whether `x * y + z` of all operands is right.
async fn ask(context: &Context, operands: &[[f16; 3]]) -> Result<bool> {
    // Compiling takes the most time, the less the smaller the unit.
    let ours = context.plan_limits().clone();
    let limits = PlanLimits { half: Some(Half::Native), quads_per_unit: 1, wide: false, ..ours };
    let context = context.beside(limits, Precision::Accurate)?;
    let upload = |number: usize| {
        let column: Vec<f16> = operands.iter().map(|row| row[number]).collect();
        context.upload(&Literal::from_slice([column.len()], &column)?)
    };
    let arrays = [upload(0)?, upload(1)?, upload(2)?];
    let answers =
        context.run(&computation(operands.len())?, &[&arrays[0], &arrays[1], &arrays[2]])?;
    Ok(are_right(operands, &read(&answers, true).await?.to_vec()?))
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

/// A product anywhere in the range, now and then below or above it, and a term near to it.
fn triple(random: &mut Random) -> [f16; 3] {
    let [x, y, z] = [random.next(), random.next(), random.next()].map(|r| (r >> 16) as u16);
    let [x, y] = [x, y].map(f16::from_bits);
    let product = product(x, y).to_bits();
    // The same exponent or one of the seven on either side, or none and the product alone.
    let near = (product & 0x7c00).wrapping_add((z & 0xf).wrapping_sub(8) << 10) & 0x7c00;
    let term = if z & 0xf == 8 { 0x8000 } else { near | (z & 0x8000) | (z >> 4 & 0x03ff) };
    [x, y, f16::from_bits(term)]
}

/// A product of 22 bits is exact in an f32.
fn product(x: f16, y: f16) -> f16 {
    f16::from_f32(x.to_f32() * y.to_f32())
}

/// Twice as many bits and two more are enough for a sum to be rounded twice (S. A. Figueroa, "When is
/// double rounding innocuous?", 1995).
fn sum(x: f16, y: f16) -> f16 {
    f16::from_f32(x.to_f32() + y.to_f32())
}

fn are_right(operands: &[[f16; 3]], answers: &[f16]) -> bool {
    let right = |(&[x, y, z], &got): (&[f16; 3], &f16)| {
        let want = sum(product(x, y), z);
        got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan())
    };
    answers.len() == operands.len() && operands.iter().zip(answers).all(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether a device that computes so is taken for right.
    fn passes(compute: impl Fn(f32, f32, f32) -> f16) -> bool {
        let operands = operands();
        let [x, y, z] = [0, 1, 2].map(|n| operands.iter().map(move |row| row[n].to_f32()));
        let answers: Vec<f16> = x.zip(y).zip(z).map(|((x, y), z)| compute(x, y, z)).collect();
        are_right(&operands, &answers)
    }

    fn rounded(x: f32) -> f32 {
        f16::from_f32(x).to_f32()
    }

    fn truncated(x: f32) -> f16 {
        let nearest = f16::from_f32(x);
        match nearest.to_f32().abs() > x.abs() {
            true => f16::from_bits(nearest.to_bits() - 1),
            false => nearest,
        }
    }

    #[test]
    fn what_is_wrong_is_found() {
        assert!(passes(|x, y, z| f16::from_f32(rounded(x * y) + z)));
        // In one rounding, without the last one to even, with a flush of subnormals.
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
        // Middles of two values: as far from the nearest one as half of the last place.
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
