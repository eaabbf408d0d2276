//! Tests the values that an evaluation keeps besides its results, and that long lists of
//! expressions are evaluated and explained like short ones.

use indim::plan::Source;
use indim::{AnyExpr, Array, Context, Expr, Literal, Opcode};
use indim_testing::contexts::{dispatches, gpu, iota, values};

const ROWS: usize = 1000;
const COLUMNS: usize = 8;

/// The mean of each column, as the host computes it from what it has read.
fn column_means(rows: &[f32]) -> Vec<f32> {
    let column = |c: usize| rows.iter().skip(c).step_by(COLUMNS).sum::<f32>() / ROWS as f32;
    (0..COLUMNS).map(column).collect()
}

/// Returns how many kernels are compiled and dispatched meanwhile.
fn counts(gpu: &Context, run: impl FnOnce()) -> (u64, u64) {
    let before = gpu.stats();
    run();
    let after = gpu.stats();
    (after.compilations - before.compilations, after.dispatches - before.dispatches)
}

fn start(gpu: &Context) -> (Array<f32>, Array<f32>) {
    let x: Vec<f32> = iota(ROWS * COLUMNS).iter().map(|x| (x * 0.37).sin()).collect();
    (gpu.array([ROWS, COLUMNS], &x).unwrap(), gpu.array([COLUMNS], &[0.5; COLUMNS]).unwrap())
}

/// `w = w - 0.1 * mean(x * w - 1)`, where only the mean is read: each round would compute `w` from
/// all rounds before, for each row, by a kernel that no round had.
#[test]
fn a_loop_that_reads_only_what_it_makes_of_a_growing_value_takes_few_kernels() {
    const ROUNDS: u64 = 60;
    let gpu = gpu();
    let (x, first) = start(&gpu);
    let residual = |w: &Expr<f32>| &x * w.broadcast_in_dim([ROWS, COLUMNS], [1]) - 1.0;
    let step = |w: &Expr<f32>, mean: &[f32]| w - gpu.array([COLUMNS], mean).unwrap() * 0.1;
    let mut each = first.clone();
    for _ in 0..ROUNDS {
        let mean = column_means(&values(&residual(&each.expr()).eval().unwrap()));
        each = step(&each.expr(), &mean).eval().unwrap();
    }
    let mut w = first.expr();
    let (compiled, dispatched) = counts(&gpu, || {
        for _ in 0..ROUNDS {
            let mean = column_means(&values(&residual(&w).eval().unwrap()));
            w = step(&w, &mean);
        }
    });
    assert!(compiled <= 6, "{compiled} kernels were compiled");
    assert!(dispatched <= 2 * ROUNDS, "{dispatched} dispatches");
    assert_eq!(values(&w.eval().unwrap()), values(&each));
}

/// The same by values whose types are known at run time, as in Python and JavaScript.
#[test]
fn so_does_one_of_values_of_any_type() {
    let gpu = gpu();
    let (x, first) = start(&gpu);
    let x = AnyExpr::from(x.as_any());
    let op = |opcode, a: &AnyExpr, b: &AnyExpr| AnyExpr::binary(opcode, a, b, [0_i64; 0]).unwrap();
    let scalar = |value: f32| AnyExpr::constant(indim::Scalar::new(value));
    let mut w = AnyExpr::from(first.as_any());
    let (compiled, dispatched) = counts(&gpu, || {
        for _ in 0..40 {
            let wide = w.broadcast_in_dim([ROWS, COLUMNS], [1]).unwrap();
            let residual = op(Opcode::Sub, &op(Opcode::Mul, &x, &wide), &scalar(1.0));
            let read = gpu.eval(&residual).unwrap().to_literal_blocking().unwrap();
            let mean = column_means(&read.to_vec::<f32>().unwrap());
            let mean = AnyExpr::literal(Literal::from_slice([COLUMNS], &mean).unwrap());
            w = op(Opcode::Sub, &w, &op(Opcode::Mul, &mean, &scalar(0.1)));
        }
    });
    assert!(compiled <= 6, "{compiled} kernels were compiled");
    assert!(dispatched <= 80, "{dispatched} dispatches");
}

