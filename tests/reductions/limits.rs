//! Reductions of arrays that are larger than a binding.

use indim::{Array, Context};
use indim_testing::contexts;

use crate::order;
use crate::values::{groups, numbers};

/// A context with bindings of 64 KiB, 4 buffers and 8 by 8 workgroups.
fn low() -> Context {
    let mut options = contexts::options();
    options.required_limits = Some(contexts::low());
    Context::blocking_with_options(options).unwrap_or_else(|error| panic!("{error}"))
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
