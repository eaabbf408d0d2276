//! The patterns. Operands come with sizes of 1 where they broadcast, which is how burn wants them
//! and costs it nothing; a transpose or a slice is part of what is measured.

use std::cell::RefCell;
use std::collections::HashMap;

use burn::tensor::activation::softmax;
use burn::tensor::module::layer_norm;
use burn::tensor::{Tensor, s};

use crate::measure::{Bench, Measured, check};
use crate::operand::Operand;
use crate::programs;

/// In the order of every table; `programs::NAMES` follow.
pub const NAMES: [&str; 38] = [
    "same",
    "row",
    "column",
    "scalar",
    "one",
    "outer",
    "rank5",
    "odd",
    "odd_column",
    "inner3",
    "transposed",
    "chain",
    "chain_broadcast",
    "tanh",
    "select",
    "strided",
    "small",
    "batch100",
    "batch100_expr",
    "outer_chain",
    "new_shapes",
    "big",
    "sum_rows",
    "sum_columns",
    "sum_all",
    "sum_short_rows",
    "sum_long_rows",
    "sum_middle",
    "distance",
    "mean_var",
    "argmax",
    "pairwise",
    "softmax",
    "softmax_short",
    "softmax_long",
    "layer_norm",
    "layer_norm_short",
    "layer_norm_long",
];

/// The count of elements of most patterns.
pub const ELEMENTS: usize = 1 << 22;

/// Sums and products are exact to the last bit or two.
pub const EXACT: f32 = 1e-6;
/// Vulkan lets a sine be 2^-11 off.
const ROUGH: f32 = 1e-3;
/// Sums of many elements, in whatever order.
pub const ADDED: f32 = 1e-3;

/// Sums of many elements, which results are divided by: softmax's are as small as one in thousands.
const SMALL: f32 = 1e-7;

/// Added to the variances of rows, as in `indim bench`.
const EPSILON: f64 = 1e-5;

/// The size of points that `pairwise` compares, and of short rows.
const SHORT: usize = 64;

pub type Outcome = Result<Measured, String>;

/// The approximate elements of a pattern's result, by default. The patterns of latency have fixed
/// sizes.
pub fn elements(name: &str, asked: Option<usize>) -> usize {
    match name {
        "small" | "batch100" | "batch100_expr" => 64,
        "new_shapes" => 1000 << 14,
        "outer" | "outer_chain" | "rank5" => asked.unwrap_or(4 * ELEMENTS),
        "big" => asked.unwrap_or(16 * ELEMENTS),
        "sum_short_rows" => asked.unwrap_or(ELEMENTS / 16),
        "pairwise" => asked.unwrap_or(64 * ELEMENTS),
        "softmax_short" | "layer_norm_short" => asked.unwrap_or(ELEMENTS / 8),
        "softmax_long" | "layer_norm_long" => asked.unwrap_or(ELEMENTS / 2),
        _ => programs::elements(name, asked),
    }
}

/// Rows and columns that are multiples of 4, as near to a square as that allows.
pub fn rectangle(elements: usize) -> [usize; 2] {
    let side = elements.isqrt();
    let columns = if side < 64 { side / 4 * 4 } else { side / 64 * 64 }.max(4);
    [(elements / columns / 4 * 4).max(4), columns]
}

/// 64 rows of a multiple of 1,024 elements.
fn long_rows(elements: usize) -> [usize; 2] {
    [SHORT, (elements / SHORT / 1024 * 1024).max(1024)]
}

/// (8,16,64,32,64), with the first size larger, or the largest of the others smaller.
fn rank5(elements: usize) -> [usize; 5] {
    let mut sizes = [8, 16, 64, 32, 64];
    while sizes.iter().product::<usize>() > elements.max(64) {
        let largest = (0..4).max_by_key(|&d| sizes[d]).unwrap_or(0);
        sizes[largest] /= 2;
    }
    while sizes.iter().product::<usize>() * 2 <= elements {
        sizes[0] *= 2;
    }
    sizes
}

/// The shape with this number, of some 64 KiB.
fn new_shape(number: usize) -> [usize; 2] {
    let columns = 64 + number / 4;
    [(1 << 14) / columns + number % 4, columns]
}

/// The positions that are reduced to `index`.
fn along<const D: usize>(
    index: [usize; D],
    dimension: usize,
    shape: [usize; D],
) -> impl Iterator<Item = [usize; D]> {
    (0..shape[dimension]).map(move |at| {
        let mut position = index;
        position[dimension] = at;
        position
    })
}

