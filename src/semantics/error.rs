//! What can go wrong, as data. Nested by concern: shapes and types, arrays, the device.

use std::panic::Location;

use crate::semantics::broadcast_error::BroadcastError;
use crate::semantics::data_movement::ViewError;
use crate::semantics::element::ElementType;
use crate::semantics::rule::Rule;
use crate::semantics::shape::{Shape, ShapeError};

/// Any error of this crate.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The operands' shapes do not fit together.
    #[error("{op}: {source}")]
    Broadcast {
        /// The operation.
        op: &'static str,
        /// What is wrong.
        source: BroadcastError,
    },
    /// The operand cannot be seen in this way.
    #[error("{op}: {source}")]
    View {
        /// The operation.
        op: &'static str,
        /// What is wrong.
        source: ViewError,
    },
    /// The operands' element types do not fit the operation.
    #[error("{op}: {source}")]
    Type {
        /// The operation.
        op: &'static str,
        /// What is wrong.
        source: TypeError,
    },
    /// A shape is impossible.
    #[error("{op}: {source}")]
    Shape {
        /// The operation.
        op: &'static str,
        /// What is wrong.
        source: ShapeError,
    },
    /// A [`Builder`](crate::Builder) or [`Computation`](crate::Computation) was used wrongly.
    #[error(transparent)]
    Builder(#[from] BuilderError),
    /// Data and array do not fit together.
    #[error(transparent)]
    Array(#[from] ArrayError),
    /// The adapter or device cannot, or can no longer, do what is asked.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// An error kept in an expression, with the place in the source that built it.
    #[error("{source} (in the expression built at {location})")]
    Expression {
        /// Where the operation was called.
        location: &'static Location<'static>,
        /// What is wrong.
        source: Box<Error>,
    },
}

impl Error {
    /// The rule of shapes or types that was broken, if it is one.
    pub fn rule(&self) -> Option<Rule> {
        match self {
            Self::Broadcast { source, .. } => Some(source.rule()),
            Self::View { source, .. } => Some(source.rule()),
            Self::Type { source, .. } => Some(source.rule()),
            Self::Shape { source, .. } => Some(match source {
                ShapeError::NegativeSize { .. } => Rule::N1,
                ShapeError::TooManyElements { .. } | ShapeError::TooManyBytes { .. } => Rule::C1,
                ShapeError::IotaDimension { .. } => Rule::I1,
            }),
            Self::Expression { source, .. } => source.rule(),
            Self::Builder(_) | Self::Array(_) | Self::Device(_) => None,
        }
    }

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

/// A refusal of element types.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TypeError {
    /// Rule T1.
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
        /// What the operation takes.
        accepted: Vec<ElementType>,
    },
    /// Rule T2.
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
    /// Rule T3.
    #[error("pred has element type {found}, but it must be pred; compare or convert it first")]
    NotPred {
        /// The element type given.
        found: ElementType,
    },
    /// Rule T4.
    #[error("the bits of {from} are no {to}; {}; use convert_element_type", unrelated(*from, *to))]
    NoBitcast {
        /// The operand's element type.
        from: ElementType,
        /// The element type asked for.
        to: ElementType,
    },
    /// Rule T4.
    #[error("{from} is {} wide and {to} {}, so that {ratio} elements become one, but the operand's shape {shape} has {}; reshape it so that its last dimension has size {ratio}", bits(*from), bits(*to), last(shape))]
    BitcastRatio {
        /// The operand's element type.
        from: ElementType,
        /// The element type asked for.
        to: ElementType,
        /// The operand's shape.
        shape: Shape,
        /// What its last dimension's size must be.
        ratio: usize,
    },
    /// Rule T5.
    #[error(
        "the format has {exponent_bits} exponent bits and {mantissa_bits} mantissa bits, but it takes 1 or more of the first and 0 or more of the second; f16 is 5 and 10, bf16 is 8 and 7"
    )]
    Format {
        /// The exponent bits asked for.
        exponent_bits: i64,
        /// The mantissa bits asked for.
        mantissa_bits: i64,
    },
    /// Rule P2.
    #[error(
        "NumPy has no {found}, and so no type that it and others become; convert it with convert_element_type"
    )]
    NotNumPy {
        /// The element type.
        found: ElementType,
    },
    /// Rule P2.
    #[error(
        "{first} and {second} become complex128 in NumPy, which is no element type here; convert one of them with convert_element_type"
    )]
    NoPromotion {
        /// An operand's element type.
        first: ElementType,
        /// Another one's.
        second: ElementType,
    },
    /// Rule P2.
    #[error("no element types are given; there must be one or more")]
    NoTypes,
}

