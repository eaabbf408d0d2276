//! Tests what operations take and what makes expressions: `in_dim`, lists of dimensions, numbers of
//! any type, sums, assignments, and NumPy's rule on expressions.

use indim::half::{bf16, f16};
use indim::num_complex::Complex32;
use indim::{Element, ElementType, Expr, InDim, Result, Rule, S4, U4, numpy};
use indim_testing::contexts::{gpu, iota, values};
use indim_testing::oracle::convert::convert;
use indim_testing::oracle::value::Value;

fn sizes<T: Element>(expr: &Expr<T>) -> Vec<usize> {
    expr.shape().unwrap().dims().to_vec()
}

#[test]
fn in_dim_passes_through_what_changes_no_shape() -> Result<()> {
    let gpu = gpu();
    let x = gpu.array([2, 3], &iota(6))?;
    let v = gpu.array([3], &[-1.0_f32, 0.5, 2.0])?;

    // Each operand, before and after `in_dim`.
    let operands: [(InDim<f32>, Expr<f32>); 10] = [
        (-v.in_dim([1]), -&v),
        (2.0 * v.in_dim([1]), 2.0 * &v),
        (1.0 - v.in_dim([1]) / 4.0, 1.0 - &v / 4.0),
        (v.in_dim([1]).exp() % 3.0, v.exp() % 3.0),
        (v.in_dim([1]).abs().max(0.75).pow(2.0), v.abs().max(0.75).pow(2.0)),
        (
            v.in_dim([1]).convert_element_type::<i32>().convert_element_type(),
            v.convert_element_type::<i32>().convert_element_type(),
        ),
        (v.in_dim([1]).reduce_precision(5, 2), v.reduce_precision(5, 2)),
        (v.in_dim([1]).complex(2.0).conj().imag(), v.complex(2.0).conj().imag()),
        (v.in_dim([1]).with_precision(indim::Precision::Accurate).sin(), v.sin()),
        ((!v.in_dim([1]).gt(0.0)).convert_element_type(), (!v.gt(0.0)).convert_element_type()),
    ];
    for (behind, before) in operands {
        let left = values(&(behind.clone() + &x).eval()?);
        let right = values(&(&x + behind).eval()?);
        let expected = values(&(&x + before.in_dim([1])).eval()?);
        assert_eq!((&left, &right), (&expected, &expected), "{before:?}");
    }

    // Beside anything but a scalar of Rust it is an expression.
    let larger: Expr<bool> = v.in_dim([1]).lt(&x);
    assert_eq!(larger.eval()?.to_vec_blocking()?, [true, true, false, true, true, true]);
    let shifted: Expr<i32> = (Expr::iota([3], 0) * 1_i32).in_dim([1]) >> Expr::full(1, [2, 3]);
    assert_eq!(gpu.eval(&shifted)?.to_vec_blocking()?, [0, 0, 1, 0, 0, 1]);
    let bits: InDim<i32> = (1 << (Expr::<i32>::iota([3], 0).in_dim([0]) >> 1)) | 4;
    let bits = gpu.eval(bits + Expr::full(0, [3]))?;
    assert_eq!(bits.to_vec_blocking()?, [5, 5, 6]);
    Ok(())
}

#[test]
fn in_dim_keeps_an_error() {
    let (v, w) = (Expr::<f32>::iota([3], 0), Expr::<f32>::iota([4], 0));
    let error = (&w + (2.0 * (&v + &w).in_dim([0])).exp()).shape().unwrap_err();
    assert_eq!(error.rule(), Some(Rule::B8));
    let error = (&w + (2.0 * v.in_dim([7])).exp()).shape().unwrap_err();
    assert_eq!(error.rule(), Some(Rule::B7), "{error}");
}

