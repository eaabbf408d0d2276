//! Runs the checks of `indim_testing::fuzz` and `indim_cli_testing` for the fuzz targets, on inputs that a fuzzer chose.
//! Each check panics if it finds a fault.

use std::sync::{LazyLock, Mutex};

use indim::Context;
use indim_cli::Session;
use indim_cli_testing as command;
use indim_testing::random::Random;

/// Calls of the library in any order.
pub fn calls(data: &[u8]) {
    static CONTEXT: LazyLock<Context> = LazyLock::new(indim_testing::fuzz::calls::context);
    judge(data, |random| indim_testing::fuzz::calls::check(&CONTEXT, random));
}

/// Hostile calls of `Builder`.
pub fn builder(data: &[u8]) {
    judge(data, indim_testing::fuzz::builder::check);
}

/// User-defined functions.
pub fn functions(data: &[u8]) {
    static CONTEXT: LazyLock<Context> = LazyLock::new(indim_testing::contexts::gpu);
    judge(data, |random| indim_testing::fuzz::functions::check(&CONTEXT, random));
}

/// Any text as EXPR or as an array.
pub fn text(data: &[u8]) {
    in_session(data, command::text::check);
}

/// Any text as lines of `indim batch`.
pub fn batch(data: &[u8]) {
    in_session(data, command::batch::check);
}

/// Any text as a program in StableHLO.
pub fn stablehlo(data: &[u8]) {
    judge(data, command::stablehlo::check);
}

/// Any file.
pub fn npy(data: &[u8]) {
    in_session(data, command::npy::check);
}

fn in_session(data: &[u8], check: fn(&mut Session, &mut Random) -> Result<(), String>) {
    // It is static, because a thread-local session would be dropped when the thread ends, and a
    // debug build of wgpu-core can no longer use its locks then.
    static SESSION: LazyLock<Mutex<Session>> = LazyLock::new(Mutex::default);
    let mut session = SESSION.lock().expect("a finding ends the process");
    judge(data, |random| check(&mut session, random));
}

fn judge(data: &[u8], check: impl FnOnce(&mut Random) -> Result<(), String>) {
    if let Err(text) = check(&mut Random::from_bytes(data)) {
        panic!("{text}");
    }
}
