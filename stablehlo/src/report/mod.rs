//! Errors that point at their cause in a program. Imports nothing of this crate.

pub(crate) mod problem;
mod remedy;