#[test]
fn a_value_takes_the_shape_of_another_one() -> Result<()> {
    let gpu = gpu();
    let x = gpu.array([2, 3], &iota(6))?;
    let low = gpu.array([2], &[2.0_f32, 3.0])?;
    let clamped = x.clamp(low.broadcast_like(&x, [0]), 4.0).eval()?;
    assert_eq!(values(&clamped), [2.0, 2.0, 2.0, 3.0, 4.0, 4.0]);
    // The other value has another type, because only its shape is used.
    let mask = Expr::<bool>::full(true, [3]);
    let chosen = mask.broadcast_like(&x, &[1]).select(&x, 0.0).eval()?;
    assert_eq!(values(&chosen), iota(6));

    let refused = |expr: Expr<f32>| expr.shape().unwrap_err().rule();
    assert_eq!(refused(low.broadcast_like(&x, [1])), Some(Rule::D4));
    assert_eq!(refused(low.broadcast_like(&x, [])), Some(Rule::D2));
    assert_eq!(refused(low.broadcast_like(&x + &low, [0])), Some(Rule::B1), "the other's error");
    Ok(())
}

#[test]
fn numbers_take_the_type_of_their_neighbour_in_select() -> Result<()> {
    let gpu = gpu();
    let x = gpu.array([3], &[-1.0_f32, 0.0, 2.0])?;
    let positive = x.gt(0.0);
    assert_eq!(values(&positive.select(&x, 0.0).eval()?), [0.0, 0.0, 2.0]);
    assert_eq!(values(&positive.select(1.0, &x).eval()?), [-1.0, 0.0, 1.0]);
    assert_eq!(values(&positive.select::<f32>(1.0, 0.0).eval()?), [0.0, 0.0, 1.0]);
    assert_eq!(values(&positive.select(1.0_f32, 0.0).eval()?), [0.0, 0.0, 1.0]);
    assert_eq!(values(&(&x * positive.select(1.0, 0.5)).eval()?), [-0.5, 0.0, 2.0]);
    assert_eq!(values(&indim::select::<f32>(&positive, 1.0, 0.0)?), [0.0, 0.0, 1.0]);
    assert_eq!(positive.select(1, 0).eval()?.to_vec_blocking()?, [0, 0, 1], "an i32");
    Ok(())
}

#[test]
fn lists_are_of_whichever_integers_there_are() -> Result<()> {
    let x = Expr::<f32>::iota([2, 3], 1);
    let (signed, unsigned): (Vec<i64>, Vec<usize>) = (vec![1, 0], vec![1, 0]);
    for turned in [
        x.transpose([1, 0]),
        x.transpose(&[1, 0]),
        x.transpose(&signed),
        x.transpose(&unsigned),
        x.transpose(signed.as_slice()),
        x.transpose(unsigned.clone()),
        x.reshape([x.shape()?.dims()[1], 2]),
        x.reshape(Expr::<u8>::iota([3, 2], 0).shape()?),
        x.slice([0_usize, 0], [2_i64, 2]).pad(0.0, [0, 0], [1_usize, 0], vec![0, 0]),
        x.reverse(&[0_usize]).roll([1], [1_usize]).transpose(&signed),
        Expr::full(0.0, [3_usize, 2]) + x.broadcast(&[]).transpose(&unsigned),
        Expr::full(0.0, [3, 2]) + Expr::iota([2_usize], 0).in_dim(&unsigned[..1]) * 2.0,
        Expr::full(0.0, [3, 2]) + Expr::full(1.0, []).broadcast_in_dim([3_usize, 2], &[]),
    ] {
        assert_eq!(sizes(&turned), [3, 2], "{turned:?}");
    }
    let no_dimension = x.reshape([usize::MAX]).shape().unwrap_err();
    assert_eq!(no_dimension.rule(), Some(Rule::N1), "{no_dimension}");
    assert_eq!(x.transpose([usize::MAX, 0]).shape().unwrap_err().rule(), Some(Rule::V1));

    let gpu = gpu();
    let (x, v) = (gpu.array([2, 2], &iota(4))?, gpu.array([2], &[10.0_f32, 20.0])?);
    let sum = [10.0, 21.0, 12.0, 23.0];
    assert_eq!(values(&indim::add(&x, &v, [1])?), sum);
    assert_eq!(values(&indim::add(&x, &v, [1_usize])?), sum);
    assert_eq!(values(&indim::add(&x, &v, &[1_i64])?), sum);
    assert_eq!(values(&indim::add(&x, &x, [])?), [0.0, 2.0, 4.0, 6.0]);
    Ok(())
}