impl TypeError {
    /// The rule that is broken.
    pub fn rule(&self) -> Rule {
        match self {
            Self::NotAccepted { .. } => Rule::T1,
            Self::Differ { .. } => Rule::T2,
            Self::NotPred { .. } => Rule::T3,
            Self::NoBitcast { .. } | Self::BitcastRatio { .. } => Rule::T4,
            Self::Format { .. } => Rule::T5,
            Self::NotNumPy { .. } | Self::NoPromotion { .. } | Self::NoTypes => Rule::P2,
        }
    }
}

/// What to do about an element type that is not accepted.
fn conversion(operand: &str) -> &'static str {
    match operand {
        "the result" => "make it one of these and convert the result with convert_element_type",
        _ => "convert it with convert_element_type",
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

/// Why a bitcast makes no sense.
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

/// Wrong use of a builder or a computation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
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
    #[error("{op} is no {wanted} operation; call the builder's method of its own name")]
    WrongMethod {
        /// The operation asked for.
        op: &'static str,
        /// The kind that the method builds.
        wanted: &'static str,
    },
    /// Wrong number of arguments.
    #[error("the computation has {}, but {} {} given", count(*expected, "parameter"), count(*given, "argument"), were(*given))]
    ArgumentCount {
        /// Number of parameters.
        expected: usize,
        /// Number of arguments.
        given: usize,
    },
    /// An argument does not have the parameter's type or shape.
    #[error(
        "argument {index} is {given_type} {given_shape}, but parameter {index} is {expected_type} {expected_shape}"
    )]
    Argument {
        /// Number of the parameter.
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

/// Data and array do not fit together.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArrayError {
    /// Too few or too many elements for the shape.
    #[error("shape {shape} has {}, but {given} {} given", count(*expected, "element"), were(*given))]
    ElementCount {
        /// The shape.
        shape: Shape,
        /// How many elements it has.
        expected: usize,
        /// How many were given.
        given: usize,
    },
    /// Too few or too many bytes for the shape and type.
    #[error("shape {shape} of {element_type} takes {}, but {given} {} given", count(*expected, "byte"), were(*given))]
    ByteCount {
        /// The element type.
        element_type: ElementType,
        /// The shape.
        shape: Shape,
        /// How many bytes it takes.
        expected: usize,
        /// How many were given.
        given: usize,
    },
    /// The array has another element type than the one asked for.
    #[error("the array's element type is {found}, not {wanted}")]
    ElementType {
        /// The array's.
        found: ElementType,
        /// What was asked for.
        wanted: ElementType,
    },
    /// Arrays of two contexts in one operation.
    #[error(
        "the arrays of one operation come from two contexts; upload them to one, or share one context by cloning it"
    )]
    TwoContexts,
    /// An expression without arrays has no context to run on.
    #[error(
        "the expression has no array in it, so it does not say where to run; use Context::eval"
    )]
    NoContext,
    /// A buffer is used at an offset that does not fit the elements.
    #[error(
        "offset {offset} bytes is no multiple of {word}; elements start at multiples of {word} bytes"
    )]
    Offset {
        /// The offset in bytes.
        offset: u64,
        /// What it must be a multiple of, in bytes.
        word: u64,
    },
    /// A buffer is too small.
    #[error(
        "shape {shape} of {element_type} takes {needed} bytes (whole 4-byte words) from offset {offset}, but the buffer has only {size} bytes"
    )]
    BufferTooSmall {
        /// The element type.
        element_type: ElementType,
        /// The shape.
        shape: Shape,
        /// Bytes needed behind the offset.
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
        /// What is missing.
        missing: String,
    },
    /// A buffer of another device.
    #[error(
        "the buffer belongs to another device than the context's; create it with Context::device"
    )]
    OtherDevice,
    /// A buffer is mapped.
    #[error("the buffer is mapped; unmap it first")]
    Mapped,
}

