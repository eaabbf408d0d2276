//! XLA's broadcasting rules, on shapes alone.
//!
//! The source is XLA's document "Broadcasting semantics"; where it is looser than XLA's own shape
//! inference, XLA's order and strictness hold. Every rule has a label ([`Rule`]) that its error
//! variant and its tests share.
//!
//! A broadcast is described by a [`DimMap`]: which dimension of the result each dimension of the
//! operand becomes. Nothing is copied for it; a dimension that is stretched has stride 0.

use std::fmt;

use crate::semantics::rule::Rule;
use crate::semantics::shape::{Shape, dimension_range};

/// Which of the two operands of a binary operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The left one.
    Lhs,
    /// The right one.
    Rhs,
}

impl Side {
    fn other(self) -> Self {
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

/// For each dimension of an operand, the dimension of the result that it becomes.
pub(crate) type DimMap = Vec<usize>;

/// A refusal of a broadcast. Each variant is one [`Rule`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BroadcastError {
    /// Rule B1.
    #[error("lhs {lhs} has rank {} and rhs {rhs} has rank {}, but broadcast_dimensions is empty; {}",
        lhs.rank(), rhs.rank(), needs_dims(lhs, rhs))]
    RanksDiffer {
        /// Shape of the left operand.
        lhs: Shape,
        /// Shape of the right operand.
        rhs: Shape,
    },
    /// Rule B2.
    #[error("broadcast_dimensions {given:?} has length {}, but {lower} {lower_shape} has rank {}; {}",
        given.len(), lower_shape.rank(), wrong_length(*lower, lower_shape, higher_shape))]
    DimensionsLength {
        /// The operand of lower rank.
        lower: Side,
        /// Its shape.
        lower_shape: Shape,
        /// The other operand's shape.
        higher_shape: Shape,
        /// The `broadcast_dimensions`.
        given: Vec<i64>,
    },
    /// Rule B3.
    #[error("broadcast_dimensions[{index}] is {dimension}; dimensions count from 0, and those of {higher} {higher_shape} are 0 to {}",
        higher_shape.rank().saturating_sub(1))]
    NegativeDimension {
        /// Place in `broadcast_dimensions`.
        index: usize,
        /// The entry there.
        dimension: i64,
        /// The operand of higher rank.
        higher: Side,
        /// Its shape.
        higher_shape: Shape,
    },
    /// Rule B4.
    #[error("broadcast_dimensions[{index}] is {dimension}, but {higher} {higher_shape} has rank {}; {}",
        higher_shape.rank(), dimension_range(higher_shape.rank()))]
    DimensionTooLarge {
        /// Place in `broadcast_dimensions`.
        index: usize,
        /// The entry there.
        dimension: i64,
        /// The operand of higher rank.
        higher: Side,
        /// Its shape.
        higher_shape: Shape,
    },
    /// Rule B5.
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
    /// Rule B6.
    #[error("broadcast_dimensions {given:?} is not strictly increasing: {} comes after {}; list the dimensions of {higher} in increasing order, each once (a binary operation does not transpose)",
        given[*index], given[index - 1])]
    NotIncreasing {
        /// Place of the entry that is not larger than the one before it.
        index: usize,
        /// The operand of higher rank.
        higher: Side,
        /// The `broadcast_dimensions`.
        given: Vec<i64>,
    },
    /// Rule B7.
    #[error("lhs {lhs} and rhs {rhs} have the same rank, so broadcast_dimensions must be empty{}, but it is {given:?}", or_identity(lhs.rank()))]
    NotIdentity {
        /// Shape of the left operand.
        lhs: Shape,
        /// Shape of the right operand.
        rhs: Shape,
        /// The `broadcast_dimensions`.
        given: Vec<i64>,
    },
    /// Rule B8.
    #[error(
        "in dimension {dimension} of the result lhs {lhs} has size {lhs_size} and rhs {rhs} has size {rhs_size}; sizes must be equal or one of them 1"
    )]
    Incompatible {
        /// The dimension of the result.
        dimension: usize,
        /// Size of the left operand there.
        lhs_size: usize,
        /// Size of the right operand there.
        rhs_size: usize,
        /// Shape of the left operand.
        lhs: Shape,
        /// Shape of the right operand.
        rhs: Shape,
    },
    /// Rule B9.
    #[error("in_dim({given:?}) stands on {side} {shape}, which has the higher rank; it says where the dimensions of the lower-rank operand go, so put it on {}", side.other())]
    InDimOnHigherRank {
        /// The operand that carries `in_dim`.
        side: Side,
        /// Its shape.
        shape: Shape,
        /// The dimensions given.
        given: Vec<i64>,
    },
    /// Rule B9.
    #[error(
        "both operands carry in_dim, {lhs:?} and {rhs:?}; only the lower-rank operand of a binary operation does, so take it off the other"
    )]
    InDimTwice {
        /// The dimensions given for the left operand.
        lhs: Vec<i64>,
        /// The dimensions given for the right operand.
        rhs: Vec<i64>,
    },
    /// Rule S1.
    #[error(
        "{operand} {shape} differs from {other} {other_shape}; all operands must have one shape or be scalars, so broadcast {operand} with broadcast_in_dim first"
    )]
    NotScalar {
        /// The operand's name.
        operand: &'static str,
        /// Its shape.
        shape: Shape,
        /// The operand that it is compared to.
        other: &'static str,
        /// That one's shape.
        other_shape: Shape,
    },
    /// Rule D1.
    #[error("operand {operand} has rank {} and the output {output} only {}; the output needs at least the operand's rank", operand.rank(), output.rank())]
    RankTooSmall {
        /// Shape of the operand.
        operand: Shape,
        /// The shape asked for.
        output: Shape,
    },
    /// Rule D2.
    #[error("broadcast_dimensions {given:?} has length {}, but operand {operand} has rank {}; give one dimension of the output for each dimension of the operand", given.len(), operand.rank())]
    OutputDimensionsLength {
        /// Shape of the operand.
        operand: Shape,
        /// The `broadcast_dimensions`.
        given: Vec<i64>,
    },
    /// Rule D3.
    #[error("broadcast_dimensions[{index}] is {dimension}, but the output {output} has rank {}; {}", output.rank(), dimension_range(output.rank()))]
    OutputDimensionOutOfBounds {
        /// Place in `broadcast_dimensions`.
        index: usize,
        /// The entry there.
        dimension: i64,
        /// The shape asked for.
        output: Shape,
    },
    /// Rule D4.
    #[error("dimension {index} of operand {operand} has size {} but goes to dimension {dimension} of the output {output}, which has size {}; it must have that size or 1",
        operand.dims()[*index], output.dims()[*dimension])]
    OutputSizes {
        /// The dimension of the operand.
        index: usize,
        /// The dimension of the output that it goes to.
        dimension: usize,
        /// Shape of the operand.
        operand: Shape,
        /// The shape asked for.
        output: Shape,
    },
    /// Rule D5.
    #[error("broadcast_dimensions {given:?} is not strictly increasing: {} comes after {}; list the dimensions of the output in increasing order, each once",
        given[*index], given[index - 1])]
    OutputNotIncreasing {
        /// Place of the entry that is not larger than the one before it.
        index: usize,
        /// The `broadcast_dimensions`.
        given: Vec<i64>,
    },
    /// Rule P1.
    #[error(
        "shapes {} do not align: counted from the last dimension, dimension -{from_end} has size {size} in operand {operand} and {other_size} in operand {other}; sizes must be equal or 1",
        list(shapes)
    )]
    NotAligned {
        /// All shapes.
        shapes: Vec<Shape>,
        /// The dimension, counted from the last one, which is 1.
        from_end: usize,
        /// Number of the first operand with a size other than 1 there.
        other: usize,
        /// Its size.
        other_size: usize,
        /// Number of the operand that does not fit.
        operand: usize,
        /// Its size.
        size: usize,
    },
}

