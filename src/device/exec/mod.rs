//! Turns computations into commands on the queue.
//!
//! [`prepare`] makes a program of a computation, with its [`pipelines`], which [`compile_threads`]
//! compile, and [`program_cache`] keeps it. The [`batch`] of a [`stream`] records dispatches and
//! uploads, with bind groups from [`bind`]; [`commands`] represents them as data, and is the only
//! file that encodes them. [`program_params`] and [`texture_pipelines`] are for commands that the
//! caller submits. [`upload`] and [`readback`] move bytes in and out, and [`reclaim`] begins a call
//! again when memory runs out. [`warm`] runs kernels before they are needed. In a browser
//! `unanswered` keeps the batches that may still be rejected, and `encoded_readers` the commands in
//! caller-owned encoders that may have read their results.
//!
//! Files of this folder import `semantics`, `graph`, `compile`, the device's `guard`, `lru`,
//! `wait`, `memory`, `gpu` and `settings`, and each other.
//!
//! A computation and its arrays' layouts pass in, and command buffers pass out to the queue.

pub(crate) mod batch;
pub(crate) mod bind;
pub(crate) mod commands;
pub(crate) mod compile_threads;
#[cfg(any(test, target_arch = "wasm32"))]
#[cfg_attr(not(target_arch = "wasm32"), allow(dead_code, reason = "tests use a part of it"))]
pub(crate) mod encoded_readers;
pub(crate) mod pipelines;
pub(crate) mod prepare;
pub(crate) mod program_cache;
pub(crate) mod program_params;
pub(crate) mod readback;
pub(crate) mod reclaim;
pub(crate) mod stream;
pub(crate) mod texture_pipelines;
#[cfg(any(test, target_arch = "wasm32"))]
#[cfg_attr(not(target_arch = "wasm32"), allow(dead_code, reason = "tests use a part of it"))]
pub(crate) mod unanswered;
pub(crate) mod upload;
pub(crate) mod warm;
