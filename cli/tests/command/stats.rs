//! Tests `--stats`: the bytes that a computation moves, and the rate.

use crate::common::indim;

#[test]
fn bytes_time_and_share_are_told() {
    let run = |args: &[&str]| {
        let outcome = indim(&[&["eval", "--stats"], args].concat());
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
        (outcome.stdout, outcome.stderr)
    };
    let (printed, told) = run(&["x * 2 + in_dim(v, 1)", "x=iota:256x1024", "v=iota:1024"]);
    assert!(printed.starts_with("f32[256,1024]\n"), "{printed}");
    let bytes = 256 * 1024 * 4;
    let head = format!("stats: 1 dispatch, {} bytes read and {bytes} written, ", bytes + 4096);
    assert!(told.starts_with(&head), "{told}");
    let number = |behind: &str, before: &str| -> f64 {
        let rest = &told[told.find(behind).unwrap() + behind.len()..];
        rest[..rest.find(before).unwrap()].parse().unwrap()
    };
    let milliseconds = number("written, ", " ms from submission to end (median of 5)");
    let (rate, share, copied) = (
        number("5); ", " GB/s"),
        number("GB/s, ", "% of the "),
        number("of the ", " GB/s of a copy"),
    );
    // The figures are of one measurement; they are printed with few digits.
    let moved = (2 * bytes + 4096) as f64 / milliseconds / 1e6;
    assert!((moved / rate - 1.0).abs() < 0.1, "{told}");
    assert!((100.0 * rate / copied - share).abs() < 1.0 + share * 0.02, "{told}");
    // Without elements there is nothing to time, and a note reports a chunked run.
    let (_, told) = run(&["slice(x, [1], [1], [1])", "x=[1,2]"]);
    assert!(told.starts_with("stats: 0 dispatches, 0 bytes read and 0 written, "), "{told}");
    let (_, told) = run(&["x + 1", "x=iota:100000", "--max-memory", "64K"]);
    assert!(told.contains("what is computed in chunks has no --stats"), "{told}");
}
