//! What results rest on and nothing guards, as cases that show it: ARCHITECTURE.md, "What floats
//! rest on".

use super::{division, hard, inputs, truths};
use crate::graph::builder::{Builder, Op};
use crate::semantics::element::{ElementType, Scalar};
use crate::semantics::error::Result;
use crate::semantics::opcode::Opcode;
use ElementType::{F32, Pred, S32, U32};

pub(super) struct Assumption {
    pub(super) text: &'static str,
    /// Whether it is about the adapter's own quotients and roots, whatever the context takes.
    pub(super) native: bool,
    /// Whether it is about F64, which not every device has.
    pub(super) double: bool,
    pub(super) cases: &'static [Case],
}

/// One operation, or some in one kernel, on operands of these types: of 32 bits, or of 64, of which
/// a row has the high half ([`wide`](super::wide)).
pub(super) struct Case {
    pub(super) operation: &'static str,
    pub(super) types: &'static [ElementType],
    pub(super) operands: fn() -> Vec<[u32; 2]>,
    pub(super) build: fn(&mut Builder, &[Op]) -> Result<Op>,
    pub(super) want: fn(&[u32; 2]) -> Want,
}

/// What a result must be.
#[derive(Debug)]
pub(super) enum Want {
    /// These bits.
    Bits(u32),
    /// This value rounded to a float, any NaN for a NaN; a subnormal one may be flushed.
    Float(f64),
    /// These bits, of a result of 64.
    Long(u64),
    /// This float, any NaN for a NaN; a subnormal one may be flushed.
    Double(f64),
    /// This value within so many units in the last place.
    Within(f64, f32),
}

use Want::{Bits, Float, Within};

// ---- operands -----------------------------------------------------------------------------------

fn floats(pairs: Vec<[f32; 2]>) -> Vec<[u32; 2]> {
    pairs.into_iter().map(|pair| pair.map(f32::to_bits)).collect()
}

fn singles(values: Vec<f32>) -> Vec<[u32; 2]> {
    values.into_iter().map(|x| [x.to_bits(), 0]).collect()
}

pub(super) fn moderate() -> Vec<[u32; 2]> {
    floats(inputs::moderate())
}

fn special() -> Vec<[u32; 2]> {
    floats(inputs::special_pairs())
}

fn both() -> Vec<[u32; 2]> {
    [moderate(), special()].concat()
}

fn quotients() -> Vec<[u32; 2]> {
    [floats(hard::quotients()), floats(inputs::boundary_pairs()), both()].concat()
}

fn divisors() -> Vec<[u32; 2]> {
    singles(division::divisors())
}

fn roots() -> Vec<[u32; 2]> {
    [singles(hard::roots()), singles(inputs::positive()), singles(inputs::special())].concat()
}

fn near_integers() -> Vec<[u32; 2]> {
    singles(inputs::near_integers())
}

pub(super) fn integers() -> Vec<[u32; 2]> {
    inputs::integers()
}

/// Any bits, and others.
fn bits() -> Vec<[u32; 2]> {
    let all = inputs::bits();
    all.iter().zip(all.iter().rev()).map(|(&x, &y)| [x, y]).collect()
}

/// Arguments of functions, from -`most` to `most`.
fn about(most: f32) -> Vec<[u32; 2]> {
    let values = inputs::moderate().into_iter().map(|[x, _]| x % most);
    singles(values.filter(|x| x.is_normal()).collect())
}

// ---- results ------------------------------------------------------------------------------------

fn x(row: &[u32; 2]) -> f32 {
    f32::from_bits(row[0])
}

fn y(row: &[u32; 2]) -> f32 {
    f32::from_bits(row[1])
}

fn wide(x: f32) -> f64 {
    f64::from(x)
}

/// A float that was rounded on the way.
fn float(value: f32) -> Want {
    Float(f64::from(value))
}

fn truth(value: bool) -> Want {
    Bits(u32::from(value))
}

fn s32(row: &[u32; 2]) -> [i32; 2] {
    row.map(u32::cast_signed)
}

fn signed(value: i32) -> Want {
    Bits(value.cast_unsigned())
}

/// Half away from zero, and half to even, on floats of which doubling is exact.
fn rounded(value: f32, to_even: bool) -> Want {
    float(if to_even { value.round_ties_even() } else { value.round() })
}

// ---- cases --------------------------------------------------------------------------------------

const FF: &[ElementType] = &[F32, F32];
const F: &[ElementType] = &[F32];

