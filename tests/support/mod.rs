//! What the golden tests share: the reader of a golden line, the judge that runs one line through
//! the library, the comparators, the tolerance table, the operands that it is asked of, the table of
//! refusals, and the runner that counts.
//!
//! The judge is one function for `tests/xla.rs` and `tests/mutation.rs`: what the mutation test
//! shows to be detected is what the golden test detects.

#![allow(
    dead_code,
    unreachable_pub,
    reason = "every test binary compiles this module for itself and uses a part of it"
)]
#![allow(clippy::panic, reason = "a test fails by panicking")]

pub mod compare;
pub mod complex;
pub mod compute;
#[path = "../contexts/mod.rs"]
pub mod contexts;
pub mod golden;
pub mod judge;
pub mod operands;
#[path = "../oracle/mod.rs"]
pub mod oracle;
pub mod refusals;
pub mod runner;
pub mod samples;
pub mod tolerance;
