//! The patterns of `indim bench` as computations, for tests of their kernels without a device.

use indim::ElementType::F32;
use indim::{Builder, Computation, Op, Result, Scalar};

/// Builds a pattern.
type Build = fn(&mut Builder) -> Result<Op>;

/// Shapes that `new_shapes` has.
const SHAPES: usize = 1_000;

/// Each pattern that is one computation, by its name.
const BUILDS: &[(&str, Build)] = &[
    ("same", |b| {
        let (x, y) = (matrix(b)?, matrix(b)?);
        b.add(x, y, &[])
    }),
    ("row", |b| row(b, [2048, 2048])),
    ("column", |b| {
        let (x, v) = (matrix(b)?, b.parameter(F32, [2048])?);
        b.add(x, v, &[0])
    }),
    ("scalar", |b| {
        let (x, c) = (matrix(b)?, b.constant(Scalar::new(1.5f32))?);
        b.add(x, c, &[])
    }),
    ("one", |b| {
        let (x, one) = (matrix(b)?, b.parameter(F32, [1, 1])?);
        b.add(x, one, &[])
    }),
    ("outer", |b| {
        let (x, y) = (b.parameter(F32, [4096, 1])?, b.parameter(F32, [1, 4096])?);
        b.add(x, y, &[])
    }),
    ("rank5", |b| rank5(b, 8)),
    ("odd", |b| row(b, [2047, 2049])),
    ("odd_column", |b| {
        let (x, v) = (b.parameter(F32, [2047, 2049])?, b.parameter(F32, [2047])?);
        b.add(x, v, &[0])
    }),
    ("inner3", |b| row(b, [1_398_101, 3])),
    ("transposed", |b| {
        let (x, y) = (matrix(b)?, matrix(b)?);
        let y = b.transpose(y, &[1, 0])?;
        b.add(x, y, &[])
    }),
    ("chain", |b| {
        let (x, y, z) = (matrix(b)?, matrix(b)?, matrix(b)?);
        let product = b.mul(x, y, &[])?;
        let sum = b.add(product, z, &[])?;
        b.tanh(sum)
    }),
    ("chain_broadcast", |b| {
        let x = matrix(b)?;
        let (column, row) = (b.parameter(F32, [2048])?, b.parameter(F32, [2048])?);
        let product = b.mul(x, column, &[0])?;
        let sum = b.add(product, row, &[1])?;
        b.tanh(sum)
    }),
    ("tanh", |b| {
        let x = matrix(b)?;
        b.tanh(x)
    }),
    ("select", |b| {
        let x = matrix(b)?;
        let (column, row) = (b.parameter(F32, [2048])?, b.parameter(F32, [2048])?);
        let larger = b.gt(x, row, &[1])?;
        let two = b.constant(Scalar::new(2.0f32))?;
        let twice = b.mul(x, two, &[])?;
        let column = b.broadcast_in_dim(column, &[2048, 2048], &[0])?;
        b.select(larger, twice, column)
    }),
    ("strided", |b| {
        let x = b.parameter(F32, [2048, 4096])?;
        b.slice(x, &[0, 0], &[2048, 4096], &[1, 2])
    }),
    ("small", few),
    // A hundred times this, each an operation of its own.
    ("batch100", few),
    ("batch100_expr", |b| {
        let (x, y) = (b.parameter(F32, [64])?, b.parameter(F32, [64])?);
        (0..100).try_fold(x, |sum, _| b.add(sum, y, &[]))
    }),
    ("outer_chain", |b| {
        let (x, y) = (b.parameter(F32, [4096, 1])?, b.parameter(F32, [1, 4096])?);
        let (sine, cosine) = (b.sin(x)?, b.cos(y)?);
        b.mul(sine, cosine, &[])
    }),
    ("big", |b| rank5(b, 32)),
];

/// Builds a pattern that reduces from its operand.
type BuildOfOne = fn(&mut Builder, Op) -> Result<Op>;

