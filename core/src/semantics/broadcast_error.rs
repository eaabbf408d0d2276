//! [`BroadcastError`]: a refused broadcast, with a message that names the operand, the dimension,
//! the sizes and what to do.

use std::fmt;

use crate::semantics::error_debug::debug_is_text;
use crate::semantics::rule::Rule;
use crate::semantics::shape::{Shape, dimension_range};
use crate::semantics::words::list;

/// One of the two operands of a binary operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Side {
    /// The left operand.
    Lhs,
    /// The right operand.
    Rhs,
}

impl Side {
    /// Returns the opposite side.
    pub(crate) fn other(self) -> Self {
        match self {
            Self::Lhs => Self::Rhs,
            Self::Rhs => Self::Lhs,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Lhs => "lhs",
            Self::Rhs => "rhs",
        })
    }
}

debug_is_text! {
/// A refused broadcast. Each variant breaks one [`Rule`], which [`BroadcastError::rule`] returns.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BroadcastError {
    /// Ranks differ and no `broadcast_dimensions` are given (rule B1).
    #[error("lhs {lhs} has rank {} and rhs {rhs} has rank {}, but broadcast_dimensions is empty; {}",
        lhs.rank(), rhs.rank(), needs_dims(lhs, rhs, |_, dims| format!("{dims:?}")))]
    RanksDiffer {
        /// The shape of the left operand.
        lhs: Shape,
        /// The shape of the right operand.
        rhs: Shape,
    },
    /// The length of `broadcast_dimensions` is not the rank of the lower-rank operand (rule B2).
    #[error("broadcast_dimensions {given:?} has length {}, but {lower} {lower_shape} has rank {}; {}",
        given.len(), lower_shape.rank(), wrong_length(*lower, lower_shape, higher_shape))]
    DimensionsLength {
        /// The operand of lower rank.
        lower: Side,
        /// Its shape.
        lower_shape: Shape,
        /// The other operand's shape.
        higher_shape: Shape,
        /// The `broadcast_dimensions` given.
        given: Vec<i64>,
    },
    /// An entry of `broadcast_dimensions` is negative (rule B3).
    #[error("{}", negative(BROADCAST_DIMENSIONS, *index, *dimension, *higher, higher_shape))]
    NegativeDimension {
        /// The index in `broadcast_dimensions`.
        index: usize,
        /// The entry at that index.
        dimension: i64,
        /// The operand of higher rank.
        higher: Side,
        /// Its shape.
        higher_shape: Shape,
    },
    /// An entry of `broadcast_dimensions` is not a dimension of the higher-rank operand (rule B4).
    #[error("{}", too_large(BROADCAST_DIMENSIONS, *index, *dimension, *higher, higher_shape))]
    DimensionTooLarge {
        /// The index in `broadcast_dimensions`.
        index: usize,
        /// The entry at that index.
        dimension: i64,
        /// The operand of higher rank.
        higher: Side,
        /// Its shape.
        higher_shape: Shape,
    },
    /// Matched dimensions have different sizes, neither of them 1 (rule B5).
    #[error("dimension {index} of {lower} has size {} but is matched to dimension {dimension} of {}, which has size {}; sizes must be equal or one of them 1{}",
        lower_shape.dims()[*index], lower.other(), higher_shape.dims()[*dimension], candidates(*lower, lower_shape.dims()[*index], higher_shape))]
    MatchedSizes {
        /// The dimension of the lower-rank operand.
        index: usize,
        /// The dimension of the higher-rank operand that it is matched to.
        dimension: usize,
        /// The operand of lower rank.
        lower: Side,
        /// Its shape.
        lower_shape: Shape,
        /// The other operand's shape.
        higher_shape: Shape,
    },
    /// `broadcast_dimensions` is not strictly increasing (rule B6).
    #[error("{}", not_increasing(BROADCAST_DIMENSIONS, *index, *higher, given))]
    NotIncreasing {
        /// The index of the entry that is not larger than the one before it.
        index: usize,
        /// The operand of higher rank.
        higher: Side,
        /// The `broadcast_dimensions` given.
        given: Vec<i64>,
    },
    /// Operands of equal rank are given `broadcast_dimensions` other than the identity (rule B7).
    #[error("lhs {lhs} and rhs {rhs} have the same rank, so broadcast_dimensions must be empty{}, but it is {given:?}", or_identity(lhs.rank()))]
    NotIdentity {
        /// The shape of the left operand.
        lhs: Shape,
        /// The shape of the right operand.
        rhs: Shape,
        /// The `broadcast_dimensions` given.
        given: Vec<i64>,
    },
    /// Sizes differ in a dimension, and neither is 1 (rule B8).
    #[error(
        "in dimension {dimension} of the result lhs {lhs} has size {lhs_size} and rhs {rhs} has size {rhs_size}; sizes must be equal or one of them 1"
    )]
    Incompatible {
        /// The dimension of the result.
        dimension: usize,
        /// The size of the left operand there.
        lhs_size: usize,
        /// The size of the right operand there.
        rhs_size: usize,
        /// The shape of the left operand.
        lhs: Shape,
        /// The shape of the right operand.
        rhs: Shape,
    },
    /// The higher-rank operand carries `in_dim` (rule B9).
    #[error("in_dim({given:?}) stands on {side} {shape}, {}", where_in_dim_goes(side.other(), other_shape))]
    InDimOnHigherRank {
        /// The operand that carries `in_dim`.
        side: Side,
        /// Its shape.
        shape: Shape,
        /// The other operand's shape.
        other_shape: Shape,
        /// The dimensions given.
        given: Vec<i64>,
    },
    /// Both operands carry `in_dim` (rule B9).
    #[error(
        "both operands carry in_dim, {lhs:?} and {rhs:?}; only the lower-rank operand of a binary operation does, so take it off the other"
    )]
    InDimTwice {
        /// The dimensions given for the left operand.
        lhs: Vec<i64>,
        /// The dimensions given for the right operand.
        rhs: Vec<i64>,
    },
    /// An operand is neither a scalar nor of the shape of the other operands (rule S1).
    #[error(
        "{operand} {shape} differs from {other} {other_shape}; all operands must have one shape or be scalars, {}",
        into_one_shape(operand, shape, other_shape)
    )]
    NotScalar {
        /// The operand's name: the one that can be broadcast to the other's shape, if either can.
        operand: &'static str,
        /// Its shape.
        shape: Shape,
        /// The operand that it is compared with.
        other: &'static str,
        /// The shape of that operand.
        other_shape: Shape,
    },
    /// The output of `broadcast_in_dim` has a lower rank than the operand (rule D1).
    #[error("operand {operand} has rank {} and the output {output} only {}; the output needs at least the operand's rank", operand.rank(), output.rank())]
    RankTooSmall {
        /// The shape of the operand.
        operand: Shape,
        /// The output shape asked for.
        output: Shape,
    },
    /// The length of `broadcast_dimensions` is not the rank of the operand (rule D2).
    #[error("broadcast_dimensions {given:?} has length {}, but operand {operand} has rank {}; give one dimension of the output for each dimension of the operand", given.len(), operand.rank())]
    OutputDimensionsLength {
        /// The shape of the operand.
        operand: Shape,
        /// The `broadcast_dimensions` given.
        given: Vec<i64>,
    },
    /// An entry of `broadcast_dimensions` is not a dimension of the output (rule D3).
    #[error("broadcast_dimensions[{index}] is {dimension}, but the output {output} has rank {}; {}", output.rank(), dimension_range(output.rank()))]
    OutputDimensionOutOfBounds {
        /// The index in `broadcast_dimensions`.
        index: usize,
        /// The entry at that index.
        dimension: i64,
        /// The output shape asked for.
        output: Shape,
    },
    /// A size of the operand is neither 1 nor the output's (rule D4).
    #[error("dimension {index} of operand {operand} has size {} but goes to dimension {dimension} of the output {output}, which has size {}; it must have that size or 1",
        operand.dims()[*index], output.dims()[*dimension])]
    OutputSizes {
        /// The dimension of the operand.
        index: usize,
        /// The dimension of the output that it goes to.
        dimension: usize,
        /// The shape of the operand.
        operand: Shape,
        /// The output shape asked for.
        output: Shape,
    },
    /// `broadcast_dimensions` of `broadcast_in_dim` is not strictly increasing (rule D5).
    #[error("broadcast_dimensions {given:?} is not strictly increasing: {} comes after {}; list the dimensions of the output in increasing order, each once",
        given[*index], given[index - 1])]
    OutputNotIncreasing {
        /// The index of the entry that is not larger than the one before it.
        index: usize,
        /// The `broadcast_dimensions` given.
        given: Vec<i64>,
    },
    /// Shapes do not align by NumPy's rule (rule P1).
    #[error(
        "shapes {} do not align: counted from the last dimension, dimension -{from_end} has size {size} in operand {operand} and {other_size} in operand {other}; sizes must be equal or 1",
        list(shapes)
    )]
    NotAligned {
        /// The shapes of all operands.
        shapes: Vec<Shape>,
        /// The dimension, counted from the end: 1 is the last one.
        from_end: usize,
        /// The index of the first operand with a size other than 1 there.
        other: usize,
        /// Its size.
        other_size: usize,
        /// The index of the operand that does not fit.
        operand: usize,
        /// Its size.
        size: usize,
    },
}
}

