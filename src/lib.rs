//! Elementwise array operations on any GPU, with XLA's broadcasting semantics, on wgpu.
//!
//! Operands of different ranks say how their dimensions match (`broadcast_dimensions`); scalars
//! broadcast freely; dimensions of size 1 stretch; everything else is an error that names the
//! operand, the dimension and the sizes. Nothing is copied for a broadcast, and a whole expression
//! is one kernel and one pass over memory.
//!
//! ```no_run
//! # async fn example() -> indim::Result<()> {
//! use indim::Context;
//!
//! let gpu = Context::new().await?; // or Context::blocking()?, or Context::from_device(device, queue)?
//! let x = gpu.array([2, 3], &[1_f32, 2., 3., 4., 5., 6.])?;
//! let v = gpu.array([3], &[7_f32, 8., 9.])?;
//!
//! let sum = indim::add(&x, &v, &[1])?; // dimension 0 of v is dimension 1 of x
//! let y = (&x * 2.0 + v.in_dim([1])).exp().eval()?; // operators build, eval computes
//! let relu = x.gt(0.0).select(&x, 0.0).eval()?;
//! let same = indim::numpy::add(&x, &v)?; // NumPy's rule, by name
//! let host: Vec<f32> = y.to_vec().await?; // to_vec_blocking() off the web
//! # Ok(())
//! # }
//! ```
//!
//! - **Eager functions** ([`ops`], re-exported here) have XlaBuilder's signatures.
//! - **Expressions** ([`Expr`]) are typed and lazy; Rust's operators build them.
//! - **[`Builder`]** makes a [`Computation`] with element types known at run time. It holds every
//!   rule ([`Rule`]) and needs no GPU; [`Computation::explain`] shows what it becomes.
//! - **[`numpy`]** has the implicit rule, as a thin wrapper.
//!
//! A [`Context`] is a device; [`Array`]s live on it. Operations do not wait for the GPU; reading an
//! array back does.

mod api;
mod compile;
mod device;
mod graph;
mod self_check;
mod semantics;

pub use api::expr::{Expr, InDim, IntoExpr, Operand};
#[doc(inline)]
pub use api::ops::*;
pub use api::{numpy, ops};
pub use compile::explain::{Explanation, KernelExplanation, OperandExplanation, Source, Target};
pub use compile::limits::{Division, Half, PlanLimits};
pub use compile::plan::access::Access;
pub use compile::plan::schedule::Schedule;
pub use device::array::{AnyArray, Array, BufferRange};
pub use device::context::{Context, ContextOptions};
pub use device::guard::stats::{Memory, Stats};
pub use graph::builder::{Builder, Op};
pub use graph::computation::{Computation, Parameter};
pub use half;
pub use num_complex;
pub use self_check::{Counterexample, Finding, Outcome, SelfCheck};
pub use semantics::broadcast::{BroadcastError, Side};
pub use semantics::data_movement::ViewError;
pub use semantics::element::{
    Bitwise, Element, ElementType, Float, Inexact, Integer, Number, Ordered, Real, S4, Scalar,
    Signed, U4, UnknownElementType,
};
pub use semantics::error::{ArrayError, BuilderError, DeviceError, Error, Result, TypeError};
pub use semantics::literal::Literal;
pub use semantics::opcode::{OpClass, Opcode};
pub use semantics::precision::Precision;
pub use semantics::rule::Rule;
pub use semantics::shape::{Shape, ShapeError};
pub use wgpu;

/// The README's code compiles.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
