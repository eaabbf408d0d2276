//! Tests that F16 and BF16 are rounded by IEEE 754, with integers and in the shader's 16-bit
//! floats.

use indim::half::{bf16, f16};
use indim::plan::{Half, PlanLimits};
use indim::{Builder, Context, Element, ElementType, Literal, Opcode};
use indim_testing::contexts;
use indim_testing::random::Random;

/// Pairs of values in one array: sixteen with each.
const COUNT: usize = 1 << 20;

fn context(half: Half) -> Context {
    let mut limits = contexts::blocking().unwrap().plan_limits().clone();
    limits.arithmetic.as_mut().unwrap().half = half;
    context_with(limits)
}

fn chosen(gpu: &Context) -> Half {
    gpu.plan_limits().arithmetic.unwrap().half
}

fn context_with(plan_limits: PlanLimits) -> Context {
    let mut options = contexts::options();
    options.plan_limits = Some(plan_limits);
    Context::blocking_with_options(options).unwrap()
}

/// Every value sixteen times, with others at random: half of them of about the same size, where a
/// sum is often in the middle of two values.
fn pairs() -> (Vec<u16>, Vec<u16>) {
    let mut random = Random::new(1);
    let lhs: Vec<u16> = (0..COUNT).map(|i| i as u16).collect();
    let rhs = lhs.iter().enumerate().map(|(i, &x)| {
        let y = random.bits() as u16;
        if i < COUNT / 2 { y } else { x.wrapping_add(y % 0x2000).wrapping_sub(0x1000) }
    });
    let rhs = rhs.collect();
    (lhs, rhs)
}

fn binary<T: Element>(gpu: &Context, opcode: Opcode, lhs: &[T], rhs: &[T]) -> Vec<T> {
    let mut b = Builder::new();
    let x = b.parameter(T::ELEMENT_TYPE, [lhs.len()]).unwrap();
    let y = b.parameter(T::ELEMENT_TYPE, [rhs.len()]).unwrap();
    let root = b.binary(opcode, x, y, &[]).unwrap();
    let computation = b.build(root).unwrap();
    let [x, y] = [lhs, rhs]
        .map(|data| gpu.upload(&Literal::from_slice([data.len()], data).unwrap()).unwrap());
    gpu.run(&computation, &[&x, &y]).unwrap().to_literal_blocking().unwrap().to_vec().unwrap()
}

fn converted<T: Element, U: Element>(gpu: &Context, data: &[T]) -> Vec<U> {
    let mut b = Builder::new();
    let x = b.parameter(T::ELEMENT_TYPE, [data.len()]).unwrap();
    let root = b.convert_element_type(x, U::ELEMENT_TYPE).unwrap();
    let computation = b.build(root).unwrap();
    let x = gpu.upload(&Literal::from_slice([data.len()], data).unwrap()).unwrap();
    gpu.run(&computation, &[&x]).unwrap().to_literal_blocking().unwrap().to_vec().unwrap()
}

/// A 16-bit float, with the CPU's conversions to compare by.
trait Narrow: Element {
    fn from_u16(bits: u16) -> Self;
    fn bits(self) -> u16;
    fn value(self) -> f32;
    fn nearest(x: f32) -> Self;
}

macro_rules! narrow {
    ($ty:ident) => {
        impl Narrow for $ty {
            fn from_u16(bits: u16) -> Self {
                $ty::from_bits(bits)
            }
            fn bits(self) -> u16 {
                self.to_bits()
            }
            fn value(self) -> f32 {
                self.to_f32()
            }
            fn nearest(x: f32) -> Self {
                $ty::from_f32(x)
            }
        }
    };
}
narrow!(f16);
narrow!(bf16);

/// Every result is the exact one, rounded once. A subnormal BF16 is also one of F32, and may be
/// flushed as a result and as an operand.
fn check_binary<T: Narrow>(gpu: &Context, what: &str) {
    type Exact = fn(f64, f64) -> f64;
    let operations: [(Opcode, Exact); 3] =
        [(Opcode::Add, |x, y| x + y), (Opcode::Sub, |x, y| x - y), (Opcode::Mul, |x, y| x * y)];
    let (lhs, rhs) = pairs();
    let (lhs, rhs): (Vec<T>, Vec<T>) =
        (lhs.into_iter().map(T::from_u16).collect(), rhs.into_iter().map(T::from_u16).collect());
    let flushes = T::ELEMENT_TYPE == ElementType::Bf16;
    let tiny = |x: f32| flushes && x != 0.0 && x.abs() < f32::MIN_POSITIVE;
    for (opcode, exact) in operations {
        let got = binary(gpu, opcode, &lhs, &rhs);
        assert_eq!(got.len(), COUNT);
        for ((&x, &y), &got) in lhs.iter().zip(&rhs).zip(&got) {
            let (a, b) = (x.value(), y.value());
            // The sum or product of two is an f32 but for a rounding that changes nothing here.
            let want = T::nearest(exact(a.into(), b.into()) as f32);
            let same = got.bits() == want.bits() || (got.value().is_nan() && want.value().is_nan());
            let may_flush = tiny(a) || tiny(b) || tiny(exact(a.into(), b.into()) as f32);
            assert!(same || may_flush, "{what}: {a} {opcode:?} {b} is {got:?}, not {want:?}");
        }
    }
}

