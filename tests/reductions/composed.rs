//! Operations that are composed of reductions, and how many kernels they take.

use indim::plan::{PlanLimits, Source};
use indim::{Array, Builder, ElementType, Expr, Opcode, Scalar};
use indim_testing::contexts::gpu;

use crate::values::numbers;

fn values(x: &Expr<f32>) -> Vec<f32> {
    x.eval().unwrap().to_vec_blocking().unwrap()
}

#[test]
fn means_variances_and_norms_are_those_of_f64() {
    let gpu = gpu();
    let (rows, columns) = (5, 70);
    let elements = numbers(rows * columns);
    let x: Array<f32> = gpu.array([rows, columns], &elements).unwrap();
    let x = x.expr();
    let [mean, var] = [values(&x.mean([1])), values(&x.var([1]))];
    let [layer, rms] = [values(&x.layer_norm([1], 1e-5)), values(&x.rms_norm([1], 1e-5))];
    for row in 0..rows {
        let of_row = || elements[row * columns..][..columns].iter().map(|&x| f64::from(x));
        let average = of_row().sum::<f64>() / columns as f64;
        let variance = of_row().map(|x| (x - average).powi(2)).sum::<f64>() / columns as f64;
        let square = of_row().map(|x| x * x).sum::<f64>() / columns as f64;
        let near = |found: f32, expected: f64| {
            let apart = (f64::from(found) - expected).abs();
            assert!(apart <= 2e-6 * (1.0 + expected.abs()), "{found}, not {expected}");
        };
        near(mean[row], average);
        near(var[row], variance);
        for (i, x) in of_row().enumerate() {
            near(layer[row * columns + i], (x - average) / (variance + 1e-5).sqrt());
            near(rms[row * columns + i], x / (square + 1e-5).sqrt());
        }
    }
}

#[test]
fn exponentials_do_not_overflow() {
    let gpu = gpu();
    let infinite = f32::NEG_INFINITY;
    let elements = [1000.0, 1001.0, 999.0, -2000.0, -2000.0, -2000.0, infinite, 0.0, infinite];
    let x: Array<f32> = gpu.array([3, 3], &elements).unwrap();
    let logs = values(&x.logsumexp([1]));
    let truths = [1_001.407_6, -1_998.901_4, 0.0];
    assert!(logs.iter().zip(truths).all(|(&log, truth)| (log - truth).abs() < 2e-4), "{logs:?}");
    let softmax = values(&x.softmax([1]));
    assert!((softmax[..3].iter().sum::<f32>() - 1.0).abs() < 1e-6);
    assert_eq!(softmax[3..], [1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0, 0.0, 1.0, 0.0]);
    let logs = values(&x.log_softmax([1]));
    assert!((logs[1] - softmax[1].ln()).abs() < 1e-6, "{logs:?}");

    let none: Array<f32> = gpu.array([2], &[infinite; 2]).unwrap();
    assert_eq!(values(&none.logsumexp([0])), [infinite]);
    assert!(values(&none.softmax([0])).iter().all(|x| x.is_nan()));
    let all: Array<f32> = gpu.array([2], &[f32::INFINITY, 0.0]).unwrap();
    assert_eq!(values(&all.logsumexp([0])), [f32::INFINITY]);
}

#[test]
fn positions_are_the_first_ones_and_of_nan() {
    let gpu = gpu();
    let nan = f32::NAN;
    let elements = [1.0, 3.0, 3.0, 0.0, -0.0, 0.0, 1.0, nan, nan, 5.0, f32::INFINITY, nan];
    let x: Array<f32> = gpu.array([4, 3], &elements).unwrap();
    let largest = x.argmax([1]).eval().unwrap().to_vec_blocking().unwrap();
    assert_eq!(largest, [1, 0, 1, 2]);
    let smallest = x.argmin([1]).eval().unwrap().to_vec_blocking().unwrap();
    assert_eq!(smallest, [0, 0, 1, 2]);
    let wide: [Vec<i64>; 2] = [x.argmax_s64([1]), x.argmin_s64([1])]
        .map(|positions| positions.eval().unwrap().to_vec_blocking().unwrap());
    for (wide, narrow) in wide.iter().zip([largest, smallest]) {
        assert_eq!(*wide, narrow.into_iter().map(i64::from).collect::<Vec<_>>());
    }
    // In row-major order of the reduced dimensions.
    let y: Array<i32> = gpu.array([2, 2, 3], &[1, 9, 2, 3, 4, 5, 6, 7, 8, 9, 9, 0]).unwrap();
    assert_eq!(y.argmax([0, 2]).eval().unwrap().to_vec_blocking().unwrap(), [1, 3]);
    assert_eq!(y.argmax([]).eval().unwrap().to_vec_blocking().unwrap(), [0; 12]);
    assert_eq!(y.argmax([0, 1, 2]).eval().unwrap().to_vec_blocking().unwrap(), [1]);
}

