//! What the fuzz targets run: the checks of `tests/fuzz` and `cli/tests/fuzz`, of inputs that a
//! fuzzer chose. Each panics on what it finds.
#![allow(dead_code, reason = "of what the property test has, a part is used here")]
#![allow(unreachable_pub, reason = "the checks are parts of other crates, too")]

// The names at the root are those of the tests, which refer to each other by them.
#[path = "../../tests/property/arguments.rs"]
mod arguments;
#[path = "../../tests/property/build.rs"]
mod build;
#[path = "../../tests/fuzz/builder.rs"]
mod builder;
#[path = "../../tests/fuzz/calls.rs"]
mod calls;
#[path = "../../tests/property/compare.rs"]
mod compare;
#[path = "../../tests/contexts/mod.rs"]
mod contexts;
#[path = "../../tests/property/data.rs"]
mod data;
#[path = "../../tests/fuzz/expression.rs"]
mod expression;
#[path = "../../cli/tests/fuzz/files.rs"]
mod files;
#[path = "../../tests/property/generate.rs"]
mod generate;
#[path = "../../tests/fuzz/hostile.rs"]
mod hostile;
#[path = "../../tests/property/interpreter.rs"]
mod interpreter;
#[path = "../../tests/property/invalid.rs"]
mod invalid;
#[path = "../../cli/tests/fuzz/npy.rs"]
mod npy;
#[path = "../../tests/oracle/mod.rs"]
mod oracle;
#[path = "../../tests/property/plans.rs"]
mod plans;
#[path = "../../tests/property/program.rs"]
mod program;
#[path = "../../tests/property/random.rs"]
mod random;
#[path = "../../cli/tests/fuzz/report.rs"]
mod report;
#[path = "../../tests/property/rules.rs"]
mod rules;
#[path = "../../tests/property/shapes.rs"]
mod shapes;
#[path = "../../cli/tests/fuzz/soup.rs"]
mod soup;
#[path = "../../cli/tests/fuzz/spell.rs"]
mod spell;
#[path = "../../cli/tests/fuzz/text.rs"]
mod text;
#[path = "../../tests/property/views.rs"]
mod views;

use std::sync::{LazyLock, Mutex};

use indim::Context;
use indim_cli::Session;

use random::Random;

/// Calls of the library in any order.
pub fn calls(data: &[u8]) {
    static CONTEXT: LazyLock<Context> = LazyLock::new(calls::context);
    judge(data, |random| calls::check(&CONTEXT, random));
}

/// Hostile calls of `Builder`.
pub fn builder(data: &[u8]) {
    judge(data, builder::check);
}

/// Any text as EXPR or as an array.
pub fn text(data: &[u8]) {
    in_session(data, text::check);
}

/// Any file.
pub fn npy(data: &[u8]) {
    in_session(data, npy::check);
}

fn in_session(data: &[u8], check: fn(&mut Session, &mut Random) -> Result<(), String>) {
    // Of a thread's own it would be dropped last, when a debug build of wgpu-core's locks no longer
    // can be.
    static SESSION: LazyLock<Mutex<Session>> = LazyLock::new(Mutex::default);
    let mut session = SESSION.lock().expect("a finding ends the process");
    judge(data, |random| check(&mut session, random));
}

fn judge(data: &[u8], check: impl FnOnce(&mut Random) -> Result<(), String>) {
    if let Err(text) = check(&mut Random::from_bytes(data)) {
        panic!("{text}");
    }
}
