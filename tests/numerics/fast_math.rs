//! Tests that results hold where a compiler contracts or regroups sums, on kernels that are
//! rewritten as such compilers do. `INDIM_TEST_ARITHMETIC` also runs any other test on these.

use indim::num_complex::Complex32;
use indim::plan::{Guard, Sums};
use indim::{Array, Context, Expr, Precision, Result, wgpu};
use indim_self_check::check_blocking;
use indim_testing::fast_math::{self, Rewrite};
use indim_testing::{contexts, not_tested};

/// Pairs of floats whose products and sums are rounded.
const X: [f32; 4] = [1.000_000_1, 3.1, -0.7, 16_777_215.0];
const Y: [f32; 4] = [1.000_000_2, 1e-3, 0.3, 0.7];
const Z: [f32; 4] = [-1.000_000_4, 1e6, 0.21, -3.3];

fn context(rewrite: Rewrite, precision: Precision) -> Option<Context> {
    let mut options = contexts::options();
    options.precision = precision;
    let gpu = Context::blocking_with_options(rewrite.of(options)).unwrap();
    if !contracts(rewrite) || gpu.device().features().contains(wgpu::Features::SHADER_F64) {
        return Some(gpu);
    }
    not_tested::on_this_adapter(&gpu, "a contraction is computed in F64");
    None
}

fn contracts(rewrite: Rewrite) -> bool {
    rewrite.name.starts_with("contracted")
}

type Operands = [Array<f32>; 3];

fn operands(gpu: &Context) -> Operands {
    [X, Y, Z].map(|values| gpu.array([values.len()], &values).unwrap())
}

fn bits(expr: Result<Array<f32>>) -> Vec<u32> {
    contexts::values(&expr.unwrap()).into_iter().map(f32::to_bits).collect()
}

/// Expressions that some rule rewrites.
fn expressions([x, y, z]: &Operands) -> [Expr<f32>; 7] {
    [x * y + z, z - x * y, x * y - x * z, (x + y) - x, x - (x - y), (x + y) + z, x - (y - z)]
}

/// Their values, with each operation rounded by itself.
#[allow(clippy::suboptimal_flops, reason = "a fused form is what must not be computed")]
fn rounded() -> [Vec<u32>; 7] {
    let each =
        |f: fn(f32, f32, f32) -> f32| (0..X.len()).map(|i| f(X[i], Y[i], Z[i]).to_bits()).collect();
    [
        each(|x, y, z| x * y + z),
        each(|x, y, z| z - x * y),
        each(|x, y, z| x * y - x * z),
        each(|x, y, _| (x + y) - x),
        each(|x, y, _| x - (x - y)),
        each(|x, y, z| (x + y) + z),
        each(|x, y, z| x - (y - z)),
    ]
}

/// The control: each way of rewriting changes bits where nothing is guarded.
#[test]
fn what_nothing_guards_changes() {
    for rewrite in fast_math::ALLOWED {
        let Some(gpu) = context(rewrite, Precision::Relaxed) else { continue };
        let operands = operands(&gpu);
        let found = expressions(&operands).map(|expr| bits(expr.eval()));
        let changed: Vec<bool> = found.iter().zip(rounded()).map(|(a, b)| *a != b).collect();
        let contracts = contracts(rewrite);
        let [products, sums] = [&changed[..3], &changed[3..]];
        assert!(!contracts || products.iter().all(|&c| c), "{}: {changed:?}", rewrite.name);
        assert!(contracts || sums.iter().any(|&c| c), "{}: {changed:?}", rewrite.name);
        assert!(contracts || sums[..2].iter().all(|&c| c), "{}: {changed:?}", rewrite.name);
    }
}

#[test]
fn operations_are_rounded_each_by_itself() {
    for rewrite in fast_math::ALLOWED {
        let Some(gpu) = context(rewrite, Precision::Accurate) else { continue };
        let operands = operands(&gpu);
        let found = expressions(&operands).map(|expr| bits(expr.eval()));
        assert_eq!(found, rounded(), "{}", rewrite.name);
    }
}

