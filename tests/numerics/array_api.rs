//! Tests the operations that NumPy and the Python array API standard have and XLA has not: the
//! standard's special cases (edition 2024.12) on every float type, `floor_divide` and `remainder`
//! of integers against Rust's arithmetic, and of floats against NumPy's steps.

use indim::plan::{PlanLimits, Subnormals};
use indim::{Context, ElementType, OpClass, Opcode};
use indim_testing::host_array::HostArray;
use indim_testing::oracle::{complex, format, integer, value};
use indim_testing::random::Random;
use indim_testing::{compute, contexts, share};

use ElementType::{F32, S4, S8, S64, U4, U8, U64};
use Opcode::{
    Copysign, FloorDivide, Hypot, IsInf, IsNan, Log, Log2, Log10, Logaddexp, Remainder, Signbit,
    Trunc,
};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;
const TRUE: f64 = 1.0;
const FALSE: f64 = 0.0;

/// Floats of every kind that the standard distinguishes; all types have them.
const VALUES: &[f64] = &[
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.0, -2.0, 3.0, -3.0, 96.0, -96.0, INF, -INF, NAN,
    -NAN,
];

/// The standard lists these results for these operands.
struct Case {
    op: Opcode,
    /// The standard's words, shortened.
    words: &'static str,
    applies: fn(f64, f64) -> bool,
    due: fn(f64, f64) -> f64,
}

const fn case(
    op: Opcode,
    words: &'static str,
    applies: fn(f64, f64) -> bool,
    due: fn(f64, f64) -> f64,
) -> Case {
    Case { op, words, applies, due }
}

fn is_zero(x: f64) -> bool {
    x == 0.0
}

fn is_number(x: f64) -> bool {
    x.is_finite() && x != 0.0
}

