//! Tests functions that compute a unit in a quick way and its hard elements one by one: in units of
//! every size, with and without 64-bit floats, and where kernels branch, results are within their
//! limits.

use indim::plan::PlanLimits;
use indim::{AnyArray, Builder, Computation, Context, ElementType, Opcode, Result};
use indim_reference::limits;
use indim_testing::{contexts, share};

/// Elements of one array, a multiple of all row sizes.
const COUNT: usize = 3 << 14;

/// Sizes of rows: units of four quads, of two, and of one; 0 is without rows.
const ROWS: [usize; 4] = [0, 16, 24, 12];

struct Function {
    opcode: Opcode,
    truth: fn(f64, f64) -> f64,
    binary: bool,
}

impl Function {
    /// In units in the last place; 0 where results are exact.
    fn limit(&self) -> f64 {
        limits::approximate(self.opcode.name()).unwrap_or_default()
    }
}

const FUNCTIONS: [Function; 5] = [
    Function { opcode: Opcode::Sin, truth: |x, _| x.sin(), binary: false },
    Function { opcode: Opcode::Cos, truth: |x, _| x.cos(), binary: false },
    Function { opcode: Opcode::Tan, truth: |x, _| x.tan(), binary: false },
    Function { opcode: Opcode::Rem, truth: |x, y| x % y, binary: true },
    Function { opcode: Opcode::Pow, truth: f64::powf, binary: true },
];

/// Limits of kernels without branches, with 64-bit floats where the adapter has them, and without;
/// and of kernels with branches.
fn ways(own: &PlanLimits) -> [PlanLimits; 3] {
    let [mut through_f64, mut without, mut branching] = [(); 3].map(|()| own.clone());
    let choices = PlanLimits::for_cpu(own.tuning.wide);
    through_f64.tuning.branchless = true;
    through_f64.tuning.quads_per_unit = choices.tuning.quads_per_unit;
    through_f64.tuning.through_f64 = true;
    without.clone_from(&through_f64);
    without.tuning.through_f64 = false;
    branching.tuning.branchless = false;
    branching.tuning.through_f64 = false;
    // Sixteen loops of remainders within the loop over rows take SwiftShader more memory to compile
    // than there is; plans with branches are for GPUs, which have a quad in a unit.
    branching.tuning.quads_per_unit = PlanLimits::default().tuning.quads_per_unit;
    [through_f64, without, branching]
}

fn context(limits: PlanLimits) -> Context {
    let mut options = contexts::options();
    options.plan_limits = Some(limits);
    Context::blocking_with_options(options).unwrap()
}

