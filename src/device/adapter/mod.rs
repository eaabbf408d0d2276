//! Opening a device: what is asked for, and what the adapter gives.

pub(crate) mod open;
pub(crate) mod options;
pub(crate) mod settings;
