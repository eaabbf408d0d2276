//! Tests reductions: their values in every shape, and the order of float sums.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod bounds;
mod bugs;
mod composed;
mod doors;
mod functions;
mod initial;
mod limits;
mod numpy;
mod passes;
mod pipelines;
mod programs;
mod random;
mod scans;
mod tree;
mod values;