/// How to get a driver that works on any machine.
const INSTALL: &str = "Mesa's lavapipe (Debian and Ubuntu: apt-get install mesa-vulkan-drivers libvulkan1; Fedora: dnf install mesa-vulkan-drivers vulkan-loader; Arch: pacman -S vulkan-swrast vulkan-icd-loader; Alpine: apk add mesa-vulkan-swrast vulkan-loader)";

/// The adapter or device cannot, or can no longer, do what is asked.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DeviceError {
    /// There is no adapter.
    #[error("no GPU adapter found; install a driver, or a software one: {INSTALL}")]
    NoAdapter,
    /// There are adapters, but none fits.
    #[error(
        "no GPU adapter{wanted} that can compute; there are: {found}; choose another one by the options or WGPU_ADAPTER_NAME and WGPU_BACKEND, or install a driver: {INSTALL}"
    )]
    NoFittingAdapter {
        /// What was asked for, in words, or empty.
        wanted: String,
        /// Which adapters there are, in words.
        found: String,
    },
    /// The adapter gives no device.
    #[error("adapter {adapter} gives no device: {reason}")]
    RequestDevice {
        /// The adapter's name.
        adapter: String,
        /// What wgpu says.
        reason: String,
    },
    /// The device is lost; make a new context.
    #[error("the device is lost ({reason}); its arrays are gone, make a new Context")]
    Lost {
        /// What the driver says.
        reason: String,
    },
    /// The device's shaders do not have an element type.
    #[error(
        "{element_type} needs {needed}, but the device has no {missing}; use {instead}, or an adapter that has it"
    )]
    Unsupported {
        /// The element type.
        element_type: ElementType,
        /// The features of wgpu that it takes.
        needed: &'static str,
        /// Those of them that are missing.
        missing: String,
        /// The element type to use instead.
        instead: ElementType,
    },
    /// The device has no memory left, not even after the context has freed all that was not in use
    /// and tried again. The context goes on working.
    ///
    /// By OpenGL, wgpu does not ask whether there was memory. Where it needs some for itself, such
    /// as for commands, and finds none, it takes the device for lost: [`DeviceError::Lost`].
    #[error("out of device memory{}; drop arrays that are no longer used", for_bytes(*bytes))]
    OutOfMemory {
        /// How many bytes were asked for; 0 where it was for commands or a kernel, of which wgpu
        /// does not tell the size.
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
        /// Its size in bytes.
        bytes: u64,
        /// The limit's name in wgpu.
        limit: &'static str,
        /// The limit, in bytes.
        allowed: u64,
    },
    /// A kernel would take too many dispatches, each of which keeps to the device's limits.
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
        /// The most dispatches of one kernel.
        most: usize,
        /// The limit of bindings, in bytes.
        binding: u64,
        /// The limit of dispatches, in workgroups a dimension.
        workgroups: u32,
    },
    /// wgpu refuses something that should be right: a fault in this crate or a driver.
    #[error("wgpu refuses {what}: {reason}")]
    Wgpu {
        /// What was being done.
        what: &'static str,
        /// What wgpu says.
        reason: String,
    },
}

/// How many bytes a message says were asked for, if that is known.
fn for_bytes(bytes: u64) -> String {
    if bytes == 0 { String::new() } else { format!(" for {bytes} bytes") }
}

/// The result of this crate's functions.
pub type Result<T, E = Error> = std::result::Result<T, E>;
