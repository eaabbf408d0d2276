//! The computation graph: what is to be computed, as it was asked for, before anything is planned.
//!
//! [`computation::Computation`] is a list of instructions, each an [`operation`] with its
//! attributes; [`instruction_list::InstructionList`] has equal ones once. [`build`] has every
//! operation once, for the two graphs that operations are added to: the [`builder::Builder`] here
//! and expressions in `api`. [`function`] holds user-defined operations, and `views` which elements
//! of an operand an operation reads. [`known_operand`] tells constants with which an operation is
//! simpler, such as some exponents of [`powers`]; `merge` makes one parameter of equal arguments;
//! [`restrict`] makes a computation of a [`region`] of the results, [`staged`] halves long reductions,
//! and `for_shapes` makes a computation for parameters of other shapes. With the feature `serde`,
//! `serialized` is the stored format.
//!
//! Files of this folder import `semantics` and each other.
//!
//! A `Computation` passes from here to the compiler and the device. Expressions make theirs with an
//! `InstructionList`, like the builder.

mod again;
#[expect(missing_docs)]
pub mod build;
pub mod builder;
#[cfg(feature = "functions")]
mod builder_call;
mod builder_methods;
mod builder_random;
pub mod computation;
mod for_shapes;
#[expect(missing_docs)]
pub mod function;
pub mod instruction_list;
pub mod known_operand;
mod merge;
// Regions of results are asked for by `chunked` alone, which the web does not have.
#[cfg_attr(target_arch = "wasm32", expect(dead_code))]
pub mod moves;
#[cfg(not(target_arch = "wasm32"))]
pub mod needed;
#[expect(missing_docs)]
pub mod operation;
#[expect(missing_docs)]
pub mod powers;
pub mod region;
#[cfg(not(target_arch = "wasm32"))]
pub mod restrict;
#[cfg(feature = "serde")]
mod serialized;
#[cfg(not(target_arch = "wasm32"))]
pub mod staged;
pub(crate) mod views;
