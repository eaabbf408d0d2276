//! Tests special values, as XLA has them, and the operations whose results are exact.

#![allow(clippy::unwrap_used, reason = "a test may panic")]

use indim_reference::{binary, unary};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

/// The same number, the same zero, or both NaN.
fn same(a: f64, b: f64) -> bool {
    (a.is_nan() && b.is_nan()) || a.to_bits() == b.to_bits()
}

#[test]
fn of_one_operand() {
    // The results on -inf, -1, -0, +0, 1 and inf; `None` leaves out an operand whose result is not
    // an exact number.
    let some = |values: [f64; 6]| values.map(Some);
    let table: &[(&str, [Option<f64>; 6])] = &[
        ("Abs", some([INF, 1.0, 0.0, 0.0, 1.0, INF])),
        ("Acos", [Some(NAN), None, None, None, Some(0.0), Some(NAN)]),
        ("Acosh", some([NAN, NAN, NAN, NAN, 0.0, INF])),
        ("Asin", [Some(NAN), None, Some(-0.0), Some(0.0), None, Some(NAN)]),
        ("Asinh", [Some(-INF), None, Some(-0.0), Some(0.0), None, Some(INF)]),
        ("Atan", [None, None, Some(-0.0), Some(0.0), None, None]),
        ("Atanh", some([NAN, -INF, -0.0, 0.0, INF, NAN])),
        ("BesselI0e", [Some(0.0), None, Some(1.0), Some(1.0), None, Some(0.0)]),
        ("BesselI1e", [Some(-0.0), None, Some(-0.0), Some(0.0), None, Some(0.0)]),
        ("Cbrt", some([-INF, -1.0, -0.0, 0.0, 1.0, INF])),
        ("Ceil", some([-INF, -1.0, -0.0, 0.0, 1.0, INF])),
        ("Cos", [Some(NAN), None, Some(1.0), Some(1.0), None, Some(NAN)]),
        ("Cosh", [Some(INF), None, Some(1.0), Some(1.0), None, Some(INF)]),
        ("Digamma", [Some(NAN), Some(NAN), Some(NAN), Some(NAN), None, Some(INF)]),
        ("Erf", [Some(-1.0), None, Some(-0.0), Some(0.0), None, Some(1.0)]),
        ("ErfInv", some([NAN, -INF, -0.0, 0.0, INF, NAN])),
        ("Erfc", [Some(2.0), None, Some(1.0), Some(1.0), None, Some(0.0)]),
        ("Exp", [Some(0.0), None, Some(1.0), Some(1.0), None, Some(INF)]),
        ("Expm1", [Some(-1.0), None, Some(-0.0), Some(0.0), None, Some(INF)]),
        ("Floor", some([-INF, -1.0, -0.0, 0.0, 1.0, INF])),
        ("Imag", some([0.0; 6])),
        ("Lgamma", some([INF, INF, INF, INF, 0.0, INF])),
        ("Log", some([NAN, NAN, -INF, -INF, 0.0, INF])),
        ("Log10", some([NAN, NAN, -INF, -INF, 0.0, INF])),
        ("Log2", some([NAN, NAN, -INF, -INF, 0.0, INF])),
        ("Log1p", [Some(NAN), Some(-INF), Some(-0.0), Some(0.0), None, Some(INF)]),
        ("Logistic", [Some(0.0), None, Some(0.5), Some(0.5), None, Some(1.0)]),
        ("Neg", some([INF, 1.0, 0.0, -0.0, -1.0, -INF])),
        ("Real", some([-INF, -1.0, -0.0, 0.0, 1.0, INF])),
        ("Reciprocal", some([-0.0, -1.0, -INF, INF, 1.0, 0.0])),
        ("Round", some([-INF, -1.0, -0.0, 0.0, 1.0, INF])),
        ("RoundNearestEven", some([-INF, -1.0, -0.0, 0.0, 1.0, INF])),
        ("Rsqrt", some([NAN, NAN, -INF, INF, 1.0, 0.0])),
        ("Sign", some([-1.0, -1.0, -0.0, 0.0, 1.0, 1.0])),
        ("Sin", [Some(NAN), None, Some(-0.0), Some(0.0), None, Some(NAN)]),
        ("Sinh", [Some(-INF), None, Some(-0.0), Some(0.0), None, Some(INF)]),
        ("Sqrt", some([NAN, NAN, -0.0, 0.0, 1.0, INF])),
        ("Square", some([INF, 1.0, 0.0, 0.0, 1.0, INF])),
        ("Tan", [Some(NAN), None, Some(-0.0), Some(0.0), None, Some(NAN)]),
        ("Tanh", [Some(-1.0), None, Some(-0.0), Some(0.0), None, Some(1.0)]),
        ("Trunc", some([-INF, -1.0, -0.0, 0.0, 1.0, INF])),
    ];
    for &(name, expected) in table {
        let function = unary(name).unwrap();
        for (x, expected) in [-INF, -1.0, -0.0, 0.0, 1.0, INF].into_iter().zip(expected) {
            let got = function(x);
            assert!(expected.is_none_or(|value| same(got, value)), "{name}({x:?}) is {got:?}");
        }
        let of_nan = function(NAN);
        assert!(same(of_nan, if name == "Imag" { 0.0 } else { NAN }), "{name}(NaN)");
    }
}

