//! Pad, concatenate and roll: their rules a second time, from XLA's and NumPy's semantics; their
//! results, element by element; and random calls.

use crate::oracle::value::Value;
use crate::programs::program::{Call, Type};
use crate::random::Random;

// ---- rules ----------------------------------------------------------------------------------

/// The result's type, and the type that it has in whole groups of an element with those between it
/// and the next, both of which must be countable; or the rule that is broken.
pub fn pad(
    x: &Type,
    value: &Type,
    low: &[i64],
    high: &[i64],
    interior: &[i64],
) -> Result<[Type; 2], &'static str> {
    let rank = x.dims.len();
    if !value.dims.is_empty() || [low, high, interior].iter().any(|list| list.len() != rank) {
        return Err("V7");
    }
    if x.element != value.element {
        return Err("T2");
    }
    if interior.iter().any(|&n| n < 0) {
        return Err("V8");
    }
    let (mut dims, mut whole) = (Vec::new(), Vec::new());
    for (dim, &size) in x.dims.iter().enumerate() {
        let between = size.saturating_sub(1) as i128;
        let group = i128::from(interior[dim]) + 1;
        let padded =
            size as i128 + i128::from(low[dim]) + i128::from(high[dim]) + between * (group - 1);
        if padded < 0 {
            return Err("V8");
        }
        dims.push(usize::try_from(padded).unwrap_or(usize::MAX));
        let rounded = if size > 1 { (padded + group - 1) / group * group } else { padded };
        whole.push(usize::try_from(rounded).unwrap_or(usize::MAX));
    }
    // Where there is nothing to put between, there are no groups.
    if x.dims.contains(&0) || dims.contains(&0) {
        whole.clone_from(&dims);
    }
    Ok([dims, whole].map(|dims| Type { element: x.element, dims }))
}

/// The result's type, or the rule that is broken.
pub fn concatenate(operands: &[Type], dimension: i64) -> Result<Type, &'static str> {
    let Some(first) = operands.first() else { return Err("V9") };
    let along = usize::try_from(dimension).ok().filter(|&d| d < first.dims.len());
    let Some(along) = along else { return Err("V9") };
    let mut ty = Type { element: first.element, dims: first.dims.clone() };
    for other in &operands[1..] {
        if other.dims.len() != first.dims.len() {
            return Err("V9");
        }
        if other.element != first.element {
            return Err("T2");
        }
        for (dim, &size) in other.dims.iter().enumerate() {
            if dim == along {
                ty.dims[dim] = ty.dims[dim].saturating_add(size);
            } else if size != first.dims[dim] {
                return Err("V9");
            }
        }
    }
    Ok(ty)
}

/// The result's type, which is the operand's, or the rule that is broken.
pub fn roll(x: Type, shifts: &[i64], dims: &[i64]) -> Result<Type, &'static str> {
    let known = |&dim: &i64| (0..x.dims.len() as i64).contains(&dim);
    if shifts.len() == dims.len() && dims.iter().all(known) { Ok(x) } else { Err("V10") }
}

// ---- values ---------------------------------------------------------------------------------

/// Sizes, and the elements of an array of these sizes.
pub type Elements<'a> = (&'a [usize], &'a [Value]);

/// Puts each element of `x` to its place among copies of the value.
pub fn padded(
    (dims, elements): Elements<'_>,
    value: Value,
    low: &[i64],
    interior: &[i64],
    out: &[usize],
) -> Vec<Value> {
    let mut values = vec![value; if out.contains(&0) { 0 } else { out.iter().product() }];
    for (number, &element) in elements.iter().enumerate() {
        let to = |dim: usize, i: usize| {
            let to = i128::from(low[dim]) + i as i128 * (i128::from(interior[dim]) + 1);
            usize::try_from(to).ok()
        };
        if let Some(place) = place(number, dims, out, to) {
            values[place] = element;
        }
    }
    values
}