/// Nobody holds what the loop before did, and into an existing array nothing else is written: the
/// long value is stored before it is broadcast, so that it is computed once for each column.
#[test]
fn a_long_value_is_stored_before_it_is_broadcast() {
    let gpu = gpu();
    let (x, first) = start(&gpu);
    let long = (0..20).fold(first.expr(), |w, n| (w + n as f32) * 0.5);
    let y = &x * long.broadcast_in_dim([ROWS, COLUMNS], [1]);
    drop(long);
    let explanation = y.explain().unwrap();
    let shapes: Vec<&[usize]> = explanation.kernels.iter().map(|k| k.shape.dims()).collect();
    assert_eq!(shapes, [&[COLUMNS][..], &[ROWS, COLUMNS]]);
    assert_eq!((explanation.kernels[0].ops, explanation.kernels[1].ops), (40, 1));
    let short = (0..5).fold(first.expr(), |w, n| (w + n as f32) * 0.5);
    let y = &x * short.broadcast_in_dim([ROWS, COLUMNS], [1]);
    drop(short);
    assert_eq!(y.explain().unwrap().kernels.len(), 1);
}

#[test]
fn what_is_kept_is_explained_as_a_temporary_array_and_computed_once() {
    let gpu = gpu();
    let (x, first) = start(&gpu);
    let held = (first.expr() + 1.0).sin();
    let y = |by: f32| &x * held.broadcast_in_dim([ROWS, COLUMNS], [1]) * by;
    let explanation = y(2.0).explain().unwrap();
    assert_eq!(explanation.results, [Source::Result(0)]);
    let targets: Vec<Source> = explanation.kernels.iter().map(|k| k.writes[0].array).collect();
    assert_eq!(targets, [Source::Temporary(0), Source::Result(0)]);
    assert_eq!(dispatches(&gpu, || drop(y(2.0).eval().unwrap())), 2);
    assert_eq!(dispatches(&gpu, || drop(y(3.0).eval().unwrap())), 1, "the sine is there");
    // Evaluating the value itself gives a separate array: writes to its buffer are not seen
    // elsewhere.
    let own = held.eval().unwrap();
    own.buffer().unwrap();
    let before = values(&y(1.0).eval().unwrap());
    let mut target = own;
    (Expr::full(0.0, [COLUMNS])).eval_into(&mut target).unwrap();
    assert_eq!(values(&y(1.0).eval().unwrap()), before);
}

/// A value that does not depend on an array may be computed on any context, before and after.
#[test]
fn what_has_no_array_is_not_kept_for_one_context() {
    let (one, other) = (gpu(), gpu());
    let held = Expr::<f32>::iota([COLUMNS], 0).sin().exp();
    let y = |gpu: &Context| (start(gpu).0 * held.broadcast_in_dim([ROWS, COLUMNS], [1])).eval();
    let first = values(&y(&one).unwrap());
    assert_eq!(values(&y(&other).unwrap()), first);
}

/// Some depend on others, some are the same, some are arrays, and results stand far apart from what
/// they share something with.
#[test]
#[ignore = "long: in `.ci/run`"]
fn hundreds_of_expressions_are_evaluated_and_explained_as_each_by_itself() {
    const COUNT: usize = 500;
    let gpu = gpu();
    let arrays: Vec<Array<f32>> =
        (0..COUNT).map(|n| gpu.array([5], &[n as f32; 5]).unwrap()).collect();
    let mut exprs: Vec<Expr<f32>> = arrays.iter().map(|array| array.expr() * 2.0 + 1.0).collect();
    for n in (0..COUNT).step_by(9) {
        let earlier = exprs[(n * 7) % COUNT].clone();
        exprs[n] = match n % 4 {
            0 => &earlier - &arrays[n],
            1 => earlier,
            2 => arrays[n].expr(),
            _ => Expr::full(n as f32, [5]),
        };
    }
    let together = indim::eval(&exprs).unwrap();
    for (n, (expr, array)) in exprs.iter().zip(&together).enumerate() {
        assert_eq!(values(array), values(&gpu.eval(expr).unwrap()), "{n}");
    }
    let explanation = indim::explain(&exprs).unwrap();
    let count = dispatches(&gpu, || drop(indim::eval(&exprs).unwrap()));
    assert_eq!(explanation.kernels.iter().map(|k| k.dispatches as u64).sum::<u64>(), count);
    let mut parameters = Vec::new();
    for (n, result) in explanation.results.iter().enumerate() {
        match *result {
            Source::Result(number) => {
                let writes = |k: &&indim::plan::KernelExplanation| {
                    k.writes.iter().any(|written| written.array == Source::Result(number))
                };
                assert_eq!(explanation.kernels.iter().filter(writes).count(), 1, "{n}");
            }
            Source::Parameter(number) => parameters.push(number),
            other => panic!("result {n} is {other:?}"),
        }
    }
    assert!(parameters.len() > 10 && parameters.is_sorted(), "in the order of the expressions");
    let two_contexts = [exprs, vec![start(&self::gpu()).1.expr()]].concat();
    assert_eq!(
        indim::eval(&two_contexts).unwrap_err().to_string(),
        indim::ArrayError::TwoContexts.to_string()
    );
}
