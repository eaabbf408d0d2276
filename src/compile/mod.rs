//! Compiles a computation into kernels: which values are stored, how each kernel traverses its
//! space, and its WGSL.
//!
//! The compiler needs no GPU: [`normalize`] composes views and expands moves, [`materialize`] chooses
//! the values to store, [`plan`] how a kernel traverses its space, [`split`] the dispatches if arrays
//! do not fit into a binding, and [`wgsl`] writes the text. A [`kernel`] passes from the second to the
//! others, all keep to [`limits`] and compute as [`arithmetic`] says, arrays lie in memory as
//! [`layout`] says, and [`explain`] shows the decisions.
//!
//! Files of this folder import `semantics`, `graph` and each other.
//!
//! The device calls [`normalize::normalize`], [`split::kernels::kernels`], [`plan::planner::plan`] and
//! [`wgsl::module::text`].

pub(crate) mod arithmetic;
pub(crate) mod cost;
pub(crate) mod explain;
pub(crate) mod kernel;
pub(crate) mod layout;
pub(crate) mod limits;
pub(crate) mod materialize;
pub(crate) mod normalize;
pub(crate) mod plan;
pub(crate) mod split;
pub(crate) mod wgsl;
