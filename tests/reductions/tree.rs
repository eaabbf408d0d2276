//! Finds the tree in which sums are added from outside, by the method of FPRev (P. Xie, Y. Gao and
//! others, "FPRev: Revealing Floating-Point Accumulation Order", 2024): of ones, a huge number M in
//! place i and -M in place j, the sum is the number of ones that are added neither to M nor to -M
//! before these meet. It is the one that docs/numerics.md describes.

use std::ops::ControlFlow;

use indim::num_complex::Complex32;
use indim::{Array, Builder, ChunkedError, Context, ElementType, Expr, Literal, Precision};
use indim_testing::contexts::{self, gpu};
use indim_testing::{gpu_classes, share};

use crate::limits;

/// More than 2^24 times all ones together, so that these are lost beside it.
const HUGE: f32 = (1u64 << 60) as f32;

/// Returns how many of `count` elements are added up where elements i and j meet.
fn leaves(count: usize, [mut i, mut j]: [usize; 2]) -> usize {
    // The number of elements in each child of the nodes of a level.
    let mut child = 1;
    while i / 32 != j / 32 {
        (i, j) = (i / 32, j / 32);
        child *= 32;
    }
    let first = i / 32 * 32;
    let elements_of = |number: usize| count.saturating_sub((first + number) * child).min(child);
    let [a, b] = [i % 32, j % 32];
    let strand =
        |of: usize, last: usize| -> usize { (of..=last).step_by(4).map(elements_of).sum() };
    match (a % 4, b % 4) {
        (one, other) if one == other => strand(one, a.max(b)),
        (one, other) if one % 2 == other % 2 => strand(one, 31) + strand(other, 31),
        _ => (0..4).map(|of| strand(of, 31)).sum(),
    }
}

/// All pairs of places in few elements, some in many: about 200, so that 32 rows of their columns are
/// one binding even where that has 64 KiB.
fn pairs(count: usize) -> Vec<[usize; 2]> {
    let all = (0..count).flat_map(|j| (0..j).map(move |i| [i, j]));
    let total = count * (count - 1) / 2;
    all.step_by((total / 200).max(1) | 1).collect()
}

/// Sums ones with M and -M in these places; along rows, or along columns; with a precision of its own,
/// if that is given.
fn sums<T: indim::Number>(
    gpu: &Context,
    count: usize,
    along_rows: bool,
    precision: Option<Precision>,
    of: impl Fn(f32) -> T,
) -> Vec<T> {
    let pairs = pairs(count);
    let element = |pair: usize, at: usize| match pairs[pair] {
        [i, _] if i == at => HUGE,
        [_, j] if j == at => -HUGE,
        _ => 1.0,
    };
    let (sizes, dimension) =
        if along_rows { ([pairs.len(), count], 1) } else { ([count, pairs.len()], 0) };
    let elements = (0..sizes[0] * sizes[1]).map(|number| {
        let (outer, inner) = (number / sizes[1], number % sizes[1]);
        let (pair, at) = if along_rows { (outer, inner) } else { (inner, outer) };
        of(element(pair, at))
    });
    let x: Array<T> = gpu.array(sizes, &elements.collect::<Vec<_>>()).unwrap();
    let values = |sum: &Expr<T>| {
        let sum = precision.map_or(sum.clone(), |precision| sum.with_precision(precision));
        sum.eval().unwrap().to_vec_blocking().unwrap()
    };
    let eager = values(&x.reduce_sum([dimension]));
    // With a map before it, and an epilogue behind it.
    let sum = (-(-&x)).reduce_sum([dimension]);
    let fused = values(&(-(-sum)));
    assert!(eager.iter().zip(&fused).all(|(eager, fused)| eager == fused), "{count}");
    if precision.is_none() {
        assert!(in_chunks(gpu, &x, dimension) == eager, "{count}");
    }
    eager
}

/// Sums an operand of which a chunk holds less than a sixteenth, so that its parts are reduced first.
fn in_chunks<T: indim::Number>(gpu: &Context, x: &Array<T>, dimension: i64) -> Vec<T> {
    let elements = x.to_vec_blocking().unwrap();
    let mut literal = Literal::from_slice(x.shape().dims(), &elements).unwrap();
    let mut b = Builder::new();
    let operand = b.parameter(literal.element_type(), literal.shape().dims()).unwrap();
    let sum = b.reduce_sum(operand, [dimension]).unwrap();
    let computation = b.build(sum).unwrap();
    let (mut max_bytes, mut bytes) = (literal.bytes().len() as u64 / 16, Vec::new());
    let mut run = |max_bytes| {
        let chunked = gpu.chunked(&computation).max_bytes(max_bytes);
        chunked.run(&mut [&mut literal], &mut [(0, &mut bytes)], |_| ControlFlow::Continue(()))
    };
    while let Err(ChunkedError::TooLarge { needed: Some(needed), .. }) = run(max_bytes) {
        max_bytes = needed;
    }
    let (of, shape) = computation.results().next().unwrap();
    Literal::new(of, shape.clone(), bytes).unwrap().to_vec().unwrap()
}

fn check(gpu: &Context, counts: &[usize]) {
    for &count in counts {
        for along_rows in [true, false] {
            let found = sums(gpu, count, along_rows, None, |x| Complex32::new(x, 0.0));
            for (pair, found) in pairs(count).into_iter().zip(found) {
                let expected = count - leaves(count, pair);
                let label = format!("{pair:?} of {count}, rows: {along_rows}");
                assert_eq!(found.re, expected as f32, "{label}");
            }
        }
    }
}

