//! XLA's semantics: element types, shapes, operations and their rules. Nothing here involves a GPU.
//!
//! - [`rule`] lists every rule by its label. [`broadcast`] checks the broadcasting rules (B1 to B8,
//!   S1, D1 to D5, P1), [`data_movement`] those of views (V1 to V6), [`placement`] those of pad,
//!   concatenate and roll (V7 to V10), [`shape`] N1 and C1, and [`infer`] those of types (T1 to
//!   T5), B9 and I1, in XLA's order. NumPy's promotion, P2, is in `api`.
//! - [`error`] has the error of all layers, [`type_error`], [`broadcast_error`] and
//!   [`function_error`] those of rules; [`words`] has numbers and lists in their messages.
//! - [`element`] has the element types: a new one starts there, and `docs/extending.md` lists the
//!   other places to change.
//! - [`op`] has the table of operations, from which every way to call them is made; [`opcode`] has
//!   the properties of each, such as the types that it accepts.
//! - [`dims`] accepts lists of sizes, dimensions and indices of several integer types.
//! - [`view`] describes which element of an operand each element of a result reads.
//! - [`literal`] is an array in host memory, which [`print`] formats; [`precision`] is what float
//!   operations promise.
//! - [`tuples`] lists the tuples that calls take.
//! - With the feature `serde`, `serialized` stores types, shapes and literals.
//!
//! Files of this folder import each other, and the errors of arrays and devices in `errors`, as
//! data; every other folder may import them.
//!
//! All operations pass through [`infer`]: operand types and shapes go in; the result's type and
//! shape and one [`view::View`] for each operand come out.

pub(crate) mod broadcast;
pub(crate) mod broadcast_error;
pub(crate) mod data_movement;
pub(crate) mod dims;
pub(crate) mod element;
pub(crate) mod error;
pub(crate) mod error_debug;
pub(crate) mod function_error;
pub(crate) mod hash;
pub(crate) mod infer;
pub(crate) mod literal;
pub(crate) mod op;
pub(crate) mod opcode;
#[cfg(test)]
mod opcode_tests;
pub(crate) mod placement;
pub(crate) mod precision;
pub(crate) mod print;
pub(crate) mod rule;
#[cfg(feature = "serde")]
mod serialized;
pub(crate) mod shape;
pub(crate) mod tuples;
pub(crate) mod type_error;
pub(crate) mod view;
pub(crate) mod words;
