//! Tests the library as a guest: our commands in the encoders, and among the submissions, of a
//! program that uses the same device for its own work.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may panic")]

mod encoded;
mod encoded_drops;
mod frames;
mod guest;
mod model;
mod reductions;
mod spans;
mod targets;
mod texture_formats;
mod textures;
