//! Tests `indim explain` in an environment without a GPU.
use crate::common::{Scratch, outcome, without_gpu};

/// Returns the standard output; the standard error must be empty.
fn explain(args: &[&str]) -> String {
    let outcome = outcome(without_gpu().arg("explain").args(args));
    assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{args:?}");
    outcome.stdout
}

/// The lines with single spaces, to look for rows of tables.
fn squeezed(text: &str) -> Vec<String> {
    text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[track_caller]
fn has_rows(text: &str, rows: &[&str]) {
    let lines = squeezed(text);
    for row in rows {
        assert!(lines.iter().any(|line| line.starts_with(row)), "no `{row}` in\n{text}");
    }
}

#[track_caller]
fn has_picture(text: &str, picture: &str) {
    assert!(text.contains(picture), "no\n{picture}in\n{text}");
}

#[test]
fn the_document_s_first_example() {
    let text = explain(&["x + in_dim(v, 1)", "x=2x3", "v=[7,8,9]"]);
    has_rows(
        &text,
        &[
            "result: f32[2,3]",
            "kernel 1 of 1: 1 operation, writes the result, f32[2,3]",
            "iteration space [2, 3] merged to [2, 3]",
            "bytes read 36",
            "bytes written 24",
            "operand shape broadcast_dimensions strides merged strides access",
            "x f32[2,3] [0, 1] [3, 1] [3, 1]",
            "v f32[3] [1] [0, 1] [0, 1]",
        ],
    );
    has_picture(
        &text,
        "\
  v is stretched:
    |7 8 9| ==> |7 8 9|
                |7 8 9|
",
    );
    assert!(!text.contains("x is stretched"), "{text}");
}

#[test]
fn the_document_s_pictures() {
    has_picture(
        &explain(&["x + in_dim(v, 0)", "x=3x3", "v=[7,8,9]"]),
        "\
  v is stretched:
    |7| ==> |7 7 7|
    |8|     |8 8 8|
    |9|     |9 9 9|
",
    );
    // Composition: both operands are stretched.
    let text = explain(&["in_dim(v, 0) + m", "v=[1,2,3,4]", "m=[[5,6]]"]);
    has_picture(
        &text,
        "\
  v is stretched:
    |1| ==> |1 1|
    |2|     |2 2|
    |3|     |3 3|
    |4|     |4 4|

  m is stretched:
    |5 6| ==> |5 6|
              |5 6|
              |5 6|
              |5 6|
",
    );
    has_rows(&text, &["v f32[4] [0] [1, 0]", "m f32[1,2] [0, 1] [0, 1]"]);
    // The formal definition's picture, if a page has no room for the elements.
    has_picture(
        &explain(&["x + in_dim(m, 1, 2)", "x=4x3x1", "m=1x2"]),
        "\
  which dimension goes where:
    result  4x3x2
    x       4x3x1
    m         1x2
",
    );
    has_picture(
        &explain(&["x + in_dim(m, 0, 3)", "x=10x2x3x4", "m=10x4"]),
        "\
    result  10x2x3x4
    x       10x2x3x4
    m       10     4
",
    );
}

#[test]
fn pictures_of_other_elements() {
    has_picture(
        &explain(&["x + s", "x=4", "s=1.5"]),
        "  s is stretched:\n    1.5 ==> |1.5 1.5 1.5 1.5|\n",
    );
    has_picture(
        &explain(&["x & in_dim(p, 0)", "x=pred[2,2]", "p=pred:[1,0]"]),
        "    |true |     |true  true |\n"
            .replace("     |true  true |", " ==> |true  true |")
            .as_str(),
    );
    // Names if only a shape is given, and indices where names would be long.
    has_picture(&explain(&["x + in_dim(v, 1)", "x=1x3", "v=3"]), "    |v0 v1 v2| ==> |v0 v1 v2|\n");
    has_picture(
        &explain(&["x + in_dim(weights, 1)", "x=1x3", "weights=3"]),
        "  weights is stretched (its elements are numbered):\n    |0 1 2| ==> |0 1 2|\n",
    );
    // Large pictures are cut off.
    let text = explain(&["x * y", "x=100x1", "y=iota:1x100"]);
    has_picture(&text, "    |0 1 2 3 4 5 6 7 ...| ==> |0   1   2   3   4   5   6   7   ...|\n");
    has_picture(&text, "    |...|     |... ... ... ... ... ... ... ... ...|\n");
}

#[test]
fn shapes_and_arrays_are_told_apart() {
    let shape = |x: &str| explain(&["x", x]).lines().next().unwrap().to_owned();
    for (x, result) in [
        ("x=3", "f32[3]"),
        ("x=2x3", "f32[2,3]"),
        ("x=0x3", "f32[0,3]"),
        ("x=f32[2,3]", "f32[2,3]"),
        ("x=s32[]", "s32[]"),
        ("x=pred[ 2, 3 ]", "pred[2,3]"),
        ("x=u32:2x3", "u32[2,3]"),
        ("x=[3]", "f32[1]"),
        ("x=-3", "f32[]"),
        ("x=1.5", "f32[]"),
        ("x=s32:[1,2]", "s32[2]"),
        ("x=iota:4", "f32[4]"),
        ("x=f4_fortran.npy", "f32[2,3]"),
        ("x=i4.npy", "s32[2,3]"),
    ] {
        assert_eq!(shape(x), format!("result: {result}"), "{x}");
    }
    // To show a shape, the array is not made.
    assert_eq!(shape("x=1000000x1000000"), "result: f32[1000000,1000000]");
}

#[test]
fn the_plan_is_shown() {
    let text = explain(&["x * 2 + in_dim(v, 1) + in_dim(c, 0)", "x=1024x1024", "v=1024", "c=1024"]);
    has_rows(
        &text,
        &[
            "iteration space [1024, 1024] merged to [1024, 1024]",
            "schedule rows",
            "bytes read 4202496",
            "bytes written 4194304",
            "x f32[1024,1024] [0, 1] [1024, 1] [1024, 1] contiguous",
            "v f32[1024] [1] [0, 1] [0, 1] contiguous (whole words), once for all rows of a tile",
            "c f32[1024] [0] [1, 0] [1, 0] splat",
        ],
    );
    // Dimensions are merged over all operands.
    has_rows(
        &explain(&["x + y", "x=2x3x4x5", "y=2x3x4x5"]),
        &["iteration space [2, 3, 4, 5] merged to [120]"],
    );
}

#[test]
fn several_kernels_are_shown_in_order() {
    let text = explain(&["sin(a) * cos(b)", "a=4096x1", "b=1x4096"]);
    has_rows(
        &text,
        &[
            "kernel 1 of 3: 1 operation, writes temporary 0, f32[4096,1]",
            "kernel 2 of 3: 1 operation, writes temporary 1, f32[1,4096]",
            "kernel 3 of 3: 1 operation, writes the result, f32[4096,4096]",
            "temporary 0 f32[4096,1] [0, 1] [1, 0]",
            "all kernels: 65536 bytes read, 67141632 bytes written",
        ],
    );
    // A long row is read for its largest element, for the sum of exponentials, and for the result.
    let text = explain(&["softmax(x, 1) * y", "x=64x32768", "y=64x32768"]);
    has_rows(&text, &["passes over x: 3"]);
    assert!(!text.contains("passes over y"), "{text}");
    // Each kernel's bytes can be counted, but not all of them together, in 64 bits.
    let text = explain(&[
        "w + x + y + z",
        "w=s8[9223372036854775807]",
        "x=s8[9223372036854775807]",
        "y=s8[9223372036854775807]",
        "z=s8[9223372036854775807]",
    ]);
    has_rows(
        &text,
        &[
            "kernel 3 of 3: 1 operation, writes the result, s8[9223372036854775807]",
            "all kernels: 55340232221128654842 bytes read, 27670116110564327421 bytes written",
        ],
    );
}

#[test]
fn wgsl_is_shown_on_demand() {
    let args = ["x + in_dim(v, 1)", "x=2x3", "v=3"];
    assert!(!explain(&args).contains("@compute"));
    let text = explain(&[&args[..], &["--wgsl"]].concat());
    assert!(text.contains("\nkernel 1 in WGSL:\n\n"), "{text}");
    assert!(text.contains("@compute") && text.contains("@workgroup_size"), "{text}");
}

#[test]
fn numpy_s_rule_is_explained_too() {
    let text = explain(&["--numpy", "x + v", "x=2x3", "v=[7,8,9]"]);
    has_rows(&text, &["v f32[3] [1] [0, 1]"]);
}

#[test]
fn expressions_without_operands_have_a_plan() {
    has_rows(&explain(&["2 ** 10"]), &["result: f32[]", "bytes read 0", "bytes written 4"]);
    has_rows(&explain(&["iota(s32, [2, 3], 1)"]), &["result: s32[2,3]", "iota s32[2,3] [0, 1]"]);
}

#[test]
fn refusals_are_those_of_eval() {
    let refused = outcome(without_gpu().args(["explain", "x + v", "x=2x3", "v=3"]));
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), ""));
    assert_eq!(
        refused.stderr,
        "\
error: add: lhs [2, 3] has rank 2 and rhs [3] has rank 1, but broadcast_dimensions is empty; say which dimension of lhs each dimension of rhs matches, such as [1]
  |
  | x + v
  |   ^
  = help: write `in_dim(v, 1)` for that operand, or `--numpy` to align dimensions from the last one
"
    );
    let refused = outcome(without_gpu().args(["explain", "x", "x=4294967296x4294967296"]));
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.starts_with("error: operand `x`: parameter: "), "{}", refused.stderr);
}

