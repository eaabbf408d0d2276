//! Tests the feature `serde`: stored data comes back as it was, and tampered data is an error.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod computations;
mod functions;
mod samples;
mod version_1;
