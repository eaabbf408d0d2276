//! Elementwise array operations on any GPU, with XLA's broadcasting semantics, on wgpu.
//!
//! Operands of different ranks name the dimensions that match (`broadcast_dimensions`). Scalars
//! broadcast freely, and dimensions of size 1 stretch. Everything else is an error that names the
//! operand, the dimension and the sizes. A broadcast copies nothing, and an expression becomes one
//! kernel, which reads each array once; a large one becomes several ([`PlanLimits::explain`][explain]
//! shows which).
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
//! let same = indim::numpy::add(&x, &v).eval()?; // NumPy's rule aligns the last dimensions
//! let host: Vec<f32> = y.to_vec().await?; // to_vec_blocking() off the web
//! println!("{}", y.summary().await?); // as NumPy prints; summary_blocking() off the web
//! # Ok(())
//! # }
//! ```
//!
//! There are four ways to call:
//!
//! - **Eager functions** ([`add`], [`reduce_sum`], ...) have XlaBuilder's signatures. Each call
//!   checks its operands, records a kernel of its own, and returns without waiting for the GPU.
//!   Their operands are arrays, expressions or scalars; sizes and indices count elements.
//! - **Expressions** ([`Expr`]) are typed and lazy; Rust's operators and methods build them, and
//!   [`Expr::eval`] computes them. [`AnyExpr`] is the same for types known at run time.
//! - **[`Builder`]** makes a [`Computation`] with element types known at run time. It checks every
//!   rule ([`Rule`]) without a GPU; [`PlanLimits::explain`][explain] shows the kernels.
//! - **[`numpy`]** has NumPy's implicit broadcasting, as a thin wrapper.
//!
//! [`Function`] is a user-defined operation in WGSL, which all of them accept. A [`Context`] holds
//! a device, on which [`Array`]s live.
//!
//! # Broadcasting
//!
//! A scalar broadcasts to every element. An operand of a lower rank names, for each of its dimensions,
//! the one of the other operand that it matches; nothing is guessed. With `[1]` a vector of 3 is a row
//! of a (2,3) matrix, repeated downwards:
//!
//! ```text
//! |1 2 3| + |7 8 9|  =  |1 2 3| + |7 8 9|  =  | 8 10 12|
//! |4 5 6|               |4 5 6|   |7 8 9|     |11 13 15|
//! ```
//!
//! In matched dimensions and between equal ranks, a size of 1 stretches, on both sides if need be. So
//! a column and a row give a matrix:
//!
//! ```text
//! |1| + |10 20 30|  =  |1 1 1| + |10 20 30|  =  |11 21 31|
//! |2|                  |2 2 2|   |10 20 30|     |12 22 32|
//! ```
//!
//! ```
//! use indim::Expr;
//!
//! let x = Expr::<f32>::iota([2, 3], 0);
//! let (row, column) = (Expr::<f32>::iota([3], 0), Expr::<f32>::iota([2], 0));
//! assert_eq!((&x + row.in_dim([1])).shape()?.dims(), [2, 3]);
//! assert_eq!((&x + column.in_dim([0])).shape()?.dims(), [2, 3]);
//! let outer = column.reshape([2, 1]) + row.reshape([1, 3]);
//! assert_eq!(outer.shape()?.dims(), [2, 3]);
//! # Ok::<(), indim::Error>(())
//! ```
//!
//! [docs/broadcasting.md][broadcasting] has every rule by its label, with the call that breaks it;
//! [`Rule`] has the same labels. [`numpy`] aligns the last dimensions in their place.
//!
//! # Laziness
//!
//! Operators and methods only build an expression. [`Expr::eval`] turns it into as few kernels as it
//! can, mostly one, records these, and returns without waiting for the GPU. Nothing between the
//! arrays that go in and the one that comes out is stored, and no broadcast or view copies.
//! [`eval`] computes several expressions at once, each shared part once; [`Expr::eval_into`] writes
//! into an array that exists. Kernels are kept, and depend on the structure of an expression: another
//! size or constant usually compiles nothing.
//!
//! Commands wait in a batch. The batch is submitted when it has 128 dispatches or writes 8 MiB, when
//! an array is read back or its buffer taken, and by [`Context::flush`] and `Context::wait`; reading
//! an array back waits for it. Commands that are recorded and not yet submitted see what you write
//! later to a buffer that they read ([`Array::buffer`], [`Context::array_from_buffer`]): call
//! [`Context::flush`] before you write.
//!
//! ```
//! # fn main() -> indim::Result<()> {
//! let gpu = indim::Context::blocking()?;
//! let x = gpu.full([1024, 512], 3_f32)?;
//! let gains = gpu.arange::<f32>(512)?;
//! let y = (x.square() * gains.in_dim([1]) + 1.0).sqrt(); // nothing is computed
//! assert_eq!(y.explain()?.kernels.len(), 1);
//! let y = y.eval()?; // recorded
//! assert_eq!(y.to_vec_blocking()?[16], (9_f32 * 16. + 1.).sqrt()); // computed
//! # Ok(())
//! # }
//! ```
//!
//! [docs/planner.md][planner] describes when a value is stored between two kernels.
//!
//! # Precision
//!
//! By default each operation rounds by itself, and results are XLA's on every adapter: integers,
//! comparisons and conversions bit for bit, sums, products, quotients and square roots of floats
//! correctly rounded, and functions within the bounds that [docs/numerics.md][numerics] lists. Each
//! new context tests which of this its adapter's compiler preserves. With [`Precision::Relaxed`]
//! operations are as fast and as exact as the driver's own; it is set for a context, an expression
//! or a builder. Nothing is promised of the inside of a [`Function`] but what WGSL promises.
//!
//! # Memory
//!
//! Arrays are dense and row-major, of [`ElementType`]s of 4 to 64 bits. They are handles: clones
//! share their elements, and dropping the last one gives the buffer back to the context, which uses
//! it again ([`ContextOptions::max_pooled_bytes`], [`Context::trim`], [`Context::memory`]). An
//! array that is too large for one binding of the device is computed in windows; one that finds no
//! memory is [`DeviceError::OutOfMemory`]. If you use wgpu yourself, [`Context::from_device`]
//! shares a device, [`Context::array_from_buffer`] and [`Array::buffer`] share buffers, and
//! [`Bound::encode`] records in your encoder: [docs/embedding.md][embedding] and
//! [docs/runtime.md][runtime].
//!
//! # Errors
//!
//! Every function that can fail returns an [`Error`], and no input panics. It is data, with the
//! [`Rule`] that is broken, and its text names the operand, dimension and sizes, and a remedy. An
//! expression keeps its first error, with the place in your source, until it is evaluated or asked
//! for its shape:
//!
//! ```
//! use indim::{Expr, Rule};
//!
//! let (x, v) = (Expr::<f32>::iota([2, 3], 0), Expr::<f32>::iota([3], 0));
//! let error = (&x + &v).exp().shape().unwrap_err();
//! assert_eq!(error.rule(), Some(Rule::B1));
//! assert!(error.to_string().starts_with(
//!     "add: lhs [2, 3] has rank 2 and rhs [3] has rank 1, but rhs carries no in_dim; say which \
//!      dimension of lhs each dimension of rhs matches, such as rhs.in_dim([1]) (in the expression \
//!      built at "
//! ));
//! ```
//!
//! If the GPU rejects commands later, the arrays that depend on them return the error when they are
//! used. [docs/guarantees.md][guarantees] lists what is promised, with the test of each promise.
//!
//! A panic of wgpu, or of your callback or waker within a call, becomes an error by unwinding. With
//! `panic = "abort"`, and on `wasm32-unknown-unknown`, it ends the program.
//!
//! # Features
//!
//! Each adds only what is listed:
//!
//! - `functions`, on by default: [`Function`]. It needs naga, which is among wgpu's crates off the web.
//! - `ndarray`: `Context::array_from` and `Context::expr_from` take arrays of the `ndarray` crate, of
//!   any layout, and `Array::to_ndarray` gives one back.
//! - `serde`: [`ElementType`], [`Shape`], [`Precision`], [`Literal`] and [`Computation`] are data of the
//!   `serde` crate. [`Computation`] describes the format.
//! - `tracing`: calls have spans of the `tracing` crate.
//! - `dx12`, `gles`, `metal`, `vulkan` and `webgpu`, on by default, and `vulkan-portability` are wgpu's.
//!
//! [broadcasting]: https://docs.rs/crate/indim/latest/source/docs/broadcasting.md
//! [explain]: plan::PlanLimits::explain
//! [embedding]: https://docs.rs/crate/indim/latest/source/docs/embedding.md
//! [guarantees]: https://docs.rs/crate/indim/latest/source/docs/guarantees.md
//! [numerics]: https://docs.rs/crate/indim/latest/source/docs/numerics.md
//! [planner]: https://docs.rs/crate/indim/latest/source/docs/planner.md
//! [runtime]: https://docs.rs/crate/indim/latest/source/docs/runtime.md

