//! Prints arrays in host memory as NumPy does: [`array`] lays them out, [`float`] spells floats, and
//! [`summary`] has what is shown of an array that is too large for host memory.
//!
//! Files of this folder import those of `semantics`. Text passes out of here by
//! [`Display`](std::fmt::Display) of [`Literal`](crate::semantics::literal::Literal).

pub(crate) mod array;
pub(crate) mod float;
pub(crate) mod summary;
