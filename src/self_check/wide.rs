//! What results of 64 bits rest on: 64-bit integers, and floats where there are any.

use super::assumptions::{Assumption, Case, Want, integers, moderate};
use crate::graph::builder::{Builder, Op};
use crate::semantics::element::{ElementType, Scalar};
use crate::semantics::error::Result;
use crate::semantics::opcode::Opcode;
use ElementType::{F32, F64, S64, U64};
use Want::{Bits, Double, Float, Long};

/// The bits of an operand of 64 bits, of which a row gives the high half; the low half goes by it.
pub(super) fn spread(high: u32) -> u64 {
    let low = u64::from(high).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    u64::from(high) << 32 | low
}

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

fn convert(b: &mut Builder, operands: &[Op], to: ElementType) -> Result<Op> {
    match *operands {
        [x, ..] => b.convert_element_type(x, to),
        [] => b.constant(Scalar::new(0u32)),
    }
}

macro_rules! case {
    ($operation:literal, $types:expr, $operands:expr, $opcode:ident, $want:expr) => {
        Case {
            operation: $operation,
            types: $types,
            operands: $operands,
            build: |b, operands| binary(b, operands, Opcode::$opcode),
            want: $want,
        }
    };
    ($operation:literal, $from:expr, $operands:expr, to $to:expr, $want:expr) => {
        Case {
            operation: $operation,
            types: $from,
            operands: $operands,
            build: |b, operands| convert(b, operands, $to),
            want: $want,
        }
    };
}

pub(super) const ASSUMPTIONS: &[Assumption] = &[
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
];

const SS: &[ElementType] = &[S64, S64];
const UU: &[ElementType] = &[U64, U64];
const DD: &[ElementType] = &[F64, F64];

const LONGS: &[Case] = &[
    case!("x + y", SS, integers, Add, |o| Long(u(o)[0].wrapping_add(u(o)[1]))),
    case!("x - y", UU, integers, Sub, |o| Long(u(o)[0].wrapping_sub(u(o)[1]))),
    case!("x * y", UU, integers, Mul, |o| Long(u(o)[0].wrapping_mul(u(o)[1]))),
    case!("x / y", SS, integers, Div, |o| {
        let [x, y] = s(o);
        Long(if y == 0 { u64::MAX } else { x.wrapping_div(y).cast_unsigned() })
    }),
    case!("x % y", UU, integers, Rem, |o| {
        let [x, y] = u(o);
        Long(x.checked_rem(y).unwrap_or(x))
    }),
    case!("x < y", SS, integers, Lt, |o| Bits(u32::from(s(o)[0] < s(o)[1]))),
    case!("x < y", UU, integers, Lt, |o| Bits(u32::from(u(o)[0] < u(o)[1]))),
    case!("convert(x, f32)", &[S64], integers, to F32, |o| Float(f64::from(s(o)[0] as f32))),
    case!("convert(x, f32)", &[U64], integers, to F32, |o| Float(f64::from(u(o)[0] as f32))),
];

const DOUBLES: &[Case] = &[
    case!("x + y", DD, moderate, Add, |o| Double(d(o)[0] + d(o)[1])),
    case!("x - y", DD, moderate, Sub, |o| Double(d(o)[0] - d(o)[1])),
    case!("x * y", DD, moderate, Mul, |o| Double(d(o)[0] * d(o)[1])),
    case!("x / y", DD, moderate, Div, |o| Double(d(o)[0] / d(o)[1])),
    Case {
        operation: "sqrt(x)",
        types: &[F64],
        operands: moderate,
        build: |b, operands| match *operands {
            [x, ..] => b.unary(Opcode::Sqrt, x),
            [] => b.constant(Scalar::new(0u32)),
        },
        want: |o| Double(d(o)[0].sqrt()),
    },
    case!("convert(x, f64)", &[S64], integers, to F64, |o| Double(s(o)[0] as f64)),
    case!("convert(x, f32)", &[F64], moderate, to F32, |o| Float(d(o)[0])),
];