/// Returns the sum, rounded once: one in F32 would be off by more than is allowed.
pub fn total(values: impl Iterator<Item = f32>) -> f32 {
    values.map(f64::from).sum::<f64>() as f32
}

/// Returns a function of a row's number, which is computed once for each row that is asked for.
fn rows_of<T: Copy>(
    [_, columns]: [usize; 2],
    of: impl Fn(&mut dyn Iterator<Item = [usize; 2]>) -> T,
) -> impl Fn(usize) -> T {
    let known = RefCell::new(HashMap::new());
    move |row| {
        let compute = || of(&mut (0..columns).map(|column| [row, column]));
        *known.borrow_mut().entry(row).or_insert_with(compute)
    }
}

impl Bench {
    /// Measures a pattern with a result of about `elements` elements. The shapes are those of
    /// `indim bench`.
    pub fn run(&self, name: &str, elements: usize) -> Outcome {
        let [rows, columns] = rectangle(elements);
        let matrix = [rows, columns];
        let (row, column) = ([1, columns], [rows, 1]);
        let odd = [rows - 1, columns + 1];
        match name {
            "same" => self.sum(matrix, matrix),
            "row" => self.sum(matrix, row),
            "column" => self.sum(matrix, column),
            "scalar" => self.scalar(matrix),
            "one" => self.sum(matrix, [1, 1]),
            "outer" => self.sum(column, row),
            "rank5" | "big" => {
                let [a, b, c, d, e] = rank5(elements);
                self.sum([a, 1, c, 1, e], [1, b, 1, d, e])
            }
            "odd" => self.sum(odd, [1, odd[1]]),
            "odd_column" => self.sum(odd, [odd[0], 1]),
            "inner3" => self.sum([elements / 3, 3], [1, 3]),
            "transposed" => self.transposed(matrix),
            "chain" => self.chain(matrix, matrix, matrix),
            "chain_broadcast" => self.chain(matrix, column, row),
            "tanh" => self.tanh(matrix),
            "select" => self.select(matrix),
            "strided" => self.strided(matrix),
            "small" => self.adds(elements, 1),
            // burn has no other way to write an expression: it fuses, or not, what was called.
            "batch100" => self.adds(elements, 100).map(|measured| measured.each(100)),
            "batch100_expr" => self.adds(elements, 100),
            "outer_chain" => self.outer_chain(matrix),
            "new_shapes" => self.new_shapes(),
            _ => self.reduced(name, elements),
        }
    }

    /// Measures a pattern that reduces about `elements` elements.
    fn reduced(&self, name: &str, elements: usize) -> Outcome {
        let matrix = rectangle(elements);
        match name {
            "sum_rows" => self.sum_along(matrix, 1),
            "sum_columns" => self.sum_along(matrix, 0),
            "sum_all" => self.sum_all(matrix),
            "sum_short_rows" => self.sum_along([(elements / SHORT / 8 * 8).max(8), SHORT], 1),
            "sum_long_rows" => self.sum_along([SHORT, (elements / SHORT / 64 * 64).max(64)], 1),
            "sum_middle" => {
                let middle = (elements / SHORT / SHORT / 32 * 32).max(32);
                self.sum_along([SHORT, middle, SHORT], 1)
            }
            "distance" => self.distance(matrix),
            "mean_var" => self.mean_var(matrix),
            "argmax" => self.argmax(matrix),
            "pairwise" => self.pairwise(((elements / SHORT).isqrt() / 8 * 8).max(8)),
            "softmax" => self.softmax([(elements / 1024).max(8), 1024]),
            "softmax_short" => self.softmax([(elements / 128).max(8), 128]),
            "softmax_long" => self.softmax(long_rows(elements)),
            "layer_norm" => self.layer_norm([(elements / 1024).max(8), 1024]),
            "layer_norm_short" => self.layer_norm([(elements / 128).max(8), 128]),
            "layer_norm_long" => self.layer_norm(long_rows(elements)),
            _ => self.program(name, elements),
        }
    }

    pub fn operand<const D: usize>(&self, shape: [usize; D], seed: usize) -> Operand<D> {
        Operand::new(&self.device, shape, seed)
    }

    fn sum<const D: usize>(&self, a: [usize; D], b: [usize; D]) -> Outcome {
        let (a, b) = (self.operand(a, 1), self.operand(b, 2));
        self.throughput(
            a.bytes() + b.bytes(),
            EXACT,
            || a.get() + b.get(),
            |at| a.at(at) + b.at(at),
        )
    }

