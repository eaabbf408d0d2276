//! XLA's semantics: element types, shapes, operations and their rules. Nothing here knows of a GPU.
//!
//! - [`rule`] lists every rule by its label. [`broadcast`] checks the rules of broadcasting (B1 to
//!   B8, S1, D1 to D5, P1), [`data_movement`] those of views (V1 to V6), [`placement`] those of pad,
//!   concatenate and roll (V7 to V10), [`shape`] N1 and C1, and [`infer`] those of types (T1 to T5),
//!   B9 and I1, in XLA's order. NumPy's promotion, P2, stands in `api`.
//! - [`error`] and [`broadcast_error`] hold the errors and their messages; `adapters` has what these
//!   say of adapters.
//! - [`element`] has the element types: a new one starts there, and `docs/extending.md` lists what
//!   else has to know it.
//! - [`opcode`] has the table of operations with the types that each accepts.
//! - [`dims`] takes lists of sizes, dimensions and indices of whichever integers a caller has.
//! - [`view`] describes which element of an operand each element of a result reads.
//! - [`literal`] is an array in host memory, which [`print`] shows, and [`precision`] what float operations promise.
//! - With the feature `serde`, `serialized` is how types, shapes and literals are stored.
//!
//! Files of this folder import only each other; every other folder may import them.
//!
//! All operations pass through [`infer`]: operand types and shapes go in; the result's type and
//! shape and one [`view::View`] for each operand come out.

mod adapters;
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
pub(crate) mod texture_error;
pub(crate) mod view;
