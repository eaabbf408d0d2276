//! Injects faults that devices do not produce on demand: polls and mappings that fail, kernels that
//! do not compile, and memory that runs out. The tests that use them are here, too.
//!
//! [`faults`] and [`shortage`] import a lock and no more of the device: `guard` asks them before each poll
//! and allocation, and `program` before it compiles; the tests import all of it.

mod batch_tests;
mod deferred_errors_tests;
mod encode_tests;
pub(crate) mod faults;
mod faults_tests;
mod kernels_tests;
mod reclaim_tests;
pub(crate) mod shortage;
