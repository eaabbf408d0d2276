//! A computation: what is to be computed, before anybody asks how.
//!
//! Here lives [`computation::Computation`], a list of instructions without repetition, and
//! [`builder::Builder`], which makes one and asks every rule of `semantics` meanwhile.
//!
//! Files of this folder import `semantics` and each other.
//!
//! A `Computation` passes through to `compile` and `device`; expressions make theirs by
//! [`computation::InstructionList`], as the builder does.

pub(crate) mod builder;
pub(crate) mod computation;
