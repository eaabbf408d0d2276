//! Chooses which values of a computation are stored in memory; others are computed where they are
//! used.
//!
//! Here lives the one loop that decides it ([`partition`]), and what that asks: which elements of
//! which nodes a kernel needs ([`uses`], [`affine`]) over which iteration space ([`axes`]), and what
//! its code is then ([`lower`]). [`analysis`] has the facts about each node.
//!
//! Files of this folder import `semantics`, `graph`, `limits`, `cost` and `kernel_ir`.
//!
//! [`partition::partition`] is what passes through: a computation goes in, its kernels come out.

mod affine;
mod analysis;
mod axes;
mod lower;
pub(crate) mod partition;
mod uses;
