//! Elementwise array operations on any GPU, with XLA's broadcasting semantics, on wgpu.
//!
//! Operands of different ranks name the dimensions that match (`broadcast_dimensions`). Scalars
//! broadcast freely, and dimensions of size 1 stretch. Everything else is an error that names the
//! operand, the dimension and the sizes. A broadcast copies nothing, and an expression becomes one
//! kernel, which reads each array once; a large one becomes several ([`Computation::explain`] shows
//! which).
//!
//! ```no_run
//! # async fn example() -> indim::Result<()> {
//! use indim::Context;
//!
//! let gpu = Context::new().await?; // or Context::blocking()?, or Context::from_device(device, queue)?
//! let x = gpu.array([2, 3], &[1_f32, 2., 3., 4., 5., 6.])?;
//! let v = gpu.array([3], &[7_f32, 8., 9.])?;
//!
//! let sum = indim::add(&x, &v, [1])?; // dimension 0 of v is dimension 1 of x
//! let y = (&x * 2.0 + v.in_dim([1])).exp().eval()?; // operators build, eval computes
//! let relu = x.gt(0.0).select(&x, 0.0).eval()?;
//! let same = indim::numpy::add(&x, &v)?; // NumPy's rule aligns the last dimensions
//! let host: Vec<f32> = y.to_vec().await?; // to_vec_blocking() off the web
//! # Ok(())
//! # }
//! ```
//!
//! There are four ways to call:
//!
//! - **Eager functions** ([`ops`], re-exported here) have XlaBuilder's signatures. Each call is
//!   checked and recorded by itself, as a kernel of its own.
//! - **Expressions** ([`Expr`]) are typed and lazy; Rust's operators and methods build them, and
//!   [`Expr::eval`] computes them. [`AnyExpr`] is the same for types known at run time.
//! - **[`Builder`]** makes a [`Computation`] with element types known at run time. It checks every
//!   rule ([`Rule`]) without a GPU; [`Computation::explain`] shows the kernels.
//! - **[`numpy`]** has NumPy's implicit broadcasting, as a thin wrapper.
//!
//! A [`Context`] holds a device, on which [`Array`]s live. Operations return when they are recorded;
//! [`ops`] says when the GPU is given them. Reading an array back waits for it. Every function that
//! can fail returns an [`Error`].
//!
//! Features, each of which adds no more than it says:
//!
//! - `ndarray`: `Context::array_from` and `Context::expr_from` take arrays of the `ndarray` crate, of
//!   any layout, and `Array::to_ndarray` gives one back.
//! - `serde`: [`ElementType`], [`Shape`], [`Precision`], [`Literal`] and [`Computation`] are data of the
//!   `serde` crate. [`Computation`] describes the format.
//! - `tracing`: calls have spans of the `tracing` crate.
//! - `dx12`, `gles`, `metal`, `vulkan` and `webgpu`, on by default, and `vulkan-portability` are wgpu's.
//!
//! A panic of wgpu, or of a callback or waker of yours within a call, becomes an error by unwinding.
//! With `panic = "abort"`, and on `wasm32-unknown-unknown`, it ends the program.

mod api;
mod calibration;
mod compile;
mod device;
mod graph;
mod semantics;

// The layers, from the lowest to the highest; each imports only those before it.
pub use semantics::broadcast_error::{BroadcastError, Side};
pub use semantics::data_movement::ViewError;
pub use semantics::dims::Dims;
pub use semantics::element::{
    Bitwise, Element, ElementType, Float, Inexact, Integer, Number, Ordered, Real, S4, Scalar,
    Signed, U4, UnknownElementType,
};
pub use semantics::error::{ArrayError, BuilderError, DeviceError, Error, Result, TypeError};
pub use semantics::function_error::{CallError, FunctionError};
pub use semantics::literal::Literal;
pub use semantics::opcode::{OpClass, Opcode};
pub use semantics::precision::Precision;
pub use semantics::print::summary::Summary;
pub use semantics::rule::Rule;
pub use semantics::shape::{Shape, ShapeError};
pub use semantics::texture_error::TextureError;

