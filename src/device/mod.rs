//! The device: memory, dispatches, waiting and errors. Nothing outside of this folder calls wgpu.
//!
//! From below: [`guard`] keeps wgpu's errors, losses and panics from users; [`lru`] is a cache;
//! [`timer`] times passes;
//! [`wait`] waits for the device; [`memory`] owns buffers; [`gpu::Gpu`] is a device with these
//! three; [`exec`] makes computations ready, records them and moves bytes; [`context::Context`] is
//! a GPU with its stream of commands and its programs, by its [`options`]; [`array`] has the arrays
//! that lie there, [`storage`] their memory, [`loop_status`] the loops that they depend on, which
//! [`loops`] hands on; [`import`] makes them of what is elsewhere, [`view_mut`] has parts of them that
//! are written, and [`run`] and [`run_into`] run computations on them, the latter into a [`target`].
//! [`encode`] and [`encode_into`] record computations in encoders of others, as [`encoded`]
//! commands, and so does [`texture`] moves between arrays and textures.
//!
//! Files of this folder import `semantics`, `graph`, `compile`, and in `device` what stands before
//! them.
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
