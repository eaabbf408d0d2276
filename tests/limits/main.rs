//! Tests arrays and computations beyond what a device binds, dispatches or holds.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod bounds;
mod deep;
mod low_limits;
mod noop;
mod noop_limits;
mod noop_loss;
mod windows;
