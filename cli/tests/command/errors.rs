//! Tests every mistake in EXPR and in usage, with the complete messages. No test needs a GPU.
use crate::common::{Scratch, error, indim, outcome, refused, without_gpu};

#[test]
fn different_ranks_are_refused_with_the_remedy() {
    refused(&[
        (
            &["x + v", "x=iota:2x3", "v=iota:3"],
            "\
error: add: lhs [2, 3] has rank 2 and rhs [3] has rank 1, but broadcast_dimensions is empty; say which dimension of lhs each dimension of rhs matches, such as [1]
  |
  | x + v
  |   ^
  = help: write `in_dim(v, 1)` for that operand, or `--numpy` to align dimensions from the last one
",
        ),
        (
            &["max(w, x) * 2", "x=iota:2x3", "w=iota:2"],
            "\
error: max: lhs [2] has rank 1 and rhs [2, 3] has rank 2, but broadcast_dimensions is empty; say which dimension of rhs each dimension of lhs matches, such as [0]
  |
  | max(w, x) * 2
  | ^^^
  = help: write `in_dim(w, 0)` for that operand
",
        ),
        (
            &["x + in_dim(v, 0)", "x=iota:2x3", "v=iota:3"],
            "\
error: add: dimension 0 of rhs has size 3 but is matched to dimension 0 of lhs, which has size 2; sizes must be equal or one of them 1; dimension 1 of lhs has size 3
  |
  | x + in_dim(v, 0)
  |   ^
",
        ),
    ]);
}

#[test]
fn every_rule_of_in_dim_is_the_library_s() {
    let first = |args: &[&str]| {
        let shown = error(&[&["eval"], args].concat());
        shown.lines().next().unwrap().to_owned()
    };
    let (x, v) = ("x=iota:2x3", "v=iota:3");
    for (expr, message) in [
        (
            "x + in_dim(v, 0, 1)",
            "add: broadcast_dimensions [0, 1] has length 2, but rhs [3] has rank 1",
        ),
        ("x + in_dim(v, -1)", "add: broadcast_dimensions[0] is -1; dimensions count from 0"),
        ("x + in_dim(v, 2)", "add: broadcast_dimensions[0] is 2, but lhs [2, 3] has rank 2"),
        (
            "x + in_dim(v)",
            "add: lhs [2, 3] has rank 2 and rhs [3] has rank 1, but broadcast_dimensions is empty",
        ),
        (
            "x + in_dim(x, 1, 0)",
            "add: lhs [2, 3] and rhs [2, 3] have the same rank, so broadcast_dimensions must be empty or [0, 1], but it is [1, 0]",
        ),
        (
            "in_dim(x, 0, 1) + v",
            "add: in_dim([0, 1]) stands on lhs [2, 3], which has the higher rank",
        ),
        (
            "v + in_dim(x, 0, 1)",
            "add: in_dim([0, 1]) stands on rhs [2, 3], which has the higher rank",
        ),
        ("in_dim(v, 1) + in_dim(v, 1)", "add: both operands carry in_dim, [1] and [1]"),
        (
            "add(x, v, [0])",
            "add: dimension 0 of rhs has size 3 but is matched to dimension 0 of lhs",
        ),
        (
            "broadcast_in_dim(v, [2, 3], [0])",
            "broadcast_in_dim: dimension 0 of operand [3] has size 3 but goes to dimension 0",
        ),
        ("broadcast_in_dim(v, [-2, 3], [1])", "broadcast_in_dim: "),
        ("broadcast(v, -2)", "broadcast: "),
        ("iota(s32, [2, 3], 2)", "iota: "),
        ("iota(pred, [2], 0)", "iota: "),
        ("broadcast(v, 9223372036854775807, 4)", "broadcast: "),
    ] {
        let message = format!("error: {message}");
        // Operands that EXPR does not use are left out, since each would cause a warning.
        let used: Vec<&str> = [x, v].into_iter().filter(|o| expr.contains(&o[..1])).collect();
        let found = first(&[&[expr], used.as_slice()].concat());
        assert!(found.starts_with(&message), "{expr}: {found}");
    }
}

