//! Lists the assumptions about results of up to 32 bits. docs/numerics.md lists what the library
//! guards against instead.

use indim::{ElementType, Opcode, Scalar};

use crate::case::{Assumption, Case, Expected};
use crate::exact_values as exact;
use crate::operands::{
    above_one, any_bits, divisors, either_pairs, float_pairs, integer_pairs, near_integers,
    positive, quotients, radicands, special_pairs, up_to,
};
use ElementType::{F32, Pred, S32, U32};
use Expected::{Bits, Float, Within};

// ---- results ------------------------------------------------------------------------------------

fn x(row: &[u32; 2]) -> f32 {
    f32::from_bits(row[0])
}

fn y(row: &[u32; 2]) -> f32 {
    f32::from_bits(row[1])
}

fn double(x: f32) -> f64 {
    f64::from(x)
}

/// Expects a float that was rounded on the way.
fn float(value: f32) -> Expected {
    Float(f64::from(value))
}

fn pred(value: bool) -> Expected {
    Bits(u32::from(value))
}

fn s32(row: &[u32; 2]) -> [i32; 2] {
    row.map(u32::cast_signed)
}

fn signed(value: i32) -> Expected {
    Bits(value.cast_unsigned())
}

/// Expects a float rounded to an integer, halves to even or away from zero.
fn rounded(value: f32, to_even: bool) -> Expected {
    float(if to_even { value.round_ties_even() } else { value.round() })
}

// ---- cases --------------------------------------------------------------------------------------

const FF: &[ElementType] = &[F32, F32];
const F: &[ElementType] = &[F32];

macro_rules! case {
    ($operation:literal, $types:expr, $operands:expr, |$b:ident, $x:ident, $y:ident| $build:expr, $expected:expr) => {
        Case {
            operation: $operation,
            types: $types,
            operands: $operands,
            build: |$b, operands| {
                // The operand of a unary case is passed twice.
                let (Some(&$x), Some(&$y)) = (operands.first(), operands.last()) else {
                    return $b.constant(Scalar::new(0.0f32));
                };
                $build
            },
            expected: $expected,
        }
    };
}

/// Makes a case of one unary operation.
macro_rules! unary {
    ($operation:literal, $types:expr, $operands:expr, $opcode:ident, $expected:expr) => {
        case!($operation, $types, $operands, |b, x, _y| b.unary(Opcode::$opcode, x), $expected)
    };
}

/// Makes a case of one binary operation.
macro_rules! binary {
    ($operation:literal, $types:expr, $operands:expr, $opcode:ident, $expected:expr) => {
        case!(
            $operation,
            $types,
            $operands,
            |b, x, y| b.binary(Opcode::$opcode, x, y, &[]),
            $expected
        )
    };
}

const fn assumption(text: &'static str, cases: &'static [Case]) -> Assumption {
    Assumption { text, native: false, double: false, cases }
}

const fn native(text: &'static str, cases: &'static [Case]) -> Assumption {
    Assumption { text, native: true, double: false, cases }
}

const QUOTIENTS: &[Case] = &[
    binary!("x / y", FF, quotients, Div, |o| Float(double(x(o)) / double(y(o)))),
    unary!("reciprocal(x)", F, divisors, Reciprocal, |o| Float(1.0 / double(x(o)))),
];

const ROOTS: &[Case] = &[unary!("sqrt(x)", F, radicands, Sqrt, |o| Float(double(x(o)).sqrt()))];