/// Products of complex numbers are XLA's formula, each operation of which is rounded by itself.
#[test]
fn parts_of_complex_products_cancel() {
    for rewrite in fast_math::ALLOWED {
        let Some(gpu) = context(rewrite, Precision::Accurate) else { continue };
        let values: Vec<Complex32> =
            X.iter().flat_map(|&x| Y.iter().map(move |&y| Complex32::new(x, y))).collect();
        let z = gpu.array([values.len()], &values).unwrap();
        let norms = (&z * z.conj()).eval().unwrap().to_vec_blocking().unwrap();
        let crossed = (&z * z.conj()).imag().eval();
        for (z, norm) in values.iter().zip(norms) {
            let want = Complex32::new(z.re * z.re + z.im * z.im, 0.0);
            assert_eq!(norm, want, "{}: {z}", rewrite.name);
        }
        assert!(bits(crossed).iter().all(|&b| b == 0), "{}", rewrite.name);
    }
}

/// All assumptions hold where sums are rewritten, and the check names functions where no guard
/// keeps them.
#[test]
#[ignore = "long: in `.ci/run`"]
fn the_self_check_finds_sums_that_no_guard_keeps() {
    for rewrite in fast_math::ALLOWED {
        let Some(gpu) = context(rewrite, Precision::Accurate) else { continue };
        let broken: Vec<String> =
            check_blocking(&gpu).unwrap().broken().map(|f| format!("{f:?}")).collect();
        assert!(broken.is_empty(), "{}: {broken:?}", rewrite.name);
    }
    for rewrite in [fast_math::CONTRACTED_UNGUARDED, fast_math::REGROUPED_UNGUARDED] {
        let Some(gpu) = context(rewrite, Precision::Accurate) else { continue };
        let check = check_blocking(&gpu).unwrap();
        let broken: Vec<&str> = check.broken().map(|finding| finding.assumption).collect();
        for text in [
            "no compiler rewrites operations across a guard",
            "no compiler regroups the parts of a function",
        ] {
            assert!(broken.contains(&text), "{}: {broken:?}", rewrite.name);
        }
    }
}

/// Where a compiler sees through the minimum in functions, a context guards them by bits.
#[test]
#[ignore = "long: in `.ci/run`"]
fn a_context_finds_out_that_a_guard_is_seen_through() {
    for rewrite in fast_math::ALLOWED {
        let Some(gpu) = context(rewrite, Precision::Accurate) else { continue };
        assert_eq!(gpu.plan_limits().arithmetic.unwrap().guard, Guard::Minimum, "{}", rewrite.name);
    }
    let options = || fast_math::THROUGH_MINIMUM.of(contexts::options());
    let found = Context::blocking_with_options(options()).unwrap();
    assert_eq!(found.plan_limits().arithmetic.unwrap().guard, Guard::Bits);
    let check = check_blocking(&found).unwrap();
    assert!(check.holds(), "{check:?}");
    assert_eq!(check.arithmetic.guard, Guard::Bits);
    // The control: told the other guard, it computes wrong functions.
    let mut limits = found.plan_limits().clone();
    limits.arithmetic.as_mut().unwrap().guard = Guard::Minimum;
    let mut told = options();
    told.plan_limits = Some(limits);
    let check = check_blocking(&Context::blocking_with_options(told).unwrap()).unwrap();
    let broken: Vec<&str> = check.broken().map(|finding| finding.assumption).collect();
    assert!(broken.contains(&"no compiler regroups the parts of a function"), "{broken:?}");
}

/// A context guards each operation of a reduction's sums where the compiler regroups them, and only
/// there. The control: told otherwise, it computes other sums.
#[test]
#[ignore = "long: in `.ci/run`"]
fn a_context_finds_out_that_sums_are_regrouped() {
    let values: Vec<f32> = (0..4096u32).map(|i| (i as f32 - 2047.5).powi(3) * 1.1).collect();
    let sum = |gpu: &Context| {
        let x = gpu.array([64, 64], &values).unwrap();
        bits((x.reduce_sum([1]) * 1e-3).sin().eval())
    };
    let plain = sum(&contexts::gpu());
    for rewrite in fast_math::ALLOWED {
        let Some(gpu) = context(rewrite, Precision::Accurate) else { continue };
        let regroups = !contracts(rewrite);
        let expected = if regroups { Sums::Regrouped } else { Sums::AsWritten };
        assert_eq!(gpu.plan_limits().arithmetic.unwrap().sums, expected, "{}", rewrite.name);
        assert_eq!(sum(&gpu), plain, "{}", rewrite.name);
        if regroups {
            let mut options = rewrite.of(contexts::options());
            let mut limits = gpu.plan_limits().clone();
            limits.arithmetic.as_mut().unwrap().sums = Sums::AsWritten;
            options.plan_limits = Some(limits);
            let told = Context::blocking_with_options(options).unwrap();
            assert_ne!(sum(&told), plain, "{}", rewrite.name);
        }
    }
}
