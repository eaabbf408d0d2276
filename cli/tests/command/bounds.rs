//! Tests that EXPRs that need too much memory are rejected, and that others need little.

use crate::common::error;
#[cfg(target_os = "linux")]
use crate::common::{Scratch, below_a_gib};

/// Each operation stores its shape, so memory grows with the number of operations times the rank.
#[test]
fn expressions_of_too_many_dimensions_are_refused() {
    let x = format!("x=f32:iota:{}5", "1x".repeat(19_999));
    let expr = format!("x{}", " + 1".repeat(300));
    let report = error(&["explain", &expr, &x]);
    let message = "error: EXPR is too large: its operations up to here have more than 4194304 dimensions in all\n";
    assert!(report.starts_with(message), "{report}");
    assert!(report.contains(
        "  = help: drop dimensions of size 1 from the operands, or compute it in parts\n"
    ));
}

/// The bound counts operations and everything else that takes memory: names, numbers and lists.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "long: in `.ci/run`"]
fn hostile_text_ends_in_an_error_below_a_gib() {
    const MAX_BYTES: usize = 64 << 20;
    /// Returns as many repetitions as fit, between a beginning and an end.
    fn full(begin: &str, repeated: &str, end: &str) -> String {
        let count = (MAX_BYTES - begin.len() - end.len()) / repeated.len();
        format!("{begin}{}{end}", repeated.repeat(count))
    }
    let too_long = "error: the text is too long: 1048576 names, numbers and symbols stand before \
                    this one, and no more are read\n";
    let part = "compute an inner part first, with `-o PART.npy`, and use it as an operand";
    let place = |column: usize| format!(":1:{column}\n");
    let tokens = 1 << 20;
    let too_large = "error: the number here is too large for f32";
    let too_small = "error: the number here is too small for f32";
    let ends = "error: expected a value, but EXPR ends here\n";
    for (text, message, place, help) in [
        (full("x", "-x", ""), too_long, place(1 + tokens), part),
        // There are three tokens at the beginning, and two per five characters.
        (full("x+y", " *2.5", ""), too_long, place(4 + (tokens - 4) / 2 * 5 + 2), part),
        (full("broadcast(x,[", "1,", "])"), too_long, place(14 + tokens - 5), part),
        (full("f(", "x,", ")"), too_long, place(1 + tokens), part),
        (full("x+", "(x)+\n", "x"), too_long, format!(":{}:", 1 + (tokens - 2) / 4), part),
        (full("", "(", ""), too_long, place(1 + tokens), part),
        (full("x+", "7", ""), too_large, place(3), ""),
        (full("x+0.", "0", "1"), too_small, place(3), ""),
        (full("", "n", ""), "error: unknown name `nnnn", place(1), ""),
        (full("", "n", "(x)"), "error: unknown function `nnnn", place(1), "functions are "),
        (full("", " ", ""), "error: EXPR is empty\n", place(1), "such as "),
        (full("x #", " x", "\n+"), ends, ":2:2\n".to_owned(), ""),
        (
            " ".repeat(MAX_BYTES + 1),
            "is too long for EXPR; the most are 67108864 bytes\n",
            String::new(),
            "",
        ),
    ] {
        let file = Scratch::with("hostile.txt", &text);
        let outcome = below_a_gib(&["eval", &file.at_path(), "x=1"]);
        let said = &outcome.stderr;
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), ""), "{said}");
        assert!(said.contains(message), "{said}");
        assert!(said.contains(&place), "{said}");
        assert!(help.is_empty() || said.contains(&format!("  = help: {help}")), "{said}");
    }
}

/// The longest accepted text is planned within the same memory.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "long: in `.ci/run`"]
fn the_longest_expression_is_planned_below_a_gib() {
    let file = Scratch::with("longest.txt", format!("x{}", "-x".repeat((1 << 19) - 1)));
    let outcome = below_a_gib(&["explain", &file.at_path(), "x=2x1x2"]);
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""));
    assert!(outcome.stdout.contains("\nkernel 1 of 525: 1000 operations"), "{}", outcome.stdout);
}
