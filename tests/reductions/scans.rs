//! Cumulative sums and their kin.

use indim::{Array, Context, Element, Expr};
use indim_testing::contexts::gpu;

use crate::limits::low;
use crate::values::numbers;

fn values<T: Element>(x: &Expr<T>) -> Vec<T> {
    x.eval().unwrap().to_vec_blocking().unwrap()
}

/// Returns what the elements up to each one of a row combine to.
fn combined<T: Copy>(row: &[T], mut by: impl FnMut(T, T) -> T) -> Vec<T> {
    let mut results: Vec<T> = Vec::new();
    for &x in row {
        results.push(results.last().map_or(x, |&last| by(last, x)));
    }
    results
}

fn integers(count: usize) -> Vec<i32> {
    (0..count as u32).map(|i| i.wrapping_mul(2_654_435_761).cast_signed()).collect()
}

/// Sums and maxima of integers, along each dimension of a matrix.
fn check(gpu: &Context, rows: usize, columns: usize) {
    let elements = integers(rows * columns);
    let x: Array<i32> = gpu.array([rows, columns], &elements).unwrap();
    let along_rows = |by: fn(i32, i32) -> i32| {
        elements.chunks(columns).flat_map(|row| combined(row, by)).collect::<Vec<i32>>()
    };
    assert!(values(&x.cumsum(1)) == along_rows(i32::wrapping_add), "{rows}x{columns}");
    assert!(values(&x.cummax(1)) == along_rows(i32::max), "{rows}x{columns}");
    let turned = x.transpose([1, 0]).cumsum(0).transpose([1, 0]);
    assert!(values(&turned) == along_rows(i32::wrapping_add), "{rows}x{columns} along 0");
}

#[test]
fn integers_are_exact_at_every_size() {
    let gpu = gpu();
    for columns in [1, 2, 15, 16, 17, 255, 256, 257, 4099] {
        check(&gpu, 3, columns);
    }
    check(&gpu, 0, 5);
    check(&gpu, 70, 33);
    let none: Array<i32> = gpu.zeros([4, 0]).unwrap();
    assert!(values(&none.cumsum(1)).is_empty());
}

#[test]
fn so_they_are_in_windows() {
    check(&low(), 5, 70_001);
}

#[test]
fn sums_round_twice_a_level() {
    let elements = numbers(5_000);
    let x: Array<f32> = gpu().array([5_000], &elements).unwrap();
    let (mut sum, mut largest) = (0.0, 0_f64);
    for (found, &x) in values(&x.cumsum(0)).into_iter().zip(&elements) {
        sum += f64::from(x);
        largest = largest.max(sum.abs());
        // 5,000 elements have four levels, each with two roundings.
        let bound = 8.0 * largest * f64::from(f32::EPSILON) / 2.0;
        assert!((f64::from(found) - sum).abs() <= bound, "{found}, not {sum}");
    }
}

#[test]
fn nan_stays_and_infinities_add() {
    let gpu = gpu();
    let (nan, infinite) = (f32::NAN, f32::INFINITY);
    let row = [1.0, -0.0, infinite, 2.0, nan, 3.0];
    let x: Array<f32> = gpu.array([6], &row).unwrap();
    let bits = |x: &Expr<f32>| -> Vec<String> { values(x).iter().map(f32::to_string).collect() };
    assert_eq!(bits(&x.cumsum(0)), ["1", "1", "inf", "inf", "NaN", "NaN"]);
    assert_eq!(bits(&x.cummax(0)), ["1", "1", "inf", "inf", "NaN", "NaN"]);
    assert_eq!(bits(&x.cummin(0)), ["1", "-0", "-0", "-0", "NaN", "NaN"]);
    assert_eq!(bits(&x.slice([0], [4]).cumprod(0)), ["1", "-0", "NaN", "NaN"]);
}

#[test]
fn views_make_them_backward_and_exclusive() {
    let x: Array<f32> = gpu().array([4], &[1.0, 2.0, 3.0, 4.0]).unwrap();
    assert_eq!(values(&x.reverse([0]).cumsum(0).reverse([0])), [10.0, 9.0, 7.0, 4.0]);
    assert_eq!(values(&x.cumsum(0).pad(0.0, [1], [-1], [0])), [0.0, 1.0, 3.0, 6.0]);
}

#[test]
fn a_map_before_is_computed_where_it_is_read() {
    let gpu = gpu();
    let x: Array<f32> = gpu.array([64, 256], &numbers(64 * 256)).unwrap();
    let count = (&x * 2.0).cumsum(1).explain().unwrap().kernels.len();
    // The sums of blocks, the sums up to each of these, and the elements.
    assert_eq!(count, 3);
}
