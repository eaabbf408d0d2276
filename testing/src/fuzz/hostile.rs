//! Makes hostile calls: sizes whose products overflow, ranks of 100, lists of any length with any
//! numbers in them. The rules define which result or error each must give.

use indim::{ElementType, OpClass, Opcode};

use crate::programs::data;
use crate::programs::program::{Call, Place, Type};
use crate::random::Random;

/// The rank from which on no further dimensions are added.
const HIGHEST_RANK: usize = 200;

/// A call on values of these types, of which there is at least one.
pub fn call(random: &mut Random, types: &[Type]) -> Call {
    let x = random.below(types.len());
    let rank = types[x].dims.len();
    match random.weighted(&[8, 6, 14, 6, 5, 4, 4, 4, 4, 6, 8, 7, 9, 6, 9, 4, 9, 6, 6, 8, 6]) {
        0 => Call::Iota {
            element: random.pick(ElementType::ALL),
            sizes: sizes(random),
            dimension: number(random),
        },
        1 => {
            let element = random.pick(ElementType::ALL);
            Call::Constant { element, bits: data::constant(random, element) }
        }
        2 => {
            let rhs = alike(random, types, x);
            let opcode = of_class(random, &[OpClass::Binary, OpClass::Compare]);
            let dims = if random.percent(40) { vec![] } else { dimensions(random, rank) };
            Call::Binary { opcode, lhs: x, rhs, dims }
        }
        3 => Call::Unary { opcode: of_class(random, &[OpClass::Unary]), x },
        4 => Call::Bitcast { x, to: random.pick(ElementType::ALL) },
        5 => Call::Convert { x, to: random.pick(ElementType::ALL) },
        6 => {
            let pred = random.below(types.len());
            Call::Select { pred, on_true: x, on_false: alike(random, types, x) }
        }
        7 => Call::Clamp { min: alike(random, types, x), x, max: alike(random, types, x) },
        8 => {
            let (exponent_bits, mantissa_bits) = (number(random), number(random));
            Call::ReducePrecision { x, exponent_bits, mantissa_bits }
        }
        9 if rank < HIGHEST_RANK => Call::Broadcast { x, sizes: sizes(random) },
        10 => in_dim(random, x, &types[x].dims),
        11 => {
            let mut permutation: Vec<i64> = (0..rank as i64).collect();
            random.apart(|random| random.shuffle(&mut permutation));
            Call::Transpose { x, permutation: spoilt(random, permutation) }
        }
        12 => slice(random, x, &types[x].dims),
        13 => Call::Reverse { x, dims: dimensions(random, rank) },
        14 => reshape(random, x, &types[x].dims),
        16 => pad(random, x, types),
        17 => {
            let mut operands = vec![x; random.below(4)];
            operands.push(alike(random, types, x));
            let inside = random.below(rank.max(1)) as i64;
            let dimension = if random.percent(70) { inside } else { number(random) };
            Call::Concatenate { operands, dimension }
        }
        18 => {
            let dims = dimensions(random, rank);
            let shifts = dims.iter().map(|_| number(random)).collect();
            Call::Roll { x, shifts: spoilt(random, shifts), dims }
        }
        19 => {
            let opcode = of_class(random, &[OpClass::Reduce]);
            Call::Reduce { opcode, x, dims: dimensions(random, rank) }
        }
        20 => {
            let opcode = of_class(random, &[OpClass::Take]);
            let integers: Vec<usize> = (0..types.len())
                .filter(|&id| types[id].element.integer_range().is_some())
                .collect();
            let any = integers.is_empty() || random.percent(15);
            let indices = if any { random.below(types.len()) } else { random.pick(&integers) };
            let inside = random.below(rank.max(1)) as i64;
            let dimension = if random.percent(70) { inside } else { number(random) };
            Call::Take { opcode, x, indices, dimension }
        }
        _ => Call::NextAfter { from: x, to: alike(random, types, x) },
    }
}

/// A parameter of any type and shape, which is given no elements.
pub fn parameter(random: &mut Random) -> Call {
    let element = random.pick(ElementType::ALL);
    // Negative numbers become sizes past 2^63, which only a parameter can have.
    let dims = sizes(random).into_iter().map(|size| size.cast_unsigned() as usize).collect();
    Call::Parameter { ty: Type { element, dims }, data: Vec::new(), place: Place::Uploaded }
}

/// Most often a value of the same type, so that types do not hide what shapes do wrong.
fn alike(random: &mut Random, types: &[Type], x: usize) -> usize {
    let same = |&id: &usize| types[id].element == types[x].element;
    let alike: Vec<usize> = (0..types.len()).filter(same).collect();
    if random.percent(85) { random.pick(&alike) } else { random.below(types.len()) }
}

fn of_class(random: &mut Random, classes: &[OpClass]) -> Opcode {
    let all = Opcode::ALL.iter().copied();
    let some: Vec<Opcode> = all.filter(|op| classes.contains(&op.class())).collect();
    random.pick(&some)
}

