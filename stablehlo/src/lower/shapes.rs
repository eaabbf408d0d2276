//! Iotas, and operations that move elements.

use std::rc::Rc;

use indim_core::{Op, Shape};

use crate::lower::attributes::{integer, list};
use crate::lower::elementwise::{expect_count, value};
use crate::lower::state::{Lowering, result_types};
use crate::lower::value::{Kind, Value, array_type};
use crate::report::problem::Finding;
use crate::syntax::attribute::Attribute;
use crate::syntax::cursor::Result;
use crate::syntax::module::Operation;
use crate::syntax::names::Meaning;

/// Lowers an operation that moves elements, or an iota.
pub(crate) fn shaped<'a>(
    l: &mut Lowering<'_, 'a>,
    operation: &Operation<'a>,
    meaning: Meaning,
    operands: &[Rc<Value<'a>>],
) -> Result<Vec<Value<'a>>> {
    if meaning == Meaning::Iota {
        return iota(l, operation);
    }
    match meaning {
        Meaning::Concatenate if operands.is_empty() => {
            let message = "the operation has no operand";
            return Err(Finding::rule(operation.place(), "C3", message));
        }
        Meaning::DynamicSlice if operands.is_empty() => {
            let message = "the operation has no operand";
            return Err(Finding::syntax(operation.span.clone(), message).of(operation.name));
        }
        Meaning::Concatenate | Meaning::DynamicSlice => {}
        Meaning::Pad => expect_count(operation, 2, operands.len())?,
        _ => expect_count(operation, 1, operands.len())?,
    }
    if let Some(splat) = moved_splat(operation, meaning, operands) {
        return splat.map(|value| vec![value]);
    }
    let x = l.op(operation, &operands[0])?;
    let mut along = None;
    let op = match meaning {
        Meaning::BroadcastInDim => {
            let dimensions = list(operation, &["broadcast_dimensions", "dims"])?;
            along = iota_after(&operands[0], &dimensions);
            broadcast_in_dim(l, operation, x, &dimensions)?
        }
        Meaning::Broadcast => {
            let sizes = list(operation, &["broadcast_sizes", "sizes"])?;
            l.build(operation, |b| b.broadcast(x, sizes))?
        }
        Meaning::Transpose => {
            let permutation = list(operation, &["permutation", "dims"])?;
            l.build(operation, |b| b.transpose(x, permutation))?
        }
        Meaning::Reshape => {
            let shape = result_shape(operation)?;
            l.build(operation, |b| b.reshape(x, &shape))?
        }
        Meaning::Reverse => {
            let dimensions = list(operation, &["dimensions", "dims"])?;
            check_unique(operation, "C2", &dimensions)?;
            l.build(operation, |b| b.reverse(x, dimensions))?
        }
        Meaning::Slice => slice(l, operation, x)?,
        Meaning::DynamicSlice => dynamic_slice(l, operation, x, operands)?,
        Meaning::Pad => {
            let value = l.op(operation, &operands[1])?;
            pad(l, operation, [x, value], operands)?
        }
        _ => {
            let ops = l.ops(operation, operands)?;
            concatenate(l, operation, &ops, operands)?
        }
    };
    let value = value(l, operation, op)?;
    Ok(vec![Value { iota: along, ..value }])
}

/// Returns the shape of the result.
fn result_shape(operation: &Operation<'_>) -> Result<Shape> {
    let of = result_types(operation).first().and_then(|of| array_type(of).ok());
    let message = "the type of the result is missing";
    of.map(|(_, shape)| shape)
        .ok_or_else(|| Finding::syntax(operation.span.clone(), message).of(operation.name))
}

