//! Runs the command's fuzz targets with random numbers instead of a fuzzer: the command on any text
//! and any file. `tests/property/fuzz.rs` has the duration, and how to repeat a failure.

use indim_cli::Session;
use indim_cli_testing::{batch, npy, stablehlo, text};
use indim_testing::fuzz::drive;
use indim_testing::process;

#[test]
fn any_text_is_computed_or_pointed_into() {
    let mut session = Session::default();
    let name = "--test command fuzz::any_text_is_computed_or_pointed_into";
    drive::for_a_while("text", name, |random| text::check(&mut session, random));
}

#[test]
fn lines_of_any_text_have_the_answers_that_they_have_alone() {
    let mut session = Session::default();
    let name = "--test command fuzz::lines_of_any_text_have_the_answers_that_they_have_alone";
    drive::for_a_while("batch", name, |random| batch::check(&mut session, random));
}

#[test]
fn any_program_is_read_or_refused() {
    let name = "--test command fuzz::any_program_is_read_or_refused";
    drive::for_a_while("stablehlo", name, stablehlo::check);
}

/// The test runs in its own process, whose address space it measures.
#[test]
fn any_file_is_read_or_refused() {
    if !process::alone("fuzz::any_file_is_read_or_refused", None) {
        return;
    }
    let mut session = Session::default();
    let name = "--test command fuzz::any_file_is_read_or_refused";
    drive::for_a_while("npy", name, |random| npy::check(&mut session, random));
}