impl BroadcastError {
    /// Returns the rule that is broken.
    ///
    /// ```
    /// use indim::{Builder, ElementType::F32, Error, Rule};
    ///
    /// let mut b = Builder::new();
    /// let (x, v) = (b.parameter(F32, [2, 3])?, b.parameter(F32, [3])?);
    /// let Err(Error::Broadcast { source, .. }) = b.add(x, v, []) else { panic!("ranks differ") };
    /// assert_eq!(source.rule(), Rule::B1);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn rule(&self) -> Rule {
        match self {
            Self::RanksDiffer { .. } => Rule::B1,
            Self::DimensionsLength { .. } => Rule::B2,
            Self::NegativeDimension { .. } => Rule::B3,
            Self::DimensionTooLarge { .. } => Rule::B4,
            Self::MatchedSizes { .. } => Rule::B5,
            Self::NotIncreasing { .. } => Rule::B6,
            Self::NotIdentity { .. } => Rule::B7,
            Self::Incompatible { .. } => Rule::B8,
            Self::InDimOnHigherRank { .. } | Self::InDimTwice { .. } => Rule::B9,
            Self::NotScalar { .. } => Rule::S1,
            Self::RankTooSmall { .. } => Rule::D1,
            Self::OutputDimensionsLength { .. } => Rule::D2,
            Self::OutputDimensionOutOfBounds { .. } => Rule::D3,
            Self::OutputSizes { .. } => Rule::D4,
            Self::OutputNotIncreasing { .. } => Rule::D5,
            Self::NotAligned { .. } => Rule::P1,
        }
    }

    /// Returns the message for operands that carry `in_dim`, as in expressions, instead of a list
    /// of `broadcast_dimensions`.
    pub(crate) fn with_in_dim(&self) -> String {
        match self {
            Self::RanksDiffer { lhs, rhs } => {
                let lower = if lhs.rank() < rhs.rank() { Side::Lhs } else { Side::Rhs };
                let needs = needs_dims(lhs, rhs, |lower, dims| format!("{lower}.in_dim({dims:?})"));
                format!(
                    "lhs {lhs} has rank {} and rhs {rhs} has rank {}, but {lower} carries no in_dim; {needs}",
                    lhs.rank(),
                    rhs.rank()
                )
            }
            Self::DimensionsLength { lower, lower_shape, higher_shape, given } => format!(
                "in_dim({given:?}) has length {}, but {lower} {lower_shape} has rank {}; {}",
                given.len(),
                lower_shape.rank(),
                match lower_shape.rank() {
                    0 => "a scalar broadcasts freely, so take in_dim off".to_owned(),
                    _ => wrong_length(*lower, lower_shape, higher_shape),
                }
            ),
            Self::NotIdentity { lhs, rhs, given } => format!(
                "lhs {lhs} and rhs {rhs} have the same rank, so that in_dim({given:?}) has nothing to say; take it off"
            ),
            Self::NegativeDimension { index, dimension, higher, higher_shape } => {
                negative(IN_DIM, *index, *dimension, *higher, higher_shape)
            }
            Self::DimensionTooLarge { index, dimension, higher, higher_shape } => {
                too_large(IN_DIM, *index, *dimension, *higher, higher_shape)
            }
            Self::NotIncreasing { index, higher, given } => {
                not_increasing(IN_DIM, *index, *higher, given)
            }
            _ => self.to_string(),
        }
    }
}

