//! Bugs of reductions that other libraries shipped.

use indim::{AnyExpr, Array, Context, ElementType, Expr, Literal};
use indim_testing::contexts::{self, gpu};
use indim_testing::{gpu_classes, share};

use crate::limits::by_all_plans;
use crate::values::numbers;

fn values(x: &Expr<f32>) -> Vec<f32> {
    x.eval().unwrap().to_vec_blocking().unwrap()
}

#[test]
fn bugs_of_others_are_none_here() {
    let gpu = gpu();
    // A BF16 sum of 70,000 ones, which is 256 where BF16 accumulates.
    let ones: Expr<f32> = Expr::full(1.0, [70_000]);
    let narrow = gpu.eval(&ones).unwrap();
    let narrow = narrow.convert_element_type::<indim::half::bf16>();
    let sum = narrow.reduce_sum([0]).convert_element_type::<f32>();
    assert_eq!(values(&sum), [70_144.0]);
    // A mean of F16 whose sum overflows.
    let large: Array<f32> = gpu.array([4096], &[100.0; 4096]).unwrap();
    let mean = large.convert_element_type::<indim::half::f16>().mean([0]);
    assert_eq!(values(&mean.convert_element_type::<f32>()), [100.0]);
    // Sums of 0.1 along the first of [1000000, 16], off by 132,383 ULP in NumPy.
    let tenth: Array<f32> = gpu.array([1_000_000, 16], &vec![0.1; 16_000_000]).unwrap();
    let exact = (f64::from(0.1_f32) * 1e6) as f32;
    assert_eq!(values(&tenth.reduce_sum([0])), [exact; 16]);
    // 64-bit integers, and more than 32,767 and 65,535 rows.
    let wide: Array<i64> = gpu.array([3], &[i64::MAX, -1, 1 << 40]).unwrap();
    let sum = wide.reduce_sum([0]).eval().unwrap().to_vec_blocking().unwrap();
    assert_eq!(sum, [i64::MAX.wrapping_add((1 << 40) - 1)]);
    let rows = 70_000;
    let tall: Expr<f32> = Expr::iota([rows, 2], 0);
    let most = gpu.eval(&tall.reduce_max([1])).unwrap().to_vec_blocking().unwrap();
    assert!(most.iter().enumerate().all(|(row, &most)| most == row as f32));
    let last = gpu.eval(&tall.reduce_max([0])).unwrap().to_vec_blocking().unwrap();
    assert_eq!(last, [rows as f32 - 1.0; 2]);
    // NaN anywhere.
    for at in [0, 17, 2047] {
        let mut elements = numbers(2048);
        elements[at] = f32::NAN;
        let x: Array<f32> = gpu.array([2048], &elements).unwrap();
        for reduced in [x.reduce_max([0]), x.reduce_min([0]), x.reduce_sum([0])] {
            assert!(values(&reduced)[0].is_nan(), "at {at}");
        }
    }
}

/// The maxima and the minima of an array of this type, as F32.
fn extremes(gpu: &Context, of: ElementType, x: &Literal, dimension: i64) -> [Vec<f32>; 2] {
    let x = AnyExpr::literal(x.clone()).convert_element_type(of).unwrap();
    [x.reduce_max([dimension]), x.reduce_min([dimension])].map(|extreme| {
        let extreme = extreme.unwrap().convert_element_type(ElementType::F32).unwrap();
        gpu.eval(&extreme).unwrap().to_literal_blocking().unwrap().to_vec().unwrap()
    })
}

/// Types of which an extreme of nothing is infinite.
const TYPES: [ElementType; 3] = [ElementType::F32, ElementType::F16, ElementType::F64];

/// Some elements as a row and as columns: the sizes, the dimension along the elements, and how many rows or
/// columns there are.
fn ways(count: usize) -> [([usize; 2], i64, usize); 3] {
    [([3, count], 1, 3), ([count, 8], 0, 8), ([count, 3], 0, 3)]
}

/// No finite number stands in for infinity where units, nodes of the tree and parts are not whole.
#[test]
fn of_infinities_alone_the_extremes_are_infinite() {
    by_all_plans(|gpu| {
        for count in [1, 33, 1025, 5000] {
            for infinity in [f32::NEG_INFINITY, f32::INFINITY] {
                for (sizes, dimension, kept) in ways(count) {
                    let x = Literal::from_slice(sizes, &vec![infinity; count * kept]).unwrap();
                    for of in TYPES.into_iter().step_by(share::one_of(3)) {
                        if gpu.supports(of) {
                            let found = extremes(gpu, of, &x, dimension);
                            let label = format!("{of} {sizes:?} along {dimension}");
                            assert_eq!(found, [(); 2].map(|()| vec![infinity; kept]), "{label}");
                        }
                    }
                }
            }
        }
    });
}

