//! Tests expressions whose element types are known at run time: they compute and refuse what the
//! builder does, keep their arrays, and need no GPU before they are evaluated.

use indim::{
    AnyArray, AnyExpr, ArrayError, Builder, ElementType, Error, Literal, Op, Opcode, Result, Rule,
    Scalar, numpy,
};
use indim_testing::contexts::{blocking, dispatches, gpu};

fn literal(shape: &[usize], data: &[f32]) -> AnyExpr {
    AnyExpr::literal(Literal::from_slice(shape, data).unwrap())
}

fn values(array: &AnyArray) -> Vec<f32> {
    array.to_literal_blocking().unwrap().to_vec().unwrap()
}

/// An operation of the builder, and the same on expressions.
type Pair = (fn(&mut Builder, Op, Op) -> Result<Op>, fn(&AnyExpr, &AnyExpr) -> Result<AnyExpr>);

/// Each takes x of shape [2, 3] and v of shape [3].
const PAIRS: &[Pair] = &[
    (|b, x, v| b.add(x, v, &[1]), |x, v| AnyExpr::binary(Opcode::Add, x, v, &[1])),
    (|b, x, v| b.add(x, v, &[]), |x, v| AnyExpr::binary(Opcode::Add, x, v, &[])),
    (|b, x, _| b.unary(Opcode::Exp, x), |x, _| AnyExpr::unary(Opcode::Exp, x)),
    (|b, x, _| b.unary(Opcode::Not, x), |x, _| AnyExpr::unary(Opcode::Not, x)),
    (
        |b, x, _| b.convert_element_type(x, ElementType::S32),
        |x, _| x.convert_element_type(ElementType::S32),
    ),
    (
        |b, x, _| b.bitcast_convert_type(x, ElementType::U8),
        |x, _| x.bitcast_convert_type(ElementType::U8),
    ),
    (
        |b, x, _| b.bitcast_convert_type(x, ElementType::C64),
        |x, _| x.bitcast_convert_type(ElementType::C64),
    ),
    (|b, x, v| b.clamp(v, x, v), |x, v| x.clamp(v, v)),
    (|b, x, _| b.clamp(x, x, x), |x, _| x.clamp(x, x)),
    (|b, x, v| b.select(x, x, v), |x, v| x.select(x, v)),
    (|b, x, _| b.next_after(x, x), |x, _| x.next_after(x)),
    (|b, x, v| b.next_after(x, v), |x, v| x.next_after(v)),
    (|b, x, _| b.reduce_precision(x, 5, 3), |x, _| x.reduce_precision(5, 3)),
    (|b, x, _| b.reduce_precision(x, 0, 3), |x, _| x.reduce_precision(0, 3)),
    (|b, x, _| b.broadcast(x, &[2]), |x, _| x.broadcast(&[2])),
    (|b, x, _| b.broadcast(x, &[-2]), |x, _| x.broadcast(&[-2])),
    (|b, _, v| b.broadcast_in_dim(v, &[3, 2], &[0]), |_, v| v.broadcast_in_dim(&[3, 2], &[0])),
    (|b, _, v| b.broadcast_in_dim(v, &[3, 2], &[1]), |_, v| v.broadcast_in_dim(&[3, 2], &[1])),
    (|b, x, _| b.transpose(x, &[1, 0]), |x, _| x.transpose(&[1, 0])),
    (|b, x, _| b.transpose(x, &[1, 1]), |x, _| x.transpose(&[1, 1])),
    (|b, x, _| b.slice(x, &[0, 1], &[2, 3], &[1, 1]), |x, _| x.slice(&[0, 1], &[2, 3])),
    (|b, x, _| b.slice(x, &[0, 1], &[2, 4], &[1, 1]), |x, _| x.slice(&[0, 1], &[2, 4])),
    (|b, x, _| b.reverse(x, &[1]), |x, _| x.reverse(&[1])),
    (|b, x, _| b.reverse(x, &[2]), |x, _| x.reverse(&[2])),
    (|b, x, _| b.reshape(x, &[6]), |x, _| x.reshape(&[6])),
    (|b, x, _| b.reshape(x, &[5]), |x, _| x.reshape(&[5])),
    (|b, x, _| b.roll(x, &[1], &[1]), |x, _| x.roll(&[1], &[1])),
    (|b, x, _| b.roll(x, &[1], &[2]), |x, _| x.roll(&[1], &[2])),
    (|b, x, _| b.concatenate(&[x, x], 0), |x, _| AnyExpr::concatenate(&[x.clone(), x.clone()], 0)),
    (|b, x, v| b.concatenate(&[x, v], 0), |x, v| AnyExpr::concatenate(&[x.clone(), v.clone()], 0)),
    (|b, _, _| b.concatenate(&[], 0), |_, _| AnyExpr::concatenate(&[], 0)),
    (
        |b, x, _| {
            let zero = b.constant(Scalar::new(0.5_f32))?;
            b.pad(x, zero, &[1, 0], &[0, -1], &[0, 2])
        },
        |x, _| {
            let zero = AnyExpr::constant(Scalar::new(0.5_f32));
            x.pad(&zero, &[1, 0], &[0, -1], &[0, 2])
        },
    ),
    (
        |b, _, _| b.iota(ElementType::F32, &[2, 3], 1),
        |_, _| AnyExpr::iota(ElementType::F32, &[2, 3], 1),
    ),
    (
        |b, _, _| b.iota(ElementType::F32, &[2, 3], 2),
        |_, _| AnyExpr::iota(ElementType::F32, &[2, 3], 2),
    ),
];

