//! Probes whether the compiler regroups the sums by which a reduction finds its rounding errors.

use super::inputs::Random;
use super::probe::read;
use crate::device::context::Context;
use indim_compiler::arithmetic::{Arithmetic, Sums};
use indim_core::graph::builder::Builder;
use indim_core::graph::computation::Computation;
use indim_core::semantics::element::ElementType;
use indim_core::semantics::error::Result;
use indim_core::semantics::literal::Literal;
use indim_core::semantics::precision::Precision;

const ROWS: usize = 256;
/// A node of the tree, whose strands are added to each other, words to words.
const COLUMNS: usize = 32;

/// Returns how the compiler treats the sums: as written where a reduction has the bits that the
/// host computes; on a backend that computes nothing, too. If the device fails, they are guarded.
pub(super) async fn choose(context: &Context) -> Sums {
    if !context.gpu().computes() {
        return Sums::AsWritten;
    }
    let elements = elements();
    match sums(context, &elements).await {
        Ok(sums) if are_right(&elements, &sums) => Sums::AsWritten,
        _ => Sums::Regrouped,
    }
}

async fn sums(context: &Context, elements: &[f32]) -> Result<Vec<f32>> {
    let mut limits = context.plan_limits().clone();
    // Shorter kernels compile faster.
    limits.tuning.wide = false;
    limits.arithmetic = Some(Arithmetic::default());
    let context = context.beside(limits, Precision::Accurate)?;
    let array = context.upload(&Literal::from_slice([ROWS, COLUMNS], elements)?)?;
    read(&context.run(&computation()?, &[&array])?).await?.to_vec()
}

fn computation() -> Result<Computation> {
    let mut b = Builder::new();
    let x = b.parameter(ElementType::F32, [ROWS, COLUMNS])?;
    let sums = b.reduce_sum(x, [1])?;
    b.build(sums)
}

/// Returns rows whose exact sums are 0: numbers, and their negatives in another order. What is left
/// is the rounding of the low words, which every other grouping changes.
fn elements() -> Vec<f32> {
    let mut random = Random::new(7);
    let half = COLUMNS / 2;
    let row = |random: &mut Random| {
        let number = |random: &mut Random| {
            let bits = random.next();
            let number = (bits >> 8) as f32 - 8_388_607.5;
            number * ((1_u32 << (bits & 31)) as f32)
        };
        let numbers: Vec<f32> = (0..half).map(|_| number(random)).collect();
        let turned = |i: usize| -numbers[(i * 5 + 3) % half];
        numbers.iter().copied().chain((0..half).map(turned)).collect::<Vec<f32>>()
    };
    (0..ROWS).flat_map(|_| row(&mut random)).collect()
}

fn are_right(elements: &[f32], sums: &[f32]) -> bool {
    let rows = elements.chunks(COLUMNS);
    rows.len() == sums.len() && rows.zip(sums).all(|(row, sum)| sum.to_bits() == of(row).to_bits())
}

/// Returns a row's sum in two words, in the order of docs/numerics.md.
fn of(row: &[f32]) -> f32 {
    let strand =
        |first| row.iter().skip(first).step_by(4).fold([0.0, 0.0], |sum, &x| added(sum, [x, 0.0]));
    let [high, low] = added(added(strand(0), strand(2)), added(strand(1), strand(3)));
    high + low
}

fn added([a, low]: [f32; 2], [b, other]: [f32; 2]) -> [f32; 2] {
    let sum = a + b;
    let v = sum - a;
    let rest = (a - (sum - v)) + (b - v);
    [sum, (low + other) + rest]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regrouped_sums_are_told_from_those_as_written() {
        let elements = elements();
        let sums: Vec<f32> = elements.chunks(COLUMNS).map(of).collect();
        assert!(are_right(&elements, &sums));
        assert!(sums.iter().filter(|sum| **sum != 0.0).count() > ROWS / 4, "{sums:?}");
        // In the order of the elements.
        let in_turn = |row: &[f32]| {
            let [high, low] = row.iter().fold([0.0, 0.0], |sum, &x| added(sum, [x, 0.0]));
            high + low
        };
        let other: Vec<f32> = elements.chunks(COLUMNS).map(in_turn).collect();
        assert!(!are_right(&elements, &other));
        assert!(!are_right(&elements, &vec![0.0; ROWS]));
        assert!(!are_right(&elements, &[]));
    }
}