#[test]
fn in_dim_stands_on_operands_of_binary_operations_only() {
    let help = "elsewhere write `broadcast_in_dim(v, [2, 3], [1])`, with the sizes of the result and the dimensions of it that v's go to";
    for (expr, carets) in [
        ("in_dim(v, 1)", "^^^^^^^^^^^^"),
        ("-in_dim(v, 1)", " ^^^^^^^^^^^^"),
        ("exp(in_dim(v, 1))", "    ^^^^^^^^^^^^"),
        ("select(true, in_dim(v, 1), v)", "             ^^^^^^^^^^^^"),
        ("v + in_dim(in_dim(v, 1), 1)", "           ^^^^^^^^^^^^"),
    ] {
        let expected = format!(
            "error: in_dim stands only directly on an operand of a binary operation, whose broadcast_dimensions it gives\n  |\n  | {expr}\n  | {carets}\n  = help: {help}\n"
        );
        assert_eq!(error(&["eval", expr, "v=iota:3"]), expected);
    }
    refused(&[
        (
            &["x + in_dim(v, 1) * 2", "x=iota:2x3", "v=iota:3"],
            "\
error: mul: in_dim([1]) stands on lhs [3], but rhs is a scalar, which broadcasts freely; put in_dim on the result of this operation, where that meets an operand of higher rank
  |
  | x + in_dim(v, 1) * 2
  |                  ^
  = help: `in_dim(v, 1)` goes around all of an operand: `x + in_dim(v * 2, 1)`, not `x + in_dim(v, 1) * 2`
",
        ),
        (
            &["add(x, in_dim(v, 1), [1])", "x=iota:2x3", "v=iota:3"],
            "\
error: broadcast_dimensions are given twice, by in_dim and by a list
  |
  | add(x, in_dim(v, 1), [1])
  | ^^^
  = help: keep one of them
",
        ),
        (
            &["x + in_dim(v, d)", "x=iota:2x3", "v=iota:3", "d=1"],
            "\
error: expected an integer, as sizes and dimensions are known before anything is computed
  |
  | x + in_dim(v, d)
  |               ^
",
        ),
    ]);
}

#[test]
fn shapes_that_only_numpy_or_nobody_broadcasts() {
    refused(&[
        (
            &["select(x > 0, x, v)", "x=iota:2x3", "v=iota:3"],
            "\
error: select: on_false [3] differs from pred [2, 3]; all operands must have one shape or be scalars, so broadcast on_false with broadcast_in_dim first
  |
  | select(x > 0, x, v)
  | ^^^^^^
  = help: or `--numpy`, which aligns dimensions from the last one
",
        ),
        (
            &["clamp(0, x, v)", "x=iota:2x3", "v=iota:2"],
            "\
error: clamp: max [2] differs from x [2, 3]; all operands must have one shape or be scalars, so broadcast max with broadcast_in_dim first
  |
  | clamp(0, x, v)
  | ^^^^^
",
        ),
        (
            &["x * y", "x=iota:7x2x5", "y=iota:7x2x6"],
            "\
error: mul: in dimension 2 of the result lhs [7, 2, 5] has size 5 and rhs [7, 2, 6] has size 6; sizes must be equal or one of them 1
  |
  | x * y
  |   ^
",
        ),
        (
            &["--numpy", "x * y", "x=iota:2x3", "y=iota:2"],
            "\
error: mul: dimension 0 of rhs has size 2 but is matched to dimension 1 of lhs, which has size 3; sizes must be equal or one of them 1; dimension 0 of lhs has size 2
  |
  | x * y
  |   ^
",
        ),
    ]);
}

