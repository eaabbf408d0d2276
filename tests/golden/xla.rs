//! The golden test: the library answers as XLA did.
//!
//! Every line of `tests/golden/*.jsonl`, and of each file that the environment variable
//! `INDIM_GOLDEN` names (paths separated by `:`), goes through the public API: a refusal through
//! shape inference alone, the rest on the adapter. What a line says and how it is compared is in
//! `tests/golden/README.md`.

use std::cell::Cell;

use indim::Context;
use indim_testing::contexts;
use indim_testing::golden::judge::Judge;
use indim_testing::golden::runner;

#[test]
fn golden() {
    let judge = Judge::here();
    let files = runner::files("", "INDIM_GOLDEN");
    runner::run(&files, |line| judge.judge(line)).report("golden");
}

/// The lines on 64-bit integers once more, where the shader has none and computes in two words.
#[test]
fn golden_in_two_words() {
    let usual = contexts::blocking().expect("an adapter");
    let mut limits = usual.plan_limits().clone();
    limits.int64 = false;
    let mut options = contexts::options();
    options.plan_limits = Some(limits);
    let judge = Judge::on(Context::blocking_with_options(options).expect("an adapter"));
    let judged = Cell::new(0);
    let files = runner::files("", "INDIM_GOLDEN");
    let tally = runner::run(&files, |line| {
        let names = |name: &[u8]| line.windows(name.len()).any(|part| part == name);
        if !names(b"\"s64\"") && !names(b"\"u64\"") {
            return Ok(());
        }
        judged.set(judged.get() + 1);
        judge.judge(line)
    });
    let enough = 1_000 / tally.every;
    tally.report("golden, of which some lines in two words");
    assert!(judged.get() > enough, "{} lines on 64-bit integers", judged.get());
}
