//! Functions of the user's own, by `--fn`.
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
            "error: smooth: operand 1 (parameter `b`, rhs) does not fit the operands before it (lhs): lhs [2, 3] has rank 2"
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
        "error: collatz: a loop runs more than 111 times for an element, so that the array is not computed; see that each loop ends, or raise the bound (Function::with_max_iterations)\n"
    );
}
