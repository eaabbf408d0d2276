//! Writes kernels as WGSL. This is the only folder that does so, except that loop counters are
//! added to user-defined functions where these are checked.
//!
//! The generator is [`module`]; `walk` writes the entry point of each walk through a space, `store`
//! the end of a unit. The table of operations in WGSL is `spelling`. The scalar functions that a
//! kernel may call are those of the crate in `shaders/`, in the `versions` that fit the adapter.
//! [`texture`] has the kernels between arrays and textures.
//!
//! Files of this folder import `semantics`, `limits`, `layout`, `kernel` and `plan`.
//!
//! The entry point is [`module::text`]: a kernel's structure goes in, a module's text comes out.

mod bits;
mod call;
mod conversion;
mod edges;
mod fold;
mod guards;
mod load;
pub mod module;
mod narrowing;
mod operation;
mod packed;
mod relaxed;
mod spelling;
mod store;
mod subnormals;
pub mod texture;
mod versions;
mod walk;
mod wgsl_type;
mod writer;
