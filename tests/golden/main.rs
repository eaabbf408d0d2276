//! Tests that the library answers as XLA and NumPy did, whose answers lie beside this file.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod complex;
mod gpus;
mod jax;
mod mutation;
mod numpy;
mod oracle;
mod results;
mod xla;
