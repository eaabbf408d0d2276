//! Tests what the feature `serde` stores: that it comes back as it was, and that what was tampered
//! with is an error.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod computations;
mod functions;
mod hostile;
mod values;