macro_rules! case {
    ($operation:literal, $types:expr, $operands:expr, |$b:ident, $x:ident, $y:ident| $build:expr, $want:expr) => {
        Case {
            operation: $operation,
            types: $types,
            operands: $operands,
            build: |$b, operands| {
                // A unary case has one operand, which it is given twice.
                let (Some(&$x), Some(&$y)) = (operands.first(), operands.last()) else {
                    return $b.constant(Scalar::new(0.0f32));
                };
                $build
            },
            want: $want,
        }
    };
}

/// A unary operation.
macro_rules! unary {
    ($operation:literal, $types:expr, $operands:expr, $opcode:ident, $want:expr) => {
        case!($operation, $types, $operands, |b, x, _y| b.unary(Opcode::$opcode, x), $want)
    };
}

/// A binary operation.
macro_rules! binary {
    ($operation:literal, $types:expr, $operands:expr, $opcode:ident, $want:expr) => {
        case!($operation, $types, $operands, |b, x, y| b.binary(Opcode::$opcode, x, y, &[]), $want)
    };
}

const fn assumption(text: &'static str, cases: &'static [Case]) -> Assumption {
    Assumption { text, native: false, double: false, cases }
}

const fn native(text: &'static str, cases: &'static [Case]) -> Assumption {
    Assumption { text, native: true, double: false, cases }
}

const QUOTIENTS: &[Case] = &[
    binary!("x / y", FF, quotients, Div, |o| Float(wide(x(o)) / wide(y(o)))),
    unary!("reciprocal(x)", F, divisors, Reciprocal, |o| Float(1.0 / wide(x(o)))),
];

const ROOTS: &[Case] = &[unary!("sqrt(x)", F, roots, Sqrt, |o| Float(wide(x(o)).sqrt()))];

/// In the order of ARCHITECTURE.md.
pub(super) const ASSUMPTIONS: &[Assumption] = &[
    assumption("+, - and * on f32 are correctly rounded", SUMS),
    assumption("+, - and * follow IEEE 754 for NaN, infinities and zeros", SPECIAL),
    assumption("no compiler rewrites operations across a guard", GUARDED),
    assumption("no compiler knows the zero in the parameter block", UNKNOWN_ZERO),
    assumption("no compiler regroups the parts of a function", FUNCTIONS),
    assumption("compares, extremes and signs see NaN and the signs of zeros", ORDER),
    assumption("floor, ceil, round and trunc are exact", ROUNDINGS),
    assumption("integers become floats rounded to nearest even", FROM_INTEGERS),
    assumption("floats become integers truncated and saturated", TO_INTEGERS),
    assumption("integers wrap, and shift by any amount", INTEGERS),
    assumption("bits survive moves", MOVES),
    assumption("quotients are correctly rounded, as they are computed here", QUOTIENTS),
    assumption("square roots are correctly rounded, as they are computed here", ROOTS),
    native("native quotients are correctly rounded", QUOTIENTS),
    native("native square roots are correctly rounded", ROOTS),
];

const SUMS: &[Case] = &[
    binary!("x + y", FF, moderate, Add, |o| float(x(o) + y(o))),
    binary!("x - y", FF, moderate, Sub, |o| float(x(o) - y(o))),
    binary!("x * y", FF, moderate, Mul, |o| float(x(o) * y(o))),
    unary!("square(x)", F, moderate, Square, |o| float(x(o) * x(o))),
];

const SPECIAL: &[Case] = &[
    binary!("x + y", FF, special, Add, |o| Float(wide(x(o)) + wide(y(o)))),
    binary!("x - y", FF, special, Sub, |o| Float(wide(x(o)) - wide(y(o)))),
    binary!("x * y", FF, special, Mul, |o| Float(wide(x(o)) * wide(y(o)))),
];

#[allow(clippy::suboptimal_flops, reason = "a fused form is what must not be computed")]
const GUARDED: &[Case] = &[
    case!(
        "x * y + y",
        FF,
        both,
        |b, x, y| {
            let product = b.mul(x, y, &[])?;
            b.add(product, y, &[])
        },
        |o| float(x(o) * y(o) + y(o))
    ),
    case!(
        "x * y - x * x",
        FF,
        moderate,
        |b, x, y| {
            let (product, square) = (b.mul(x, y, &[])?, b.square(x)?);
            b.sub(product, square, &[])
        },
        |o| float(x(o) * y(o) - x(o) * x(o))
    ),
    case!(
        "(x + y) - x",
        FF,
        both,
        |b, x, y| {
            let sum = b.add(x, y, &[])?;
            b.sub(sum, x, &[])
        },
        |o| float((x(o) + y(o)) - x(o))
    ),
    case!(
        "(x - y) + y",
        FF,
        both,
        |b, x, y| {
            let difference = b.sub(x, y, &[])?;
            b.add(difference, y, &[])
        },
        |o| float((x(o) - y(o)) + y(o))
    ),
    case!(
        "(x + y) + y",
        FF,
        moderate,
        |b, x, y| {
            let sum = b.add(x, y, &[])?;
            b.add(sum, y, &[])
        },
        |o| float((x(o) + y(o)) + y(o))
    ),
    case!(
        "(x * 0.1) * 0.3",
        F,
        moderate,
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
        special,
        |b, x, _y| {
            let twice = b.neg(x).and_then(|negated| b.neg(negated))?;
            b.sub(twice, x, &[])
        },
        |o| float(-(-x(o)) - x(o))
    ),
    case!(
        "(x + y) > x",
        FF,
        both,
        |b, x, y| {
            let sum = b.add(x, y, &[])?;
            b.gt(sum, x, &[])
        },
        |o| truth(x(o) + y(o) > x(o))
    ),
];

