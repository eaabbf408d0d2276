//! Tests that reductions of operands that are larger than memory have the bits of the whole, and read
//! each operand once for each reduction that needs another one's result.

use std::ops::ControlFlow;

use super::chunked::{Counting, in_small_chunks};
use indim::{
    Builder, ChunkSink, ChunkSource, ChunkedError, Computation, Context, ContextOptions,
    ElementType, Literal, Op, Precision, Result,
};
use indim_testing::random::Random;
use indim_testing::{contexts, share};

/// Shapes with dimensions that are reduced: rows, columns, everything, and mixed ones, of whole
/// parts and of others.
const SHAPES: [(&[i64], &[i64]); 11] = [
    (&[9_001], &[0]),
    (&[2_048], &[0]),
    (&[1_100, 7], &[0]),
    (&[3, 2_100], &[1]),
    (&[60, 99], &[0, 1]),
    (&[60, 99], &[1, 0]),
    (&[2, 1_201, 5], &[1]),
    (&[401, 3, 7], &[0, 2]),
    (&[1, 1_030, 3], &[0, 1]),
    (&[3, 1_700], &[0, 1]),
    (&[2, 3, 411], &[0, 1, 2]),
];

fn of_shape(
    sizes: &[i64],
    element_type: ElementType,
    build: impl FnOnce(&mut Builder, Op) -> Result<Op>,
) -> Computation {
    let mut b = Builder::new();
    let x = b.parameter(element_type, sizes).unwrap();
    let result = build(&mut b, x).unwrap();
    b.build(result).unwrap()
}

/// Returns elements that cancel, as an operand of this type.
fn operand(gpu: &Context, sizes: &[i64], element_type: ElementType) -> Literal {
    let count = sizes.iter().product::<i64>() as usize;
    let mut random = Random::new(count as u64);
    let number = |_| (random.below(2001) as f32 - 1000.0) * 1.001;
    let values: Vec<f32> = (0..count).map(number).collect();
    let sizes: Vec<usize> = sizes.iter().map(|&size| size as usize).collect();
    let values = gpu.upload(&Literal::from_slice(sizes, &values).unwrap()).unwrap();
    let mut b = Builder::new();
    let x = b.parameter(ElementType::F32, values.shape().dims()).unwrap();
    let y = b.convert_element_type(x, element_type).unwrap();
    let convert = b.build(y).unwrap();
    gpu.run(&convert, &[&values]).unwrap().to_literal_blocking().unwrap()
}

#[test]
fn reductions_have_the_bits_of_the_whole() {
    use ElementType::{Bf16, C64, F16, F32, Pred, S8, S64};
    let gpu = contexts::gpu();
    let types = [F32, F16, Bf16, C64, S8, S64, Pred];
    let cases = SHAPES.iter().flat_map(|shape| types.map(|of| (shape, of)));
    for (&(sizes, dimensions), of) in cases.step_by(share::one_of(16)) {
        let computation = of_shape(sizes, of, |b, x| {
            if of == Pred {
                return b.reduce_or(x, dimensions);
            }
            let y = b.neg(x)?;
            let sum = b.reduce_sum(y, dimensions)?;
            if of == C64 {
                return Ok(sum);
            }
            let most = b.reduce_max(x, dimensions)?;
            b.sub(sum, most, &[])
        });
        let literal = operand(&gpu, sizes, of);
        assert!(in_small_chunks(&gpu, &computation, &[literal]) > 0);
    }
}

#[test]
fn relaxed_sums_have_the_bits_of_the_whole() {
    let mut options: ContextOptions = contexts::options();
    options.precision = Precision::Relaxed;
    let gpu = Context::blocking_with_options(options).unwrap();
    for of in [ElementType::F16, ElementType::F32].into_iter().take(2 / share::one_of(2)) {
        let computation = of_shape(&[1_100, 3], of, |b, x| b.reduce_sum(x, &[0]));
        in_small_chunks(&gpu, &computation, &[operand(&gpu, &[1_100, 3], of)]);
    }
}

