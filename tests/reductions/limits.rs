//! Reductions of arrays that are larger than a binding.

use indim::{Array, Context};
use indim_testing::contexts::{self, gpu};
use indim_testing::oracle::order;
use indim_testing::{gpu_classes, share};

use crate::values::{groups, numbers};

/// A context with bindings of 64 KiB, 4 buffers and 8 by 8 workgroups.
pub(crate) fn low() -> Context {
    let mut options = contexts::options();
    options.required_limits = Some(contexts::low());
    Context::blocking_with_options(options).unwrap_or_else(|error| panic!("{error}"))
}

/// Calls a check on the adapter's own plan, and by a share of the plans of GPUs and of windows.
pub(crate) fn by_all_plans(check: impl Fn(&Context)) {
    check(&gpu());
    let classes = gpu_classes::all();
    let windows = classes.len() / 2;
    for number in (0..=classes.len()).step_by(share::one_of(9)) {
        match number {
            _ if number == windows => check(&low()),
            _ if number < windows => check(&contexts::posing_as(&classes[number])),
            _ => check(&contexts::posing_as(&classes[number - 1])),
        }
    }
}

#[test]
fn arrays_are_reduced_in_windows() {
    let gpu = low();
    for (sizes, dimensions) in [
        (&[100_000usize][..], &[0i64][..]),
        (&[100, 1000], &[1]),
        (&[1000, 100], &[0]),
        (&[1000, 101], &[0]),
        (&[3, 33_000], &[1]),
        (&[20, 50, 100], &[1]),
        (&[20, 50, 100], &[0, 1, 2]),
        (&[50_000, 2], &[1]),
        (&[10, 50, 10], &[0, 2]),
        // What one element is made of lies farther apart than a binding has bytes.
        (&[33, 5000], &[0]),
        (&[40, 3, 9000], &[0]),
        (&[2, 9000, 2], &[0, 2]),
        (&[40, 60, 50], &[0, 2]),
    ] {
        let elements = numbers(sizes.iter().product());
        let x: Array<f32> = gpu.array(sizes, &elements).unwrap();
        let label = format!("{sizes:?} along {dimensions:?}");
        let sums = indim::reduce_sum(&x, dimensions).expect(&label).to_vec_blocking().unwrap();
        let groups = groups(sizes, dimensions, &elements);
        let expected: Vec<f32> = groups.iter().map(|group| order::sum(group)).collect();
        let differ = sums.iter().zip(&expected).position(|(a, b)| a.to_bits() != b.to_bits());
        assert_eq!((sums.len(), differ), (expected.len(), None), "{label}");
    }
}

/// A long reduction has a partial result that another kernel reads.
#[test]
fn reductions_that_share_a_kernel_fit_the_bindings() {
    let gpu = low();
    let elements = numbers(3 * 5000);
    let x: Array<f32> = gpu.array([3, 5000], &elements).unwrap();
    let scaled = |by: u8| &x * f32::from(by);
    let sums: Vec<Vec<f32>> = (1..=7_u8)
        .map(|by| {
            let scaled: Vec<f32> = elements.iter().map(|x| x * f32::from(by)).collect();
            groups(&[3, 5000], &[1], &scaled).iter().map(|group| order::sum(group)).collect()
        })
        .collect();
    // As results, and as operands of one.
    let reduced = |by: u8| scaled(by).reduce_sum([1]);
    let results = (reduced(1), reduced(2), reduced(3), reduced(4), reduced(5));
    let (a, b, c, d, e) =
        indim::eval((&results.0, &results.1, &results.2, &results.3, &results.4)).unwrap();
    for (found, expected) in [a, b, c, d, e].iter().zip(&sums) {
        assert_eq!(&found.to_vec_blocking().unwrap(), expected);
    }
    let most = (1..=7).map(reduced).reduce(|most, sum| most.max(sum)).unwrap();
    let found = most.eval().unwrap().to_vec_blocking().unwrap();
    for (row, found) in found.iter().enumerate() {
        assert_eq!(*found, sums.iter().map(|sum| sum[row]).fold(f32::MIN, f32::max));
    }
}

/// A heavy map is not repeated for each strand, so its kernel compiles as soon as it does alone.
#[test]
fn heavy_maps_compile_soon() {
    let mut b = indim::Builder::new();
    let x = b.parameter(indim::ElementType::F32, [64, 512]).unwrap();
    let heavy = b.lgamma(x).unwrap();
    let sum = b.reduce_sum(heavy, [0]).unwrap();
    let plan = indim::plan::PlanLimits::for_cpu(true).explain(&b.build(sum).unwrap()).unwrap();
    for kernel in &plan.kernels {
        let calls = kernel.wgsl.matches("= xla_lgamma(").count()
            + kernel.wgsl.matches("(xla_lgamma(").count()
            + kernel.wgsl.matches(", xla_lgamma(").count();
        assert!(calls <= 4, "{calls} calls in {}", kernel.schedule);
    }
}
