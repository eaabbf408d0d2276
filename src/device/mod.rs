//! The device: memory, dispatches, waiting and errors. Nothing outside of this folder calls wgpu.
//!
//! From below: [`guard`] keeps wgpu's errors, losses and panics from users; [`lru`] is a cache;
//! [`timer`] times passes; [`wait`] waits for the device; [`memory`] owns buffers; [`gpu::Gpu`] is
//! a device with these three; [`exec`] makes computations ready, records them and moves bytes;
//! [`context::Context`] is a GPU with its stream of commands and its programs, by its [`options`];
//! [`array`] defines the arrays on the device, [`storage`] their memory, and [`loop_status`] the
//! loops that they depend on, which [`loops`] passes on; [`import`] makes arrays of other data,
//! [`view_mut`] defines writable parts of them, and [`run`] and [`run_into`] run computations on
//! them, the latter into a [`target`]. [`encode`] and [`encode_into`] record computations in
//! caller-owned encoders, as [`encoded`] commands; [`texture`] records moves between arrays and
//! textures in them.
//!
//! Files of this folder import `semantics`, `graph`, `compile`, and, from `device`, those listed
//! before them.
//!
//! A computation and its arguments' arrays pass in, and arrays come out ([`run`], [`run_into`], [`encode`]).

pub(crate) mod array;
pub(crate) mod context;
pub(crate) mod encode;
pub(crate) mod encode_into;
pub(crate) mod encoded;
pub(crate) mod exec;
pub(crate) mod gpu;
pub(crate) mod guard;
pub(crate) mod import;
mod loop_status;
mod loops;
mod lru;
pub(crate) mod memory;
pub(crate) mod open;
pub(crate) mod options;
pub(crate) mod run;
pub(crate) mod run_into;
pub(crate) mod settings;
pub(crate) mod storage;
pub(crate) mod target;
#[cfg(test)]
pub(crate) mod testing;
pub(crate) mod texture;
pub(crate) mod timer;
pub(crate) mod view_mut;
pub(crate) mod wait;
