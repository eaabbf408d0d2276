//! The [`table`] of operations.

pub mod table;
