//! How many cases of a long test run.

use std::env;

/// Returns n if a test is to take one case of n. The variable `INDIM_TEST_SHARES` has it take as many
/// such shares, as a step of `.ci/run` does, or `all`.
pub fn one_of(n: usize) -> usize {
    let name = "INDIM_TEST_SHARES";
    match env::var(name).as_deref() {
        Err(_) => n,
        Ok("all") => 1,
        Ok(text) => match text.parse() {
            Ok(shares @ 1..) => (n / shares).max(1),
            _ => panic!("{name} is {text}, neither a number of shares nor `all`"),
        },
    }
}
