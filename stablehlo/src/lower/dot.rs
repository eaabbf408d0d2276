//! `dot_general` and `dot`, as a sum of a broadcast product: for small and for thin operands.

use std::rc::Rc;

use indim_core::{ElementType, Op, Shape};

use crate::lower::elementwise::{expect_count, value};
use crate::lower::precision;
use crate::lower::reduce::converted;
use crate::lower::state::{Lowering, result_types};
use crate::lower::value::{Value, array_type};
use crate::report::problem::Finding;
use crate::syntax::attribute::Attribute;
use crate::syntax::cursor::Result;
use crate::syntax::module::Operation;
use crate::syntax::names::Meaning;

/// The most products that a dot is computed of. A matrix product reads each operand again for each
/// row or column of the other one, so that larger ones would take a program's time unnoticed.
const MAX_PRODUCTS: u128 = 1 << 27;

/// The dimensions of both operands.
struct Dimensions {
    batching: [Vec<usize>; 2],
    contracting: [Vec<usize>; 2],
}

/// Lowers a dot.
pub(crate) fn dot<'a>(
    l: &mut Lowering<'_, 'a>,
    operation: &Operation<'a>,
    meaning: Meaning,
    operands: &[Rc<Value<'a>>],
) -> Result<Vec<Value<'a>>> {
    expect_count(operation, 2, operands.len())?;
    let unsupported = |message: String| Finding::unsupported(operation.place(), message);
    let types = [array_type(&operands[0].of), array_type(&operands[1].of)];
    let [(lhs_type, lhs), (rhs_type, rhs)] = match types {
        [Ok(lhs), Ok(rhs)] => [lhs, rhs],
        [Err(message), _] | [_, Err(message)] => return Err(unsupported(message)),
    };
    let dimensions = match meaning {
        Meaning::Dot => of_dot(operation, &lhs, &rhs)?,
        _ => of_dot_general(operation, &lhs, &rhs)?,
    };
    if lhs_type != rhs_type {
        let message = format!("the operands are {} and {}", operands[0].of, operands[1].of);
        return Err(Finding::rule(operation.place(), "C13", message));
    }
    let is_double = precision::check(operation)?;
    let result = result_types(operation).first().and_then(|of| array_type(of).ok());
    let to = result.map_or(lhs_type, |(of, _)| of);
    let sums = match to {
        ElementType::F16 | ElementType::Bf16 | ElementType::F32 if is_double => ElementType::F64,
        ElementType::F16 | ElementType::Bf16 => ElementType::F32,
        to => to,
    };
    let ops = l.ops(operation, operands)?;
    let summed = product(l, operation, [ops[0], ops[1]], [&lhs, &rhs], &dimensions, sums)?;
    let op = converted(l, operation, summed, Some(to))?;
    value(l, operation, op).map(|value| vec![value])
}

/// Multiplies the operands in a common shape, of batching dimensions, the free ones of each operand,
/// and contracting ones, and sums along the last.
fn product(
    l: &mut Lowering<'_, '_>,
    operation: &Operation<'_>,
    ops: [Op; 2],
    shapes: [&Shape; 2],
    dimensions: &Dimensions,
    sums: ElementType,
) -> Result<Op> {
    let free = [0, 1].map(|side: usize| -> Vec<usize> {
        let is_free = |d: &usize| {
            !dimensions.batching[side].contains(d) && !dimensions.contracting[side].contains(d)
        };
        (0..shapes[side].rank()).filter(is_free).collect()
    });
    let size_of = |side: usize, list: &[usize]| -> Vec<usize> {
        list.iter().map(|&d| shapes[side].dims()[d]).collect()
    };
    let mut sizes = size_of(0, &dimensions.batching[0]);
    sizes.extend(size_of(0, &free[0]));
    sizes.extend(size_of(1, &free[1]));
    let kept = sizes.len();
    sizes.extend(size_of(0, &dimensions.contracting[0]));
    let products = sizes.iter().fold(1_u128, |count, &size| count.saturating_mul(size as u128));
    if products > MAX_PRODUCTS {
        let message = format!(
            "a product of matrices with {products} multiplications is not implemented; {MAX_PRODUCTS} are the most"
        );
        return Err(Finding::unsupported(operation.place(), message).help(
            "products are sums of broadcast products here, for small and thin matrices only",
        ));
    }
    let whole = Shape::from(sizes);
    let mut factors = Vec::new();
    for side in 0..2 {
        let batching = dimensions.batching[side].len();
        let before = batching + if side == 1 { free[0].len() } else { 0 };
        let contracting = dimensions.contracting[side].len();
        let order = [&dimensions.batching[side], &free[side], &dimensions.contracting[side]];
        let order: Vec<usize> = order.into_iter().flatten().copied().collect();
        let to: Vec<usize> = (0..batching)
            .chain(before..before + free[side].len())
            .chain(kept..kept + contracting)
            .collect();
        let x = converted(l, operation, ops[side], Some(sums))?;
        factors.push(l.build(operation, |b| {
            let is_sorted = order.is_sorted();
            let x = if is_sorted { x } else { b.transpose(x, order)? };
            b.broadcast_in_dim(x, &whole, to)
        })?);
    }
    let summed: Vec<i64> = (kept..whole.rank()).map(|d| d as i64).collect();
    l.build(operation, |b| {
        let product = b.mul(factors[0], factors[1], [0_i64; 0])?;
        if summed.is_empty() { Ok(product) } else { b.reduce_sum(product, summed) }
    })
}

