//! Checks the reader of StableHLO on texts that are nearly programs: each becomes a computation, or
//! problems at places within it, in a time and memory in proportion.

use std::time::{Duration, Instant};

use indim_stablehlo::Module;
use indim_testing::random::Random;

use crate::report;

/// Programs to change.
const PROGRAMS: [&str; 6] = [
    include_str!("../../../stablehlo/tests/programs/calls.mlir"),
    include_str!("../../../stablehlo/tests/programs/dot.mlir"),
    include_str!("../../../stablehlo/tests/programs/elementwise.mlir"),
    include_str!("../../../stablehlo/tests/programs/reductions.mlir"),
    include_str!("../../../stablehlo/tests/programs/resources.mlir"),
    include_str!("../../../stablehlo/tests/programs/shapes.mlir"),
];

/// Pieces to put anywhere.
const PIECES: [&str; 53] = [
    "tensor<2xf32>",
    "tensor<",
    "tensor<?xf32>",
    "tensor<9223372036854775807x2xi32>",
    "x",
    "?",
    "-1",
    "0",
    "1",
    "2",
    "9223372036854775807",
    "18446744073709551616",
    "1e400",
    "0xFF",
    "dense<",
    "dense<[1, 2]>",
    "dense<\"0x00\">",
    "dense_resource<floats>",
    "dense_resource<",
    "\"0x04000000\"",
    "{-#",
    "#-}",
    "[",
    "]",
    "[[",
    "(",
    ")",
    "{",
    "}",
    "({",
    "})",
    "<{",
    "}>",
    ",",
    ":",
    "=",
    "->",
    "%0",
    "%x",
    "%0:2",
    "#1",
    "@main",
    "@f",
    "^bb0",
    "\"",
    "//",
    "\n",
    "loc(",
    "stablehlo.add",
    "call @main() : () -> ()",
    "return",
    "complex<f32>",
    "i1",
];

/// Checks the reader on one text.
///
/// # Errors
/// A message about the failed check, with the text.
pub fn check(random: &mut Random) -> Result<(), String> {
    let parts: Vec<&str> = PROGRAMS.iter().flat_map(|text| text.split("// -----")).collect();
    let mut text = parts[random.below(parts.len())].to_owned();
    for _ in 0..random.below(8) {
        change(random, &mut text, &parts);
    }
    let begin = Instant::now();
    let read = read(&text);
    let taken = begin.elapsed();
    match read {
        Ok(()) if taken < Duration::from_secs(20) => Ok(()),
        Ok(()) => Err(format!("{taken:?} for the text\n{text}")),
        Err(why) => Err(format!("{why}: the text\n{text}")),
    }
}

/// Reads a text, and all its functions.
fn read(text: &str) -> Result<(), String> {
    let told = |problems: &indim_stablehlo::Problems| {
        report::printable(&problems.to_string())?;
        let lines = text.lines().count() + 1;
        match problems.problems().iter().find(|problem| problem.line() > lines) {
            Some(problem) => Err(format!("a problem is in line {}", problem.line())),
            None if problems.problems().is_empty() => Err("refused without a problem".to_owned()),
            None => Ok(()),
        }
    };
    let module = match Module::parse("text", text) {
        Ok(module) => module,
        Err(problems) => return told(&problems),
    };
    for function in module.functions() {
        match module.program_with_checks(function) {
            Err(problems) => told(&problems)?,
            Ok(program) => {
                let bytes: usize = program.constants().iter().map(|list| list.bytes().len()).sum();
                if bytes > 8 * text.len() {
                    return Err(format!("{bytes} bytes of constants"));
                }
            }
        }
    }
    Ok(())
}

/// Changes a text in one place.
fn change(random: &mut Random, text: &mut String, parts: &[&str]) {
    let at = place(random, text);
    let end = {
        let far = (at + random.below(24)).min(text.len());
        (at..=far).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(at)
    };
    match random.below(6) {
        0 => text.replace_range(at..end, ""),
        1 => {
            let piece = text[at..end].to_owned();
            let to = place(random, text);
            text.insert_str(to, &piece);
        }
        2 => {
            let other = parts[random.below(parts.len())];
            let from = place(random, other);
            let line = other[from..].lines().next().unwrap_or("").to_owned();
            text.insert_str(at, &line);
        }
        3 => text.replace_range(at..end, PIECES[random.below(PIECES.len())]),
        4 => {
            let piece = PIECES[random.below(PIECES.len())].repeat(1 + random.below(200));
            text.insert_str(at, &piece);
        }
        _ => text.insert_str(at, PIECES[random.below(PIECES.len())]),
    }
}

/// Returns a boundary between two characters.
fn place(random: &mut Random, text: &str) -> usize {
    let at = random.below(text.len() + 1);
    (0..=at).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}
