//! The [`table`] of operations, and that of random ones, [`random_table`].

pub mod random_table;
pub mod table;
