//! Tests that quotients, reciprocals and square roots are those of IEEE 754 in every way that they
//! are computed in, on millions of operands.

use indim::plan::{PlanLimits, Rounding};
use indim::{AnyArray, Builder, Computation, Context, ElementType, Literal, Opcode};
use indim_testing::random::Random;
use indim_testing::{contexts, share};

const ALL: [Rounding; 3] = [Rounding::Native, Rounding::ThroughF64, Rounding::ByIntegers];

/// Pairs, or single values, in one array.
fn count() -> usize {
    (1 << 22) / share::one_of(8)
}

fn context(division: Rounding) -> Context {
    let mut limits = contexts::blocking().unwrap().plan_limits().clone();
    let arithmetic = limits.arithmetic.as_mut().unwrap();
    (arithmetic.division, arithmetic.square_root) = (division, division);
    let mut options = contexts::options();
    options.plan_limits = Some(limits);
    Context::blocking_with_options(options).unwrap()
}

fn float(random: &mut Random) -> f32 {
    f32::from_bits((random.bits() >> 32) as u32)
}

/// Zeros, subnormals, powers of two and their neighbours, infinities, NaN; of either sign.
fn special() -> Vec<f32> {
    let mut bits = vec![0, 1, 2, 0x007f_ffff, 0x7f80_0000, 0x7f80_0001, 0x7fc0_0000, 0x7fff_ffff];
    for exponent in (1..=254u32).filter(|e| e % 6 == 1 || *e < 4 || *e > 250) {
        let power = exponent << 23;
        bits.extend([power - 1, power, power + 1, power + 0x0040_0000, power + 0x007f_ffff]);
    }
    bits.iter().flat_map(|&b| [f32::from_bits(b), f32::from_bits(b | 1 << 31)]).collect()
}

fn pairs() -> Vec<(f32, f32)> {
    let special = special();
    let mut pairs: Vec<(f32, f32)> =
        special.iter().flat_map(|&x| special.iter().map(move |&y| (x, y))).collect();
    assert!(pairs.len() > 100_000 && pairs.len() < count() / 2, "{}", pairs.len());
    let mut random = Random::new(1);
    while pairs.len() < count() {
        let (x, y) = (float(&mut random), float(&mut random));
        pairs.push(match pairs.len() % 4 {
            // A quotient near a float: of products that were rounded.
            0 => (x.clamp(-1e18, 1e18) * y.clamp(-1e18, 1e18), y),
            // Near the middle of two: a product with a significand of 25 bits.
            1 => {
                let middle = ((random.bits() >> 40) | (1 << 24) | 1) as f64;
                let y = f32::from_bits((y.to_bits() & 0x007f_ffff) | (120 << 23));
                ((middle * f64::from(y)) as f32, y)
            }
            // Both have one size.
            2 => (x, f32::from_bits(x.to_bits() ^ (random.bits() as u32 & 0x00ff_ffff))),
            _ => (x, y),
        });
    }
    pairs
}

fn run(gpu: &Context, opcode: Opcode, operands: &[&[f32]]) -> Vec<f32> {
    let count = operands[0].len();
    let mut b = Builder::new();
    let parameters: Vec<_> =
        operands.iter().map(|_| b.parameter(ElementType::F32, [count]).unwrap()).collect();
    let root = match parameters[..] {
        [x, y] => b.binary(opcode, x, y, &[]),
        _ => b.unary(opcode, parameters[0]),
    };
    let computation: Computation = b.build(root.unwrap()).unwrap();
    let arrays: Vec<AnyArray> = operands
        .iter()
        .map(|values| gpu.upload(&Literal::from_slice([count], values).unwrap()).unwrap())
        .collect();
    let result = gpu.run(&computation, &arrays.iter().collect::<Vec<_>>()).unwrap();
    result.to_literal_blocking().unwrap().to_vec().unwrap()
}

/// Returns whether a result is the exact one rounded. Subnormals may be flushed, operands or
/// result.
fn is_right<const N: usize>(got: f32, operands: [f32; N], exact: fn([f64; N]) -> f64) -> bool {
    let flushed = operands.map(|x| if x.is_subnormal() { 0f32.copysign(x) } else { x });
    [operands, flushed].into_iter().any(|operands| {
        let exact = exact(operands.map(f64::from));
        // The second rounding is innocuous, as 53 bits are more than twice 24.
        let want = exact as f32;
        let tiny = exact.abs() < f64::from(f32::MIN_POSITIVE);
        let flushed = tiny && got.to_bits() == 0f32.copysign(want).to_bits();
        got.to_bits() == want.to_bits() || got.is_nan() && want.is_nan() || flushed
    })
}