    fn scalar(&self, shape: [usize; 2]) -> Outcome {
        let a = self.operand(shape, 1);
        self.throughput(a.bytes(), EXACT, || a.get() + 1.5, |at| a.at(at) + 1.5)
    }

    fn transposed(&self, [rows, columns]: [usize; 2]) -> Outcome {
        let (a, b) = (self.operand([rows, columns], 1), self.operand([columns, rows], 2));
        let evaluate = || a.get() + b.get().transpose();
        let expected = |[i, j]: [usize; 2]| a.at([i, j]) + b.at([j, i]);
        self.throughput(a.bytes() + b.bytes(), EXACT, evaluate, expected)
    }

    fn chain(&self, a: [usize; 2], b: [usize; 2], c: [usize; 2]) -> Outcome {
        let (a, b, c) = (self.operand(a, 1), self.operand(b, 2), self.operand(c, 3));
        let evaluate = || (a.get() * b.get() + c.get()).tanh();
        let expected = |at| (a.at(at) * b.at(at) + c.at(at)).tanh();
        self.throughput(a.bytes() + b.bytes() + c.bytes(), ROUGH, evaluate, expected)
    }

    fn tanh(&self, shape: [usize; 2]) -> Outcome {
        let a = self.operand(shape, 1);
        self.throughput(a.bytes(), ROUGH, || a.get().tanh(), |at| a.at(at).tanh())
    }

    fn select(&self, shape: [usize; 2]) -> Outcome {
        let a = self.operand(shape, 1);
        let (row, column) = (self.operand([1, shape[1]], 2), self.operand([shape[0], 1], 3));
        let evaluate = || {
            let mask = a.get().greater(row.get());
            column.get().expand(shape).mask_where(mask, a.get() * 2.0)
        };
        let expected = |at| if a.at(at) > row.at(at) { a.at(at) * 2.0 } else { column.at(at) };
        self.throughput(a.bytes() + row.bytes() + column.bytes(), EXACT, evaluate, expected)
    }

    fn sum_along<const D: usize>(&self, shape: [usize; D], dimension: usize) -> Outcome {
        let a = self.operand(shape, 1);
        let evaluate = || a.get().sum_dim(dimension);
        let expected = |index| total(along(index, dimension, shape).map(|at| a.at(at)));
        self.throughput(a.bytes(), ADDED, evaluate, expected)
    }

    fn sum_all(&self, [rows, columns]: [usize; 2]) -> Outcome {
        let a = self.operand([rows, columns], 1);
        let all = || (0..rows).flat_map(|i| (0..columns).map(move |j| [i, j]));
        let sum = total(all().map(|at| a.at(at)));
        self.throughput(a.bytes(), ADDED, || a.get().sum(), |_: [usize; 1]| sum)
    }

    fn distance(&self, shape: [usize; 2]) -> Outcome {
        let (a, b) = (self.operand(shape, 1), self.operand(shape, 2));
        let evaluate = || (a.get() - b.get()).square().sum_dim(1);
        let expected =
            |index| total(along(index, 1, shape).map(|at| (a.at(at) - b.at(at)).powi(2)));
        self.throughput(a.bytes() + b.bytes(), ADDED, evaluate, expected)
    }

    fn mean_var(&self, shape: [usize; 2]) -> Outcome {
        let a = self.operand(shape, 1);
        let expected = |index| {
            let row = || along(index, 1, shape).map(|at| f64::from(a.at(at)));
            let mean = row().sum::<f64>() / shape[1] as f64;
            (row().map(|x| (x - mean).powi(2)).sum::<f64>() / shape[1] as f64) as f32
        };
        let evaluate = || {
            let (var, mean) = a.get().var_mean_bias(1);
            vec![var, mean]
        };
        let check = |results: &[Tensor<2>]| check(&results[0], ADDED, expected);
        self.several(a.bytes(), evaluate, check)
    }

    fn argmax(&self, shape: [usize; 2]) -> Outcome {
        let a = self.operand(shape, 1);
        let expected = |index| {
            let row = along(index, 1, shape).map(|at| a.at(at)).enumerate();
            let greatest =
                row.fold((0, f32::MIN), |most, one| if one.1 > most.1 { one } else { most });
            greatest.0 as f32
        };
        // The conversion takes a kernel over one element a row.
        self.throughput(a.bytes(), EXACT, || a.get().argmax(1).float(), expected)
    }

