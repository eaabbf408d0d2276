//! [`Rule`]: the rules that an operation can break. Each has a label that documents, errors and
//! tests share.
//! The statements follow XLA's document "Broadcasting semantics" or, where it is stricter, XLA's
//! shape inference.

use std::fmt;

macro_rules! rules {
    ($($(#[doc = $doc:literal])+ $name:ident = $statement:literal,)*) => {
        /// A rule of shapes or types; [`Rule::statement`] words it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Rule {
            $($(#[doc = $doc])+ $name,)*
        }

        impl Rule {
            /// Every rule, in the order in which they are explained.
            pub const ALL: &'static [Rule] = &[$(Rule::$name),*];

            /// Returns the label, such as `B1`.
            ///
            /// ```
            /// assert_eq!(indim::Rule::B1.label(), "B1");
            /// ```
            pub const fn label(self) -> &'static str {
                match self { $(Rule::$name => stringify!($name),)* }
            }

            /// Returns the rule as a sentence about what an operation must keep to.
            ///
            /// ```
            /// assert!(indim::Rule::B1.statement().contains("different ranks"));
            /// ```
            pub const fn statement(self) -> &'static str {
                match self { $(Rule::$name => $statement,)* }
            }
        }
    };
}

rules! {
    /// Operands of different ranks need `broadcast_dimensions`.
    B1 = "operands of different ranks need broadcast_dimensions, unless one is a scalar (rank 0)",
    /// `broadcast_dimensions` has the right length.
    B2 = "broadcast_dimensions has one entry for each dimension of the lower-rank operand",
    /// No broadcast dimension is negative.
    B3 = "no entry of broadcast_dimensions is negative",
    /// The higher-rank operand has each broadcast dimension.
    B4 = "each entry of broadcast_dimensions is a dimension of the higher-rank operand",
    /// Sizes of matched dimensions are equal or 1.
    B5 = "matched dimensions have equal sizes, or one of them is 1",
    /// `broadcast_dimensions` increases.
    B6 = "broadcast_dimensions is strictly increasing",
    /// Operands of equal rank take only the identity as `broadcast_dimensions`.
    B7 = "between operands of equal rank broadcast_dimensions is empty or the identity",
    /// Degenerate dimensions, of size 1, stretch.
    B8 = "in each dimension the sizes are equal or one of them is 1; the result takes the other",
    /// Only the lower-rank operand carries `in_dim`.
    B9 = "in_dim stands on the lower-rank operand of a binary operation, and on one operand only",
    /// The operation takes the element type.
    T1 = "the operation accepts the element type of its operands",
    /// Operands have one element type.
    T2 = "operands have one element type; conversions are explicit",
    /// The first operand of select is PRED.
    T3 = "the first operand of select is PRED",
    /// A bitcast makes whole elements, of a type that is not PRED or complex.
    T4 = "bitcast_convert_type takes pred and complex types to themselves only, and to a wider type only where the last dimension holds one element of it",
    /// The format of `reduce_precision` exists.
    T5 = "the format of reduce_precision has 1 exponent bit or more and 0 mantissa bits or more",
    /// Select, clamp and `next_after` broadcast scalars only.
    S1 = "select, clamp and next_after take operands of one shape or scalars (rank 0), nothing else broadcasts",
    /// `broadcast_in_dim` does not lower the rank.
    D1 = "the output of broadcast_in_dim has at least the operand's rank",
    /// `broadcast_in_dim` has one broadcast dimension for each dimension of the operand.
    D2 = "broadcast_in_dim has one entry of broadcast_dimensions for each dimension of its operand",
    /// The output of `broadcast_in_dim` has each broadcast dimension.
    D3 = "each entry of broadcast_dimensions is a dimension of the output",
    /// Sizes of `broadcast_in_dim`'s operand are the output's or 1.
    D4 = "each operand size of broadcast_in_dim is 1 or the output's",
    /// The broadcast dimensions of `broadcast_in_dim` increase.
    D5 = "broadcast_dimensions of broadcast_in_dim is strictly increasing",
    /// Transpose takes a permutation of the dimensions.
    V1 = "the permutation of transpose has each dimension of the operand once",
    /// Slice takes one start, limit and stride for each dimension.
    V2 = "slice has one start, one limit and one stride for each dimension of its operand",
    /// Starts and limits of a slice are in order and in range.
    V3 = "in each dimension of a slice 0 <= start <= limit <= size",
    /// Strides of a slice are positive.
    V4 = "strides of slice are 1 or more",
    /// The operand has each dimension that is reversed.
    V5 = "the dimensions of reverse are dimensions of its operand, each at most once",
    /// A reshape keeps the elements.
    V6 = "the new sizes of reshape are for as many elements as the operand has",
    /// Pad takes a scalar, and amounts for each dimension.
    V7 = "pad has a padding value of rank 0, and one low, one high and one interior amount for each dimension of its operand",
    /// Pad removes no more elements than there are.
    V8 = "interior amounts of pad are 0 or more, and so are the sizes of its result",
    /// Operands of concatenate fit each other.
    V9 = "concatenate has one operand or more, of one rank and of equal sizes but along its dimension, which each of them has",
    /// Roll has shifts for dimensions of its operand.
    V10 = "roll has one shift for each of its dimensions, which are dimensions of its operand",
    /// Reductions reduce dimensions of their operand.
    R1 = "each dimension to reduce is one of the operand's",
    /// Reductions reduce each dimension once.
    R2 = "no dimension is reduced twice",
    /// Positions are those of an element.
    R3 = "argmax and argmin reduce 1 to 2^31 - 1 elements into one",
    /// The operand has the dimension along which elements are taken.
    G1 = "the dimension of take and take_along_dimension is one of the operand's",
    /// There are elements to take.
    G2 = "the dimension along which elements are taken has some, unless the result has none",
    /// Indices fit the operand beside which they stand.
    G3 = "take_along_dimension has operands of one rank, whose sizes are equal or 1 but along its dimension",
    /// Dimension numbers of a product name dimensions of its operands.
    M1 = "dimension numbers of dot_general name dimensions of their operand, each at most once",
    /// Matched dimensions of a product are of one size.
    M2 = "in dot and dot_general each contracting and each batch dimension matches one of the other operand, of equal size",
    /// `dot` takes vectors and matrices.
    M3 = "dot takes vectors and matrices: operands of rank 1 or 2",
    /// Sizes are not negative.
    N1 = "sizes are 0 or more",
    /// The shape has the dimension of `iota`.
    I1 = "iota_dimension is a dimension of the shape",
    /// Elements and bytes can be counted.
    C1 = "an array has at most 2^63 - 1 elements, and bytes that can be counted",
    /// NumPy's broadcasting rule; only the `numpy` module uses it.
    P1 = "aligned at the last dimension, sizes are equal or 1",
    /// NumPy's type promotion; only the `numpy` module uses it.
    P2 = "operands have an element type in common by NumPy's promotion",
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.label())
    }
}
