//! Which values of a computation are stored in memory, and which are computed where they are used.
//!
//! Here lives what cuts a computation into kernels' parts ([`partition`]), finds which elements of
//! which nodes each part needs ([`uses`], [`affine`]), and lowers a part to straight-line code over
//! one iteration space ([`lower`]).
//!
//! Files of this folder import `semantics`, `graph`, `limits`, `cost` and `kernel_ir`.

pub(crate) mod affine;
pub(crate) mod lower;
pub(crate) mod partition;
pub(crate) mod uses;