impl BroadcastError {
    /// The rule that is broken.
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
}

/// The shape of a binary operation's result and where each operand's dimensions go in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Broadcast {
    pub(crate) shape: Shape,
    pub(crate) lhs: DimMap,
    pub(crate) rhs: DimMap,
}

/// Rules B1 to B8: the explicit rule, then degenerate dimensions, in XLA's order of checks.
///
/// An empty `broadcast_dimensions` is one that was not given; XLA does not tell them apart.
pub(crate) fn binary(
    lhs: &Shape,
    rhs: &Shape,
    broadcast_dimensions: &[i64],
) -> Result<Broadcast, BroadcastError> {
    if lhs.rank() == rhs.rank() {
        let identity: DimMap = (0..lhs.rank()).collect();
        let is_identity = broadcast_dimensions.len() == identity.len()
            && broadcast_dimensions.iter().zip(0..).all(|(&d, i)| d == i);
        if !broadcast_dimensions.is_empty() && !is_identity {
            return Err(BroadcastError::NotIdentity {
                lhs: lhs.clone(),
                rhs: rhs.clone(),
                given: broadcast_dimensions.to_vec(),
            });
        }
        let shape = degenerate(lhs, rhs, lhs.dims(), rhs.dims())?;
        return Ok(Broadcast { shape, lhs: identity.clone(), rhs: identity });
    }

    let lower = if lhs.rank() < rhs.rank() { Side::Lhs } else { Side::Rhs };
    let (lower_shape, higher_shape) = match lower {
        Side::Lhs => (lhs, rhs),
        Side::Rhs => (rhs, lhs),
    };
    let map = in_dim(lower, lower_shape, higher_shape, broadcast_dimensions)?;
    // The lower-rank operand at the higher rank: dimensions that it lacks take the other's size.
    let mut placed = higher_shape.dims().to_vec();
    for (&size, &dimension) in lower_shape.dims().iter().zip(&map) {
        placed[dimension] = size;
    }
    let identity: DimMap = (0..higher_shape.rank()).collect();
    Ok(match lower {
        Side::Lhs => {
            let shape = degenerate(lhs, rhs, &placed, rhs.dims())?;
            Broadcast { shape, lhs: map, rhs: identity }
        }
        Side::Rhs => {
            let shape = degenerate(lhs, rhs, lhs.dims(), &placed)?;
            Broadcast { shape, lhs: identity, rhs: map }
        }
    })
}

