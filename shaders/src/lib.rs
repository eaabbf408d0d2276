#![doc = include_str!("../README.md")]

mod link;
mod text;
mod words;

pub use link::{Rounding, Versions, needed_by, unit_function};
pub use words::words;
