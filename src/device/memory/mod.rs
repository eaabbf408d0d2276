//! Buffers: who has them, and how the host gets at their bytes.
//!
//! The [`pool`] recycles arrays' buffers, [`usage`] counts them, [`foreign`] buffers are the
//! caller's. [`param_ring`] holds parameter blocks, [`bind_groups`] are kept with the buffers that
//! they bind. Bytes come and go by [`mapping`] an array's buffer or through [`staging`].
//!
//! Files of this folder import `semantics`, `compile` for the layout of arrays, the device's
//! `guard` and `lru`, and each other.

pub(crate) mod bind_groups;
pub(crate) mod foreign;
pub(crate) mod mapping;
pub(crate) mod param_ring;
pub(crate) mod pool;
pub(crate) mod staging;
pub(crate) mod usage;
