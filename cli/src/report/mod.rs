//! The command's error reports.

pub(crate) mod diagnostic;
pub(crate) mod shorten;
pub(crate) mod suggest;
