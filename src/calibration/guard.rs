//! Probes whether compilers see through the minimum by which functions guard their sums.

use super::probe::read;
use crate::compile::limits::{Guard, PlanLimits};
use crate::device::context::Context;
use crate::graph::builder::Builder;
use crate::graph::computation::Computation;
use crate::semantics::element::ElementType;
use crate::semantics::error::Result;
use crate::semantics::literal::Literal;
use crate::semantics::precision::Precision;

/// The number of arguments.
const COUNT: usize = 256;

/// The error that `exp` may have, in units in the last place. Regrouped across its guards, it has
/// errors of thousands.
const LIMIT: f64 = 1.0;

/// Sets how functions guard their sums, where the limits leave it open.
pub(super) async fn probe(context: &Context, limits: &mut PlanLimits) {
    if limits.guard.is_none() {
        limits.guard = Some(choose(context).await);
    }
}

/// Returns the minimum where exponentials that are guarded by it are right, else the guard that is
/// right everywhere. On a backend that computes nothing no result would be right, and it is the
/// minimum.
async fn choose(context: &Context) -> Guard {
    if !context.gpu().computes() {
        return Guard::Minimum;
    }
    match try_on(context).await {
        Ok(true) => Guard::Minimum,
        _ => Guard::Bits,
    }
}

async fn try_on(context: &Context) -> Result<bool> {
    let arguments = arguments();
    // Compiling takes the most time, and less of it the shorter the kernel is.
    let limits = PlanLimits {
        guard: Some(Guard::Minimum),
        tile_rows: 1,
        near_tile_rows: 1,
        quads_per_unit: 1,
        wide: false,
        ..context.plan_limits().clone()
    };
    let context = context.beside(limits, Precision::Accurate)?;
    let x = context.upload(&Literal::from_slice([COUNT], &arguments)?)?;
    let results = context.run(&computation()?, &[&x])?;
    Ok(are_right(&arguments, &read(&results).await?.to_vec()?))
}

/// Returns four exponentials of each argument, side by side: such a quad is computed as one number,
/// which compiles in less time than four.
fn computation() -> Result<Computation> {
    let mut b = Builder::new();
    let x = b.parameter(ElementType::F32, [COUNT])?;
    let quads = b.broadcast_in_dim(x, &[COUNT as i64, 4], &[0])?;
    let exponential = b.exp(quads)?;
    b.build(exponential)
}

/// Returns arguments of either sign up to the largest whose exponential neither over- nor
/// underflows. Those that are far from 0 lose the most where their reduction is regrouped.
fn arguments() -> Vec<f32> {
    (0..COUNT).map(|i| (i as f32 - 127.5) * 0.6817).collect()
}

fn are_right(arguments: &[f32], results: &[f32]) -> bool {
    let is_right = |(&x, quad): (&f32, &[f32])| {
        let exact = f64::from(x).exp();
        let spacing = 2f64.powi(exact.log2().floor() as i32 - 23);
        quad.iter().all(|&got| (f64::from(got) - exact).abs() <= LIMIT * spacing)
    };
    results.len() == 4 * arguments.len() && arguments.iter().zip(results.chunks(4)).all(is_right)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(exp: fn(f32) -> f32) -> bool {
        let results: Vec<f32> = arguments().into_iter().flat_map(|x| [exp(x); 4]).collect();
        are_right(&arguments(), &results)
    }

    #[test]
    fn wrong_exponentials_are_told_from_right_ones() {
        assert!(judged(f32::exp));
        assert!(!judged(|x| (f64::from(x).exp() * (1.0 + 2e-7)) as f32));
        // The reduced argument is rounded once more.
        assert!(!judged(|x| {
            let n = (x * std::f32::consts::LOG2_E).round();
            let multiple = n * 0.693_115_23 + n * 3.194_618_3e-5;
            (f64::from(x - multiple).exp() * 2f64.powi(n as i32)) as f32
        }));
        assert!(!are_right(&arguments(), &[]));
    }
}
