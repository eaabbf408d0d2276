//! Tests the command as users call it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod adapters;
mod archives;
mod bad_arrays;
mod batch;
mod bench;
mod bounds;
mod common;
mod documents;
mod errors;
mod eval;
mod explain;
mod functions;
mod fuzz;
mod hints;
mod json;
mod large;
mod ops;
mod output;
mod promotion;
mod reductions;
mod run;
mod several;
mod shell;
mod stats;
