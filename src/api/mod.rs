//! The public ways to call: a context's constructors, expressions, operators, eager functions and
//! NumPy's rule.
//!
//! With the feature `ndarray`, arrays of that crate come and go here. [`chunked`] computes on arrays
//! that are larger than memory.
//!
//! Nothing here adds rules; `semantics` checks all of them. `graph::build` has the operations of all
//! ways to call, which add them to [`nodes`], the graph of expressions.
//!
//! Files of this folder may import those of every other folder. Only `lib.rs` imports them.
//!
//! An expression passes from here to `device` as a computation with its arrays.

mod any_eval;
pub(crate) mod any_expr;
mod any_expr_methods;
mod batches;
pub(crate) mod bind;
#[cfg(test)]
mod by_hand_tests;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) mod chunked;
mod creation;
pub(crate) mod eval;
pub(crate) mod eval_into;
mod examples;
pub(crate) mod expr;
mod expr_computation;
mod expr_node;
#[cfg(feature = "functions")]
pub(crate) mod function;
#[cfg(feature = "functions")]
pub(crate) mod function_call;
mod living;
mod methods;
mod methods_by_hand;
#[cfg(feature = "ndarray")]
mod ndarray;
mod nodes;
pub mod numpy;
mod open;
pub(crate) mod operand;
mod operations;
mod operators;
pub(crate) mod ops;
pub(crate) mod random;
mod summary;
mod unevaluated;