#[test]
fn every_method_does_as_the_builders() {
    let gpu = gpu();
    let x = Literal::from_slice([2, 3], &[1.5_f32, -2., 3., 0.25, 5., -6.]).unwrap();
    let v = Literal::from_slice([3], &[0.5_f32, 1., 2.]).unwrap();
    let arrays = [&x, &v].map(|literal| gpu.upload(literal).unwrap());
    let exprs = [x, v].map(AnyExpr::literal);
    let mut refused = 0;
    for (number, (of_builder, of_expr)) in PAIRS.iter().enumerate() {
        let mut b = Builder::new();
        let x = b.parameter(ElementType::F32, [2, 3]).unwrap();
        let v = b.parameter(ElementType::F32, [3]).unwrap();
        let expr = of_expr(&exprs[0], &exprs[1]);
        match of_builder(&mut b, x, v) {
            Ok(root) => {
                let expr = expr.unwrap_or_else(|error| panic!("{number}: {error}"));
                let computation = b.build(root).unwrap();
                assert_eq!(expr.element_type(), computation.element_type(), "{number}");
                assert_eq!(expr.shape(), computation.shape(), "{number}");
                let expected = gpu.run(&computation, &[&arrays[0], &arrays[1]]).unwrap();
                let expected = expected.to_literal_blocking().unwrap();
                let found = gpu.eval(&expr).unwrap().to_literal_blocking().unwrap();
                assert_eq!(found.bytes(), expected.bytes(), "{number}");
            }
            Err(error) => {
                refused += 1;
                assert_eq!(expr.unwrap_err().to_string(), error.to_string(), "{number}");
            }
        }
    }
    assert!(refused > 10, "{refused}");
}

#[test]
fn a_literal_is_uploaded_by_the_first_evaluation() {
    for once in [false, true] {
        uploads_once(once);
    }
}

/// Elements used once leave host memory when they are uploaded.
fn uploads_once(once: bool) {
    let elements = Literal::from_slice([3], &[1_f32, 2., 3.]).unwrap();
    let x = if once { AnyExpr::literal_once(elements) } else { AnyExpr::literal(elements) };
    let twice = AnyExpr::binary(Opcode::Add, &x, &x, &[]).unwrap();
    assert!(x.array().is_none());
    assert_eq!(x.as_literal().unwrap().to_vec::<f32>().unwrap(), [1., 2., 3.]);
    // It does not say where to compute.
    assert!(matches!(indim::eval(&twice), Err(Error::Array(ArrayError::NoContext))));
    let gpu = gpu();
    let before = gpu.stats().uploaded_bytes;
    assert_eq!(values(&gpu.eval(&twice).unwrap()), [2., 4., 6.]);
    let third = AnyExpr::unary(Opcode::Neg, &x).unwrap();
    assert_eq!(values(&gpu.eval(&third).unwrap()), [-1., -2., -3.]);
    assert_eq!(values(&gpu.eval(&x).unwrap()), [1., 2., 3.]);
    assert_eq!(gpu.stats().uploaded_bytes - before, 12, "once");
    assert_eq!(x.as_literal().is_none(), once, "in host memory");
    assert_eq!(values(x.array().unwrap()), [1., 2., 3.]);
    // Arrays of one context do not belong to the other.
    let other = blocking().unwrap();
    let refused = other.eval(&AnyExpr::unary(Opcode::Exp, &x).unwrap());
    assert!(matches!(refused, Err(Error::Array(ArrayError::TwoContexts))));
}

