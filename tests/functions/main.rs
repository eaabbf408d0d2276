//! Tests user-defined functions: which texts are refused, and what calls compute.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod bounds;
mod branches;
mod calls;
mod elements;
mod loops;
mod malformed;