#[test]
fn numbers_are_rounded_as_conversions_round_them() {
    fn check<T: Element>() {
        let powers = (-160..160).map(|n| 2_f64.powi(n)).chain([5e-324, f64::MAX, f64::INFINITY]);
        let beside = |x: f64| [x, x.next_up(), x.next_down(), x * 1.5, x * (1.0 + 2f64.powi(-11))];
        let middles = (0..300).map(|n| f64::from(n) + 0.5);
        let numbers = powers.flat_map(beside).chain(middles).chain([0.0, f64::NAN, 65519.99, 1e39]);
        for x in numbers.flat_map(|x| [x, -x]) {
            let expected = convert(ElementType::F64, T::ELEMENT_TYPE, Value::Bits(x.to_bits()));
            let of = T::of(x);
            assert!(
                expected.admits(indim::Scalar::new(of).bits(), T::ELEMENT_TYPE),
                "{x:e} is {of:?} in {}",
                T::ELEMENT_TYPE
            );
        }
    }
    check::<bool>();
    check::<S4>();
    check::<i8>();
    check::<i16>();
    check::<i32>();
    check::<i64>();
    check::<U4>();
    check::<u8>();
    check::<u16>();
    check::<u32>();
    check::<u64>();
    check::<f16>();
    check::<bf16>();
    check::<f32>();
    check::<f64>();
    check::<Complex32>();
}

#[test]
fn a_context_fills_arrays() -> Result<()> {
    let gpu = gpu();
    let x = gpu.full([2, 2], 1.5_f32)?;
    assert_eq!((values(&x), x.shape().dims()), (vec![1.5; 4], &[2, 2][..]));
    assert_eq!((x.rank(), x.len(), x.is_empty()), (2, 4, false));
    let any = gpu.zeros::<bool>([0, 7])?.as_any().clone();
    assert_eq!((any.rank(), any.len(), any.is_empty()), (2, 0, true));
    assert_eq!(gpu.zeros::<i16>([3])?.to_vec_blocking()?, [0; 3]);
    assert_eq!(gpu.zeros::<Complex32>([])?.to_vec_blocking()?, [Complex32::ZERO]);
    assert_eq!(gpu.arange::<u8>(4)?.to_vec_blocking()?, [0, 1, 2, 3]);
    assert_eq!(gpu.arange::<f32>(0)?.to_vec_blocking()?, [0.0; 0]);
    let literal = gpu.full([2, 1, 1], S4::of(-3.9))?.as_any().to_literal_blocking()?;
    assert_eq!((literal.rank(), literal.len(), literal.is_empty()), (3, 2, false));
    assert_eq!(literal.to_vec::<S4>()?, [S4::wrapping(-3); 2]);
    let too_large = gpu.full([usize::MAX, 2], 1_u8).unwrap_err();
    assert_eq!(too_large.rule(), Some(Rule::N1), "{too_large}");
    assert_eq!(gpu.zeros::<u8>([1_i64 << 62, 2]).unwrap_err().rule(), Some(Rule::C1));

    assert_eq!(indim::AnyExpr::literal(literal).rank(), 3);
    let full = Expr::full(2.0_f32, x.shape());
    assert_eq!((full.rank()?, full.explain().is_err()), (2, true), "it has no context");
    assert_eq!(values(&(full * &x).eval()?), [3.0; 4]);
    Ok(())
}

