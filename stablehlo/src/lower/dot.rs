//! `dot_general` and `dot`, as a sum of a broadcast product: for small and for thin operands.

use std::rc::Rc;

use indim_core::{DotDimensionNumbers, ElementType, Shape};

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
    check_size(operation, [&lhs, &rhs], &dimensions)?;
    let ops = l.ops(operation, operands)?;
    let lhs = converted(l, operation, ops[0], Some(sums))?;
    let rhs = converted(l, operation, ops[1], Some(sums))?;
    let summed = l.build(operation, |b| b.dot_general(lhs, rhs, &dimensions))?;
    let op = converted(l, operation, summed, Some(to))?;
    value(l, operation, op).map(|value| vec![value])
}

/// Checks that the product is small enough to be computed.
fn check_size(
    operation: &Operation<'_>,
    [lhs, rhs]: [&Shape; 2],
    dimensions: &DotDimensionNumbers,
) -> Result<()> {
    let matched = [&dimensions.rhs_batch, &dimensions.rhs_contracting];
    let is_free = |d: usize| !matched.iter().any(|list| list.contains(&(d as i64)));
    let free = (0..rhs.rank()).filter(|&d| is_free(d)).map(|d| rhs.dims()[d]);
    let sizes = lhs.dims().iter().copied().chain(free);
    let products = sizes.fold(1_u128, |count, size| count.saturating_mul(size as u128));
    if products <= MAX_PRODUCTS {
        return Ok(());
    }
    let message = format!(
        "a product of matrices with {products} multiplications is not implemented; {MAX_PRODUCTS} are the most"
    );
    let help = "products are sums of broadcast products here, for small and thin matrices only";
    Err(Finding::unsupported(operation.place(), message).help(help))
}

/// Returns the dimensions of `dot`: the last of the left operand and the first of the right one.
fn of_dot(operation: &Operation<'_>, lhs: &Shape, rhs: &Shape) -> Result<DotDimensionNumbers> {
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
    Ok(DotDimensionNumbers::contracting([last as i64], [0]))
}

/// Returns the dimensions that attributes name (C1 to C10).
fn of_dot_general(
    operation: &Operation<'_>,
    lhs: &Shape,
    rhs: &Shape,
) -> Result<DotDimensionNumbers> {
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
    for side in 0..2 {
        let mut all: Vec<i64> = batching[side].iter().chain(&contracting[side]).copied().collect();
        all.sort_unstable();
        if all.windows(2).any(|pair| pair[0] == pair[1]) {
            return rule(["C3", "C4"][side], format!("{all:?} names a dimension twice"));
        }
        for (constraint, list) in
            [(["C5", "C7"][side], &batching[side]), (["C6", "C8"][side], &contracting[side])]
        {
            let is_unknown = |&&d: &&i64| !(0..shapes[side].rank() as i64).contains(&d);
            if let Some(dimension) = list.iter().find(is_unknown) {
                let message = format!("{} has no dimension {dimension}", shapes[side]);
                return rule(constraint, message);
            }
        }
    }
    for (constraint, [left, right]) in [("C9", &batching), ("C10", &contracting)] {
        let sizes = |(&l, &r): (&i64, &i64)| (lhs.dims()[l as usize], rhs.dims()[r as usize]);
        if let Some((l, r)) = left.iter().zip(right).map(sizes).find(|(l, r)| l != r) {
            return rule(constraint, format!("matched sizes are {l} and {r}"));
        }
    }
    let [lhs_contracting, rhs_contracting] = contracting;
    Ok(DotDimensionNumbers::contracting(lhs_contracting, rhs_contracting)
        .batch(batching[0].as_slice(), batching[1].as_slice()))
}
