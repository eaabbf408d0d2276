//! [`TypeError`]: element types that an operation does not take.

use crate::semantics::element::ElementType;
use crate::semantics::error_debug::debug_is_text;
use crate::semantics::rule::Rule;
use crate::semantics::shape::Shape;
use crate::semantics::words::list;

debug_is_text! {
/// Refused element types. Each variant breaks one [`Rule`], which [`TypeError::rule`] returns.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TypeError {
    /// The operation does not take the element type (rule T1).
    #[error(
        "{operand} has element type {found}; this operation accepts {}; {}",
        list(accepted),
        conversion(operand)
    )]
    NotAccepted {
        /// The operand's name.
        operand: &'static str,
        /// Its element type.
        found: ElementType,
        /// The element types that the operation takes.
        accepted: Vec<ElementType>,
    },
    /// Two operands have different element types (rule T2).
    #[error(
        "{first} has element type {first_type} and {second} has {second_type}; convert one of them with convert_element_type"
    )]
    Differ {
        /// An operand's name.
        first: &'static str,
        /// Its element type.
        first_type: ElementType,
        /// The other operand's name.
        second: &'static str,
        /// Its element type.
        second_type: ElementType,
    },
    /// An operand of concatenate has a different element type from the first one (rule T2).
    #[error(
        "operand {index} has element type {found} and operand 0 has {first}; convert one of them with convert_element_type"
    )]
    DifferFromFirst {
        /// The operand's number.
        index: usize,
        /// Its element type.
        found: ElementType,
        /// The element type of the first operand.
        first: ElementType,
    },
    /// The first operand of select is not PRED (rule T3).
    #[error("pred has element type {found}, but it must be pred; compare or convert it first")]
    NotPred {
        /// The element type given.
        found: ElementType,
    },
    /// One of the types cannot be bitcast to the other (rule T4).
    #[error("the bits of {from} are not {to}; {}; use convert_element_type", unrelated(*from, *to))]
    NoBitcast {
        /// The operand's element type.
        from: ElementType,
        /// The element type asked for.
        to: ElementType,
    },
    /// The last dimension does not hold one element of a wider type (rule T4).
    #[error("{from} is {} wide and {to} {}, so that {ratio} elements become one, but the operand's shape {shape} has {}; reshape it so that its last dimension has size {ratio}", bits(*from), bits(*to), last(shape))]
    BitcastRatio {
        /// The operand's element type.
        from: ElementType,
        /// The element type asked for.
        to: ElementType,
        /// The operand's shape.
        shape: Shape,
        /// The size that the last dimension must have.
        ratio: usize,
    },
    /// The format of `reduce_precision` does not exist (rule T5).
    #[error(
        "the format has {exponent_bits} exponent bits and {mantissa_bits} mantissa bits, but it takes 1 or more of the first and 0 or more of the second; f16 is 5 and 10, bf16 is 8 and 7"
    )]
    Format {
        /// The exponent bits asked for.
        exponent_bits: i64,
        /// The mantissa bits asked for.
        mantissa_bits: i64,
    },
    /// NumPy does not have the element type (rule P2).
    #[error(
        "NumPy has no {found}, and so no type that it and others become; convert it with convert_element_type"
    )]
    NotNumPy {
        /// The element type.
        found: ElementType,
    },
    /// NumPy promotes the types to complex128, which is not an element type here (rule P2).
    #[error(
        "{first} and {second} become complex128 in NumPy, which is not an element type here; convert one of them with convert_element_type"
    )]
    NoPromotion {
        /// An operand's element type.
        first: ElementType,
        /// Another operand's element type.
        second: ElementType,
    },
    /// No types to promote are given (rule P2).
    #[error("no element types are given; there must be one or more")]
    NoTypes,
}
}

impl TypeError {
    /// Returns the rule that is broken.
    ///
    /// ```
    /// use indim::{Builder, ElementType::{F32, S32}, Error, Rule};
    ///
    /// let mut b = Builder::new();
    /// let (x, y) = (b.parameter(F32, [3])?, b.parameter(S32, [3])?);
    /// let Err(Error::Type { source, .. }) = b.add(x, y, []) else { panic!("types differ") };
    /// assert_eq!(source.rule(), Rule::T2);
    /// # Ok::<(), indim::Error>(())
    /// ```
    pub fn rule(&self) -> Rule {
        match self {
            Self::NotAccepted { .. } => Rule::T1,
            Self::Differ { .. } | Self::DifferFromFirst { .. } => Rule::T2,
            Self::NotPred { .. } => Rule::T3,
            Self::NoBitcast { .. } | Self::BitcastRatio { .. } => Rule::T4,
            Self::Format { .. } => Rule::T5,
            Self::NotNumPy { .. } | Self::NoPromotion { .. } | Self::NoTypes => Rule::P2,
        }
    }
}

/// Suggests what to do about an element type that is not accepted.
fn conversion(operand: &str) -> &'static str {
    match operand {
        "the result" => "make it one of these and convert the result with convert_element_type",
        _ => "convert it with convert_element_type",
    }
}

fn bits(element_type: ElementType) -> String {
    format!("{} bits", element_type.bits())
}

/// Explains why the types cannot be bitcast.
fn unrelated(from: ElementType, to: ElementType) -> &'static str {
    if from == ElementType::Pred || to == ElementType::Pred {
        "pred is bitcast to pred only"
    } else {
        "a complex type is bitcast to itself only"
    }
}

fn last(shape: &Shape) -> String {
    match shape.dims().last() {
        Some(size) => format!("a last dimension of size {size}"),
        None => "no dimension".to_owned(),
    }
}
