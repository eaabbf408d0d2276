//! [`Call`]: a computation as the [`Builder`] calls that make it, which is how it is stored.

use std::fmt;

#[cfg(feature = "serde")]
use serde::de::{self, Deserialize, Deserializer};
#[cfg(feature = "serde")]
use serde::ser::Serializer;

use crate::graph::build;
use crate::graph::builder::{Builder, Op};
use crate::graph::function::body::SharedFunction;
#[cfg(feature = "functions")]
use crate::graph::function::wgsl::Function;
use crate::semantics::element::{ElementType, Scalar};
use crate::semantics::error::Error;
use crate::semantics::opcode::Opcode;
use crate::semantics::precision::Precision;
use crate::semantics::shape::Shape;

/// The maximum cost of the calls of one computation, as counted by [`Call::cost`]: some 2 million
/// operations of rank 2. They take about 1 GB of memory.
pub(crate) const MOST_COST: usize = 1 << 25;

/// One call of a builder. An operand is the number of the earlier call that gives its value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
pub(crate) enum Call {
    Parameter {
        element_type: ElementType,
        shape: Shape,
    },
    /// A constant by its bit pattern, which preserves each NaN and -0.
    Constant {
        element_type: ElementType,
        bits: u64,
    },
    Iota {
        element_type: ElementType,
        sizes: Vec<i64>,
        dimension: i64,
    },
    /// An operation on operands that have the result's shape.
    Elementwise {
        #[cfg_attr(
            feature = "serde",
            serde(serialize_with = "write_method", deserialize_with = "read_method")
        )]
        opcode: Opcode,
        operands: Vec<usize>,
        precision: Option<Precision>,
    },
    ReducePrecision {
        operand: usize,
        exponent_bits: i64,
        mantissa_bits: i64,
    },
    ConvertElementType {
        operand: usize,
        to: ElementType,
    },
    BitcastConvertType {
        operand: usize,
        to: ElementType,
    },
    BroadcastInDim {
        operand: usize,
        sizes: Vec<i64>,
        broadcast_dimensions: Vec<i64>,
    },
    Transpose {
        operand: usize,
        permutation: Vec<i64>,
    },
    Slice {
        operand: usize,
        start_indices: Vec<i64>,
        limit_indices: Vec<i64>,
        strides: Vec<i64>,
    },
    Reverse {
        operand: usize,
        dimensions: Vec<i64>,
    },
    Reshape {
        operand: usize,
        sizes: Vec<i64>,
    },
    Pad {
        operand: usize,
        padding_value: usize,
        low: Vec<i64>,
        high: Vec<i64>,
        interior: Vec<i64>,
    },
    Concatenate {
        operands: Vec<usize>,
        dimension: i64,
    },
    Roll {
        operand: usize,
        shifts: Vec<i64>,
        dimensions: Vec<i64>,
    },
    /// One result of a call of a user-defined function, on operands that have the result's shape.
    #[cfg_attr(feature = "serde", serde(rename = "call"))]
    Function {
        /// The number of the function.
        function: usize,
        /// The number of the result among the function's results.
        result: usize,
        operands: Vec<usize>,
    },
}

/// Why a call could not be made.
#[derive(Debug)]
pub(crate) enum CallFailure {
    /// The builder refused it.
    Rule(Error),
    /// It refers to something that is not there, which only stored data does.
    Data(String),
}

impl fmt::Display for CallFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rule(error) => error.fmt(f),
            Self::Data(reason) => reason.fmt(f),
        }
    }
}

/// Writes an operation by its name in snake case.
#[cfg(feature = "serde")]
fn write_method<S: Serializer>(
    opcode: &Opcode,
    serializer: S,
) -> std::result::Result<S::Ok, S::Error> {
    serializer.serialize_str(opcode.method())
}

#[cfg(feature = "serde")]
fn read_method<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<Opcode, D::Error> {
    let method = String::deserialize(deserializer)?;
    let unknown = || de::Error::custom(format_args!("there is no operation {method:?}"));
    Opcode::from_method(&method).ok_or_else(unknown)
}

impl Call {
    /// Returns the call of a move with these operands and the lists after them, as
    /// [`MoveCall`](crate::graph::build::move_call::MoveCall) has them.
    pub(crate) fn of_move(
        opcode: Opcode,
        operands: &[usize],
        attributes: &[Vec<i64>],
    ) -> std::result::Result<Self, String> {
        match (opcode, operands, attributes) {
            (Opcode::Pad, &[operand, padding_value], [low, high, interior]) => {
                let [low, high, interior] = [low, high, interior].map(Vec::clone);
                Ok(Self::Pad { operand, padding_value, low, high, interior })
            }
            (Opcode::Concatenate, operands, [dimension]) if dimension.len() == 1 => {
                Ok(Self::Concatenate { operands: operands.to_vec(), dimension: dimension[0] })
            }
            (Opcode::Roll, &[operand], [shifts, dimensions]) => {
                let (shifts, dimensions) = (shifts.clone(), dimensions.clone());
                Ok(Self::Roll { operand, shifts, dimensions })
            }
            _ => Err(format!("{} was recorded with other arguments than it has", opcode.method())),
        }
    }

