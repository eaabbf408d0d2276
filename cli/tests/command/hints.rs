//! Tests hints: spellings from other languages, and near misses, are answered with the correct one.
use crate::common::{Folder, Scratch, error, eval, indim};
use indim_testing::share;

/// Returns the help on a rejected EXPR.
#[track_caller]
fn help(args: &[&str]) -> String {
    let report = error(&[&["eval"], args].concat());
    let (_, help) = report.split_once("= help: ").unwrap_or_else(|| panic!("no help: {report}"));
    help.trim_end().to_owned()
}

#[test]
fn functions_of_another_name_take_the_operands_that_are_there() {
    let cases = [
        ("where(x > 0, x, 2*x)", "write `select(x > 0, x, 2*x)`"),
        ("clip(x, 0, 3)", "write `clamp(0, x, 3)`"),
        ("maximum(x, 1)", "write `max(x, 1)`"),
        ("relu(x - 1)", "write `max(x - 1, 0)`"),
        ("mod(x, 3)", "write `remainder(x, 3)`, whose sign is the divisor's"),
        ("fmod(x, 3)", "write `rem(x, 3)`, whose sign is the dividend's"),
        ("astype(x, s32)", "write `convert(x, s32)`"),
        ("float32(x)", "write `convert(x, f32)`"),
        ("int(x)", "write `convert(x, s32)`"),
        ("x if x > 0 else 0*x", "write `select(x > 0, x, 0*x)`"),
        ("not x", "write `~x` for the complement of a pred or integer"),
    ];
    for (expr, expected) in cases {
        assert_eq!(help(&[expr, "x=[-1,0,5]"]), expected);
    }
    // With another number of operands, or long ones, the hint uses the function's parameter names.
    assert_eq!(help(&["where(x)", "x=1"]), "write `select(pred, on_true, on_false)`");
    assert_eq!(help(&["(x if x > 0 else 1)", "x=1"]), "write `select(c, x, y)`");
    // The hints are computed.
    let x = "x=[-1,0,5]";
    assert_eq!(eval(&["select(x > 0, x, 2*x)", x]), "f32[3]\n[-2.  0.  5.]\n");
    assert_eq!(eval(&["clamp(0, x, 3)", x]), "f32[3]\n[0. 0. 3.]\n");
    assert_eq!(eval(&["x % 3", x]), "f32[3]\n[-1.  0.  2.]\n");
    assert_eq!(eval(&["remainder(x, 3)", x]), "f32[3]\n[2. 0. 2.]\n");
    assert_eq!(eval(&["max(x - 1, 0)", x]), "f32[3]\n[0. 0. 4.]\n");
}

#[test]
fn element_types_have_their_names_here() {
    let cases = [
        ("int32", "write `s32`;"),
        ("float32", "write `f32`;"),
        ("int", "write `s32` or `s64`;"),
        ("float", "write `f32` or `f64`;"),
        ("double", "write `f64`;"),
        ("uint8", "write `u8`;"),
        ("bool", "write `pred`;"),
    ];
    for (name, expected) in cases {
        let expr = format!("convert(x, {name})");
        assert!(help(&[&expr, "x=1"]).starts_with(expected), "{name}");
    }
    assert!(
        help(&["x", "x=float32:[1,2]"]).starts_with("write `f32`; the element types are pred,")
    );
    assert!(help(&["x", "x=float32:2x3"]).starts_with("write `f32`;"));
}

#[test]
fn a_conversion_goes_into_in_dim() {
    let operands = ["x=iota:2x3", "v=s32:[7,8,9]"];
    let expected = "in EXPR that is `in_dim(convert(v, f32), 1)`";
    for expr in ["x + in_dim(v, 1)", "x + (in_dim(v, 1))"] {
        assert_eq!(help(&[&[expr], &operands[..]].concat()), expected);
    }
    let sum = "f32[2,3]\n[[ 7.  9. 11.]\n [10. 12. 14.]]\n";
    assert_eq!(eval(&[&["x + in_dim(convert(v, f32), 1)"], &operands[..]].concat()), sum);
}

