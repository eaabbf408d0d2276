//! Makes random shapes: of a whole result, and of operands that broadcast to it.

use crate::random::Random;

/// Sizes that an inner dimension must have had: around one and two quads and around a tile.
pub const INNER_SIZES: &[usize] = &[1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17];
pub const HIGHEST_RANK: usize = 8;

/// Sizes of a result, outermost first.
pub fn result(random: &mut Random) -> Vec<usize> {
    let rank = random.weighted(&[3, 12, 16, 16, 13, 11, 10, 10, 9]);
    let mut dims = vec![1; rank];
    // Most results are small, so that many are tried; the large ones take many workgroups.
    let mut left = random.pick(&[300, 2_000, 2_000, 2_000, 10_000, 60_000]);
    // Equal sizes let one array stand along different dimensions.
    let cube = random.percent(20).then(|| random.pick(&[2, 3, 4, 8]));
    // Rows that are whole quads are planned in another way than rows that are not.
    let quads = random.percent(25).then(|| random.pick(&[4, 8, 12, 16, 32, 64, 128, 256]));
    let mut order: Vec<usize> = (0..rank.saturating_sub(1)).collect();
    random.shuffle(&mut order);
    for dim in rank.checked_sub(1).into_iter().chain(order) {
        let inner = dim + 1 == rank;
        let size = match (inner, cube, quads) {
            (_, Some(size), _) => size,
            (true, None, Some(size)) => size,
            (true, None, None) => random.pick(INNER_SIZES),
            (false, ..) => random.pick(&[1, 2, 2, 3, 3, 4, 5, 6, 7, 16, 17, 33, 64]),
        };
        // A size that does not fit any more becomes as large as it may.
        dims[dim] = size.min(left);
        left /= dims[dim].max(1);
    }
    // Whole blocks of two dimensions, for operands that are transposed.
    let outer: usize = dims[..rank.saturating_sub(2)].iter().product();
    if rank > 1 && outer <= 100 && random.percent(20) {
        dims[rank - 2] = random.pick(&[4, 8, 16, 24]);
        dims[rank - 1] = random.pick(&[4, 8, 8, 16, 32]);
    }
    if rank > 0 && random.percent(6) {
        dims[random.below(rank)] = 0;
    }
    dims
}

/// Two operands of a binary operation whose result has the sizes `out`.
pub struct Pair {
    pub lhs: Vec<usize>,
    pub rhs: Vec<usize>,
    pub broadcast_dimensions: Vec<i64>,
}

/// The operand that has a dimension in full; the other one has size 1 there.
#[derive(Clone, Copy, PartialEq)]
enum Has {
    Both,
    First,
    Second,
}

pub fn pair(random: &mut Random, out: &[usize]) -> Pair {
    let rank = out.len();
    let (mut first, second, dims) = match random.weighted(&[15, 10, 35, 40]) {
        0 => (out.to_vec(), out.to_vec(), maybe_identity(random, rank)),
        1 => (vec![], out.to_vec(), vec![]),
        2 => {
            let (first, second) = degenerate(random, out);
            (first, second, maybe_identity(random, rank))
        }
        _ if rank < 2 => (vec![], out.to_vec(), vec![]),
        _ => {
            let count = 1 + random.below(rank - 1);
            let dims = random.subset(rank, count);
            let (low, high) = lower(random, out, &dims);
            (low, high, signed(&dims))
        }
    };
    // The operands may be exchanged only if their ranks are equal.
    let mut second = second;
    if random.percent(50) {
        std::mem::swap(&mut first, &mut second);
    }
    Pair { lhs: first, rhs: second, broadcast_dimensions: dims }
}

/// Sizes of an operand that has the dimensions `dims` of `out`, and of the one that has all: each
/// size of `out` is in at least one of the two.
fn lower(random: &mut Random, out: &[usize], dims: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let mut high = out.to_vec();
    let low = dims
        .iter()
        .map(|&dim| match random.weighted(&[60, 20, 20]) {
            0 => out[dim],
            1 => 1,
            _ => {
                high[dim] = 1;
                out[dim]
            }
        })
        .collect();
    (low, high)
}

/// The operand of full rank for a lower-rank one that is there already.
pub fn partner(random: &mut Random, out: &[usize], low: &[usize], dims: &[usize]) -> Vec<usize> {
    let mut high = out.to_vec();
    for (&size, &dim) in low.iter().zip(dims) {
        if size == out[dim] && random.percent(25) {
            high[dim] = 1;
        }
    }
    high
}

/// Two operands of the result's rank that share its dimensions between them.
fn degenerate(random: &mut Random, out: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let rank = out.len();
    let mut has = vec![Has::Both; rank];
    if random.percent(40) {
        // An outer product: a column of the first operand by a row of the second.
        let cut = random.below(rank + 1);
        has[..cut].fill(Has::First);
        has[cut..].fill(Has::Second);
    } else {
        for who in &mut has {
            *who = [Has::Both, Has::First, Has::Second][random.weighted(&[40, 30, 30])];
        }
    }
    let sizes = |absent: Has| -> Vec<usize> {
        out.iter().zip(&has).map(|(&size, &who)| if who == absent { 1 } else { size }).collect()
    };
    (sizes(Has::Second), sizes(Has::First))
}

fn maybe_identity(random: &mut Random, rank: usize) -> Vec<i64> {
    let dims = if random.percent(20) { (0..rank).collect() } else { vec![] };
    signed(&dims)
}

/// An operand of `broadcast_in_dim` to `out`: its sizes and its dimensions.
pub fn in_dim(random: &mut Random, out: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let count = random.below(out.len() + 1);
    let dims = random.subset(out.len(), count);
    let sizes = dims.iter().map(|&d| if random.percent(20) { 1 } else { out[d] }).collect();
    (sizes, dims)
}

/// Some way in which an array of the sizes `x` broadcasts to `out` along increasing dimensions.
pub fn embedding(random: &mut Random, x: &[usize], out: &[usize]) -> Option<Vec<usize>> {
    if x.len() > out.len() {
        return None;
    }
    let fits = |dims: &Vec<usize>| {
        dims.len() == x.len() && dims.iter().zip(x).all(|(&d, &size)| size == 1 || size == out[d])
    };
    let mut ways: Vec<Vec<usize>> = subsets(out.len()).filter(fits).collect();
    random.shuffle(&mut ways);
    ways.pop()
}

/// All increasing lists of dimensions below `rank`.
pub fn subsets(rank: usize) -> impl Iterator<Item = Vec<usize>> {
    (0..1u32 << rank).map(move |mask| (0..rank).filter(|dim| mask >> dim & 1 == 1).collect())
}

pub fn signed(numbers: &[usize]) -> Vec<i64> {
    numbers.iter().map(|&n| n as i64).collect()
}
