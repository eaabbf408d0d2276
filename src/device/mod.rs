//! The device: memory, dispatches, waiting and errors. Nothing outside of this folder calls wgpu.
//!
//! From below: [`guard`] keeps wgpu's errors, losses and panics from users; [`lru`] is a cache;
//! [`timer`] times passes; [`wait`] waits for the device; [`memory`] owns buffers; [`adapter`] opens
//! devices; [`gpu::Gpu`] is a device with these; [`program`] compiles computations, and [`recording`]
//! records and submits them; [`context::Context`] is a GPU with its stream of commands and its
//! programs; [`arrays`] are on it, and [`run`] runs computations on them.
//!
//! Files of this folder import `semantics` and `graph`, the compiler, and, from `device`, those listed
//! before them.

pub(crate) mod adapter;
pub(crate) mod arrays;
pub(crate) mod context;
pub(crate) mod gpu;
pub(crate) mod guard;
mod lru;
pub(crate) mod memory;
pub(crate) mod program;
pub(crate) mod recording;
pub(crate) mod run;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod timer;
pub(crate) mod wait;