#[test]
fn fills_that_are_none_list_those_that_are() {
    let report = error(&["eval", "x", "x=ones:2x3"]);
    assert_eq!(
        report,
        "error: operand `x`: unknown fill `ones`\n  |\n  | ones:2x3\n  | ^^^^\n  = help: the fills are `iota:2x3` (0, 1, 2, ...) and `random:2x3`; an array of one value is `broadcast(1, 2, 3)` in EXPR\n"
    );
    assert_eq!(eval(&["broadcast(1, 2, 3)"]), "f32[2,3]\n[[1. 1. 1.]\n [1. 1. 1.]]\n");
    assert!(help(&["x", "x=zeros:4"]).ends_with("`broadcast(0, 4)` in EXPR"));
}

#[test]
fn archives_are_files_like_others() {
    let archive = Scratch::new("two.npz");
    let path = archive.path();
    eval(&["a = x + 1", "b = x * 2", "x=iota:2", "-o", path]);
    let missing = error(&["eval", "q", &format!("q={path}")]);
    let expected = format!(
        "error: operand `q`: {path}: the .npz archive has no array \"q\"; it has \"a\", \"b\"\n  = help: name one of them behind the archive, as in `q=data.npz:x`\n"
    );
    assert_eq!(missing, expected);
    assert_eq!(eval(&["q", &format!("q={path}:a")]), "f32[2]\n[1. 2.]\n");
    // An operand without a name, or before the EXPR.
    for file in ["data.npy", "data.npz", "data.npz:a"] {
        let wrong = indim(&["eval", "x+1", file]);
        let expected = format!("an operand is written NAME=ARRAY, such as x={file}");
        assert!(wrong.code == Some(2) && wrong.stderr.contains(&expected), "{}", wrong.stderr);
        let first = error(&["eval", &format!("x={file}"), "x+1"]);
        let expected = "help: the first argument is an EXPR; operands, NAME=ARRAY, stand behind it";
        assert!(first.contains(expected), "{first}");
    }
}

/// Expressions as people type them, and the call or number in the hint. Each of these is computed.
#[test]
fn what_people_type_has_a_remedy_that_works() {
    let operands = ["x=[[-1.5,0,4],[2,5,3]]", "v=[1,2,3]", "n=s32:[7,-7,0]"];
    let remedies = [
        ("x > 3 & x < 5", "(x > 3) & (x < 5)"),
        ("select(v == 1 | v == 2 | v > v*2, v, 0)", "(v == 1) | (v == 2) | (v > v*2)"),
        ("-1 < n < 8", "(-1 < n) & (n < 8)"),
        ("v^2", "v ** 2"),
        ("2^3", "2 ** 3"),
        ("sigmoid(x)", "logistic(x)"),
        ("x[:, 1:3]", "slice(x, [0, 1], [2, 3])"),
        ("2 * x[1]", "reshape(slice(x, [1, 0], [2, 3]), [3])"),
        ("x[-1, ::2]", "reshape(slice(x, [1, 0], [2, 3], [1, 2]), [2])"),
        ("v[0]", "reshape(slice(v, [0], [1]), [])"),
        ("arange(5)", "iota(s32, [5], 0)"),
        ("arange(3, 10, 2)", "iota(s32, [4], 0) * 2 + 3"),
        ("arange(v)", "iota(s32, [5], 0)"),
        ("zeros(3)", "broadcast(0, 3)"),
        ("ones([2, 3])", "broadcast(1, [2, 3])"),
        ("full([2], 7)", "broadcast(7, [2])"),
        ("linspace(0, 1, 5)", "0 + (1 - (0)) * iota(f32, [5], 0) / 4"),
        ("f32(n)", "convert(n, f32)"),
        ("v + pi", "3.141592653589793"),
        ("v * e", "2.718281828459045"),
        ("v + |x|", "abs(x)"),
        ("n // 2", "floor_divide(a, b)"),
        ("len(v)", "v"),
        ("shape(x)", "x"),
        ("x.shape", "x"),
    ];
    for (number, (typed, remedy)) in remedies.into_iter().enumerate() {
        let said = help(&[&[typed], &operands[..]].concat());
        assert!(said.contains(&format!("`{remedy}`")), "{typed}: {said}");
        if !number.is_multiple_of(share::one_of(4)) {
            continue;
        }
        let (a, b) = ("a=[7,-7]", "b=[2,2]");
        let outcome = indim(&[&["eval", remedy, a, b], &operands[..]].concat());
        assert_eq!(outcome.code, Some(0), "{typed}: {remedy}: {}", outcome.stderr);
    }
    let said = help(&["sort(v)", operands[1]]);
    assert!(said.starts_with("`sort` compares all elements"), "{said}");
    // With --numpy the same is right.
    let numpy = indim(&["eval", "--numpy", "n // 2", operands[2]]);
    assert!(numpy.stderr.ends_with("= help: write `floor_divide(a, b)`\n"), "{numpy:?}");
    assert_eq!(eval(&["--numpy", "floor_divide(n, 2)", operands[2]]), "s32[3]\n[ 3 -4  0]\n");
}