#[test]
fn element_types_are_not_converted_by_themselves() {
    refused(&[
        (
            &["x + y", "x=[1]", "y=s32:[1]"],
            "\
error: add: lhs has element type f32 and rhs has s32; convert one of them with convert_element_type
  |
  | x + y
  |   ^
  = help: in EXPR that is `convert(y, f32)`
",
        ),
        (
            &["~x", "x=[1]"],
            "\
error: not: operand has element type f32; this operation accepts pred, s4, s8, s16, s32, s64, u4, u8, u16, u32 and u64; convert it with convert_element_type
  |
  | ~x
  | ^
",
        ),
        (
            &["1 & 2"],
            "\
error: and: lhs has element type f32; this operation accepts pred, s4, s8, s16, s32, s64, u4, u8, u16, u32 and u64; convert it with convert_element_type
  |
  | 1 & 2
  |   ^
  = help: two bare numbers are f32; give one another type with `convert(1, s32)`
",
        ),
        (
            &["select(x, x, x)", "x=[1]"],
            "\
error: select: pred has element type f32, but it must be pred; compare or convert it first
  |
  | select(x, x, x)
  | ^^^^^^
",
        ),
        (
            &["bitcast_convert(p, f32)", "p=pred:[1]"],
            "\
error: bitcast_convert_type: the bits of pred are not f32; pred is bitcast to pred only; use convert_element_type
  |
  | bitcast_convert(p, f32)
  | ^^^^^^^^^^^^^^^
",
        ),
    ]);
}

#[test]
fn bare_numbers_must_be_values_of_the_type() {
    let help = |to| {
        format!(
            "  = help: a bare number takes the element type of the operand that it meets, here {to}; `convert` that operand first\n"
        )
    };
    for (expr, x, number, why, help) in [
        (
            "x + 1.5",
            "x=s32:1",
            "1.5",
            "is not a value of s32: it is not a whole number",
            help("s32"),
        ),
        (
            "x + 2147483648",
            "x=s32:1",
            "2147483648",
            "is not a value of s32, which holds -2147483648 to 2147483647",
            help("s32"),
        ),
        (
            "x + -1",
            "x=u32:1",
            "-1",
            "is not a value of u32, which holds 0 to 4294967295",
            help("u32"),
        ),
        (
            "x & 2",
            "x=pred:1",
            "2",
            "is not a value of pred, which holds true and false (or 1 and 0)",
            help("pred"),
        ),
        (
            "x + 16777217",
            "x=1",
            "16777217",
            "is not exactly representable in f32; the nearest value is 16777216; a number with a point or an exponent is rounded",
            String::new(),
        ),
        (
            "x + 1e39",
            "x=1",
            "1e39",
            "is too large for f32, whose largest value is 3.4028235e38",
            String::new(),
        ),
        ("x + 1e-46", "x=1", "1e-46", "is too small for f32: it would become 0", String::new()),
        (
            "x + 2049",
            "x=f16:1",
            "2049",
            "is not exactly representable in f16; the nearest value is 2048; a number with a point or an exponent is rounded",
            String::new(),
        ),
        (
            "x + 1e5",
            "x=f16:1",
            "1e5",
            "is too large for f16, whose largest value is 6.5504e4",
            String::new(),
        ),
        ("x + 8", "x=s4:1", "8", "is not a value of s4, which holds -8 to 7", help("s4")),
        (
            "x + 256u8",
            "x=s4:1",
            "256u8",
            "is not a value of u8, which holds 0 to 255",
            String::new(),
        ),
    ] {
        let at = expr.find(number).unwrap();
        let (indent, carets) = (" ".repeat(at), "^".repeat(number.len()));
        let expected = format!(
            "error: the number {number} {why}\n  |\n  | {expr}\n  | {indent}{carets}\n{help}"
        );
        assert_eq!(error(&["eval", expr, x]), expected);
    }
}