/// The assumptions, in the order of docs/numerics.md.
pub(crate) const ASSUMPTIONS: &[Assumption] = &[
    assumption("+, - and * on f32 are correctly rounded", SUMS),
    assumption("+, - and * follow IEEE 754 for NaN, infinities and zeros", SPECIAL),
    assumption("no compiler rewrites operations across a guard", GUARDED),
    assumption("no compiler knows the zero in the parameter block", UNKNOWN_ZERO),
    assumption("no compiler regroups the parts of a function", FUNCTIONS),
    assumption("compares, extremes and signs see NaN and the signs of zeros", ORDER),
    assumption("floor, ceil, round and trunc are exact", ROUNDINGS),
    assumption("integers become floats rounded to nearest even, as it is done here", FROM_INTEGERS),
    assumption("floats become integers truncated and saturated", TO_INTEGERS),
    assumption("integers wrap, and shift by any amount", INTEGERS),
    assumption("bits survive moves", MOVES),
    assumption("quotients are correctly rounded, as they are computed here", QUOTIENTS),
    assumption("square roots are correctly rounded, as they are computed here", ROOTS),
    native("native quotients are correctly rounded", QUOTIENTS),
    native("native square roots are correctly rounded", ROOTS),
    native("native conversions of integers are rounded to nearest even", FROM_INTEGERS),
];

const SUMS: &[Case] = &[
    binary!("x + y", FF, float_pairs, Add, |o| float(x(o) + y(o))),
    binary!("x - y", FF, float_pairs, Sub, |o| float(x(o) - y(o))),
    binary!("x * y", FF, float_pairs, Mul, |o| float(x(o) * y(o))),
    unary!("square(x)", F, float_pairs, Square, |o| float(x(o) * x(o))),
];

const SPECIAL: &[Case] = &[
    binary!("x + y", FF, special_pairs, Add, |o| Float(double(x(o)) + double(y(o)))),
    binary!("x - y", FF, special_pairs, Sub, |o| Float(double(x(o)) - double(y(o)))),
    binary!("x * y", FF, special_pairs, Mul, |o| Float(double(x(o)) * double(y(o)))),
];

#[allow(clippy::suboptimal_flops, reason = "a fused form is what must not be computed")]
const GUARDED: &[Case] = &[
    case!(
        "x * y + y",
        FF,
        either_pairs,
        |b, x, y| {
            let product = b.mul(x, y, &[])?;
            b.add(product, y, &[])
        },
        |o| float(x(o) * y(o) + y(o))
    ),
    case!(
        "x * y - x * x",
        FF,
        float_pairs,
        |b, x, y| {
            let (product, square) = (b.mul(x, y, &[])?, b.square(x)?);
            b.sub(product, square, &[])
        },
        |o| float(x(o) * y(o) - x(o) * x(o))
    ),
    case!(
        "(x + y) - x",
        FF,
        either_pairs,
        |b, x, y| {
            let sum = b.add(x, y, &[])?;
            b.sub(sum, x, &[])
        },
        |o| float((x(o) + y(o)) - x(o))
    ),
    case!(
        "(x - y) + y",
        FF,
        either_pairs,
        |b, x, y| {
            let difference = b.sub(x, y, &[])?;
            b.add(difference, y, &[])
        },
        |o| float((x(o) - y(o)) + y(o))
    ),
    case!(
        "(x + y) + y",
        FF,
        float_pairs,
        |b, x, y| {
            let sum = b.add(x, y, &[])?;
            b.add(sum, y, &[])
        },
        |o| float((x(o) + y(o)) + y(o))
    ),
    case!(
        "(x * 0.1) * 0.3",
        F,
        float_pairs,
        |b, x, _y| {
            let (tenth, third) =
                (b.constant(Scalar::new(0.1f32))?, b.constant(Scalar::new(0.3f32))?);
            let product = b.mul(x, tenth, &[])?;
            b.mul(product, third, &[])
        },
        |o| float((x(o) * 0.1) * 0.3)
    ),
    case!(
        "-(-x) - x",
        F,
        special_pairs,
        |b, x, _y| {
            let twice = b.neg(x).and_then(|negated| b.neg(negated))?;
            b.sub(twice, x, &[])
        },
        |o| float(-(-x(o)) - x(o))
    ),
    case!(
        "(x + y) > x",
        FF,
        either_pairs,
        |b, x, y| {
            let sum = b.add(x, y, &[])?;
            b.gt(sum, x, &[])
        },
        |o| pred(x(o) + y(o) > x(o))
    ),
];

