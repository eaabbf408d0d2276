//! The part of [indim](https://docs.rs/indim) that compiles nothing: XLA's semantics of element types,
//! shapes and broadcasting ([`semantics`]), and computations as data ([`graph`]). The crate
//! `indim-compiler` makes kernels of these.
//!
//! This is an implementation crate. Everything for users is in `indim`, which re-exports what is public
//! there; the modules here are for `indim` and for crates that read or check computations without a
//! device, and change with any version.

// The documentation names the feature that an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

pub mod errors;
pub mod graph;
pub mod semantics;

// What `indim` re-exports.
pub use errors::array::ArrayError;
pub use errors::device::DeviceError;
pub use errors::texture::TextureError;
pub use graph::builder::{Builder, Op};
pub use graph::computation::{Computation, Parameter, Runs};
#[cfg(feature = "functions")]
pub use graph::function::wgsl::{FunctionCost, WgslFunction};
pub use semantics::broadcast_error::{BroadcastError, Side};
pub use semantics::dims::Dims;
pub use semantics::element::{
    Bitwise, ComplexPart, Conjugable, Element, ElementType, Float, Inexact, Integer, Number,
    Ordered, Real, S4, Scalar, ScalarValue, Signed, U4, UnknownElementType,
};
pub use semantics::error::{BuilderError, Error, Result};
pub use semantics::function_error::{CallError, FunctionError};
pub use semantics::literal::Literal;
pub use semantics::numpy;
pub use semantics::opcode::{OpClass, Opcode};
pub use semantics::precision::Precision;
pub use semantics::print::summary::Summary;
pub use semantics::product::DotDimensionNumbers;
pub use semantics::rule::Rule;
pub use semantics::shape::{Shape, ShapeError};
pub use semantics::type_error::TypeError;
pub use semantics::view_error::ViewError;

// The crates whose types stand in the public API.
pub use half;
pub use num_complex;

/// Runs the code of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