#[test]
fn views_are_offsets_and_strides() {
    let text = explain(&["reverse(transpose(x, [1, 0]), [0])", "x=[[1,2,3],[4,5,6]]"]);
    has_rows(
        &text,
        &[
            "result: f32[3,2]",
            "kernel 1 of 1: 0 operations, writes the result, f32[3,2]",
            "operand shape broadcast_dimensions offset strides merged strides access",
            "x f32[2,3] [1, 0] 2 [-1, 3] [-1, 3]",
        ],
    );
    has_picture(
        &text,
        "\
  x is viewed:
    |1 2 3| ==> |3 6|
    |4 5 6|     |2 5|
                |1 4|
",
    );
    let text = explain(&["slice(x, [1], [6], [2]) * 2", "x=iota:6"]);
    has_picture(&text, "    |0 1 2 3 4 5| ==> |1 3 5|\n");
    // Dimensions that a reshape splits have no numbers.
    let text = explain(&[
        "in_dim(w, 1) * reshape(transpose(reshape(x, [2, 3, 4]), [1, 0, 2]), [3, 8])",
        "x=6x4",
        "w=8",
    ]);
    has_rows(
        &text,
        &[
            "iteration space [3, 8] as [3, 2, 4] merged to [3, 2, 4]",
            "w f32[8] reshaped [0, 4, 1]",
            "x f32[6,4] reshaped [4, 12, 1]",
        ],
    );
    let text = explain(&["reshape(x, [2, 3])", "x=6"]);
    assert!(text.contains("no kernel: the result is the operand itself"), "{text}");
}