/// The special cases. Where the standard lets a library follow Python in place of
/// `floor(x1 / x2)`, which NumPy does, the value is Python's.
const CASES: &[Case] = &[
    case(FloorDivide, "either is NaN", |a, b| a.is_nan() || b.is_nan(), |_, _| NAN),
    case(FloorDivide, "both are infinite", |a, b| a.is_infinite() && b.is_infinite(), |_, _| NAN),
    case(FloorDivide, "both are zeros", |a, b| is_zero(a) && is_zero(b), |_, _| NAN),
    case(
        FloorDivide,
        "a zero by a number",
        |a, b| is_zero(a) && b != 0.0 && !b.is_nan(),
        |a, b| {
            if a.is_sign_negative() == b.is_sign_negative() { 0.0 } else { -0.0 }
        },
    ),
    case(
        FloorDivide,
        "a number by a zero",
        |a, b| a != 0.0 && !a.is_nan() && is_zero(b),
        |a, b| {
            if a.is_sign_negative() == b.is_sign_negative() { INF } else { -INF }
        },
    ),
    // The standard has infinities of the quotient's sign, and "libraries may return NaN".
    case(FloorDivide, "infinite by a number", |a, b| a.is_infinite() && is_number(b), |_, _| NAN),
    case(
        FloorDivide,
        "a number by an infinity of its sign",
        |a, b| is_number(a) && b.is_infinite() && (a < 0.0) == (b < 0.0),
        |_, _| 0.0,
    ),
    // The standard has -0, and "libraries may return -1.0".
    case(
        FloorDivide,
        "a number by an infinity of the other sign",
        |a, b| is_number(a) && b.is_infinite() && (a < 0.0) != (b < 0.0),
        |_, _| -1.0,
    ),
    case(
        FloorDivide,
        "the greatest integer that is not above the quotient",
        |a, b| is_number(a) && is_number(b),
        |a, b| (a / b).floor(),
    ),
    case(Remainder, "either is NaN", |a, b| a.is_nan() || b.is_nan(), |_, _| NAN),
    case(Remainder, "of an infinity", |a, _| a.is_infinite(), |_, _| NAN),
    case(Remainder, "by a zero", |_, b| is_zero(b), |_, _| NAN),
    case(
        Remainder,
        "of a zero by a number",
        |a, b| is_zero(a) && b != 0.0 && !b.is_nan(),
        |_, b| 0f64.copysign(b),
    ),
    case(
        Remainder,
        "by an infinity of the same sign",
        |a, b| is_number(a) && b.is_infinite() && (a < 0.0) == (b < 0.0),
        |a, _| a,
    ),
    case(
        Remainder,
        "by an infinity of the other sign",
        |a, b| is_number(a) && b.is_infinite() && (a < 0.0) != (b < 0.0),
        |_, b| b,
    ),
    case(
        Remainder,
        "of the divisor's sign",
        |a, b| is_number(a) && is_number(b),
        |a, b| {
            let rest = a - (a / b).floor() * b;
            rest.copysign(b)
        },
    ),
    case(
        Copysign,
        "x1 is no NaN",
        |a, _| !a.is_nan(),
        |a, b| {
            if b.is_sign_negative() { -a.abs() } else { a.abs() }
        },
    ),
    case(
        Copysign,
        "a NaN has the sign bit of x2",
        |a, _| a.is_nan(),
        |_, b| {
            if b.is_sign_negative() { -NAN } else { NAN }
        },
    ),
    case(Hypot, "either is infinite", |a, b| a.is_infinite() || b.is_infinite(), |_, _| INF),
    case(Hypot, "x1 is a zero", |a, _| is_zero(a), |_, b| b.abs()),
    case(Hypot, "x2 is a zero", |_, b| is_zero(b), |a, _| a.abs()),
    case(Hypot, "NaN and no infinity", |a, b| a.is_nan() || b.is_nan(), |_, _| NAN),
    case(Logaddexp, "either is NaN", |a, b| a.is_nan() || b.is_nan(), |_, _| NAN),
    case(Logaddexp, "+infinity and no NaN", |a, b| a == INF || b == INF, |_, _| INF),
    // NumPy's: the sum of no exponential, and that of one.
    case(Logaddexp, "x1 is -infinity", |a, _| a == -INF, |_, b| if b == 0.0 { 0.0 } else { b }),
    case(Logaddexp, "x2 is -infinity", |_, b| b == -INF, |a, _| if a == 0.0 { 0.0 } else { a }),
    case(Log2, "NaN, or below 0", |a, _| a.is_nan() || a < 0.0, |_, _| NAN),
    case(Log2, "a zero", |a, _| is_zero(a), |_, _| -INF),
    case(Log2, "1, or another power of two", |a, _| [1.0, 0.5, 2.0].contains(&a), |a, _| a.log2()),
    case(Log2, "+infinity", |a, _| a == INF, |a, _| a),
    case(Log10, "NaN, or below 0", |a, _| a.is_nan() || a < 0.0, |_, _| NAN),
    case(Log10, "a zero", |a, _| is_zero(a), |_, _| -INF),
    case(Log10, "1", |a, _| a == 1.0, |_, _| 0.0),
    case(Log10, "+infinity", |a, _| a == INF, |a, _| a),
    case(
        Signbit,
        "set of negative numbers, zeros and NaN",
        |_, _| true,
        |a, _| f64::from(u8::from(a.is_sign_negative())),
    ),
    case(IsInf, "either infinity", |a, _| a.is_infinite(), |_, _| TRUE),
    case(IsInf, "anything else", |a, _| !a.is_infinite(), |_, _| FALSE),
    case(IsNan, "NaN", |a, _| a.is_nan(), |_, _| TRUE),
    case(IsNan, "anything else", |a, _| !a.is_nan(), |_, _| FALSE),
    case(Trunc, "an integer already, an infinity or a zero", |a, _| a == a.round(), |a, _| a),
    case(Trunc, "NaN", |a, _| a.is_nan(), |_, _| NAN),
    case(Trunc, "towards zero", |a, _| a.is_finite(), |a, _| a.abs().floor().copysign(a)),
];

const APPROXIMATE: [Opcode; 4] = [Hypot, Logaddexp, Log2, Log10];

fn array(element_type: ElementType, bits: Vec<u64>) -> HostArray {
    HostArray { element_type, shape: vec![bits.len()], bits }
}

/// Computes an operation of one operand or two.
fn computed(gpu: &Context, op: Opcode, lhs: &HostArray, rhs: &HostArray) -> HostArray {
    let computation = compute::built(&[lhs, rhs], |b, x| match op.class() {
        OpClass::Unary => b.unary(op, x[0]),
        _ => b.binary(op, x[0], x[1], &[]),
    });
    compute::run(gpu, &computation.unwrap(), &[lhs, rhs]).unwrap()
}

