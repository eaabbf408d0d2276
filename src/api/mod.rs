//! What a user types: a context's constructors, expressions, operators, eager functions, and NumPy's
//! rule.
//!
//! Nothing here has a rule of its own: every one is asked of `semantics`.
//!
//! Files of this folder may import every other one. Nothing but `lib.rs` imports them.
//!
//! Expressions pass to `device` as a computation with its arrays.

pub(crate) mod expr;
mod expr_computation;
mod expr_node;
pub mod numpy;
#[cfg(test)]
mod op_table_tests;
mod operations;
mod operators;
pub mod ops;
