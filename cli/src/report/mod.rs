//! Errors as the command prints them.

pub(crate) mod diagnostic;
pub(crate) mod shorten;
pub(crate) mod suggest;
