//! Waits for the device, in tasks that await and in callers that block, and polls it.
//!
//! This folder defines the waiting tasks and their wakers ([`tasks`]), the channels that carry the
//! answers of wgpu's callbacks ([`channel`]), and the thread that polls the device ([`poller`]). No
//! lock, of this crate or of a channel, is held while a user's waker runs.
//!
//! Files of this folder import `semantics`, `guard` and each other.
//!
//! A callback's answer passes through: wgpu sends it, and a task or a thread that polls receives it.

pub(crate) mod channel;
#[cfg(test)]
mod channel_tests;
pub(crate) mod poller;
pub(crate) mod tasks;
