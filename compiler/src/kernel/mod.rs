//! A kernel's code before planning: what is computed at each position of an iteration space, and
//! where it is stored.
//!
//! [`ir`] has the kernel: a `body` of [`load`]s, constants and operations, what it combines by a
//! `fold`, and its `output`s.
//! [`destination`] makes kernels write existing memory, whole units of it where `edges` can.
//!
//! Files of this folder import `semantics`, `graph`, `limits`, `layout`, `cost` and each other in
//! this order: load, body, fold, output, ir, edges, destination.
//!
//! `materialize` makes a [`ir::KernelIr`]; `split` and `plan` read it.

pub(crate) mod body;
pub mod destination;
mod edges;
pub(crate) mod fold;
pub mod ir;
pub mod load;
pub(crate) mod output;