#[test]
fn relaxed_operations_are_counted() {
    for (expr, first) in [
        ("sin(x) + 1", "kernel 1 of 1: 2 operations (relaxed), writes the result, f32[4]"),
        // Compares and moves have no relaxed form.
        ("sin(x) > -x", "kernel 1 of 1: 3 operations (1 relaxed), writes the result, pred[4]"),
        ("convert(x, s32) * 2", "kernel 1 of 1: 2 operations, writes the result, s32[4]"),
    ] {
        has_rows(&explain(&["--relaxed", expr, "x=4"]), &[first]);
    }
    let text = explain(&["--relaxed", "--wgsl", "tanh(x)", "x=4"]);
    assert!(text.contains("= tanh(x0)") && !text.contains("xla_tanh"), "{text}");
    assert!(explain(&["--wgsl", "tanh(x)", "x=4"]).contains("xla_tanh"));
}

/// Everything after the heading of the first shader.
fn shaders(args: &[&str]) -> String {
    let printed = explain(&[&["--wgsl"], args].concat());
    let (_, wgsl) = printed.split_once("\nkernel 1 in WGSL:\n").unwrap();
    wgsl.to_owned()
}

/// The user's text selects the shader, but none of it becomes part of the shader.
#[test]
fn no_letter_of_the_user_s_is_in_a_shader() {
    let plain =
        shaders(&["select(exp(a) > b, a * 2.5, c)", "a=2x3", "b=f32[]", "c=[[7,8,9],[1,2,3]]"]);
    assert!(plain.is_ascii() && plain.contains("@compute") && !plain.contains('#'));
    // Names reserved in WGSL, Rust or the shaders, in other scripts, and very long ones.
    let long = "z".repeat(10_000);
    for [a, b, c] in [
        ["fn", "main", "struct"],
        ["params", "in_0", "result"],
        ["xla_exp_f32", "workgroup_id", "u32"],
        ["_", "__", "___"],
        ["日本語", "Ω", "ſ"],
        [&long, "exp", "select"],
    ] {
        let expr = format!(
            "# */ }} @compute fn main() {{}}\r\n\tselect((exp({a}) > {b}), # \u{1b}[31m\n{a} * 2.50e0f32, ({c}))"
        );
        let [a, b, c] =
            [format!("{a}=2x3"), format!("{b}=f32[]"), format!("{c}=[[7,8,9,],[1,2,3]] # */ fn")];
        assert_eq!(shaders(&[&expr, &a, &b, &c]), plain, "{expr}");
    }
    let other =
        shaders(&["select(exp(a) > b, a * 3.5, c)", "a=2x3", "b=f32[]", "c=[[7,8,9],[1,2,3]]"]);
    assert_eq!(other, plain, "a number is in the shader");
}