#[test]
fn operands_of_other_forms_have_a_remedy_that_works() {
    for (typed, remedy) in
        [("1,2,3", "[1,2,3]"), ("1, 2", "[1,2]"), ("s32:1,-2", "s32:[1,-2]"), ("-1 2", "[-1,2]")]
    {
        let said = help(&["x", &format!("x={typed}")]);
        assert_eq!(said, format!("a list stands in brackets: x={remedy}"));
        eval(&["x", &format!("x={remedy}")]);
    }
    let said = help(&["x", "x=-"]);
    assert_eq!(said, "an array on the standard input is written x=/dev/stdin");
}

/// A file of that name would be opened by a program for that format.
#[test]
fn a_file_name_that_promises_another_format_is_refused() {
    let folder = Folder::new();
    for name in ["out.csv", "out.txt", "out.json", "out.PNG", "out.h5", "out.parquet", "out.npy.gz"]
    {
        let path = folder.path(name);
        let said = error(&["eval", "y = x", "x=[1,2]", "-o", &format!("y={path}")]);
        let end = name.rsplit('.').next().unwrap();
        let message = format!(
            "error: cannot write {path}: its name promises .{end}, and results are written as .npy and .npz\n"
        );
        assert!(said.starts_with(&message), "{said}");
        let stem = path.strip_suffix(&format!(".{end}")).unwrap();
        let instead = format!("{}.npy", stem.strip_suffix(".npy").unwrap_or(stem));
        assert!(said.contains(&format!("  = help: write to {instead}")), "{said}");
        eval(&["y = x", "x=[1,2]", "-o", &format!("y={instead}")]);
    }
    for name in ["out", "out.dat", "out.NPY"] {
        eval(&["x", "x=[1,2]", "-o", &folder.path(name)]);
    }
}

/// Each call in the help on EXPR is accepted as written.
#[test]
fn what_the_help_shows_is_computed() {
    let help = indim(&["eval", "--help"]).stdout;
    let operands = ["x=iota:2x3", "v=iota:3", "y=iota:2x3", "p=pred:random:2x3"];
    let shown = [
        "x + in_dim(v, 1)",
        "add(x, v, [1])",
        "exp(x)",
        "max(x, y)",
        "select(p, x, y)",
        "convert(x, s32)",
        "bitcast(x, u32)",
        "broadcast(x, 2, 3)",
        "broadcast_in_dim(v, [2, 3], [1])",
        "iota(s32, [2, 3], 0)",
        "transpose(x, [1, 0])",
        "reverse(x, [1])",
        "reshape(x, [2, 6])",
        "pad(x, 0, [1, 1], [1, 1])",
        "slice(x, [0, 1], [4, 9], [1, 2])",
        "concatenate(x, y, 0)",
        "roll(x, 1, 0)",
        "reduce_sum(x, [1])",
        "layer_norm(x, [1], 1e-5)",
        "x - in_dim(mean(x, [1]), 0)",
        "std(x, axis=-1, ddof=1, keepdims=true)",
        "t = tanh(x); t * t + t",
        "-1s64",
        "inff16",
    ];
    let words = help.split_whitespace().collect::<Vec<_>>().join(" ");
    for expr in shown {
        assert!(words.contains(expr), "the help does not show {expr}");
        // Two of them are about larger arrays.
        let x = match expr {
            "reshape(x, [2, 6])" => "x=iota:3x4",
            "slice(x, [0, 1], [4, 9], [1, 2])" => "x=iota:5x9",
            _ => operands[0],
        };
        let options: &[&str] = if expr.contains("axis=") { &["--numpy"] } else { &[] };
        let outcome = indim(&[&["eval", expr, x], &operands[1..], options].concat());
        assert_eq!(outcome.code, Some(0), "{expr}: {}", outcome.stderr);
    }
}
