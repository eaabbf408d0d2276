//! [`ArrayError`]: why an array does not fit its data, its buffer or its context.

use crate::semantics::element::ElementType;
use crate::semantics::error_debug::debug_is_text;
use crate::semantics::shape::Shape;
use crate::semantics::words::{count, were};

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
    /// A literal is written into an array, or a part of one, of a different shape.
    #[error("the literal's shape is {literal} and its target's is {target}; they must be equal")]
    LiteralShape {
        /// The literal's shape.
        literal: Shape,
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
    /// Two targets of one call share memory that is always written in place
    /// (`Array::always_in_place`), also if their parts do not overlap.
    #[error(
        "targets {first} and {second} share memory that is always written in place; write them in two calls, or make one of them a new array"
    )]
    SameTarget {
        /// The position of the first among the targets, from 0 on.
        first: usize,
        /// The position of the second.
        second: usize,
    },
    /// An expression without arrays is evaluated without a context.
    #[error(
        "the expression contains no array, so it has no context to run on; use Context::eval or Context::bind"
    )]
    NoContext,
    /// A buffer is used at an offset at which no element can start.
    #[error(
        "offset {offset} is not a multiple of {word} bytes"
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
        "the array is written by an encoder that has not been reported as submitted; keep its Encoded, submit the encoder, and call Encoded::submitted before using the array here; if the Encoded was dropped, compute the array again"
    )]
    NotSubmitted,
    /// The `ndarray` crate cannot represent the shape: the product of its nonzero sizes overflows.
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