#[track_caller]
fn check<const N: usize>(
    division: Rounding,
    name: &str,
    got: &[f32],
    operands: [&[f32]; N],
    exact: fn([f64; N]) -> f64,
) {
    let mut wrong = 0;
    let mut first = String::new();
    for (i, &got) in got.iter().enumerate() {
        let row = operands.map(|values| values[i]);
        if !is_right(got, row, exact) {
            if wrong == 0 {
                first = format!("{name} of {row:?} is {got:e}");
            }
            wrong += 1;
        }
    }
    assert!(wrong == 0, "{division}: {wrong} of {} wrong, such as {first}", got.len());
}

#[test]
fn quotients_are_rounded_once_in_every_way() {
    let (x, y): (Vec<f32>, Vec<f32>) = pairs().into_iter().unzip();
    for division in ALL {
        let gpu = context(division);
        check(division, "x / y", &run(&gpu, Opcode::Div, &[&x, &y]), [&x, &y], |[x, y]| x / y);
        check(division, "1 / x", &run(&gpu, Opcode::Reciprocal, &[&y]), [&y], |[y]| 1.0 / y);
    }
}

#[test]
fn square_roots_are_rounded_once_in_every_way() {
    let mut random = Random::new(2);
    let mut x = special();
    while x.len() < count() {
        x.push(match x.len() % 3 {
            // Near a float, and near the middle of two.
            0 => (((random.bits() >> 40) as f64 * 0.5).powi(2) * 1024.0) as f32,
            1 => f32::from_bits((random.bits() >> 33) as u32),
            // Every 2,048th positive float in order.
            _ => f32::from_bits((x.len() as u32 / 3 * 1536) & 0x7fff_ffff),
        });
    }
    for division in ALL {
        let got = run(&context(division), Opcode::Sqrt, &[&x]);
        check(division, "sqrt(x)", &got, [&x], |[x]| x.sqrt());
    }
}

/// The functions that divide inside keep their results within a unit or two, whichever way.
#[test]
fn functions_are_as_good_in_every_way() {
    let x: Vec<f32> = (1..4000).map(|i| i as f32 * 0.01 - 20.0).filter(|x| *x != 0.0).collect();
    let native: Vec<Vec<f32>> = [Opcode::Tanh, Opcode::Logistic, Opcode::Tan, Opcode::Asinh]
        .iter()
        .map(|&opcode| run(&context(Rounding::Native), opcode, &[&x]))
        .collect();
    for division in [Rounding::ThroughF64, Rounding::ByIntegers] {
        let gpu = context(division);
        for (opcode, native) in
            [Opcode::Tanh, Opcode::Logistic, Opcode::Tan, Opcode::Asinh].into_iter().zip(&native)
        {
            for (i, (&a, b)) in native.iter().zip(run(&gpu, opcode, &[&x])).enumerate() {
                let apart = a.to_bits().abs_diff(b.to_bits());
                assert!(apart <= 4, "{division}: {opcode:?} of {}: {b:e}, natively {a:e}", x[i]);
            }
        }
    }
}

/// Without 64-bit floats it goes by integers; a plan without a device takes native ones.
#[test]
fn what_the_device_lacks_is_not_taken() {
    let gpu = context(Rounding::ThroughF64);
    let f64 = gpu.device().features().contains(indim::wgpu::Features::SHADER_F64);
    let expected = if f64 { Rounding::ThroughF64 } else { Rounding::ByIntegers };
    let arithmetic = gpu.plan_limits().arithmetic.unwrap();
    assert_eq!([arithmetic.division, arithmetic.square_root], [expected; 2]);
    assert_eq!(PlanLimits::default().arithmetic, None);
}

/// Relaxed quotients are native whatever is chosen for accurate ones.
#[test]
fn the_choice_is_part_of_the_kernel() {
    let mut limits = PlanLimits::default();
    // Where several units are in flight, the names of values say which one they belong to.
    limits.tuning.unroll = 1;
    let text = |limits: &PlanLimits, precision| {
        let mut b = Builder::new();
        b.set_precision(precision);
        let x = b.parameter(ElementType::F32, [8]).unwrap();
        let root = b.sqrt(x).and_then(|root| b.div(x, root, &[])).unwrap();
        limits.explain(&b.build(root).unwrap()).unwrap().kernels[0].wgsl.clone()
    };
    let native = text(&limits, indim::Precision::Accurate);
    assert!(
        native.contains("/ v0)")
            && native.contains("= bitcast<vec4<f32>>(bitcast<vec4<u32>>(sqrt(x0))"),
        "{native}"
    );
    limits.arithmetic.get_or_insert_default().division = Rounding::ByIntegers;
    let quotient = text(&limits, indim::Precision::Accurate);
    assert!(quotient.contains("fn xla_quotient(") && !quotient.contains("fn xla_root("));
    assert!(!quotient.contains("f64"));
    limits.arithmetic.get_or_insert_default().square_root = Rounding::ThroughF64;
    let both = text(&limits, indim::Precision::Accurate);
    assert!(both.contains("fn xla_quotient(") && both.contains("sqrt(f64(x))"), "{both}");
    let relaxed = text(&limits, indim::Precision::Relaxed);
    assert!(!relaxed.contains("xla_"), "{relaxed}");
}
