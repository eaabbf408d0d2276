//! Tests contexts and arrays on a device: memory, statistics, threads, and the check of an adapter.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod allocations;
mod arrays;
mod bare;
mod drops;
mod memory;
mod ndarray;
mod prewarm;
mod self_check;
mod soak;
mod stats;
mod threads;
