//! Waiting for the device: tasks that await, callers that block, and the thread that polls.
//!
//! Files of this folder import `semantics`, `guard` and each other.

pub(crate) mod poller;
pub(crate) mod tasks;