/// Rules B1 to B6: matches the dimensions of the lower-rank operand to the higher-rank one's.
fn in_dim(
    lower: Side,
    lower_shape: &Shape,
    higher_shape: &Shape,
    given: &[i64],
) -> Result<DimMap, BroadcastError> {
    if given.is_empty() && lower_shape.rank() > 0 {
        let (lhs, rhs) = match lower {
            Side::Lhs => (lower_shape, higher_shape),
            Side::Rhs => (higher_shape, lower_shape),
        };
        return Err(BroadcastError::RanksDiffer { lhs: lhs.clone(), rhs: rhs.clone() });
    }
    if given.len() != lower_shape.rank() {
        return Err(BroadcastError::DimensionsLength {
            lower,
            lower_shape: lower_shape.clone(),
            higher_shape: higher_shape.clone(),
            given: given.to_vec(),
        });
    }
    let higher = lower.other();
    let mut map = DimMap::with_capacity(given.len());
    for (index, &entry) in given.iter().enumerate() {
        let Ok(dimension) = usize::try_from(entry) else {
            let higher_shape = higher_shape.clone();
            if entry < 0 {
                return Err(BroadcastError::NegativeDimension {
                    index,
                    dimension: entry,
                    higher,
                    higher_shape,
                });
            }
            return Err(BroadcastError::DimensionTooLarge {
                index,
                dimension: entry,
                higher,
                higher_shape,
            });
        };
        if dimension >= higher_shape.rank() {
            return Err(BroadcastError::DimensionTooLarge {
                index,
                dimension: entry,
                higher,
                higher_shape: higher_shape.clone(),
            });
        }
        let (small, large) = (lower_shape.dims()[index], higher_shape.dims()[dimension]);
        if small != large && small != 1 && large != 1 {
            return Err(BroadcastError::MatchedSizes {
                index,
                dimension,
                lower,
                lower_shape: lower_shape.clone(),
                higher_shape: higher_shape.clone(),
            });
        }
        if map.last().is_some_and(|&before| before >= dimension) {
            return Err(BroadcastError::NotIncreasing { index, higher, given: given.to_vec() });
        }
        map.push(dimension);
    }
    Ok(map)
}

/// Rule B8. `lhs_sizes` and `rhs_sizes` are of one rank; the shapes are for the message.
///
/// Size 0 against size 1 gives 0: the size that is not 1 is taken, not the maximum.
fn degenerate(
    lhs: &Shape,
    rhs: &Shape,
    lhs_sizes: &[usize],
    rhs_sizes: &[usize],
) -> Result<Shape, BroadcastError> {
    let mut sizes = Vec::with_capacity(lhs_sizes.len());
    for (dimension, (&a, &b)) in lhs_sizes.iter().zip(rhs_sizes).enumerate() {
        if a != b && a != 1 && b != 1 {
            return Err(BroadcastError::Incompatible {
                dimension,
                lhs_size: a,
                rhs_size: b,
                lhs: lhs.clone(),
                rhs: rhs.clone(),
            });
        }
        sizes.push(if a == 1 { b } else { a });
    }
    Ok(Shape::from(sizes))
}

