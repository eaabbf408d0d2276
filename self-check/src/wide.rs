//! Lists the assumptions about results of 64 bits: integers, and floats if the device has any.

use indim::{Builder, ElementType, Op, Opcode, Result, Scalar};

use crate::case::{Assumption, Case, Expected, spread};
use crate::operands::{float_pairs, integer_pairs};
use ElementType::{F32, F64, S64, U64};
use Expected::{Bits, Double, Float, Long};

fn u(row: &[u32; 2]) -> [u64; 2] {
    row.map(spread)
}

fn s(row: &[u32; 2]) -> [i64; 2] {
    u(row).map(u64::cast_signed)
}

fn d(row: &[u32; 2]) -> [f64; 2] {
    u(row).map(f64::from_bits)
}

fn binary(b: &mut Builder, operands: &[Op], opcode: Opcode) -> Result<Op> {
    match *operands {
        [x, y] => b.binary(opcode, x, y, &[]),
        _ => b.constant(Scalar::new(0u32)),
    }
}

fn unary(b: &mut Builder, operands: &[Op], opcode: Opcode) -> Result<Op> {
    match *operands {
        [x, ..] => b.unary(opcode, x),
        [] => b.constant(Scalar::new(0u32)),
    }
}

fn convert(b: &mut Builder, operands: &[Op], to: ElementType) -> Result<Op> {
    match *operands {
        [x, ..] => b.convert_element_type(x, to),
        [] => b.constant(Scalar::new(0u32)),
    }
}

macro_rules! case {
    ($operation:literal, $types:expr, $operands:expr, $opcode:ident, $expected:expr) => {
        Case {
            operation: $operation,
            types: $types,
            operands: $operands,
            build: |b, operands| binary(b, operands, Opcode::$opcode),
            expected: $expected,
        }
    };
    ($operation:literal, $type:expr, $operands:expr, of $opcode:ident, $expected:expr) => {
        Case {
            operation: $operation,
            types: $type,
            operands: $operands,
            build: |b, operands| unary(b, operands, Opcode::$opcode),
            expected: $expected,
        }
    };
    ($operation:literal, $from:expr, $operands:expr, to $to:expr, $expected:expr) => {
        Case {
            operation: $operation,
            types: $from,
            operands: $operands,
            build: |b, operands| convert(b, operands, $to),
            expected: $expected,
        }
    };
}

pub(crate) const ASSUMPTIONS: &[Assumption] = &[
    Assumption {
        text: "64-bit integers wrap, and become floats rounded to nearest even",
        native: false,
        double: false,
        cases: LONGS,
    },
    Assumption {
        text: "+, -, *, / and sqrt on f64 are correctly rounded",
        native: false,
        double: true,
        cases: DOUBLES,
    },
    Assumption {
        text: "floor and ceil on f64 are exact",
        native: false,
        double: true,
        cases: ROUNDINGS,
    },
];

const SS: &[ElementType] = &[S64, S64];
const UU: &[ElementType] = &[U64, U64];
const D: &[ElementType] = &[F64];
const DD: &[ElementType] = &[F64, F64];

const LONGS: &[Case] = &[
    case!("x + y", SS, integer_pairs, Add, |o| Long(u(o)[0].wrapping_add(u(o)[1]))),
    case!("x - y", UU, integer_pairs, Sub, |o| Long(u(o)[0].wrapping_sub(u(o)[1]))),
    case!("x * y", UU, integer_pairs, Mul, |o| Long(u(o)[0].wrapping_mul(u(o)[1]))),
    case!("x / y", SS, integer_pairs, Div, |o| {
        let [x, y] = s(o);
        Long(if y == 0 { u64::MAX } else { x.wrapping_div(y).cast_unsigned() })
    }),
    case!("x % y", UU, integer_pairs, Rem, |o| {
        let [x, y] = u(o);
        Long(x.checked_rem(y).unwrap_or(x))
    }),
    case!("x < y", SS, integer_pairs, Lt, |o| Bits(u32::from(s(o)[0] < s(o)[1]))),
    case!("x < y", UU, integer_pairs, Lt, |o| Bits(u32::from(u(o)[0] < u(o)[1]))),
    case!("convert(x, f32)", &[S64], integer_pairs, to F32, |o| Float(f64::from(s(o)[0] as f32))),
    case!("convert(x, f32)", &[U64], integer_pairs, to F32, |o| Float(f64::from(u(o)[0] as f32))),
];

const DOUBLES: &[Case] = &[
    case!("x + y", DD, float_pairs, Add, |o| Double(d(o)[0] + d(o)[1])),
    case!("x - y", DD, float_pairs, Sub, |o| Double(d(o)[0] - d(o)[1])),
    case!("x * y", DD, float_pairs, Mul, |o| Double(d(o)[0] * d(o)[1])),
    case!("x / y", DD, float_pairs, Div, |o| Double(d(o)[0] / d(o)[1])),
    case!("sqrt(x)", D, float_pairs, of Sqrt, |o| Double(d(o)[0].sqrt())),
    case!("convert(x, f64)", &[S64], integer_pairs, to F64, |o| Double(s(o)[0] as f64)),
    case!("convert(x, f32)", D, float_pairs, to F32, |o| Float(d(o)[0])),
];

const ROUNDINGS: &[Case] = &[
    case!("floor(x)", D, float_pairs, of Floor, |o| Double(d(o)[0].floor())),
    case!("ceil(x)", D, float_pairs, of Ceil, |o| Double(d(o)[0].ceil())),
    case!("trunc(x)", D, float_pairs, of Trunc, |o| Double(d(o)[0].trunc())),
    case!("round(x)", D, float_pairs, of Round, |o| Double(d(o)[0].round())),
    case!("round_nearest_even(x)", D, float_pairs, of RoundNearestEven, |o| {
        Double(d(o)[0].round_ties_even())
    }),
];
