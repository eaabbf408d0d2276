//! Runs the loop of `examples/soak.rs` for a shorter time; `benches/results/soak-llvmpipe.md` has a
//! long run of it.

#[expect(dead_code, reason = "its `main` is the example's")]
#[path = "../../examples/soak.rs"]
mod example;

use indim_testing::{contexts, not_tested, process};

/// The test runs in a process of its own, whose memory it measures.
#[test]
#[ignore = "long: in `.ci/run`"]
fn memory_stays_flat() {
    if !process::alone("soak::memory_stays_flat", None) {
        return;
    }
    let chosen = contexts::blocking().unwrap_or_else(|error| panic!("{error}"));
    for gpu in [chosen, example::staged().unwrap()] {
        match example::soak(&gpu, 10_000).unwrap() {
            Some(growth) => assert!(growth <= example::MAX_GROWTH, "{growth}"),
            None => not_tested::on_this_system("it does not tell how large the process is"),
        }
    }
}