#[test]
fn numbers_with_a_type_are_not_converted_either() {
    refused(&[
        (
            &["x + 1u8", "x=s16:1"],
            "\
error: add: lhs has element type s16 and rhs has u8; convert one of them with convert_element_type
  |
  | x + 1u8
  |   ^
  = help: in EXPR that is `convert(1u8, s16)`
",
        ),
        (
            &["x * 2i", "x=1"],
            "\
error: mul: lhs has element type f32 and rhs has c64; convert one of them with convert_element_type
  |
  | x * 2i
  |   ^
  = help: in EXPR that is `convert(x, c64)`
",
        ),
        (
            &["broadcast(1, 2u8)"],
            "\
error: expected an integer, as sizes and dimensions are known before anything is computed
  |
  | broadcast(1, 2u8)
  |              ^^^
",
        ),
        (
            &["3u9"],
            "error: `3u9` is not a number\n  |\n  | 3u9\n  | ^^^\n  = help: did you mean `3u4`?\n",
        ),
    ]);
}

#[test]
fn unknown_names_are_told_with_the_nearest_known_one() {
    refused(&[
        (
            &["x + wieghts", "x=1", "weights=2"],
            "error: unknown name `wieghts`\n  |\n  | x + wieghts\n  |     ^^^^^^^\n  = help: did you mean `weights`?\n",
        ),
        (
            &["x + foo", "x=1", "y=2"],
            "error: unknown name `foo`\n  |\n  | x + foo\n  |     ^^^\n  = help: the operands are x, y; add `foo=ARRAY` to the command\n",
        ),
        (
            &["foo"],
            "error: unknown name `foo`\n  |\n  | foo\n  | ^^^\n  = help: no operands are given; add `foo=ARRAY` to the command\n",
        ),
        (
            &["exp + x", "x=1"],
            "error: unknown name `exp`\n  |\n  | exp + x\n  | ^^^\n  = help: `exp` is a function: `exp(x)`\n",
        ),
        (
            &["s32 + x", "x=1"],
            "error: unknown name `s32`\n  |\n  | s32 + x\n  | ^^^\n  = help: an element type stands only in `convert`, `bitcast_convert` and `iota`\n",
        ),
        (
            &["tahn(x)", "x=1"],
            "error: unknown function `tahn`\n  |\n  | tahn(x)\n  | ^^^^\n  = help: did you mean `tanh`?\n",
        ),
        (
            &["parameter(x)", "x=1"],
            "error: unknown function `parameter`\n  |\n  | parameter(x)\n  | ^^^^^^^^^\n  = help: functions are XlaBuilder's operations in snake case, such as exp, max, select, convert\n",
        ),
        (
            &["convert(x, s23)", "x=1"],
            "error: unknown element type `s23`\n  |\n  | convert(x, s23)\n  |            ^^^\n  = help: did you mean `s32`? the element types are pred, s4, s8, s16, s32, s64, u4, u8, u16, u32, u64, f16, bf16, f32, f64, c64\n",
        ),
        (
            &["iota(2, [2], 0)"],
            "error: expected an element type, such as s32\n  |\n  | iota(2, [2], 0)\n  |      ^\n",
        ),
        (
            &["clamp(x, 1)", "x=1"],
            "error: clamp takes 3 arguments, but 2 are given\n  |\n  | clamp(x, 1)\n  | ^^^^^^^^^^^\n  = help: as in `clamp(min, x, max)`\n",
        ),
        (
            &["max(x)", "x=1"],
            "error: max takes 2 arguments, but 1 is given\n  |\n  | max(x)\n  | ^^^^^^\n  = help: as in `max(x, y)`; along dimensions of one array it is `reduce_max(x, [0])`\n",
        ),
    ]);
}

