//! The patterns of `indim bench` that array programs are made of: rows at computed indices, cumulative
//! sums, dropout and products of matrices.

use burn::tensor::{Distribution, Int, Tensor, TensorData};

use crate::measure::{Bench, Measured};
use crate::patterns::{ADDED, ELEMENTS, EXACT, Outcome, rectangle, total};

/// In the order of every table.
pub const NAMES: [&str; 7] =
    ["take", "cumsum_rows", "cumsum_columns", "cumsum_all", "dropout", "dot", "dot_tall"];

/// The share of the elements that dropout keeps.
const SHARE: f64 = 0.9;

/// The columns of thin matrices.
const THIN: usize = 16;

/// The approximate elements of a result, or of a product's factors for each of its elements.
pub fn elements(name: &str, asked: Option<usize>) -> usize {
    match name {
        "dot" => asked.unwrap_or(32 * ELEMENTS),
        "dot_tall" => asked.unwrap_or(4 * ELEMENTS),
        _ => asked.unwrap_or(ELEMENTS),
    }
}

impl Bench {
    /// Measures one of these patterns.
    pub fn program(&self, name: &str, elements: usize) -> Outcome {
        let matrix = rectangle(elements);
        match name {
            "take" => self.take(matrix),
            "cumsum_rows" => self.cumsum(matrix, 1),
            "cumsum_columns" => self.cumsum(matrix, 0),
            "cumsum_all" => {
                let whole = if elements < 8192 { 64 } else { 8192 };
                self.cumsum([elements / whole * whole], 0)
            }
            "dropout" => self.dropout(matrix),
            "dot" => {
                let side = ((elements as f64).cbrt() as usize / 64 * 64).max(64);
                self.dot([side, side, side])
            }
            "dot_tall" => self.dot([(elements / THIN / THIN / 64 * 64).max(64), THIN, THIN]),
            _ => Err(format!("no pattern is named {name}")),
        }
    }

    fn take(&self, [rows, columns]: [usize; 2]) -> Outcome {
        let a = self.operand([rows, columns], 1);
        let row = |k: usize| ((k as u32).wrapping_mul(2_654_435_761) >> 8) as usize % rows;
        let indices: Vec<i32> = (0..rows).map(|k| row(k) as i32).collect();
        let indices = Tensor::<1, Int>::from_data(TensorData::new(indices, [rows]), &self.device);
        let evaluate = || a.get().select(0, indices.clone());
        self.throughput(a.bytes() + 4 * rows, EXACT, evaluate, |[i, j]| a.at([row(i), j]))
    }

    fn cumsum<const D: usize>(&self, shape: [usize; D], dimension: usize) -> Outcome {
        let a = self.operand(shape, 1);
        let step: usize = shape[dimension + 1..].iter().product();
        let mut sums: Vec<f64> = a.all().map(f64::from).collect();
        for place in 0..sums.len() {
            if place / step % shape[dimension] != 0 {
                sums[place] += sums[place - step];
            }
        }
        let expected = |at: [usize; D]| {
            let flat = at.iter().zip(shape).fold(0, |flat, (&index, size)| flat * size + index);
            sums[flat] as f32
        };
        self.throughput(a.bytes(), ADDED, || a.get().cumsum(dimension), expected)
    }

    /// As `burn::nn::Dropout` does it. The random numbers are burn's own: each element is dropped or
    /// kept, and the number of those that are kept is within six standard deviations.
    fn dropout(&self, shape: [usize; 2]) -> Outcome {
        let a = self.operand(shape, 1);
        let evaluate = || {
            let kept = a.tensor.random_like(Distribution::Bernoulli(SHARE));
            vec![a.get() * kept * (1.0 / SHARE)]
        };
        let verify = |results: &[Tensor<2>]| {
            let result = results[0].clone().try_into_data().map_err(|why| why.to_string())?;
            let result = result.as_slice::<f32>().map_err(|why| format!("{why:?}"))?;
            let mut kept = 0;
            for (place, (&found, from)) in result.iter().zip(a.all()).enumerate() {
                let wanted = from / SHARE as f32;
                if (found - wanted).abs() <= EXACT * wanted.abs() {
                    kept += 1;
                } else if found != 0.0 {
                    return Err(format!("wrong result: {found} at {place}, not {wanted} or 0"));
                }
            }
            let count = result.len() as f64;
            let deviation = (count * SHARE * (1.0 - SHARE)).sqrt();
            if (f64::from(kept) - count * SHARE).abs() > 6.0 * deviation {
                return Err(format!("wrong result: {kept} of {count} elements are kept"));
            }
            Ok(())
        };
        self.several(a.bytes(), evaluate, verify)
    }

    /// Multiplies a matrix of m by k elements by one of k by n.
    fn dot(&self, [m, k, n]: [usize; 3]) -> Result<Measured, String> {
        let (a, b) = (self.operand([m, k], 1), self.operand([k, n], 2));
        let expected =
            |[i, j]: [usize; 2]| total((0..k).map(|inner| a.at([i, inner]) * b.at([inner, j])));
        self.throughput(a.bytes() + b.bytes(), ADDED, || a.get().matmul(b.get()), expected)
    }
}
