//! The rules that an operation can break, one label each. Docs, error variants and tests name
//! them by these labels; the statements follow XLA's broadcasting document and, where that is
//! looser than XLA itself, XLA.

use std::fmt;

macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $name:ident = $statement:literal,)*) => {
        /// A rule of shapes or types, by its label.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Rule {
            $($(#[doc = $doc])+ $name,)*
        }

        impl Rule {
            /// Every rule, in the order in which they are explained.
            pub const ALL: &'static [Rule] = &[$(Rule::$name),*];

            /// The label, such as `B1`.
            pub const fn label(self) -> &'static str {
                match self { $(Rule::$name => stringify!($name),)* }
            }

            /// What the rule asks for.
            pub const fn statement(self) -> &'static str {
                match self { $(Rule::$name => $statement,)* }
            }
        }
    };
}

rules! {
    /// Ranks differ and no `broadcast_dimensions` are given.
    B1 = "operands of different ranks need broadcast_dimensions, unless one is a scalar (rank 0)",
    /// `broadcast_dimensions` of the wrong length.
    B2 = "broadcast_dimensions has one entry for each dimension of the lower-rank operand",
    /// A negative broadcast dimension.
    B3 = "no entry of broadcast_dimensions is negative",
    /// A broadcast dimension that the higher-rank operand lacks.
    B4 = "each entry of broadcast_dimensions is a dimension of the higher-rank operand",
    /// Sizes of matched dimensions differ.
    B5 = "matched dimensions have equal sizes, or one of them is 1",
    /// Order of `broadcast_dimensions`.
    B6 = "broadcast_dimensions is strictly increasing",
    /// Equal ranks take no other `broadcast_dimensions` than the identity.
    B7 = "between operands of equal rank broadcast_dimensions is empty or the identity",
    /// Degenerate dimensions.
    B8 = "in each dimension the sizes are equal or one of them is 1; the result takes the other",
    /// `in_dim` describes the operand that it is called on.
    B9 = "in_dim stands on the lower-rank operand of a binary operation, and on one operand only",
    /// The op does not take this element type.
    T1 = "the operation accepts the element type of its operands",
    /// Element types differ.
    T2 = "operands have one element type; conversions are explicit",
    /// Select's first operand is PRED.
    T3 = "the first operand of select is PRED",
    /// A bitcast has whole elements to make.
    T4 = "bitcast_convert_type takes pred and complex types to themselves only, and to a wider type only where the last dimension holds one element of it",
    /// `reduce_precision`'s format exists.
    T5 = "the format of reduce_precision has 1 exponent bit or more and 0 mantissa bits or more",
    /// Select, clamp and `next_after` broadcast scalars only.
    S1 = "select, clamp and next_after take operands of one shape or scalars (rank 0), nothing else broadcasts",
    /// `broadcast_in_dim` does not lower the rank.
    D1 = "the output of broadcast_in_dim has at least the operand's rank",
    /// `broadcast_in_dim`'s dims are of the operand's rank.
    D2 = "broadcast_in_dim has one entry of broadcast_dimensions for each dimension of its operand",
    /// `broadcast_in_dim`'s dims lie in the output.
    D3 = "each entry of broadcast_dimensions is a dimension of the output",
    /// `broadcast_in_dim`'s sizes fit.
    D4 = "each operand size of broadcast_in_dim is 1 or the output's",
    /// `broadcast_in_dim`'s dims increase.
    D5 = "broadcast_dimensions of broadcast_in_dim is strictly increasing",
    /// A permutation.
    V1 = "the permutation of transpose has each dimension of the operand once",
    /// As many starts, limits and strides as dimensions.
    V2 = "slice has one start, one limit and one stride for each dimension of its operand",
    /// Starts and limits are in order and in range.
    V3 = "in each dimension of a slice 0 <= start <= limit <= size",
    /// Slices walk forwards.
    V4 = "strides of slice are 1 or more",
    /// What is reversed exists.
    V5 = "the dimensions of reverse are dimensions of its operand, each at most once",
    /// A reshape keeps the elements.
    V6 = "the new sizes of reshape are for as many elements as the operand has",
    /// Sizes are not negative.
    N1 = "sizes are 0 or more",
    /// `iota`'s dimension exists.
    I1 = "iota_dimension is a dimension of the shape",
    /// Elements and bytes can be counted.
    C1 = "an array has at most 2^63 - 1 elements, and bytes that can be counted",
    /// NumPy's implicit rule (the `numpy` module only).
    P1 = "aligned at the last dimension, sizes are equal or 1",
    /// NumPy's promotion (the `numpy` module only).
    P2 = "operands have an element type in common by NumPy's promotion",
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.label())
    }
}
