//! Values of reductions.

use indim::{Array, Context, Expr};
use indim_testing::contexts::gpu;
use indim_testing::oracle::order;

/// Numbers of both signs and many magnitudes.
pub(crate) fn numbers(count: usize) -> Vec<f32> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let number = |_| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mantissa = (state >> 40) as f32 / (1u64 << 23) as f32 - 1.0;
        mantissa * 2f32.powi(((state >> 33) % 20) as i32 - 10)
    };
    (0..count).map(number).collect()
}

/// The elements that are summed into each element of the result, in row-major order.
pub(crate) fn groups<T: Copy>(sizes: &[usize], dimensions: &[i64], elements: &[T]) -> Vec<Vec<T>> {
    let reduced = |d: usize| dimensions.contains(&(d as i64));
    let kept: usize = (0..sizes.len()).filter(|&d| !reduced(d)).map(|d| sizes[d]).product();
    let mut groups = vec![Vec::new(); kept];
    for (number, &element) in elements.iter().enumerate() {
        let (mut rest, mut at, mut step) = (number, 0, 1);
        for d in (0..sizes.len()).rev() {
            let index = rest % sizes[d];
            rest /= sizes[d];
            if !reduced(d) {
                at += index * step;
                step *= sizes[d];
            }
        }
        groups[at].push(element);
    }
    groups
}

fn check(gpu: &Context, sizes: &[usize], dimensions: &[i64]) {
    let elements = numbers(sizes.iter().product());
    let x: Array<f32> = gpu.array(sizes, &elements).unwrap();
    let sums = indim::reduce_sum(&x, dimensions).unwrap();
    let expected: Vec<f32> =
        groups(sizes, dimensions, &elements).iter().map(|group| order::sum(group)).collect();
    let found = sums.to_vec_blocking().unwrap();
    let differ = found.iter().zip(&expected).filter(|(a, b)| a.to_bits() != b.to_bits());
    assert_eq!(differ.count(), 0, "{sizes:?} {dimensions:?}: {found:?} in place of {expected:?}");
}

#[test]
fn sums_have_the_bits_of_the_order() {
    let gpu = gpu();
    for (sizes, dimensions) in [
        (&[8usize][..], &[0i64][..]),
        (&[1], &[0]),
        (&[5], &[0]),
        (&[32], &[0]),
        (&[33], &[0]),
        (&[100], &[0]),
        (&[1024], &[0]),
        (&[1025], &[0]),
        (&[5000], &[0]),
        (&[3, 4], &[1]),
        (&[3, 5], &[1]),
        (&[7, 64], &[1]),
        (&[7, 2048], &[1]),
        (&[64, 7], &[0]),
        (&[31, 8], &[0]),
        (&[2048, 64], &[0]),
        (&[100, 20], &[0]),
        (&[100, 21], &[0]),
        (&[5, 70, 12], &[1]),
        (&[5, 7, 12], &[0, 2]),
        (&[50, 7, 120], &[0, 2]),
        (&[5, 7, 12], &[0, 1, 2]),
        (&[5, 7, 12], &[1, 2]),
        (&[5, 7, 12], &[0, 1]),
    ] {
        check(&gpu, sizes, dimensions);
    }
}

/// Also of several levels, the last of which has fewer values than a quad.
#[test]
fn products_have_the_bits_of_the_order() {
    let gpu = gpu();
    for (sizes, dimensions) in [
        (&[3usize][..], &[0i64][..]),
        (&[1025], &[0]),
        (&[128, 65, 2], &[0, 1]),
        (&[7, 2100], &[1]),
        (&[2100, 8], &[0]),
    ] {
        let small = numbers(sizes.iter().product()).into_iter().map(|x| 1.0 + x.fract() * 0.05);
        let elements: Vec<f32> = small.collect();
        let x: Array<f32> = gpu.array(sizes, &elements).unwrap();
        let found = indim::reduce_prod(&x, dimensions).unwrap().to_vec_blocking().unwrap();
        let product = |group: &Vec<f32>| {
            let [high, low] = order::product_in_words(group);
            high + low
        };
        let expected: Vec<f32> = groups(sizes, dimensions, &elements).iter().map(product).collect();
        assert_eq!(found, expected, "{sizes:?} {dimensions:?}");
        // docs/numerics.md: half an ULP, and 240 n 2^-48 of the product.
        for (group, found) in groups(sizes, dimensions, &elements).iter().zip(&found) {
            let n = group.len() as f64;
            let truth: f64 = group.iter().map(|&x| f64::from(x)).product();
            let ulp = f64::from(f32::from_bits(found.to_bits() + 1)) - f64::from(*found);
            let bound = 0.5 * ulp + 240.0 * n * 2f64.powi(-48) * truth;
            assert!((f64::from(*found) - truth).abs() <= bound, "{sizes:?}: {found}, not {truth}");
        }
    }
}

#[test]
fn a_map_is_fused_into_the_read_and_an_epilogue_into_the_store() {
    let gpu = gpu();
    let (x, v) = (numbers(60 * 33), numbers(33));
    let a: Array<f32> = gpu.array([60, 33], &x).unwrap();
    let b: Array<f32> = gpu.array([33], &v).unwrap();
    let difference: Expr<f32> = (&a - b.in_dim([1])).square();
    let root = difference.reduce_sum([1]).sqrt();
    let found = root.eval().unwrap().to_vec_blocking().unwrap();
    for (row, found) in found.iter().enumerate() {
        let squares: Vec<f32> =
            (0..33).map(|i| (x[row * 33 + i] - v[i]) * (x[row * 33 + i] - v[i])).collect();
        assert_eq!(*found, order::sum(&squares).sqrt(), "row {row}");
    }
}

