//! What is recorded. The [`batch`] of a [`stream`] records dispatches and uploads. [`upload`] and
//! [`readback`] move bytes in and out, and [`reclaim`] begins a call again when memory runs out.
//! [`warm`] runs kernels before they are needed. In a browser `pending_batches` keeps the batches that
//! may still be rejected, and `encoded_readers` the commands in caller-owned encoders that may have
//! read their results.

pub(crate) mod batch;
#[cfg(any(test, target_arch = "wasm32"))]
#[cfg_attr(not(target_arch = "wasm32"), allow(dead_code, reason = "tests use a part of it"))]
pub(crate) mod encoded_readers;
#[cfg(any(test, target_arch = "wasm32"))]
#[cfg_attr(not(target_arch = "wasm32"), allow(dead_code, reason = "tests use a part of it"))]
pub(crate) mod pending_batches;
pub(crate) mod readback;
pub(crate) mod reclaim;
pub(crate) mod stream;
pub(crate) mod upload;
pub(crate) mod warm;
