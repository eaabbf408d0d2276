//! Tests computations that are made again for parameters of other shapes.

use indim::ElementType::{F32, Pred, S32};
use indim::{AnyArray, Builder, Computation, Literal, Opcode, Result, Rule, Scalar, Shape};
use indim_testing::contexts::{gpu, iota};

fn shapes<const N: usize>(shapes: [&[usize]; N]) -> Vec<Shape> {
    shapes.map(Shape::new).into()
}

fn dims(computation: &Computation) -> Vec<usize> {
    computation.shape().dims().to_vec()
}

/// `select(x > 0, max(x, 0) * scale[:, None] + tanh(bias), bias)` with `x` of [batch, width].
fn layer(batch: usize, width: usize) -> Result<Computation> {
    let mut b = Builder::new();
    let x = b.parameter(F32, [batch, width])?;
    let scale = b.parameter(F32, [batch])?;
    let bias = b.parameter(F32, [1, width])?;
    let zero = b.constant(Scalar::new(0.0_f32))?;
    let is_positive = b.binary(Opcode::Gt, x, zero, &[])?;
    let relu = b.max(x, zero, &[])?;
    let scaled = b.mul(relu, scale, &[0])?;
    let squashed = b.tanh(bias)?;
    let sum = b.add(squashed, scaled, &[])?;
    let back = b.reverse(sum, &[1])?;
    let rolled = b.roll(back, &[1], &[0])?;
    let padded = b.pad(rolled, zero, &[1, 0], &[0, 2], &[0, 0])?;
    let joined = b.concatenate(&[padded, padded], 0)?;
    let swapped = b.transpose(joined, &[1, 0])?;
    let both = b.select(is_positive, sum, x)?;
    b.build_all(&[swapped, both]).map(|computation| computation.named("layer"))
}

#[test]
fn a_computation_for_other_sizes_is_the_one_built_for_them() -> Result<()> {
    let gpu = gpu();
    let array = |sizes: &[usize]| -> Result<AnyArray> {
        let elements = iota(sizes.iter().product());
        let signed: Vec<f32> = elements.iter().map(|x| x * 0.25 - 3.0).collect();
        gpu.upload(&Literal::from_slice(sizes, &signed)?)
    };
    let stored = layer(6, 4)?;
    for (batch, width) in [(6, 4), (12, 4), (12, 5), (3, 9), (1, 4), (6, 1), (1, 1)] {
        let made = stored.for_shapes(shapes([&[batch, width], &[batch], &[1, width]]))?;
        let built = layer(batch, width)?;
        assert_eq!(made.parameters(), built.parameters());
        assert!(made.results().eq(built.results()), "{batch}, {width}");
        let arguments = [array(&[batch, width])?, array(&[batch])?, array(&[1, width])?];
        let arguments: Vec<&AnyArray> = arguments.iter().collect();
        let values = |computation: &Computation| -> Result<Vec<Literal>> {
            let results = gpu.run_all(computation, &arguments)?;
            results.iter().map(AnyArray::to_literal_blocking).collect()
        };
        assert_eq!(values(&made)?, values(&built)?, "{batch}, {width}");
    }
    Ok(())
}

#[test]
fn operands_are_broadcast_to_the_sizes_of_the_others() -> Result<()> {
    // Both operands stretch, and no parameter has both sizes.
    let mut b = Builder::new();
    let column = b.parameter(S32, [2, 1])?;
    let row = b.parameter(S32, [1, 3])?;
    let outer = b.sub(column, row, &[])?;
    let computation = b.build(outer)?;
    assert_eq!(dims(&computation.for_shapes([[5, 1], [1, 7]])?), [5, 7]);
    // What did not stretch may, and the other way round.
    assert_eq!(dims(&computation.for_shapes([[5, 1], [1, 1]])?), [5, 1]);
    assert_eq!(dims(&computation.for_shapes([[0, 1], [1, 7]])?), [0, 7]);
    // But the size of an operand that stretched is not that of the result.
    let refused = computation.for_shapes([[5, 4], [1, 7]]).unwrap_err();
    assert!(refused.rule().is_some(), "{refused}");
    Ok(())
}

#[test]
fn sizes_in_attributes_stay() -> Result<()> {
    let mut b = Builder::new();
    let x = b.parameter(F32, [4, 3])?;
    let part = b.slice(x, &[1, 0], &[4, 2], &[1, 1])?;
    let computation = b.build(part)?;
    assert_eq!(dims(&computation.for_shapes([[9, 8]])?), [3, 2]);
    let message = |refused: Result<Computation>| refused.unwrap_err().to_string();
    let refused = computation.for_shapes([[2, 3]]).unwrap_err();
    assert_eq!(refused.rule(), Some(Rule::V3), "{refused}");

    let mut b = Builder::new();
    let x = b.parameter(F32, [4, 3])?;
    let flat = b.reshape(x, &[12])?;
    let root = b.exp(flat)?;
    let computation = b.build(root)?;
    assert_eq!(dims(&computation.for_shapes([[2, 6]])?), [12]);
    assert!(message(computation.for_shapes([[5, 3]])).starts_with("reshape: "));

    let mut b = Builder::new();
    let x = b.parameter(F32, [4])?;
    let counted = b.iota(F32, &[4], 0)?;
    let root = b.add(x, counted, &[])?;
    let computation = b.build(root)?;
    assert!(message(computation.for_shapes([[5]])).starts_with("add: "));

    // A result that is broadcast keeps the size that no operand has.
    let mut b = Builder::new();
    let x = b.parameter(F32, [4])?;
    let rows = b.broadcast_in_dim(x, &[2, 4], &[1])?;
    let root = b.neg(rows)?;
    let computation = b.build(root)?;
    assert_eq!(dims(&computation.for_shapes([[4]])?), [2, 4]);
    assert!(message(computation.for_shapes([[5]])).starts_with("broadcast_in_dim: "));
    Ok(())
}

#[test]
fn shapes_that_do_not_fit_are_refused() -> Result<()> {
    let mut b = Builder::new();
    let x = b.parameter(F32, [64, 3])?;
    let mask = b.parameter(Pred, [64, 3])?;
    let negative = b.neg(x)?;
    let root = b.select(mask, x, negative)?;
    let computation = b.build(root)?;
    let message = |shapes| computation.for_shapes::<Shape>(shapes).unwrap_err().to_string();
    assert_eq!(
        message(shapes([&[128, 3]])),
        "the computation has 2 parameters, but 1 shape was given"
    );
    assert_eq!(
        message(shapes([&[128, 3], &[128]])),
        "parameter 1 is [64, 3], and cannot become [128], of rank 1: the ranks of parameters stay"
    );
    let sizes = message(shapes([&[128, 3], &[64, 3]]));
    assert!(sizes.starts_with("select: "), "{sizes}");
    let large: &[usize] = &[1 << 40, 1 << 40];
    assert!(message(shapes([large, large])).starts_with("parameter: "));
    Ok(())
}
