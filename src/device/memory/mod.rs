//! Owns the device's buffers, and moves bytes between them and the host.
//!
//! The [`pool`] recycles arrays' buffers, [`usage`] counts them, [`foreign`] buffers are
//! caller-owned, and an [`encoding`] uses memory in commands that the caller submits.
//! [`param_ring`] holds parameter blocks, and [`bind_groups`] live as long as the buffers that they
//! bind. Bytes come and go by [`mapping`] an array's buffer or through [`staging`].
//!
//! Files of this folder import `semantics`, the compiler's layout of arrays, the device's
//! `guard` and `lru`, and each other.
//!
//! A number of bytes passes in ([`pool::Pool::take`]), and a buffer comes out, which goes back to the
//! pool when it is dropped.

pub(crate) mod bind_groups;
pub(crate) mod encoding;
pub(crate) mod foreign;
pub(crate) mod mapping;
pub(crate) mod param_ring;
pub(crate) mod pool;
pub(crate) mod staging;
pub(crate) mod usage;