/// A page is read from left to right: lines that are too long lose their middle.
#[test]
fn long_shapes_and_names_are_shortened() {
    let ones = vec!["1"; 20_000].join(", ");
    let file =
        Scratch::with("rank.txt", format!("iota(f32, [3, {ones}], 0) * iota(f32, [3, {ones}], 9)"));
    let text = explain(&[&file.at_path()]);
    has_rows(
        &text,
        &[
            "result: f32[3,1,1,1,",
            "iteration space [3, 1, 1, 1,",
            "result 3x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1 ... 1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1",
        ],
    );
    assert!(text.contains("19999, 20000]") && text.len() < 10_000, "{text}");

    // Windows limits command lines to 32,767 characters.
    let name = "z".repeat(if cfg!(windows) { 15_000 } else { 70_000 });
    let text = explain(&[&format!("-{name}"), &format!("{name}=2x1x3")]);
    has_rows(&text, &["zzzz"]);
    assert!(text.contains("z ... z") && text.len() < 3_000, "{text}");
}

/// Names, numbers, comments and spelling differ, and the shader's text is the same.
#[test]
fn a_shader_has_nothing_of_the_user_s_text() {
    let shader = |expr: &str, names: [&str; 2]| {
        let operands = names.map(|name| format!("{name}=2x3"));
        let text = explain(&["--wgsl", expr, &operands[0], &operands[1]]);
        text.split_once("\nkernel 1 in WGSL:\n").unwrap().1.to_owned()
    };
    let plain = shader("max(x * y, 3)", ["x", "y"]);
    for names in [["fn", "var"], ["exp", "main"], ["storage", "f32"], ["\u{e9}\u{e8}", "_"]] {
        let [x, y] = names;
        let expr = format!("# */ @compute fn main() {{}}\n( max(({x}) * {y}, 0x7_b) ) # ; {y}");
        assert_eq!(shader(&expr, names), plain);
    }
    assert_ne!(shader("max(x / y, 3)", ["x", "y"]), plain, "the control");
}