// The documentation names the feature that an item needs.
#![cfg_attr(docsrs, feature(doc_cfg))]

mod api;
mod calibration;
mod device;

// What needs no GPU has crates of its own.
#[doc(hidden)]
pub use indim_core::debug_is_text;
#[doc(inline)]
pub use indim_core::{
    ArrayError, Bitwise, BroadcastError, Builder, BuilderError, CallError, ComplexPart,
    Computation, Conjugable, DeviceError, Dims, DotDimensionNumbers, Element, ElementType, Error,
    Float, FunctionError, Inexact, Integer, Literal, Number, Op, OpClass, Opcode, Ordered,
    Parameter, Precision, Real, Result, Rule, Runs, S4, Scalar, ScalarValue, Shape, ShapeError,
    Side, Signed, Summary, TextureError, TypeError, U4, UnknownElementType, ViewError,
};
#[cfg(feature = "functions")]
#[doc(inline)]
pub use indim_core::{FunctionCost, WgslFunction};

pub use device::adapter::options::ContextOptions;
pub use device::arrays::array::{AnyArray, BufferRange};
pub use device::arrays::targets::Targets;
pub use device::arrays::typed::Array;
pub use device::arrays::view_mut::{AnyViewMut, ViewMut};
pub use device::context::Context;
pub use device::guard::stats::{Memory, Stats};
pub use device::run::bound::Bound;
pub use device::run::encoded::Encoded;
pub use device::timer::Timing;