#[test]
fn sums_and_products_are_rounded_once() {
    for half in [Half::Native, Half::ThroughF32] {
        let gpu = context(half);
        check_binary::<f16>(&gpu, &format!("F16 {:?}", chosen(&gpu)));
    }
    check_binary::<bf16>(&context(Half::ThroughF32), "BF16");
}

/// Every value of a 16-bit float as an f32, its neighbours, and those next to the middle to the
/// next value, where it is rounded one way or the other.
fn near_values<T: Narrow>() -> Vec<f32> {
    let mut all = Vec::new();
    for bits in 0..=u16::MAX {
        let x = T::from_u16(bits).value();
        let next = T::from_u16(bits ^ 1).value();
        let middle = if next.is_finite() { f32::midpoint(x, next) } else { x };
        for center in [x, middle] {
            let b = center.to_bits();
            all.extend([b.wrapping_sub(1), b, b.wrapping_add(1)].map(f32::from_bits));
        }
        // And to the one on the other side.
        let other = T::from_u16(bits.wrapping_add(1)).value();
        if x.is_finite() && other.is_finite() {
            let b = f32::midpoint(x, other).to_bits();
            all.extend([b.wrapping_sub(1), b, b.wrapping_add(1)].map(f32::from_bits));
        }
    }
    all
}

fn check_conversions<T: Narrow>(gpu: &Context) {
    let values: Vec<T> = (0..=u16::MAX).map(T::from_u16).collect();
    let wide: Vec<f32> = converted(gpu, &values);
    for (x, got) in values.iter().zip(wide) {
        let want = x.value();
        let flushed = want.is_subnormal() && got.to_bits() == want.to_bits() & 1 << 31;
        let same = got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan());
        assert!(same || flushed, "{x:?} is {got:?}, not {want:?}");
    }
    let near = near_values::<T>();
    let narrow: Vec<T> = converted(gpu, &near);
    for (x, got) in near.iter().zip(narrow) {
        let want = T::nearest(*x);
        let flushed = x.is_subnormal() && got.value() == 0.0;
        let same = got.bits() == want.bits() || (got.value().is_nan() && want.value().is_nan());
        assert!(same || flushed, "{x:?} ({:#x}) is {got:?}, not {want:?}", x.to_bits());
    }
}

#[test]
fn conversions_are_rounded_once() {
    let gpu = contexts::blocking().unwrap();
    check_conversions::<f16>(&gpu);
    check_conversions::<bf16>(&gpu);
}

#[test]
fn chains_are_rounded_one_by_one() {
    let (lhs, rhs) = pairs();
    let [lhs, rhs] = [lhs, rhs].map(|v| v.into_iter().map(f16::from_bits).collect::<Vec<_>>());
    let mut b = Builder::new();
    let x = b.parameter(ElementType::F16, [COUNT]).unwrap();
    let y = b.parameter(ElementType::F16, [COUNT]).unwrap();
    // Contraction, cancelling and x - x = 0 would each change the result.
    let product = b.mul(x, y, &[]).unwrap();
    let sum = b.add(product, x, &[]).unwrap();
    let difference = b.sub(sum, product, &[]).unwrap();
    let nothing = b.sub(sum, sum, &[]).unwrap();
    let root = b.add(difference, nothing, &[]).unwrap();
    let computation = b.build(root).unwrap();
    let expected = |x: f16, y: f16| {
        let f = |x: f32| f16::from_f32(x).to_f32();
        let (x, y) = (x.to_f32(), y.to_f32());
        let sum = f(f(x * y) + x);
        f16::from_f32(f(sum - f(x * y)) + (sum - sum))
    };
    for half in [Half::Native, Half::ThroughF32] {
        let gpu = context(half);
        let kernels = gpu.plan_limits().explain(&computation).unwrap().kernels;
        let native = chosen(&gpu) == Half::Native;
        assert_eq!(kernels[0].wgsl.contains("enable f16;"), native);
        let [x, y] = [&lhs, &rhs]
            .map(|data| gpu.upload(&Literal::from_slice([COUNT], data).unwrap()).unwrap());
        let result = gpu.run(&computation, &[&x, &y]).unwrap().to_literal_blocking().unwrap();
        let got: Vec<f16> = result.to_vec().unwrap();
        for ((&x, &y), &got) in lhs.iter().zip(&rhs).zip(&got) {
            let want = expected(x, y);
            let same = got.to_bits() == want.to_bits() || (got.is_nan() && want.is_nan());
            assert!(same, "{half}: of {x:?} and {y:?}: {got:?}, not {want:?}");
        }
    }
}

#[test]
fn what_a_device_lacks_is_not_taken() {
    let mut limits = PlanLimits::default();
    limits.arithmetic.get_or_insert_default().half = Half::Native;
    let gpu = context_with(limits);
    let needed = indim::wgpu::Features::SHADER_F16 | indim::wgpu::Features::SHADER_I16;
    let native = gpu.device().features().contains(needed);
    let expected = if native { Half::Native } else { Half::ThroughF32 };
    assert_eq!(chosen(&gpu), expected);
    // Detected if not given, and the same in each context.
    let found = chosen(&contexts::blocking().unwrap());
    assert!(native || found == Half::ThroughF32);
    assert_eq!(chosen(&contexts::blocking().unwrap()), found);
}
