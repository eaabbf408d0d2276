//! Tests the bits of results: how operations round, alone and together, in every way to compute
//! them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod array_api;
mod division;
mod exactness;
mod exhaustive;
mod fast_math;
mod fusion;
mod half;
mod powers;
mod precision;
mod shifts;
mod subnormals;
mod units;
