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
