//! Reductions whose results stand beside the rows that they reduce: one kernel passes over a row several
//! times.

use indim::plan::{Explanation, PlanLimits, Schedule, Source, Tuning};
use indim::{AnyExpr, Array, Builder, Context, ElementType, Expr, Literal, Op, Opcode};
use indim_testing::contexts::{self, gpu};
use indim_testing::{gpu_classes, share};

use crate::limits;
use crate::values::numbers;

/// A computation on an operand, along its last dimensions. Each value goes through a step, which
/// leaves it as it is or computes it first.
type Of = fn(&AnyExpr, &[i64], &dyn Fn(AnyExpr) -> AnyExpr) -> AnyExpr;

/// The dimensions that are not reduced.
fn kept(x: &AnyExpr, dimensions: &[i64]) -> Vec<i64> {
    (0..x.shape().rank() as i64).filter(|d| !dimensions.contains(d)).collect()
}

fn beside(opcode: Opcode, x: &AnyExpr, reduced: &AnyExpr, dimensions: &[i64]) -> AnyExpr {
    AnyExpr::binary(opcode, x, reduced, kept(x, dimensions)).unwrap()
}

/// Exponentials over their sum.
fn shares(x: &AnyExpr, along: &[i64], step: &dyn Fn(AnyExpr) -> AnyExpr) -> AnyExpr {
    let most = step(x.reduce_max(along).unwrap());
    let powers = step(beside(Opcode::Sub, x, &most, along).exp().unwrap());
    let sum = step(powers.reduce_sum(along).unwrap());
    beside(Opcode::Div, &powers, &sum, along)
}

/// The distance from the mean, in roots of the mean square of these distances.
fn standardised(x: &AnyExpr, along: &[i64], step: &dyn Fn(AnyExpr) -> AnyExpr) -> AnyExpr {
    let count: usize = along.iter().map(|&d| x.shape().dims()[d as usize]).product();
    let share = indim::Scalar::from_f64(x.element_type(), 1.0 / count as f64).unwrap();
    let mean = |sum: &AnyExpr| AnyExpr::binary(Opcode::Mul, sum, &AnyExpr::constant(share), []);
    let middle = step(mean(&step(x.reduce_sum(along).unwrap())).unwrap());
    let centered = step(beside(Opcode::Sub, x, &middle, along));
    let squares = step(centered.square().unwrap().reduce_sum(along).unwrap());
    let root = step(mean(&squares).unwrap().sqrt().unwrap());
    beside(Opcode::Div, &centered, &root, along)
}

/// The logarithm of the sum of exponentials: one element for each row, after two passes.
fn log_of_sum(x: &AnyExpr, along: &[i64], step: &dyn Fn(AnyExpr) -> AnyExpr) -> AnyExpr {
    let most = step(x.reduce_max(along).unwrap());
    let powers = beside(Opcode::Sub, x, &most, along).exp().unwrap();
    let sum = step(powers.reduce_sum(along).unwrap());
    AnyExpr::binary(Opcode::Add, &sum.log().unwrap(), &most, []).unwrap()
}

const ALL: [Of; 3] = [shares, standardised, log_of_sum];

/// Checks that a value has the bits of its steps, each computed alone.
fn check(gpu: &Context, x: &AnyExpr, along: &[i64]) {
    for (number, of) in ALL.into_iter().enumerate() {
        let at_once = gpu.eval(of(x, along, &|value| value)).unwrap();
        let alone = |value: AnyExpr| AnyExpr::from(&gpu.eval(&value).unwrap());
        let in_steps = gpu.eval(of(x, along, &alone)).unwrap();
        let bytes = |array: &indim::AnyArray| array.to_literal_blocking().unwrap().bytes().to_vec();
        let label = format!("{number} of {:?} along {along:?}", x);
        assert!(bytes(&at_once) == bytes(&in_steps), "{label}");
    }
}

fn operand(of: ElementType, sizes: &[usize]) -> AnyExpr {
    let elements = numbers(sizes.iter().product());
    let x = AnyExpr::literal(Literal::from_slice(sizes, &elements).unwrap());
    x.convert_element_type(of).unwrap()
}

/// The shapes: rows of one node of the tree, of one block of nodes, of several, whole and not.
const SIZES: [&[usize]; 13] = [
    &[70, 5],
    &[3, 32],
    &[64, 33],
    &[65, 100],
    &[64, 1000],
    &[66, 1024],
    &[64, 1025],
    &[65, 2050],
    &[64, 4096],
    &[8, 9, 12],
    &[1, 3001],
    &[66, 7001],
    &[0, 40],
];

