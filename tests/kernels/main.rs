//! Tests that kernels are valid SPIR-V, and what they copy.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod copies;
mod spirv;
