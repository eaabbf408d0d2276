//! The device: memory, dispatches, waiting and errors. Nothing outside of this folder calls wgpu.
//!
//! Here lives [`context::Context`], a device with what belongs to it, and [`array`], the arrays that
//! lie there. [`guard`] keeps wgpu's errors, losses and panics from users, [`wait`] waits for the
//! device, [`memory`] owns buffers and moves bytes, [`exec`] makes computations ready and records
//! them.
//!
//! Files of this folder import `semantics`, `graph`, `compile` and each other.
//!
//! A computation and its arguments' arrays pass in, and an array comes out ([`exec::run`]).

pub(crate) mod array;
pub(crate) mod context;
pub(crate) mod exec;
pub(crate) mod gpu;
pub(crate) mod guard;
pub(crate) mod memory;
pub(crate) mod open;
pub(crate) mod options;
pub(crate) mod run;
pub(crate) mod settings;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod wait;