    /// Returns the numbers of the operands.
    pub(crate) fn operands(&self) -> Vec<usize> {
        match self {
            Self::Parameter { .. } | Self::Constant { .. } | Self::Iota { .. } => Vec::new(),
            Self::Elementwise { operands, .. }
            | Self::Concatenate { operands, .. }
            | Self::Function { operands, .. } => operands.clone(),
            Self::ReducePrecision { operand, .. }
            | Self::ConvertElementType { operand, .. }
            | Self::BitcastConvertType { operand, .. }
            | Self::BroadcastInDim { operand, .. }
            | Self::Transpose { operand, .. }
            | Self::Slice { operand, .. }
            | Self::Reverse { operand, .. }
            | Self::Reshape { operand, .. }
            | Self::Roll { operand, .. } => vec![*operand],
            Self::Pad { operand, padding_value, .. } => vec![*operand, *padding_value],
        }
    }

    /// Returns the maximum cost of the call if its operands have at most this rank: 8 for each
    /// instruction that it adds, and 3 for each dimension of one. A call that adds much is thus
    /// refused before it is added.
    pub(crate) fn cost(&self, rank: usize) -> usize {
        // A bitcast may add a dimension.
        let own = match self {
            Self::Parameter { shape, .. } => shape.rank(),
            Self::Iota { sizes, .. }
            | Self::BroadcastInDim { sizes, .. }
            | Self::Reshape { sizes, .. } => sizes.len(),
            _ => rank.saturating_add(1),
        };
        let instructions = match self {
            Self::Pad { .. } => 8usize.saturating_add(rank.saturating_mul(4)),
            Self::Concatenate { operands, .. } => operands.len().saturating_mul(5),
            Self::Roll { dimensions, .. } => dimensions.len().saturating_mul(5),
            Self::ReducePrecision { .. } => 3,
            _ => 1,
        };
        let dimensions = own.max(rank).saturating_mul(3);
        instructions.saturating_mul(dimensions.saturating_add(8))
    }

    /// Makes the call, with the values of the earlier ones. The builder checks every rule.
    pub(crate) fn make(
        &self,
        builder: &mut Builder,
        functions: &[SharedFunction],
        operand: impl Fn(usize) -> Op,
    ) -> std::result::Result<Op, CallFailure> {
        let b = builder;
        b.request_precision(None);
        let made = match self {
            Self::Parameter { element_type, shape } => b.parameter(*element_type, shape),
            Self::Constant { element_type, bits } => {
                b.constant(Scalar::from_bits(*element_type, *bits))
            }
            Self::Iota { element_type, sizes, dimension } => {
                b.iota(*element_type, sizes, *dimension)
            }
            Self::Elementwise { opcode, operands, precision } => {
                b.request_precision(*precision);
                let operands: Vec<Op> = operands.iter().map(|&id| operand(id)).collect();
                build::elementwise(b, *opcode, &operands.iter().collect::<Vec<_>>())
            }
            Self::ReducePrecision { operand: x, exponent_bits, mantissa_bits } => {
                b.reduce_precision(operand(*x), *exponent_bits, *mantissa_bits)
            }
            Self::ConvertElementType { operand: x, to } => b.convert_element_type(operand(*x), *to),
            Self::BitcastConvertType { operand: x, to } => b.bitcast_convert_type(operand(*x), *to),
            Self::BroadcastInDim { operand: x, sizes, broadcast_dimensions } => {
                b.broadcast_in_dim(operand(*x), sizes, broadcast_dimensions)
            }
            Self::Transpose { operand: x, permutation } => b.transpose(operand(*x), permutation),
            Self::Slice { operand: x, start_indices, limit_indices, strides } => {
                b.slice(operand(*x), start_indices, limit_indices, strides)
            }
            Self::Reverse { operand: x, dimensions } => b.reverse(operand(*x), dimensions),
            Self::Reshape { operand: x, sizes } => b.reshape(operand(*x), sizes),
            Self::Pad { operand: x, padding_value, low, high, interior } => {
                b.pad(operand(*x), operand(*padding_value), low, high, interior)
            }
            Self::Concatenate { operands, dimension } => {
                let operands: Vec<Op> = operands.iter().map(|&id| operand(id)).collect();
                b.concatenate(&operands, *dimension)
            }
            Self::Roll { operand: x, shifts, dimensions } => {
                b.roll(operand(*x), shifts, dimensions)
            }
            Self::Function { function, result, operands } => {
                let operands: Vec<Op> = operands.iter().map(|&id| operand(id)).collect();
                let called = functions.get(*function).ok_or_else(|| {
                    let count = functions.len();
                    CallFailure::Data(format!(
                        "function {function} is called, and there are {count}"
                    ))
                })?;
                return call(b, called, *result, &operands);
            }
        };
        made.map_err(CallFailure::Rule)
    }
}

/// Adds one result of a call of a function.
#[cfg(feature = "functions")]
fn call(
    builder: &mut Builder,
    function: &SharedFunction,
    result: usize,
    operands: &[Op],
) -> std::result::Result<Op, CallFailure> {
    let function = Function { shared: function.clone() };
    let made = builder.call_result(&function, result, operands).map_err(CallFailure::Rule)?;
    made.ok_or_else(|| {
        let (name, count) = (function.name(), function.results().len());
        CallFailure::Data(format!(
            "result {result} of `{name}` is used, and it has {count}, counted from 0"
        ))
    })
}

/// Returns the refusal of a function if none was read.
#[cfg(not(feature = "functions"))]
fn call(
    _: &mut Builder,
    function: &SharedFunction,
    _: usize,
    _: &[Op],
) -> std::result::Result<Op, CallFailure> {
    let name = &function.0.name;
    Err(CallFailure::Data(format!("`{name}` is called, and functions are not compiled in")))
}