#[test]
fn values_outlive_a_device_as_copies() {
    let lost = blocking().unwrap();
    let x = AnyExpr::iota(ElementType::F32, [3], 0).unwrap();
    let square = AnyExpr::binary(Opcode::Mul, &x, &x, &[]).unwrap();
    let there = AnyExpr::from(&lost.eval(&square).unwrap());
    lost.notify_lost("unplugged");

    let gpu = blocking().unwrap();
    assert!(matches!(gpu.eval(&square), Err(Error::Array(ArrayError::TwoContexts))));
    let copies = AnyExpr::unevaluated(&[square.clone(), x.clone(), square]);
    assert!(copies.iter().all(|copy| copy.array().is_none()));
    assert_eq!(gpu.explain(copies.as_slice()).unwrap().kernels.len(), 1);
    let arrays = gpu.eval(copies.as_slice()).unwrap();
    let expected = [[0., 1., 4.], [0., 1., 2.], [0., 1., 4.]];
    assert_eq!(arrays.iter().map(values).collect::<Vec<_>>(), expected);
    // An array stays where it is.
    let copies = AnyExpr::unevaluated(&[there]);
    assert!(copies[0].array().is_some());
    assert!(matches!(gpu.eval(&copies[0]), Err(Error::Array(ArrayError::TwoContexts))));
}

#[test]
fn copies_share_what_their_values_share() {
    let x = literal(&[3], &[1., 2., 3.]);
    let twice = AnyExpr::binary(Opcode::Add, &x, &x, &[]).unwrap();
    let gpu = gpu();
    let before = gpu.stats().uploaded_bytes;
    let arrays = gpu.eval(AnyExpr::unevaluated(&[x, twice]).as_slice()).unwrap();
    assert_eq!(arrays.iter().map(values).collect::<Vec<_>>(), [[1., 2., 3.], [2., 4., 6.]]);
    assert_eq!(gpu.stats().uploaded_bytes - before, 12);
}

#[test]
fn a_long_chain_is_copied_without_recursion() {
    let mut x = literal(&[1], &[1.]);
    for _ in 0..200_000 {
        x = AnyExpr::unary(Opcode::Neg, &x).unwrap();
    }
    assert_eq!(AnyExpr::unevaluated(&[x])[0].shape().dims(), [1]);
}

#[test]
fn a_value_that_was_evaluated_is_not_computed_again() {
    let gpu = gpu();
    let x = literal(&[4], &[1., 2., 3., 4.]);
    let square = AnyExpr::binary(Opcode::Mul, &x, &x, &[]).unwrap();
    let before = AnyExpr::unary(Opcode::Neg, &square).unwrap();
    assert_eq!(dispatches(&gpu, || drop(gpu.eval(&square).unwrap())), 1);
    assert_eq!(dispatches(&gpu, || drop(gpu.eval(&square).unwrap())), 0);
    assert_eq!(values(square.array().unwrap()), [1., 4., 9., 16.]);
    // Expressions built on it earlier also read the array.
    let kernels = gpu.explain(&before).unwrap().kernels;
    assert_eq!((kernels.len(), kernels[0].ops), (1, 1));
    assert_eq!(values(&gpu.eval(&before).unwrap()), [-1., -4., -9., -16.]);
    let after = AnyExpr::binary(Opcode::Add, &square, &before, &[]).unwrap();
    let kernels = gpu.explain(&after).unwrap().kernels;
    assert_eq!((kernels.len(), kernels[0].ops), (1, 1));
    assert_eq!(values(&indim::eval(&after).unwrap()), [0.; 4]);
}

#[test]
fn several_values_are_evaluated_together() {
    let gpu = gpu();
    let x = literal(&[4], &[1., 2., 3., 4.]);
    let shared = AnyExpr::unary(Opcode::Sqrt, &x).unwrap();
    let sums = ["add", "sub"]
        .map(|name| AnyExpr::binary(Opcode::from_method(name).unwrap(), &shared, &x, &[]).unwrap());
    assert_eq!(gpu.explain(&sums).unwrap().kernels.len(), 1);
    let mut arrays = Vec::new();
    assert_eq!(dispatches(&gpu, || arrays = gpu.eval(&sums).unwrap()), 1);
    assert_eq!(values(&arrays[0])[3], 6.);
    assert_eq!(values(&arrays[1])[3], -2.);
    // One that is an array already beside one that is not.
    let both = [sums[0].clone(), AnyExpr::unary(Opcode::Neg, &sums[0]).unwrap()];
    let arrays = gpu.eval(&both[..]).unwrap();
    assert_eq!((values(&arrays[0])[3], values(&arrays[1])[3]), (6., -6.));
    assert!(gpu.eval(&Vec::<AnyExpr>::new()).unwrap().is_empty());
}

