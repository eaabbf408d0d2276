//! Measures how far the library's functions are from the true values: over all 2^32 inputs of those
//! of one operand, over 2^32 pairs of those of two, on a given adapter, beside WGSL's plain
//! built-ins and other programs. This holds for F32; [`typed`] measures the other types of floats.
//!
//! True values are float64's (those of [`indim_reference`]); correctly rounded and exact operations
//! must give the exact bits ([`exact`]).

pub mod agreement;
pub mod builtin;
pub mod chunk;
pub mod column;
pub mod cost;
pub mod exact;
mod file;
pub mod function;
pub mod judge;
pub mod listed;
mod numpy_division;
pub mod pairs;
pub mod peer;
pub mod progress;
pub mod record;
pub mod special;
pub mod state;
pub mod sweep;
pub mod typed;

/// An error in words.
pub type Error = Box<dyn std::error::Error + Send + Sync>;

/// The result of most calls here.
pub type Result<T> = std::result::Result<T, Error>;