/// The patterns that reduce one operand to one result, by their names, with the operand's shape.
const REDUCTIONS: &[(&str, &[usize], BuildOfOne)] = &[
    ("sum_rows", &[2048, 2048], |b, x| b.reduce_sum(x, &[1])),
    ("sum_columns", &[2048, 2048], |b, x| b.reduce_sum(x, &[0])),
    ("sum_all", &[2048, 2048], |b, x| b.reduce_sum(x, &[0, 1])),
    ("sum_short_rows", &[65_536, 64], |b, x| b.reduce_sum(x, &[1])),
    ("sum_long_rows", &[64, 65_536], |b, x| b.reduce_sum(x, &[1])),
    ("sum_middle", &[64, 1024, 64], |b, x| b.reduce_sum(x, &[1])),
    ("distance", &[2048, 2048], |b, x| {
        let y = matrix(b)?;
        sum_of_squares(b, [x, y], 1)
    }),
    ("argmax", &[2048, 2048], |b, x| b.argmax(x, &[1])),
    ("softmax", &[4096, 1024], |b, x| b.softmax(x, &[1])),
    ("layer_norm", &[4096, 1024], |b, x| b.layer_norm(x, &[1], 1e-5)),
    ("pairwise", &[256, 256, 64], |b, x| {
        let x = b.slice(x, &[0, 0, 0], &[256, 1, 64], &[1, 1, 1])?;
        let y = b.parameter(F32, [1, 256, 64])?;
        sum_of_squares(b, [x, y], 2)
    }),
    // Of (256,64) and (64,256).
    ("dot", &[256, 256, 64], |b, x| {
        let x = b.slice(x, &[0, 0, 0], &[256, 1, 64], &[1, 1, 1])?;
        let x = b.reshape(x, &[256, 64])?;
        let y = b.parameter(F32, [64, 256])?;
        b.dot(x, y)
    }),
];

fn sum_of_squares(b: &mut Builder, [x, y]: [Op; 2], dimension: i64) -> Result<Op> {
    let difference = b.sub(x, y, &[])?;
    let square = b.square(difference)?;
    b.reduce_sum(square, &[dimension])
}

/// The one that has two results.
const MEAN_VAR: &str = "mean_var";

/// Returns the names of the patterns that reduce one operand.
pub fn reductions() -> impl Iterator<Item = &'static str> {
    REDUCTIONS.iter().map(|&(name, ..)| name).chain([MEAN_VAR])
}

/// Returns the computation of such a pattern, and the number of elements that it reduces.
///
/// # Panics
/// If no such pattern has this name.
pub fn reduction(name: &str) -> (Computation, f64) {
    if name == MEAN_VAR {
        let mut b = Builder::new();
        let both = matrix(&mut b).and_then(|x| Ok([b.mean(x, &[1])?, b.var(x, &[1])?]));
        let computation = both.and_then(|both| b.build_all(&both));
        return (computation.unwrap_or_else(|error| panic!("{error}")), 2048.0 * 2048.0);
    }
    let found = REDUCTIONS.iter().find(|&&(known, ..)| known == name);
    let (_, dims, build) = found.unwrap_or_else(|| panic!("no pattern is called {name}"));
    let computation = built(|b| {
        let x = b.parameter(F32, dims.to_vec())?;
        build(b, x)
    });
    (computation, dims.iter().map(|&size| size as f64).product())
}

/// Returns the names of all patterns, in the order of the tables.
pub fn names() -> Vec<&'static str> {
    let mut names: Vec<&str> = BUILDS.iter().map(|&(name, _)| name).collect();
    names.insert(names.len() - 1, "new_shapes");
    names
}

/// Returns a pattern's computations: several where it has several shapes.
///
/// # Panics
/// If no pattern has this name.
pub fn computations(name: &str) -> Vec<Computation> {
    if name == "new_shapes" {
        let shape = |number| {
            let columns = 64 + number / 4;
            [16_384 / columns + number % 4, columns]
        };
        return (0..SHAPES).map(|number| built(|b| row(b, shape(number)))).collect();
    }
    let found = BUILDS.iter().find(|&&(known, _)| known == name);
    let (_, build) = found.unwrap_or_else(|| panic!("no pattern is called {name}"));
    vec![built(build)]
}

fn built(build: impl FnOnce(&mut Builder) -> Result<Op>) -> Computation {
    let mut b = Builder::new();
    let computation = build(&mut b).and_then(|root| b.build(root));
    computation.unwrap_or_else(|error| panic!("{error}"))
}

fn matrix(b: &mut Builder) -> Result<Op> {
    b.parameter(F32, [2048, 2048])
}

fn row(b: &mut Builder, [rows, columns]: [usize; 2]) -> Result<Op> {
    let (x, v) = (b.parameter(F32, [rows, columns])?, b.parameter(F32, [columns])?);
    b.add(x, v, &[1])
}

fn rank5(b: &mut Builder, first: usize) -> Result<Op> {
    let x = b.parameter(F32, [first, 1, 64, 1, 64])?;
    let y = b.parameter(F32, [1, 16, 1, 32, 64])?;
    b.add(x, y, &[])
}

fn few(b: &mut Builder) -> Result<Op> {
    let (x, y) = (b.parameter(F32, [64])?, b.parameter(F32, [64])?);
    b.add(x, y, &[])
}
