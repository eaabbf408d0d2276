//! The operations, one function for each. A function checks every rule by
//! [`semantics`](crate::semantics), infers the result, and adds the instruction to a
//! [`node_graph::Graph`]; `Builder` and the expressions of `api` are the two graphs.
//!
//! [`operations`] has the operations that are one instruction, [`moves`] those that are assembled
//! from several, with the [`move_call`] that they record, and `call` the calls of user-defined
//! functions. Operations that differ in the opcode alone share a function, `unary` or `binary`.

#[cfg(feature = "functions")]
pub(crate) mod call;
pub(crate) mod move_call;
mod moves;
pub(crate) mod node_graph;
mod operations;

pub(crate) use moves::*;
pub(crate) use operations::*;
