//! Waiting for the device: tasks that await, callers that block, and the thread that polls.
//!
//! Here live the tasks that wait and their wakers ([`tasks`]), the channels that carry the answers of
//! wgpu's callbacks ([`channel`]), and whoever polls the device ([`poller`]). While a user's waker
//! runs no lock is held, neither one of this crate nor a channel's.
//!
//! Files of this folder import `semantics`, `guard` and each other.

pub(crate) mod channel;
#[cfg(test)]
mod channel_tests;
pub(crate) mod poller;
pub(crate) mod tasks;
