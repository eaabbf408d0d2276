//! Tests where results go: several of one computation, and into arrays that exist.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod chunked;
mod chunked_reductions;
mod in_place;
mod into;
mod kept;
mod several;
mod targets;
mod write;
