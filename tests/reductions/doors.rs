//! Reductions where else results go, and in stored computations.

use indim::{Array, Builder, ElementType, Error, Expr, Opcode, Rule};
use indim_testing::contexts::gpu;

use crate::values::numbers;

fn values(x: &Expr<f32>) -> Vec<f32> {
    x.eval().unwrap().to_vec_blocking().unwrap()
}

#[test]
fn results_go_into_arrays_that_they_are_computed_from() {
    let gpu = gpu();
    for (rows, columns) in [(40, 64), (70, 31), (3, 2000), (2000, 3)] {
        let elements = numbers(rows * columns);
        let mut x: Array<f32> = gpu.array([rows, columns], &elements).unwrap();
        let mut v: Array<f32> = gpu.array([columns], &elements[..columns]).unwrap();
        let centered = |x: &Array<f32>| x - x.mean([0]).in_dim([1]);
        let sums = |x: &Array<f32>, v: &Array<f32>| (x - v.in_dim([1])).reduce_sum([0]);
        let (of_x, of_v) = (values(&centered(&x)), values(&sums(&x, &v)));
        sums(&x, &v).eval_into(&mut v).unwrap();
        assert_eq!(v.to_vec_blocking().unwrap(), of_v, "{rows} {columns}");
        centered(&x).eval_into(&mut x).unwrap();
        assert_eq!(x.to_vec_blocking().unwrap(), of_x, "{rows} {columns}");
        // A part of the array that is reduced: each element is read before any is written.
        let of_row = values(&x.reduce_sum([0]));
        let sum = x.reduce_sum([0]);
        let mut first = x.slice_mut([0, 0], [1, columns]).unwrap();
        sum.reshape([1, columns]).eval_into(&mut first).unwrap();
        assert_eq!(x.to_vec_blocking().unwrap()[..columns], of_row, "{rows} {columns}");
    }
}

#[test]
fn empty_arrays_and_scalars_are_reduced() {
    let gpu = gpu();
    let empty: Array<f32> = gpu.array([3, 0], &[]).unwrap();
    assert_eq!(values(&empty.reduce_sum([1])), [0.0; 3]);
    assert_eq!(values(&empty.reduce_max([1])), [f32::NEG_INFINITY; 3]);
    assert_eq!(values(&empty.reduce_prod([0, 1])), [1.0]);
    assert_eq!(values(&empty.reduce_sum([0])), [0.0; 0]);
    let scalar: Array<f32> = gpu.array([], &[-0.0]).unwrap();
    assert_eq!(values(&scalar.reduce_sum([]))[0].to_bits(), (-0.0_f32).to_bits());
    let zeros: Array<f32> = gpu.array([2], &[-0.0; 2]).unwrap();
    assert_eq!(values(&zeros.reduce_sum([0]))[0].to_bits(), 0);
    let one: Array<i32> = gpu.array([1, 1], &[7]).unwrap();
    assert_eq!(one.reduce_xor([0, 1]).eval().unwrap().to_vec_blocking().unwrap(), [7]);
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

#[test]
fn sums_that_overflow_are_infinite() {
    let gpu = gpu();
    let x: Array<f32> = gpu.array([3], &[f32::MAX, f32::MAX, 1.0]).unwrap();
    assert_eq!(values(&x.reduce_sum([0])), [f32::INFINITY]);
    let x: Array<f32> = gpu.array([2], &[f32::INFINITY, f32::NEG_INFINITY]).unwrap();
    assert!(values(&x.reduce_sum([0]))[0].is_nan());
    let x: Array<f32> = gpu.array([40], &[f32::INFINITY; 40]).unwrap();
    assert_eq!(values(&x.reduce_sum([0])), [f32::INFINITY]);
}

#[test]
fn reductions_come_back_from_storage_and_for_other_shapes() {
    let mut b = Builder::new();
    let x = b.parameter(ElementType::F32, [4, 6]).unwrap();
    let sum = b.reduce_sum(x, [1]).unwrap();
    let root = b.sqrt(sum).unwrap();
    let computation = b.build(root).unwrap();
    let text = serde_json::to_string(&computation).unwrap();
    assert!(text.contains(r#"{"reduce":{"opcode":"reduce_sum","dimensions":[1]}}"#), "{text}");
    let back: indim::Computation = serde_json::from_str(&text).unwrap();
    assert_eq!(back.shape().dims(), [4]);
    for wrong in ["\"opcode\":\"add\"", "\"opcode\":\"exp\""] {
        let text = text.replace("\"opcode\":\"reduce_sum\"", wrong);
        assert!(serde_json::from_str::<indim::Computation>(&text).is_err(), "{wrong}");
    }
    let larger = computation.for_shapes([[7, 9]]).unwrap();
    assert_eq!(larger.shape().dims(), [7]);
}

#[test]
fn wrong_dimensions_are_named() {
    let x = Expr::<f32>::iota([2, 3], 0);
    let rule = |x: Expr<f32>| x.shape().unwrap_err().rule();
    assert_eq!(rule(x.reduce_sum([2])), Some(Rule::R1));
    assert_eq!(rule(x.reduce_sum([-1])), Some(Rule::R1));
    assert_eq!(rule(x.softmax([0, 0])), Some(Rule::R2));
    let error: Error = x.mean([5]).shape().unwrap_err();
    assert!(error.to_string().contains("mean: dimensions[0] is 5"), "{error}");
    let mut b = Builder::new();
    let z = b.parameter(ElementType::C64, [2]).unwrap();
    assert_eq!(b.reduce(Opcode::ReduceMax, z, [0]).unwrap_err().rule(), Some(Rule::T1));
    assert!(b.reduce(Opcode::Add, z, [0]).is_err());
}
