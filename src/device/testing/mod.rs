//! Injects faults that no device has at will: polls and mappings that fail, and memory that runs
//! out. The tests that use them are here, too.
//!
//! [`faults`] and [`shortage`] import a lock and no more of the device: `guard` asks them before each poll
//! and allocation; the tests import all of it.

mod batch_tests;
pub(crate) mod faults;
mod faults_tests;
mod reclaim_tests;
pub(crate) mod shortage;