#[allow(clippy::eq_op, reason = "x - x is not 0 for infinity")]
const UNKNOWN_ZERO: &[Case] = &[
    case!(
        "x * imag(y)",
        FF,
        special_pairs,
        |b, x, y| {
            let zero = b.imag(y)?;
            b.mul(x, zero, &[])
        },
        |o| float(x(o) * 0.0)
    ),
    case!(
        "x + imag(y)",
        FF,
        special_pairs,
        |b, x, y| {
            let zero = b.imag(y)?;
            b.add(x, zero, &[])
        },
        |o| float(x(o) + 0.0)
    ),
    case!("x - x", F, special_pairs, |b, x, _y| b.sub(x, x, &[]), |o| float(x(o) - x(o))),
];

/// The tolerances are too small for any rearranged form. `indim-accuracy` measures the errors
/// themselves.
const FUNCTIONS: &[Case] = &[
    unary!("exp(x)", F, || up_to(88.0), Exp, |o| Within(double(x(o)).exp(), 1.0)),
    unary!("log(x)", F, positive, Log, |o| Within(double(x(o)).ln(), 1.0)),
    unary!("log2(x)", F, positive, Log2, |o| Within(double(x(o)).log2(), 1.0)),
    unary!("log10(x)", F, positive, Log10, |o| Within(double(x(o)).log10(), 1.0)),
    unary!("log1p(x)", F, positive, Log1p, |o| { Within(double(x(o)).ln_1p(), 1.0) }),
    unary!("cbrt(x)", F, float_pairs, Cbrt, |o| Within(double(x(o)).cbrt(), 1.0)),
    unary!("sin(x)", F, float_pairs, Sin, |o| Within(double(x(o)).sin(), 2.0)),
    unary!("tan(x)", F, float_pairs, Tan, |o| Within(double(x(o)).tan(), 4.0)),
    unary!("sinh(x)", F, || up_to(88.0), Sinh, |o| Within(double(x(o)).sinh(), 3.0)),
    unary!("expm1(x)", F, || up_to(88.0), Expm1, |o| Within(double(x(o)).exp_m1(), 1.0)),
    unary!("cos(x)", F, float_pairs, Cos, |o| Within(double(x(o)).cos(), 2.0)),
    unary!("cosh(x)", F, || up_to(88.0), Cosh, |o| Within(double(x(o)).cosh(), 2.0)),
    unary!("tanh(x)", F, || up_to(10.0), Tanh, |o| Within(double(x(o)).tanh(), 2.0)),
    unary!("asin(x)", F, || up_to(1.0), Asin, |o| Within(double(x(o)).asin(), 2.0)),
    unary!("acos(x)", F, || up_to(1.0), Acos, |o| Within(double(x(o)).acos(), 2.0)),
    unary!("atan(x)", F, float_pairs, Atan, |o| Within(double(x(o)).atan(), 2.0)),
    unary!("asinh(x)", F, float_pairs, Asinh, |o| Within(double(x(o)).asinh(), 3.0)),
    unary!("acosh(x)", F, above_one, Acosh, |o| Within(double(x(o)).acosh(), 4.0)),
    unary!("atanh(x)", F, || up_to(1.0), Atanh, |o| Within(double(x(o)).atanh(), 3.0)),
    case!(
        "imag(z * conj(z)) of z = complex(x, y)",
        FF,
        float_pairs,
        |b, x, y| {
            let z = b.complex(x, y, &[])?;
            let turned = b.conj(z)?;
            let norm = b.mul(z, turned, &[])?;
            b.imag(norm)
        },
        |_| float(0.0)
    ),
    case!(
        "pow(|x|, y)",
        FF,
        float_pairs,
        |b, x, y| {
            let base = b.abs(x)?;
            b.pow(base, y, &[])
        },
        |o| Within(double(x(o).abs()).powf(double(y(o))), 4.0)
    ),
    binary!("atan2(x, y)", FF, float_pairs, Atan2, |o| Within(
        double(x(o)).atan2(double(y(o))),
        3.0
    )),
    binary!("hypot(x, y)", FF, float_pairs, Hypot, |o| Within(
        double(x(o)).hypot(double(y(o))),
        1.0
    )),
    unary!("erfc(x)", F, || exact::arguments(exact::ERFC), Erfc, |o| {
        Within(exact::value(exact::ERFC, x(o)), 4.0)
    }),
    unary!("erf_inv(x)", F, || exact::arguments(exact::ERF_INV), ErfInv, |o| {
        Within(exact::value(exact::ERF_INV, x(o)), 4.0)
    }),
    unary!("lgamma(x)", F, || exact::arguments(exact::LGAMMA), Lgamma, |o| {
        Within(exact::value(exact::LGAMMA, x(o)), 4.0)
    }),
    unary!("digamma(x)", F, || exact::arguments(exact::DIGAMMA), Digamma, |o| {
        Within(exact::value(exact::DIGAMMA, x(o)), 4.0)
    }),
];