/// NumPy names that EXPR lacks are recognized.
#[test]
fn what_is_numpy_s_is_translated() {
    let p = "p=true";
    refused(&[
        (
            &["where(p, x, 0)", "x=1", p],
            "error: unknown function `where`\n  |\n  | where(p, x, 0)\n  | ^^^^^\n  = help: write `select(p, x, 0)`\n",
        ),
        (
            &["sum(x)", "x=1"],
            "error: unknown function `sum`\n  |\n  | sum(x)\n  | ^^^\n  = help: write `reduce_sum(x, [0])`, with the dimensions along which elements are combined; `--numpy` has NumPy's `sum`\n",
        ),
        (
            &["random_uniform(x, [2])", "x=1"],
            "error: random_uniform takes other arguments\n  |\n  | random_uniform(x, [2])\n  | ^^^^^^^^^^^^^^^^^^^^^^\n  = help: as in `random_uniform(key, 0, 1, [2, 3])`\n",
        ),
        (
            &["random_normal(x, f32, [2])", "x=u32:1"],
            "error: random_normal: key has shape [], but a key is u32[2]; make one with random_key, or take one of several with index\n  |\n  | random_normal(x, f32, [2])\n  | ^^^^^^^^^^^^^\n",
        ),
        (
            &["x - median(x, 0)", "x=1"],
            "error: unknown function `median`\n  |\n  | x - median(x, 0)\n  |     ^^^^^^\n  = help: `median` compares all elements with each other, and EXPR has no operation for that: write the array to a file, as by `-o out.npy`, and give that to NumPy\n",
        ),
        (
            &["x.T * 2", "x=1"],
            "error: `.T` is not an operator here\n  |\n  | x.T * 2\n  |  ^^\n  = help: write `transpose(x, [1, 0])`, with the dimensions in their new order\n",
        ),
        (
            &["x.sum()", "x=1"],
            "error: `.sum` is not an operator here\n  |\n  | x.sum()\n  |  ^^^^\n  = help: write `reduce_sum(x, [0])`, with the dimensions along which elements are combined; `--numpy` has NumPy's `sum`\n",
        ),
        (
            &["x.ravel()", "x=1"],
            "error: `.ravel` is not an operator here\n  |\n  | x.ravel()\n  |  ^^^^^^\n  = help: values have no attributes; a function stands in front of its operands, as in `exp(x)`\n",
        ),
        (
            &["x[0]", "x=1"],
            "error: expected an operator, found `[`\n  |\n  | x[0]\n  |  ^\n  = help: a part of an array is `slice(x, [0], [3])`, with starts and limits\n",
        ),
    ]);
}

#[test]
fn syntax_errors_point_at_the_place() {
    refused(&[
        (
            &["x > 3 & x < 5", "x=1"],
            "error: comparisons do not chain\n  |\n  | x > 3 & x < 5\n  |           ^\n  = help: `&` binds tighter than comparisons, as in Python; write `(x > 3) & (x < 5)`\n",
        ),
        (
            &["a < b < c", "a=1", "b=1", "c=1"],
            "error: comparisons do not chain\n  |\n  | a < b < c\n  |       ^\n  = help: write `(a < b) & (b < c)`, or put one comparison in parentheses\n",
        ),
        (&["x +", "x=1"], "error: expected a value, but EXPR ends here\n  |\n  | x +\n  |    ^\n"),
        (&["(x", "x=1"], "error: `(` is never closed\n  |\n  | (x\n  | ^\n"),
        (&[""], "error: EXPR is empty\n  |\n  | \n  | ^\n  = help: such as `x * 2 + 1`\n"),
        (
            &["not x", "x=1"],
            "error: expected an operator, found `x`\n  |\n  | not x\n  |     ^\n  = help: write `~x` for the complement of a pred or integer\n",
        ),
        (
            &["[1, 2] + x", "x=1"],
            "error: a list is not an array here; it only gives sizes or dimensions to a function\n  |\n  | [1, 2] + x\n  | ^^^^^^\n  = help: make it an operand, as in `indim eval \"x + v\" x=2x3.npy \"v=[7, 8, 9]\"`\n",
        ),
        (&["x $ 2", "x=1"], "error: unexpected character '$'\n  |\n  | x $ 2\n  |   ^\n"),
    ]);
    let file = Scratch::with("lines.txt", "x +\n  y *\n  * z\n");
    let expected = format!(
        "error: expected a value, found `*`\n --> {}:3:3\n  |\n  |   * z\n  |   ^\n",
        file.path()
    );
    assert_eq!(error(&["eval", &file.at_path()]), expected);
}