/// Appends the elements of each operand to those of the operands before it.
pub fn concatenated(operands: &[Elements<'_>], dimension: usize, out: &[usize]) -> Vec<Value> {
    let count = if out.contains(&0) { 0 } else { out.iter().product() };
    let mut values: Vec<Option<Value>> = vec![None; count];
    let mut start = 0;
    for &(dims, elements) in operands {
        for (number, &element) in elements.iter().enumerate() {
            let to = |dim: usize, i: usize| Some(if dim == dimension { start + i } else { i });
            if let Some(place) = place(number, dims, out, to) {
                values[place] = Some(element);
            }
        }
        start += dims[dimension];
    }
    values.into_iter().map(|value| value.expect("an element in each place")).collect()
}

/// Puts each element `shifts` further, one shift after the other.
pub fn rolled((sizes, elements): Elements<'_>, shifts: &[i64], dims: &[i64]) -> Vec<Value> {
    let mut values = elements.to_vec();
    for (&shift, &dimension) in shifts.iter().zip(dims) {
        let before = std::mem::take(&mut values);
        values = before.clone();
        for (number, &element) in before.iter().enumerate() {
            let to = |dim: usize, i: usize| {
                let size = sizes[dim] as i128;
                let moved = (i as i128 + i128::from(shift)).rem_euclid(size) as usize;
                Some(if dim as i64 == dimension { moved } else { i })
            };
            if let Some(place) = place(number, sizes, sizes, to) {
                values[place] = element;
            }
        }
    }
    values
}

/// The place in an array of sizes `out` of the element of this number in one of sizes `dims`, with
/// its index along each dimension changed by `to`; none if it is outside.
fn place(
    number: usize,
    dims: &[usize],
    out: &[usize],
    to: impl Fn(usize, usize) -> Option<usize>,
) -> Option<usize> {
    let mut rest = number;
    let mut index = vec![0; dims.len()];
    for (dim, &size) in dims.iter().enumerate().rev() {
        index[dim] = rest % size;
        rest /= size;
    }
    let mut place = 0;
    for (dim, &i) in index.iter().enumerate() {
        place = place * out[dim] + to(dim, i).filter(|&i| i < out[dim])?;
    }
    Some(place)
}

// ---- random ones ----------------------------------------------------------------------------

/// Amounts that pad an operand to the sizes `out`: the operand's sizes, and the low, high and
/// interior amounts.
pub fn padding(random: &mut Random, out: &[usize]) -> (Vec<usize>, [Vec<i64>; 3]) {
    let mut dims = Vec::new();
    let mut lists = [vec![], vec![], vec![]];
    for &size in out {
        let low = if random.percent(60) { random.below(7) as i64 - 3 } else { 0 };
        let high = if random.percent(60) { random.below(7) as i64 - 3 } else { 0 };
        let interior = if random.percent(25) { random.below(4) as i64 } else { 0 };
        // The largest operand that fits, and then the amount after it that makes it fit.
        let room = (size as i64 - low - high + interior).max(0);
        let own = room / (interior + 1);
        let spread = own + (own - 1).max(0) * interior;
        dims.push(own as usize);
        for (list, entry) in lists.iter_mut().zip([low, size as i64 - low - spread, interior]) {
            list.push(entry);
        }
    }
    (dims, lists)
}

/// Sizes of operands along a dimension that together are `size`, now and then none.
pub fn parts(random: &mut Random, size: usize) -> Vec<usize> {
    let count = 1 + random.weighted(&[1, 5, 4, 2, 1, 1]);
    let mut cuts: Vec<usize> = (1..count).map(|_| random.below(size + 1)).collect();
    cuts.sort_unstable();
    let ends = cuts.iter().copied().chain([size]);
    let starts = [0].into_iter().chain(cuts.iter().copied());
    ends.zip(starts).map(|(end, start)| end - start).collect()
}

/// A roll of an operand of these sizes: to either side, now and then more than once around.
pub fn roll_of(random: &mut Random, x: usize, sizes: &[usize]) -> Call {
    let count = 1 + random.below(2);
    let (mut shifts, mut dims) = (Vec::new(), Vec::new());
    for _ in 0..count.min(sizes.len()) {
        let dim = random.below(sizes.len());
        let reach = if random.percent(70) { 3 } else { 2 * sizes[dim] as i64 + 3 };
        shifts.push(random.below(2 * reach as usize + 1) as i64 - reach);
        dims.push(dim as i64);
    }
    Call::Roll { x, shifts, dims }
}