#[doc(hidden)]
pub use calibration::hard_cases;

pub use api::any_expr::AnyExpr;
pub use api::bind::bind;
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
pub use api::function::Function;
#[cfg(feature = "functions")]
pub use api::function_call::{CallOperand, CallOperands};
pub use api::numpy;
pub use api::operand::{Choice, InDim, IntoExpr, Operand};
#[doc(inline)]
pub use api::ops::*;
#[doc(inline)]
pub use api::random::*;

/// How computations become kernels: the limits and choices that plans keep to, and what an
/// [`Explanation`](plan::Explanation) shows of them.
///
/// [`PlanLimits::explain`](plan::PlanLimits::explain) and [`Expr::explain`] return an explanation;
/// [`ContextOptions::plan_limits`] takes limits, and [`Context::plan_limits`] returns those in use.
pub mod plan {
    #[doc(inline)]
    pub use indim_compiler::arithmetic::{
        Arithmetic, Conversion, Guard, Half, Rounding, Subnormals, Sums,
    };
    #[doc(inline)]
    pub use indim_compiler::explain::{
        Explanation, KernelExplanation, OperandExplanation, Source, Written,
    };
    #[doc(inline)]
    pub use indim_compiler::limits::{DeviceLimits, PlanLimits, Tuning};
    #[doc(inline)]
    pub use indim_compiler::plan::access::Access;
    #[doc(inline)]
    pub use indim_compiler::plan::schedule::Schedule;
}

// The crates whose types stand in the public API.
pub use indim_core::{half, num_complex};
#[cfg(feature = "ndarray")]
pub use ndarray;
pub use wgpu;

/// The traits of operands are sealed, so that methods can be added to them; and types that may get
/// more fields or cases are non-exhaustive.
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
/// fn name(source: indim::plan::Source) -> &'static str {
///     match source {
///         indim::plan::Source::Parameter(_) => "parameter",
///         indim::plan::Source::Temporary(_) => "temporary",
///         indim::plan::Source::Iota => "iota",
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
