//! Tests the library as a guest: commands of ours in the encoders, and among the submissions, of a
//! program that uses the same device for its own.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod encoded;
mod encoded_drops;
mod formulas;
mod frames;
mod guest;
mod model;
mod spans;
mod targets;
mod textures;
