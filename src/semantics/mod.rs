//! XLA's semantics: element types, shapes, operations and the rules they keep.
//!
//! Here lives what XLA says of one operation: which operands it accepts, what its result is, and
//! which error an operand that does not fit gives. Nothing here knows of a GPU.
//!
//! Files of this folder import only each other; every other folder may import them.
//!
//! [`infer`] is what passes through: operand types and shapes go in, the result's type and shape and
//! one [`view::View`] for each operand come out.

pub(crate) mod broadcast;
pub(crate) mod broadcast_error;
pub(crate) mod data_movement;
pub(crate) mod element;
pub(crate) mod error;
pub(crate) mod hash;
pub(crate) mod infer;
pub(crate) mod literal;
pub(crate) mod opcode;
#[cfg(test)]
mod opcode_tests;
pub(crate) mod precision;
pub(crate) mod rule;
pub(crate) mod shape;
pub(crate) mod view;
