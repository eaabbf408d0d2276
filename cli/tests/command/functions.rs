//! Tests user-defined functions, by `--fn`.
use crate::common::{Scratch, error, eval, indim};

const SMOOTH: &str = "fn smooth(a: f32, b: f32, t: f32) -> f32 {
    return mix(a, b, t * t * (3.0 - 2.0 * t));
}";

#[test]
fn a_call_broadcasts_and_fuses() {
    let file = Scratch::with("smooth.wgsl", SMOOTH);
    let call = |expr| [expr, "x=[[1,2,3],[4,5,6]]", "v=[7,8,9]", "--fn", file.path()];
    assert_eq!(
        eval(&call("smooth(x, in_dim(v, 1), 0.5)")),
        "f32[2,3]\n[[4.  5.  6. ]\n [5.5 6.5 7.5]]\n"
    );
    assert_eq!(
        eval(&[&call("smooth(x, v, 0.5) - x")[..], &["--numpy"]].concat()),
        "f32[2,3]\n[[3.  3.  3. ]\n [1.5 1.5 1.5]]\n"
    );
    let explained =
        indim(&[&["explain"], &call("1 + smooth(x, in_dim(v, 1), 0.5) * x")[..]].concat());
    assert!(explained.stdout.contains("kernel 1 of 1: 3 operations"), "{}", explained.stdout);
}

#[test]
fn mistakes_are_shown() {
    let file = Scratch::with("smooth.wgsl", SMOOTH);
    let call = |expr| error(&["eval", expr, "x=iota:2x3", "v=iota:3", "--fn", file.path()]);
    assert!(
        call("smooth(x, v, 0.5)").starts_with(
            "error: smooth: operand 1 (parameter `b`, rhs) does not fit operand 0 (lhs): lhs [2, 3] has rank 2"
        ),
        "{}",
        call("smooth(x, v, 0.5)")
    );
    assert!(call("smooth(x, 0.5)").starts_with(
        "error: smooth: it takes 3 operands (a: f32, b: f32, t: f32), and there are 2\n  |\n  | smooth(x, 0.5)\n"
    ));
    assert!(call("smoth(x, x, x)").contains("help: did you mean `smooth`?"));
    let text = |name: &str, contents: &str| {
        let file = Scratch::with(name, contents);
        error(&["eval", "x", "x=iota:3", "--fn", file.path()]).replace(file.path(), "FILE")
    };
    assert_eq!(
        text("broken.wgsl", "fn half(x: f32) -> f32 {\n    return 0.5 * y;\n}"),
        "error: --fn FILE: no definition in scope for identifier: `y`\n --> FILE:2:18\n  |\n  |     return 0.5 * y;\n  |                  ^\n"
    );
    assert_eq!(
        text("exp.wgsl", "fn exp(x: f32) -> f32 { return x; }"),
        "error: --fn FILE: `exp` is a function that EXPR has already\n  = help: give the function another name\n"
    );
    assert!(text(
        "two.wgsl",
        "struct two { a: f32, b: f32 } fn both(x: f32) -> two { return two(x, x); }"
    )
    .starts_with("error: --fn FILE: `both` returns a struct of 2 values (a, b), and a call in EXPR has one\n"));
    assert!(text("bytes.wgsl", "\u{0}").starts_with("error: --fn FILE: "));
    let twice = error(&["eval", "x", "x=iota:3", "--fn", file.path(), "--fn", file.path()]);
    assert!(twice.contains("`smooth` is the name of another file's function, too"), "{twice}");
    let missing = error(&["eval", "x", "x=iota:3", "--fn", "no/such.wgsl"]);
    assert!(missing.starts_with("error: --fn no/such.wgsl: "), "{missing}");
}

