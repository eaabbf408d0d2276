//! The operations, one function for each. A function checks every rule by
//! [`semantics`](crate::semantics), infers the result, and adds the instruction to a
//! [`node_graph::Graph`]; `Builder` and the expressions of `api` are the two graphs.
//!
//! `operations` has them, `composed`, `dot`, `extremes` and `scans` those that consist of others, `numpy`
//! reductions by NumPy's rules, `random` random numbers, and `call` the calls of user-defined
//! functions. Operations that differ in the opcode alone share a function, `unary` or `binary`.

#[cfg(feature = "functions")]
pub mod call;
mod composed;
mod dot;
mod extremes;
pub mod node_graph;
mod numpy;
mod operations;
mod random;
mod scans;

pub use composed::*;
pub use dot::*;
pub use extremes::*;
pub use numpy::*;
pub use operations::*;
pub use random::*;
pub use scans::*;
