//! The computation graph: what is to be computed, before anything is planned.
//!
//! [`computation::Computation`] is a list of instructions without repetition;
//! [`instruction_list::InstructionList`] eliminates common subexpressions while one is made.
//! [`build`] has every operation once, for the two graphs that operations are added to: the
//! [`builder::Builder`] here and expressions in `api`. [`function`] holds user-defined operations;
//! `rewrite`, passes over a computation; and [`restrict`], a computation of a [`region`] of its
//! results.
//!
//! [`calls`] is a computation as the builder calls that make it, and [`write_calls`] finds them;
//! [`for_shapes`] makes them for parameters of other shapes. With the feature `serde`, `serialized`
//! is the stored format.
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
mod calls;
pub(crate) mod computation;
mod for_shapes;
pub(crate) mod function;
pub(crate) mod instruction_list;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) mod needed;
pub(crate) mod region;
#[cfg(not(target_arch = "wasm32"))]
pub(crate) mod restrict;
mod rewrite;
#[cfg(feature = "serde")]
mod serialized;
mod write_calls;
