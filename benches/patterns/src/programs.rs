//! The patterns that array programs are made of: elements at computed indices, cumulative sums, dropout
//! and products of matrices.

use indim::{AnyArray, Array, Context, Expr};

use crate::error::{BenchError, Result};
use crate::patterns::{Pattern, Sizes, count};
use crate::random::random;

/// The share of the elements that dropout keeps.
pub(crate) const SHARE: f32 = 0.9;

/// The seed of its random numbers.
pub(crate) const SEED: u32 = 7;

/// Longer results are compared with the floor alone.
const MOST_ON_HOST: usize = 1 << 24;

/// The largest accepted error, as a part of the largest magnitude.
const TOLERANCE: f64 = 1e-5;

/// Returns the operands of one of these patterns, and its expression.
pub(crate) fn expression(
    gpu: &Context,
    pattern: Pattern,
    sizes: &Sizes,
) -> indim::Result<(Vec<AnyArray>, Expr<f32>)> {
    let x: Array<f32> = random(gpu, &sizes.operands[0], 1)?;
    let mut operands = vec![x.as_any().clone()];
    let expr = match pattern {
        Pattern::Take => {
            let rows = sizes.operands[0][0] as u32;
            let index = |k: u32| (k.wrapping_mul(2_654_435_761) >> 8) % rows;
            let indices: Vec<u32> = (0..rows).map(index).collect();
            let indices = gpu.array(&sizes.operands[1], &indices)?;
            operands.push(indices.as_any().clone());
            x.take(&indices, 0)
        }
        Pattern::CumsumRows => x.cumsum(1),
        Pattern::Dropout => {
            let result: Vec<i64> = sizes.result.iter().map(|&size| size as i64).collect();
            let mask = Expr::random_key(SEED.into()).random_bernoulli(SHARE, &result);
            mask.select(&x / SHARE, 0.0)
        }
        Pattern::Dot | Pattern::DotTall => {
            let y: Array<f32> = random(gpu, &sizes.operands[1], 2)?;
            operands.push(y.as_any().clone());
            x.dot(&y)
        }
        _ => x.cumsum(0),
    };
    Ok((operands, expr))
}

/// Compares a result of one of these patterns with what the host computes in F64.
pub(crate) fn check(
    pattern: Pattern,
    sizes: &Sizes,
    operands: &[AnyArray],
    result: &AnyArray,
) -> Result<()> {
    if count(&sizes.result) > MOST_ON_HOST {
        return Ok(());
    }
    let x = floats(&operands[0])?;
    let expected = match (pattern, operands.get(1)) {
        (Pattern::Take, Some(indices)) => {
            let indices = indices.clone().downcast::<u32>()?.to_vec_blocking()?;
            taken(&x, &indices, sizes.operands[0][1])
        }
        (_, Some(y)) => product(&x, &floats(y)?, sizes),
        (Pattern::Dropout, None) => dropped(&x),
        (Pattern::CumsumColumns, None) => sums(&x, sizes.result[1]),
        (Pattern::CumsumRows, None) => {
            x.chunks(sizes.result[1]).flat_map(|row| sums(row, 1)).collect()
        }
        (_, None) => sums(&x, 1),
    };
    let largest = expected.iter().fold(1.0, |most: f64, x| most.max(x.abs()));
    for (place, (found, expected)) in floats(result)?.into_iter().zip(expected).enumerate() {
        let error = (found - expected).abs();
        if error.is_nan() || error > TOLERANCE * largest {
            let message = format!("element {place} is {found}, but {expected} on the host");
            return Err(BenchError::new(message));
        }
    }
    Ok(())
}

fn floats(array: &AnyArray) -> Result<Vec<f64>> {
    let floats = array.clone().downcast::<f32>()?.to_vec_blocking()?;
    Ok(floats.into_iter().map(f64::from).collect())
}

fn taken(x: &[f64], indices: &[u32], columns: usize) -> Vec<f64> {
    indices.iter().flat_map(|&row| &x[row as usize * columns..][..columns]).copied().collect()
}

/// Returns the sums of each element and those at multiples of `step` before it.
fn sums(x: &[f64], step: usize) -> Vec<f64> {
    let mut sums = x.to_vec();
    for place in step..sums.len() {
        sums[place] += sums[place - step];
    }
    sums
}

fn product(x: &[f64], y: &[f64], sizes: &Sizes) -> Vec<f64> {
    let [inner, columns] = [sizes.operands[1][0], sizes.operands[1][1]];
    let mut result = vec![0.0; count(&sizes.result)];
    for (to, left) in result.chunks_mut(columns).zip(x.chunks(inner)) {
        for (x, right) in left.iter().zip(y.chunks(columns)) {
            to.iter_mut().zip(right).for_each(|(sum, y)| *sum += x * y);
        }
    }
    result
}

fn dropped(x: &[f64]) -> Vec<f64> {
    let kept = |(place, x): (usize, &f64)| {
        let uniform = f64::from(threefry([0, SEED], [0, place as u32]) >> 9) / f64::from(1 << 23);
        if uniform < f64::from(SHARE) { x / f64::from(SHARE) } else { 0.0 }
    };
    x.iter().enumerate().map(kept).collect()
}

/// Returns the exclusive or of the two words of a hash.
fn threefry(key: [u32; 2], [mut x, mut y]: [u32; 2]) -> u32 {
    let key = [key[0], key[1], key[0] ^ key[1] ^ 0x1bd1_1bda];
    x = x.wrapping_add(key[0]);
    y = y.wrapping_add(key[1]);
    for group in 1..=5 {
        let rotations = [[17, 29, 16, 24], [13, 15, 26, 6]][group % 2];
        for by in rotations {
            x = x.wrapping_add(y);
            y = y.rotate_left(by) ^ x;
        }
        x = x.wrapping_add(key[group % 3]);
        y = y.wrapping_add(key[(group + 1) % 3]).wrapping_add(group as u32);
    }
    x ^ y
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A vector of Random123's known answers.
    #[test]
    fn the_hash_is_threefry() {
        assert_eq!(threefry([0, 0], [0, 0]), 0x6b20_0159 ^ 0x99ba_4efe);
        let (key, counter) = ([0x1319_8a2e, 0x0370_7344], [0x243f_6a88, 0x85a3_08d3]);
        assert_eq!(threefry(key, counter), 0xc492_3a9c ^ 0x483d_f7a0);
    }

    #[test]
    fn sums_go_along_rows_or_columns() {
        let x = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(sums(&x, 1), [1.0, 3.0, 6.0, 10.0]);
        assert_eq!(sums(&x, 2), [1.0, 2.0, 4.0, 6.0]);
    }
}
