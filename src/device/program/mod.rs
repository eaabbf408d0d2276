//! What is compiled. [`prepare`] makes a program of a computation, with its [`pipelines`], which
//! [`compile_threads`] compile, and [`cache`] keeps it. [`commands`] represents its dispatches as data,
//! and is the only file that encodes them, with bind groups from [`bind`]; [`params`] and
//! [`texture_pipelines`] are for commands that the caller submits. [`expressions`] keeps computations.

pub(crate) mod bind;
pub(crate) mod cache;
pub(crate) mod commands;
pub(crate) mod compile_threads;
pub(crate) mod expressions;
pub(crate) mod params;
pub(crate) mod pipelines;
pub(crate) mod prepare;
pub(crate) mod texture_pipelines;