#[test]
fn assignments_and_sums_build_expressions() -> Result<()> {
    let gpu = gpu();
    let x = gpu.array([2, 3], &iota(6))?;
    let v = gpu.array([3], &[1.0_f32, 2.0, 4.0])?;
    let mut e = x.expr();
    e += v.in_dim([1]);
    e *= 2.0;
    e -= &x;
    e /= &Expr::full(2.0, []);
    e %= 3.0;
    let expected = ((&x + v.in_dim([1])) * 2.0 - &x) / 2.0 % 3.0;
    assert_eq!(values(&e.eval()?), values(&expected.eval()?));

    let mut bits = gpu.array([3], &[-8_i32, 5, 6])?.expr();
    bits &= 13;
    bits |= 16;
    bits ^= 1;
    bits <<= 2;
    bits >>= gpu.array([3], &[1, 0, 1])?;
    assert_eq!(bits.eval()?.to_vec_blocking()?, [50, 80, 42]);

    let parts = [&x, &x, &x];
    assert_eq!(
        values(&parts.iter().copied().sum::<Expr<f32>>().eval()?),
        [0., 3., 6., 9., 12., 15.]
    );
    let powers: Expr<f32> = (1..4).map(|n| &x + n as f32).product();
    assert_eq!(values(&powers.eval()?)[..3], [6.0, 24.0, 60.0]);
    // Without any, the neutral element; of one, that one and no operation.
    let none: Vec<Expr<f32>> = Vec::new();
    let (sum, product): (Expr<f32>, Expr<f32>) = (none.iter().sum(), none.iter().product());
    assert_eq!(values(&gpu.eval(&sum)?), [0.0]);
    assert_eq!(values(&gpu.eval(&product)?), [1.0]);
    let zero = gpu.full([1], -0.0_f32)?;
    let alone = [zero].into_iter().sum::<Expr<f32>>().eval()?;
    assert!(values(&alone)[0].is_sign_negative());
    let refused = [&x.expr(), &v.expr()].into_iter().sum::<Expr<f32>>();
    assert_eq!(refused.shape().unwrap_err().rule(), Some(Rule::B1));
    Ok(())
}

#[test]
fn numpys_rule_builds_expressions() -> Result<()> {
    let gpu = gpu();
    let x = gpu.array([2, 3], &iota(6))?;
    let v = gpu.array([3], &[1.0_f32, 2.0, 4.0])?;
    let column = gpu.array([2, 1], &[true, false])?;
    let same = |implicit: Expr<f32>, explicit: Expr<f32>| -> Result<()> {
        assert_eq!(sizes(&implicit), sizes(&explicit));
        assert_eq!(values(&implicit.eval()?), values(&explicit.eval()?));
        Ok(())
    };
    let wide = v.broadcast_in_dim([2, 3], [1]);
    same(numpy::sub(&v, &x), v.in_dim([1]) - &x)?;
    same(numpy::pow(&x, 2.0), x.pow(2.0))?;
    same(numpy::broadcast_to(&v, [2, 3]), wide.clone())?;
    let mask = column.broadcast_in_dim([2, 3], [0, 1]);
    same(numpy::select(&column, &x, &v), mask.select(&x, &wide))?;
    same(numpy::select(&column, 1.0, &v), mask.select(1.0, &wide))?;
    same(numpy::clamp(1.0, &x, &v), x.clamp(1.0, &wide))?;
    same(numpy::next_after(&x, &v), x.next_after(&wide))?;
    same(numpy::complex(&x, &v).imag(), wide.clone())?;
    let larger = numpy::gt(&x, &v).eval()?;
    assert_eq!(larger.to_vec_blocking()?, x.gt(&wide).eval()?.to_vec_blocking()?);

    let (line, wrong) = (line!(), gpu.array([2], &[1.0_f32, 2.0])?);
    for refused in
        [numpy::add(&x, &wrong), numpy::clamp(0.0, &x, &wrong), numpy::broadcast_to(&wrong, [3])]
    {
        let indim::Error::Expression { location, .. } = refused.eval().unwrap_err() else {
            panic!("without its place")
        };
        assert_eq!(location.file(), file!());
        assert!((line + 2..line + 5).contains(&location.line()), "{location}");
    }
    Ok(())
}
