//! Keeps wgpu's uncaught errors, losses and panics from users.
//!
//! Here lives [`error_scope::GuardedDevice`], through which every call goes that wgpu may refuse,
//! the flag of a lost device ([`lost`]), why an array is not there ([`refusal`]), the [`labels`] of
//! objects, what is done with errors that nobody catches ([`uncaptured`]), those that a browser tells
//! late (`late`), locks that a panic does not poison ([`lock`]), calls that may panic ([`panics`]),
//! [`span`]s for profilers, and the counts of all of it ([`stats`]).
//!
//! Files of this folder import `semantics` and each other.
//!
//! A call of wgpu passes in as a closure ([`error_scope::GuardedDevice::checked`]), and its result or
//! an error comes out.

pub(crate) mod error_scope;
pub(crate) mod labels;
#[cfg(any(test, target_arch = "wasm32"))]
#[cfg_attr(not(target_arch = "wasm32"), allow(dead_code, reason = "tests use a part of it"))]
pub(crate) mod late;
pub(crate) mod lock;
pub(crate) mod lost;
pub(crate) mod panics;
pub(crate) mod refusal;
pub(crate) mod span;
pub(crate) mod stats;
pub(crate) mod uncaptured;
