//! The compiler of [indim](https://docs.rs/indim): it makes kernels of a computation, which values are
//! stored, how each kernel traverses its space, and its WGSL.
//!
//! The compiler needs no GPU: [`normalize`] composes views and expands moves, `materialize` chooses
//! the values to store, [`plan`] how a kernel traverses its space, [`split`] the dispatches if
//! arrays do not fit into a binding, and [`wgsl`] writes the text. A [`kernel`] passes from the
//! second to the others, all keep to [`limits`] and compute as [`arithmetic`] says, arrays lie in
//! memory as [`layout`] says, and [`explain`] shows the decisions.
//!
//! Computations are `indim_core`'s, of which files here import `semantics` and `graph`.
//!
//! The device calls [`normalize::normalize`], [`split::kernels::kernels`], `plan::planner::plan`
//! and [`wgsl::module::text`].
//!
//! This is an implementation crate. Everything for users is in `indim`, whose module `plan`
//! re-exports what is public there; the modules here change with any version.

// `missing_docs` is expected of what users do not see, where names speak for themselves.
pub mod arithmetic;
pub mod cost;
pub mod explain;
#[expect(missing_docs)]
pub mod kernel;
#[expect(missing_docs)]
pub mod layout;
pub mod limits;
mod materialize;
#[expect(missing_docs)]
pub mod normalize;
#[expect(missing_docs)]
pub mod plan;
#[expect(missing_docs)]
pub mod split;
#[expect(missing_docs)]
pub mod wgsl;

/// Runs the code of the README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