/// The name of the list of dimensions in calls, and in expressions.
const BROADCAST_DIMENSIONS: &str = "broadcast_dimensions";
const IN_DIM: &str = "in_dim";

// The functions below word the messages about that list, and the advice.

fn negative(
    list: &str,
    index: usize,
    dimension: i64,
    higher: Side,
    higher_shape: &Shape,
) -> String {
    format!(
        "{list}[{index}] is {dimension}; dimensions count from 0, and those of {higher} {higher_shape} are 0 to {}",
        higher_shape.rank().saturating_sub(1)
    )
}

fn too_large(
    list: &str,
    index: usize,
    dimension: i64,
    higher: Side,
    higher_shape: &Shape,
) -> String {
    let rank = higher_shape.rank();
    let range = dimension_range(rank);
    format!("{list}[{index}] is {dimension}, but {higher} {higher_shape} has rank {rank}; {range}")
}

fn not_increasing(list: &str, index: usize, higher: Side, given: &[i64]) -> String {
    format!(
        "{list} {given:?} is not strictly increasing: {} comes after {}; list the dimensions of {higher} in increasing order, each once (a binary operation does not transpose)",
        given[index],
        given[index - 1]
    )
}

/// Names the identity beside an empty `broadcast_dimensions`, for rule B7.
fn or_identity(rank: usize) -> String {
    if rank == 0 { String::new() } else { format!(" or {:?}", (0..rank).collect::<Vec<_>>()) }
}

