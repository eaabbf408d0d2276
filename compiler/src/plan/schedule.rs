//! [`Schedule`]: the name of each walk through a space.

use std::fmt;

/// How invocations traverse the iteration space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Schedule {
    /// The space has one dimension; invocations compute units of the flat result.
    Flat,
    /// The inner size is a multiple of the unit: an invocation computes one unit of each row of
    /// a tile, and what does not vary from row to row is loaded and computed once.
    Rows,
    /// The inner size is not a multiple of the unit, but the size of a few rows together is. Such a
    /// group of rows is a period, and invocations traverse periods like rows.
    Periods,
    /// Rows have 2 to 4 elements: a unit is whole rows, and each element's position in its row is
    /// fixed in the text.
    Short,
    /// An operand is transposed: an invocation computes a square block, a unit in either direction.
    Blocks,
    /// Nothing else fits: units may span rows, and each element finds its operands by stepping an
    /// index with carry.
    Carry,
    /// A reduction: an invocation computes one element of the result, from units along the reduced
    /// dimensions.
    FoldRows,
    /// A reduction: an invocation computes a unit of the result, from one of each row.
    FoldColumns,
    /// Reductions whose results stand beside what is reduced: an invocation, or a few of a workgroup,
    /// pass over a row several times, to fold it and then to store what is made of it.
    Passes,
    /// A cumulative operation: an invocation walks through a block of elements, or a unit of neighbouring
    /// blocks, and stores at each element what it has combined so far.
    Scan,
}

impl fmt::Display for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Flat => "flat",
            Self::Rows => "rows",
            Self::Periods => "periods",
            Self::Short => "short",
            Self::Blocks => "blocks",
            Self::Carry => "carry",
            Self::FoldRows => "fold_rows",
            Self::FoldColumns => "fold_columns",
            Self::Passes => "passes",
            Self::Scan => "scan",
        })
    }
}