#[allow(clippy::eq_op, reason = "x - x is not 0 for infinity")]
const UNKNOWN_ZERO: &[Case] = &[
    case!(
        "x * imag(y)",
        FF,
        special,
        |b, x, y| {
            let zero = b.imag(y)?;
            b.mul(x, zero, &[])
        },
        |o| float(x(o) * 0.0)
    ),
    case!(
        "x + imag(y)",
        FF,
        special,
        |b, x, y| {
            let zero = b.imag(y)?;
            b.add(x, zero, &[])
        },
        |o| float(x(o) + 0.0)
    ),
    case!("x - x", F, special, |b, x, _y| b.sub(x, x, &[]), |o| float(x(o) - x(o))),
];

/// Errors that no rearranged form keeps to; `indim-accuracy` has the exact ones.
const FUNCTIONS: &[Case] = &[
    unary!("exp(x)", F, || about(88.0), Exp, |o| Within(wide(x(o)).exp(), 1.0)),
    unary!("log(x)", F, || singles(inputs::positive()), Log, |o| Within(wide(x(o)).ln(), 1.0)),
    unary!("log1p(x)", F, || singles(inputs::positive()), Log1p, |o| {
        Within(wide(x(o)).ln_1p(), 1.0)
    }),
    unary!("cbrt(x)", F, moderate, Cbrt, |o| Within(wide(x(o)).cbrt(), 1.0)),
    unary!("sin(x)", F, moderate, Sin, |o| Within(wide(x(o)).sin(), 2.0)),
    unary!("tan(x)", F, moderate, Tan, |o| Within(wide(x(o)).tan(), 4.0)),
    unary!("sinh(x)", F, || about(88.0), Sinh, |o| Within(wide(x(o)).sinh(), 3.0)),
    case!(
        "pow(|x|, y)",
        FF,
        moderate,
        |b, x, y| {
            let base = b.abs(x)?;
            b.pow(base, y, &[])
        },
        |o| Within(wide(x(o).abs()).powf(wide(y(o))), 4.0)
    ),
    binary!("atan2(x, y)", FF, moderate, Atan2, |o| Within(wide(x(o)).atan2(wide(y(o))), 3.0)),
    unary!("erfc(x)", F, || truths::arguments(truths::ERFC), Erfc, |o| {
        Within(truths::value(truths::ERFC, x(o)), 4.0)
    }),
    unary!("erf_inv(x)", F, || truths::arguments(truths::ERF_INV), ErfInv, |o| {
        Within(truths::value(truths::ERF_INV, x(o)), 4.0)
    }),
    unary!("lgamma(x)", F, || truths::arguments(truths::LGAMMA), Lgamma, |o| {
        Within(truths::value(truths::LGAMMA, x(o)), 4.0)
    }),
    unary!("digamma(x)", F, || truths::arguments(truths::DIGAMMA), Digamma, |o| {
        Within(truths::value(truths::DIGAMMA, x(o)), 4.0)
    }),
];