/// Returns the dimensions of `dot`: the last of the left operand and the first of the right one.
fn of_dot(operation: &Operation<'_>, lhs: &Shape, rhs: &Shape) -> Result<Dimensions> {
    let (Some(last), 1..=2) = (lhs.rank().checked_sub(1).filter(|&last| last < 2), rhs.rank())
    else {
        let message = "the operands of `dot` have one or two dimensions";
        return Err(Finding::rule(operation.place(), "", message));
    };
    if lhs.dims()[last] != rhs.dims()[0] {
        let (left, right) = (lhs.dims()[last], rhs.dims()[0]);
        let message = format!("the contracted sizes are {left} and {right}");
        return Err(Finding::rule(operation.place(), "", message));
    }
    Ok(Dimensions { batching: [Vec::new(), Vec::new()], contracting: [vec![last], vec![0]] })
}

/// Returns the dimensions that attributes name (C1 to C10).
fn of_dot_general(operation: &Operation<'_>, lhs: &Shape, rhs: &Shape) -> Result<Dimensions> {
    let shapes = [lhs, rhs];
    let pair = |name| match operation.attribute(name).map(|named| &named.value) {
        Some(Attribute::Pair(pair)) => Ok(pair.clone()),
        None => Ok([Vec::new(), Vec::new()]),
        Some(_) => {
            let message = format!("attribute `{name}` must be two lists, such as `[1] x [0]`");
            Err(Finding::syntax(operation.span.clone(), message).of(operation.name))
        }
    };
    let (batching, contracting) = match operation.attribute("dot_dimension_numbers") {
        Some(named) => {
            let list = |name: &str| {
                named.value.list_within(name).ok_or_else(|| {
                    let message = format!("`{name}` must be a list of integers");
                    Finding::syntax(named.span.clone(), message).of(operation.name)
                })
            };
            let lists = |name: &str| -> Result<[Vec<i64>; 2]> {
                Ok([
                    list(&format!("lhs_{name}_dimensions"))?,
                    list(&format!("rhs_{name}_dimensions"))?,
                ])
            };
            (lists("batching")?, lists("contracting")?)
        }
        None => (pair("batching_dims")?, pair("contracting_dims")?),
    };
    let rule = |constraint: &str, message: String| {
        Err(Finding::rule(operation.place(), constraint, message))
    };
    for (constraint, [left, right]) in [("C1", &batching), ("C2", &contracting)] {
        if left.len() != right.len() {
            return rule(constraint, format!("{left:?} and {right:?} differ in length"));
        }
    }
    let [mut known_batching, mut known_contracting] = [const { [Vec::new(), Vec::new()] }; 2];
    for side in 0..2 {
        let mut all: Vec<i64> = batching[side].iter().chain(&contracting[side]).copied().collect();
        all.sort_unstable();
        if all.windows(2).any(|pair| pair[0] == pair[1]) {
            return rule(["C3", "C4"][side], format!("{all:?} names a dimension twice"));
        }
        for (constraint, from, to) in [
            (["C5", "C7"][side], &batching[side], &mut known_batching[side]),
            (["C6", "C8"][side], &contracting[side], &mut known_contracting[side]),
        ] {
            for &dimension in from {
                let known = usize::try_from(dimension).ok().filter(|&d| d < shapes[side].rank());
                let Some(known) = known else {
                    let message = format!("{} has no dimension {dimension}", shapes[side]);
                    return rule(constraint, message);
                };
                to.push(known);
            }
        }
    }
    for (constraint, [left, right]) in [("C9", &known_batching), ("C10", &known_contracting)] {
        let differs = |(l, r): &(&usize, &usize)| lhs.dims()[**l] != rhs.dims()[**r];
        if let Some((l, r)) = left.iter().zip(right).find(differs) {
            let (left, right) = (lhs.dims()[*l], rhs.dims()[*r]);
            return rule(constraint, format!("matched sizes are {left} and {right}"));
        }
    }
    Ok(Dimensions { batching: known_batching, contracting: known_contracting })
}
