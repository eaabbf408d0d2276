//! Prints arrays in host memory as NumPy does: `array` lays them out, `float` spells floats,
//! and [`summary`] holds the shown elements of an array that is too large for host memory.
//!
//! Files of this folder import those of `semantics`. Text leaves through the
//! [`Display`](std::fmt::Display) of [`Literal`](crate::semantics::literal::Literal).

pub(crate) mod array;
pub(crate) mod float;
pub mod summary;