/// The context of the adapter, one that computes 64-bit integers in words, and one that flushes
/// subnormals by bits.
fn contexts() -> [Context; 3] {
    let with = |change: fn(&mut PlanLimits)| {
        let mut limits = contexts::gpu().plan_limits().clone();
        change(&mut limits);
        let mut options = contexts::options();
        options.plan_limits = Some(limits);
        Context::blocking_with_options(options).unwrap()
    };
    [
        contexts::gpu(),
        with(|limits| limits.tuning.int64 = false),
        with(|limits| {
            limits.arithmetic.as_mut().unwrap().subnormals = Subnormals::FlushedByBits;
        }),
    ]
}

/// A NaN's sign counts only where the operation is about signs.
fn is_due(op: Opcode, got: f64, due: f64) -> bool {
    let both_nan = got.is_nan() && due.is_nan();
    let same_sign = got.is_sign_negative() == due.is_sign_negative();
    if both_nan { op != Copysign || same_sign } else { got.to_bits() == due.to_bits() }
}

#[test]
fn special_cases_are_the_standard_s() {
    let gpu = contexts::gpu();
    let pairs: Vec<(f64, f64)> =
        VALUES.iter().flat_map(|&a| VALUES.iter().map(move |&b| (a, b))).collect();
    let mut wrong = Vec::new();
    let floats = compute::supported(&gpu).into_iter().filter_map(|of| Some((of, format::of(of)?)));
    for (element, format) in floats.step_by(share::one_of(4)) {
        let operand = |pick: fn(&(f64, f64)) -> f64| {
            array(element, pairs.iter().map(|pair| format.encode(pick(pair))).collect())
        };
        let (lhs, rhs) = (operand(|pair| pair.0), operand(|pair| pair.1));
        let mut ops: Vec<Opcode> = CASES.iter().map(|case| case.op).collect();
        ops.dedup();
        for op in ops {
            let got = computed(&gpu, op, &lhs, &rhs);
            let decoded = |bits| match got.element_type {
                ElementType::Pred => bits as f64,
                _ => format.decode(bits),
            };
            for (&(a, b), &bits) in pairs.iter().zip(&got.bits) {
                let mut cases = CASES.iter().filter(|case| case.op == op && (case.applies)(a, b));
                // Ordinary cases are judged by their error elsewhere.
                let Some(case) = cases.next() else {
                    assert!(APPROXIMATE.contains(&op), "no case of {op:?}({a}, {b})");
                    continue;
                };
                let (got, due) = (decoded(bits), format.round((case.due)(a, b)));
                if !is_due(op, got, due) {
                    let words = case.words;
                    wrong.push(format!("{element} {op:?}({a}, {b}), {words}: {got}, not {due}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

/// A complex number is infinite, or NaN, where a part is.
#[test]
fn parts_of_complex_numbers_are_tested() {
    let gpu = contexts::gpu();
    let single = |x: f64| u64::from((x as f32).to_bits());
    let pairs: Vec<(f64, f64)> =
        VALUES.iter().flat_map(|&a| VALUES.iter().map(move |&b| (a, b))).collect();
    let bits = pairs.iter().map(|&(a, b)| single(a) | single(b) << 32).collect();
    let z = array(ElementType::C64, bits);
    let (infinite, nan) = (computed(&gpu, IsInf, &z, &z), computed(&gpu, IsNan, &z, &z));
    for (i, (a, b)) in pairs.into_iter().enumerate() {
        let due = [a.is_infinite() || b.is_infinite(), a.is_nan() || b.is_nan()];
        assert_eq!([infinite.bits[i], nan.bits[i]].map(|bits| bits == 1), due, "{a} and {b}");
    }
}

/// Rust's quotient, rounded down, and its remainder; division by zero gives 0 for both.
fn divided(element: ElementType, a: i128, b: i128) -> [u64; 2] {
    if b == 0 {
        return [0, 0];
    }
    let rest = a.rem_euclid(b);
    let rest = if b < 0 && rest != 0 { rest + b } else { rest };
    [(a - rest) / b, rest].map(|number| integer::encode(element, number))
}

fn check_integers(gpu: &Context, element: ElementType, pairs: &[(u64, u64)]) {
    let (lhs, rhs) = pairs.iter().copied().unzip();
    let (lhs, rhs) = (array(element, lhs), array(element, rhs));
    let got = [FloorDivide, Remainder].map(|op| computed(gpu, op, &lhs, &rhs));
    for (i, &(a, b)) in pairs.iter().enumerate() {
        let [x, y] = [a, b].map(|bits| integer::decode(element, bits));
        let due = divided(element, x, y);
        assert_eq!([got[0].bits[i], got[1].bits[i]], due, "{x} // {y} of {element}");
    }
}

#[test]
fn integers_of_a_byte_are_divided_as_rust_divides_them() {
    // The sum of quotient times divisor and remainder is the dividend.
    let [quotient, rest] = divided(S8, -7, 2).map(|bits| integer::decode(S8, bits));
    assert_eq!((quotient, rest), (-4, 1));
    let gpu = contexts::gpu();
    for element in [S4, U4, S8, U8] {
        let all = 0..=value::mask(element);
        let pairs: Vec<(u64, u64)> =
            all.clone().flat_map(|a| all.clone().map(move |b| (a, b))).collect();
        check_integers(&gpu, element, &pairs);
    }
}

#[test]
fn integers_of_every_width_are_divided_as_rust_divides_them() {
    let integers = ElementType::ALL.iter().copied().filter(|&element| {
        FloorDivide.accepts(element) && format::of(element).is_none() && value::width(element) > 8
    });
    let integers: Vec<ElementType> = integers.collect();
    assert!(integers.contains(&S64) && integers.contains(&U64) && integers.len() == 6);
    for gpu in contexts() {
        for &element in &integers {
            let (least, largest) = integer::limits(element);
            let edges =
                [0, 1, 2, 3, 7, 10, 100, -1, -2, -3, -7, least, least + 1, largest, largest - 1];
            let edges = edges.map(|number| integer::encode(element, number));
            let mut pairs: Vec<(u64, u64)> =
                edges.iter().flat_map(|&a| edges.iter().map(move |&b| (a, b))).collect();
            let mut random = Random::new(7);
            for _ in 0..4096 {
                let mut sized = || {
                    let shift = random.below(value::width(element) as usize);
                    (random.bits() & value::mask(element)) >> shift
                };
                let (a, b) = (sized(), sized());
                let negative = |x: u64| x.wrapping_neg() & value::mask(element);
                pairs.extend([(a, b), (negative(a), b), (a, negative(b))]);
            }
            check_integers(&gpu, element, &pairs);
        }
    }
}

/// NumPy's `npy_floor_divide` and `npy_remainder`, step by step.
fn numpy(a: f32, b: f32) -> [f32; 2] {
    let mut rest = a % b;
    if b == 0.0 {
        return [a / b, rest];
    }
    let mut quotient = (a - rest) / b;
    if rest == 0.0 {
        rest = 0f32.copysign(b);
    } else if (b < 0.0) != (rest < 0.0) {
        rest += b;
        quotient -= 1.0;
    }
    if quotient == 0.0 {
        return [0f32.copysign(a / b), rest];
    }
    let whole = quotient.floor();
    [if quotient - whole > 0.5 { whole + 1.0 } else { whole }, rest]
}

/// Quotients of every size, among them those of subnormal operands, and those that a rounded step
/// puts one off.
#[test]
#[ignore = "long: in `.ci/run`"]
fn floats_are_divided_by_numpy_s_steps() {
    let mut random = Random::new(11);
    let mut pairs = Vec::new();
    for i in 0..60_000u32 {
        let [a, b] = [random.bits() as u32, random.bits() as u32];
        // Of about the same size, of the smallest sizes, and any.
        let b = if i % 3 == 0 { (a & 0xff80_0000) ^ (b & 0x82ff_ffff) } else { b };
        let mask = if i % 3 == 1 { 0x86ff_ffff } else { u32::MAX };
        pairs.push((f32::from_bits(a & mask), f32::from_bits(b & mask)));
    }
    for whole in 1..2000 {
        let b = 0.1 + whole as f32 / 777.0;
        pairs.extend([(whole as f32 * b, b), (-whole as f32 * b, b), (whole as f32, -0.1)]);
    }
    let (lhs, rhs): (Vec<u64>, Vec<u64>) =
        pairs.iter().map(|(a, b)| (u64::from(a.to_bits()), u64::from(b.to_bits()))).unzip();
    let (lhs, rhs) = (array(F32, lhs), array(F32, rhs));
    for gpu in contexts() {
        let keeps = gpu.plan_limits().arithmetic.unwrap().subnormals == Subnormals::Kept;
        let seen = |x: f32| if keeps || !x.is_subnormal() { x } else { 0f32.copysign(x) };
        let got = [FloorDivide, Remainder].map(|op| computed(&gpu, op, &lhs, &rhs));
        for (i, &(a, b)) in pairs.iter().enumerate() {
            let due = numpy(seen(a), seen(b)).map(seen);
            for (op, got, due) in [("//", &got[0], due[0]), ("%", &got[1], due[1])] {
                let got = f32::from_bits(got.bits[i] as u32);
                let same = got.to_bits() == due.to_bits() || got.is_nan() && due.is_nan();
                assert!(same, "{a:e} {op} {b:e} is {got:e}, not {due:e}; subnormals kept: {keeps}");
            }
        }
    }
}

/// All powers of two, also subnormal ones, and all powers of ten that a type has.
#[test]
fn logarithms_of_powers_are_exact() {
    let gpu = contexts::gpu();
    let keeps = gpu.plan_limits().arithmetic.unwrap().subnormals == Subnormals::Kept;
    for element in compute::supported(&gpu) {
        let Some(format) = format::of(element) else { continue };
        let least = if keeps && element != ElementType::F64 {
            format.smallest()
        } else {
            format.smallest_normal()
        };
        let twos: Vec<f64> = (-1074..1024)
            .map(|n| 2f64.powi(n / 2) * 2f64.powi(n - n / 2))
            .filter(|x| (least..=format.largest()).contains(x))
            .collect();
        let tens: Vec<f64> =
            (0..23).map(|n| 10f64.powi(n)).filter(|&x| format.round(x) == x).collect();
        assert!(twos.len() > 29 && tens.len() > 3, "{element}");
        for (op, powers, due) in
            [(Log2, &twos, f64::log2 as fn(f64) -> f64), (Log10, &tens, f64::log10)]
        {
            let operand = array(element, powers.iter().map(|&x| format.encode(x)).collect());
            let got = computed(&gpu, op, &operand, &operand);
            for (&x, &bits) in powers.iter().zip(&got.bits) {
                let (got, due) = (format.decode(bits), due(x).round());
                assert_eq!(got, format.round(due), "{op:?} of {x:e}, {element}");
            }
        }
    }
}

/// Each part of a complex logarithm, however small it is; a third of the numbers has parts in [1/2, 4),
/// so that many magnitudes are near 1.
#[test]
fn logarithms_of_complex_numbers_are_right_in_each_part() {
    const LIMIT: f64 = 4.0;
    let gpu = contexts::gpu();
    let mut random = Random::new(3);
    let mut points = Vec::new();
    for i in 0..100_000 {
        // Exponents of all sizes, and parts in [1/2, 4).
        let wide = [-60, -12, -1][i % 3];
        let mut part = || {
            let exponent = wide + random.below((1 - 2 * wide) as usize) as i32;
            let x = (1.0 + random.unit()) * 2f64.powi(exponent);
            (if random.percent(50) { x } else { -x }) as f32
        };
        points.push((part(), part()));
    }
    let bits = |&(re, im): &(f32, f32)| u64::from(re.to_bits()) | u64::from(im.to_bits()) << 32;
    let z = array(ElementType::C64, points.iter().map(bits).collect());
    for op in [Log, Log2, Log10] {
        let got = computed(&gpu, op, &z, &z);
        let mut worst = 0f64;
        for (&(re, im), &bits) in points.iter().zip(&got.bits) {
            let z = complex::Complex { re: f64::from(re), im: f64::from(im) };
            let truth = complex::truth(op, z).unwrap();
            let parts = value::parts(bits);
            for (got, truth) in [(parts.0, truth.re), (parts.1, truth.im)] {
                let got = f64::from(f32::from_bits(got as u32));
                let error = indim_reference::ulps(got as f32, truth);
                worst = worst.max(error);
                assert!(error <= LIMIT, "{op:?} of {re:e} + {im:e}i: {got:e}, not {truth:e}");
            }
        }
        println!("{op:?}: {worst:.3} ULP");
    }
}

/// Operands whose squares over- and underflow; 3, 4 and 5 times any power of two.
#[test]
fn lengths_neither_over_nor_underflow() {
    let gpu = contexts::gpu();
    for element in compute::supported(&gpu) {
        let Some(format) = format::of(element) else { continue };
        let (mut x, mut y, mut due) = (Vec::new(), Vec::new(), Vec::new());
        let mut power = format.smallest_normal();
        while power * 5.0 <= format.largest() {
            x.push(format.encode(3.0 * power));
            y.push(format.encode(-4.0 * power));
            due.push(format.encode(5.0 * power));
            power *= 2.0;
        }
        assert!(due.len() > 20);
        let got = computed(&gpu, Hypot, &array(element, x), &array(element, y));
        assert_eq!(got.bits, due, "{element}");
    }
}