/// Numbers by S. Vigna's SplitMix64.
fn mix(number: u64) -> u64 {
    let x = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Bits of the values at which quick ways end, and of those that have no quick way, to be taken
/// with either sign.
const SPECIAL: [u32; 22] = [
    0,
    1,
    0x007f_ffff,
    0x0080_0000,
    0x0080_0001,
    // 2^-100, 2^80, 2^91.
    0x0d80_0000,
    0x677f_ffff,
    0x6780_0000,
    0x6d00_0000,
    0x3f00_0000,
    0x3f7f_ffff,
    0x3f80_0000,
    0x3f80_0001,
    0x4000_0000,
    // Next to 3072 and to multiples of pi/2.
    0x453f_ffff,
    0x4540_0000,
    0x6f79_be45,
    0x3fc9_0fdb,
    // 2^32, and beyond.
    0x4f80_0000,
    0x7f7f_ffff,
    0x7f80_0000,
    0x7fc0_0000,
];

/// All pairs of special values; then rows in which few elements are hard, and many.
fn operands() -> (Vec<f32>, Vec<f32>) {
    let signed: Vec<u32> = SPECIAL.iter().flat_map(|&b| [b, b | 1 << 31]).collect();
    let pairs = signed.iter().flat_map(|&x| signed.iter().map(move |&y| (x, y)));
    let mut pairs: Vec<(f32, f32)> =
        pairs.map(|(x, y)| (f32::from_bits(x), f32::from_bits(y))).collect();
    for number in pairs.len()..COUNT {
        let random = [2 * number as u64, 2 * number as u64 + 1].map(mix);
        let moderate = random.map(|r| (r >> 40) as f32 / (1 << 20) as f32 - 8.0);
        let any = random.map(|r| f32::from_bits((r >> 32) as u32));
        // Up to 32 of 32 elements in a row may be anything.
        let hard = random[0] % 32 < [0, 1, 4, 32][number / 512 % 4];
        pairs.push(match number % 3 {
            _ if hard => (any[0], any[1]),
            0 => (moderate[0], moderate[1]),
            1 => (moderate[0].abs(), moderate[1] * 8.0),
            _ => (moderate[0] * 256.0, moderate[1]),
        });
    }
    pairs.into_iter().unzip()
}

/// The array's sizes in rows of this size.
fn sizes(row: usize) -> Vec<usize> {
    COUNT.checked_div(row).map_or(vec![COUNT], |rows| vec![rows, row])
}

/// The function of two operands, in rows of this size.
fn computation(function: &Function, row: usize) -> Result<Computation> {
    let mut b = Builder::new();
    let sizes = sizes(row);
    let mut x = b.parameter(ElementType::F32, sizes.clone())?;
    let y = b.parameter(ElementType::F32, sizes)?;
    if row > 0 {
        // One element for each column, so that the rows stay what they are.
        let zeros = b.parameter(ElementType::U32, [row])?;
        let bits = b.bitcast_convert_type(x, ElementType::U32)?;
        let same = b.or(bits, zeros, &[1])?;
        x = b.bitcast_convert_type(same, ElementType::F32)?;
    }
    let result = if function.binary {
        b.binary(function.opcode, x, y, &[])?
    } else {
        // An unused parameter does no harm.
        b.unary(function.opcode, x)?
    };
    b.build(result)
}

fn run(gpu: &Context, function: &Function, row: usize, x: &[f32], y: &[f32]) -> Vec<f32> {
    let sizes = sizes(row);
    let array = |values: &[f32]| gpu.array(sizes.clone(), values).unwrap().as_any().clone();
    let (x, y) = (array(x), array(y));
    let zeros = gpu.array([row.max(1)], &vec![0u32; row.max(1)]).unwrap().as_any().clone();
    let mut arguments: Vec<&AnyArray> = vec![&x, &y];
    arguments.extend((row > 0).then_some(&zeros));
    let computation = computation(function, row).unwrap();
    gpu.run(&computation, &arguments).unwrap().to_literal_blocking().unwrap().to_vec().unwrap()
}

/// Returns how far a result is off, in units in the last place of the true value; infinite if only
/// one of them is a NaN, or a zero has the wrong sign.
fn error(got: f32, truth: f64) -> f64 {
    let rounded = truth as f32;
    let wrong = if truth.abs() < f64::from(f32::MIN_POSITIVE) {
        // May be flushed; what is left is no more than the smallest normal number.
        let small = got.abs() <= f32::MIN_POSITIVE;
        let sign = got.is_sign_negative() == truth.is_sign_negative();
        return if small && sign { 0.0 } else { f64::INFINITY };
    } else if rounded.is_nan() || got.is_nan() {
        rounded.is_nan() != got.is_nan()
    } else if rounded.is_infinite() || got.is_infinite() {
        // At the very end of the range either side of it is near enough.
        let got = got.clamp(-f32::MAX, f32::MAX);
        (f64::from(got) - f64::from(rounded.clamp(-f32::MAX, f32::MAX))).abs() > 1e33
    } else {
        let exponent = truth.abs().log2().floor().max(-126.0);
        return (f64::from(got) - truth).abs() / (exponent - 23.0).exp2();
    };
    if wrong { f64::INFINITY } else { 0.0 }
}

/// The smallest error for operands as they are, and with subnormals as zeros.
fn least_error(function: &Function, got: f32, x: f32, y: f32) -> f64 {
    let flushed = |x: f32| if x.is_subnormal() { 0f32.copysign(x) } else { x };
    let of = |x: f32, y: f32| error(got, (function.truth)(f64::from(x), f64::from(y)));
    let flushes = [(flushed(x), y), (x, flushed(y)), (flushed(x), flushed(y))];
    let as_they_are = of(x, y);
    // The others only where they matter.
    if as_they_are <= function.limit() {
        as_they_are
    } else {
        flushes.into_iter().map(|(x, y)| of(x, y)).fold(as_they_are, f64::min)
    }
}

#[test]
fn results_are_within_their_limits_in_every_way() {
    let (x, y) = operands();
    let own = contexts::blocking().unwrap().plan_limits().clone();
    let ways = ["units, f64", "units", "branches"].iter().zip(ways(&own));
    for (way, limits) in ways.step_by(share::one_of(4)) {
        let gpu = context(limits);
        for function in &FUNCTIONS {
            for row in ROWS {
                let got = run(&gpu, function, row, &x, &y);
                for (i, &got) in got.iter().enumerate() {
                    let off = least_error(function, got, x[i], y[i]);
                    assert!(
                        off <= function.limit(),
                        "{way}, rows of {row}: {:?} of {:e}, {:e} is {got:e}, {off} ULP off",
                        function.opcode,
                        x[i],
                        y[i]
                    );
                }
            }
        }
    }
}

/// The ways above are different kernels.
#[test]
fn units_and_64_bits_are_taken_where_they_may_be() {
    let [through_f64, without, branching] = ways(&PlanLimits::for_cpu(true));
    for function in &FUNCTIONS {
        for row in ROWS {
            let computation = computation(function, row).unwrap();
            let text =
                |limits: &PlanLimits| limits.explain(&computation).unwrap().kernels[0].wgsl.clone();
            let calls = |text: &str| {
                text.lines().any(|line| line.contains("let u") && line.contains("_unit(array"))
            };
            let label = format!("{:?}, rows of {row}", function.opcode);
            assert!(calls(&text(&through_f64)) && calls(&text(&without)), "{label}");
            assert!(!calls(&text(&branching)) && !text(&branching).contains("_unit"), "{label}");
            let is_pow = function.opcode == Opcode::Pow;
            assert_eq!(text(&through_f64).contains("f64("), is_pow, "{label}");
            assert!(!text(&without).contains("f64("), "{label}");
        }
    }
}