/// More than S32 counts are for the operations in S64.
#[test]
fn positions_beyond_s32_have_operations_of_their_own() {
    let mut b = Builder::new();
    let x = b.parameter(ElementType::S8, [65_536, 65_536]).unwrap();
    let refused = b.argmax(x, [0, 1]).unwrap_err();
    assert_eq!(refused.rule(), Some(indim::Rule::R3));
    assert!(refused.to_string().contains("use argmax_s64 or argmin_s64"), "{refused}");
    let position = b.argmax_s64(x, [0, 1]).unwrap();
    assert_eq!(b.element_type(position).unwrap(), ElementType::S64);
    let none = b.parameter(ElementType::S8, [0, 3]).unwrap();
    assert_eq!(b.argmin_s64(none, [0]).unwrap_err().rule(), Some(indim::Rule::R3));
}

/// Such positions are computed in S64. The elements are a broadcast, which is not stored.
#[test]
#[ignore = "long: in `.ci/run`"]
fn positions_of_more_than_s32_counts_are_found() {
    let gpu = gpu();
    let x: Array<u8> = gpu.array([3, 1], &[1, 2, 4]).unwrap();
    let columns = (1 << 30) + 8;
    let wide = x.broadcast_in_dim([3, columns], [0, 1]);
    let position = wide.argmax_s64([0, 1]).eval().unwrap().to_vec_blocking().unwrap();
    assert_eq!(position, [2 * columns]);
}

/// Positions beyond 2^30 in S32, where a count of bytes or a doubled index would not fit.
#[test]
#[ignore = "long: in `.ci/run`"]
fn positions_of_more_than_2_to_the_30_are_found() {
    let gpu = gpu();
    let x: Array<u8> = gpu.array([3, 1], &[1, 2, 4]).unwrap();
    let columns = (1 << 29) + 8;
    let wide = x.broadcast_in_dim([3, columns], [0, 1]);
    let position = wide.argmax([0, 1]).eval().unwrap().to_vec_blocking().unwrap();
    assert_eq!(position, [2 * columns]);
}

#[test]
fn reductions_over_one_space_share_a_kernel() {
    let mut b = Builder::new();
    let x = b.parameter(ElementType::F32, [64, 300]).unwrap();
    let square = b.square(x).unwrap();
    let sums = [b.reduce_sum(x, [1]).unwrap(), b.reduce_sum(square, [1]).unwrap()];
    let most = b.reduce_max(x, [1]).unwrap();
    let root = b.sqrt(sums[1]).unwrap();
    let both = b.build_all(&[sums[0], root, most]).unwrap();
    let explanation = PlanLimits::default().explain(&both).unwrap();
    assert_eq!(explanation.kernels.len(), 1, "{explanation}");
    assert_eq!(explanation.kernels[0].bytes_read, 64 * 300 * 4);

    let gpu = gpu();
    let elements = numbers(64 * 300);
    let literal = indim::Literal::from_slice([64, 300], &elements).unwrap();
    let results = gpu.run_all(&both, &[&gpu.upload(&literal).unwrap()]).unwrap();
    let x: Array<f32> = gpu.array([64, 300], &elements).unwrap();
    let alone = [x.reduce_sum([1]), x.square().reduce_sum([1]).sqrt(), x.reduce_max([1])]
        .map(|x| values(&x));
    for (result, alone) in results.iter().zip(alone) {
        assert_eq!(result.to_literal_blocking().unwrap().to_vec::<f32>().unwrap(), alone);
    }
}

#[test]
fn a_distance_stores_no_array_of_three_dimensions() {
    let mut b = Builder::new();
    let x = b.parameter(ElementType::F32, [300, 1, 64]).unwrap();
    let y = b.parameter(ElementType::F32, [1, 200, 64]).unwrap();
    let difference = b.sub(x, y, []).unwrap();
    let square = b.square(difference).unwrap();
    let sum = b.reduce_sum(square, [2]).unwrap();
    let root = b.sqrt(sum).unwrap();
    let explanation = PlanLimits::default().explain(&b.build(root).unwrap()).unwrap();
    assert_eq!(explanation.kernels.len(), 1, "{explanation}");
    assert_eq!(explanation.kernels[0].bytes_written, 300 * 200 * 4);
}

