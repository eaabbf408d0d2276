//! Buffers, and bytes in and out.
//!
//! Here lives the pool of buffers with what counts it, what is kept for the buffers' bindings, and
//! the ways of bytes between host and device: mappings, staging buffers and readbacks.
//!
//! Files of this folder import `semantics`, `guard`, `wait` and each other.

pub(crate) mod bind_groups;
pub(crate) mod foreign;
pub(crate) mod mapping;
pub(crate) mod param_ring;
pub(crate) mod pool;
pub(crate) mod staging;
pub(crate) mod usage;