/// Returns a broadcast or reshaped splat, which is a splat: its shape may be huge.
fn moved_splat<'a>(
    operation: &Operation<'a>,
    meaning: Meaning,
    operands: &[Rc<Value<'a>>],
) -> Option<Result<Value<'a>>> {
    let is_scalar = operands[0].of.tensor().is_some_and(|of| of.sizes.is_empty());
    let Kind::Splat(_) = operands[0].kind else { return None };
    if !(is_scalar && meaning == Meaning::BroadcastInDim) {
        return None;
    }
    let dimensions = match list(operation, &["broadcast_dimensions", "dims"]) {
        Ok(dimensions) => dimensions,
        Err(finding) => return Some(Err(finding)),
    };
    let of = result_types(operation).first().copied()?;
    let same_elements =
        of.tensor().map(|of| of.element) == operands[0].of.tensor().map(|of| of.element);
    (dimensions.is_empty() && same_elements)
        .then(|| Ok(Value { of: of.clone(), kind: operands[0].kind.clone(), iota: None }))
}

/// Checks that no dimension is named twice.
pub(crate) fn check_unique(
    operation: &Operation<'_>,
    constraint: &str,
    dimensions: &[i64],
) -> Result<()> {
    let mut sorted = dimensions.to_vec();
    sorted.sort_unstable();
    match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
        Some(pair) => {
            let message = format!("dimension {} is named twice", pair[0]);
            Err(Finding::rule(operation.place(), constraint, message)
                .help("name each dimension once"))
        }
        None => Ok(()),
    }
}

fn iota<'a>(l: &mut Lowering<'_, 'a>, operation: &Operation<'a>) -> Result<Vec<Value<'a>>> {
    let dimension = integer(operation, &["iota_dimension", "dim"])?;
    let Some(&of) = result_types(operation).first() else {
        return Err(Finding::syntax(operation.span.clone(), "the type of the result is missing"));
    };
    let unsupported = |message| Finding::unsupported(operation.place(), message);
    let (element_type, shape) = array_type(of).map_err(unsupported)?;
    let op = l.build(operation, |b| b.iota(element_type, &shape, dimension))?;
    Ok(vec![Value { iota: Some(dimension), ..Value::new(of.clone(), op) }])
}

/// Returns the dimension along which a broadcast iota is one.
fn iota_after(operand: &Value<'_>, dimensions: &[i64]) -> Option<i64> {
    let along = usize::try_from(operand.iota?).ok()?;
    // A size of 1 stretches to copies of the index 0.
    let is_long = operand.of.tensor()?.sizes.get(along).copied().flatten()? > 1;
    is_long.then(|| dimensions.get(along).copied()).flatten()
}

/// Lowers a broadcast. Its dimensions may be in any order, in the library they increase.
fn broadcast_in_dim(
    l: &mut Lowering<'_, '_>,
    operation: &Operation<'_>,
    x: Op,
    dimensions: &[i64],
) -> Result<Op> {
    let shape = result_shape(operation)?;
    let rank = l.builder().shape(x).map_or(0, Shape::rank);
    if rank != dimensions.len() {
        let message = format!("dimensions are {dimensions:?}, not one for each of the {rank}");
        return Err(Finding::rule(operation.place(), "C2", message));
    }
    check_unique(operation, "C4", dimensions)?;
    if dimensions.is_sorted() {
        return l.build(operation, |b| b.broadcast_in_dim(x, &shape, dimensions));
    }
    let mut order: Vec<usize> = (0..dimensions.len()).collect();
    order.sort_by_key(|&d| dimensions[d]);
    let sorted: Vec<i64> = order.iter().map(|&d| dimensions[d]).collect();
    l.build(operation, |b| {
        let permuted = b.transpose(x, order)?;
        b.broadcast_in_dim(permuted, &shape, sorted)
    })
}

fn slice(l: &mut Lowering<'_, '_>, operation: &Operation<'_>, x: Op) -> Result<Op> {
    let ranges = match operation.attribute("ranges").map(|named| &named.value) {
        Some(Attribute::Ranges(ranges)) => ranges.clone(),
        // `[]` of a scalar.
        Some(Attribute::Integers(none)) if none.is_empty() => [const { Vec::new() }; 3],
        _ => [
            list(operation, &["start_indices"])?,
            list(operation, &["limit_indices"])?,
            list(operation, &["strides"])?,
        ],
    };
    let [starts, limits, strides] = ranges;
    l.build(operation, |b| b.slice(x, starts, limits, strides))
}

