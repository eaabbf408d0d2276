//! [`Field`]: the members of a parameter block.

use std::fmt;

/// A member of the parameter block. Positions and strides of an operand that is read in whole words
/// count words, others count elements; all are modulo 2^32.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Field {
    /// A 0 that compilers cannot know to be 0: it keeps them from contracting a product and a sum.
    Zero,
    /// The number of invocations that have work.
    Total,
    /// Workgroups in the first dimension of the dispatch.
    Fold,
    /// Units of a row (of a period, of a row of blocks).
    Columns,
    /// Tiles that cover the rows.
    Tiles,
    /// Rows (periods, rows of blocks).
    Rows,
    /// The distance in rows between two that one invocation computes.
    RowStep,
    /// Units in total, of which the last may be incomplete; inside outer dimensions, those of one
    /// round.
    Units,
    /// Elements before the first one that this dispatch writes.
    Start,
    /// The total number of elements.
    Count,
    /// The elements that are folded into one; of parts, the most.
    Folded,
    /// The elements of all parts.
    OfParts,
    /// The number of the first element that this dispatch folds, if parts are ranges.
    FirstFolded,
    /// Size of a merged dimension.
    Size(usize),
    /// First word of the spare memory after the first output, whose words are the unit of all
    /// output positions.
    Spare,
    /// The number of whole words of the first output's binding before the end of the result.
    End,
    /// Elements of the result in the word after those.
    EndElements,
    /// First word of the output.
    ResultOffset,
    /// Stride of the output along a dimension, in words.
    ResultStride(usize),
    /// The step that a carry into a dimension adds to a position in the result.
    ResultCarry(usize),
    /// The position at which a load starts.
    Offset(usize),
    /// The upper 32 bits of an iota's values, in all of the kernel's space.
    High(usize),
    /// Stride of a load along a dimension.
    Stride(usize, usize),
    /// Stride of a load from one row to the next within a period, in elements.
    RowStride(usize),
    /// The step that a carry into a dimension adds to a load's position: one along it, less the
    /// whole next inner one.
    CarryStep(usize, usize),
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Zero => f.write_str("zero"),
            Self::Total => f.write_str("total"),
            Self::Fold => f.write_str("fold"),
            Self::Columns => f.write_str("columns"),
            Self::Tiles => f.write_str("tiles"),
            Self::Rows => f.write_str("rows"),
            Self::RowStep => f.write_str("row_step"),
            Self::Units => f.write_str("units"),
            Self::Start => f.write_str("start"),
            Self::Count => f.write_str("count"),
            Self::Folded => f.write_str("folded"),
            Self::OfParts => f.write_str("of_parts"),
            Self::FirstFolded => f.write_str("first_folded"),
            Self::Size(d) => write!(f, "size_{d}"),
            Self::Spare => f.write_str("spare"),
            Self::End => f.write_str("end"),
            Self::EndElements => f.write_str("end_elements"),
            Self::ResultOffset => f.write_str("result_offset"),
            Self::ResultStride(d) => write!(f, "result_stride_{d}"),
            Self::ResultCarry(d) => write!(f, "result_carry_{d}"),
            Self::Offset(load) => write!(f, "offset_{load}"),
            Self::High(load) => write!(f, "high_{load}"),
            Self::Stride(load, d) => write!(f, "stride_{load}_{d}"),
            Self::RowStride(load) => write!(f, "row_stride_{load}"),
            Self::CarryStep(load, d) => write!(f, "carry_{load}_{d}"),
        }
    }
}
