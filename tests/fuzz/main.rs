//! What `fuzz/` runs under a fuzzer, with random numbers in its place: the same checks of the same
//! inputs, so that no fuzzer is needed to find what a minute finds, and none to run a finding again.
//!
//! Each check runs for `INDIM_FUZZ_SECONDS` (5 by default): on what is in `fuzz/corpus`, then on
//! random inputs. A failure prints the seed to run its one input again with, by `INDIM_FUZZ_SEED`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]
#![allow(dead_code, reason = "of what the property test has, a part is used here")]

#[path = "../property/arguments.rs"]
mod arguments;
#[path = "../property/build.rs"]
mod build;
#[path = "../property/compare.rs"]
mod compare;
#[path = "../contexts/mod.rs"]
mod contexts;
#[path = "../property/data.rs"]
mod data;
#[path = "../property/interpreter.rs"]
mod interpreter;
#[path = "../property/invalid.rs"]
mod invalid;
#[path = "../oracle/mod.rs"]
mod oracle;
#[path = "../property/plans.rs"]
mod plans;
#[path = "../property/program.rs"]
mod program;
#[path = "../property/random.rs"]
mod random;
#[path = "../property/rules.rs"]
mod rules;
#[path = "../property/run.rs"]
mod run;
#[path = "../property/shapes.rs"]
mod shapes;
#[path = "../property/views.rs"]
mod views;

mod builder;
mod calls;
mod drive;
mod expression;
mod hostile;

use indim::wgpu;

/// Whether the adapter has not what F64 takes, see `drive`.
fn lacks_f64() -> bool {
    let needed = wgpu::Features::SHADER_F64 | wgpu::Features::SHADER_INT64;
    contexts::blocking().is_ok_and(|gpu| !gpu.device().features().contains(needed))
}

#[test]
fn builders_answer_hostile_calls_by_the_rules() {
    drive::for_a_while("builder", "builders_answer_hostile_calls_by_the_rules", builder::check);
}

#[test]
fn calls_in_any_order_give_what_the_interpreter_gives() {
    let context = calls::context();
    let name = "calls_in_any_order_give_what_the_interpreter_gives";
    drive::for_a_while("calls", name, |random| calls::check(&context, random));
}
