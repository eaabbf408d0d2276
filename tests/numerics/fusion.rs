//! Tests that two operations in one kernel give the bits that they give one after the other:
//! whatever is known of a value's origin, no compiler may make use of it. Only the sign and the
//! payload of a NaN that was computed are open, as they are in IEEE 754 and XLA.

use std::sync::mpsc;
use std::time::Duration;

use indim::plan::PlanLimits;
use indim::{AnyArray, Builder, Context, ElementType, Error, Op, OpClass, Opcode, Scalar};
use indim_testing::host_array::HostArray;
use indim_testing::oracle::value::is_same;
use indim_testing::oracle::{self, format};
use indim_testing::samples::samples;
use indim_testing::{compute, contexts, gpu_classes, operations, share};

use ElementType::{C64, F32, Pred, S32, S64, U32, U64};

/// Functions with much code: pairs of them are skipped, and each is tried only with short ones.
const LONG: &str = "Acos Acosh Asin Asinh Atan Atan2 Atanh BesselI0e BesselI1e Cbrt Cos Cosh Digamma \
     Erf ErfInv Erfc Exp Expm1 Hypot Lgamma Log Log10 Log1p Log2 Logaddexp Logistic Pow Rsqrt Sin Sinh Tan Tanh";

fn is_long(opcode: Opcode, element: ElementType) -> bool {
    let float = element == C64 || format::of(element).is_some();
    float && LONG.split(' ').any(|name| name == opcode.name())
}

/// One thing that is done to a value.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    /// The operation, on the value and, where it takes more than one, on `y`.
    Of(Opcode),
    /// The same with the operands in the other order.
    Turned(Opcode),
    /// A binary operation of the value and itself.
    Twice(Opcode),
    To(ElementType),
}

impl Step {
    /// All the steps from a type on.
    fn from(element: ElementType) -> Vec<Self> {
        let mut steps = Vec::new();
        for &opcode in Opcode::ALL.iter().filter(|opcode| opcode.accepts(element)) {
            if operations::is_elementwise(opcode) {
                steps.push(Self::Of(opcode));
                if operations::operand_count(opcode) == 2 {
                    steps.extend([Self::Turned(opcode), Self::Twice(opcode)]);
                }
            } else if opcode == Opcode::ConvertElementType {
                let others = ElementType::ALL.iter().filter(|&&to| to != element);
                steps.extend(others.map(|&to| Self::To(to)));
            }
        }
        steps
    }

    fn is_long(self, element: ElementType) -> bool {
        match self {
            Self::Of(opcode) | Self::Turned(opcode) | Self::Twice(opcode) => {
                is_long(opcode, element)
            }
            Self::To(_) => false,
        }
    }

    /// The type of the result.
    fn result(self, from: ElementType) -> ElementType {
        match self {
            Self::To(to) => to,
            Self::Of(opcode) | Self::Turned(opcode) | Self::Twice(opcode) => {
                oracle::elementwise_type(opcode, from)
            }
        }
    }

    /// The step from `x`, of which `y` and `pred` are as many elements.
    fn apply(self, b: &mut Builder, x: Op, y: Op, pred: Op) -> Result<Op, Error> {
        match self {
            Self::To(element) => b.convert_element_type(x, element),
            Self::Turned(opcode) => Self::Of(opcode).apply(b, y, x, pred),
            Self::Twice(opcode) => Self::Of(opcode).apply(b, x, x, pred),
            Self::Of(opcode) => {
                let operands = match opcode {
                    Opcode::Select => [pred, x, y],
                    Opcode::Clamp => [y, x, y],
                    _ => [x, y, y],
                };
                let count = operations::operand_count(opcode);
                operations::elementwise(b, opcode, &operands[..count])
            }
        }
    }
}

