//! The bounds of docs/numerics.md on sums and products, at sizes where they matter.

use indim::num_complex::{Complex32, Complex64};
use indim::{Array, Expr, Number, Precision};
use indim_testing::contexts::gpu;
use indim_testing::not_tested;

use crate::values::numbers;

fn value<T: Number>(x: &Expr<T>) -> T {
    x.eval().unwrap().to_vec_blocking().unwrap()[0]
}

/// The distance of a float from the next larger one in magnitude.
fn ulp(x: f32) -> f64 {
    f64::from(f32::from_bits(x.abs().to_bits() + 1)) - f64::from(x.abs())
}

/// A sum or a product in two words of F64: for what is tested here, as if it were exact.
fn exactly(values: impl Iterator<Item = f64>, multiplies: bool) -> f64 {
    let (mut high, mut low) = (f64::from(u8::from(multiplies)), 0.0);
    for x in values {
        let (next, rest) = if multiplies {
            let next = high * x;
            (next, low * x + high.mul_add(x, -next))
        } else {
            let next = high + x;
            let v = next - high;
            (next, low + ((high - (next - v)) + (x - v)))
        };
        // The second word stays small.
        high = next + rest;
        low = rest - (high - next);
    }
    high + low
}

/// Equal factors have equal rounding errors, so that the second words of products grow as fast as they can:
/// without the product of second words, 65,536 of these were 27 ULP off.
#[test]
fn products_are_within_their_bound() {
    let gpu = gpu();
    for (count, factors) in [
        (5_000, [1.011_839_2_f32, 0.991_234_5, 1.003]),
        (1 << 14, [1.001_820_4, 0.998_765_4, 1.002_797]),
        (1 << 16, [1.000_495_8, 0.999_512_3, 1.000_027_9]),
    ] {
        for factor in factors {
            let row: Array<f32> = gpu.full([count], factor).unwrap();
            let columns: Array<f32> = gpu.full([count, 4], factor).unwrap();
            let truth = exactly(std::iter::repeat_n(f64::from(factor), count), true);
            let ulp = ulp(truth as f32);
            let bound = 0.5 * ulp + 240.0 * count as f64 * 2f64.powi(-48) * truth;
            let found = [value(&row.reduce_prod([0])), value(&columns.reduce_prod([0]))];
            for found in found {
                let error = (f64::from(found) - truth).abs();
                assert!(error <= bound.min(ulp), "{count} of {factor}: {} ULP", error / ulp);
            }
        }
    }
}

/// Numbers near 1, whose products neither overflow nor vanish.
fn factors(count: usize) -> impl Iterator<Item = f64> {
    numbers(count).into_iter().map(|x| 1.0 + f64::from(x).fract() * 0.0123)
}

#[test]
fn sums_and_products_of_f64_are_within_their_bound() {
    let gpu = gpu();
    if !gpu.supports(indim::ElementType::F64) {
        return not_tested::without("F64", "the adapter has none");
    }
    let unit = 2f64.powi(-53);
    for count in [100, 5_000, 200_000] {
        let elements: Vec<f64> = numbers(count).iter().map(|&x| f64::from(x) / 3.0).collect();
        let x: Array<f64> = gpu.array([count], &elements).unwrap();
        let truth = exactly(elements.iter().copied(), false);
        let magnitudes: f64 = elements.iter().map(|x| x.abs()).sum();
        let error = (value(&x.reduce_sum([0])) - truth).abs();
        assert!(error <= 60.0 * unit * magnitudes, "sum of {count}: {error}");
        let elements: Vec<f64> = factors(count).collect();
        let x: Array<f64> = gpu.array([count], &elements).unwrap();
        let truth = exactly(elements.into_iter(), true);
        let error = (value(&x.reduce_prod([0])) - truth).abs();
        assert!(error <= count as f64 * unit * truth, "product of {count}: {error}");
    }
}

#[test]
fn sums_and_products_of_c64_are_within_their_bound() {
    let gpu = gpu();
    let unit = 2f64.powi(-24);
    for count in [100, 5_000, 200_000] {
        let parts = numbers(2 * count);
        let elements: Vec<Complex32> =
            parts.chunks(2).map(|z| Complex32::new(z[0], z[1])).collect();
        let x: Array<Complex32> = gpu.array([count], &elements).unwrap();
        let sum = value(&x.reduce_sum([0]));
        for (part, found) in [(0, sum.re), (1, sum.im)] {
            let of_part = || parts.iter().skip(part).step_by(2).map(|&x| f64::from(x));
            let error = (f64::from(found) - exactly(of_part(), false)).abs();
            let magnitudes: f64 = of_part().map(f64::abs).sum();
            assert!(error <= 60.0 * unit * magnitudes, "part {part} of {count}: {error}");
        }
        // Of magnitude about 1 and any angle.
        let turned = |x: f64| Complex32::from_polar(x as f32, (x * 1e4) as f32);
        let elements: Vec<Complex32> = factors(count).map(turned).collect();
        let x: Array<Complex32> = gpu.array([count], &elements).unwrap();
        let wide = |z: &Complex32| Complex64::new(z.re.into(), z.im.into());
        let truth: Complex64 = elements.iter().map(wide).product();
        let found = wide(&value(&x.reduce_prod([0])));
        let bound = 5f64.sqrt() * count as f64 * unit * truth.norm();
        assert!((found - truth).norm() <= bound, "product of {count}: {found}, not {truth}");
    }
}

#[test]
fn relaxed_sums_and_products_are_within_their_bound() {
    let gpu = gpu();
    let unit = 2f64.powi(-24);
    for count in [100, 5_000, 200_000] {
        let elements = numbers(count);
        let x: Array<f32> = gpu.array([count], &elements).unwrap();
        let wide = || elements.iter().map(|&x| f64::from(x));
        let sum = x.reduce_sum([0]).with_precision(Precision::Relaxed);
        let error = (f64::from(value(&sum)) - exactly(wide(), false)).abs();
        assert!(
            error <= 60.0 * unit * wide().map(f64::abs).sum::<f64>(),
            "sum of {count}: {error}"
        );
        let elements: Vec<f32> = factors(count).map(|x| x as f32).collect();
        let x: Array<f32> = gpu.array([count], &elements).unwrap();
        let truth = exactly(elements.iter().map(|&x| x.into()), true);
        let product = x.reduce_prod([0]).with_precision(Precision::Relaxed);
        let error = (f64::from(value(&product)) - truth).abs();
        assert!(error <= count as f64 * unit * truth, "product of {count}: {error}");
    }
}