/// A round of `w = w - 0.1 * mean(x * w - 1)` stores its `w`, where the next would compute it from the
/// means of all rounds before, for each row; and what is costly is computed once, not once a row.
#[test]
fn what_is_made_of_reductions_is_stored_in_their_place() {
    let mut b = Builder::new();
    let x = b.parameter(ElementType::F32, [1000, 8]).unwrap();
    let mut w = b.parameter(ElementType::F32, [8]).unwrap();
    let step = b.constant(Scalar::new(-0.1f32)).unwrap();
    for _ in 0..3 {
        let product = b.mul(x, w, [1]).unwrap();
        let mean = b.mean(product, [0]).unwrap();
        let change = b.mul(mean, step, []).unwrap();
        w = b.add(w, change, []).unwrap();
    }
    let explanation = PlanLimits::default().explain(&b.build(w).unwrap()).unwrap();
    // Each round reads x into partial sums, and these with the w of the round before.
    assert_eq!(explanation.kernels.len(), 6, "{explanation}");
    let read = |kernel: usize| explanation.kernels[kernel].bytes_read;
    assert_eq!([read(2), read(4)], [(1000 + 1) * 8 * 4; 2], "{explanation}");

    let mut b = Builder::new();
    let x = b.parameter(ElementType::F32, [1000, 8]).unwrap();
    let v = b.parameter(ElementType::F32, [8]).unwrap();
    let power = b.exp(v).unwrap();
    let product = b.mul(x, power, [1]).unwrap();
    let sum = b.reduce_sum(product, [0]).unwrap();
    let explanation = PlanLimits::default().explain(&b.build(sum).unwrap()).unwrap();
    assert_eq!(explanation.kernels[0].bytes_written, 8 * 4, "{explanation}");
}

/// Beside another reduction of its operand, a position of elements of up to 32 bits costs no further
/// reading: its key is reduced in the same kernel. Wider elements are read again.
#[test]
fn positions_and_extremes_read_an_operand_once() {
    let kernels = |of: ElementType, sizes: [usize; 2], position: Opcode| {
        let mut b = Builder::new();
        let x = b.parameter(of, sizes).unwrap();
        let most = b.reduce_max(x, [1]).unwrap();
        let at = match position {
            Opcode::ReduceMax => b.argmax(x, [1]),
            _ => b.argmax_s64(x, [1]),
        };
        let both = b.build_all(&[most, at.unwrap()]).unwrap();
        let explanation = PlanLimits::default().explain(&both).unwrap();
        let reads = explanation.kernels.iter().filter(|kernel| {
            kernel.operands.iter().any(|operand| operand.source == Source::Parameter(0))
        });
        (explanation.kernels.len(), reads.count())
    };
    for sizes in [[64, 300], [4096, 64]] {
        for position in [Opcode::ReduceMax, Opcode::ReduceMin] {
            assert_eq!(kernels(ElementType::F32, sizes, position), (1, 1));
        }
        assert_eq!(kernels(ElementType::S64, sizes, Opcode::ReduceMax).1, 2);
    }
}

/// A mean beside a variance is what the variance is computed from: the operand is read no third time.
#[test]
fn a_mean_and_a_variance_read_an_operand_twice() {
    let reads = |sizes: [usize; 2]| {
        let mut b = Builder::new();
        let x = b.parameter(ElementType::F32, sizes).unwrap();
        let (mean, var) = (b.mean(x, [1]).unwrap(), b.var(x, [1]).unwrap());
        let both = b.build_all(&[mean, var]).unwrap();
        let explanation = PlanLimits::default().explain(&both).unwrap();
        let kernels = explanation.kernels.iter().filter(|kernel| {
            kernel.operands.iter().any(|operand| operand.source == Source::Parameter(0))
        });
        let passes: Vec<usize> = kernels.map(|kernel| kernel.passes).collect();
        (explanation.kernels.len(), passes)
    };
    assert_eq!(reads([64, 300]), (2, vec![1, 1]));
    // With the partial sums of both.
    assert_eq!(reads([3, 5000]), (4, vec![1, 1]));
}
