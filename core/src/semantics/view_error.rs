//! [`ViewError`]: the error of the rules on views, data movement, reductions, takes and products.

use crate::semantics::error_debug::debug_is_text;
use crate::semantics::rule::Rule;
use crate::semantics::shape::{Shape, dimension_range};

debug_is_text! {
/// A refused view. Each variant breaks one [`Rule`], which [`ViewError::rule`] returns.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// The length of `permutation` is not the rank of the operand (rule V1).
    #[error("permutation {given:?} has length {}, but operand {operand} has rank {}; {}",
        given.len(), operand.rank(), name_each(operand.rank()))]
    PermutationLength {
        /// The shape of the operand.
        operand: Shape,
        /// The `permutation` given.
        given: Vec<i64>,
    },
    /// An entry of a list is not a dimension of the operand (rules V1, V5, V10, R1 and M1).
    #[error("{list}[{index}] is {dimension}, but operand {operand} has rank {}; {}",
        operand.rank(), dimension_range(operand.rank()))]
    OutOfBounds {
        /// The list's name, such as `permutation`.
        list: &'static str,
        /// The index in the list.
        index: usize,
        /// The entry at that index.
        dimension: i64,
        /// The shape of the operand.
        operand: Shape,
        /// The broken rule.
        rule: Rule,
    },
    /// Two lists that belong together differ in length (rules V10 and M2).
    #[error("{} has length {} and {} has length {}; {remedy}",
        lists[0], lengths[0], lists[1], lengths[1])]
    Lengths {
        /// The names of the lists.
        lists: [&'static str; 2],
        /// Their lengths.
        lengths: [usize; 2],
        /// The end of the message, which names a remedy.
        remedy: &'static str,
        /// The broken rule.
        rule: Rule,
    },
    /// `permutation` names a dimension twice (rule V1).
    #[error("permutation {given:?} has dimension {} twice; {}",
        given[*index], name_each(given.len()))]
    PermutationRepeats {
        /// The index of its second occurrence.
        index: usize,
        /// The `permutation` given.
        given: Vec<i64>,
    },
    /// The length of a list is not the rank of the operand (rule V2).
    #[error("{list} has length {length}, but operand {operand} has rank {}; give one start, one limit and one stride for each dimension of the operand",
        operand.rank())]
    SliceLength {
        /// The list's name: `start_indices`, `limit_indices` or `strides`.
        list: &'static str,
        /// Its length.
        length: usize,
        /// The shape of the operand.
        operand: Shape,
    },
    /// A start is negative (rule V3).
    #[error("start_indices[{dimension}] is {start}; indices count from 0, and dimension {dimension} of operand {operand} has size {}",
        operand.dims()[*dimension])]
    NegativeStart {
        /// The dimension.
        dimension: usize,
        /// Its start.
        start: i64,
        /// The shape of the operand.
        operand: Shape,
    },
    /// A limit is larger than the dimension's size (rule V3).
    #[error("limit_indices[{dimension}] is {limit}, but dimension {dimension} of operand {operand} has size {}; a limit is at most the size",
        operand.dims()[*dimension])]
    LimitTooLarge {
        /// The dimension.
        dimension: usize,
        /// Its limit.
        limit: i64,
        /// The shape of the operand.
        operand: Shape,
    },
    /// A start is larger than its limit (rule V3).
    #[error(
        "start_indices[{dimension}] is {start} and limit_indices[{dimension}] is {limit}; a start is at most its limit, so exchange them or slice nothing with equal ones"
    )]
    StartBeyondLimit {
        /// The dimension.
        dimension: usize,
        /// Its start.
        start: i64,
        /// Its limit.
        limit: i64,
    },
    /// A stride is not positive (rule V4).
    #[error(
        "strides[{dimension}] is {stride}; strides of slice are 1 or more, and reverse walks backwards"
    )]
    SliceStride {
        /// The dimension.
        dimension: usize,
        /// Its stride.
        stride: i64,
    },
    /// The operand does not have the dimension along which one position is taken (rule V3).
    #[error("dimension is {dimension}, but operand {operand} has rank {}; {}",
        operand.rank(), dimension_range(operand.rank()))]
    IndexDimension {
        /// The dimension given.
        dimension: i64,
        /// The shape of the operand.
        operand: Shape,
    },
    /// The position that is taken is not in its dimension (rule V3).
    #[error("index is {index}, but dimension {dimension} of operand {operand} has size {}; {}",
        operand.dims()[*dimension], positions(operand.dims()[*dimension]))]
    IndexOutOfBounds {
        /// The position given.
        index: i64,
        /// The dimension.
        dimension: usize,
        /// The shape of the operand.
        operand: Shape,
    },
    /// `dimensions` names a dimension twice (rule V5).
    #[error("dimensions {given:?} has dimension {} twice; name each dimension that is to be reversed once",
        given[*index])]
    ReverseRepeats {
        /// The index of its second occurrence.
        index: usize,
        /// The `dimensions` given.
        given: Vec<i64>,
    },
    /// `dimensions` names a dimension twice (rule R2).
    #[error("dimensions {given:?} of operand {operand} have dimension {} twice; name each dimension that is to be reduced once",
        given[*index])]
    ReduceRepeats {
        /// The index of its second occurrence.
        index: usize,
        /// The `dimensions` given.
        given: Vec<i64>,
        /// The shape of the operand.
        operand: Shape,
    },
    /// The reduced dimensions have no elements, or more than positions are counted (rule R3).
    #[error("dimensions {dimensions:?} of operand {operand} have {count} elements, but {}",
        if *count == 0 {
            "a result is one of them or its position; give an array with elements along these"
        } else {
            "S32 counts 2^31 - 1; use argmax_s64 or argmin_s64, or reduce fewer dimensions at a time"
        })]
    Positions {
        /// The shape of the operand.
        operand: Shape,
        /// The `dimensions` given.
        dimensions: Vec<i64>,
        /// The number of elements along them.
        count: u64,
    },
    /// The new sizes have a different number of elements than the operand (rule V6).
    #[error(
        "operand {operand} has {}, but the new sizes {result} are for {}; {}",
        elements(operand),
        elements(result),
        as_many(operand, result)
    )]
    ElementCounts {
        /// The shape of the operand.
        operand: Shape,
        /// The shape asked for.
        result: Shape,
    },
    /// The padding value is not a scalar (rule V7).
    #[error(
        "padding_value {padding_value} has rank {}; pad takes one value of rank 0, such as a constant",
        padding_value.rank()
    )]
    PaddingRank {
        /// The shape of the padding value.
        padding_value: Shape,
    },
    /// The length of a list is not the rank of the operand (rule V7).
    #[error("{list} has length {length}, but operand {operand} has rank {}; give one low, one high and one interior amount for each dimension of the operand",
        operand.rank())]
    PaddingLength {
        /// The list's name: `low`, `high` or `interior`.
        list: &'static str,
        /// Its length.
        length: usize,
        /// The shape of the operand.
        operand: Shape,
    },
    /// An interior amount is negative (rule V8).
    #[error(
        "interior[{dimension}] is {interior}; interior amounts are 0 or more, and a slice with strides takes elements out"
    )]
    NegativeInterior {
        /// The dimension.
        dimension: usize,
        /// Its interior amount.
        interior: i64,
    },
    /// More elements are removed than there are (rule V8).
    #[error("low[{dimension}] is {low} and high[{dimension}] is {high}, but dimension {dimension} of operand {operand} has size {}{}; take away no more elements than there are",
        operand.dims()[*dimension], with_interior(operand.dims()[*dimension], *interior))]
    NegativePaddedSize {
        /// The dimension.
        dimension: usize,
        /// Its low amount.
        low: i64,
        /// Its high amount.
        high: i64,
        /// Its interior amount.
        interior: i64,
        /// The shape of the operand.
        operand: Shape,
    },
    /// No operand is given (rule V9).
    #[error("no operand is given; give at least one, with or without elements")]
    NothingToConcatenate,
    /// The operands do not have the dimension (rule V9).
    #[error("dimension is {dimension}, but operand 0 {operand} has rank {}; {}",
        operand.rank(), dimension_range(operand.rank()))]
    ConcatenateOutOfBounds {
        /// The dimension given.
        dimension: i64,
        /// The shape of the first operand.
        operand: Shape,
    },
    /// An operand's rank differs from that of the first one (rule V9).
    #[error("operand {index} {operand} has rank {} and operand 0 {first} has rank {}; reshape one of them to the rank of the other",
        operand.rank(), first.rank())]
    ConcatenateRank {
        /// The operand's number.
        index: usize,
        /// Its shape.
        operand: Shape,
        /// The shape of the first operand.
        first: Shape,
    },
    /// An operand's size differs from that of the first one, in a dimension other than the one
    /// along which they are concatenated (rule V9).
    #[error("dimension {differs} of operand {index} {operand} has size {} and that of operand 0 {first} has size {}; sizes differ along dimension {dimension} only, so slice or pad one of them",
        operand.dims()[*differs], first.dims()[*differs])]
    ConcatenateSize {
        /// The operand's number.
        index: usize,
        /// Its shape.
        operand: Shape,
        /// The shape of the first operand.
        first: Shape,
        /// The dimension in which they differ.
        differs: usize,
        /// The dimension along which they are concatenated.
        dimension: usize,
    },
    /// The operand does not have the dimension along which elements are taken (rule G1).
    #[error("dimension is {dimension}, but operand {operand} has rank {}; {}",
        operand.rank(), dimension_range(operand.rank()))]
    TakeOutOfBounds {
        /// The dimension given.
        dimension: i64,
        /// The shape of the operand.
        operand: Shape,
    },
    /// There is nothing to take along the dimension (rule G2).
    #[error("dimension {dimension} of operand {operand} has no elements, but indices {indices} are for some; give indices without elements, or an operand that has some")]
    TakeFromNone {
        /// The dimension.
        dimension: usize,
        /// The shape of the operand.
        operand: Shape,
        /// The shape of the indices.
        indices: Shape,
    },
    /// Indices of another rank than the operand (rule G3).
    #[error("indices {indices} have rank {} and operand {operand} has rank {}; reshape one of them to the rank of the other, or take whole parts of the operand with take",
        indices.rank(), operand.rank())]
    TakeAlongRank {
        /// The shape of the operand.
        operand: Shape,
        /// The shape of the indices.
        indices: Shape,
    },
    /// Sizes of indices and operand that differ in another dimension (rule G3).
    #[error("dimension {differs} of indices {indices} has size {} and that of operand {operand} has size {}; but along dimension {dimension} sizes are equal or 1, so slice or reshape one of them",
        indices.dims()[*differs], operand.dims()[*differs])]
    TakeAlongSize {
        /// The shape of the operand.
        operand: Shape,
        /// The shape of the indices.
        indices: Shape,
        /// The dimension in which they differ.
        differs: usize,
        /// The dimension along which elements are taken.
        dimension: usize,
    },
    /// Dimension numbers of a product that name a dimension twice (rule M1).
    #[error("{list}[{index}] is dimension {dimension} of {name} {operand}, which is named before; name each dimension at most once, as contracting or as batch")]
    DotRepeats {
        /// The operand: `lhs` or `rhs`.
        name: &'static str,
        /// Its shape.
        operand: Shape,
        /// The list of the second occurrence, such as `lhs_contracting`.
        list: &'static str,
        /// The index in that list.
        index: usize,
        /// The dimension.
        dimension: usize,
    },
    /// Matched dimensions of a product that differ in size (rule M2).
    #[error("dimension {} of lhs {} has size {} and dimension {} of rhs {} has size {}, but {} and {} match them; transpose or slice one of them",
        dimensions[0], operands[0], operands[0].dims()[dimensions[0]],
        dimensions[1], operands[1], operands[1].dims()[dimensions[1]], lists[0], lists[1])]
    DotSizes {
        /// The names of the lists that match them.
        lists: [&'static str; 2],
        /// The dimensions.
        dimensions: [usize; 2],
        /// The shapes of the operands.
        operands: Box<[Shape; 2]>,
    },
    /// An operand of `dot` that is not a vector or a matrix (rule M3).
    #[error("{name} {operand} has rank {}; dot takes vectors and matrices, and dot_general other ranks, by dimension numbers",
        operand.rank())]
    DotRank {
        /// The operand: `lhs` or `rhs`.
        name: &'static str,
        /// Its shape.
        operand: Shape,
    },
}
}

