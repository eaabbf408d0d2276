//! Finds out how quotients and square roots are to be computed on a device.

use super::{hard, inputs, read};
use crate::compile::limits::{Division, PlanLimits};
use crate::device::context::Context;
use crate::device::open;
use crate::graph::builder::Builder;
use crate::graph::computation::Computation;
use crate::semantics::element::{ElementType, Scalar};
use crate::semantics::error::Result;
use crate::semantics::literal::Literal;
use crate::semantics::precision::Precision;

/// The first of native, through f64 and by integers that gives thousands of hard quotients and
/// reciprocals, or roots, correctly rounded. Reciprocals are asked for apart, since drivers have
/// another instruction for `1.0 / x` than for `x / y`.
///
/// On a backend that computes nothing it is native: no answer would be right. Where the device fails
/// it is what is right without having been tried.
pub(super) async fn choose(context: &Context) -> [Division; 2] {
    if !context.gpu().computes() {
        return [Division::Native; 2];
    }
    let f64 = context.device().features().contains(open::F64);
    let questions = Questions::new();
    let mut chosen = [None; 2];
    for division in [Division::Native, Division::ThroughF64] {
        let skipped = division == Division::ThroughF64 && !f64;
        if skipped || chosen.iter().all(Option::is_some) {
            continue;
        }
        let right = questions.ask(context, division).await.unwrap_or_default();
        for (chosen, _) in chosen.iter_mut().zip(right).filter(|(_, right)| *right) {
            chosen.get_or_insert(division);
        }
    }
    chosen.map(|found| found.unwrap_or(Division::ByIntegers))
}

/// Quotients of one array by another, then reciprocals of the other, then roots of the one, so that
/// one kernel and one dispatch give all.
struct Questions {
    lhs: Vec<f32>,
    rhs: Vec<f32>,
    /// The place of the first reciprocal.
    first_reciprocal: usize,
    /// The place of the first root.
    first_root: usize,
}

impl Questions {
    fn new() -> Self {
        let boundaries = inputs::special_pairs().into_iter().chain(inputs::boundary_pairs());
        let pairs = hard::quotients().into_iter().chain(boundaries);
        let (mut lhs, mut rhs): (Vec<f32>, Vec<f32>) = pairs.map(<[f32; 2]>::into).unzip();
        let first_reciprocal = lhs.len();
        rhs.extend(divisors());
        let first_root = rhs.len();
        lhs.resize(first_root, 1.0);
        lhs.extend(hard::roots().into_iter().chain(inputs::special()));
        rhs.resize(lhs.len(), 1.0);
        Self { lhs, rhs, first_reciprocal, first_root }
    }

    /// Whether all quotients and reciprocals, and all roots, that are computed in this way are right.
    async fn ask(&self, context: &Context, division: Division) -> Result<[bool; 2]> {
        let limits = PlanLimits {
            division: Some(division),
            square_root: Some(division),
            ..context.plan_limits().clone()
        };
        let context = context.beside(limits, Precision::Accurate)?;
        let lhs = context.upload(&Literal::from_slice([self.lhs.len()], &self.lhs)?)?;
        let rhs = context.upload(&Literal::from_slice([self.rhs.len()], &self.rhs)?)?;
        let answers = context.run(&self.computation()?, &[&lhs, &rhs])?;
        Ok(self.are_right(&read(&answers, true).await?.to_vec()?))
    }

    fn computation(&self) -> Result<Computation> {
        let count = self.lhs.len();
        let mut b = Builder::new();
        let lhs = b.parameter(ElementType::F32, [count])?;
        let rhs = b.parameter(ElementType::F32, [count])?;
        let place = b.iota(ElementType::U32, &[count as i64], 0)?;
        let first_reciprocal = b.constant(Scalar::new(self.first_reciprocal as u32))?;
        let first_root = b.constant(Scalar::new(self.first_root as u32))?;
        let asks_quotient = b.lt(place, first_reciprocal, &[])?;
        let asks_no_root = b.lt(place, first_root, &[])?;
        let quotient = b.div(lhs, rhs, &[])?;
        let reciprocal = b.reciprocal(rhs)?;
        let root = b.sqrt(lhs)?;
        let other = b.select(asks_no_root, reciprocal, root)?;
        let answer = b.select(asks_quotient, quotient, other)?;
        b.build(answer)
    }

    fn are_right(&self, answers: &[f32]) -> [bool; 2] {
        let mut right = [answers.len() == self.lhs.len(); 2];
        for (place, &got) in answers.iter().enumerate() {
            let is_root = place >= self.first_root;
            let (x, y) = (self.lhs[place], self.rhs[place]);
            let exact = if is_root { f64::from(x).sqrt() } else { f64::from(x) / f64::from(y) };
            right[usize::from(is_root)] &= super::is_rounded(got, exact);
        }
        right
    }
}

/// Hard divisors of 1, and those where floats change their nature.
pub(super) fn divisors() -> Vec<f32> {
    let boundaries = inputs::boundaries().into_iter().chain(inputs::special());
    hard::reciprocals().into_iter().chain(boundaries).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(quotient: fn(f32, f32) -> f32, root: fn(f32) -> f32) -> [bool; 2] {
        answers_of(quotient, f32::recip, root)
    }

    fn answers_of(
        quotient: fn(f32, f32) -> f32,
        reciprocal: fn(f32) -> f32,
        root: fn(f32) -> f32,
    ) -> [bool; 2] {
        let questions = Questions::new();
        let answer = |place: usize| match place {
            _ if place < questions.first_reciprocal => {
                quotient(questions.lhs[place], questions.rhs[place])
            }
            _ if place < questions.first_root => reciprocal(questions.rhs[place]),
            _ => root(questions.lhs[place]),
        };
        let all: Vec<f32> = (0..questions.lhs.len()).map(answer).collect();
        questions.are_right(&all)
    }

    #[test]
    fn wrong_answers_are_told_from_right_ones() {
        assert_eq!(answers(|x, y| x / y, f32::sqrt), [true, true]);
        assert_eq!(answers(|x, y| x * (1.0 / y), f32::sqrt), [false, true]);
        assert_eq!(answers(|x, y| x / y, |x| x * (1.0 / x.sqrt())), [true, false]);
        // Only special values wrong.
        assert_eq!(answers(|x, y| (x / y).abs().copysign(1.0), f32::sqrt), [false, true]);
        assert_eq!(answers(|x, y| x / y, |x| x.sqrt() + 0.0), [true, false]);
        assert_eq!(answers(|_, _| 0.0, |_| 0.0), [false, false]);
        // Only reciprocals wrong: by the last bit, as of 44 bits, and of one special value.
        let reciprocals: [fn(f32) -> f32; 4] = [
            |x| f32::from_bits((1.0 / x).to_bits() & !1),
            |x| (f64::from(x).recip() * (1.0 + 4e-12)) as f32,
            |x| (f64::from(x).recip() * (1.0 - 4e-12)) as f32,
            |x| if x == 0.0 { f32::INFINITY } else { 1.0 / x },
        ];
        for reciprocal in reciprocals {
            assert_eq!(answers_of(|x, y| x / y, reciprocal, f32::sqrt), [false, true]);
        }
    }
}
