//! `gather`, where it takes elements, or slices that are whole in the other dimensions, at indices along
//! one dimension.

use std::rc::Rc;

use indim_core::{Op, Shape};

use crate::lower::attributes::list;
use crate::lower::elementwise::{expect_count, value};
use crate::lower::state::Lowering;
use crate::lower::value::{Value, array_type};
use crate::report::problem::Finding;
use crate::syntax::cursor::Result;
use crate::syntax::module::Operation;

/// The lists of a gather, by their names in the specification.
struct Numbers {
    offset_dims: Vec<i64>,
    collapsed_slice_dims: Vec<i64>,
    operand_batching_dims: Vec<i64>,
    start_indices_batching_dims: Vec<i64>,
    start_index_map: Vec<i64>,
    index_vector_dim: usize,
}

/// A gather along one dimension.
struct Gather {
    along: usize,
    /// The sizes of the indices, without the dimension that holds the parts of one index.
    indices: Vec<usize>,
    /// The order of the dimensions of the take in the result; `None` where each element is taken at an
    /// index of its own.
    order: Option<Vec<usize>>,
}

/// Lowers a gather.
pub(crate) fn gather<'a>(
    l: &mut Lowering<'_, 'a>,
    operation: &Operation<'a>,
    operands: &[Rc<Value<'a>>],
) -> Result<Vec<Value<'a>>> {
    expect_count(operation, 2, operands.len())?;
    let unsupported = |message: String| Finding::unsupported(operation.place(), message);
    let shape = |of: &Value<'a>| array_type(&of.of).map(|(_, shape)| shape).map_err(unsupported);
    let (x, starts) = (shape(&operands[0])?, shape(&operands[1])?);
    let numbers = numbers(operation)?;
    let slice = list(operation, &["slice_sizes"])?;
    let Some(gather) = simple(&numbers, &slice, &x, &starts) else {
        let message = "a gather of this form is not implemented".to_owned();
        return Err(unsupported(message).help(
            "implemented are those along one collapsed dimension, whole in the others, as jnp.take writes them",
        ));
    };
    let ops = l.ops(operation, operands)?;
    let op = taken(l, operation, [ops[0], ops[1]], &gather)?;
    value(l, operation, op).map(|value| vec![value])
}

fn taken(
    l: &mut Lowering<'_, '_>,
    operation: &Operation<'_>,
    [x, starts]: [Op; 2],
    gather: &Gather,
) -> Result<Op> {
    let (along, sizes) = (gather.along as i64, Shape::from(gather.indices.clone()));
    l.build(operation, |b| {
        let indices = if *b.shape(starts)? == sizes { starts } else { b.reshape(starts, &sizes)? };
        let Some(order) = &gather.order else {
            return b.take_along_dimension(x, indices, along);
        };
        let taken = b.take(x, indices, along)?;
        if order.is_sorted() { Ok(taken) } else { b.transpose(taken, order.clone()) }
    })
}

fn numbers(operation: &Operation<'_>) -> Result<Numbers> {
    let wrong = |name: &str| {
        let message = format!("attribute `dimension_numbers` must have a list `{name}`");
        Finding::syntax(operation.span.clone(), message).of(operation.name)
    };
    let name = "dimension_numbers";
    let named = operation.attribute(name).ok_or_else(|| {
        let message = format!("attribute `{name}` is missing");
        Finding::syntax(operation.span.clone(), message).of(operation.name)
    })?;
    let list = |name: &str| named.value.list_within(name).ok_or_else(|| wrong(name));
    let index_vector_dim = named.value.text_within("index_vector_dim").unwrap_or("0");
    Ok(Numbers {
        offset_dims: list("offset_dims")?,
        collapsed_slice_dims: list("collapsed_slice_dims")?,
        operand_batching_dims: list("operand_batching_dims")?,
        start_indices_batching_dims: list("start_indices_batching_dims")?,
        start_index_map: list("start_index_map")?,
        index_vector_dim: index_vector_dim.parse().map_err(|_| wrong("index_vector_dim"))?,
    })
}

/// Returns the gather of these numbers, if it is along one dimension.
fn simple(numbers: &Numbers, slice: &[i64], x: &Shape, starts: &Shape) -> Option<Gather> {
    let (&[collapsed], &[mapped]) =
        (numbers.collapsed_slice_dims.as_slice(), numbers.start_index_map.as_slice())
    else {
        return None;
    };
    let rank = x.rank();
    let along = usize::try_from(collapsed).ok().filter(|&d| d < rank && collapsed == mapped)?;
    let mut indices = starts.dims().to_vec();
    let vectors = numbers.index_vector_dim;
    if vectors > indices.len() || vectors < indices.len() && indices.remove(vectors) != 1 {
        return None;
    }
    let others: Vec<usize> = (0..rank).filter(|&d| d != along).collect();
    let is_whole = |d: &usize| slice[*d] == x.dims()[*d] as i64;
    let is_one = |d: &usize| slice[*d] == 1 && x.dims()[*d] > 0;
    if slice.len() != rank || !is_one(&along) {
        return None;
    }
    let (ours, theirs) = (&numbers.operand_batching_dims, &numbers.start_indices_batching_dims);
    if ours.is_empty() && theirs.is_empty() {
        let order = order(&numbers.offset_dims, along, rank, indices.len())?;
        let gather = Gather { along, indices, order: Some(order) };
        return others.iter().all(is_whole).then_some(gather);
    }
    // The dimensions of the indices are those of the operand.
    let as_listed: Vec<i64> = others.iter().map(|&d| d as i64).collect();
    let in_starts = |&d: &usize| if d < vectors { d as i64 } else { d as i64 + 1 };
    let is_listed = *ours == as_listed && theirs.iter().copied().eq(others.iter().map(in_starts));
    let fits = |&d: &usize| indices.get(d) == Some(&x.dims()[d]);
    let is_beside = is_listed && indices.len() == rank && numbers.offset_dims.is_empty();
    (is_beside && others.iter().all(|d| slice[*d] == 1 && fits(d))).then_some(Gather {
        along,
        indices,
        order: None,
    })
}

/// Returns the dimension of a take that each dimension of the result is. A take has those of `count`
/// indices in place of the one along which it takes; in the result the others are at these offsets.
fn order(offsets: &[i64], along: usize, rank: usize, count: usize) -> Option<Vec<usize>> {
    let mut others = (0..along).chain(along + count..rank - 1 + count);
    let mut of_indices = along..along + count;
    let is_sorted = offsets.windows(2).all(|pair| pair[0] < pair[1]);
    let order: Vec<usize> = (0..rank - 1 + count)
        .map(|d| if offsets.contains(&(d as i64)) { others.next() } else { of_indices.next() })
        .collect::<Option<_>>()?;
    (is_sorted && offsets.len() == rank - 1 && others.next().is_none()).then_some(order)
}