#[test]
fn deep_nesting_is_refused_without_a_stack_overflow() {
    let report = "error: EXPR is nested too deeply: more than 1000 brackets, signs or powers are open here\n";
    // Windows limits command lines to 32,767 characters.
    let most = if cfg!(windows) { 15_000 } else { 60_000 };
    let nested = format!("{}x{}", "(".repeat(most), ")".repeat(most));
    let shown = error(&["eval", &nested, "x=1"]);
    assert!(shown.starts_with(&format!("{report} --> EXPR:1:1001\n")), "{shown}");
    assert!(shown.len() < 600, "{shown}");

    let nested = format!("{}x{}", "(".repeat(500_000), ")".repeat(500_000));
    let file = Scratch::with("deep.txt", nested);
    let shown = error(&["eval", &file.at_path(), "x=1"]);
    assert!(shown.starts_with(report), "{shown}");

    for part in ["-", "~", "2**", "exp(", "max(1, ", "[", "1 + (x * -"] {
        let shown = error(&["eval", &format!("{}x", part.repeat(3_000)), "x=1"]);
        assert!(shown.starts_with(report), "{part}: {shown}");
    }
    let shown = error(&["eval", "x", &format!("x={}", "[".repeat(most / 2))]);
    assert!(
        shown.starts_with("error: operand `x`: lists are nested more than 1000 deep\n"),
        "{shown}"
    );
}

#[test]
fn an_expression_s_file_is_checked_too() {
    let missing = error(&["eval", "@no/such.txt"]);
    assert!(missing.starts_with("error: cannot open no/such.txt for EXPR: "), "{missing}");
    let binary = Scratch::with("binary", b"x \xff y");
    assert_eq!(
        error(&["eval", &binary.at_path()]),
        format!("error: {} is not UTF-8 text\n", binary.path())
    );
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let shown = error(&["eval", "x + \u{1b}[2J", "x=1"]);
    assert_eq!(
        shown,
        "error: unexpected character '\\u{1b}'\n  |\n  | x + \u{fffd}[2J\n  |     ^\n"
    );
}

#[test]
fn wrong_usage_has_exit_code_2() {
    for args in [
        &["eval"][..],
        &["evil", "x"],
        &["eval", "x", "[1,2]"],
        &["eval", "x", "x.npy"],
        &["eval", "x", "2x=1"],
        &["eval", "x", "=1"],
        &["eval", "x", "x=1", "--cast", "f8"],
        &["eval", "x", "x=1", "--cast", "x=complex"],
        &["eval", "x", "x=1", "--seed", "-1"],
        &["eval", "x", "x=1", "--wgsl"],
        &["explain", "x", "x=1", "-o", "y.npy"],
        &["adapters", "x"],
    ] {
        let outcome = indim(args);
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(2), ""), "{args:?}");
        assert!(outcome.stderr.contains("--help"), "{args:?}: {}", outcome.stderr);
    }
}

#[test]
fn without_a_gpu_eval_says_what_to_install() {
    let outcome = outcome(without_gpu().args(["eval", "x + 1", "x=[1]"]));
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), ""));
    // If OpenGL has an adapter, it is named.
    assert!(outcome.stderr.starts_with("error: no GPU adapter"), "{}", outcome.stderr);
    assert!(outcome.stderr.contains("apt-get install mesa-vulkan-drivers"), "{}", outcome.stderr);
}
