//! Keeps wgpu's uncaught errors, losses and panics from users.
//!
//! This folder defines [`error_scope::GuardedDevice`], which makes every call that wgpu may reject,
//! the flag of a lost device ([`lost`]), the reason why an array was not written ([`poison`]), the
//! [`labels`] of objects, the handler of uncaught errors ([`uncaptured`]), errors that a browser
//! reports later (`deferred_errors`), locks that a panic does not poison ([`lock`]), calls that may
//! panic ([`panics`]), [`span`]s for profilers, and the counts ([`stats`]).
//!
//! Files of this folder import `semantics` and each other.
//!
//! A call of wgpu passes in as a closure ([`error_scope::GuardedDevice::checked`]), and its result or
//! an error comes out.

#[cfg(any(test, target_arch = "wasm32"))]
#[cfg_attr(not(target_arch = "wasm32"), allow(dead_code, reason = "tests use a part of it"))]
pub(crate) mod deferred_errors;
pub(crate) mod error_scope;
pub(crate) mod labels;
pub(crate) mod lock;
pub(crate) mod lost;
pub(crate) mod panics;
pub(crate) mod poison;
pub(crate) mod span;
pub(crate) mod stats;
pub(crate) mod uncaptured;