/// Suggests `broadcast_dimensions` for operands of different ranks, for rule B1. `written` words
/// how the lower-rank operand is given them.
fn needs_dims(lhs: &Shape, rhs: &Shape, written: impl Fn(Side, &[usize]) -> String) -> String {
    let (lower, lower_shape, higher_shape) =
        if lhs.rank() < rhs.rank() { (Side::Lhs, lhs, rhs) } else { (Side::Rhs, rhs, lhs) };
    let higher = lower.other();
    match suggestion(lower_shape, higher_shape) {
        Some(dims) => format!(
            "say which dimension of {higher} each dimension of {lower} matches, such as {}",
            written(lower, &dims)
        ),
        None => format!(
            "no choice fits either: each size of {lower} must, in order, equal one of {higher}, or one of the two be 1; change one of the operands"
        ),
    }
}

/// Suggests `broadcast_dimensions` of the right length, for rule B2.
fn wrong_length(lower: Side, lower_shape: &Shape, higher_shape: &Shape) -> String {
    let higher = lower.other();
    if lower_shape.rank() == 0 {
        return "a scalar broadcasts freely, so leave broadcast_dimensions empty".to_owned();
    }
    let such_as = suggestion(lower_shape, higher_shape)
        .map(|dims| format!(", such as {dims:?}"))
        .unwrap_or_default();
    format!("give one dimension of {higher} for each dimension of {lower}{such_as}")
}

/// Suggests where to move an `in_dim` of the higher-rank operand, for rule B9.
fn where_in_dim_goes(other: Side, other_shape: &Shape) -> String {
    if other_shape.rank() > 0 {
        return format!(
            "which has the higher rank; it says where the dimensions of the lower-rank operand go, so put it on {other}"
        );
    }
    format!(
        "but {other} is a scalar, which broadcasts freely; put in_dim on the result of this operation, where that meets an operand of higher rank"
    )
}

/// Suggests how to bring two operands to one shape, for rule S1.
fn into_one_shape(operand: &str, shape: &Shape, other_shape: &Shape) -> String {
    if can_become(shape, other_shape) {
        return format!("so broadcast {operand} with broadcast_in_dim first");
    }
    let stretched: Option<Vec<usize>> = (shape.rank() == other_shape.rank())
        .then(|| shape.dims().iter().zip(other_shape.dims()))
        .and_then(|sizes| {
            sizes
                .map(|(&a, &b)| (a == b || a == 1 || b == 1).then_some(if a == 1 { b } else { a }))
                .collect()
        });
    match stretched {
        Some(both) => format!("so broadcast both to {both:?} with broadcast_in_dim first"),
        None => {
            "and neither of these two can be broadcast to the other's shape; change one of them"
                .to_owned()
        }
    }
}

/// Checks whether `broadcast_in_dim` can give an operand this shape.
pub(crate) fn can_become(operand: &Shape, output: &Shape) -> bool {
    match_from_right(operand, output, |size, to| size == to || size == 1).is_some()
}

/// Returns `broadcast_dimensions` that would be accepted. It prefers those that match equal sizes
/// furthest to the right, as NumPy aligns, over those that stretch a size of 1.
fn suggestion(lower: &Shape, higher: &Shape) -> Option<Vec<usize>> {
    let equal = |a: usize, b: usize| a == b;
    let stretching = |a: usize, b: usize| a == b || a == 1 || b == 1;
    match_from_right(lower, higher, equal).or_else(|| match_from_right(lower, higher, stretching))
}

/// Matches each dimension of `lower`, from the last one on, to the last free dimension of `higher`
/// whose size fits.
fn match_from_right(
    lower: &Shape,
    higher: &Shape,
    fits: impl Fn(usize, usize) -> bool,
) -> Option<Vec<usize>> {
    let mut dims = vec![0; lower.rank()];
    let mut end = higher.rank();
    for (index, &size) in lower.dims().iter().enumerate().rev() {
        end = (0..end).rev().find(|&d| fits(size, higher.dims()[d]))?;
        dims[index] = end;
    }
    Some(dims)
}

/// Names the dimensions of the higher-rank operand that have this size.
fn candidates(lower: Side, size: usize, higher_shape: &Shape) -> String {
    let higher = lower.other();
    let fitting: Vec<String> = (0..higher_shape.rank())
        .filter(|&d| higher_shape.dims()[d] == size)
        .map(|d| d.to_string())
        .collect();
    match fitting.as_slice() {
        [] => String::new(),
        [one] => format!("; dimension {one} of {higher} has size {size}"),
        [init @ .., last] => {
            format!("; dimensions {} and {last} of {higher} have size {size}", init.join(", "))
        }
    }
}
