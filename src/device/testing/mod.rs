//! Faults that no device has at will, made up for tests: polls and mappings that fail, and memory that
//! runs out; and the tests that use them.

mod batch_tests;
pub(crate) mod faults;
mod faults_tests;
mod reclaim_tests;
pub(crate) mod shortage;
