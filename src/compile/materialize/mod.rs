//! Chooses which values of a computation are stored in memory; others are computed where they are
//! used.
//!
//! Here lives the one loop that decides it ([`partition`]), and the parts that it calls: [`uses`]
//! and [`affine`] find which elements of which nodes a kernel needs, [`axes`] over which iteration
//! space, [`lower`] writes the kernel's code, and [`join`] makes one kernel of those of several
//! results. [`analysis`] has the facts about each node, [`weight`] says what it takes to compute one.
//! Functions with loops are called only on elements that somebody asks for: [`asked`] finds those of
//! each node, and [`conditions`] holds what a kernel checks.
//!
//! Files of this folder import `semantics`, `graph`, `limits`, `cost` and `kernel_ir`.
//!
//! [`partition::partition`] is what passes through: a computation goes in, its kernels come out.

mod affine;
mod analysis;
mod asked;
mod axes;
mod conditions;
mod join;
mod lower;
pub(crate) mod partition;
mod uses;
pub(crate) mod weight;
