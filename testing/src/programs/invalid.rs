//! Makes calls that are likely to be wrong: right ones with something changed. The rules decide
//! whether a call is wrong, not this file.

use indim::{ElementType, OpClass, Opcode};

use crate::programs::program::{Call, Id, Type};
use crate::random::Random;

/// A call on values of these types.
pub fn call(random: &mut Random, types: &[Type]) -> Call {
    let any = |random: &mut Random| random.below(types.len());
    match random.weighted(&[50, 6, 6, 8, 8, 6, 12, 6, 24, 6, 6, 18, 12]) {
        0 => {
            let (lhs, rhs) = operands(random, types);
            let (a, b) = (&types[lhs].dims, &types[rhs].dims);
            let high = if a.len() >= b.len() { a } else { b };
            let low = if a.len() >= b.len() { b } else { a };
            let element = types[lhs].element;
            let opcode = op(random, &[OpClass::Binary, OpClass::Compare], element);
            let equal = a.len() == b.len();
            let dims = if equal && random.percent(60) { vec![] } else { dims(random, low, high) };
            Call::Binary { opcode, lhs, rhs, dims }
        }
        1 => {
            let x = any(random);
            Call::Unary { opcode: random.pick(&ops(&[OpClass::Unary])), x }
        }
        2 => Call::Bitcast { x: any(random), to: random.pick(ElementType::ALL) },
        3 => Call::Select { pred: any(random), on_true: any(random), on_false: any(random) },
        4 => Call::Clamp { min: any(random), x: any(random), max: any(random) },
        5 => {
            let rank = random.below(4);
            let sizes = (0..rank).map(|_| size(random)).collect();
            Call::Broadcast { x: any(random), sizes }
        }
        6 => {
            let x = any(random);
            // The operand's sizes among others, so that some of them fit.
            let low = &types[x].dims;
            let mut high: Vec<i64> = low
                .iter()
                .map(|&d| if random.percent(80) { d as i64 } else { size(random) })
                .collect();
            for _ in 0..random.below(3) {
                high.insert(random.below(high.len() + 1), size(random));
            }
            if !high.is_empty() && random.percent(15) {
                high.remove(random.below(high.len()));
            }
            let unsigned: Vec<usize> = high.iter().map(|&s| s.max(0) as usize).collect();
            let dims = dims(random, low, &unsigned);
            Call::BroadcastInDim { x, sizes: high, dims }
        }
        9 => Call::NextAfter { from: any(random), to: any(random) },
        10 => Call::ReducePrecision {
            x: any(random),
            exponent_bits: random.below(12) as i64 - 2,
            mantissa_bits: random.below(27) as i64 - 2,
        },
        8 => {
            let x = any(random);
            view(random, x, &types[x].dims)
        }
        11 => moved(random, types),
        12 => {
            let x = any(random);
            let rank = types[x].dims.len();
            let opcode = op(random, &[OpClass::Reduce], types[x].element);
            let mut dims: Vec<i64> = (0..rank as i64).collect();
            random.shuffle(&mut dims);
            dims.truncate(random.below(rank + 1));
            let dims = spoilt(random, dims, rank);
            if random.percent(30) {
                return Call::Position {
                    largest: random.percent(50),
                    wide: random.percent(40),
                    x,
                    dims,
                };
            }
            Call::Reduce { opcode, x, dims }
        }
        _ => {
            let rank = random.below(4);
            let sizes = (0..rank).map(|_| size(random)).collect();
            let dimension = random.below(6) as i64 - 1;
            Call::Iota { element: random.pick(ElementType::ALL), sizes, dimension }
        }
    }
}

/// A view of an operand of these sizes.
fn view(random: &mut Random, x: Id, sizes: &[usize]) -> Call {
    let rank = sizes.len();
    match random.below(4) {
        0 => {
            let mut permutation: Vec<i64> = (0..rank as i64).collect();
            random.shuffle(&mut permutation);
            Call::Transpose { x, permutation: spoilt(random, permutation, rank) }
        }
        1 => {
            let starts: Vec<i64> = sizes.iter().map(|&s| random.below(s + 1) as i64).collect();
            let limit = |(&size, &start): (&usize, &i64)| {
                // Most of them lie between the start and the size.
                start + random.below((size + 1).saturating_sub(start as usize).max(1)) as i64
            };
            let limits: Vec<i64> = sizes.iter().zip(&starts).map(limit).collect();
            let strides = sizes.iter().map(|_| 1 + random.below(3) as i64).collect();
            let which = random.below(6);
            let mut lists = [starts, limits, strides];
            if let Some(list) = lists.get_mut(which) {
                *list = spoilt(random, list.clone(), sizes.iter().copied().max().unwrap_or(0));
            }
            let [starts, limits, strides] = lists;
            Call::Slice { x, starts, limits, strides }
        }
        2 => {
            let count = random.below(rank + 1);
            let dims = crate::programs::shapes::signed(&random.subset(rank, count));
            Call::Reverse { x, dims: spoilt(random, dims, rank) }
        }
        _ => {
            let mut sizes =
                crate::programs::shapes::signed(&crate::programs::views::factors(random, sizes));
            if !sizes.is_empty() && random.percent(50) {
                let place = random.below(sizes.len());
                sizes[place] = size(random);
            }
            Call::Reshape { x, sizes }
        }
    }
}

