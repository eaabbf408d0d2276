//! The golden test: the library answers as XLA did.
//!
//! Every line of `tests/golden/*.jsonl`, and of each file that the environment variable
//! `INDIM_GOLDEN` names (paths separated by `:`), goes through the public API: a refusal through
//! shape inference alone, the rest on the adapter. What a line says and how it is compared is in
//! `tests/golden/README.md`.

mod support;

use support::judge::Judge;
use support::runner;

#[test]
fn golden() {
    let judge = Judge::new();
    let files = runner::files("", "INDIM_GOLDEN");
    runner::run(&files, |line| judge.judge(line)).report("golden");
}