/// Neighbouring sums are made together where they share an operand: the bits are those of each alone,
/// also where the last group is not whole.
#[test]
fn sums_that_share_an_operand_have_the_bits_of_the_order() {
    let gpu = gpu();
    for (points, others, count) in
        [(3, 4, 1), (1, 7, 3), (5, 6, 33), (2, 9, 64), (4, 5, 70), (3, 13, 1100)]
    {
        let (a, b) =
            (numbers(points * count), numbers(others * count * 2).split_off(others * count));
        let x: Array<f32> = gpu.array([points, count], &a).unwrap();
        let y: Array<f32> = gpu.array([others, count], &b).unwrap();
        let squares =
            (x.in_dim([0, 2]) - y.broadcast_in_dim([points, others, count], [1, 2])).square();
        let mut sums = gpu.full([points, others], 1.0_f32).unwrap();
        (&sums + squares.reduce_sum([2])).eval_into(&mut sums).unwrap();
        let found = sums.to_vec_blocking().unwrap();
        for (at, found) in found.iter().enumerate() {
            let (i, j) = (at / others, at % others);
            let difference = |k: usize| a[i * count + k] - b[j * count + k];
            let squares: Vec<f32> = (0..count).map(|k| difference(k) * difference(k)).collect();
            assert_eq!(*found, order::sum(&squares) + 1.0, "{points} {others} {count}: {i}, {j}");
        }
    }
}

/// The sum, rounded once to F64: the terms of J. R. Shewchuk's expansion do not overlap.
fn exact(values: &[f32]) -> f64 {
    let mut terms: Vec<f64> = Vec::new();
    for &value in values {
        let mut x = f64::from(value);
        let mut kept = Vec::with_capacity(terms.len() + 1);
        for &term in &terms {
            let (large, small) = if x.abs() < term.abs() { (term, x) } else { (x, term) };
            let sum = large + small;
            let rest = small - (sum - large);
            if rest != 0.0 {
                kept.push(rest);
            }
            x = sum;
        }
        kept.push(x);
        terms = kept;
    }
    terms.iter().sum()
}

/// docs/numerics.md: half an ULP and 2^-36 times the sum of the magnitudes.
#[test]
fn sums_are_within_their_bound() {
    let gpu = gpu();
    let count = 1 << 20;
    let random = numbers(count);
    let growing = (0..count).map(|i| random[i] * 2f32.powi((i >> 16) as i32));
    let alternating = (0..count).map(|i| if i % 2 == 0 { 1e6 + i as f32 } else { -1e6 });
    let mut cancelling: Vec<f32> = random.iter().chain(&random).copied().collect();
    cancelling[count..].iter_mut().for_each(|x| *x = -*x);
    cancelling.push(1e-3);
    let tenths = vec![0.1; count];
    let hard = [
        ("random", random.clone()),
        ("growing", growing.collect()),
        ("alternating", alternating.collect()),
        ("cancelling", cancelling),
        ("tenths", tenths),
    ];
    for (name, values) in hard {
        let x: Array<f32> = gpu.array([values.len()], &values).unwrap();
        let sum = f64::from(indim::reduce_sum(&x, [0]).unwrap().to_vec_blocking().unwrap()[0]);
        let truth = exact(&values);
        let magnitudes: f64 = values.iter().map(|&x| f64::from(x.abs())).sum();
        let nearest = truth as f32;
        let ulp = f64::from(f32::from_bits(nearest.abs().to_bits() + 1)) - f64::from(nearest.abs());
        let bound = 0.5 * ulp + magnitudes * 2f64.powi(-36);
        let error = (sum - truth).abs();
        println!("{name}: {} ULP", error / ulp);
        assert!(error <= bound, "{name}: {sum}, not {truth}: {error} over {bound}");
    }
}

/// A kernel has a copy of the map for each element of a unit, and for each of the tree's strands in
/// columns. SwiftShader's compiler took 7 to 19 GB for those of a remainder with branches in it.
#[test]
fn remainders_are_computed_where_they_are_summed() {
    let gpu = gpu();
    let (rows, columns) = (96usize, 64usize);
    let (x, y) = (numbers(rows * columns), [0.75f32, -0.75]);
    let of_x: Array<f32> = gpu.array([rows, columns], &x).unwrap();
    let of_y: Array<f32> = gpu.array([columns], &y.repeat(columns / 2)).unwrap();
    let rest = |i: usize| x[i].abs().rem_euclid(0.75) * x[i].signum();
    let rest: Vec<f32> = (0..x.len()).map(rest).collect();
    for dimension in [0i64, 1] {
        let sums = of_x.rem(of_y.in_dim([1])).reduce_sum([dimension]).eval().unwrap();
        let expected: Vec<f32> = groups(&[rows, columns], &[dimension], &rest)
            .iter()
            .map(|group| order::sum(group))
            .collect();
        assert_eq!(sums.to_vec_blocking().unwrap(), expected, "{dimension}");
    }
    let divided = of_x.floor_divide(of_y.in_dim([1]));
    let found = divided.reduce_sum([0]).eval().unwrap().to_vec_blocking().unwrap();
    let stored: Array<f32> = divided.eval().unwrap();
    let expected = indim::reduce_sum(&stored, [0]).unwrap();
    assert_eq!(found, expected.to_vec_blocking().unwrap());
}
