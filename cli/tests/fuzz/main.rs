//! What `fuzz/` runs under a fuzzer, with random numbers in its place: the command on any text and
//! any file. See `tests/fuzz` for how long it runs, and for how a failure is run again.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test may panic")]
#![allow(dead_code, reason = "of what the property test has, a part is used here")]

#[path = "../../../tests/property/compare.rs"]
mod compare;
#[path = "../../../tests/property/data.rs"]
mod data;
#[path = "../../../tests/fuzz/drive.rs"]
mod drive;
#[path = "../../../tests/property/generate.rs"]
mod generate;
#[path = "../../../tests/property/interpreter.rs"]
mod interpreter;
#[path = "../../../tests/oracle/mod.rs"]
mod oracle;
#[path = "../../../tests/property/program.rs"]
mod program;
#[path = "../../../tests/property/random.rs"]
mod random;
#[path = "../../../tests/property/rules.rs"]
mod rules;
#[path = "../../../tests/property/shapes.rs"]
mod shapes;
#[path = "../../../tests/property/views.rs"]
mod views;

mod files;
mod npy;
mod report;
mod soup;
mod spell;
mod text;

use indim::{Context, wgpu};
use indim_cli::Session;

/// Whether the adapter has not what F64 takes, see `drive`.
fn lacks_f64() -> bool {
    let needed = wgpu::Features::SHADER_F64 | wgpu::Features::SHADER_INT64;
    Context::blocking().is_ok_and(|gpu| !gpu.device().features().contains(needed))
}

#[test]
fn any_text_is_computed_or_pointed_into() {
    let mut session = Session::default();
    let name = "any_text_is_computed_or_pointed_into";
    drive::for_a_while("text", name, |random| text::check(&mut session, random));
}

#[test]
fn any_file_is_read_or_refused() {
    let mut session = Session::default();
    drive::for_a_while("npy", "any_file_is_read_or_refused", |random| {
        npy::check(&mut session, random)
    });
}
