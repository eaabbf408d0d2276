//! [`Error`]: every error of this crate as data, nested by concern: shapes, types, the use of a
//! builder, arrays, the device.
//!
//! A message contains the text of its inner error, so `source()` returns none: error chains, such
//! as anyhow's, print each part once. For that reason fields are named `r#source`, which thiserror
//! does not treat as a source.

use std::panic::Location;

use crate::semantics::adapters::{NO_ADAPTER, OTHER_ADAPTER, named};
use crate::semantics::broadcast_error::BroadcastError;
use crate::semantics::data_movement::ViewError;
use crate::semantics::element::ElementType;
use crate::semantics::error_debug::debug_is_text;
use crate::semantics::function_error::CallError;
use crate::semantics::rule::Rule;
use crate::semantics::shape::{Shape, ShapeError};
use crate::semantics::texture_error::TextureError;

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
    pub(crate) fn shape(op: &'static str) -> impl FnOnce(ShapeError) -> Self {
        move |source| Self::Shape { op, source }
    }

    pub(crate) fn broadcast(op: &'static str) -> impl FnOnce(BroadcastError) -> Self {
        move |source| Self::Broadcast { op, source }
    }

    pub(crate) fn view(op: &'static str) -> impl FnOnce(ViewError) -> Self {
        move |source| Self::View { op, source }
    }
}

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

/// Returns the message of an error recorded by an expression, whose operands carry `in_dim` where
/// other calls take `broadcast_dimensions`.
fn in_words_of_expressions(error: &Error) -> String {
    match error {
        Error::Broadcast { op, source } => format!("{op}: {}", source.with_in_dim()),
        _ => error.to_string(),
    }
}

fn count(n: usize, unit: &str) -> String {
    if n == 1 { format!("1 {unit}") } else { format!("{n} {unit}s") }
}

fn were(n: usize) -> &'static str {
    if n == 1 { "was" } else { "were" }
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

fn list(types: &[ElementType]) -> String {
    let names: Vec<&str> = types.iter().map(|t| t.name()).collect();
    match names.as_slice() {
        [] => "none".to_owned(),
        [one] => (*one).to_owned(),
        [init @ .., last] => format!("{} and {last}", init.join(", ")),
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
    #[error("{op} is not a {wanted} operation; call the builder's method of its own name")]
    WrongMethod {
        /// The operation asked for.
        op: &'static str,
        /// The kind that the method builds.
        wanted: &'static str,
    },
    /// A computation gets too few or too many arguments.
    #[error("the computation has {}, but {} {} given", count(*expected, "parameter"), count(*given, "argument"), were(*given))]
    ArgumentCount {
        /// Number of parameters.
        expected: usize,
        /// Number of arguments.
        given: usize,
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

debug_is_text! {
/// An array that does not fit its data, its buffer or its context.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArrayError {
    /// There are too few or too many elements for the shape.
    #[error("shape {shape} has {}, but {given} {} given", count(*expected, "element"), were(*given))]
    ElementCount {
        /// The shape.
        shape: Shape,
        /// The number of elements that the shape has.
        expected: usize,
        /// The number of elements given.
        given: usize,
    },
    /// There are too few or too many bytes for the shape and type.
    #[error("shape {shape} of {element_type} takes {}, but {given} {} given", count(*expected, "byte"), were(*given))]
    ByteCount {
        /// The element type.
        element_type: ElementType,
        /// The shape.
        shape: Shape,
        /// The number of bytes that the elements take.
        expected: usize,
        /// The number of bytes given.
        given: usize,
    },
    /// The array's element type is not the one asked for.
    #[error("the array's element type is {found}, not {wanted}")]
    ElementType {
        /// The array's element type.
        found: ElementType,
        /// The element type asked for.
        wanted: ElementType,
    },
    /// One operation is given arrays of two contexts.
    #[error(
        "the arrays of one operation come from two contexts; upload them to one, or share one context by cloning it"
    )]
    TwoContexts,
    /// An expression is evaluated into an array, or a part of one, of a different shape.
    #[error(
        "the expression is {expression} and its target is {target}; broadcast it with broadcast_in_dim, or take a slice of the target"
    )]
    TargetShape {
        /// The expression's shape.
        expression: Shape,
        /// The target's shape.
        target: Shape,
    },
    /// The number of targets is not that of the results.
    #[error("{} given for {}", count(*targets, "target"), count(*results, "result"))]
    TargetCount {
        /// The number of targets given.
        targets: usize,
        /// The number of results.
        results: usize,
    },
    /// Two targets of one call are in the same memory of a buffer that the caller holds.
    #[error(
        "targets {first} and {second} are in the same memory; write them in two calls, or clone one before its buffer is given out"
    )]
    SameTarget {
        /// The position of the first among the targets, from 0 on.
        first: usize,
        /// The position of the second.
        second: usize,
    },
    /// An expression without arrays is evaluated without a context.
    #[error(
        "the expression has no array in it, so it does not say where to run; use Context::eval"
    )]
    NoContext,
    /// A buffer is used at an offset at which no element can start.
    #[error(
        "offset {offset} bytes is not a multiple of {word}; elements start at multiples of {word} bytes"
    )]
    Offset {
        /// The offset in bytes.
        offset: u64,
        /// The alignment that the offset must have, in bytes.
        word: u64,
    },
    /// A buffer is too small for the array.
    #[error(
        "shape {shape} of {element_type} takes {needed} bytes (whole 4-byte words) from offset {offset}, but the buffer has only {size} bytes"
    )]
    BufferTooSmall {
        /// The element type.
        element_type: ElementType,
        /// The shape.
        shape: Shape,
        /// The bytes that the array takes from the offset on.
        needed: u64,
        /// The offset in bytes.
        offset: u64,
        /// The buffer's size in bytes.
        size: u64,
    },
    /// A buffer lacks a usage flag.
    #[error("the buffer's usage is {usage}, but {missing} is needed; create it with that flag")]
    Usage {
        /// The buffer's flags.
        usage: String,
        /// The flags that are missing.
        missing: String,
    },
    /// A buffer belongs to another device than the context.
    #[error(
        "the buffer belongs to another device than the context's; create it with Context::device"
    )]
    OtherDevice,
    /// Commands that write the array are in a caller-owned encoder that has not been reported as
    /// submitted, or was dropped.
    #[error(
        "commands that write the array are in an encoder, and not known to be submitted; keep their Encoded, submit the encoder, and then call Encoded::submitted before you use the array here"
    )]
    NotSubmitted,
    /// The `ndarray` crate cannot represent the shape: the product of its nonzero sizes overflows.
    #[cfg(feature = "ndarray")]
    #[error(
        "ndarray has no shape {shape}, because it multiplies all sizes but 0; reshape the array, which has no elements, to [0]"
    )]
    NdarrayShape {
        /// The shape.
        shape: Shape,
    },
    /// The buffer is mapped or being mapped.
    #[error("the buffer is mapped, or about to be; unmap it first")]
    Mapped,
}
}

