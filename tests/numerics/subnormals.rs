//! Tests that all operations on F32 take subnormals by one rule, that of their adapter: where it
//! keeps them, operands count as what they are and results are true to the last place of a
//! subnormal; where it flushes them, both count as zeros of their sign. No result is a wrong normal
//! number. The rule that flushes can be asked for everywhere, so that one adapter tests both.

use indim::plan::{Arithmetic, Conversion, PlanLimits, Rounding, Subnormals};
use indim::{Builder, Context, ElementType, Error, Op, OpClass, Opcode, wgpu};
use indim_reference as reference;
use indim_reference::limits;
use indim_testing::compute;
use indim_testing::contexts;
use indim_testing::host_array::HostArray;
use indim_testing::share;

use ElementType::{F32, Pred, S32, S64, U32, U64};

const LEAST: f64 = f32::MIN_POSITIVE as f64;

/// Operands and results below this magnitude are tried: far above the subnormals a term of a sum
/// may be one.
const SMALL: f64 = 8e-28;

/// The most operands of one operation.
const MOST: usize = 40_000;

/// The operations that move bits, or order them: they keep subnormals on every adapter.
const ON_BITS: [Opcode; 8] = [
    Opcode::Abs,
    Opcode::Neg,
    Opcode::Real,
    Opcode::Imag,
    Opcode::Max,
    Opcode::Min,
    Opcode::Copysign,
    Opcode::NextAfter,
];