/// The operands of which README's command takes a share.
fn operands() -> Vec<(AnyExpr, Vec<i64>)> {
    let of = operand;
    let last = |sizes: &[usize]| vec![sizes.len() as i64 - 1];
    let mut all: Vec<_> =
        SIZES.iter().map(|sizes| (of(ElementType::F32, sizes), last(sizes))).collect();
    for element_type in [ElementType::F16, ElementType::Bf16, ElementType::F64] {
        all.push((of(element_type, &[65, 100]), vec![1]));
        all.push((of(element_type, &[64, 1030]), vec![1]));
    }
    // Several dimensions, and views.
    all.push((of(ElementType::F32, &[64, 12, 20]), vec![1, 2]));
    all.push((of(ElementType::F32, &[64, 9, 5]), vec![1, 2]));
    let x = of(ElementType::F32, &[100, 70]);
    all.push((x.transpose([1, 0]).unwrap(), vec![1]));
    all.push((x.reverse([1]).unwrap(), vec![1]));
    all.push((x.slice([1, 3], [99, 66]).unwrap(), vec![1]));
    let x = of(ElementType::F32, &[64, 10, 12]).transpose([0, 2, 1]).unwrap();
    all.push((x, vec![1, 2]));
    all.push((of(ElementType::F32, &[64 * 100]).reshape([64, 100]).unwrap(), vec![1]));
    let row = of(ElementType::F32, &[100]).broadcast_in_dim([64, 100], [1]).unwrap();
    all.push((row, vec![1]));
    // Some that no kernel passes over several times.
    all.push((of(ElementType::F32, &[100, 64]), vec![0]));
    all.push((of(ElementType::F32, &[3, 5000]), vec![1]));
    all
}

#[test]
fn passes_have_the_bits_of_their_steps() {
    let gpu = gpu();
    // Not a divisor of the number of sizes.
    for (x, along) in operands().into_iter().skip(2).step_by(share::one_of(18)) {
        if gpu.supports(x.element_type()) {
            check(&gpu, &x, &along);
        }
    }
}

#[test]
fn so_they_have_in_windows_and_by_the_plans_of_gpus() {
    let low = limits::low();
    // Each row of the last one lies farther apart than a binding reaches.
    let far_apart = operand(ElementType::F32, &[100, 2000]).transpose([1, 0]).unwrap();
    let half = operand(ElementType::F16, &[70, 1030]);
    let usual = [&[300, 100][..], &[200, 33]].map(|sizes| operand(ElementType::F32, sizes));
    let all = usual.into_iter().chain([half, far_apart]);
    for x in all.skip(1).step_by(share::one_of(2)) {
        check(&low, &x, &[1]);
    }
    let sizes: [&[usize]; 4] = [&[65, 20], &[67, 100], &[64, 1000], &[64, 2100]];
    let classes = gpu_classes::all();
    let pairs = classes.iter().zip(sizes.into_iter().cycle());
    for (class, sizes) in pairs.skip(2).step_by(share::one_of(24)) {
        check(&contexts::posing_as(class), &operand(ElementType::F32, sizes), &[1]);
    }
}

/// Returns the kernels of an operation on an array of F32.
fn kernels(
    sizes: &[usize],
    of: impl Fn(&mut Builder, Op) -> indim::Result<Op>,
) -> Vec<(Schedule, usize)> {
    let explanation = explanation(&PlanLimits::default(), sizes, of);
    explanation.kernels.iter().map(|kernel| (kernel.schedule, kernel.passes)).collect()
}

fn explanation(
    limits: &PlanLimits,
    sizes: &[usize],
    of: impl Fn(&mut Builder, Op) -> indim::Result<Op>,
) -> Explanation {
    let mut b = Builder::new();
    let x = b.parameter(ElementType::F32, sizes).unwrap();
    let root = of(&mut b, x).unwrap();
    limits.explain(&b.build(root).unwrap()).unwrap()
}

#[test]
fn rows_of_up_to_4096_elements_take_one_kernel() {
    for sizes in [[4096, 1024], [4096, 128], [64, 4096], [1, 4096]] {
        let passes = |n: usize| [(Schedule::Passes, n)];
        assert_eq!(kernels(&sizes, |b, x| b.softmax(x, [1])), passes(3));
        assert_eq!(kernels(&sizes, |b, x| b.log_softmax(x, [1])), passes(3));
        assert_eq!(kernels(&sizes, |b, x| b.layer_norm(x, [1], 1e-5)), passes(3));
        assert_eq!(kernels(&sizes, |b, x| b.rms_norm(x, [1], 1e-5)), passes(2));
        assert_eq!(kernels(&sizes, |b, x| b.var(x, [1])), passes(2));
        assert_eq!(kernels(&sizes, |b, x| b.logsumexp(x, [1])), passes(2));
        // By its form, and not by a function's name.
        let share = kernels(&sizes, |b, x| {
            let e = b.tanh(x)?;
            let sum = b.reduce_sum(e, [1])?;
            b.div(e, sum, [0])
        });
        assert_eq!(share, passes(2));
        let unit = kernels(&sizes, |b, x| {
            let square = b.square(x)?;
            let sum = b.reduce_sum(square, [1])?;
            let root = b.sqrt(sum)?;
            b.div(x, root, [0])
        });
        assert_eq!(unit, passes(2));
    }
    // Longer rows, columns, few rows.
    assert_eq!(kernels(&[64, 4097], |b, x| b.softmax(x, [1])).len(), 5);
    assert_eq!(kernels(&[1024, 1024], |b, x| b.softmax(x, [0])).len(), 5);
    assert_eq!(kernels(&[16, 4096], |b, x| b.softmax(x, [1])).len(), 1);
    assert!(kernels(&[15, 4096], |b, x| b.softmax(x, [1])).len() > 1);
}

