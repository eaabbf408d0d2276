//! The computation graph: what is to be computed, before anything is planned.
//!
//! Here live [`computation::Computation`], a list of instructions without repetition;
//! [`instruction_list::InstructionList`], which eliminates common subexpressions while one is made;
//! [`function`], operations of the user's own; the passes of `rewrite`; [`move_call`], which keeps what a
//! move was asked for; [`moves`], which assembles pad, concatenate and roll from other
//! operations; [`restrict`], a computation of a [`region`] of its results; and [`builder::Builder`],
//! which checks every rule of `semantics`.
//!
//! With the feature `serde`, `calls` has a computation as the calls of a builder that make it,
//! `write_calls` finds them, and `serialized` is the format in which they are stored.
//!
//! Files of this folder import `semantics` and each other.
//!
//! A `Computation` passes from here to `compile` and `device`. Expressions make theirs with an
//! `InstructionList`, as the builder does.

pub(crate) mod builder;
#[cfg(feature = "functions")]
mod builder_call;
#[cfg(feature = "serde")]
mod calls;
pub(crate) mod computation;
pub(crate) mod function;
pub(crate) mod instruction_list;
pub(crate) mod move_call;
pub(crate) mod moves;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) mod region;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) mod restrict;
mod rewrite;
#[cfg(feature = "serde")]
mod serialized;
#[cfg(feature = "serde")]
mod write_calls;