/// The operand's sizes among others, so that some of them fit.
fn in_dim(random: &mut Random, x: usize, operand: &[usize]) -> Call {
    let mut out: Vec<i64> = Vec::new();
    let mut dims = Vec::new();
    for &size in operand {
        if random.percent(15) && out.len() < HIGHEST_RANK {
            out.push(number(random));
        }
        dims.push(out.len() as i64);
        out.push(if size == 1 { number(random) } else { size as i64 });
    }
    Call::BroadcastInDim { x, sizes: spoilt(random, out), dims: spoilt(random, dims) }
}

fn pad(random: &mut Random, x: usize, types: &[Type]) -> Call {
    let is_scalar = |&id: &usize| types[id].dims.is_empty();
    let same = |&id: &usize| is_scalar(&id) && types[id].element == types[x].element;
    let scalars: Vec<usize> = (0..types.len()).filter(same).collect();
    let value = if scalars.is_empty() { alike(random, types, x) } else { random.pick(&scalars) };
    let mut lists = [vec![], vec![], vec![]];
    for &size in &types[x].dims {
        let size = size as i64;
        let entries = match random.below(5) {
            0 => (1, 0, 0),
            1 => (0, -1, 2),
            2 => (size.wrapping_neg(), size, 0),
            3 => (0, 0, number(random)),
            _ => (number(random), number(random), random.below(3) as i64),
        };
        for (list, entry) in lists.iter_mut().zip([entries.0, entries.1, entries.2]) {
            list.push(entry);
        }
    }
    let [low, high, interior] = lists.map(|list| spoilt(random, list));
    Call::Pad { x, value, low, high, interior }
}

fn slice(random: &mut Random, x: usize, operand: &[usize]) -> Call {
    let mut lists = [vec![], vec![], vec![]];
    for &size in operand {
        let size = size as i64;
        let (start, limit, stride) = match random.below(5) {
            0 => (0, size, 1),
            1 => (0, size, i64::MAX),
            2 => (size / 2, size, 2),
            3 => (size, size, 3),
            _ => (number(random), number(random), number(random)),
        };
        for (list, entry) in lists.iter_mut().zip([start, limit, stride]) {
            list.push(entry);
        }
    }
    let [starts, limits, strides] = lists.map(|list| spoilt(random, list));
    Call::Slice { x, starts, limits, strides }
}

fn reshape(random: &mut Random, x: usize, operand: &[usize]) -> Call {
    let mut sizes: Vec<i64> = operand.iter().map(|&size| size as i64).collect();
    match random.below(4) {
        0 => {
            let product = sizes.iter().try_fold(1i64, |n, &size| n.checked_mul(size));
            sizes = product.into_iter().collect();
        }
        1 if sizes.len() < HIGHEST_RANK => {
            let place = random.below(sizes.len() + 1);
            sizes.splice(place..place, vec![1; random.below(100)]);
        }
        2 => random.apart(|random| random.shuffle(&mut sizes)),
        _ => {}
    }
    Call::Reshape { x, sizes: spoilt(random, sizes) }
}

/// Sizes of a shape: often few and small, so that other calls accept the result.
fn sizes(random: &mut Random) -> Vec<i64> {
    let rank = match random.weighted(&[80, 15, 5]) {
        0 => random.below(4),
        1 => random.below(10),
        _ => random.below(101),
    };
    match random.weighted(&[60, 20, 20]) {
        0 => (0..rank).map(|_| random.below(5) as i64).collect(),
        1 => vec![1; rank],
        _ => (0..rank).map(|_| number(random)).collect(),
    }
}

/// Dimensions of an operand of this rank, or such as it does not have.
fn dimensions(random: &mut Random, rank: usize) -> Vec<i64> {
    let dims: Vec<i64> = match random.below(3) {
        0 => (0..rank as i64).collect(),
        1 => (0..random.below(rank + 1) as i64).collect(),
        _ => (0..random.below(6)).map(|_| random.below(rank + 2) as i64 - 1).collect(),
    };
    spoilt(random, dims)
}

/// The list, or one with something changed.
fn spoilt(random: &mut Random, mut list: Vec<i64>) -> Vec<i64> {
    let place = (!list.is_empty()).then(|| random.below(list.len()));
    match (random.weighted(&[60, 15, 10, 10, 5]), place) {
        (1, Some(place)) => list[place] = number(random),
        (2, Some(place)) => {
            list.remove(place);
        }
        (3, _) => list.push(number(random)),
        (4, Some(place)) => list.push(list[place]),
        _ => {}
    }
    list
}

/// Small, at a border of some width, or anything.
fn number(random: &mut Random) -> i64 {
    const BORDERS: &[i64] = &[
        -1,
        i64::MIN,
        i64::MIN + 1,
        i64::MAX,
        i64::MAX - 1,
        1 << 62,
        1 << 61,
        (1 << 32) - 1,
        1 << 32,
        (1 << 32) + 1,
        (1 << 31) - 1,
        1 << 31,
        1 << 30,
        65_535,
        65_536,
        16,
    ];
    match random.weighted(&[60, 35, 5]) {
        0 => random.below(6) as i64,
        1 => random.pick(BORDERS),
        _ => random.bits().cast_signed(),
    }
}