/// Every pair of two samples, as two operands; and some of PRED.
fn operands(element: ElementType) -> [Vec<u64>; 2] {
    let samples = samples(element);
    let count = samples.len();
    let pair = |i: usize| (samples[i % count], samples[i / count]);
    (0..count * count).map(pair).unzip().into()
}

/// Runs computations on all pairs of samples.
struct Bench<'a> {
    context: &'a Context,
    /// The types that the adapter has.
    types: Vec<ElementType>,
    /// `x` and `y` of each.
    operands: Vec<[AnyArray; 2]>,
}

impl<'a> Bench<'a> {
    fn new(context: &'a Context) -> Self {
        let upload = |element_type, bits: Vec<u64>| {
            let host = HostArray { element_type, shape: vec![bits.len()], bits };
            context.upload(&host.to_literal().expect("as many bits")).expect("room")
        };
        let of = |&element: &ElementType| operands(element).map(|bits| upload(element, bits));
        let types = compute::supported(context);
        let operands = types.iter().map(of).collect();
        Self { context, types, operands }
    }

    fn operands(&self, element: ElementType) -> &[AnyArray; 2] {
        &self.operands[self.types.iter().position(|&t| t == element).expect("a type")]
    }

    /// Returns what the steps make of `x`, in one kernel.
    fn run(&self, x: &AnyArray, steps: &[Step]) -> AnyArray {
        let mut b = Builder::new();
        let count = x.shape().dims().to_vec();
        let mut op = b.parameter(x.element_type(), &count[..]).expect("a parameter");
        let pred = b.parameter(Pred, &count[..]).expect("a parameter");
        let mut arguments = vec![x, &self.operands(Pred)[1]];
        for step in steps {
            let element = b.element_type(op).expect("this builder's");
            let y = b.parameter(element, &count[..]).expect("a parameter");
            arguments.push(&self.operands(element)[1]);
            op = step.apply(&mut b, op, y, pred).unwrap_or_else(|e| panic!("{steps:?}: {e}"));
        }
        let computation = b.build(op).expect("a computation");
        self.context.run(&computation, &arguments).unwrap_or_else(|e| panic!("{steps:?}: {e}"))
    }
}

fn bits(array: &AnyArray) -> Vec<u64> {
    HostArray::from_literal(&array.to_literal_blocking().expect("read")).bits
}

/// One in this many pairs is tried with `INDIM_TEST_SHARES=all`, unless `INDIM_FUSION_EVERY` says another
/// number: all of them take hours, as most of the time compilers work.
const EVERY: u64 = 997;

fn every() -> u64 {
    let name = "INDIM_FUSION_EVERY";
    std::env::var(name).map_or(EVERY * share::one_of(10) as u64, |text| {
        text.parse().unwrap_or_else(|_| panic!("{name} is {text}, which is not a number"))
    })
}

/// The pairs that are tried.
#[derive(Clone, Copy)]
struct Sample {
    /// One pair in this many is tried, those whose number leaves this rest.
    every: u64,
    rest: u64,
    /// Pairs that begin with a widened integer are also tried.
    widened: bool,
}

/// The pairs of steps from this type on that are tried.
fn pairs(
    from: ElementType,
    number: &mut u64,
    types: &[ElementType],
    sample: Sample,
) -> Vec<[Step; 2]> {
    let mut pairs = Vec::new();
    for first in Step::from(from) {
        let between = first.result(from);
        if !types.contains(&between) {
            continue;
        }
        for second in Step::from(between) {
            let there = types.contains(&second.result(between));
            if !there || first.is_long(from) && second.is_long(between) {
                continue;
            }
            *number += 1;
            // Compilers can infer most about widened integers.
            let widened = matches!((from, first), (S32, Step::To(S64)) | (U32, Step::To(U64)));
            let widened = sample.widened && widened && !second.is_long(between);
            if widened || *number % sample.every == sample.rest {
                pairs.push([first, second]);
            }
        }
    }
    pairs
}