#[test]
fn composed_reductions_have_the_bits_of_the_whole() {
    let gpu = contexts::gpu();
    let (sizes, of) = ([1_100, 5], ElementType::F32);
    type Composed = fn(&mut Builder, Op) -> Result<Op>;
    let composed: [Composed; 6] = [
        |b, x| b.var(x, &[0]),
        |b, x| b.var(x, &[0, 1]),
        |b, x| b.argmax(x, &[0]),
        |b, x| b.softmax(x, &[0]),
        |b, x| b.logsumexp(x, &[0, 1]),
        |b, x| {
            let mean = b.mean(x, &[0, 1])?;
            b.sub(x, mean, &[])
        },
    ];
    for build in composed.into_iter().step_by(share::one_of(6)) {
        let computation = of_shape(&sizes, of, build);
        in_small_chunks(&gpu, &computation, &[operand(&gpu, &sizes, of)]);
    }
}

/// Returns the bytes that are read of an operand for one computation within `max_bytes`.
fn bytes_read(gpu: &Context, computation: &Computation, literal: Literal, max_bytes: u64) -> usize {
    let mut source = Counting::of(literal);
    let mut results: Vec<Vec<u8>> = vec![Vec::new(); computation.results().len()];
    let mut sinks: Vec<(usize, &mut dyn ChunkSink)> =
        results.iter_mut().enumerate().map(|(number, sink)| (number, sink as _)).collect();
    let chunked = gpu.chunked(computation).max_bytes(max_bytes);
    let mut sources: [&mut dyn ChunkSource; 1] = [&mut source];
    chunked.run(&mut sources, &mut sinks, |_| ControlFlow::Continue(())).unwrap();
    source.bytes
}

/// A file that is 16 times as large as the memory for it is read once for a mean along any
/// dimensions, for several of them together, and twice for what needs one first.
#[test]
fn operands_are_read_once_for_a_reduction() {
    let gpu = contexts::gpu();
    let sizes = [1_024_i64, 1_024];
    let literal = operand(&gpu, &sizes, ElementType::F32);
    let all = literal.bytes().len();
    let max_bytes = all as u64 / 16;
    for dimensions in [&[0_i64][..], &[1], &[0, 1]] {
        let mean = of_shape(&sizes, ElementType::F32, |b, x| b.mean(x, dimensions));
        assert_eq!(bytes_read(&gpu, &mean, literal.clone(), max_bytes), all, "{dimensions:?}");
        let var = of_shape(&sizes, ElementType::F32, |b, x| b.var(x, dimensions));
        let readings = if dimensions == [1] { 1 } else { 2 };
        let read = bytes_read(&gpu, &var, literal.clone(), max_bytes);
        assert_eq!(read, readings * all, "{dimensions:?}");
    }
    let mut b = Builder::new();
    let x = b.parameter(ElementType::F32, sizes).unwrap();
    let square = b.square(x).unwrap();
    let results = [b.reduce_sum(x, [0]).unwrap(), b.reduce_sum(square, [0]).unwrap()];
    let sums = b.build_all(&results).unwrap();
    assert_eq!(bytes_read(&gpu, &sums, literal, max_bytes), all);
}

/// The caller may stop a run while parts are reduced.
#[test]
fn a_run_is_stopped_while_parts_are_reduced() {
    let gpu = contexts::gpu();
    let sizes = [1 << 18];
    let sum = of_shape(&sizes, ElementType::F32, |b, x| b.reduce_sum(x, &[0]));
    let mut literal = operand(&gpu, &sizes, ElementType::F32);
    let (mut result, mut calls) = (Vec::new(), 0);
    let ran = gpu.chunked(&sum).max_bytes(1 << 18).run(
        &mut [&mut literal],
        &mut [(0, &mut result)],
        |progress| {
            assert_eq!(progress.done, 0);
            calls += 1;
            if calls == 3 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        },
    );
    assert!(matches!(ran, Err(ChunkedError::Stopped)), "{ran:?}");
    assert_eq!((calls, result.len()), (3, 0));
}
