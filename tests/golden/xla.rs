//! Runs the golden test: the library answers as XLA did.
//!
//! Every line of `tests/golden/*.jsonl`, and of each file that the environment variable
//! `INDIM_GOLDEN` names (paths separated by `:`), goes through the public API: a refusal through
//! shape inference alone, the rest on the adapter. What a line says and how it is compared is in
//! `tests/golden/README.md`.

use std::sync::atomic::{AtomicUsize, Ordering};

use indim::Context;
use indim_testing::contexts;
use indim_testing::golden::judge::Judge;
use indim_testing::golden::runner;

#[test]
fn golden() {
    let files = runner::files("", "INDIM_GOLDEN");
    let judge = || {
        let judge = Judge::here();
        move |line: &[u8]| judge.judge(line)
    };
    runner::run(&files, judge).report("golden");
}

/// The lines on 64-bit integers once more, where the shader has none and computes in two words.
#[test]
fn golden_in_two_words() {
    let usual = contexts::blocking().expect("an adapter");
    let mut limits = usual.plan_limits().clone();
    limits.tuning.int64 = false;
    let mut options = contexts::options();
    options.plan_limits = Some(limits);
    let judged = AtomicUsize::new(0);
    let judge = || {
        let judge = Judge::on(Context::blocking_with_options(options.clone()).expect("an adapter"));
        let judged = &judged;
        move |line: &[u8]| {
            let names = |name: &[u8]| line.windows(name.len()).any(|part| part == name);
            if !names(b"\"s64\"") && !names(b"\"u64\"") {
                return Ok(());
            }
            judged.fetch_add(1, Ordering::Relaxed);
            judge.judge(line)
        }
    };
    let files = runner::files("", "INDIM_GOLDEN");
    let tally = runner::run(&files, judge);
    let enough = 1_000 / tally.every;
    tally.report("golden, of which some lines in two words");
    let judged = judged.into_inner();
    assert!(judged > enough, "{judged} lines on 64-bit integers");
}