const ORDER: &[Case] = &[
    binary!("x == y", FF, either_pairs, Eq, |o| pred(x(o) == y(o))),
    binary!("x != y", FF, either_pairs, Ne, |o| pred(x(o) != y(o))),
    binary!("x < y", FF, either_pairs, Lt, |o| pred(x(o) < y(o))),
    binary!("x >= y", FF, either_pairs, Ge, |o| pred(x(o) >= y(o))),
    binary!("x < y in the total order", FF, any_bits, LtTotalOrder, |o| {
        pred(x(o).total_cmp(&y(o)).is_lt())
    }),
    binary!("max(x, y)", FF, either_pairs, Max, |o| {
        let nan = x(o).is_nan() || y(o).is_nan();
        let larger = if x(o).total_cmp(&y(o)).is_lt() { y(o) } else { x(o) };
        float(if nan { f32::NAN } else { larger })
    }),
    binary!("min(x, y)", FF, either_pairs, Min, |o| {
        let nan = x(o).is_nan() || y(o).is_nan();
        let smaller = if x(o).total_cmp(&y(o)).is_gt() { y(o) } else { x(o) };
        float(if nan { f32::NAN } else { smaller })
    }),
    unary!("sign(x)", F, either_pairs, Sign, |o| {
        let is_itself = x(o) == 0.0 || x(o).is_nan();
        float(if is_itself { x(o) } else { x(o).signum() })
    }),
    unary!("is_finite(x)", F, either_pairs, IsFinite, |o| pred(x(o).is_finite())),
    unary!("is_inf(x)", F, either_pairs, IsInf, |o| pred(x(o).is_infinite())),
    unary!("is_nan(x)", F, either_pairs, IsNan, |o| pred(x(o).is_nan())),
];

const ROUNDINGS: &[Case] = &[
    unary!("floor(x)", F, near_integers, Floor, |o| float(x(o).floor())),
    unary!("ceil(x)", F, near_integers, Ceil, |o| float(x(o).ceil())),
    unary!("trunc(x)", F, near_integers, Trunc, |o| float(x(o).trunc())),
    unary!("round(x)", F, near_integers, Round, |o| rounded(x(o), false)),
    unary!("round_nearest_even(x)", F, near_integers, RoundNearestEven, |o| rounded(x(o), true)),
    binary!("x % y", FF, either_pairs, Rem, |o| float(x(o) % y(o))),
];

