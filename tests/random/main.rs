//! Tests random numbers: they are those of JAX in every way to call, on every class of GPUs and in
//! chunks, and expressions of them fuse.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod answers;
mod doors;