#[test]
fn the_tree_is_the_one_of_the_document() {
    let counts = [1057, 2, 33, 64, 5, 1024, 100, 5000].into_iter().step_by(share::one_of(4));
    check(&gpu(), &counts.collect::<Vec<_>>());
}

/// Sums of F32 without their second word, which keeps what M loses.
fn check_relaxed(gpu: &Context, counts: &[usize], precision: Option<Precision>) {
    for &count in counts {
        for along_rows in [true, false] {
            let found = sums(gpu, count, along_rows, precision, |x| x);
            for (pair, found) in pairs(count).into_iter().zip(found) {
                assert_eq!(found, (count - leaves(count, pair)) as f32, "{pair:?} of {count}");
            }
        }
    }
}

/// Relaxed sums of F32 are in the same order.
#[test]
fn relaxed_sums_keep_the_order() {
    let mut options = contexts::options();
    options.precision = Precision::Relaxed;
    let gpu = Context::blocking_with_options(options).unwrap();
    check_relaxed(&gpu, &[31, 100, 2000], None);
}

#[test]
fn so_they_do_in_windows_and_by_the_plans_of_gpus() {
    let relaxed = Some(Precision::Relaxed);
    check_relaxed(&limits::low(), &[100, 2000], relaxed);
    for class in gpu_classes::all().into_iter().skip(2).step_by(share::one_of(8)) {
        check_relaxed(&contexts::posing_as(&class), &[40, 1100], relaxed);
    }
}

#[test]
fn so_it_is_in_windows_and_by_the_plans_of_gpus() {
    check(&limits::low(), &[100, 2000]);
    for class in gpu_classes::all().into_iter().step_by(share::one_of(8)) {
        check(&contexts::posing_as(&class), &[40, 1100]);
    }
}

/// The second of two dispatches folds all nodes that the first one stores, of any number of levels.
#[test]
fn long_sums_are_two_dispatches_in_the_same_order() {
    let check = |gpu: &Context, count: usize, pairs: &[[usize; 2]]| {
        for &pair in pairs {
            let at: Expr<i32> = Expr::iota([count], 0);
            let [huge, minus] = pair.map(|place| {
                let place = gpu.array([], &[place as i32]).unwrap();
                at.eq(place.in_dim([])).convert_element_type::<f32>() * HUGE
            });
            let sum = (1.0 + huge - minus).reduce_sum([0]).with_precision(Precision::Relaxed);
            assert_eq!(sum.explain().unwrap().kernels.len(), 2, "{count}");
            let found = sum.eval().unwrap().to_vec_blocking().unwrap();
            assert_eq!(found, [(count - leaves(count, pair)) as f32], "{pair:?} of {count}");
        }
    };
    let four_levels = [[5, 9], [7, 40_000], [40_000, 1_099_998], [1_050_000, 1_099_999]];
    check(&gpu(), 1_100_000, &four_levels);
    for class in gpu_classes::all().into_iter().step_by(share::one_of(8)) {
        check(&contexts::posing_as(&class), 1_100_000, &four_levels[1..3]);
    }
    // Places whose sums are F32's.
    let nodes = [[0, 1 << 10], [3 << 20, (3 << 20) + (5 << 15)], [1 << 20, 5 << 20], [0, 1 << 25]];
    check(&gpu(), 33 << 20, &nodes);
}

/// The innermost precision holds for sums, too: of an expression, of a builder's operations, of a context.
#[test]
fn the_innermost_precision_holds() {
    let mut options = contexts::options();
    options.precision = Precision::Relaxed;
    let relaxed = Context::blocking_with_options(options).unwrap();
    for (gpu, by_default) in [(gpu(), 1.0), (relaxed, 0.0)] {
        // All of one strand.
        let x: Array<f32> = gpu.array([9], &[HUGE, 0., 0., 0., 1., 0., 0., 0., -HUGE]).unwrap();
        let of = |sum: Expr<f32>| sum.eval().unwrap().to_vec_blocking().unwrap()[0];
        let sum = x.reduce_sum([0]);
        assert_eq!(of(sum.clone()), by_default);
        assert_eq!(of(sum.with_precision(Precision::Accurate)), 1.0);
        assert_eq!(of(sum.with_precision(Precision::Relaxed)), 0.0);
        let narrow = x.convert_element_type::<indim::half::bf16>().reduce_sum([0]);
        let relaxed = narrow.with_precision(Precision::Relaxed).convert_element_type();
        let accurate = narrow.with_precision(Precision::Accurate).convert_element_type();
        assert_eq!([of(relaxed), of(accurate)], [0.0, 1.0]);
        for (precision, expected) in [(Precision::Accurate, 1.0), (Precision::Relaxed, 0.0)] {
            let mut b = Builder::new();
            let operand = b.parameter(ElementType::F32, [9]).unwrap();
            b.set_precision(precision);
            let sum = b.reduce_sum(operand, [0]).unwrap();
            let sum = gpu.run(&b.build(sum).unwrap(), &[x.as_any()]).unwrap();
            let found: Vec<f32> = sum.to_literal_blocking().unwrap().to_vec().unwrap();
            assert_eq!(found, [expected]);
        }
    }
}

/// The places that meet last are those in other pairs of strands.
#[test]
fn leaves_are_counted_as_by_hand() {
    assert_eq!(leaves(10, [0, 4]), 2);
    assert_eq!(leaves(10, [0, 8]), 3);
    assert_eq!(leaves(10, [0, 2]), 5);
    assert_eq!(leaves(10, [0, 1]), 10);
    assert_eq!(leaves(100, [0, 32]), 100);
    assert_eq!(leaves(200, [0, 128]), 64);
}