/// The elements of an operand are drawn with the number of the result's element that each goes to.
#[test]
fn what_is_reduced_is_drawn() {
    let drawn = |expr: &str| {
        let operands: &[&str] =
            if expr.contains('y') { &["x=f32[2,3]", "y=f32[2,3]"] } else { &["x=f32[2,3]"] };
        let text = explain(&[&[expr], operands].concat());
        let lines = text.lines().map(str::trim);
        lines
            .filter(|line| line.starts_with('|') || line.contains(" is reduced, "))
            .collect::<Vec<_>>()
            .join("\n")
    };
    let into = "each element into the one that is written with this number:";
    assert_eq!(drawn("reduce_sum(x, 1)"), format!("x is reduced, {into}\n|0 0 0|\n|1 1 1|"));
    assert_eq!(drawn("reduce_max(x, 0)"), format!("x is reduced, {into}\n|0 1 2|\n|0 1 2|"));
    assert_eq!(
        drawn("reduce_min(reverse(x, [0]), 1)"),
        format!("x is reduced, {into}\n|1 1 1|\n|0 0 0|")
    );
    let pairs =
        "reduce_sum(broadcast_in_dim(x, [2,2,3], [0,2]) * broadcast_in_dim(y, [2,2,3], [1,2]), 2)";
    assert_eq!(
        drawn(pairs),
        format!(
            "x is reduced, {into}\n|0,1 0,1 0,1|\n|2,3 2,3 2,3|\n\
             y is reduced, {into}\n|0,2 0,2 0,2|\n|1,3 1,3 1,3|"
        )
    );
}

/// A long reduction takes two kernels; rows beside their reductions take one, which
/// says how often it passes over them; cumulative sums walk through blocks.
#[test]
fn the_kernels_of_a_split_and_of_rows_are_shown() {
    let lines = |expr: &str, operand: &str| {
        let text = explain(&[expr, operand]);
        let shown = |line: &&str| {
            let words = ["kernel ", "iteration space", "reduced ", "schedule "];
            words.iter().any(|word| line.starts_with(word))
        };
        text.lines().map(str::trim).filter(shown).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(
        lines("reduce_sum(x, 0)", "x=5000"),
        "kernel 1 of 2: 1 operation, writes temporary 0, c64[5]\n\
         iteration space  [5] merged to [5, 1024]\n\
         reduced          [1024]\n\
         schedule         fold_rows: each element from units of 32 along what is reduced\n\
         kernel 2 of 2: 2 operations, writes the result, f32[]\n\
         iteration space  [] merged to [1, 5]\n\
         reduced          [5]\n\
         schedule         fold_rows: each element from units of 8 along what is reduced"
    );
    assert!(lines("reduce_sum(x, 0)", "x=2000000").ends_with(
        "kernel 2 of 2: 2 operations, writes the result, f32[]\n\
         iteration space  [] merged to [1, 1954]\n\
         reduced          [1954]\n\
         schedule         fold_rows: each element from units of 32 along what is reduced, in blocks of 1024"
    ));
    assert_eq!(
        lines("softmax(x, 1)", "x=64x100"),
        "kernel 1 of 1: 5 operations, writes the result, f32[64,100]\n\
         iteration space  [64, 100] as [64] merged to [64, 100]\n\
         reduced          [100]\n\
         schedule         passes: 3 over each row, in units of 4 elements"
    );
    let scan = "schedule         scan:";
    assert!(
        lines("cumsum(x, 1)", "x=64x32").ends_with(&format!(
            "{scan} blocks of 16 elements, each combined with those before it"
        ))
    );
    assert!(
        lines("cumsum(x, 0)", "x=32x64")
            .ends_with(&format!("{scan} units of 4 elements, combined down blocks of 16 rows"))
    );
}

#[test]
fn a_computation_is_shown_in_stablehlo() {
    let text = explain(&["--stablehlo", "tanh(x) + in_dim(v, 1)", "x=2x3", "v=3"]);
    assert!(text.starts_with("module @indim {\n  func.func public @main("), "{text}");
    assert!(text.contains("stablehlo.tanh %arg0 : tensor<2x3xf32>"), "{text}");
    // What StableHLO lacks has a decomposition.
    let text = explain(&["--stablehlo", "log2(x)", "x=3"]);
    assert!(text.contains("stablehlo.composite \"indim.log2\" %arg0"), "{text}");
}
