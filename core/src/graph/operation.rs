//! [`Operation`]: what an instruction computes, with its attributes as they were given.

pub use crate::graph::moves::Move;
use crate::semantics::dims::List;
use crate::semantics::element::Scalar;
use crate::semantics::opcode::Opcode;

/// An operation with its attributes. Operands are the instruction's, and so are the element type and
/// the sizes of the result, which some operations are given.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
pub enum Operation {
    /// The parameter of this number.
    Parameter(usize),
    /// A constant of rank 0.
    Constant(
        #[cfg_attr(
            feature = "serde",
            serde(with = "crate::graph::serialized::attributes::scalar")
        )]
        Scalar,
    ),
    /// The index along a dimension.
    Iota {
        /// The dimension.
        dimension: i64,
    },
    /// A binary operation or a comparison.
    Binary {
        /// The operation, of class `Binary` or `Compare`.
        #[cfg_attr(
            feature = "serde",
            serde(with = "crate::graph::serialized::attributes::opcode")
        )]
        opcode: Opcode,
        /// The dimensions of the operand of higher rank that those of the other one match; empty if
        /// none were given.
        broadcast_dimensions: List,
    },
    /// An operation of class `Unary`, `Pair` or `Ternary`, which has no attributes.
    Elementwise(
        #[cfg_attr(
            feature = "serde",
            serde(with = "crate::graph::serialized::attributes::opcode")
        )]
        Opcode,
    ),
    ReducePrecision {
        exponent_bits: i64,
        mantissa_bits: i64,
    },
    ConvertElementType,
    BitcastConvertType,
    BroadcastInDim {
        broadcast_dimensions: List,
    },
    Broadcast,
    Transpose {
        permutation: List,
    },
    Slice {
        start_indices: List,
        limit_indices: List,
        strides: List,
    },
    Reverse {
        dimensions: List,
    },
    Reshape,
    /// An operation of class `Move`.
    Move(Move),
    /// An operation of class `Take`.
    Take {
        #[cfg_attr(
            feature = "serde",
            serde(with = "crate::graph::serialized::attributes::opcode")
        )]
        opcode: Opcode,
        /// The dimension of the operand along which elements are taken.
        dimension: i64,
    },
    /// An operation of class `Reduce`.
    Reduce {
        #[cfg_attr(
            feature = "serde",
            serde(with = "crate::graph::serialized::attributes::opcode")
        )]
        opcode: Opcode,
        /// The dimensions of the operand along which elements are combined.
        dimensions: List,
        /// The form of the operand and of the result.
        #[cfg_attr(feature = "serde", serde(skip))]
        words: Words,
    },
    /// One result of a call of a user-defined function.
    Call {
        /// The number of the function among those of the computation.
        function: usize,
        /// The number of the result among those of the function.
        result: usize,
        /// The `broadcast_dimensions` of each operand.
        broadcast_dimensions: Box<[List]>,
    },
}

/// How a reduction takes and gives sums and products that it computes in two words of F32. Builders
/// make the first kind; the others are the halves of a long reduction, see
/// [`Staged`](crate::graph::staged::Staged).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Words {
    /// It takes elements and gives elements.
    #[default]
    Rounded,
    /// It takes F32 and gives both words, as the parts of a C64.
    Given,
    /// It takes such words and gives elements.
    Taken,
}

impl Operation {
    /// Returns the opcode.
    pub fn opcode(&self) -> Opcode {
        match self {
            Self::Parameter(_) => Opcode::Parameter,
            Self::Constant(_) => Opcode::Constant,
            Self::Iota { .. } => Opcode::Iota,
            Self::Binary { opcode, .. }
            | Self::Elementwise(opcode)
            | Self::Take { opcode, .. }
            | Self::Reduce { opcode, .. } => *opcode,
            Self::ReducePrecision { .. } => Opcode::ReducePrecision,
            Self::ConvertElementType => Opcode::ConvertElementType,
            Self::BitcastConvertType => Opcode::BitcastConvertType,
            Self::BroadcastInDim { .. } => Opcode::BroadcastInDim,
            Self::Broadcast => Opcode::Broadcast,
            Self::Transpose { .. } => Opcode::Transpose,
            Self::Slice { .. } => Opcode::Slice,
            Self::Reverse { .. } => Opcode::Reverse,
            Self::Reshape => Opcode::Reshape,
            Self::Move(operation) => operation.opcode(),
            Self::Call { .. } => Opcode::Call,
        }
    }

    /// Returns the most instructions that kernels make of it, on this number of operands of at most
    /// this rank.
    #[cfg(feature = "serde")]
    pub(crate) fn expanded(&self, operands: usize, rank: usize) -> usize {
        match self {
            Self::Move(operation) => operation.expanded(operands, rank),
            Self::ReducePrecision { .. } => 3,
            // The index, with an iota, a product and a sum for each dimension.
            Self::Take { .. } => 12usize.saturating_add(rank.saturating_mul(8)),
            _ => 1,
        }
    }
}