const FROM_INTEGERS: &[Case] = &[
    case!(
        "convert(x, f32) of s32",
        &[S32],
        integer_pairs,
        |b, x, _y| b.convert_element_type(x, F32),
        |o| { float(s32(o)[0] as f32) }
    ),
    case!(
        "convert(x, f32) of u32",
        &[U32],
        integer_pairs,
        |b, x, _y| b.convert_element_type(x, F32),
        |o| { float(o[0] as f32) }
    ),
];

const TO_INTEGERS: &[Case] = &[
    case!("convert(x, s32)", F, near_integers, |b, x, _y| b.convert_element_type(x, S32), |o| {
        signed(x(o) as i32)
    }),
    case!("convert(x, u32)", F, near_integers, |b, x, _y| b.convert_element_type(x, U32), |o| {
        Bits(x(o) as u32)
    }),
    case!("convert(x, pred)", F, near_integers, |b, x, _y| b.convert_element_type(x, Pred), |o| {
        pred(x(o) != 0.0)
    }),
];

const SS: &[ElementType] = &[S32, S32];
const UU: &[ElementType] = &[U32, U32];

const INTEGERS: &[Case] = &[
    binary!("x + y", SS, integer_pairs, Add, |o| signed(s32(o)[0].wrapping_add(s32(o)[1]))),
    binary!("x - y", UU, integer_pairs, Sub, |o| Bits(o[0].wrapping_sub(o[1]))),
    binary!("x * y", SS, integer_pairs, Mul, |o| signed(s32(o)[0].wrapping_mul(s32(o)[1]))),
    binary!("x * y", UU, integer_pairs, Mul, |o| Bits(o[0].wrapping_mul(o[1]))),
    binary!("x / y", SS, integer_pairs, Div, |o| {
        let [x, y] = s32(o);
        signed(if y == 0 { -1 } else { x.wrapping_div(y) })
    }),
    binary!("x % y", UU, integer_pairs, Rem, |o| Bits(o[0].checked_rem(o[1]).unwrap_or(o[0]))),
    binary!("x < y", SS, integer_pairs, Lt, |o| pred(s32(o)[0] < s32(o)[1])),
    binary!("x < y", UU, integer_pairs, Lt, |o| pred(o[0] < o[1])),
    binary!("shift_left(x, y)", UU, integer_pairs, ShiftLeft, |o| {
        Bits(o[0].checked_shl(o[1]).unwrap_or(0))
    }),
    binary!("shift_right_logical(x, y)", SS, integer_pairs, ShiftRightLogical, |o| {
        Bits(o[0].checked_shr(o[1]).unwrap_or(0))
    }),
    binary!("shift_right_arithmetic(x, y)", SS, integer_pairs, ShiftRightArithmetic, |o| {
        signed(s32(o)[0] >> o[1].min(31))
    }),
    unary!("clz(x)", &[U32], integer_pairs, Clz, |o| Bits(o[0].leading_zeros())),
    unary!("population_count(x)", &[U32], integer_pairs, PopulationCount, |o| Bits(
        o[0].count_ones()
    )),
];

const MOVES: &[Case] = &[
    case!(
        "reverse(reverse(x)) by way of s32",
        F,
        any_bits,
        |b, x, _y| {
            let turned = b.reverse(x, &[0]).and_then(|x| b.bitcast_convert_type(x, S32))?;
            let same = b.bitcast_convert_type(turned, F32)?;
            b.reverse(same, &[0])
        },
        |o| Bits(o[0])
    ),
    unary!("-x", F, any_bits, Neg, |o| Bits(o[0] ^ 0x8000_0000)),
    unary!("abs(x)", F, any_bits, Abs, |o| Bits(o[0] & 0x7fff_ffff)),
    case!(
        "select(bits of x < bits of y, x, y)",
        FF,
        any_bits,
        |b, x, y| {
            let (low, high) = (b.bitcast_convert_type(x, U32)?, b.bitcast_convert_type(y, U32)?);
            let less = b.lt(low, high, &[])?;
            b.select(less, x, y)
        },
        |o| Bits(o[0].min(o[1]))
    ),
];