/// Tries the pairs of a sample; returns how many they were.
fn check(context: &Context, sample: Sample) -> usize {
    let bench = Bench::new(context);
    let (mut number, mut count, mut wrong) = (0, 0, Vec::new());
    for &from in &bench.types {
        let x = &bench.operands(from)[0];
        for [first, second] in pairs(from, &mut number, &bench.types, sample) {
            count += 1;
            let apart = bench.run(&bench.run(x, &[first]), &[second]);
            let element = apart.element_type();
            let (apart, fused) = (bits(&apart), bits(&bench.run(x, &[first, second])));
            let differs = |&place: &usize| !is_same(element, apart[place], fused[place]);
            if let Some(place) = (0..apart.len()).find(differs) {
                wrong.push(format!(
                    "{from} {first:?}, {second:?}: {:#x} one by one, {:#x} at once, element {place}",
                    apart[place], fused[place]
                ));
            }
        }
    }
    println!("{count} of {number} pairs");
    let plan = context.plan_limits();
    assert!(wrong.is_empty(), "{plan:?}: {} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    count
}

/// Tries the usual sample.
fn check_usual(context: &Context) {
    let widened = share::one_of(10) == 1;
    let count = check(context, Sample { every: every(), rest: 0, widened });
    let enough = if widened { 300 } else { 8 };
    assert!(count > enough, "{count} pairs");
}

#[test]
fn two_steps_at_once_give_what_they_give_one_by_one() {
    check_usual(&contexts::blocking().expect("an adapter"));
}

/// 64-bit integers in two words, no 64-bit floats within functions, branches.
#[test]
#[ignore = "long: in `.ci/run`"]
fn so_they_do_with_the_choices_for_a_gpu() {
    let mut options = contexts::options();
    options.plan_limits = Some(PlanLimits::default());
    check_usual(&Context::blocking_with_options(options).expect("an adapter"));
}

/// Each class tries its own pairs, an eighth of the usual number; all that the environment asks
/// for with `INDIM_GPU_CLASSES=all`.
#[test]
#[ignore = "long: in `.ci/run`"]
fn so_they_do_on_common_gpus() {
    let classes = gpu_classes::all();
    let all = contexts::all_on_every_class();
    for (number, class) in (0..).zip(&classes) {
        let context = contexts::posing_as(class);
        let shares = if all { 1 } else { classes.len() as u64 };
        let sample = Sample {
            every: every() * shares,
            rest: (1 + number * every()) % (every() * shares),
            widened: all,
        };
        let count = check(&context, sample);
        assert!(count > 0, "{}: {count} pairs", class.name);
    }
}

/// Operations of two real operands, most of them costly.
fn of_two(element: ElementType) -> impl Iterator<Item = Opcode> {
    let is_meant = move |opcode: &Opcode| {
        matches!(opcode.class(), OpClass::Binary)
            && opcode.accepts(F32)
            && opcode.accepts(element)
            && *opcode != Opcode::Complex
    };
    Opcode::ALL.iter().copied().filter(is_meant)
}

/// Runs kernels, each of which reports that it is done, within two minutes. Returns their number.
fn kernels_end(run: impl FnOnce(&mut dyn FnMut()) + Send + 'static) -> usize {
    let (done, wait) = mpsc::channel();
    std::thread::spawn(move || run(&mut || done.send(()).expect("someone waits")));
    let mut count = 0;
    loop {
        match wait.recv_timeout(Duration::from_secs(120)) {
            Ok(()) => count += 1,
            Err(mpsc::RecvTimeoutError::Disconnected) => return count,
            Err(mpsc::RecvTimeoutError::Timeout) => panic!("{count} kernels ran, and no more"),
        }
    }
}

/// lavapipe's compiler walks through what is computed from uniforms alone, once for each use of it.
#[test]
fn a_constant_does_not_keep_the_compiler() {
    let count = kernels_end(|done| {
        let context = contexts::blocking().expect("an adapter");
        for element in compute::supported(&context) {
            let [x, _] = operands(element);
            let host = HostArray { element_type: element, shape: vec![x.len()], bits: x };
            let x = context.upload(&host.to_literal().expect("as many bits")).expect("room");
            let constant = Scalar::from_bits(element, samples(element)[2]);
            for (number, opcode) in of_two(element).enumerate() {
                for turned in [false, true] {
                    if !(number + usize::from(turned)).is_multiple_of(share::one_of(24)) {
                        continue;
                    }
                    let mut b = Builder::new();
                    let x_op = b.parameter(element, x.shape().clone()).expect("a parameter");
                    let c = b.constant(constant).expect("a constant");
                    let (lhs, rhs) = if turned { (c, x_op) } else { (x_op, c) };
                    let root = b.binary(opcode, lhs, rhs, &[]).expect("accepted");
                    let computation = b.build(root).expect("a computation");
                    let result = context.run(&computation, &[&x]).expect("it runs");
                    result.to_literal_blocking().expect("it is read");
                    done();
                }
            }
        }
    });
    assert!(count > 150 / share::one_of(24), "{count} kernels");
}

/// Random programs found `rem(logaddexp(c, c), d)` behind a sum.
#[test]
fn nor_do_constants_behind_a_reduction() {
    let count = kernels_end(|done| {
        let context = contexts::blocking().expect("an adapter");
        let x = context.array([31], &[1.0_f32; 31]).expect("room");
        let pairs = of_two(F32).flat_map(|inner| of_two(F32).map(move |outer| (inner, outer)));
        for (number, (inner, outer)) in pairs.enumerate() {
            let is_found = (inner, outer) == (Opcode::Logaddexp, Opcode::Rem);
            if !is_found && !number.is_multiple_of(share::one_of(120)) {
                continue;
            }
            let mut b = Builder::new();
            let x_op = b.parameter(F32, [31_usize]).expect("a parameter");
            let sum = b.reduce_sum(x_op, [0]).expect("accepted");
            let [c, d] = [-2.5_f32, 0.347_656_25].map(|c| b.constant(Scalar::new(c)));
            let [c, d] = [c.expect("a constant"), d.expect("a constant")];
            let first = b.binary(inner, c, c, &[]).expect("accepted");
            let second = b.binary(outer, first, d, &[]).expect("accepted");
            let root = b.atan2(sum, second, []).expect("accepted");
            let computation = b.build(root).expect("a computation");
            let result = context.run(&computation, &[x.as_any()]).expect("it runs");
            result.to_literal_blocking().expect("it is read");
            done();
        }
    });
    assert!(count > 150 / share::one_of(120), "{count} kernels");
}

/// A zero that a conversion makes passes through two moves, each guarded. When the guards were
/// exclusive ors, the two cancelled, and lavapipe took the value for a constant.
#[test]
fn guards_one_after_the_other_do_not_cancel() {
    let gpu = contexts::gpu();
    let x = gpu.array([4], &[-10.5_f32, 3.0, 0.0, f32::INFINITY]).unwrap();
    let pred = gpu.array([4], &[false, true, true, false]).unwrap();
    let zero = || pred.convert_element_type::<indim::num_complex::Complex32>().imag();
    let quotients = (&x / zero()).eval().unwrap().to_vec_blocking().unwrap();
    let bits = |x: &f32| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() };
    let same = |found: &[f32], expected: &[f32]| {
        assert_eq!(
            found.iter().map(bits).collect::<Vec<_>>(),
            expected.iter().map(bits).collect::<Vec<_>>(),
            "{found:?}"
        );
    };
    same(&quotients, &[f32::NEG_INFINITY, f32::INFINITY, f32::NAN, f32::INFINITY]);
    let products = (&x * zero()).eval().unwrap().to_vec_blocking().unwrap();
    same(&products, &[-0.0, 0.0, 0.0, f32::NAN]);
}
