//! Golden lines: the reader of a line, the judge that runs one through the library, the
//! comparators, the tolerances, the operands of each element, the table of refusals, and the runner
//! that counts.
//!
//! The test of the golden files and the test that changes their lines use the same judge, so the
//! first detects whatever the second shows to be detected.

pub mod compare;
pub mod complex;
pub mod judge;
pub mod line;
pub mod operands;
pub mod refusals;
#[cfg(not(target_arch = "wasm32"))]
pub mod runner;
pub mod tolerance;
