//! NumPy's reductions: types, axes, and what is refused. `python/tests/test_reductions.py` compares
//! values with NumPy's.

use indim::numpy::{self, Axis, NumpyReduction};
use indim::{AnyExpr, ElementType, Literal, Rule, Scalar};
use indim_testing::contexts::gpu;

use ElementType::{C64, F16, F32, F64, Pred, S8, S64, U8, U64};

#[test]
fn results_have_numpys_types() {
    let of = |name: &str, from| {
        let x = AnyExpr::full(Scalar::from_bits(from, 0), [2, 3]).unwrap();
        let reduction = NumpyReduction::of_name(name).unwrap();
        numpy::reduce(reduction, &x, 1).unwrap().element_type()
    };
    for name in ["sum", "prod"] {
        let types = [Pred, S8, U8, F16, F32, C64].map(|from| of(name, from));
        assert_eq!(types, [S64, S64, U64, F16, F32, C64], "{name}");
    }
    assert_eq!([Pred, U8, F16, F64, C64].map(|from| of("mean", from)), [F64, F64, F16, F64, C64]);
    assert_eq!([U8, F16, C64].map(|from| of("std", from)), [F64, F16, F32]);
    assert_eq!([Pred, S8, F16].map(|from| of("max", from)), [Pred, S8, F16]);
    assert_eq!([F32, C64].map(|from| of("any", from)), [Pred, Pred]);
    assert_eq!([F32, C64].map(|from| of("count_nonzero", from)), [S64, S64]);
    assert_eq!([Pred, F16].map(|from| of("argmin", from)), [S64, S64]);
    assert_eq!([U8, F32].map(|from| of("logsumexp", from)), [F64, F32]);
}

#[test]
fn axes_are_numpys() {
    let x = AnyExpr::iota(F32, [2, 3, 4], 0).unwrap();
    let sizes = |axis: Axis| numpy::sum(&x, axis).map(|sum| sum.shape().dims().to_vec());
    assert!(sizes(().into()).unwrap().is_empty());
    assert_eq!(sizes((-1).into()).unwrap(), [2, 3]);
    assert_eq!(sizes([0, -1].into()).unwrap(), [3]);
    assert_eq!(sizes(Axis::from([0, 2]).keepdims()).unwrap(), [1, 3, 1]);
    assert_eq!(sizes(Axis::default().keepdims()).unwrap(), [1, 1, 1]);
    assert_eq!(sizes((-4).into()).unwrap_err().rule(), Some(Rule::R1));
    assert_eq!(sizes([1, -2].into()).unwrap_err().rule(), Some(Rule::R2));
}

#[test]
fn nothing_has_no_extreme() {
    let none = AnyExpr::iota(F32, [2, 0], 0).unwrap();
    let refused = numpy::amax(&none, 1).unwrap_err();
    assert_eq!(refused.rule(), Some(Rule::R3));
    assert!(refused.to_string().starts_with("max: dimensions [1] of operand [2, 0]"), "{refused}");
    assert_eq!(numpy::amin(&none, 0).unwrap().shape().dims(), [0], "a result without elements");
    assert_eq!(numpy::argmax(&none, ()).unwrap_err().rule(), Some(Rule::R3));
    let complex = AnyExpr::full(Scalar::from_bits(C64, 0), [2]).unwrap();
    assert_eq!(numpy::amax(&complex, ()).unwrap_err().rule(), Some(Rule::T1));
}

#[test]
fn values_are_numpys() {
    let gpu = gpu();
    let parts = [0.0, 1.0, 0.0, 0.0].map(|im| indim::num_complex::Complex32::new(0.0, im));
    let x = AnyExpr::literal(Literal::from_slice([4], &parts).unwrap());
    // A conversion to PRED would take the real parts.
    let any = gpu.eval(&numpy::any(&x, ()).unwrap()).unwrap();
    assert_eq!(any.to_literal_blocking().unwrap().to_vec::<bool>().unwrap(), [true]);
    let count = gpu.eval(&numpy::count_nonzero(&x, ()).unwrap()).unwrap();
    assert_eq!(count.to_literal_blocking().unwrap().to_vec::<i64>().unwrap(), [1]);
    let bytes = AnyExpr::literal(Literal::from_slice([3], &[200_u8, 200, 1]).unwrap());
    let sum = gpu.eval(&numpy::sum(&bytes, 0).unwrap()).unwrap();
    assert_eq!(sum.to_literal_blocking().unwrap().to_vec::<u64>().unwrap(), [401]);
    let deviation = NumpyReduction::Std { dtype: Some(F32), ddof: 1.0 };
    let deviation = gpu.eval(&numpy::reduce(deviation, &bytes, 0).unwrap()).unwrap();
    let deviation = deviation.to_literal_blocking().unwrap().to_vec::<f32>().unwrap();
    assert!((deviation[0] - 114.8927).abs() < 1e-3, "{deviation:?}");
}