debug_is_text! {
/// The adapter or device cannot, or can no longer, do what is asked.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// wgpu finds no adapter.
    #[error("{NO_ADAPTER}")]
    NoAdapter,
    /// There are adapters, but none fits.
    #[error("no GPU adapter{wanted} that can compute; there are: {found}; {OTHER_ADAPTER}")]
    NoFittingAdapter {
        /// The adapter asked for, in words; empty if none was.
        wanted: String,
        /// The available adapters, in words.
        found: String,
    },
    /// The adapter does not provide a device.
    #[error("{} gives no device: {reason}", named(adapter))]
    RequestDevice {
        /// The adapter's name; empty if a browser does not report it.
        adapter: String,
        /// The reason, in wgpu's words.
        reason: String,
    },
    /// The device is lost; make a new context.
    #[error("the device is lost ({reason}); its arrays are gone, make a new Context")]
    Lost {
        /// The reason, in the driver's words.
        reason: String,
    },
    /// The device's shaders lack an element type.
    #[error(
        "{element_type} needs {needed}, but the device has no {missing}; use {instead}, or an adapter that has it"
    )]
    Unsupported {
        /// The element type.
        element_type: ElementType,
        /// The features of wgpu that the type needs.
        needed: &'static str,
        /// The needed features that the device lacks.
        missing: String,
        /// The element type to use instead.
        instead: ElementType,
    },
    /// The device has no memory left, even after the context freed everything unused and tried
    /// again. The context remains usable.
    ///
    /// On OpenGL, wgpu does not check whether an allocation succeeded. If wgpu runs out of memory
    /// for itself, such as for commands, it reports [`DeviceError::Lost`] instead.
    #[error("out of device memory{}; drop arrays that are no longer used", for_bytes(*bytes))]
    OutOfMemory {
        /// The size of the allocation in bytes; 0 for commands or a kernel, whose size wgpu does
        /// not report.
        bytes: u64,
    },
    /// An array is larger than a limit of the device.
    #[error(
        "shape {shape} of {element_type} takes {bytes} bytes, but the device's {limit} is {allowed}; split the array"
    )]
    TooLarge {
        /// The element type.
        element_type: ElementType,
        /// The shape.
        shape: Shape,
        /// The array's size in bytes.
        bytes: u64,
        /// The limit's name in wgpu.
        limit: &'static str,
        /// The limit, in bytes.
        allowed: u64,
    },
    /// A kernel would take too many dispatches, each of which must keep to the device's limits.
    #[error(
        "to compute shape {shape} of {element_type} would take more than {most} dispatches in parts \
         that keep to the device's max_storage_buffer_binding_size of {binding} and \
         max_compute_workgroups_per_dimension of {workgroups}; split the array"
    )]
    TooManyParts {
        /// The element type of the result.
        element_type: ElementType,
        /// Its shape.
        shape: Shape,
        /// The largest number of dispatches that one kernel may take.
        most: usize,
        /// The device's `max_storage_buffer_binding_size`, in bytes.
        binding: u64,
        /// The device's `max_compute_workgroups_per_dimension`.
        workgroups: u32,
    },
    /// The options ask for a usage that buffers of arrays cannot have.
    #[error("the buffers of arrays cannot have the usage {usage}: {reason}")]
    ResultUsages {
        /// The flags.
        usage: String,
        /// The reason, with advice.
        reason: &'static str,
    },
    /// Passes are not timed.
    #[error(
        "no passes are timed: set ContextOptions::timings, on a device with the feature TIMESTAMP_QUERY"
    )]
    NoTimings,
    /// wgpu refuses a call that should be valid: a bug of this crate or of a driver.
    #[error("wgpu refuses {what}: {reason}")]
    Wgpu {
        /// The object or call that was refused.
        what: &'static str,
        /// The reason, in wgpu's words.
        reason: String,
    },
}
}

/// Names the size of an allocation for a message, if it is known.
fn for_bytes(bytes: u64) -> String {
    if bytes == 0 { String::new() } else { format!(" for {bytes} bytes") }
}

/// The result type of this crate's functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;
