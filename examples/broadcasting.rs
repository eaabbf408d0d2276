//! Computes every example of XLA's document "Broadcasting semantics" and asserts its result.
//! Quotation marks show the document's words.
//!
//! `scripts/with-adapter cargo run --release --example broadcasting`

#![allow(clippy::unwrap_used, reason = "a refusal is what is asserted")]

use indim::{Context, Result, Rule, add};

fn main() -> Result<()> {
    let gpu = Context::blocking()?;
    println!("on {}", gpu.adapter_info().name);

    // "Consider the addition X+v where X is a matrix and v is a vector."
    let x = gpu.array([2, 3], &[1_f32, 2., 3., 4., 5., 6.])?;
    let v = gpu.array([3], &[7_f32, 8., 9.])?;
    let sum = add(&x, &v, &[1])?;
    assert_eq!(sum.to_vec_blocking()?, [8., 10., 12., 11., 13., 15.]);
    // The lower-rank operand may stand on either side.
    assert_eq!(add(&v, &x, &[1])?.to_vec_blocking()?, sum.to_vec_blocking()?);

    // "Without specifying broadcasting, this operation is invalid."
    let error = add(&x, &v, &[]).unwrap_err();
    assert_eq!(error.rule(), Some(Rule::B1));
    println!("{error}");

    // "Scalars can always be broadcast over arrays."
    let seven = add(&x, 7.0, &[])?;
    assert_eq!(seven.to_vec_blocking()?, [8., 9., 10., 11., 12., 13.]);

    // A 3-element vector can match either dimension of a 3x3 matrix.
    let zeros = gpu.array([3, 3], &[0.0f32; 9])?;
    let rows = add(&zeros, &v, &[1])?;
    assert_eq!(rows.to_vec_blocking()?, [7., 8., 9., 7., 8., 9., 7., 8., 9.]);
    let columns = add(&zeros, &v, &[0])?;
    assert_eq!(columns.to_vec_blocking()?, [7., 7., 7., 8., 8., 8., 9., 9., 9.]);

    // "When adding a 2x3 matrix to a 3-element vector, a broadcasting dimension of 0 is invalid."
    let error = add(&x, &v, &[0]).unwrap_err();
    assert_eq!(error.rule(), Some(Rule::B5));
    println!("{error}");

    // Broadcast dimensions (1,2) match a 3x4 matrix to dimensions 1 and 2 of a 2x3x4 cuboid.
    let cuboid = gpu.array([2, 3, 4], &[0i32; 24])?;
    let data: Vec<i32> = (0..12).collect();
    let matrix = gpu.array([3, 4], &data)?;
    assert_eq!(add(&cuboid, &matrix, &[1, 2])?.to_vec_blocking()?, [&data[..], &data[..]].concat());

    // "An array with dimensions MxNxPxQ, a vector with dimension T": T can match each of the four.
    // A matrix with dimensions TxV can match each two of them that are in order.
    let (m, n, p, q) = (2, 3, 4, 5);
    let sizes = [m, n, p, q];
    let large = gpu.array(sizes, &vec![1.0f32; m * n * p * q])?;
    for (dimension, &size) in sizes.iter().enumerate() {
        let t = gpu.array([size], &vec![1.0f32; size])?;
        let sum = add(&large, &t, &[dimension as i64])?;
        assert_eq!(sum.to_vec_blocking()?, vec![2.0; m * n * p * q]);
    }
    for (t, v) in [(2, 3), (1, 2), (0, 3)] {
        let small = gpu.array([sizes[t], sizes[v]], &vec![1.0f32; sizes[t] * sizes[v]])?;
        let sum = add(&large, &small, &[t as i64, v as i64])?;
        assert_eq!(sum.shape().dims(), sizes);
    }
    // "It is illegal to match V to N and T to P; it is also illegal to match V to both P and N."
    let square = gpu.array([2, 3, 3, 5], &[0.0f32; 90])?;
    let small = gpu.array([3, 3], &[0.0f32; 9])?;
    for dims in [[2, 1], [1, 1]] {
        assert_eq!(add(&square, &small, &dims).unwrap_err().rule(), Some(Rule::B6));
    }

    // Dimensions of size 1 are degenerate and stretch: the document's list.
    let ones = |shape: &[usize]| gpu.array(shape, &vec![1.0f32; shape.iter().product()]);
    assert_eq!(add(&ones(&[2, 1])?, &ones(&[2, 3])?, &[])?.shape().dims(), [2, 3]);
    assert_eq!(add(&ones(&[1, 2, 5])?, &ones(&[7, 2, 5])?, &[])?.shape().dims(), [7, 2, 5]);
    assert_eq!(add(&ones(&[7, 2, 5])?, &ones(&[7, 1, 5])?, &[])?.shape().dims(), [7, 2, 5]);
    let error = add(&ones(&[7, 2, 5])?, &ones(&[7, 2, 6])?, &[]).unwrap_err();
    assert_eq!(error.rule(), Some(Rule::B8));
    println!("{error}");
    // "The result is an outer operation: (2,1) and (1,3) broadcast to (2,3)."
    let column = gpu.array([2, 1], &[10_f32, 20.])?;
    let row = gpu.array([1, 3], &[1_f32, 2., 3.])?;
    let outer = add(&column, &row, &[])?;
    assert_eq!(outer.to_vec_blocking()?, [11., 12., 13., 21., 22., 23.]);

    // Both rules compose: |1 2 3 4| + [5 6] with broadcast dimensions (0).
    let vector = gpu.array([4], &[1_f32, 2., 3., 4.])?;
    let pair = gpu.array([1, 2], &[5_f32, 6.])?;
    let composed = add(&vector, &pair, &[0])?;
    assert_eq!(composed.shape().dims(), [4, 2]);
    assert_eq!(composed.to_vec_blocking()?, [6., 7., 7., 8., 8., 9., 9., 10.]);
    // 1x2 added to 4x3x1 using (1,2) gives 4x3x2.
    let composed = add(&ones(&[1, 2])?, &ones(&[4, 3, 1])?, &[1, 2])?;
    assert_eq!(composed.shape().dims(), [4, 3, 2]);

    println!("every example of the document holds");
    Ok(())
}
