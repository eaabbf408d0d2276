//! Splits kernels whose arrays do not fit into a binding each, or whose work does not fit into one
//! dispatch, into parts that do.
//!
//! The files here cut a kernel's iteration space into windows, each of which is one dispatch, and
//! ask `materialize` for smaller kernels where there is no such cut.
//!
//! Files of this folder import `semantics`, `graph`, `limits`, `cost`, `kernel_ir`, `materialize`
//! and `plan`.
//!
//! [`kernels::kernels`] is what passes through: a computation goes in, its kernels with their
//! windows come out.

mod bind;
mod boxes;
pub(crate) mod kernels;
#[cfg(test)]
mod tests;
pub(crate) mod window_planner;
mod windows;
