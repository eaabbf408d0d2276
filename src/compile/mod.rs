//! Compiles a computation into kernels: which values are stored, how each kernel walks through its
//! space, and its WGSL.
//!
//! Here lives the compiler, which needs no GPU: [`materialize`] says which values are stored,
//! [`plan`] how a kernel walks through its space, [`split`] what is dispatched where arrays do not
//! fit into a binding, and [`wgsl`] writes the text. [`kernel_ir`] is what passes from the first to
//! the others, [`limits`] is what all of them keep to, and [`explain`] shows what they decided.
//!
//! Files of this folder import `semantics`, `graph` and each other.
//!
//! [`split::kernels::kernels`], [`plan::planner::plan`] and [`wgsl::module::text`] are what the
//! device calls.

pub(crate) mod cost;
pub(crate) mod destination;
mod edges;
pub(crate) mod explain;
pub(crate) mod kernel_ir;
pub(crate) mod limits;
pub(crate) mod materialize;
pub(crate) mod plan;
pub(crate) mod split;
pub(crate) mod wgsl;
