//! Errors that point at their cause in a text. Imports nothing of this crate.

pub(crate) mod diagnostic;
pub(crate) mod shorten;
pub(crate) mod suggest;