/// Lowers a slice that begins at constants: it is moved to lie within the operand.
fn dynamic_slice<'a>(
    l: &mut Lowering<'_, 'a>,
    operation: &Operation<'a>,
    x: Op,
    operands: &[Rc<Value<'a>>],
) -> Result<Op> {
    let sizes = list(operation, &["slice_sizes", "sizes"])?;
    let shape = l.builder().shape(x).cloned();
    let shape =
        shape.map_err(|error| Finding::unsupported(operation.place(), error.to_string()))?;
    let rank = shape.rank();
    if sizes.len() != rank || operands.len() != rank + 1 {
        let (indices, sizes) = (operands.len() - 1, sizes.len());
        let message = format!(
            "there are {indices} start indices and {sizes} sizes for an operand of rank {rank}"
        );
        return Err(Finding::rule(operation.place(), "C2", message));
    }
    for index in &operands[1..] {
        let of = index.of.tensor().filter(|of| of.sizes.is_empty());
        if of.and_then(|of| of.element_type()?.integer_range()).is_none() {
            let message = format!("a start index is {}, not a scalar of integers", index.of);
            return Err(Finding::rule(operation.place(), "I2", message));
        }
        if index.of != operands[1].of {
            let message = format!("start indices are {} and {}", operands[1].of, index.of);
            return Err(Finding::rule(operation.place(), "C3", message));
        }
    }
    let wholes: Vec<i64> =
        shape.dims().iter().map(|&whole| i64::try_from(whole).unwrap_or(i64::MAX)).collect();
    let mut pairs = sizes.iter().zip(&wholes);
    if let Some((size, whole)) = pairs.find(|&(size, whole)| !(0..=*whole).contains(size)) {
        let message = format!("a size is {size}, but the operand is {whole} long there");
        return Err(Finding::rule(operation.place(), "C4", message));
    }
    let [mut starts, mut limits] = [const { Vec::new() }; 2];
    for ((index, &size), &whole) in operands[1..].iter().zip(&sizes).zip(&wholes) {
        let start = match &index.kind {
            Kind::Splat(value) => match value.value() {
                indim_core::ScalarValue::Integer(start) => start,
                _ => 0,
            },
            _ => {
                let message = "start indices that are not constants are not implemented";
                return Err(Finding::unsupported(operation.place(), message)
                    .help("use `stablehlo.slice`, or indices known when the program is written"));
            }
        };
        let start = start.clamp(0, i128::from(whole - size)) as i64;
        starts.push(start);
        limits.push(start + size);
    }
    l.build(operation, |b| b.slice(x, starts, limits, vec![1_i64; rank]))
}

fn pad(
    l: &mut Lowering<'_, '_>,
    operation: &Operation<'_>,
    [x, value]: [Op; 2],
    operands: &[Rc<Value<'_>>],
) -> Result<Op> {
    let low = list(operation, &["edge_padding_low", "low"])?;
    let high = list(operation, &["edge_padding_high", "high"])?;
    let interior = list(operation, &["interior_padding", "interior"])?;
    if let Some(negative) = interior.iter().find(|&&amount| amount < 0) {
        let message = format!("an interior amount is {negative}; they are 0 or more");
        return Err(Finding::rule(operation.place(), "C3", message));
    }
    if operands[1].of.tensor().is_some_and(|of| !of.sizes.is_empty()) {
        let message = format!("the padding value is {}, not a scalar", operands[1].of);
        return Err(Finding::rule(operation.place(), "I2", message));
    }
    l.build(operation, |b| b.pad(x, value, low, high, interior))
}

fn concatenate(
    l: &mut Lowering<'_, '_>,
    operation: &Operation<'_>,
    ops: &[Op],
    operands: &[Rc<Value<'_>>],
) -> Result<Op> {
    let dimension = integer(operation, &["dimension", "dim"])?;
    let rank = operands[0].of.tensor().map_or(0, |of| of.sizes.len());
    if !usize::try_from(dimension).is_ok_and(|dimension| dimension < rank) {
        let message = format!("dimension {dimension} is not one of the {rank} of the operands");
        return Err(Finding::rule(operation.place(), "C4", message));
    }
    l.build(operation, |b| b.concatenate(ops, dimension))
}