    fn pairwise(&self, points: usize) -> Outcome {
        let (a, b) = (self.operand([points, 1, SHORT], 1), self.operand([1, points, SHORT], 2));
        let shape = [points, points, SHORT];
        let evaluate = || (a.get() - b.get()).square().sum_dim(2);
        let expected =
            |index| total(along(index, 2, shape).map(|at| (a.at(at) - b.at(at)).powi(2)));
        self.throughput(a.bytes() + b.bytes(), ADDED, evaluate, expected)
    }

    fn softmax(&self, shape: [usize; 2]) -> Outcome {
        let a = self.operand(shape, 1);
        let power = |at| f64::from(a.at(at)).exp();
        let sums = rows_of(shape, |row| row.map(power).sum::<f64>());
        let expected = |at: [usize; 2]| (power(at) / sums(at[0])) as f32;
        self.throughput(a.bytes(), SMALL, || softmax(a.get(), 1), expected)
    }

    /// With a scale of 1, which burn asks for.
    fn layer_norm(&self, shape: [usize; 2]) -> Outcome {
        let a = self.operand(shape, 1);
        let scale = Tensor::<1>::ones([shape[1]], &self.device);
        let value = |at| f64::from(a.at(at));
        let found = rows_of(shape, |row| {
            let row: Vec<f64> = row.map(value).collect();
            let mean = row.iter().sum::<f64>() / row.len() as f64;
            let var = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / row.len() as f64;
            (mean, (var + EPSILON).sqrt())
        });
        let expected = |at: [usize; 2]| {
            let (mean, deviation) = found(at[0]);
            ((value(at) - mean) / deviation) as f32
        };
        let evaluate = || layer_norm(a.get(), scale.clone(), None, EPSILON);
        self.throughput(a.bytes(), ADDED, evaluate, expected)
    }

    /// burn copies a slice with a step: it has no such view.
    fn strided(&self, [rows, columns]: [usize; 2]) -> Outcome {
        let a = self.operand([rows, 2 * columns], 1);
        let evaluate = || a.get().slice(s![.., ..;2]);
        self.throughput(a.bytes(), EXACT, evaluate, |[i, j]| a.at([i, 2 * j]))
    }

    fn outer_chain(&self, [rows, columns]: [usize; 2]) -> Outcome {
        let (a, b) = (self.operand([rows, 1], 1), self.operand([1, columns], 2));
        let evaluate = || a.get().sin() * b.get().cos();
        let expected = |at| a.at(at).sin() * b.at(at).cos();
        self.throughput(a.bytes() + b.bytes(), ROUGH, evaluate, expected)
    }

    /// A sum to which the second operand is added again and again.
    fn adds(&self, size: usize, count: usize) -> Outcome {
        let (a, b) = (self.operand([size], 1), self.operand([size], 2));
        let evaluate = || vec![(0..count).fold(a.get(), |sum, _| sum + b.get())];
        let expected = |at| (0..count).fold(a.at(at), |sum, _| sum + b.at(at));
        self.latency(a.bytes() + b.bytes(), evaluate, |results| check(&results[0], EXACT, expected))
    }

    /// Results are dropped as soon as burn allows, so that few blocks of memory serve all of them.
    fn new_shapes(&self) -> Outcome {
        let operands = (0..1000).map(new_shape).map(|[rows, columns]| {
            (self.operand([rows, columns], 1), self.operand([1, columns], 2))
        });
        let operands: Vec<(Operand<2>, Operand<2>)> = operands.collect();
        for (number, (a, b)) in operands.iter().enumerate() {
            let sum = a.get() + b.get();
            check(&sum, EXACT, |at| a.at(at) + b.at(at))
                .map_err(|why| format!("{number}: {why}"))?;
        }
        let evaluate = || {
            let sums = operands.iter().map(|(a, b)| a.get() + b.get());
            if cfg!(feature = "fusion") {
                // Fusion would skip tensors dropped before it runs.
                sums.collect()
            } else {
                sums.last().into_iter().collect::<Vec<Tensor<2>>>()
            }
        };
        let measured = self.latency(0, evaluate, |_| Ok(()))?;
        let result_elements = operands.iter().map(|(a, _)| a.elements()).sum();
        let bytes = operands.iter().map(|(a, b)| 2 * a.bytes() + b.bytes()).sum();
        Ok(Measured { result_elements, bytes, ..measured })
    }
}