impl ViewError {
    /// Returns the rule that is broken.
    ///
    /// ```
    /// use indim::{Builder, ElementType::F32, Error, Rule};
    ///
    /// let mut b = Builder::new();
    /// let x = b.parameter(F32, [2, 3])?;
    /// let Err(Error::View { source, .. }) = b.transpose(x, [1, 1]) else { panic!("1 repeats") };
    /// assert_eq!(source.rule(), Rule::V1);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn rule(&self) -> Rule {
        match self {
            Self::OutOfBounds { rule, .. } | Self::Lengths { rule, .. } => *rule,
            Self::PermutationLength { .. } | Self::PermutationRepeats { .. } => Rule::V1,
            Self::SliceLength { .. } => Rule::V2,
            Self::NegativeStart { .. }
            | Self::LimitTooLarge { .. }
            | Self::StartBeyondLimit { .. }
            | Self::IndexDimension { .. }
            | Self::IndexOutOfBounds { .. } => Rule::V3,
            Self::SliceStride { .. } => Rule::V4,
            Self::ReverseRepeats { .. } => Rule::V5,
            Self::ReduceRepeats { .. } => Rule::R2,
            Self::Positions { .. } => Rule::R3,
            Self::ElementCounts { .. } => Rule::V6,
            Self::PaddingRank { .. } | Self::PaddingLength { .. } => Rule::V7,
            Self::NegativeInterior { .. } | Self::NegativePaddedSize { .. } => Rule::V8,
            Self::NothingToConcatenate
            | Self::ConcatenateOutOfBounds { .. }
            | Self::ConcatenateRank { .. }
            | Self::ConcatenateSize { .. } => Rule::V9,
            Self::TakeOutOfBounds { .. } => Rule::G1,
            Self::TakeFromNone { .. } => Rule::G2,
            Self::TakeAlongRank { .. } | Self::TakeAlongSize { .. } => Rule::G3,
            Self::DotRepeats { .. } => Rule::M1,
            Self::DotSizes { .. } => Rule::M2,
            Self::DotRank { .. } => Rule::M3,
        }
    }
}