const ORDER: &[Case] = &[
    binary!("x == y", FF, both, Eq, |o| truth(x(o) == y(o))),
    binary!("x != y", FF, both, Ne, |o| truth(x(o) != y(o))),
    binary!("x < y", FF, both, Lt, |o| truth(x(o) < y(o))),
    binary!("x >= y", FF, both, Ge, |o| truth(x(o) >= y(o))),
    binary!("x < y in the total order", FF, bits, LtTotalOrder, |o| {
        truth(x(o).total_cmp(&y(o)).is_lt())
    }),
    binary!("max(x, y)", FF, both, Max, |o| {
        let nan = x(o).is_nan() || y(o).is_nan();
        let larger = if x(o).total_cmp(&y(o)).is_lt() { y(o) } else { x(o) };
        float(if nan { f32::NAN } else { larger })
    }),
    binary!("min(x, y)", FF, both, Min, |o| {
        let nan = x(o).is_nan() || y(o).is_nan();
        let smaller = if x(o).total_cmp(&y(o)).is_gt() { y(o) } else { x(o) };
        float(if nan { f32::NAN } else { smaller })
    }),
    unary!("sign(x)", F, both, Sign, |o| {
        let is_itself = x(o) == 0.0 || x(o).is_nan();
        float(if is_itself { x(o) } else { x(o).signum() })
    }),
    unary!("is_finite(x)", F, both, IsFinite, |o| truth(x(o).is_finite())),
];

const ROUNDINGS: &[Case] = &[
    unary!("floor(x)", F, near_integers, Floor, |o| float(x(o).floor())),
    unary!("ceil(x)", F, near_integers, Ceil, |o| float(x(o).ceil())),
    unary!("round(x)", F, near_integers, Round, |o| rounded(x(o), false)),
    unary!("round_nearest_even(x)", F, near_integers, RoundNearestEven, |o| rounded(x(o), true)),
    binary!("x % y", FF, both, Rem, |o| float(x(o) % y(o))),
];

const FROM_INTEGERS: &[Case] = &[
    case!(
        "convert(x, f32) of s32",
        &[S32],
        integers,
        |b, x, _y| b.convert_element_type(x, F32),
        |o| { float(s32(o)[0] as f32) }
    ),
    case!(
        "convert(x, f32) of u32",
        &[U32],
        integers,
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
        truth(x(o) != 0.0)
    }),
];

const SS: &[ElementType] = &[S32, S32];
const UU: &[ElementType] = &[U32, U32];

const INTEGERS: &[Case] = &[
    binary!("x + y", SS, integers, Add, |o| signed(s32(o)[0].wrapping_add(s32(o)[1]))),
    binary!("x - y", UU, integers, Sub, |o| Bits(o[0].wrapping_sub(o[1]))),
    binary!("x * y", SS, integers, Mul, |o| signed(s32(o)[0].wrapping_mul(s32(o)[1]))),
    binary!("x * y", UU, integers, Mul, |o| Bits(o[0].wrapping_mul(o[1]))),
    binary!("x / y", SS, integers, Div, |o| {
        let [x, y] = s32(o);
        signed(if y == 0 { -1 } else { x.wrapping_div(y) })
    }),
    binary!("x % y", UU, integers, Rem, |o| Bits(o[0].checked_rem(o[1]).unwrap_or(o[0]))),
    binary!("x < y", SS, integers, Lt, |o| truth(s32(o)[0] < s32(o)[1])),
    binary!("x < y", UU, integers, Lt, |o| truth(o[0] < o[1])),
    binary!("shift_left(x, y)", UU, integers, ShiftLeft, |o| {
        Bits(o[0].checked_shl(o[1]).unwrap_or(0))
    }),
    binary!("shift_right_logical(x, y)", SS, integers, ShiftRightLogical, |o| {
        Bits(o[0].checked_shr(o[1]).unwrap_or(0))
    }),
    binary!("shift_right_arithmetic(x, y)", SS, integers, ShiftRightArithmetic, |o| {
        signed(s32(o)[0] >> o[1].min(31))
    }),
    unary!("clz(x)", &[U32], integers, Clz, |o| Bits(o[0].leading_zeros())),
    unary!("population_count(x)", &[U32], integers, PopulationCount, |o| Bits(o[0].count_ones())),
];

const MOVES: &[Case] = &[
    case!(
        "reverse(reverse(x)) by way of s32",
        F,
        bits,
        |b, x, _y| {
            let turned = b.reverse(x, &[0]).and_then(|x| b.bitcast_convert_type(x, S32))?;
            let same = b.bitcast_convert_type(turned, F32)?;
            b.reverse(same, &[0])
        },
        |o| Bits(o[0])
    ),
    unary!("-x", F, bits, Neg, |o| Bits(o[0] ^ 0x8000_0000)),
    unary!("abs(x)", F, bits, Abs, |o| Bits(o[0] & 0x7fff_ffff)),
    case!(
        "select(bits of x < bits of y, x, y)",
        FF,
        bits,
        |b, x, y| {
            let (low, high) = (b.bitcast_convert_type(x, U32)?, b.bitcast_convert_type(y, U32)?);
            let less = b.lt(low, high, &[])?;
            b.select(less, x, y)
        },
        |o| Bits(o[0].min(o[1]))
    ),
];