#[test]
fn numpys_rule_aligns_the_last_dimensions() {
    let gpu = gpu();
    let x = literal(&[2, 1], &[1., 2.]);
    let v = literal(&[3], &[10., 20., 30.]);
    let sum = numpy::apply(Opcode::Add, &[&x, &v]).unwrap();
    assert_eq!(values(&gpu.eval(&sum).unwrap()), [11., 21., 31., 12., 22., 32.]);
    let pred = numpy::apply(Opcode::Gt, &[&v, &literal(&[], &[15.])]).unwrap();
    let picked = numpy::apply(Opcode::Select, &[&pred, &x, &v]).unwrap();
    assert_eq!(values(&gpu.eval(&picked).unwrap()), [10., 1., 1., 10., 2., 2.]);
    let clamped = numpy::apply(Opcode::Clamp, &[&x, &v, &literal(&[1], &[20.])]).unwrap();
    assert_eq!(values(&gpu.eval(&clamped).unwrap()), [10., 20., 20., 10., 20., 20.]);
    let next = numpy::apply(Opcode::NextAfter, &[&x, &v]).unwrap();
    assert_eq!(values(&gpu.eval(&next).unwrap())[0], 1_f32.next_up());
    let wide = v.broadcast_to([2, 3]).unwrap();
    assert_eq!(values(&gpu.eval(&wide).unwrap()), [10., 20., 30., 10., 20., 30.]);

    let refused = numpy::apply(Opcode::Add, &[&v, &literal(&[2], &[0., 0.])]).unwrap_err();
    assert_eq!(refused.rule(), Some(Rule::P1));
    assert_eq!(
        numpy::apply(Opcode::Select, &[&pred, &v, &literal(&[2], &[0.; 2])]).unwrap_err().rule(),
        Some(Rule::P1)
    );
    let refused = v.broadcast_to([4]).unwrap_err().to_string();
    assert!(refused.starts_with("broadcast_to: "), "{refused}");
    for (opcode, operands, message) in [
        (Opcode::Exp, &[&v, &v][..], "exp takes 1 operand, but 2 were given"),
        (Opcode::Add, &[&v], "add takes 2 operands, but 1 was given"),
        (Opcode::Select, &[], "select takes 3 operands, but 0 were given"),
        (Opcode::Pad, &[&v, &v], "pad is not an elementwise operation; call it by its own name"),
    ] {
        assert_eq!(numpy::apply(opcode, operands).unwrap_err().to_string(), message);
    }
}

#[test]
fn a_long_chain_is_dropped_without_recursion() {
    let mut x = literal(&[1], &[0.]);
    for _ in 0..1_000_000 {
        x = AnyExpr::unary(Opcode::Neg, &x).unwrap();
    }
    drop(x);
}

/// Sizes of Rust's are taken as XLA's numbers are, and so are shapes.
#[test]
fn lists_may_be_of_any_integers() {
    let x = literal(&[2, 3], &[1., 2., 3., 4., 5., 6.]);
    let v = literal(&[3], &[7., 8., 9.]);
    let (rows, columns) = (x.shape().dims()[0], x.shape().dims()[1]);
    let turned = x.transpose([1_usize, 0]).unwrap().reshape(x.shape()).unwrap();
    let part = turned.slice([0, 1_usize], vec![rows, columns]).unwrap();
    assert_eq!(part.shape().dims(), [2, 2]);
    assert_eq!(AnyExpr::binary(Opcode::Add, &x, &v, [1_usize]).unwrap().shape(), x.shape());
    assert_eq!(AnyExpr::iota(ElementType::F32, x.shape(), 1).unwrap().shape(), x.shape());
    assert_eq!(v.broadcast_to(x.shape()).unwrap().shape(), x.shape());
    // A size that no dimension reaches is refused as a negative one.
    let refused = x.reshape([usize::MAX]).unwrap_err();
    assert_eq!(refused.rule(), Some(Rule::N1));

    let mut b = Builder::new();
    let x = b.parameter(ElementType::F32, [2, 3]).unwrap();
    let v = b.parameter(ElementType::F32, [3]).unwrap();
    let sum = b.add(x, v, [1_usize]).unwrap();
    let shape = b.shape(sum).unwrap().clone();
    let flat = b.reshape(sum, [shape.element_count().unwrap()]).unwrap();
    let back = b.reshape(flat, &shape).unwrap();
    let wide = b.broadcast_in_dim(back, vec![4, rows, columns], [1_usize, 2]).unwrap();
    let rolled = b.roll(wide, [-1], [2_usize]).unwrap();
    assert_eq!(b.shape(rolled).unwrap().dims(), [4, 2, 3]);
    assert_eq!(b.reshape(x, [usize::MAX]).unwrap_err().rule(), Some(Rule::N1));
    let signed = indim::Dims::to_signed(&[3_usize, 2]);
    let column = b.reshape(x, &signed).unwrap();
    assert_eq!(b.shape(column).unwrap().dims(), [3, 2]);
}