pub use graph::builder::{Builder, Op};
pub use graph::computation::{Computation, Parameter};
#[cfg(feature = "functions")]
pub use graph::function::wgsl::{Function, FunctionCost};

pub use compile::explain::{
    Explanation, KernelExplanation, OperandExplanation, Source, Target, Written,
};
pub use compile::limits::{Conversion, Division, Guard, Half, PlanLimits, Subnormals};
pub use compile::plan::access::Access;
pub use compile::plan::schedule::Schedule;

pub use device::array::{AnyArray, Array, BufferRange};
pub use device::context::Context;
pub use device::encoded::Encoded;
pub use device::guard::stats::{Memory, Stats};
pub use device::options::ContextOptions;
pub use device::timer::Timing;
pub use device::view_mut::{AnyViewMut, ViewMut};

#[doc(hidden)]
pub use calibration::hard_cases;

pub use api::any_expr::AnyExpr;
#[cfg(not(target_arch = "wasm32"))]
pub use api::chunked::endpoint::{ChunkSink, ChunkSource};
#[cfg(not(target_arch = "wasm32"))]
pub use api::chunked::error::ChunkedError;
#[cfg(not(target_arch = "wasm32"))]
pub use api::chunked::run::{Chunked, Progress};
pub use api::eval::{Exprs, eval, explain};
pub use api::eval_into::IntoViewMut;
pub use api::expr::Expr;
#[cfg(feature = "functions")]
pub use api::function_call::{CallOperand, CallOperands};
pub use api::operand::{Choice, InDim, IntoExpr, Operand};
#[doc(inline)]
pub use api::ops::*;
pub use api::{numpy, ops};

// The crates whose types stand in the public API.
pub use half;
#[cfg(feature = "ndarray")]
pub use ndarray;
pub use num_complex;
pub use wgpu;

/// Nobody else implements the traits of operands, so that methods can be added to them; and no type
/// to which a field or a case may be added is made or matched whole.
///
/// ```compile_fail,E0277
/// struct Mine;
/// impl indim::IntoExpr<f32> for Mine {
///     fn into_expr(self) -> indim::Expr<f32> {
///         indim::Expr::iota(&[1], 0)
///     }
/// }
/// ```
///
/// ```compile_fail,E0277
/// struct Mine;
/// impl indim::Operand<f32> for Mine {
///     fn into_operand(self) -> (indim::Expr<f32>, Option<Vec<i64>>) {
///         (indim::Expr::iota(&[1], 0), None)
///     }
/// }
/// ```
///
/// ```compile_fail,E0639
/// let _ = indim::Parameter { element_type: indim::ElementType::F32, shape: [1].into() };
/// ```
///
/// ```compile_fail,E0004
/// fn name(side: indim::Side) -> &'static str {
///     match side {
///         indim::Side::Lhs => "lhs",
///         indim::Side::Rhs => "rhs",
///     }
/// }
/// ```
///
/// ```compile_fail,E0004
/// fn name(source: indim::Source) -> &'static str {
///     match source {
///         indim::Source::Parameter(_) => "parameter",
///         indim::Source::Temporary(_) => "temporary",
///         indim::Source::Iota => "iota",
///     }
/// }
/// ```
#[cfg(doctest)]
struct Closed;

/// Runs the README's code as a doc test, which needs an adapter as most tests do.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

/// Runs the code of docs/functions.md.
#[cfg(all(doctest, feature = "functions"))]
#[doc = include_str!("../docs/functions.md")]
struct Functions;

/// Runs the code of docs/cookbook.md.
#[cfg(all(doctest, feature = "functions"))]
#[doc = include_str!("../docs/cookbook.md")]
struct Cookbook;

/// Runs the code of docs/embedding.md.
#[cfg(doctest)]
#[doc = include_str!("../docs/embedding.md")]
struct Embedding;
