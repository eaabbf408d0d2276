//! Powers with constant exponents that simpler operations compute: the values of powers, exact where
//! those are, and no more work than what a user would write instead.

use indim::plan::PlanLimits;
use indim::{
    AnyExpr, Array, Builder, Context, ElementType, Expr, Literal, Opcode, Precision, Scalar,
};
use indim_testing::contexts::gpu;

const EXPONENTS: [f64; 7] = [0.0, 1.0, 2.0, 3.0, -1.0, 0.5, -0.5];

/// Floats of all magnitudes and both signs, and special ones first.
fn operands() -> Vec<f32> {
    let special = [0.0, -0.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 1.0, -1.0];
    let spread = (0..4096_u32).map(|n| f32::from_bits(0x0180_0000 + n.wrapping_mul(0x000f_f3b7)));
    let spread = spread.filter(|x| x.is_normal());
    special.into_iter().chain(spread.clone()).chain(spread.map(|x| -x)).collect()
}

fn values(x: &Expr<f32>) -> Vec<f32> {
    x.eval().unwrap().to_vec_blocking().unwrap()
}

/// Returns the bits of a float, those of NaN being equal.
fn bits(x: f32) -> u32 {
    if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() }
}

#[test]
fn powers_are_exact_where_products_quotients_and_roots_are() {
    let gpu = gpu();
    let elements = operands();
    let x: Array<f32> = gpu.array([elements.len()], &elements).unwrap();
    let ones: Array<f32> = gpu.full([elements.len()], 1.0).unwrap();
    let mut differences = Vec::new();
    for exponent in EXPONENTS.map(|exponent| exponent as f32) {
        let found = values(&x.pow(exponent));
        let general = values(&x.pow(&ones * exponent));
        differences
            .push(found.iter().zip(&general).filter(|(a, b)| bits(**a) != bits(**b)).count());
        for ((&x, &found), &general) in elements.iter().zip(&found).zip(&general) {
            let truth = f64::from(x).powf(exponent.into());
            let said = format!("{x:e} to {exponent} is {found:e}, not {truth:e}");
            // The special cases of C99, whose signs count.
            if truth.is_nan() || truth.is_infinite() || truth == 0.0 {
                assert_eq!(bits(found), bits(truth as f32), "{said}");
                assert_eq!(bits(general), bits(truth as f32), "{said}");
                continue;
            }
            let expected = truth as f32;
            if expected.is_normal() && (exponent != 3.0 || (x * x).is_normal()) {
                let most = match exponent {
                    3.0 => 1,
                    -0.5 => 2,
                    _ => 0,
                };
                assert!(bits(found).abs_diff(bits(expected)) <= most, "{said}");
            } else if !expected.is_subnormal() {
                assert_eq!(bits(found), bits(expected), "{said}");
            }
        }
    }
    // What general powers give for each exponent differs in last bits, except for 0.
    println!("{differences:?} of {} differ", elements.len());
    assert_eq!(differences[0], 0);
    assert!(differences[1..].iter().all(|&count| count > 0), "{differences:?}");
}

/// Returns the texts of the kernels of an expression of an array of this type.
fn kernels(of: ElementType, make: impl Fn(&mut Builder, indim::Op) -> indim::Op) -> Vec<String> {
    let mut b = Builder::new();
    let x = b.parameter(of, [1000]).unwrap();
    let root = make(&mut b, x);
    let computation = b.build(root).unwrap();
    let explanation = PlanLimits::default().explain(&computation).unwrap();
    explanation.kernels.iter().map(|kernel| kernel.wgsl.clone()).collect()
}

fn power(b: &mut Builder, x: indim::Op, exponent: f64) -> indim::Op {
    let of = b.element_type(x).unwrap();
    let exponent = b.constant(Scalar::from_f64(of, exponent).unwrap()).unwrap();
    b.pow(x, exponent, []).unwrap()
}

#[test]
fn powers_are_the_kernels_of_products_and_quotients() {
    for of in [ElementType::F32, ElementType::F64, ElementType::S32, ElementType::S64] {
        let square = kernels(of, |b, x| b.mul(x, x, []).unwrap());
        assert_eq!(kernels(of, |b, x| power(b, x, 2.0)), square, "{of}");
        let cube = kernels(of, |b, x| {
            let square = b.mul(x, x, []).unwrap();
            b.mul(square, x, []).unwrap()
        });
        assert_eq!(kernels(of, |b, x| power(b, x, 3.0)), cube, "{of}");
        let same = kernels(of, |_, x| x);
        assert_eq!(kernels(of, |b, x| power(b, x, 1.0)), same, "{of}");
    }
    for of in [ElementType::F16, ElementType::Bf16, ElementType::F32] {
        let quotient = kernels(of, |b, x| {
            let one = b.constant(Scalar::from_f64(of, 1.0).unwrap()).unwrap();
            b.div(one, x, []).unwrap()
        });
        assert_eq!(kernels(of, |b, x| power(b, x, -1.0)), quotient, "{of}");
        for exponent in [0.0, 3.0, 0.5, -0.5] {
            let text = kernels(of, |b, x| power(b, x, exponent)).concat();
            assert!(!text.contains("xla_pow"), "{of} {exponent}");
        }
    }
    assert!(kernels(ElementType::F32, |b, x| power(b, x, 2.5)).concat().contains("xla_pow"));
    assert!(kernels(ElementType::S32, |b, x| power(b, x, -1.0)).concat().contains("xla_pow"));
    assert!(kernels(ElementType::C64, |b, x| power(b, x, 2.0)).concat().contains("xla_pow"));
}

