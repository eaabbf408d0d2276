//! Splits kernels whose arrays do not fit into one binding each, or whose work does not fit into
//! one dispatch.
//!
//! `levels` cuts long folds into kernels. The other files cut a kernel's iteration space into
//! windows, each of which is one dispatch, and ask `materialize` for smaller kernels if there is no
//! such cut.
//!
//! Files of this folder import `semantics`, `graph`, `limits`, `layout`, `cost`, `kernel`,
//! `materialize` and `plan`.
//!
//! The entry point is [`kernels::kernels`]: a computation goes in, its kernels with their windows
//! come out.

mod bind;
mod boxes;
pub mod kernels;
mod levels;
#[cfg(test)]
mod tests;
pub mod window_planner;
mod windows;