/// A pad, a concatenation or a roll of an operand.
fn moved(random: &mut Random, types: &[Type]) -> Call {
    let x = random.below(types.len());
    let sizes = &types[x].dims;
    let rank = sizes.len();
    match random.below(3) {
        0 => {
            let amounts = |random: &mut Random, least: i64| -> Vec<i64> {
                let list = (0..rank).map(|_| random.below(4) as i64 + least).collect();
                if random.percent(80) { list } else { spoilt(random, list, 4) }
            };
            let scalars: Vec<Id> =
                (0..types.len()).filter(|&id| types[id].dims.is_empty()).collect();
            let alike: Vec<Id> = scalars
                .iter()
                .copied()
                .filter(|&id| types[id].element == types[x].element)
                .collect();
            let from = [alike, scalars].into_iter().find(|ids| !ids.is_empty());
            let value = match from {
                Some(ids) if random.percent(85) => random.pick(&ids),
                _ => random.below(types.len()),
            };
            let (low, high) = (amounts(random, -2), amounts(random, -1));
            Call::Pad { x, value, low, high, interior: amounts(random, 0) }
        }
        1 => {
            let alike: Vec<Id> = (0..types.len())
                .filter(|&id| types[id].element == types[x].element)
                .filter(|&id| types[id].dims.len() == rank)
                .collect();
            let mut operands = vec![x; random.below(3)];
            for _ in 0..random.below(3) {
                let any = random.below(types.len());
                operands.push(if random.percent(90) { random.pick(&alike) } else { any });
            }
            Call::Concatenate { operands, dimension: random.below(rank + 2) as i64 - 1 }
        }
        _ => {
            let count = random.below(rank + 2);
            let shifts: Vec<i64> = (0..count).map(|_| random.below(9) as i64 - 4).collect();
            let dims = (0..count).map(|_| random.below(rank.max(1)) as i64).collect();
            let dims = if random.percent(50) { dims } else { spoilt(random, dims, rank) };
            Call::Roll { x, shifts, dims }
        }
    }
}

/// A list with something changed, or as it was.
fn spoilt(random: &mut Random, mut list: Vec<i64>, high: usize) -> Vec<i64> {
    let place = (!list.is_empty()).then(|| random.below(list.len()));
    match (random.weighted(&[30, 15, 15, 15, 15, 10]), place) {
        (1, Some(place)) => list[place] = -1 - random.below(3) as i64,
        (2, Some(place)) => list[place] = (high + random.below(3)) as i64,
        (3, Some(place)) => {
            list.remove(place);
        }
        (4, _) => list.push(random.below(high + 1) as i64),
        (5, Some(place)) => list[place] = 0,
        _ => {}
    }
    list
}

/// Two operands, most often of one element type, so that types do not hide what shapes do wrong.
fn operands(random: &mut Random, types: &[Type]) -> (Id, Id) {
    let (lhs, rhs) = (random.below(types.len()), random.below(types.len()));
    let alike: Vec<Id> =
        (0..types.len()).filter(|&id| types[id].element == types[lhs].element).collect();
    (lhs, if random.percent(85) { random.pick(&alike) } else { rhs })
}

fn ops(classes: &[OpClass]) -> Vec<Opcode> {
    Opcode::ALL.iter().copied().filter(|op| classes.contains(&op.class())).collect()
}

/// An op of these classes, most often one that takes `element`.
fn op(random: &mut Random, classes: &[OpClass], element: ElementType) -> Opcode {
    let all = ops(classes);
    let accepting: Vec<Opcode> =
        all.iter().copied().filter(|&op| crate::xla::accepts(op, element)).collect();
    if random.percent(90) { random.pick(&accepting) } else { random.pick(&all) }
}

/// A size, now and then a negative one or one of which two overflow an element count.
fn size(random: &mut Random) -> i64 {
    match random.weighted(&[80, 8, 6, 6]) {
        0 => random.below(6) as i64,
        1 => -1 - random.below(3) as i64,
        2 => 1 << 32,
        _ => i64::MAX,
    }
}

/// Dimensions that may take an array of sizes `low` to one of sizes `high`, or something near it.
fn dims(random: &mut Random, low: &[usize], high: &[usize]) -> Vec<i64> {
    let fitting = crate::programs::shapes::embedding(random, low, high);
    let mut dims = match fitting {
        Some(dims) if random.percent(70) => crate::programs::shapes::signed(&dims),
        _ if low.len() <= high.len() => {
            crate::programs::shapes::signed(&random.subset(high.len(), low.len()))
        }
        _ => (0..low.len() as i64).collect(),
    };
    let place = |random: &mut Random, dims: &[i64]| random.below(dims.len());
    match random.weighted(&[30, 10, 10, 10, 10, 10, 10, 10]) {
        1 => dims.clear(),
        2 => dims.push(random.below(high.len() + 1) as i64),
        3 if !dims.is_empty() => {
            dims.pop();
        }
        4 if !dims.is_empty() => {
            let place = place(random, &dims);
            dims[place] = -1 - random.below(3) as i64;
        }
        5 if !dims.is_empty() => {
            let place = place(random, &dims);
            dims[place] = (high.len() + random.below(3)) as i64;
        }
        6 => random.shuffle(&mut dims),
        7 if dims.len() > 1 => {
            let place = 1 + random.below(dims.len() - 1);
            dims[place] = dims[place - 1];
        }
        _ => {}
    }
    dims
}
