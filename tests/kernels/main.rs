//! Tests the kernels that computations become: their text, their plans, and that they are valid.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod copies;
mod costs;
mod plans;
mod snapshots;
mod spirv;
mod wgsl;
