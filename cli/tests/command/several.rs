//! Tests several statements and several results: the meaning of names, the files of results, and
//! error messages, word for word.
use crate::common::{
    Outcome, Scratch, error, eval, indim, outcome, refused, with_stdin, without_gpu,
};

/// Returns a file's printed contents, on one line.
fn stored(file: &Scratch) -> String {
    let printed = eval(&["x", &format!("x={}", file.path())]);
    printed.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn explain(args: &[&str]) -> String {
    let outcome = outcome(without_gpu().arg("explain").args(args));
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{args:?}");
    outcome.stdout
}

#[test]
fn results_are_printed_under_their_names() {
    assert_eq!(
        eval(&["m = x + 1", "x * 2", "p = x > 1", "x=[1,2]"]),
        "m: f32[2]\n[2. 3.]\n\nresult 2: f32[2]\n[2. 4.]\n\np: pred[2]\n[False  True]\n"
    );
    assert_eq!(eval(&["y = x + 1", "x=[1]"]), "y: f32[1]\n[2.]\n");
    // Operands may come anywhere after the first EXPR.
    assert_eq!(
        eval(&["a = x", "x=s32:[[1]]", "b = y", "y=s32:2"]),
        "a: s32[1,1]\n[[1]]\n\nb: s32[]\n2\n"
    );
}

#[test]
fn statements_run_one_after_the_other() {
    for (args, values) in [
        (&["t = x + 1; t * t + t", "x=[1]"][..], "f32[1] [6.]"),
        (&["t = x + 1; t = t * 3; t", "x=[1]"], "f32[1] [6.]"),
        (&["t=x+1;\n# a comment; no = end\nt;", "x=[1]"], "f32[1] [2.]"),
        // On the right-hand side of its own assignment, the operand; afterwards, the new value.
        (&["m = 2*m", "p = p - m", "m=[1]", "p=[5]"], "m: f32[1] [2.] p: f32[1] [3.]"),
        (&["p = p - m", "m = 2*m", "m=[1]", "p=[5]"], "p: f32[1] [4.] m: f32[1] [2.]"),
        // Names carry over from one EXPR to the next.
        (&["t = x * 2; a = t + 1", "b = t - 1", "x=[3]"], "a: f32[1] [7.] b: f32[1] [5.]"),
        (&["a = x", "a = a + 1; a * 10", "x=[3]"], "a: f32[1] [3.] result 2: f32[1] [40.]"),
        // A bare number takes its type on use; one that is a result is f32.
        (&["c = 2; x + c", "x=s32:[1]"], "s32[1] [3]"),
        (&["c = 2", "x + c", "x=s32:[1]"], "c: f32[] 2.0 result 2: s32[1] [3]"),
        (&["c = 2u8; x + c", "x=u8:[1]"], "u8[1] [3]"),
        (&["big = -inf; max(x, big)", "x=[1]"], "f32[1] [1.]"),
        // Names shadow constants, as operands do, but not functions.
        (&["inf = x + 1; inf * inf", "x=[1]"], "f32[1] [4.]"),
        (&["exp = x - x; exp(exp)", "x=[1]"], "f32[1] [1.]"),
        (&["x == y", "x=[1]", "y=[1]"], "pred[1] [ True]"),
        (&["x==y", "z = x==y", "x=[1]", "y=[1]"], "result 1: pred[1] [ True] z: pred[1] [ True]"),
    ] {
        let printed = eval(args);
        assert_eq!(printed.split_whitespace().collect::<Vec<_>>().join(" "), values, "{args:?}");
    }
}

#[test]
fn options_hold_for_all_results() {
    assert_eq!(
        eval(&["a = x + v", "b = x * v", "--numpy", "x=iota:1x2", "v=[1,2]"]),
        "a: f32[1,2]\n[[1. 3.]]\n\nb: f32[1,2]\n[[0. 2.]]\n"
    );
    let text = explain(&["a = sin(x)", "t = exp(x); b = t", "--relaxed", "x=8"]);
    assert!(text.contains("kernel 1 of 1: 2 operations (relaxed), writes result a and"), "{text}");
    let outcome = indim(&["eval", "a = x", "b = x + 1", "x=i4.npy", "--cast", "x=s16"]);
    assert_eq!(outcome.code, Some(0));
    assert!(outcome.stdout.starts_with("a: s16[2,3]\n") && outcome.stdout.contains("b: s16[2,3]"));
}

#[test]
fn each_result_goes_to_its_file() {
    let [m, v] = ["m.npy", "v.npy"].map(Scratch::new);
    let [to_m, to_v] = [format!("m={}", m.path()), format!("v={}", v.path())];
    // Results with a file are printed as type and shape only.
    let printed = eval(&["m = x + 1", "v = x > 1", "x=[1,2]", "-o", &to_v, "-o", &to_m, "x * 2"]);
    assert_eq!(printed, "m: f32[2]\n\nv: pred[2]\n\nresult 3: f32[2]\n[2. 4.]\n");
    assert_eq!((stored(&m), stored(&v)), ("f32[2] [2. 3.]".into(), "pred[2] [False True]".into()));

    // A step of a loop: the same file is operand and result.
    for expected in ["f32[2] [1.5 3. ]", "f32[2] [1.25 3. ]"] {
        eval(&["m = 0.5*m + 0.5*g", "g=[1,3]", &to_m, "-o", &to_m]);
        assert_eq!(stored(&m), expected);
    }
    // As many paths as results need no NAME=.
    eval(&["x", "x + 1", "x=[7]", "-o", m.path(), "-o", v.path()]);
    assert_eq!((stored(&m), stored(&v)), ("f32[1] [7.]".into(), "f32[1] [8.]".into()));
    // A single result needs no NAME=, and may have one.
    eval(&["m = x", "x=[7]", "-o", m.path()]);
    assert_eq!(stored(&m), "f32[1] [7.]");
}

#[test]
fn what_files_are_for_is_clear_or_refused() {
    let (a, b, x) = ("a = x", "b = x + 1", "x=[1]");
    refused(&[
        (
            &[a, b, x, "-o", "out.npy"],
            "error: -o out.npy does not say which of the 2 results it is for\n  = help: write `-o NAME=out.npy`; the results are a, b\n",
        ),
        (
            &["x", "x + 1", x, "-o", "out.npy"],
            "error: -o out.npy does not say which of the 2 results it is for\n  = help: name the results, as in `y = x + 1`, and write `-o y=out.npy`\n",
        ),
        (
            &["weight = x", b, x, "-o", "wieght=out.npy"],
            "error: -o wieght=out.npy: no result is named `wieght`\n  = help: did you mean `weight`?; a file of that name is written ./wieght=out.npy\n",
        ),
        (
            &["t = x; t + t", b, x, "-o", "t=out.npy"],
            "error: -o t=out.npy: no result is named `t`\n  = help: the results are b; a file of that name is written ./t=out.npy\n",
        ),
        (
            &["x + 1", x, "-o", "y=out.npy"],
            "error: -o y=out.npy: no result is named `y`\n  = help: an EXPR names its result, as in `y = x + 1`; a file of that name is written ./y=out.npy\n",
        ),
        (&[a, b, x, "-o", "a="], "error: -o a=: no file is named behind the `=`\n"),
        (
            &[a, b, x, "-o", "a=1.npy", "-o", "a=2.npy"],
            "error: result a is written to one file, but two are given: 1.npy and 2.npy\n",
        ),
        (
            &["x", x, "-o", "1.npy", "-o", "2.npy"],
            "error: the result is written to one file, but two are given: 1.npy and 2.npy\n",
        ),
        (
            &[a, b, x, "-o", "a=out.npy", "-o", "b=./out.npy"],
            "error: result a and result b are both to be written to ./out.npy\n  = help: each result has a file of its own\n",
        ),
        (
            &[a, "b = convert(x, bf16)", x, "-o", "a=1.npy", "-o", "b=2.npy"],
            "error: cannot write 2.npy: .npy files have no dtype for bf16\n  = help: `convert(EXPR, f32)` has the same values, `bitcast_convert(EXPR, u16)` the same bits\n",
        ),
    ]);
}

/// A half-written result replaces no file, and then neither do the other results.
#[cfg(unix)]
#[test]
fn all_files_are_replaced_or_none_is() {
    let folder = Scratch::new("several");
    std::fs::create_dir(&folder.0).unwrap();
    let paths = ["a", "b", "c"].map(|name| folder.0.join(name));
    std::fs::write(&paths[0], "what was there").unwrap();
    let run = |fill: &str| {
        let mut shell = std::process::Command::new("sh");
        let script = "trap '' XFSZ; ulimit -f 1024; exec \"$0\" eval 'a = slice(x, [0], [3])' \
                      'b = x' 'c = x > 1' \"$@\"";
        shell.args(["-c", script]).arg(env!("CARGO_BIN_EXE_indim")).arg(format!("x={fill}"));
        for (name, path) in ["a", "b", "c"].iter().zip(&paths) {
            shell.arg("-o").arg(format!("{name}={}", path.display()));
        }
        outcome(shell.env("XDG_RUNTIME_DIR", std::env::temp_dir()))
    };
    // The first file fits on the disk, the second does not.
    let full = run("iota:1000000");
    let message = format!("error: cannot write {}: ", paths[1].display());
    assert!(full.code == Some(1) && full.stderr.starts_with(&message), "{full:?}");
    assert_eq!(std::fs::read(&paths[0]).unwrap(), b"what was there");
    assert_eq!(std::fs::read_dir(&folder.0).unwrap().count(), 1);
    let fits = run("iota:3");
    assert_eq!((fits.code, fits.stderr.as_str()), (Some(0), ""));
    for path in &paths {
        assert!(std::fs::read(path).unwrap().starts_with(b"\x93NUMPY"), "{path:?}");
    }
    // Both links lead to one file.
    std::os::unix::fs::symlink("a", folder.0.join("link")).unwrap();
    let link = folder.0.join("link");
    let [to_a, to_link] =
        [(&paths[0], "a"), (&link, "b")].map(|(p, n)| format!("{n}={}", p.display()));
    let shown = error(&["eval", "a = x", "b = x", "x=1", "-o", &to_a, "-o", &to_link]);
    assert_eq!(
        shown,
        format!(
            "error: result a and result b are both to be written to {}\n  = help: each result has a file of its own\n",
            link.display()
        )
    );
    std::fs::remove_dir_all(&folder.0).unwrap();
}

#[test]
fn wrong_statements_are_pointed_at() {
    refused(&[
        (
            &["x + 1; x * 2", "x=1"],
            "error: this value has no name and is not the last one of EXPR, so that nothing can use it\n  |\n  | x + 1; x * 2\n  | ^^^^^\n  = help: name it, as in `t = x + 1; t * t`, or make it an EXPR of its own\n",
        ),
        (
            &["m = x", "m = x + 1", "x=1"],
            "error: two EXPRs name their result `m`\n  |\n  | m = x + 1\n  | ^\n  = help: give one of them another name, or write both in one EXPR, with `;` between them\n",
        ),
        (
            &["y = z; z = x; y", "x=1"],
            "error: unknown name `z`\n  |\n  | y = z; z = x; y\n  |     ^\n  = help: the operands are x; add `z=ARRAY` to the command\n",
        ),
        (
            &["weight = x * 2; wieght + 1", "x=1"],
            "error: unknown name `wieght`\n  |\n  | weight = x * 2; wieght + 1\n  |                 ^^^^^^\n  = help: did you mean `weight`?\n",
        ),
        (
            &["w = in_dim(v, 1); x + w", "x=iota:2x3", "v=iota:3"],
            "error: in_dim stands only directly on an operand of a binary operation, whose broadcast_dimensions it gives\n  |\n  | w = in_dim(v, 1); x + w\n  |     ^^^^^^^^^^^^\n  = help: elsewhere write `broadcast_in_dim(v, [2, 3], [1])`, with the sizes of the result and the dimensions of it that v's go to\n",
        ),
        (
            &["x = [1, 2]", "x + 1"],
            "error: a list is not an array here; it only gives sizes or dimensions to a function\n  |\n  | x = [1, 2]\n  |     ^^^^^^\n  = help: make it an operand, as in `indim eval \"x + v\" x=2x3.npy \"v=[7, 8, 9]\"`\n",
        ),
        (
            &["c = 1.5; x + c", "x=s32:1"],
            "error: the number c is not a value of s32: it is not a whole number\n  |\n  | c = 1.5; x + c\n  |              ^\n  = help: a bare number takes the element type of the operand that it meets, here s32; `convert` that operand first\n",
        ),
        (
            &["x=x.npy", "x + 1"],
            "error: `.npy` is not an operator here\n  |\n  | x=x.npy\n  |    ^^^^\n  = help: the first argument is an EXPR; operands, NAME=ARRAY, stand behind it\n",
        ),
        // The second EXPR is shown; a long one is named by its number.
        (
            &["x", "x + y", "x=1"],
            "error: unknown name `y`\n  |\n  | x + y\n  |     ^\n  = help: the operands are x; add `y=ARRAY` to the command\n",
        ),
        (
            &["x", "x +\n ?", "x=1"],
            "error: unexpected character '?'\n --> EXPR 2:2:2\n  |\n  |  ?\n  |  ^\n",
        ),
        (
            &["-", "y = -x", "-", "x=1"],
            "error: the standard input, `-`, is given for two EXPRs\n  = help: write both there, with `;` between them, or one of them to a file for `@FILE`\n",
        ),
    ]);
}

#[test]
fn operands_that_look_like_expressions_say_how_to_write_one() {
    let forms = "an array is a literal (`[[1, 2], [3, 4]]`, `s32:[1, 2]`), a path to a .npy or .npz file, or a fill (`iota:2x3`, `random:2x3`)";
    let missing = error(&["eval", "x", "m=tanh(x)", "x=1"]);
    assert!(missing.starts_with("error: operand `m`: tanh(x): "), "{missing}");
    let help = format!(
        "\n  = help: {forms}; if this is an EXPR, put a blank in front of the `=`: `m = tanh(x)`\n"
    );
    assert!(missing.ends_with(&help), "{missing}");
    assert_eq!(
        error(&["eval", "x", "m=0.9*x", "x=1"]),
        format!(
            "error: operand `m`: expected nothing after a value, found `*`\n  |\n  | 0.9*x\n  |    ^\n  = help: {forms}; if this is an EXPR, put a blank in front of the `=`: `m = 0.9*x`\n"
        )
    );
    // A word that can only be a file is not an EXPR.
    let missing = error(&["eval", "x", "x=no/such.npy"]);
    assert!(missing.ends_with(&format!("\n  = help: {forms}\n")), "{missing}");
    let wrong = indim(&["eval", "x", "x.npy"]);
    assert_eq!(wrong.code, Some(2));
    assert!(wrong.stderr.contains("an operand is written NAME=ARRAY, such as x=x.npy"));
    // An EXPR that begins with a sign looks like an option.
    let wrong = indim(&["eval", "x", "-x", "x=1"]);
    assert!(wrong.code == Some(2) && wrong.stderr.contains("'-x'"), "{}", wrong.stderr);
    let all = "result 1: f32[]\n1.0\n\nresult 2: f32[]\n-1.0\n";
    assert_eq!(eval(&["x", "(-x)", "x=1"]), all);
    assert_eq!(eval(&["x", "x=1", "--", "-x"]), all);
}

#[test]
fn values_that_nothing_uses_are_mentioned() {
    let outcome = indim(&["eval", "t = x + 1; t = x; u = t; y = x", "m = y", "x=[1]", "m=[1]"]);
    let expected = Outcome {
        code: Some(0),
        stdout: "y: f32[1]\n[1.]\n\nm: f32[1]\n[1.]\n".to_owned(),
        stderr: "warning: operand `m` is not used in EXPR\n\
                 warning: the value that EXPR names `t` is not used\n\
                 warning: the value that EXPR names `u` is not used\n"
            .to_owned(),
    };
    assert_eq!(outcome, expected);
}

#[test]
fn expressions_come_from_several_places() {
    let file = Scratch::with("step.txt", "# Adam's moments\nm = 0.5*m + g;\nv = m * m\n");
    let outcome =
        with_stdin(&["eval", &file.at_path(), "-", "p = v - 1", "m=[2]", "g=[1]"], "w = v + m\n");
    assert_eq!(outcome.stderr, "");
    assert_eq!(outcome.stdout, "v: f32[1]\n[4.]\n\nw: f32[1]\n[6.]\n\np: f32[1]\n[3.]\n");
}

#[test]
fn explain_says_which_kernel_writes_which_result() {
    let text = explain(&[
        "m = 0.9*m + 0.1*g",
        "v = 0.999*v + 0.001*g*g",
        "p = p - 0.01 * m / (sqrt(v) + 1e-8)",
        "p=1024",
        "m=1024",
        "v=1024",
        "g=1024",
    ]);
    let head = "result m: f32[1024]\nresult v: f32[1024]\nresult p: f32[1024]\n\nkernel 1 of 1: 12 operations, writes result m, result v and result p, f32[1024]\n";
    assert!(text.starts_with(head), "{text}");
    assert!(text.contains("  bytes read       16384\n  bytes written    12288\n"), "{text}");

    let text =
        explain(&["a = x + y", "x > y", "x", "b = a", "flat = reshape(y, [6])", "x=2x3", "y=2x3"]);
    let head = "result a: f32[2,3]\nresult 2: pred[2,3]\nresult 3: f32[2,3], the operand x\nresult b: f32[2,3], the same as result a\nresult flat: f32[6], the operand y\n\nkernel 1 of 1: 2 operations, writes result a (f32) and result 2 (pred), [2,3]\n";
    assert!(text.starts_with(head), "{text}");

    // A later kernel reads a result.
    let text = explain(&["s = sin(x)", "s + reverse(s, [0])", "x=64"]);
    assert!(text.contains("kernel 1 of 2: 1 operation, writes result s, f32[64]\n"), "{text}");
    assert!(text.contains("kernel 2 of 2: 1 operation, writes result 2, f32[64]\n"), "{text}");
    assert!(text.contains("\n  result s  f32[64]"), "{text}");
    let text = explain(&["y = x + 1", "x=3"]);
    assert!(
        text.starts_with(
            "result y: f32[3]\n\nkernel 1 of 1: 1 operation, writes the result y, f32[3]\n"
        ),
        "{text}"
    );
    let text = explain(&["x", "y", "x=3", "y=2"]);
    assert_eq!(
        text,
        "result 1: f32[3], the operand x\nresult 2: f32[2], the operand y\n\nno kernel: the results are operands themselves\n"
    );
}

/// A thousand steps of a recurrence are a thousand statements; as one text, each step would double
/// it.
#[test]
fn long_recurrences_are_statements() {
    let steps = format!("{}z", "z = z * z + c;\n".repeat(1_000));
    let file = Scratch::with("steps.txt", steps);
    let printed = eval(&[&file.at_path(), "z=[0, 0]", "c=[-1, 0.25]"]);
    // One alternates between 0 and -1, the other converges to 1/2.
    let values: Vec<&str> = printed.split_whitespace().collect();
    assert_eq!((values[0], values[1], &values[2][..4]), ("f32[2]", "[0.", "0.49"), "{printed}");
}

/// The bounds for several texts are those for one EXPR.
#[cfg(target_os = "linux")]
#[test]
fn many_statements_are_bounded_as_one_is() {
    use crate::common::below_a_gib;
    let half = "x = x + y;".repeat(90_000) + "x";
    let file = Scratch::with("half.txt", &half);
    let once = below_a_gib(&["explain", &file.at_path(), "x=2", "y=2"]);
    assert_eq!((once.code, once.stderr.as_str()), (Some(0), ""));
    let at = file.at_path();
    let refused = below_a_gib(&["explain", &at, &at, "x=2", "y=2"]);
    let message = "error: the text is too long: 1048576 names, numbers and symbols stand before \
                   this one, and no more are read\n";
    assert!(refused.code == Some(1) && refused.stderr.starts_with(message), "{}", refused.stderr);

    let blanks = Scratch::with("blanks.txt", " ".repeat(40 << 20) + "x");
    let refused = below_a_gib(&["explain", &blanks.at_path(), &blanks.at_path(), "x=2"]);
    let message = format!(
        "error: {} is too long for EXPR; the most are 67108864 bytes of all EXPRs together\n",
        blanks.path()
    );
    assert_eq!((refused.code, refused.stderr), (Some(1), message));
    let names = |n: usize| (0..n).map(|i| format!("a{i}=x;")).collect::<String>() + "x";
    let file = Scratch::with("names.txt", names(200_000));
    let unused = below_a_gib(&["explain", &file.at_path(), "x=2"]);
    assert_eq!(unused.code, Some(0));
    assert_eq!(unused.stderr.lines().count(), 9);
    assert!(unused.stderr.ends_with("warning: 199992 more values are named and not used\n"));
}
