//! The rules by which sums are rewritten.

/// The operand of a sum that is looked at first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Side {
    Left,
    Right,
}

/// The grouping of a sum of three terms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Grouping {
    /// `(a + b) + c`, whatever stands there.
    Left,
    /// `a + (b + c)`.
    Right,
    /// The term between the others comes last.
    MiddleLast,
}

/// The rules by which a compiler changes sums of F32.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Rules {
    /// A sum or difference with a product in it is rounded once. If both terms are products, the
    /// one on this side stays exact.
    pub(crate) contract: Option<Side>,
    /// Terms that cancel are dropped, constants are added first, and sums of three are grouped so.
    pub(crate) regroup: Option<Grouping>,
    /// The minimum with 2^100, by which functions guard their sums, is taken for its operand.
    pub(crate) through_minimum: bool,
    /// The zero in the parameter block, by which operations are guarded, is taken for a zero.
    pub(crate) through_zero: bool,
}
