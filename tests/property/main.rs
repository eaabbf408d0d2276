//! Tests random expressions, and random calls in any order.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod algebra;
mod coverage;
mod fuzz;
mod programs;
mod reduce;
