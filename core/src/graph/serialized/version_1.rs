//! Reads version 1 of the format: the [`Builder`](crate::Builder) calls that make a computation. An
//! operation on several operands took them broadcast to one shape.

use serde::Deserialize;

use crate::graph::again::{Failure, again};
use crate::graph::build;
use crate::graph::builder::Op;
use crate::graph::computation::Instruction;
use crate::graph::operation::Operation;
use crate::graph::serialized::attributes;
use crate::graph::serialized::reader::Reader;
use crate::semantics::element::{ElementType, Scalar};
use crate::semantics::opcode::Opcode;
use crate::semantics::precision::Precision;
use crate::semantics::shape::Shape;

/// One call of a builder. An operand is the number of the earlier call that gives its value.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum Call {
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
        #[serde(with = "attributes::opcode")]
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
    #[serde(rename = "call")]
    Function {
        /// The number of the function.
        function: usize,
        /// The number of the result among the function's results.
        result: usize,
        operands: Vec<usize>,
    },
}

impl Call {
    /// Returns the numbers of the operands.
    fn operands(&self) -> Vec<usize> {
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

    /// Returns the maximum cost of the call if its operands have at most this rank, as that of an
    /// instruction.
    fn cost(&self, rank: usize) -> usize {
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
}

impl Reader {
    /// Makes a call.
    pub(super) fn call(&mut self, call: &Call) -> Result<(), String> {
        let operands = self.operands(&call.operands())?;
        let rank = self.rank(&operands);
        self.cost.add(call.cost(rank))?;
        let made = self.make(call, &operands).map_err(|why| why.to_string())?;
        self.ops.push(made);
        Ok(())
    }

    fn make(&mut self, call: &Call, operands: &[Op]) -> Result<Op, Failure> {
        let b = &mut self.builder;
        b.request_precision(None);
        let made = match (call, operands) {
            (Call::Parameter { element_type, shape }, _) => b.parameter(*element_type, shape),
            (Call::Constant { element_type, bits }, _) => {
                b.constant(Scalar::from_bits(*element_type, *bits))
            }
            (Call::Iota { element_type, sizes, dimension }, _) => {
                b.iota(*element_type, sizes, *dimension)
            }
            (Call::Elementwise { opcode, precision, .. }, _) => {
                b.request_precision(*precision);
                build::elementwise(b, *opcode, &operands.iter().collect::<Vec<_>>())
            }
            (Call::ReducePrecision { exponent_bits, mantissa_bits, .. }, &[x]) => {
                b.reduce_precision(x, *exponent_bits, *mantissa_bits)
            }
            (Call::ConvertElementType { to, .. }, &[x]) => b.convert_element_type(x, *to),
            (Call::BitcastConvertType { to, .. }, &[x]) => b.bitcast_convert_type(x, *to),
            (Call::BroadcastInDim { sizes, broadcast_dimensions, .. }, &[x]) => {
                b.broadcast_in_dim(x, sizes, broadcast_dimensions)
            }
            (Call::Transpose { permutation, .. }, &[x]) => b.transpose(x, permutation),
            (Call::Slice { start_indices, limit_indices, strides, .. }, &[x]) => {
                b.slice(x, start_indices, limit_indices, strides)
            }
            (Call::Reverse { dimensions, .. }, &[x]) => b.reverse(x, dimensions),
            (Call::Reshape { sizes, .. }, &[x]) => b.reshape(x, sizes),
            (Call::Pad { low, high, interior, .. }, &[x, value]) => {
                b.pad(x, value, low, high, interior)
            }
            (Call::Concatenate { dimension, .. }, _) => b.concatenate(operands, *dimension),
            (Call::Roll { shifts, dimensions, .. }, &[x]) => b.roll(x, shifts, dimensions),
            (Call::Function { function, result, .. }, _) => {
                let broadcast_dimensions = vec![Box::default(); operands.len()].into();
                let called = Instruction {
                    operation: Operation::Call {
                        function: *function,
                        result: *result,
                        broadcast_dimensions,
                    },
                    operands: Vec::new(),
                    // A call is given no type.
                    element_type: ElementType::F32,
                    shape: Shape::scalar(),
                    precision: None,
                };
                return again(b, &called, &self.functions, operands);
            }
            // Each call has the operands that it lists.
            _ => return Err(Failure::Data("it has other operands".to_owned())),
        };
        made.map_err(Failure::Rule)
    }
}
