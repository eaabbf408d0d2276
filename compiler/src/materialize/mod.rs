//! Chooses which values of a computation are stored in memory; others are computed where they are
//! used.
//!
//! [`partition`] has the one loop that decides it, and [`caps`] what keeps kernels within limits. The
//! loop calls [`demand`] and [`affine`], which find the elements of the nodes that a kernel needs,
//! [`axes`], which chooses the iteration space, [`lower`], which writes the kernel's code, [`folds`],
//! which does so for reductions, and [`join`], which makes one kernel of those of several results.
//! [`rows`] tells which reductions leave a row to
//! be passed over again. [`analysis`] has the facts about each node, [`weight`] the amount of work to
//! compute one. Functions with loops are called only on needed elements: [`asked`] finds those of
//! each node, and [`conditions`] holds what a kernel checks.
//!
//! Files of this folder import `semantics`, `graph`, `limits`, `cost` and `kernel`.
//!
//! The entry point is [`partition::partition`]: a computation goes in, its kernels come out.

mod affine;
mod analysis;
mod asked;
mod axes;
mod caps;
mod conditions;
mod demand;
mod descending;
mod folds;
mod footprint;
mod join;
mod lower;
pub(crate) mod partition;
mod rows;
mod weight;
