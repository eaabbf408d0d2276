//! Makes random views: transposes, slices, reverses and reshapes that give wanted sizes.

use crate::programs::program::{Call, Id};
use crate::programs::shapes::{HIGHEST_RANK, signed};
use crate::random::Random;

/// Elements of a slice's operand, at most.
const MOST_ELEMENTS: usize = 100_000;

/// A view whose result has the sizes `out`: the sizes of its operand, and the call, whose operand
/// is to be put in.
pub fn view(random: &mut Random, out: &[usize]) -> (Vec<usize>, Call) {
    match random.weighted(&[25, 32, 18, 25]) {
        0 => transpose(random, out),
        1 => slice(random, out),
        2 => {
            let count = random.below(out.len() + 1);
            let mut dims = signed(&random.subset(out.len(), count));
            random.shuffle(&mut dims);
            (out.to_vec(), Call::Reverse { x: 0, dims })
        }
        _ => {
            let sizes = signed(out);
            (factors(random, out), Call::Reshape { x: 0, sizes })
        }
    }
}

fn transpose(random: &mut Random, out: &[usize]) -> (Vec<usize>, Call) {
    let mut permutation: Vec<usize> = (0..out.len()).collect();
    match random.weighted(&[40, 30, 30]) {
        0 => permutation.reverse(),
        1 if out.len() > 1 => permutation.swap(out.len() - 2, out.len() - 1),
        _ => random.shuffle(&mut permutation),
    }
    let mut dims = vec![0; out.len()];
    for (&size, &from) in out.iter().zip(&permutation) {
        dims[from] = size;
    }
    (dims, Call::Transpose { x: 0, permutation: signed(&permutation) })
}

fn slice(random: &mut Random, out: &[usize]) -> (Vec<usize>, Call) {
    let (mut dims, mut starts, mut limits, mut strides) = (vec![], vec![], vec![], vec![]);
    let mut count: usize = out.iter().map(|&size| size.max(1)).product();
    for &size in out {
        let cut = random.percent(60);
        let stride = if cut { random.pick(&[1, 1, 2, 3, 5]) } else { 1 };
        let start = if cut { random.pick(&[0, 1, 2, 4, 7]) } else { 0 };
        // Up to the next step it makes no difference where the limit is.
        let limit = start + size.saturating_sub(1) * stride + usize::from(size > 0);
        let limit = limit + if size > 0 { random.below(stride) } else { 0 };
        let whole = limit + if cut { random.below(4) } else { 0 };
        let grown = count / size.max(1) * whole.max(1);
        let (whole, start, limit, stride) =
            if grown > MOST_ELEMENTS { (size, 0, size, 1) } else { (whole, start, limit, stride) };
        count = count / size.max(1) * whole.max(1);
        dims.push(whole);
        starts.push(start as i64);
        limits.push(limit as i64);
        strides.push(stride as i64);
    }
    (dims, Call::Slice { x: 0, starts, limits, strides })
}

/// Other sizes for as many elements: neighbours merged, sizes split, ones put in or left out.
pub fn factors(random: &mut Random, sizes: &[usize]) -> Vec<usize> {
    let mut sizes = sizes.to_vec();
    for _ in 0..1 + random.below(4) {
        match random.weighted(&[40, 40, 10, 10]) {
            0 if sizes.len() > 1 => {
                let place = random.below(sizes.len() - 1);
                let merged = sizes[place].checked_mul(sizes[place + 1]);
                if let Some(merged) = merged.filter(|&size| i64::try_from(size).is_ok()) {
                    sizes.splice(place..place + 2, [merged]);
                }
            }
            1 if !sizes.is_empty() && sizes.len() < HIGHEST_RANK => {
                let place = random.below(sizes.len());
                let size = sizes[place];
                let divisors: Vec<usize> =
                    (2..=(size / 2).min(1_000)).filter(|&d| size.is_multiple_of(d)).collect();
                if !divisors.is_empty() {
                    let outer = random.pick(&divisors);
                    sizes[place] = size / outer;
                    sizes.insert(place, outer);
                }
            }
            2 if sizes.len() < HIGHEST_RANK => sizes.insert(random.below(sizes.len() + 1), 1),
            3 => {
                if let Some(place) = sizes.iter().position(|&size| size == 1) {
                    sizes.remove(place);
                }
            }
            _ => {}
        }
    }
    if sizes.contains(&0) && random.percent(50) {
        // An array without elements may have any sizes.
        sizes = vec![random.below(4), 0];
        random.shuffle(&mut sizes);
    }
    sizes
}

/// The same view of the same operand with one thing changed.
pub fn changed(call: &Call) -> Vec<Call> {
    let mut found = Vec::new();
    match call {
        Call::Transpose { x, permutation } => {
            for place in 1..permutation.len() {
                let mut permutation = permutation.clone();
                permutation.swap(place - 1, place);
                found.push(Call::Transpose { x: *x, permutation });
            }
        }
        Call::Slice { x, starts, limits, strides } => {
            for dim in 0..starts.len() {
                for by in [-1, 1] {
                    let (mut starts, mut limits) = (starts.clone(), limits.clone());
                    starts[dim] += by;
                    limits[dim] += by;
                    found.push(Call::Slice { x: *x, starts, limits, strides: strides.clone() });
                }
            }
        }
        Call::Reverse { x, dims } => {
            for place in 0..dims.len() {
                let mut dims = dims.clone();
                dims.remove(place);
                found.push(Call::Reverse { x: *x, dims });
            }
        }
        _ => {}
    }
    found
}

/// The call with its operand put in.
pub fn of(mut call: Call, operand: Id) -> Call {
    for id in call.operands_mut() {
        *id = operand;
    }
    call
}