/// One NaN of either sign, first, last or within, makes NaN of its row or column, and of no other.
#[test]
fn nan_is_kept_by_the_extremes() {
    by_all_plans(|gpu| {
        for count in [5, 64, 1000, 5000] {
            for (number, at) in [0, count / 2, count - 1].into_iter().enumerate() {
                for (sizes, dimension, kept) in ways(count) {
                    let mut elements = vec![-1.0; count * kept];
                    let place = if dimension == 1 { count + at } else { at * kept + 1 };
                    elements[place] = if number == 1 { -f32::NAN } else { f32::NAN };
                    let x = Literal::from_slice(sizes, &elements).unwrap();
                    for of in TYPES.into_iter().step_by(share::one_of(3)) {
                        if !gpu.supports(of) {
                            continue;
                        }
                        for found in extremes(gpu, of, &x, dimension) {
                            let right = |(i, &x): (usize, &f32)| {
                                if i == 1 { x.is_nan() } else { x == -1.0 }
                            };
                            let label = format!("{of} {sizes:?} along {dimension}: {found:?}");
                            assert!(found.iter().enumerate().all(right), "{label}");
                        }
                    }
                }
            }
        }
        // A row that one kernel passes over several times.
        for columns in [33, 1000] {
            let mut elements = vec![2.0; 64 * columns];
            elements[7 * columns + columns / 2] = f32::NAN;
            let x = AnyExpr::literal(Literal::from_slice([64, columns], &elements).unwrap());
            let below =
                |most: &AnyExpr| AnyExpr::binary(indim::Opcode::Sub, &x, most, [0]).unwrap();
            for value in [below(&x.reduce_max([1]).unwrap()), below(&x.reduce_min([1]).unwrap())] {
                let found = gpu.eval(&value).unwrap().to_literal_blocking().unwrap();
                let found: Vec<f32> = found.to_vec().unwrap();
                let right =
                    |(i, x): (usize, &f32)| if i / columns == 7 { x.is_nan() } else { *x == 0.0 };
                assert!(found.iter().enumerate().all(right), "{columns}");
            }
        }
    });
}

/// The mean of squares less the square of the mean is 0 or 8 here: F32 has one number in 8 at 1e8.
#[test]
fn a_large_mean_leaves_the_variance() {
    let gpu = gpu();
    for (rows, columns) in [(64, 100), (3, 1000), (20, 5000)] {
        let spread = numbers(rows * columns);
        let elements: Vec<f32> = spread.iter().map(|x| 1e4 + x.fract()).collect();
        let by_row: Array<f32> = gpu.array([rows, columns], &elements).unwrap();
        let turned = by_row.transpose([1, 0]).eval().unwrap();
        let rows_of = [(values(&by_row.var([1])), values(&by_row.layer_norm([1], 1e-5)))];
        let columns_of =
            [(values(&turned.var([0])), values(&turned.layer_norm([0], 1e-5).transpose([1, 0])))];
        for (var, norm) in rows_of.into_iter().chain(columns_of) {
            for row in 0..rows {
                let of_row = elements[row * columns..][..columns].iter().map(|&x| f64::from(x));
                let mean = of_row.clone().sum::<f64>() / columns as f64;
                let variance =
                    of_row.clone().map(|x| (x - mean).powi(2)).sum::<f64>() / columns as f64;
                let apart = (f64::from(var[row]) - variance).abs();
                assert!(apart < 1e-6, "{rows} {columns}: {}, not {variance}", var[row]);
                for (found, x) in norm[row * columns..][..columns].iter().zip(of_row) {
                    let expected = (x - mean) / (variance + 1e-5).sqrt();
                    // The sum is rounded, and the mean to a multiple of 2^-10.
                    let bound = 2f64.powi(-10) / variance.sqrt() + 1e-5;
                    let apart = (f64::from(*found) - expected).abs();
                    assert!(apart <= bound, "{rows} {columns}: {found}, not {expected}");
                }
            }
        }
    }
}

/// More than 65,535 workgroups, which is all that one dimension of a dispatch takes.
#[test]
fn rows_may_be_more_than_workgroups_of_one_dimension() {
    let rows = 4_200_000;
    let x: Expr<i32> = Expr::iota([rows, 2], 0);
    let sums = x.reduce_sum([1]);
    let mut b = indim::Builder::new();
    let iota = b.iota(ElementType::S32, [rows, 2], 0).unwrap();
    let sum = b.reduce_sum(iota, [1]).unwrap();
    let computation = b.build(sum).unwrap();
    for gpu in [gpu(), contexts::posing_as(&gpu_classes::all()[0])] {
        let plan = gpu.plan_limits().explain(&computation).unwrap();
        let [x, y] = plan.kernels[0].workgroups;
        assert!(u64::from(x) * u64::from(y) > 65_535, "{x} {y}");
        let found = gpu.eval(&sums).unwrap().to_vec_blocking().unwrap();
        let wrong = found.iter().zip(0..).position(|(&found, row)| found != 2 * row);
        assert_eq!((found.len(), wrong), (rows as usize, None));
    }
}
