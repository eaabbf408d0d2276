//! Writes kernels as WGSL. Nothing outside of this folder does, but that the counters in the loops of
//! users' functions are put there where these are checked.
//!
//! Here lives the generator ([`module`]), the table of how operations are written ([`spelling`])
//! and the library of scalar functions that a kernel may call ([`library`]), whose text is in
//! `shaders/`; and the kernels between arrays and textures ([`texture`]).
//!
//! Files of this folder import `semantics`, `limits`, `kernel_ir` and `plan`.
//!
//! [`module::text`] is what passes through: a kernel's structure goes in, a module's text comes
//! out.

mod bits;
mod call;
mod carry;
mod conversion;
mod copies;
mod guards;
mod library;
mod load;
mod loops;
pub(crate) mod module;
mod narrowing;
mod operation;
mod packed;
mod relaxed;
mod shader_text;
mod spelling;
mod store;
mod subnormals;
pub(crate) mod texture;
mod wgsl_type;
mod writer;
