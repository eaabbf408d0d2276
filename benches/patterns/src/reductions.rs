//! The patterns that reduce: their operands' shapes and computations.

use indim::{AnyArray, Array, Context, ElementType, Expr};

use crate::patterns::{Pattern, Sizes, Workload, operands, rectangle};

/// The size of points that `pairwise` compares, and of short rows.
const FEW: usize = 64;

/// Returns the shapes of a pattern, if it reduces, for about `elements` elements before the
/// reduction.
pub(crate) fn sizes(pattern: Pattern, elements: usize) -> Option<Sizes> {
    let [rows, columns] = rectangle(elements);
    let one = |operand: &[usize], result: &[usize]| {
        Some(Sizes { operands: vec![operand.to_vec()], result: result.to_vec() })
    };
    match pattern {
        Pattern::SumRows | Pattern::MeanVar | Pattern::Argmax => one(&[rows, columns], &[rows]),
        Pattern::SumColumns => one(&[rows, columns], &[columns]),
        Pattern::SumAll => one(&[rows, columns], &[1]),
        Pattern::SumShortRows => {
            let rows = (elements / FEW / 8 * 8).max(8);
            one(&[rows, FEW], &[rows])
        }
        Pattern::SumLongRows => one(&[FEW, (elements / FEW / 64 * 64).max(64)], &[FEW]),
        Pattern::SumMiddle => {
            let middle = (elements / (FEW * FEW) / 32 * 32).max(32);
            one(&[FEW, middle, FEW], &[FEW, FEW])
        }
        Pattern::Distance => {
            Some(Sizes { operands: vec![vec![rows, columns]; 2], result: vec![rows] })
        }
        Pattern::Pairwise => {
            let points = ((elements / FEW).isqrt() / 8 * 8).max(8);
            let operands = vec![vec![points, 1, FEW], vec![1, points, FEW]];
            Some(Sizes { operands, result: vec![points; 2] })
        }
        _ => None,
    }
}

/// Uploads the operands of a pattern that reduces.
pub(crate) fn workload(gpu: &Context, pattern: Pattern, sizes: &Sizes) -> indim::Result<Workload> {
    let arrays: Vec<Array<f32>> = operands(gpu, sizes)?;
    let operands = arrays.iter().map(|array| array.as_any().clone()).collect();
    Ok(Workload::new_of(operands, move || run(pattern, &arrays)))
}

fn run(pattern: Pattern, operands: &[Array<f32>]) -> indim::Result<AnyArray> {
    let x = &operands[0];
    let done = |expr: Expr<f32>| Ok(expr.eval()?.as_any().clone());
    match pattern {
        Pattern::SumColumns => done(x.reduce_sum([0])),
        Pattern::SumAll => done(x.reduce_sum([0, 1]).reshape([1])),
        Pattern::SumMiddle => done(x.reduce_sum([1])),
        Pattern::MeanVar => {
            let (var, _) = indim::eval((&x.var([1]), &x.mean([1])))?;
            Ok(var.as_any().clone())
        }
        Pattern::Argmax => Ok(x.argmax([1]).eval()?.as_any().clone()),
        Pattern::Distance => done((x - &operands[1]).square().reduce_sum([1])),
        Pattern::Pairwise => done((x - &operands[1]).square().reduce_sum([2])),
        _ => done(x.reduce_sum([1])),
    }
}

/// Returns the element type of a pattern's result.
pub(crate) fn result_type(pattern: Pattern, of: ElementType) -> ElementType {
    if pattern == Pattern::Argmax { ElementType::S32 } else { of }
}
