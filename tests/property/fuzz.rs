//! Runs the checks of `fuzz/` with random numbers in place of a fuzzer, so that no fuzzer is needed
//! to find what a minute finds, and none to run a finding again.
//!
//! Each check runs for `INDIM_FUZZ_SECONDS` (1 by default): on what is in `fuzz/corpus`, then on
//! random inputs. A failure prints the seed to run its one input again with, by `INDIM_FUZZ_SEED`.

use indim_testing::contexts;
use indim_testing::fuzz::{builder, calls, drive, functions};

#[test]
fn builders_answer_hostile_calls_by_the_rules() {
    let name = "--test property fuzz::builders_answer_hostile_calls_by_the_rules";
    drive::for_a_while("builder", name, builder::check);
}

#[test]
fn calls_in_any_order_give_what_the_interpreter_gives() {
    let context = calls::context();
    let name = "--test property fuzz::calls_in_any_order_give_what_the_interpreter_gives";
    drive::for_a_while("calls", name, |random| calls::check(&context, random));
}

#[test]
fn functions_of_any_text_are_refused_or_compiled() {
    let context = contexts::gpu();
    let name = "--test property fuzz::functions_of_any_text_are_refused_or_compiled";
    drive::for_a_while("functions", name, |random| functions::check(&context, random));
}
