//! Tests what needs no device: rules and their messages, stored data, and the kernels that computations
//! become.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod accepted_types;
mod costs;
mod hostile;
mod messages;
mod plans;
mod snapshots;
mod values;
mod wgsl;