/// A driver gives a workgroup to one thread, so that 64 long rows are several workgroups.
#[test]
fn processors_have_few_rows_in_a_workgroup() {
    let mut processors = PlanLimits::default();
    processors.tuning = Tuning::for_cpu(true);
    let gpus = PlanLimits::default();
    for (limits, sizes, size) in [
        (&processors, [64, 32768], 8),
        (&processors, [4096, 1025], 8),
        (&processors, [4096, 1024], 32),
        (&processors, [4096, 128], 32),
        (&gpus, [4096, 1025], gpus.tuning.workgroup_size),
    ] {
        let softmax = explanation(limits, &sizes, |b, x| b.softmax(x, [1]));
        let wgsl = &softmax.kernels[0].wgsl;
        assert!(wgsl.contains(&format!("@workgroup_size({size})")), "{sizes:?}: {wgsl}");
    }
}

/// Once for each reduction and once for the result: in several kernels on a GPU, and in one on a
/// processor, whose cache holds the row.
#[test]
fn long_rows_are_passed_over_three_times() {
    let gpus = PlanLimits::default();
    let mut processors = PlanLimits::default();
    processors.tuning = Tuning::for_cpu(true);
    let softmax = |limits: &PlanLimits, sizes: [usize; 2]| {
        explanation(limits, &sizes, |b, x| b.softmax(x, [1]))
    };
    let norm = |limits: &PlanLimits, sizes: [usize; 2]| {
        explanation(limits, &sizes, |b, x| b.layer_norm(x, [1], 1e-5))
    };
    let three = [(Source::Parameter(0), 3)];
    for sizes in [[64, 32768], [70, 4097], [63, 32768], [64, 32769]] {
        for limits in [&gpus, &processors] {
            assert_eq!(softmax(limits, sizes).passed_over(), three);
            assert_eq!(norm(limits, sizes).passed_over(), three);
        }
    }
    let text = softmax(&gpus, [64, 32768]).to_string();
    assert!(text.ends_with("\npasses over parameter 0: 3"), "{text}");
    let is_one = |sizes| softmax(&processors, sizes).kernels.len() == 1;
    assert_eq!([is_one([64, 32768]), is_one([70, 4097])], [true; 2]);
    assert_eq!([is_one([63, 32768]), is_one([64, 32769])], [false; 2]);
}

#[test]
fn what_is_written_in_place_is_read_before() {
    let gpu = gpu();
    let elements = numbers(64 * 100);
    let mut x: Array<f32> = gpu.array([64, 100], &elements).unwrap();
    let expected = x.softmax([1]).eval().unwrap().to_vec_blocking().unwrap();
    let softmax: Expr<f32> = x.softmax([1]);
    softmax.eval_into(&mut x).unwrap();
    assert_eq!(x.to_vec_blocking().unwrap(), expected);
    let mut wide: Array<f32> = gpu.array([64, 102], &numbers(64 * 102)).unwrap();
    let before = wide.to_vec_blocking().unwrap();
    let x: Array<f32> = gpu.array([64, 100], &elements).unwrap();
    x.softmax([1]).eval_into(wide.slice_mut([0, 1], [64, 101]).unwrap()).unwrap();
    let after = wide.to_vec_blocking().unwrap();
    for row in 0..64 {
        let (start, from) = (row * 102, row * 100);
        assert_eq!(after[start + 1..start + 101], expected[from..from + 100]);
        assert_eq!([after[start], after[start + 101]], [before[start], before[start + 101]]);
    }
}

/// A kernel repeats the operations after a reduction for each element of a unit. SwiftShader's compiler took
/// 10 GB for 32 copies of `logaddexp`.
#[test]
fn rows_take_no_larger_units_than_their_operations_alone() {
    let unit = |beside_reduction: bool| {
        let mut b = Builder::new();
        let x = b.parameter(ElementType::F32, [102, 448]).unwrap();
        let by = if beside_reduction {
            b.reduce_min(x, [1]).unwrap()
        } else {
            b.parameter(ElementType::F32, [102]).unwrap()
        };
        let root = b.logaddexp(x, by, [0]).unwrap();
        let computation = b.build(root).unwrap();
        let explanation = PlanLimits::default().explain(&computation).unwrap();
        assert_eq!(explanation.kernels.len(), 1);
        explanation.kernels[0].unit
    };
    assert!(unit(true) <= unit(false), "{}, not {}", unit(true), unit(false));
}