// The functions below word the advice in the messages.

/// Describes a permutation of this rank.
fn name_each(rank: usize) -> String {
    match rank {
        0 => "a scalar has no dimensions, so leave it empty".to_owned(),
        _ => {
            let such_as: Vec<usize> = (0..rank).rev().collect();
            format!("name each dimension of the operand once, such as {such_as:?}")
        }
    }
}

/// Words the size of a dimension, after interior padding if there is any.
fn with_interior(size: usize, interior: i64) -> String {
    match (size as i128 - 1).max(0) * i128::from(interior) {
        0 => String::new(),
        between => format!(", {} with {interior} between neighbours", size as i128 + between),
    }
}

/// Describes the positions along a dimension of this size.
fn positions(size: usize) -> String {
    match size {
        0 => "it has no position to take".to_owned(),
        1 => "its only position is 0".to_owned(),
        _ => format!("its positions are 0 to {}", size - 1),
    }
}

fn elements(shape: &Shape) -> String {
    match shape.element_count() {
        Ok(1) => "1 element".to_owned(),
        Ok(count) => format!("{count} elements"),
        Err(_) => "too many elements".to_owned(),
    }
}

/// Suggests sizes for the right number of elements: the one size to change, if changing one is
/// enough.
fn as_many(operand: &Shape, result: &Shape) -> String {
    let count = operand.element_count().unwrap_or(0);
    let dims = result.dims();
    // outer[d] counts the elements of the dimensions before d; inner, of those after it.
    let mut outer = vec![Some(1usize)];
    for &size in dims {
        outer.push(outer.last().copied().flatten().and_then(|n| n.checked_mul(size)));
    }
    let mut inner = Some(1usize);
    for (dimension, &size) in dims.iter().enumerate().rev() {
        let product = outer[dimension].zip(inner).and_then(|(a, b)| a.checked_mul(b));
        if let Some(product) = product.filter(|&p| p > 0 && count.is_multiple_of(p)) {
            let fitting = count / product;
            return format!("with size {fitting} in dimension {dimension} there are as many");
        }
        inner = inner.and_then(|n| n.checked_mul(size));
    }
    "a reshape keeps every element, so choose sizes whose product is the same".to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_to_change() {
        let says = |operand: usize, sizes: &[usize]| {
            as_many(&Shape::from([operand]), &Shape::from(sizes.to_vec()))
        };
        let fitting = |size, dimension| {
            format!("with size {size} in dimension {dimension} there are as many")
        };
        assert_eq!(says(12, &[2, 5]), fitting(6, 1));
        assert_eq!(says(12, &[5, 2]), fitting(6, 0));
        assert_eq!(says(0, &[3, 2]), fitting(0, 1));
        assert_eq!(says(12, &[3, 0, 2]), fitting(2, 1));
        assert_eq!(says(12, &[usize::MAX, 2, 2]), fitting(3, 0));
        assert_eq!(
            says(12, &[]),
            "a reshape keeps every element, so choose sizes whose product is the same"
        );
        assert!(says(12, &[0, 0]).starts_with("a reshape keeps"));
        assert!(says(12, &[usize::MAX, 3, usize::MAX]).starts_with("a reshape keeps"));
    }
}
