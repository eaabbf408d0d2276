//! The loop of `examples/soak.rs`, shorter; `benches/results/soak-llvmpipe.md` has a long run of it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]

mod contexts;

#[expect(dead_code, reason = "its `main` is the example's")]
#[path = "../examples/soak.rs"]
mod soak;

#[test]
fn memory_stays_flat() {
    let chosen = contexts::blocking().unwrap_or_else(|error| panic!("{error}"));
    for gpu in [chosen, soak::staged().unwrap()] {
        let growth = soak::soak(&gpu, 10_000).unwrap();
        assert!(growth.unwrap_or_default() <= soak::MAX_GROWTH, "{growth:?}");
    }
}
