//! The computation graph: what is to be computed, before anything is planned.
//!
//! [`computation::Computation`] is a list of instructions without repetition;
//! [`instruction_list::InstructionList`] eliminates common subexpressions while one is made.
//! [`build`] has every operation once, for the two graphs that operations are added to: the
//! [`builder::Builder`] here and expressions in `api`. [`function`] holds user-defined operations;
//! `rewrite`, passes over a computation; and [`restrict`], a computation of a [`region`] of its
//! results.
//!
//! With the feature `serde`, `calls` is a computation as the builder calls that make it,
//! `write_calls` finds them, and `serialized` is the stored format.
//!
//! Files of this folder import `semantics` and each other.
//!
//! A `Computation` passes from here to `compile` and `device`. Expressions make theirs with an
//! `InstructionList`, like the builder.

pub(crate) mod build;
pub(crate) mod builder;
#[cfg(feature = "functions")]
mod builder_call;
mod builder_methods;
#[cfg(feature = "serde")]
mod calls;
pub(crate) mod computation;
pub(crate) mod function;
pub(crate) mod instruction_list;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) mod region;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) mod restrict;
mod rewrite;
#[cfg(feature = "serde")]
mod serialized;
#[cfg(feature = "serde")]
mod write_calls;
