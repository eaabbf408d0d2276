//! Kernels that fit neither one binding an array nor one dispatch, in parts that do.
//!
//! Here lives what cuts a kernel's iteration space into windows, each of which is one dispatch, and
//! what asks `materialize` for smaller kernels where there is no such cut.
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