/// Numbers by S. Vigna's SplitMix64.
fn mix(number: u64) -> u64 {
    let x = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

fn flushed(x: f32) -> f32 {
    if x.is_subnormal() { 0f32.copysign(x) } else { x }
}

fn same(x: f32, y: f32) -> bool {
    x.to_bits() == y.to_bits() || x.is_nan() && y.is_nan()
}

/// The distance of floats at this value.
fn spacing(truth: f64) -> f64 {
    let exponent = if truth == 0.0 { -126 } else { truth.abs().log2().floor() as i32 };
    2f64.powi(exponent.max(-126) - 23)
}

/// Returns whether a result is within `limit` ULP of the truth, or, if the limit is 0, is the
/// rounded truth.
fn is_right(got: f32, truth: f64, limit: f64, keeps: bool) -> bool {
    let nearest = truth as f32;
    let is_sign_right = got.is_sign_negative() == truth.is_sign_negative();
    if nearest.is_nan() || got.is_nan() || nearest.is_infinite() {
        return same(got, nearest);
    }
    if limit == 0.0 {
        let want = if keeps { nearest } else { flushed(nearest) };
        // Before it is rounded, a result may be subnormal that is not so afterwards.
        let before = !keeps && truth.abs() < LEAST && got == 0.0 && is_sign_right;
        return same(got, want) || before;
    }
    let reach = limit * spacing(truth);
    match (keeps, got == 0.0) {
        (false, true) => is_sign_right && truth.abs() < LEAST + reach,
        (false, false) => got.is_normal() && (f64::from(got) - truth).abs() <= reach,
        // A zero is the nearest float of what is less than half of the least one.
        (true, _) => {
            (got != 0.0 || is_sign_right) && (f64::from(got) - truth).abs() <= reach.max(1e-45)
        }
    }
}

/// Floats around the smallest ones, of either sign.
fn tiny() -> Vec<f32> {
    let named = [1, 2, 3, 0x1000, 0x3f_ffff, 0x40_0000, 0x40_0001, 0x7f_ffff];
    let normal = [0x80_0000, 0x80_0001, 0xff_ffff, 0x100_0000, 0x100_0001, 0x180_0003];
    let random = (0..24).map(|i| mix(i) as u32 >> (9 + i % 23));
    let all = named.into_iter().chain(normal).chain(random).map(f32::from_bits);
    all.flat_map(|x| [x, -x]).collect()
}

/// Takes no more than `MOST` of these, evenly.
fn some<T: Copy>(all: &[T]) -> Vec<T> {
    all.iter().copied().step_by(all.len() / MOST + 1).collect()
}

/// Operands that are small, or have small results.
fn operands_of(truth: reference::Unary) -> Vec<f32> {
    let is_small = |x: f64| x != 0.0 && x.abs() < SMALL;
    let step = 1021 * share::one_of(16) as u32;
    let every = (0..u32::MAX / step).map(|i| f32::from_bits(i * step));
    let (small, others): (Vec<f32>, Vec<f32>) =
        every.filter(|x| x.is_finite()).partition(|&x| is_small(f64::from(x)));
    let with_small_results: Vec<f32> =
        others.into_iter().filter(|&x| is_small(truth(f64::from(x)))).collect();
    [tiny(), some(&small), some(&with_small_results)].concat()
}

/// Pairs of which an operand or the result is small.
fn pairs_of(opcode: Opcode, truth: reference::Binary) -> Vec<(f32, f32)> {
    let others = [0.0, 1.0, 0.1, 3.0, 1e-20, 1e20, 1e-30, 1e30, f32::MAX, f32::INFINITY];
    let values: Vec<f32> = others.iter().flat_map(|&x| [x, -x]).chain(tiny()).collect();
    let mut pairs: Vec<(f32, f32)> =
        values.iter().flat_map(|&x| values.iter().map(move |&y| (x, y))).collect();
    for number in 0..400_000 / share::one_of(8) as u64 {
        let bits = mix(number);
        let [x, y] = [bits as u32, (bits >> 32) as u32].map(f32::from_bits);
        let y = match opcode {
            // Chosen so that the result is between 2^-150 and 2^-90.
            Opcode::Pow => ((number % 60) as f32 - 150.0) / x.abs().log2(),
            Opcode::Rem | Opcode::Remainder | Opcode::Add | Opcode::Sub => {
                f32::from_bits(y.to_bits() & 0x83ff_ffff)
            }
            _ => y,
        };
        let y = match opcode {
            // So far below a small x that both count.
            Opcode::Logaddexp => -60.0 - (number % 50) as f32 + number as f32 * 1e-7,
            _ => y,
        };
        let x = match opcode {
            // Above 0: below it the terms may cancel, and beside zeros the bound is absolute.
            Opcode::Logaddexp => f32::from_bits(x.to_bits() & 0x03ff_ffff),
            Opcode::Pow => x.abs(),
            Opcode::Add | Opcode::Sub => f32::from_bits(x.to_bits() & 0x83ff_ffff),
            _ => x,
        };
        let result = truth(f64::from(x), f64::from(y)).abs();
        let is_finite = x.is_finite() && y.is_finite();
        if is_finite && (result > 1e-46 && result < SMALL || number % 100 == 0) {
            pairs.push((x, y));
        }
    }
    some(&pairs)
}

fn array(element_type: ElementType, bits: Vec<u64>) -> HostArray {
    HostArray { element_type, shape: vec![bits.len()], bits }
}

fn floats(values: &[f32]) -> HostArray {
    array(F32, values.iter().map(|x| u64::from(x.to_bits())).collect())
}

fn run(
    gpu: &Context,
    operands: &[&HostArray],
    build: impl FnOnce(&mut Builder, &[Op]) -> Result<Op, Error>,
) -> Vec<u64> {
    let computation = compute::built(operands, build).unwrap();
    compute::run(gpu, &computation, operands).unwrap().bits
}

/// Returns what an operation breaks of the rule, in words; an empty text if nothing.
fn complaint(
    gpu: &Context,
    opcode: Opcode,
    pairs: &[(f32, f32)],
    keeps: bool,
    truth: &dyn Fn(f64, f64) -> f64,
) -> String {
    let (x, y): (Vec<f32>, Vec<f32>) = pairs.iter().copied().unzip();
    let unary = opcode.class() == OpClass::Unary;
    let got = run(gpu, &[&floats(&x), &floats(&y)], |b, x| match opcode {
        Opcode::NextAfter => b.next_after(x[0], x[1]),
        _ if unary => b.unary(opcode, x[0]),
        _ => b.binary(opcode, x[0], x[1], &[]),
    });
    let keeps = keeps || ON_BITS.contains(&opcode);
    let limit = limits::approximate(opcode.name()).unwrap_or_default();
    let wrong: Vec<String> = pairs
        .iter()
        .zip(got)
        .filter_map(|(&(x, y), got)| {
            let got = f32::from_bits(got as u32);
            let [a, b] = [x, y].map(|x| f64::from(if keeps { x } else { flushed(x) }));
            let truth = truth(a, b);
            let right = is_right(got, truth, limit, keeps);
            (!right).then(|| format!("    {x:e}, {y:e}: {got:e}, not {truth:e}\n"))
        })
        .collect();
    let shown: String = wrong.iter().step_by(wrong.len() / 4 + 1).map(String::as_str).collect();
    match wrong.len() {
        0 => String::new(),
        count => format!("{}: {count} of {} are wrong\n{shown}", opcode.name(), pairs.len()),
    }
}

/// Checks these operations, of those on floats.
fn check(gpu: &Context, is_checked: impl Fn(Opcode) -> bool) {
    let subnormals = gpu.plan_limits().arithmetic.unwrap().subnormals;
    let keeps = subnormals == Subnormals::Kept;
    let mut checked = 0;
    let mut complaints = String::new();
    for &opcode in Opcode::ALL.iter().filter(|&&opcode| opcode.accepts(F32) && is_checked(opcode)) {
        if let Some(truth) = reference::unary(opcode.name()) {
            let operands = operands_of(truth);
            let pairs: Vec<(f32, f32)> = operands.into_iter().map(|x| (x, 0.0)).collect();
            complaints += &complaint(gpu, opcode, &pairs, keeps, &|x, _| truth(x));
        } else if let Some(truth) = reference::binary(opcode.name()) {
            let pairs = pairs_of(opcode, truth);
            complaints += &complaint(gpu, opcode, &pairs, keeps, &truth);
        } else {
            continue;
        }
        checked += 1;
    }
    assert!(checked > 0, "nothing was checked");
    assert!(complaints.is_empty(), "where subnormals are {subnormals}:\n{complaints}");
}

/// Returns a context that computes in another way.
fn with_arithmetic(change: impl FnOnce(&mut Arithmetic)) -> Context {
    with(|limits| change(limits.arithmetic.as_mut().unwrap()))
}

fn with(change: impl FnOnce(&mut PlanLimits)) -> Context {
    let mut limits = contexts::gpu().plan_limits().clone();
    change(&mut limits);
    let mut options = contexts::options();
    options.plan_limits = Some(limits);
    Context::blocking_with_options(options).unwrap()
}

fn flushing() -> Context {
    with_arithmetic(|ways| ways.subnormals = Subnormals::FlushedByBits)
}

#[test]
fn every_operation_keeps_to_the_rule_of_its_adapter() {
    let every = share::one_of(4);
    check(&contexts::gpu(), |opcode| (opcode as usize).is_multiple_of(every));
}

#[test]
fn every_operation_flushes_by_bits_where_it_is_told_to() {
    let every = share::one_of(6);
    check(&flushing(), |opcode| (opcode as usize).is_multiple_of(every));
}

/// So do quotients and roots in every way, and functions with and without branches and 64-bit
/// floats.
#[test]
fn ways_of_computing_keep_to_the_rule() {
    let of_division = |opcode| {
        use Opcode::{Atan2, Div, Reciprocal, Rsqrt, Sqrt};
        matches!(opcode, Div | Reciprocal | Sqrt | Rsqrt | Atan2)
    };
    let gpu = contexts::gpu();
    let has_f64 = gpu.device().features().contains(wgpu::Features::SHADER_F64);
    for division in [Rounding::ByIntegers, Rounding::ThroughF64] {
        if division == Rounding::ByIntegers || has_f64 {
            let ways = |ways: &mut Arithmetic| {
                (ways.division, ways.square_root) = (division, division);
            };
            check(&with_arithmetic(ways), of_division);
        }
    }
    for branchless in [false, true] {
        let ways = |limits: &mut PlanLimits| {
            limits.tuning.branchless = branchless;
            limits.tuning.through_f64 = false;
        };
        check(&with(ways), |opcode| {
            use Opcode::{Cos, Pow, Rem, Sin, Tan};
            let mut taken = [Sin, Pow, Cos, Rem, Tan].into_iter().step_by(share::one_of(2));
            taken.any(|other| other == opcode)
        });
    }
}

/// A subnormal differs from zero where it is kept and equals zero where it is flushed, except in
/// the total order.
#[test]
fn compares_and_conversions_keep_to_the_rule() {
    let values: Vec<f32> = tiny().into_iter().chain([0.0, -0.0, 1.0, -1.0]).collect();
    let pairs: Vec<(f32, f32)> =
        values.iter().flat_map(|&x| values.iter().map(move |&y| (x, y))).collect();
    let (x, y): (Vec<f32>, Vec<f32>) = pairs.iter().copied().unzip();
    let operands = [floats(&x), floats(&y)];
    let compare = |opcode, x: f32, y: f32| match opcode {
        Opcode::Eq => x == y,
        Opcode::Ne => x != y,
        Opcode::Lt => x < y,
        Opcode::Le => x <= y,
        Opcode::Gt => x > y,
        _ => x >= y,
    };
    let compares = [Opcode::Eq, Opcode::Ne, Opcode::Lt, Opcode::Le, Opcode::Gt, Opcode::Ge];
    for gpu in [contexts::gpu(), flushing()] {
        let keeps = gpu.plan_limits().arithmetic.unwrap().subnormals == Subnormals::Kept;
        let seen = |x: f32| if keeps { x } else { flushed(x) };
        for opcode in compares {
            let got =
                run(&gpu, &[&operands[0], &operands[1]], |b, x| b.binary(opcode, x[0], x[1], &[]));
            for (&(x, y), got) in pairs.iter().zip(got) {
                let want = compare(opcode, seen(x), seen(y));
                assert_eq!(got, u64::from(want), "{opcode:?} of {x:e} and {y:e}, kept: {keeps}");
            }
        }
        let less = run(&gpu, &[&operands[0], &operands[1]], |b, x| {
            b.binary(Opcode::LtTotalOrder, x[0], x[1], &[])
        });
        for (&(x, y), got) in pairs.iter().zip(less) {
            assert_eq!(got, u64::from(x.total_cmp(&y).is_lt()), "{x:e} and {y:e}");
        }
        let preds = run(&gpu, &[&operands[0]], |b, x| b.convert_element_type(x[0], Pred));
        for (&(x, _), got) in pairs.iter().zip(preds) {
            assert_eq!(got, u64::from(seen(x) != 0.0), "{x:e} as a predicate");
        }
    }
}

/// Integers of more than 24 bits, of every size, next to the middle of two floats and elsewhere.
fn integers(bits: u32) -> Vec<u64> {
    let mut all = vec![0, 1, u64::MAX, u64::MAX - 1, 1 << 63, 3_546_343_808, 0xffff_ff01];
    for number in 0..4096 {
        let size = 24 + number as u32 % (bits - 23);
        let value = mix(number) >> (64 - size) | 1 << (size - 1);
        let below = 1u64 << (size - 24) >> 1;
        let middle = value & !(below.max(1) * 2 - 1) | below;
        all.extend([value, middle, middle.wrapping_add(1), middle.wrapping_sub(1)]);
    }
    all.iter().map(|value| value & (u64::MAX >> (64 - bits))).collect()
}

#[test]
fn integers_become_the_nearest_floats() {
    let words = |limits: &mut PlanLimits| limits.tuning.int64 = false;
    let by_integers = |ways: &mut Arithmetic| ways.conversion = Conversion::ByIntegers;
    for gpu in [contexts::gpu(), with(words), with_arithmetic(by_integers)] {
        for (ty, bits) in [(U32, 32), (S32, 32), (U64, 64), (S64, 64)] {
            let integers = integers(bits);
            let operand = array(ty, integers.clone());
            let got = run(&gpu, &[&operand], |b, x| b.convert_element_type(x[0], F32));
            for (&integer, got) in integers.iter().zip(got) {
                let want = match ty {
                    U32 => integer as u32 as f32,
                    S32 => integer as u32 as i32 as f32,
                    U64 => integer as f32,
                    _ => integer as i64 as f32,
                };
                let got = f32::from_bits(got as u32);
                assert_eq!(got.to_bits(), want.to_bits(), "{ty} {integer:#x}: {got}, not {want}");
            }
        }
    }
}

/// Functions of F64 take subnormals as what they are: no adapter flushes them.
#[test]
fn functions_of_f64_take_subnormals() {
    let gpu = contexts::gpu();
    if !gpu.device().features().contains(wgpu::Features::SHADER_F64) {
        let refused = gpu.array([1], &[5e-324_f64]).and_then(|x| x.log().eval());
        assert!(refused.is_err(), "an adapter without 64-bit floats has no logarithm of them");
        return;
    }
    let bits =
        (0..52).flat_map(|shift| [1 << shift, (1 << shift) | 1, (1_u64 << 52) - (1 << shift)]);
    let operands: Vec<f64> =
        bits.flat_map(|bits| [f64::from_bits(bits), -f64::from_bits(bits)]).collect();
    type Function = (Opcode, fn(f64) -> f64);
    let functions: [Function; 7] = [
        (Opcode::Log, f64::ln),
        (Opcode::Log2, f64::log2),
        (Opcode::Log10, f64::log10),
        (Opcode::Log1p, f64::ln_1p),
        (Opcode::Cbrt, f64::cbrt),
        (Opcode::Sqrt, f64::sqrt),
        (Opcode::Rsqrt, |x| 1.0 / x.sqrt()),
    ];
    let x = gpu.array([operands.len()], &operands).unwrap();
    for (opcode, function) in functions {
        let mut b = Builder::new();
        let parameter = b.parameter(ElementType::F64, x.shape()).unwrap();
        let root = b.unary(opcode, parameter).unwrap();
        let found = gpu.run(&b.build(root).unwrap(), &[x.as_any()]).unwrap();
        let found = found.to_literal_blocking().unwrap().to_vec::<f64>().unwrap();
        for (&x, found) in operands.iter().zip(found) {
            let wanted = function(x);
            let near = (found - wanted).abs() <= 4.0 * f64::EPSILON * wanted.abs();
            let alike = found == wanted || near || (found.is_nan() && wanted.is_nan());
            assert!(alike, "{opcode:?} of {x:e}: {found:e}, not {wanted:e}");
        }
    }
}
