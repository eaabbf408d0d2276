//! [`Error`]: every error of this crate as data, nested by concern: shapes, types, the use of a
//! builder, arrays, textures, the device.
//!
//! A message contains the text of its inner error, so `source()` returns none: error chains, such
//! as anyhow's, print each part once. For that reason fields are named `r#source`, which thiserror
//! does not treat as a source.

use std::panic::Location;

use crate::errors::array::ArrayError;
use crate::errors::device::DeviceError;
use crate::errors::texture::TextureError;
use crate::semantics::broadcast_error::BroadcastError;
use crate::semantics::element::ElementType;
use crate::semantics::error_debug::debug_is_text;
use crate::semantics::function_error::CallError;
use crate::semantics::rule::Rule;
use crate::semantics::shape::{Shape, ShapeError};
use crate::semantics::type_error::TypeError;
use crate::semantics::view_error::ViewError;
use crate::semantics::words::{count, were};

debug_is_text! {
/// Any error of this crate. Its text names the operation, the operand and what to do. `{:?}` prints
/// the same text, for `unwrap` and for a `main` that returns the error; `{:#?}` prints the data.
/// The text is complete, so `source()` returns `None`; an inner error is a field.
///
/// ```
/// use indim::{BroadcastError, Error, Expr, Rule};
///
/// let (x, v) = (Expr::<f32>::iota([2, 3], 0), Expr::<f32>::iota([4], 0));
/// let error = (&x + v.in_dim([1])).shape().unwrap_err(); // `eval` returns the same
/// assert_eq!(error.rule(), Some(Rule::B5));
/// let Error::Expression { location, source } = error else { panic!("{error}") };
/// assert!(location.line() > 0);
/// let Error::Broadcast { op: "add", source } = *source else { panic!("{source}") };
/// assert!(matches!(source, BroadcastError::MatchedSizes { .. }));
/// ```
#[derive(Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operands' shapes do not broadcast.
    #[error("{op}: {source}")]
    Broadcast {
        /// The operation.
        op: &'static str,
        /// The reason for the refusal.
        r#source: BroadcastError,
    },
    /// A transpose, slice, reverse or reshape does not fit its operand.
    #[error("{op}: {source}")]
    View {
        /// The operation.
        op: &'static str,
        /// The reason for the refusal.
        r#source: ViewError,
    },
    /// The operands' element types do not fit the operation.
    #[error("{op}: {source}")]
    Type {
        /// The operation.
        op: &'static str,
        /// The reason for the refusal.
        r#source: TypeError,
    },
    /// A shape is impossible.
    #[error("{op}: {source}")]
    Shape {
        /// The operation.
        op: &'static str,
        /// The reason for the refusal.
        r#source: ShapeError,
    },
    /// The operands do not fit a user-defined function.
    #[error("{function}: {source}")]
    Call {
        /// The function's name.
        function: String,
        /// The reason for the refusal.
        r#source: Box<CallError>,
    },
    /// A call of a [`Builder`](crate::Builder) or [`Computation`](crate::Computation) is wrong.
    #[error(transparent)]
    Builder(#[from] BuilderError),
    /// An array does not fit its data, its buffer or its context.
    #[error(transparent)]
    Array(#[from] ArrayError),
    /// A texture does not fit an array.
    #[error(transparent)]
    Texture(#[from] TextureError),
    /// The adapter or device cannot, or can no longer, do what is asked.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// An error recorded by an expression, with the place in the caller's source that built it.
    #[error("{} (in the expression built at {location})", in_words_of_expressions(source))]
    Expression {
        /// The place in the source where the operation was called.
        location: &'static Location<'static>,
        /// The error itself.
        r#source: Box<Error>,
    },
}
}

impl Error {
    /// Returns the broken rule of shapes or types, if the error is about one.
    ///
    /// ```
    /// use indim::{Expr, Rule};
    ///
    /// let (x, v) = (Expr::<f32>::iota([2, 3], 0), Expr::<f32>::iota([2], 0));
    /// let error = (&x + v.in_dim([1])).shape().unwrap_err();
    /// assert_eq!(error.rule(), Some(Rule::B5));
    /// ```
    pub fn rule(&self) -> Option<Rule> {
        match self {
            Self::Broadcast { source, .. } => Some(source.rule()),
            Self::View { source, .. } => Some(source.rule()),
            Self::Type { source, .. } => Some(source.rule()),
            Self::Shape { source, .. } => Some(match source {
                ShapeError::NegativeSize { .. } => Rule::N1,
                ShapeError::SizeTooLarge { .. }
                | ShapeError::TooManyElements { .. }
                | ShapeError::TooManyBytes { .. } => Rule::C1,
                ShapeError::IotaDimension { .. } => Rule::I1,
            }),
            Self::Call { source, .. } => source.rule(),
            Self::Expression { source, .. } => source.rule(),
            Self::Builder(_) | Self::Array(_) | Self::Texture(_) | Self::Device(_) => None,
        }
    }

    /// Returns a closure for `map_err` that makes an error of this operation; likewise
    /// [`Error::broadcast`] and [`Error::view`].
    #[doc(hidden)]
    pub fn shape(op: &'static str) -> impl FnOnce(ShapeError) -> Self {
        move |source| Self::Shape { op, source }
    }

    pub(crate) fn broadcast(op: &'static str) -> impl FnOnce(BroadcastError) -> Self {
        move |source| Self::Broadcast { op, source }
    }

    pub(crate) fn view(op: &'static str) -> impl FnOnce(ViewError) -> Self {
        move |source| Self::View { op, source }
    }
}

/// Returns the message of an error recorded by an expression, whose operands carry `in_dim` where
/// other calls take `broadcast_dimensions`.
fn in_words_of_expressions(error: &Error) -> String {
    match error {
        Error::Broadcast { op, source } => format!("{op}: {}", source.with_in_dim()),
        _ => error.to_string(),
    }
}

debug_is_text! {
/// A wrong call of a builder or a computation.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BuilderError {
    /// The operand belongs to another builder.
    #[error(
        "an operand of {op} comes from another builder; an Op is good only for the builder that gave it"
    )]
    ForeignOp {
        /// The operation that it was given to.
        op: &'static str,
    },
    /// The method does not build this kind of operation.
    #[error("{op} is not {wanted} operation; call it by its own name")]
    WrongMethod {
        /// The operation asked for.
        op: &'static str,
        /// The kind that the method builds, with its article.
        wanted: &'static str,
    },
    /// An operation gets too few or too many operands.
    #[error("{op} takes {}, but {} {} given", count(*wanted, "operand"), given, were(*given))]
    OperandCount {
        /// The operation.
        op: &'static str,
        /// The number of operands that it takes.
        wanted: usize,
        /// The number of operands given.
        given: usize,
    },
    /// A key of random numbers has another shape than \[2\].
    #[error(
        "{op}: key has shape {shape}, but a key is u32[2]; make one with random_key, or take one of several with index"
    )]
    Key {
        /// The operation.
        op: &'static str,
        /// The shape given.
        shape: Shape,
    },
    /// A computation gets too few or too many arguments.
    #[error("the computation has {}, but {} {} given", count(*expected, "parameter"), count(*given, "argument"), were(*given))]
    ArgumentCount {
        /// Number of parameters.
        expected: usize,
        /// Number of arguments.
        given: usize,
    },
    /// A computation is made for too few or too many shapes.
    #[error("the computation has {}, but {} {} given", count(*expected, "parameter"), count(*given, "shape"), were(*given))]
    ShapeCount {
        /// Number of parameters.
        expected: usize,
        /// Number of shapes.
        given: usize,
    },
    /// A computation is made for a parameter of another rank.
    #[error(
        "parameter {index} is {parameter}, and cannot become {given}, of rank {}: the ranks of parameters stay", given.rank()
    )]
    ParameterRank {
        /// The number of the parameter, counted from 0.
        index: usize,
        /// The parameter's shape.
        parameter: Shape,
        /// The shape that was given.
        given: Shape,
    },
    /// A computation cannot be written as calls of a builder.
    #[error("the computation cannot be made again: {reason}")]
    NoCalls {
        /// The reason.
        reason: String,
    },
    /// A computation is built without a result.
    #[error("a computation has at least one result, but none is given")]
    NoResult,
    /// A computation with several results is run for one.
    #[error("the computation has {count} results, which run_all returns; run returns the only one")]
    SeveralResults {
        /// The number of results.
        count: usize,
    },
    /// An argument does not have the parameter's type or shape.
    #[error(
        "argument {index} is {given_type} {given_shape}, but parameter {index} is {expected_type} {expected_shape}"
    )]
    Argument {
        /// The number of the parameter, counted from 0.
        index: usize,
        /// The parameter's element type.
        expected_type: ElementType,
        /// The parameter's shape.
        expected_shape: Shape,
        /// The argument's element type.
        given_type: ElementType,
        /// The argument's shape.
        given_shape: Shape,
    },
}
}

/// The result type of this crate's functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;