/// Expressions that differ in constants alone share a kernel; these do not.
#[test]
fn other_exponents_are_other_kernels() {
    let gpu = gpu();
    let x: Array<f32> = gpu.array([3], &[4.0, 9.0, 0.25]).unwrap();
    let expected = |exponent: f64| -> Vec<f32> {
        [4.0_f64, 9.0, 0.25].map(|x| x.powf(exponent) as f32).to_vec()
    };
    let near = |found: Vec<f32>, exponent: f64| {
        let expected = expected(exponent);
        let is_near = found.iter().zip(&expected).all(|(a, b)| (a - b).abs() <= 1e-6 * b.abs());
        assert!(is_near, "to {exponent}: {found:?}, not {expected:?}");
    };
    for exponent in [2.5, 2.0, 1.0, 2.0, 1.5, 0.5, -1.0, 3.0, 0.0, -0.5, 2.5, 4.0] {
        near(values(&x.pow(exponent as f32)), exponent);
        // Below a precision, and as an array.
        let constant = Expr::full(exponent as f32, []).with_precision(Precision::Accurate);
        near(values(&x.pow(&constant)), exponent);
        near(values(&x.pow(Expr::full(exponent as f32, [3]))), exponent);
        near(run(&gpu, &x, exponent), exponent);
    }
    let compilations = gpu.stats().compilations;
    near(values(&x.pow(2.25)), 2.25);
    near(values(&x.pow(2.0)), 2.0);
    assert_eq!(gpu.stats().compilations, compilations);
}

/// Computes a power by a builder's computation.
fn run(gpu: &Context, x: &Array<f32>, exponent: f64) -> Vec<f32> {
    let mut b = Builder::new();
    let base = b.parameter(ElementType::F32, [3]).unwrap();
    let root = power(&mut b, base, exponent);
    let result = gpu.run(&b.build(root).unwrap(), &[x.as_any()]).unwrap();
    result.to_literal_blocking().unwrap().to_vec().unwrap()
}

#[test]
fn integers_and_narrow_floats_keep_their_powers() {
    let gpu = gpu();
    let check = |x: Literal, exponents: &[f64]| {
        let of = x.element_type();
        let x = AnyExpr::from(&gpu.upload(&x).unwrap());
        for &exponent in exponents {
            let constant = AnyExpr::constant(Scalar::from_f64(of, exponent).unwrap());
            let array = AnyExpr::literal(
                gpu.eval(constant.broadcast([x.shape().dims()[0]]).unwrap())
                    .unwrap()
                    .to_literal_blocking()
                    .unwrap(),
            );
            let [found, general] = [&constant, &array].map(|exponent| {
                let power = AnyExpr::binary(Opcode::Pow, &x, exponent, []).unwrap();
                gpu.eval(&power).unwrap().to_literal_blocking().unwrap()
            });
            for i in 0..found.len() {
                let [a, b] = [&found, &general].map(|all| all.element(i).unwrap().bits());
                let is_float = matches!(of, ElementType::F16 | ElementType::Bf16);
                let most = u64::from(is_float);
                assert!(a.abs_diff(b) <= most, "{of}: {i} to {exponent} is {a:#x}, not {b:#x}");
            }
        }
    };
    let whole = [0.0, 1.0, 2.0, 3.0];
    check(Literal::from_slice([5], &[0_i8, 1, -1, 100, -128]).unwrap(), &whole);
    check(Literal::from_slice([4], &[0_u16, 3, 40_000, 65_535]).unwrap(), &whole);
    check(Literal::from_slice([4], &[0_i64, -3, 1 << 40, i64::MIN]).unwrap(), &whole);
    let halves = [1.5, 0.1, 20.0, 40.0, 300.0, 0.0, f32::INFINITY].map(indim::half::f16::from_f32);
    check(Literal::from_slice([7], &halves).unwrap(), &EXPONENTS);
    let halves = [1.5, 0.1, 20.0, 1e30, 0.0, f32::INFINITY].map(indim::half::bf16::from_f32);
    check(Literal::from_slice([6], &halves).unwrap(), &EXPONENTS);
}
