//! Probes whether an adapter's own quotients and square roots are rounded correctly.

use super::hard_cases;
use super::probe::{is_correctly_rounded, read};
use crate::compile::limits::{Division, PlanLimits};
use crate::device::context::Context;
use crate::device::open;
use crate::graph::builder::Builder;
use crate::graph::computation::Computation;
use crate::semantics::element::{ElementType, Scalar};
use crate::semantics::error::Result;
use crate::semantics::literal::Literal;
use crate::semantics::precision::Precision;

/// Sets how quotients and roots are computed, where the limits leave it open.
pub(super) async fn probe(context: &Context, limits: &mut PlanLimits) {
    if limits.division.is_some() && limits.square_root.is_some() {
        return;
    }
    let [division, square_root] = choose(context).await;
    limits.division.get_or_insert(division);
    limits.square_root.get_or_insert(square_root);
}

/// Returns the first of native, through f64 and by integers that gives thousands of hard quotients
/// and reciprocals, or roots, correctly rounded. Reciprocals are tried on their own, since drivers
/// have another instruction for `1.0 / x` than for `x / y`.
///
/// On a backend that computes nothing it is native: no result would be right. Where the device
/// fails it is the way that is right without having been tried.
async fn choose(context: &Context) -> [Division; 2] {
    if !context.gpu().computes() {
        return [Division::Native; 2];
    }
    let has_f64 = context.device().features().contains(open::F64);
    let cases = Cases::new();
    let mut chosen = [None; 2];
    for division in [Division::Native, Division::ThroughF64] {
        let skipped = division == Division::ThroughF64 && !has_f64;
        if skipped || chosen.iter().all(Option::is_some) {
            continue;
        }
        let right = cases.try_on(context, division).await.unwrap_or_default();
        for (chosen, _) in chosen.iter_mut().zip(right).filter(|(_, right)| *right) {
            chosen.get_or_insert(division);
        }
    }
    chosen.map(|found| found.unwrap_or(Division::ByIntegers))
}

/// Operands of quotients, then of reciprocals (of `rhs`), then of roots (of `lhs`), so that one
/// kernel and one dispatch give all.
struct Cases {
    lhs: Vec<f32>,
    rhs: Vec<f32>,
    /// The index of the first reciprocal.
    first_reciprocal: usize,
    /// The index of the first root.
    first_root: usize,
}

impl Cases {
    fn new() -> Self {
        let pairs = hard_cases::quotients().into_iter();
        let (mut lhs, mut rhs): (Vec<f32>, Vec<f32>) = pairs.map(<[f32; 2]>::into).unzip();
        let first_reciprocal = lhs.len();
        rhs.extend(hard_cases::reciprocals());
        let first_root = rhs.len();
        lhs.resize(first_root, 1.0);
        lhs.extend(hard_cases::square_roots());
        rhs.resize(lhs.len(), 1.0);
        Self { lhs, rhs, first_reciprocal, first_root }
    }

    /// Tells whether all quotients and reciprocals, and whether all roots, are right that are
    /// computed in this way.
    async fn try_on(&self, context: &Context, division: Division) -> Result<[bool; 2]> {
        let limits = PlanLimits {
            division: Some(division),
            square_root: Some(division),
            ..context.plan_limits().clone()
        };
        let context = context.beside(limits, Precision::Accurate)?;
        let lhs = context.upload(&Literal::from_slice([self.lhs.len()], &self.lhs)?)?;
        let rhs = context.upload(&Literal::from_slice([self.rhs.len()], &self.rhs)?)?;
        let results = context.run(&self.computation()?, &[&lhs, &rhs])?;
        Ok(self.are_right(&read(&results).await?.to_vec()?))
    }

    fn computation(&self) -> Result<Computation> {
        let count = self.lhs.len();
        let mut b = Builder::new();
        let lhs = b.parameter(ElementType::F32, [count])?;
        let rhs = b.parameter(ElementType::F32, [count])?;
        let index = b.iota(ElementType::U32, &[count as i64], 0)?;
        let first_reciprocal = b.constant(Scalar::new(self.first_reciprocal as u32))?;
        let first_root = b.constant(Scalar::new(self.first_root as u32))?;
        let is_quotient = b.lt(index, first_reciprocal, &[])?;
        let is_no_root = b.lt(index, first_root, &[])?;
        let quotient = b.div(lhs, rhs, &[])?;
        let reciprocal = b.reciprocal(rhs)?;
        let root = b.sqrt(lhs)?;
        let other = b.select(is_no_root, reciprocal, root)?;
        let result = b.select(is_quotient, quotient, other)?;
        b.build(result)
    }

    fn are_right(&self, results: &[f32]) -> [bool; 2] {
        let mut right = [results.len() == self.lhs.len(); 2];
        for (index, &got) in results.iter().enumerate() {
            let is_root = index >= self.first_root;
            let (x, y) = (self.lhs[index], self.rhs[index]);
            let exact = if is_root { f64::from(x).sqrt() } else { f64::from(x) / f64::from(y) };
            right[usize::from(is_root)] &= is_correctly_rounded(got, exact);
        }
        right
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(quotient: fn(f32, f32) -> f32, root: fn(f32) -> f32) -> [bool; 2] {
        judged_with(quotient, f32::recip, root)
    }

    fn judged_with(
        quotient: fn(f32, f32) -> f32,
        reciprocal: fn(f32) -> f32,
        root: fn(f32) -> f32,
    ) -> [bool; 2] {
        let cases = Cases::new();
        let result = |index: usize| match index {
            _ if index < cases.first_reciprocal => quotient(cases.lhs[index], cases.rhs[index]),
            _ if index < cases.first_root => reciprocal(cases.rhs[index]),
            _ => root(cases.lhs[index]),
        };
        let all: Vec<f32> = (0..cases.lhs.len()).map(result).collect();
        cases.are_right(&all)
    }

    #[test]
    fn wrong_results_are_told_from_right_ones() {
        assert_eq!(judged(|x, y| x / y, f32::sqrt), [true, true]);
        assert_eq!(judged(|x, y| x * (1.0 / y), f32::sqrt), [false, true]);
        assert_eq!(judged(|x, y| x / y, |x| x * (1.0 / x.sqrt())), [true, false]);
        // Only special values are wrong.
        assert_eq!(judged(|x, y| (x / y).abs().copysign(1.0), f32::sqrt), [false, true]);
        assert_eq!(judged(|x, y| x / y, |x| x.sqrt() + 0.0), [true, false]);
        assert_eq!(judged(|_, _| 0.0, |_| 0.0), [false, false]);
        // Only reciprocals are wrong: by the last bit, as of 44 bits, and of one special value.
        let reciprocals: [fn(f32) -> f32; 4] = [
            |x| f32::from_bits((1.0 / x).to_bits() & !1),
            |x| (f64::from(x).recip() * (1.0 + 4e-12)) as f32,
            |x| (f64::from(x).recip() * (1.0 - 4e-12)) as f32,
            |x| if x == 0.0 { f32::INFINITY } else { 1.0 / x },
        ];
        for reciprocal in reciprocals {
            assert_eq!(judged_with(|x, y| x / y, reciprocal, f32::sqrt), [false, true]);
        }
    }
}
