//! The commands, their options, and the session that runs them.

pub(crate) mod adapters;
pub(crate) mod args;
pub(crate) mod batch;
pub(crate) mod bench;
pub(crate) mod byte_count;
pub(crate) mod eval;
pub(crate) mod explain;
pub(crate) mod language;
pub(crate) mod large;
pub(crate) mod ops;
pub(crate) mod run;
pub(crate) mod session;
pub(crate) mod shell;
pub(crate) mod stats;