/// Rule S1, for select, clamp and next_after: the one shape of the operands that are not scalars.
pub(crate) fn one_shape<const N: usize>(
    operands: [(&'static str, &Shape); N],
) -> Result<Shape, BroadcastError> {
    let mut arrays = operands.iter().filter(|(_, shape)| shape.rank() > 0);
    let Some(&(first, first_shape)) = arrays.next() else {
        return Ok(Shape::scalar());
    };
    for &(operand, shape) in arrays {
        if shape != first_shape {
            return Err(BroadcastError::NotScalar {
                operand,
                shape: shape.clone(),
                other: first,
                other_shape: first_shape.clone(),
            });
        }
    }
    Ok(first_shape.clone())
}

/// Rules D1 to D5: an operand broadcast to a shape that is given whole.
pub(crate) fn broadcast_in_dim(
    operand: &Shape,
    output: &Shape,
    given: &[i64],
) -> Result<DimMap, BroadcastError> {
    if operand.rank() > output.rank() {
        return Err(BroadcastError::RankTooSmall {
            operand: operand.clone(),
            output: output.clone(),
        });
    }
    if given.len() != operand.rank() {
        return Err(BroadcastError::OutputDimensionsLength {
            operand: operand.clone(),
            given: given.to_vec(),
        });
    }
    let mut map = DimMap::with_capacity(given.len());
    for (index, &entry) in given.iter().enumerate() {
        let dimension = match usize::try_from(entry) {
            Ok(dimension) if dimension < output.rank() => dimension,
            _ => {
                return Err(BroadcastError::OutputDimensionOutOfBounds {
                    index,
                    dimension: entry,
                    output: output.clone(),
                });
            }
        };
        let size = operand.dims()[index];
        if size != 1 && size != output.dims()[dimension] {
            return Err(BroadcastError::OutputSizes {
                index,
                dimension,
                operand: operand.clone(),
                output: output.clone(),
            });
        }
        if map.last().is_some_and(|&before| before >= dimension) {
            return Err(BroadcastError::OutputNotIncreasing { index, given: given.to_vec() });
        }
        map.push(dimension);
    }
    Ok(map)
}

/// Rule P1, NumPy's: aligned at the last dimension, sizes equal or 1. For any number of shapes.
pub(crate) fn align_trailing(shapes: &[&Shape]) -> Result<Shape, BroadcastError> {
    let rank = shapes.iter().map(|s| s.rank()).max().unwrap_or(0);
    let mut sizes = vec![1; rank];
    for from_end in 1..=rank {
        let mut settled: Option<(usize, usize)> = None;
        for (operand, shape) in shapes.iter().enumerate() {
            let Some(place) = shape.rank().checked_sub(from_end) else {
                continue;
            };
            let size = shape.dims()[place];
            match settled {
                _ if size == 1 => {}
                None => settled = Some((operand, size)),
                Some((other, other_size)) if size != other_size => {
                    return Err(BroadcastError::NotAligned {
                        shapes: shapes.iter().map(|&s| s.clone()).collect(),
                        from_end,
                        other,
                        other_size,
                        operand,
                        size,
                    });
                }
                Some(_) => {}
            }
        }
        if let Some((_, size)) = settled {
            sizes[rank - from_end] = size;
        }
    }
    Ok(Shape::from(sizes))
}

// ---- wording of the remedies -------------------------------------------------------------------

fn or_identity(rank: usize) -> String {
    if rank == 0 { String::new() } else { format!(" or {:?}", (0..rank).collect::<Vec<_>>()) }
}

fn list(shapes: &[Shape]) -> String {
    let texts: Vec<String> = shapes.iter().map(Shape::to_string).collect();
    texts.join(", ")
}

fn needs_dims(lhs: &Shape, rhs: &Shape) -> String {
    let (lower, lower_shape, higher_shape) =
        if lhs.rank() < rhs.rank() { (Side::Lhs, lhs, rhs) } else { (Side::Rhs, rhs, lhs) };
    let higher = lower.other();
    match suggestion(lower_shape, higher_shape) {
        Some(dims) => format!(
            "say which dimension of {higher} each dimension of {lower} matches, such as {dims:?}"
        ),
        None => format!(
            "no choice fits either: each size of {lower} must, in order, equal one of {higher}, or one of the two be 1; change one of the operands"
        ),
    }
}

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

/// `broadcast_dimensions` that would be accepted. Of several, the ones furthest to the right that
/// match equal sizes, which is what NumPy's users mean; else those that stretch a size of 1.
fn suggestion(lower: &Shape, higher: &Shape) -> Option<Vec<usize>> {
    let equal = |a: usize, b: usize| a == b;
    let stretching = |a: usize, b: usize| a == b || a == 1 || b == 1;
    match_from_right(lower, higher, equal).or_else(|| match_from_right(lower, higher, stretching))
}

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

/// Names the dimensions of the higher-rank operand that would take this size.
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
