//! XLA's semantics: element types, shapes, operations and their rules. Nothing here involves a GPU.
//!
//! - `rule` lists every rule by its label. `broadcast` checks the broadcasting rules (B1 to B8,
//!   S1, D1 to D5, P1), `data_movement` those of views (V1 to V6), `placement` those of pad,
//!   concatenate and roll (V7 to V10), `take` those of takes (G1 to G3), `reduce` those of reductions
//!   (R1, R2), `product` those of products of matrices (M1 to M3), [`shape`] N1 and C1, and [`infer`] those of types (T1 to T5), B9 and I1, in XLA's order. [`numpy`] has NumPy's, P1 and P2.
//! - [`error`] has the error of all layers, `type_error`, `broadcast_error`, `view_error` and
//!   [`function_error`] those of rules; `words` has numbers and lists in their messages.
//! - [`element`] has the element types: a new one starts there, and `docs/extending.md` lists the
//!   other places to change.
//! - [`op`] has the table of operations, from which every way to call them is made; [`opcode`] has
//!   the properties of each, such as the types that it accepts.
//! - [`dims`] accepts lists of sizes, dimensions and indices of several integer types.
//! - [`view`] describes which element of an operand each element of a result reads.
//! - [`literal`] is an array in host memory, which [`mod@print`] formats; [`precision`] is what float
//!   operations promise.
//! - [`tuples`] lists the tuples that calls take.
//! - With the feature `serde`, `serialized` stores types, shapes and literals.
//!
//! Files of this folder import each other, and the errors of arrays and devices in `errors`, as
//! data; every other folder may import them.
//!
//! All operations pass through [`infer`]: operand types and shapes go in, the result's type and shape
//! come out. Pad, concatenate and roll pass through `placement` instead, takes through `take`, reductions
//! through `reduce`.

pub(crate) mod broadcast;
pub(crate) mod broadcast_error;
pub(crate) mod data_movement;
pub mod dims;
pub mod element;
pub mod error;
pub mod error_debug;
pub mod function_error;
pub mod hash;
#[expect(missing_docs)]
pub mod infer;
pub mod literal;
pub mod numpy;
pub mod op;
pub mod opcode;
#[cfg(test)]
mod opcode_tests;
pub mod placement;
pub mod precision;
pub mod print;
pub mod product;
pub mod reduce;
pub(crate) mod rule;
#[cfg(feature = "serde")]
mod serialized;
pub mod shape;
pub mod sorted;
pub(crate) mod take;
pub mod text;
pub mod tuples;
pub(crate) mod type_error;
#[expect(missing_docs)]
pub mod view;
pub(crate) mod view_error;
pub(crate) mod words;
