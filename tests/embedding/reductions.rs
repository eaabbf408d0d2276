//! Tests reductions in caller-owned encoders: split into several kernels, whose partial results are
//! temporaries, and rows that one kernel passes over several times.

use indim::{Array, Computation, Context, ElementType, Encoded, Expr};
use indim_testing::contexts::{dispatches, gpu, values};
use indim_testing::oracle::order;

use crate::encoded::{counting, encoder, first, submit, uploaded};
use crate::frames::nothing_new;

/// The elements of a sum that takes three kernels where one kernel takes 1,024 elements.
const LONG: usize = 40_000;

/// Returns the computation of the sum of all elements.
fn sum(count: usize) -> Computation {
    let mut builder = indim::Builder::new();
    let x = builder.parameter(ElementType::F32, [count]).unwrap();
    let sum = builder.reduce_sum(x, [0]).unwrap();
    builder.build(sum).unwrap()
}

/// Elements whose sums are rounded.
fn tenths(count: usize, add: f32) -> Vec<f32> {
    counting(count, add).into_iter().map(|x| x / 10.0).collect()
}

fn rows(gpu: &Context) -> Array<f32> {
    gpu.array([64, 100], &tenths(6400, 0.0)).unwrap()
}

#[test]
fn split_sums_are_encoded_with_their_partial_results() {
    let gpu = gpu();
    let computation = sum(LONG);
    let kernels = gpu.plan_limits().explain(&computation).unwrap().kernels.len();
    assert!(kernels > 1, "{kernels}");
    let arrays: Vec<(Array<f32>, f32)> = (0..3)
        .map(|number| {
            let elements = tenths(LONG, number as f32);
            (uploaded(&gpu, &elements), order::sum(&elements))
        })
        .collect();
    // Two in one encoder and one in another, submitted first: partial results are not shared.
    let [mut encoder_a, mut encoder_b] = [(); 2].map(|()| encoder(&gpu));
    let encode = |at: usize, encoder: &mut indim::wgpu::CommandEncoder| {
        computation.on(&gpu, &[arrays[at].0.as_any()]).unwrap().encode(encoder).unwrap()
    };
    let mut encoded = Vec::new();
    let count = dispatches(&gpu, || {
        encoded.push(encode(0, &mut encoder_a));
        encoded.push(encode(1, &mut encoder_b));
        encoded.push(encode(2, &mut encoder_a));
    });
    assert_eq!(count, 3 * kernels as u64);
    submit(&gpu, encoder_b);
    submit(&gpu, encoder_a);
    encoded.iter().for_each(Encoded::submitted);
    for (encoded, (_, expected)) in encoded.iter().zip(&arrays) {
        assert_eq!(values(&first(encoded)), [*expected]);
    }
}

#[test]
fn rows_are_passed_over_in_encoders_and_in_place() {
    let gpu = gpu();
    let mut x = rows(&gpu);
    let expected = [x.softmax([1]), x.layer_norm([1], 1e-5)].map(|x| values(&x.eval().unwrap()));
    let twice = values(&x.softmax([1]).eval().unwrap().softmax([1]).eval().unwrap());
    let mut into = gpu.zeros::<f32>([64, 100]).unwrap();
    let mut encoder = encoder(&gpu);
    let mut all = Vec::new();
    let count = dispatches(&gpu, || {
        all.push(x.layer_norm([1], 1e-5).encode_into(&mut encoder, &mut into).unwrap());
    });
    assert_eq!(count, 1);
    // Into its own operand, twice, and into a part of an array.
    all.push(x.softmax([1]).encode_into(&mut encoder, &mut x).unwrap());
    let mut wide = gpu.full([66, 103], 7_f32).unwrap();
    let part = wide.slice_mut([1, 2], [65, 102]).unwrap();
    all.push((&x * 1.0).encode_into(&mut encoder, part).unwrap());
    all.push(x.softmax([1]).encode_into(&mut encoder, &mut x).unwrap());
    submit(&gpu, encoder);
    all.iter().for_each(Encoded::submitted);
    assert_eq!(values(&into), expected[1]);
    assert_eq!(values(&x), twice);
    let wide = values(&wide);
    for (row, of_row) in expected[0].chunks(100).enumerate() {
        let start = (row + 1) * 103;
        assert_eq!(wide[start + 2..start + 102], *of_row, "row {row}");
        assert_eq!([wide[start + 1], wide[start + 102]], [7.0; 2], "row {row}");
    }
}

/// After the second frame, nothing is allocated, bound, compiled, submitted or copied, also for a
/// split sum, whose partial results come from the pool, and for what is written over its own operand.
#[test]
fn frames_with_reductions_allocate_nothing() {
    let gpu = gpu();
    let mut x = uploaded(&gpu, &tenths(LONG, 1.0));
    let mut rows = rows(&gpu);
    x.buffer().unwrap();
    rows.buffer().unwrap();
    let (mut host_x, mut host_rows) = (values(&x), values(&rows));
    let mut previous: Option<[Encoded; 2]> = None;
    let mut after_second = None;
    for number in 0..20 {
        for encoded in previous.take().iter().flatten() {
            encoded.submitted();
        }
        let mut encoder = encoder(&gpu);
        let share: Expr<f32> = &x / x.reduce_sum([0]);
        let softmax = (&rows * 3.0).softmax([1]);
        let of_x = share.encode_into(&mut encoder, &mut x).unwrap();
        let of_rows = softmax.encode_into(&mut encoder, &mut rows).unwrap();
        previous = Some([of_x, of_rows]);
        submit(&gpu, encoder);
        if number == 1 {
            after_second = Some(gpu.stats());
        }
    }
    let (before, after) = (after_second.unwrap(), gpu.stats());
    nothing_new(&before, &after);
    previous.iter().flatten().for_each(Encoded::submitted);
    for _ in 0..20 {
        let sum = order::sum(&host_x);
        host_x.iter_mut().for_each(|x| *x /= sum);
        let next = (gpu.array([64, 100], &host_rows).unwrap() * 3.0).softmax([1]);
        host_rows = values(&next.eval().unwrap());
    }
    assert_eq!(values(&x), host_x);
    assert_eq!(values(&rows), host_rows);
}