#[test]
fn a_call_that_does_not_fit_is_told_what_to_write() {
    let file = Scratch::with("smooth.wgsl", SMOOTH);
    let operands = ["x=iota:2x3", "v=iota:3", "n=s32:[1,2,3]", "--fn", file.path()];
    let help = |expr| {
        let report = error(&[&["eval", expr], &operands[..]].concat());
        report.split_once("= help: ").unwrap_or_else(|| panic!("{report}")).1.trim_end().to_owned()
    };
    let align = ", or `--numpy` to align dimensions from the last one";
    assert_eq!(help("smooth(x, v, 0.5)"), format!("write `in_dim(v, 1)` for that operand{align}"));
    assert_eq!(
        help("smooth(2*v, x, 0.5)"),
        format!("write `in_dim(2*v, 1)` for that operand{align}")
    );
    assert_eq!(help("smooth(x, 0.5)"), "as in `smooth(a, b, t)`");
    assert_eq!(help("smooth(v, n, 0.5)"), "in EXPR that is `convert(n, f32)`");
    assert_eq!(
        help("smooth(x, in_dim(n, 1), 0.5)"),
        "in EXPR that is `in_dim(convert(n, f32), 1)`"
    );
    let around = "take `in_dim` off; around the call, as in `x + in_dim(smooth(...), 1)`, it says where the result goes";
    assert_eq!(help("smooth(in_dim(v, 1), 0, 0.5)"), around);
    assert_eq!(
        eval(&[&["x + in_dim(smooth(v, 0, 0.5), 1)"], &operands[..2], &operands[3..]].concat()),
        "f32[2,3]\n[[0.  1.5 3. ]\n [3.  4.5 6. ]]\n"
    );
    assert!(
        help("smooth(x, in_dim(v, 0), 0.5)").starts_with("`in_dim(v, 1)` says which dimension")
    );
}

#[test]
fn the_bound_on_all_loops_is_raised_by_the_option() {
    let file = Scratch::with(
        "count.wgsl",
        "fn count(n: u32) -> u32 {
    var all = 0u;
    for (var i = 0u; i < n; i++) { for (var j = 0u; j < 20u; j++) { all++; } }
    return all;
}
",
    );
    let call = |most| ["count(n)", "n=u32:[500]", "--fn", file.path(), "--max-iterations", most];
    // The option bounds a loop, and all of them together only where it is higher.
    assert_eq!(eval(&call("500")), "u32[1]\n[10000]\n");
    assert!(
        error(&[&["eval"], &call("499")[..]].concat())
            .ends_with("raise the bound (--max-iterations)\n")
    );
}

#[test]
fn results_that_no_endless_loop_is_part_of_are_printed() {
    let endless = Scratch::with(
        "steps.wgsl",
        "fn steps(x: f32) -> f32 { var n = 0.0; var y = x; while (y != 1.0) { y -= 1.0; n += 1.0; } return n; }",
    );
    let count = Scratch::with(
        "count.wgsl",
        "fn count(x: u32) -> u32 { var n = 0u; for (var i = 0u; i < x; i++) { n++; } return n; }",
    );
    let call = |output: &[&str]| {
        let call = ["eval", "x = steps(a)", "y = count(b)", "z = steps(c)", "a=[3.5]"];
        let operands = ["b=u32:[1,2,3]", "c=[4, 2]", "--max-iterations", "100"];
        let functions = ["--fn", endless.path(), "--fn", count.path()];
        indim(&[&call[..], &operands, &functions, output].concat())
    };
    let error = "error: steps: a loop runs more than 100 times for an element, so that the array is not computed; see that each loop ends, or raise the bound (--max-iterations)\n";
    let outcome = call(&[]);
    assert_eq!(outcome.stdout, "y: u32[3]\n[1 2 3]\n\nz: f32[2]\n[3. 1.]\n");
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(1), error));
    // Files hold all results or none.
    let archive = Scratch::new("results.npz");
    let outcome = call(&["-o", archive.path()]);
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("", error));
    assert!(!std::path::Path::new(archive.path()).exists());
}

#[test]
fn a_loop_that_does_not_end_is_an_error_and_its_bound_an_option() {
    let file = Scratch::with(
        "collatz.wgsl",
        "fn collatz(start: u32) -> u32 {
    var n = 0u;
    for (var x = start; x != 1u; n++) { x = select(x / 2u, 3u * x + 1u, x % 2u == 1u); }
    return n;
}
",
    );
    let call = |x| ["collatz(x)", x, "--fn", file.path(), "--max-iterations", "111"];
    assert_eq!(eval(&call("x=u32:[6,7,27]")), "u32[3]\n[  8  16 111]\n");
    assert_eq!(
        error(&[&["eval"], &call("x=u32:[6,28,0]")[..]].concat()),
        "error: collatz: a loop runs more than 111 times for an element, so that the array is not computed; see that each loop ends, or raise the bound (--max-iterations)\n"
    );
}
