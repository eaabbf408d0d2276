//! `cargo bench`: an evaluation and a wait, for each broadcasting pattern.
//!
//! F32. Throughput counts every operand array read once and the result written once, so that
//! patterns compare by bytes. Operands are uploaded and kernels compiled before the measurement;
//! results are dropped in it, so that their memory is recycled, as in a loop of a program.

#![allow(clippy::expect_used, reason = "a benchmark that cannot run has nothing to report")]

use std::time::Duration;

use criterion::{Criterion, SamplingMode, Throughput};
use indim::{Array, Context, Expr};

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    patterns(&mut criterion);
    criterion.final_summary();
}

/// A pattern: its operands, and the expression of them.
type Pattern = (&'static str, Vec<Array<f32>>, Expr<f32>);

fn patterns(criterion: &mut Criterion) {
    let gpu = Context::blocking().expect("an adapter");
    let info = gpu.adapter_info();
    eprintln!("adapter: {} ({}, {} {})", info.name, info.backend, info.driver, info.driver_info);

    let mut group = criterion.benchmark_group("patterns");
    // As many iterations in each sample: some take 50 ms, and growing counts would take minutes.
    group.sampling_mode(SamplingMode::Flat).sample_size(20).warm_up_time(Duration::from_secs(1));
    // One after the other, so that the operands of all need not fit into memory together.
    for make in [same, row, column, scalar, outer, rank5, chain, small] {
        let (name, operands, expr) = make(&gpu);
        let elements = |shape: &indim::Shape| shape.element_count().expect("a small shape") as u64;
        let read: u64 = operands.iter().map(|operand| elements(operand.shape())).sum();
        let written = elements(expr.shape().expect("a right expression"));
        group.throughput(Throughput::Bytes((read + written) * size_of::<f32>() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let result = expr.eval().expect("a result");
                gpu.wait().expect("a device");
                result
            });
        });
    }
    group.finish();
}

/// Elements in [-1, 1), different ones for each seed.
fn array<const N: usize>(gpu: &Context, shape: [usize; N], seed: u32) -> Array<f32> {
    let mut state = seed;
    let data: Vec<f32> = (0..shape.iter().product())
        .map(|_| {
            // Numerical Recipes' linear congruential generator; the upper bits are good enough.
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        })
        .collect();
    gpu.array(shape, &data).expect("memory")
}

const SIDE: usize = 2048;

fn same(gpu: &Context) -> Pattern {
    let (x, y) = (array(gpu, [SIDE, SIDE], 1), array(gpu, [SIDE, SIDE], 2));
    let sum = &x + &y;
    ("same", vec![x, y], sum)
}

fn row(gpu: &Context) -> Pattern {
    let (x, v) = (array(gpu, [SIDE, SIDE], 1), array(gpu, [SIDE], 2));
    let sum = &x + v.in_dim([1]);
    ("row", vec![x, v], sum)
}

fn column(gpu: &Context) -> Pattern {
    let (x, v) = (array(gpu, [SIDE, SIDE], 1), array(gpu, [SIDE], 2));
    let sum = &x + v.in_dim([0]);
    ("column", vec![x, v], sum)
}

fn scalar(gpu: &Context) -> Pattern {
    let x = array(gpu, [SIDE, SIDE], 1);
    let sum = &x + 1.5;
    ("scalar", vec![x], sum)
}

fn outer(gpu: &Context) -> Pattern {
    let (x, y) = (array(gpu, [4096, 1], 1), array(gpu, [1, 4096], 2));
    let sum = &x + &y;
    ("outer", vec![x, y], sum)
}

fn rank5(gpu: &Context) -> Pattern {
    let (x, y) = (array(gpu, [8, 1, 64, 1, 64], 1), array(gpu, [1, 16, 1, 32, 64], 2));
    let sum = &x + &y;
    ("rank5", vec![x, y], sum)
}

fn chain(gpu: &Context) -> Pattern {
    let [a, b, c] = [1, 2, 3].map(|seed| array(gpu, [SIDE, SIDE], seed));
    let chain = (&a * &b + &c).tanh();
    ("chain", vec![a, b, c], chain)
}

/// Latency: there is next to nothing to compute.
fn small(gpu: &Context) -> Pattern {
    let (x, y) = (array(gpu, [64], 1), array(gpu, [64], 2));
    let sum = &x + &y;
    ("small", vec![x, y], sum)
}
