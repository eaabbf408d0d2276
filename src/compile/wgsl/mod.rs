//! A kernel as WGSL. Nothing outside of this folder writes WGSL.
//!
//! Here lives the generator ([`writer`]) and the library of scalar functions that a kernel may call
//! ([`library`]), whose text is in `shaders/`.
//!
//! Files of this folder import `semantics`, `limits`, `materialize` and `plan`.
//!
//! [`writer::text`] is what passes through: a kernel's structure goes in, a module's text comes out.

mod bits;
mod conversion;
pub(crate) mod library;
mod load;
mod operation;
mod packed;
mod schedule;
mod values;
pub(crate) mod writer;