#[test]
fn beyond_the_domain_and_at_poles() {
    for (name, x, expected) in [
        ("ErfInv", 1.5, NAN),
        ("Acosh", 0.5, NAN),
        ("Asin", -1.5, NAN),
        ("Lgamma", 2.0, 0.0),
        ("Lgamma", -3.0, INF),
        ("Lgamma", -8_388_609.0, INF),
        ("Lgamma", -f64::from(f32::MAX), INF),
        ("Digamma", -3.0, NAN),
        ("Digamma", -f64::from(f32::MAX), NAN),
        ("Erfc", f64::from(f32::MIN), 2.0),
        ("BesselI0e", f64::from(f32::from_bits(1)), 1.0),
        ("Round", -0.3, -0.0),
        ("Round", 2.5, 3.0),
        ("RoundNearestEven", 2.5, 2.0),
        ("Ceil", -0.3, -0.0),
    ] {
        let got = unary(name).unwrap()(x);
        assert!(same(got, expected), "{name}({x:?}) is {got:?}, not {expected:?}");
    }
}

#[test]
fn of_two_operands() {
    let (one, next) = (1.0, f64::from(1f32.next_up()));
    let least = f64::from(f32::from_bits(1));
    for (name, lhs, rhs, expected) in [
        ("Max", -0.0, 0.0, 0.0),
        ("Max", 0.0, -0.0, 0.0),
        ("Min", 0.0, -0.0, -0.0),
        ("Min", -0.0, 0.0, -0.0),
        ("Max", 1.0, NAN, NAN),
        ("Min", NAN, 1.0, NAN),
        ("Max", -INF, 2.0, 2.0),
        ("Min", -INF, 2.0, -INF),
        ("NextAfter", one, 2.0, next),
        ("NextAfter", next, -INF, one),
        ("NextAfter", -one, -2.0, -next),
        ("NextAfter", 0.0, -0.0, -0.0),
        ("NextAfter", -0.0, 0.0, 0.0),
        ("NextAfter", 0.0, -1.0, -least),
        ("NextAfter", -0.0, 1.0, least),
        ("NextAfter", -least, 1.0, -0.0),
        ("NextAfter", f64::from(f32::MAX), INF, INF),
        ("NextAfter", INF, 0.0, f64::from(f32::MAX)),
        ("NextAfter", INF, INF, INF),
        ("NextAfter", NAN, 1.0, NAN),
        ("NextAfter", 1.0, NAN, NAN),
        ("Copysign", 1.0, -0.0, -1.0),
        ("Copysign", -INF, 2.0, INF),
        ("Hypot", 3.0, -4.0, 5.0),
        ("Hypot", NAN, -INF, INF),
        ("Hypot", NAN, 1.0, NAN),
        ("Hypot", -0.0, -0.0, 0.0),
        ("Logaddexp", INF, INF, INF),
        ("Logaddexp", -INF, -INF, -INF),
        ("Logaddexp", -INF, 3.0, 3.0),
        ("Logaddexp", NAN, INF, NAN),
        ("Remainder", -1.0, 1.0, 0.0),
        ("Remainder", 5.5, -2.0, -0.5),
        ("Remainder", -5.5, 2.0, 0.5),
        ("Remainder", -1.0, INF, INF),
        ("Remainder", 1.0, INF, 1.0),
        ("Remainder", INF, 1.0, NAN),
        ("Remainder", 1.0, 0.0, NAN),
        ("Rem", -1.0, 1.0, -0.0),
        ("Rem", 5.5, -2.0, 1.5),
        ("Rem", 1.0, INF, 1.0),
        ("Rem", INF, 1.0, NAN),
        ("Rem", 1.0, 0.0, NAN),
        ("Pow", NAN, 0.0, 1.0),
        ("Pow", 1.0, NAN, 1.0),
        ("Pow", -1.0, INF, 1.0),
        ("Pow", -INF, 0.5, INF),
        ("Pow", -0.0, 0.5, 0.0),
        ("Pow", -0.0, -3.0, -INF),
        ("Pow", -0.0, -2.0, INF),
        ("Pow", -2.0, 0.5, NAN),
        ("Pow", -0.5, -INF, INF),
        ("Pow", -INF, -3.0, -0.0),
        ("Pow", -2.0, f64::from((1 << 24) - 1), -INF),
        ("Pow", -0.5, f64::from((1 << 24) - 1), -0.0),
        ("Atan2", -0.0, 1.0, -0.0),
        ("Atan2", 0.0, INF, 0.0),
        ("Atan2", 1.0, NAN, NAN),
        ("Div", 0.0, 0.0, NAN),
        ("Div", -1.0, 0.0, -INF),
        ("Sub", INF, INF, NAN),
        ("Add", -0.0, -0.0, -0.0),
        ("Mul", INF, 0.0, NAN),
    ] {
        let got = binary(name).unwrap()(lhs, rhs);
        assert!(same(got, expected), "{name}({lhs:?}, {rhs:?}) is {got:?}, not {expected:?}");
    }
    let pi = std::f64::consts::PI;
    assert_eq!(binary("Atan2").unwrap()(-0.0, -1.0), -pi);
    assert_eq!(binary("Atan2").unwrap()(INF, -INF), 0.75 * pi);
}

/// Operands beyond those of float32, by values of mpmath.
#[test]
fn large_float64_operands() {
    for (name, x, expected) in [
        ("Asinh", -f64::MAX, -710.475_860_073_943_9),
        ("Acosh", f64::MAX, 710.475_860_073_943_9),
        ("Asinh", 2e100, 231.644_803_660_524_46),
        ("BesselI0e", f64::MAX, 2.975_447_459_315_9e-155),
        ("BesselI1e", -f64::MAX, -2.975_447_459_315_9e-155),
        ("Digamma", -2_251_799_813_685_248.5, 35.350_506_208_557_21),
    ] {
        let got = unary(name).unwrap()(x);
        assert!((got / expected - 1.0).abs() < 1e-14, "{name}({x:?}) is {got:?}, not {expected:?}");
    }
}

#[test]
fn names_that_are_none() {
    for name in ["", "exp", "Pow", "IsFinite", "Not"] {
        assert!(unary(name).is_none(), "{name}");
    }
    for name in ["", "Exp", "Eq", "And"] {
        assert!(binary(name).is_none(), "{name}");
    }
}
