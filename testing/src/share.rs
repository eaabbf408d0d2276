//! How many cases of a long test run.

use std::env;

/// Returns n if a test is to take one case of n, and 1 if `INDIM_TEST_WHOLE` is set, as in a step of
/// `.ci/run`.
pub fn one_of(n: usize) -> usize {
    if env::var_os("INDIM_TEST_WHOLE").is_some() { 1 } else { n }
}
