//! From a computation to commands on the queue.
//!
//! Here lives what makes computations ready and keeps them ([`program_cache`], [`pipelines`]), what
//! records their dispatches ([`run`], [`batch`]), and what is done when memory runs out
//! ([`reclaim`]).
//!
//! Files of this folder import `semantics`, `graph`, `compile`, the other folders of the device and
//! each other.

pub(crate) mod batch;
pub(crate) mod commands;
pub(crate) mod pipelines;
pub(crate) mod prepare;
pub(crate) mod program_cache;
pub(crate) mod readback;
pub(crate) mod reclaim;
pub(crate) mod stream;
pub(crate) mod upload;
