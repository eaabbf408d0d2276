//! Tests that `--numpy` promotes element types as NumPy does, and reports converted operands.
use std::collections::HashMap;
use std::fs;

use indim_cli::{Outcome, Session};

use indim_testing::share;

use crate::common::{Scratch, indim};

/// NumPy's dtypes in the library, with the library's names.
const DTYPES: [(&str, &str); 13] = [
    ("bool", "pred"),
    ("int8", "s8"),
    ("int16", "s16"),
    ("int32", "s32"),
    ("int64", "s64"),
    ("uint8", "u8"),
    ("uint16", "u16"),
    ("uint32", "u32"),
    ("uint64", "u64"),
    ("float16", "f16"),
    ("float32", "f32"),
    ("float64", "f64"),
    ("complex64", "c64"),
];

/// NumPy's result for each pair of dtypes, recorded by `tests/golden/generate/gen_numpy_types.py`.
fn answers() -> HashMap<(String, String), String> {
    #[derive(serde::Deserialize)]
    struct Line {
        dtypes: Vec<String>,
        result_type: String,
    }
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/golden/numpy/result_types.jsonl");
    let text = fs::read_to_string(path).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Line>(line).unwrap());
    lines
        .filter_map(|Line { dtypes, result_type }| {
            let [a, b] = <[String; 2]>::try_from(dtypes).ok()?;
            // Each pair occurs once.
            Some(if a <= b { ((a, b), result_type) } else { ((b, a), result_type) })
        })
        .collect()
}

fn explain(expr: &str, operands: &[String]) -> Outcome {
    let words = ["explain", "--numpy", expr].map(str::to_owned);
    Session::default().run(words.into_iter().chain(operands.iter().cloned()))
}

#[test]
fn every_pair_of_types_is_promoted_as_by_numpy() {
    let answers = answers();
    let ours: HashMap<&str, &str> = DTYPES.into();
    for (a, first) in DTYPES {
        for (b, second) in DTYPES {
            let wanted = answers[&(a.min(b).to_owned(), a.max(b).to_owned())].as_str();
            let operands =
                [format!("a={first}[2]"), format!("b={second}[1]"), "p=pred[2]".to_owned()];
            let outcome = explain("select(p, a, b)", &operands);
            let Some(&wanted) = ours.get(wanted) else {
                // The library has no complex128.
                assert_eq!((outcome.code, wanted), (1, "complex128"), "{a} {b}");
                assert!(outcome.stderr.contains("complex128"), "{}", outcome.stderr);
                continue;
            };
            let head = format!("result: {wanted}[2]");
            assert!(outcome.stdout.starts_with(&head), "{a} {b}: {wanted}: {outcome:?}");
            let note = |name, of| {
                if of == wanted {
                    String::new()
                } else {
                    format!(
                        "note: `{name}` is converted from {of} to {wanted} in `select(p, a, b)`\n"
                    )
                }
            };
            assert_eq!(outcome.stderr, note("a", first) + &note("b", second), "{a} {b}");
        }
    }
}

/// Bare numbers are weak, as Python's are in NEP 50: they have a kind and no size.
#[test]
fn bare_numbers_have_a_kind_alone() {
    for (_, of) in DTYPES {
        let whole = if of == "pred" { "s64" } else { of };
        let is_inexact = of.starts_with(['f', 'c']);
        let fraction = if is_inexact { of } else { "f64" };
        for (number, wanted) in
            [("2", whole), ("2.5", fraction), ("1e1", fraction), ("inf", fraction)]
        {
            for expr in [format!("x * {number}"), format!("select(p, {number}, x)")] {
                let outcome = explain(&expr, &[format!("x={of}[2]"), "p=pred[2]".to_owned()]);
                let head = format!("result: {wanted}[2]");
                assert!(outcome.stdout.starts_with(&head), "{of}: {expr}: {outcome:?}");
            }
        }
        // A number with a suffix is promoted like an array.
        let outcome = explain("x == 2f64", &[format!("x={of}[2]")]);
        assert_eq!(outcome.code, i32::from(of == "c64"), "{of}: {outcome:?}");
    }
    let outcome = explain("x + 300", &["x=u8[2]".to_owned()]);
    assert!(outcome.stderr.starts_with("error: the number 300 is not a value of u8"));
}

/// Returns the lines of a file of NumPy results.
fn lines<T: serde::de::DeserializeOwned>(name: &str) -> Vec<T> {
    let path = format!("{}/../tests/golden/command/{name}", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(path).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// Functions defined for floats only compute integers in NumPy's choice of float, and rounding
/// functions return integers unchanged; recorded by `tests/golden/generate/gen_numpy_promotion.py`.
#[test]
fn functions_of_floats_take_integers_as_numpy_s_do() {
    #[derive(serde::Deserialize)]
    struct Line {
        function: String,
        operands: Vec<serde_json::Value>,
        result: String,
    }
    let ours: HashMap<&str, &str> = DTYPES.into();
    let all: Vec<Line> = lines("functions.jsonl");
    assert_eq!(all.len(), 1176);
    for Line { function, operands, result } in all {
        let (mut arguments, mut given) = (Vec::new(), Vec::new());
        for (operand, name) in operands.iter().zip(["x", "y"]) {
            match operand.as_str() {
                Some(dtype) => {
                    arguments.push(name.to_owned());
                    given.push(format!("{name}={}[2]", ours[dtype]));
                }
                None => arguments.push(operand.to_string()),
            }
        }
        let expr = format!("{function}({})", arguments.join(", "));
        let outcome = explain(&expr, &given);
        let head = format!("result: {}[2]", ours[result.as_str()]);
        assert!(outcome.stdout.starts_with(&head), "{expr} {given:?}: {result}: {outcome:?}");
    }
}

#[test]
fn a_function_of_floats_says_what_it_converts() {
    let outcome = indim(&["eval", "--numpy", "sqrt(x)", "x=u8:[0,4,9]"]);
    assert_eq!(outcome.stdout, "f16[3]\n[0. 2. 3.]\n");
    assert_eq!(outcome.stderr, "note: `x` is converted from u8 to f16 in `sqrt(x)`\n");
    let outcome = indim(&["eval", "--numpy", "floor(x)", "x=u8:[0,4,9]"]);
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("u8[3]\n[0 4 9]\n", ""));
    // NumPy's reciprocal of integers is an integer, which XLA does not have.
    let outcome = indim(&["eval", "--numpy", "reciprocal(x)", "x=u8:[1]"]);
    assert!(outcome.stderr.contains("reciprocal: operand has element type u8"), "{outcome:?}");
    let outcome = indim(&["eval", "sqrt(x)", "x=u8:[1]"]);
    assert!(outcome.stderr.contains("sqrt: operand has element type u8"), "{outcome:?}");
}

/// Integers are compared by value, even if no element type holds those of both operands.
#[test]
fn integers_are_compared_as_by_numpy() {
    #[derive(serde::Deserialize)]
    #[serde(untagged)]
    enum Operand {
        Number(String),
        Array { dtype: String, data: Vec<serde_json::Number> },
    }
    #[derive(serde::Deserialize)]
    struct Line {
        compare: String,
        operands: Vec<Operand>,
        result: serde_json::Value,
    }
    let ours: HashMap<&str, &str> = DTYPES.into();
    let mut session = Session::default();
    let all: Vec<Line> = lines("compares.jsonl");
    assert_eq!(all.len(), 1584);
    for Line { compare, operands, result } in all.into_iter().step_by(share::one_of(16)) {
        let (mut sides, mut given) = (Vec::new(), Vec::new());
        let of_two = operands.iter().all(|operand| matches!(operand, Operand::Array { .. }));
        for (operand, name) in operands.iter().zip(["x", "y"]) {
            let Operand::Array { dtype, data } = operand else {
                let Operand::Number(number) = operand else { unreachable!() };
                sides.push(number.clone());
                continue;
            };
            // The one on the left varies along the rows of the result.
            let (separator, [open, close]) =
                if of_two && name == "x" { ("],[", ["[[", "]]"]) } else { (",", ["[", "]"]) };
            let data: Vec<String> = data.iter().map(ToString::to_string).collect();
            let literal = format!("{open}{}{close}", data.join(separator));
            given.push(format!("{name}={}:{literal}", ours[dtype.as_str()]));
            sides.push(name.to_owned());
        }
        let expr = format!("{} {compare} {}", sides[0], sides[1]);
        let words = ["eval", "--numpy", "--json", &expr].map(str::to_owned);
        let outcome = session.run(words.into_iter().chain(given.iter().cloned()));
        let answer: serde_json::Value = serde_json::from_str(&outcome.stdout).unwrap_or_default();
        let wanted: Vec<bool> = flat(&result).iter().map(|&bit| bit == 1).collect();
        let found: Option<Vec<bool>> = answer["values"]
            .as_array()
            .map(|values| values.iter().filter_map(serde_json::Value::as_bool).collect());
        assert_eq!(found, Some(wanted), "{expr} {given:?}: {outcome:?}");
        assert_eq!(outcome.stderr, "", "{expr} {given:?}");
    }
}

/// Returns the numbers in nested lists.
fn flat(value: &serde_json::Value) -> Vec<u64> {
    match value.as_array() {
        Some(list) => list.iter().flat_map(flat).collect(),
        None => vec![value.as_u64().unwrap()],
    }
}

#[test]
fn compares_with_other_ranks_are_exact_too() {
    let eval = |expr: &str, x: &str, y: &str| {
        let outcome = indim(&["eval", "--numpy", expr, x, y]);
        (outcome.stdout, outcome.stderr)
    };
    // f64 would round both to 2^53.
    let (x, y) = ("x=s64:[[-1,9007199254740993]]", "y=u64:[18446744073709551615,9007199254740992]");
    let table = "pred[1,2]\n[[False  True]]\n".to_owned();
    assert_eq!(eval("x > y", x, y), (table.clone(), String::new()));
    assert_eq!(eval("y < x", x, y), (table, String::new()));
    let rows = "pred[2,2]\n[[ True  True]\n [False  True]]\n".to_owned();
    let (x, y) = ("x=s64:[-5,5]", "y=u64:[[0,9],[4,6]]");
    assert_eq!(eval("in_dim(x, 0) <= y", x, y), (rows, String::new()));
    let outcome = indim(&["eval", "--numpy", "x < y", "x=s64:[1,2]", "y=u64:[1,2,3]"]);
    assert!(outcome.stderr.starts_with("error: lt: in dimension 0"), "{outcome:?}");
    // The total order exists only in XLA, and dimensions are always checked.
    let outcome = indim(&["eval", "--numpy", "eq_total_order(x, 300)", "x=u8:[1]"]);
    assert!(
        outcome.stderr.starts_with("error: the number 300 is not a value of u8"),
        "{outcome:?}"
    );
    // The same errors occur as for a number of the type.
    for compare in ["lt(x, N, [0])", "lt(N, x, [0])", "in_dim(x, 0) < N", "x < in_dim(N, 0)"] {
        let of = |number| {
            let expr = compare.replace('N', number);
            let outcome = indim(&["eval", "--numpy", &expr, "x=u8:[1]"]);
            assert_eq!(outcome.code, Some(1), "{expr}: {outcome:?}");
            outcome.stderr.lines().next().unwrap().to_owned()
        };
        assert_eq!(of("300"), of("200"), "{compare}");
    }
}

#[test]
fn an_image_is_normalized_as_by_numpy() {
    let image = ["x=u8:[[0,51],[102,255]]", "m=[0.5f64,0.25]", "s=[2f64,4]"];
    let outcome = indim(&["eval", "--numpy", "(x/255 - m)/s", image[0], image[1], image[2]]);
    // NumPy gives these values for (np.array([[0,51],[102,255]], 'u1')/255 - [.5,.25])/[2.,4.].
    assert_eq!(outcome.stdout, "f64[2,2]\n[[-0.25   -0.0125]\n [-0.05    0.1875]]\n");
    assert_eq!(outcome.stderr, "note: `x` is converted from u8 to f64 in `x/255`\n");
    assert_eq!(outcome.code, Some(0));
    // By name, the operation is XLA's.
    let outcome = indim(&["eval", "--numpy", "div(x, 2)", "x=u8:[3,4]"]);
    assert_eq!((outcome.stdout.as_str(), outcome.stderr.as_str()), ("u8[2]\n[1 2]\n", ""));
    // Without the option nothing is promoted.
    let outcome = indim(&["eval", "x + m", "x=u8:[1,2]", "m=f32:[1,2]"]);
    assert_eq!(outcome.code, Some(1));
}

#[test]
fn not_all_conversions_are_mentioned() {
    let sum = (0..20).map(|number| format!("(x + {number}.5)")).collect::<Vec<_>>().join(" * ");
    let outcome = explain(&sum, &["x=u8[2]".to_owned()]);
    assert_eq!(outcome.stderr.lines().count(), 9);
    assert!(outcome.stderr.ends_with("note: 12 more operands are converted\n"));
}

/// Evaluates with `--numpy`, and ignores notes.
fn numpy(expr: &str, operands: &[&str]) -> Result<String, String> {
    let outcome = indim(&[&["eval", "--numpy", expr], operands].concat());
    match outcome.code {
        Some(0) => Ok(outcome.stdout),
        _ => Err(outcome.stderr),
    }
}

/// NumPy 2.4.6 gives these.
#[test]
fn a_remainder_has_the_divisor_s_sign_as_in_numpy() {
    let of = |expr: &str, operands: &[&str]| numpy(expr, operands).unwrap();
    assert_eq!(of("x % 3", &["x=s32:[-7,7,0]"]), "s32[3]\n[2 1 0]\n");
    assert_eq!(of("x % -3", &["x=s32:[-7,7,0]"]), "s32[3]\n[-1 -2  0]\n");
    assert_eq!(of("x % 0", &["x=s32:[-7,7,0]"]), "s32[3]\n[0 0 0]\n");
    assert_eq!(of("x % y", &["x=u8:[7,8]", "y=u8:[3,0]"]), "u8[2]\n[1 0]\n");
    assert_eq!(of("x % y", &["x=[-7.5,7.5,1]", "y=[2,-2,0]"]), "f32[3]\n[ 0.5 -0.5  nan]\n");
    assert_eq!(of("-7 % 3", &[]), "f32[]\n2.0\n");
    // The function with XLA's name is XLA's, and so is the symbol without --numpy.
    assert_eq!(of("rem(x, 3)", &["x=s32:[-7,7]"]), "s32[2]\n[-1  1]\n");
    let xla = indim(&["eval", "x % 3", "x=s32:[-7,7]"]);
    assert_eq!(xla.stdout, "s32[2]\n[-1  1]\n");
}

#[test]
fn what_xla_refuses_of_whole_numbers_is_numpy_s() {
    let of = |expr: &str, x: &str| numpy(expr, &[x]).unwrap();
    for (expr, x, wanted) in [
        ("abs(x)", "x=u8:[0,200]", "u8[2]\n[  0 200]\n"),
        ("abs(x)", "x=[true,false]", "pred[2]\n[ True False]\n"),
        ("sign(x)", "x=u16:[0,3]", "u16[2]\n[0 1]\n"),
        ("square(x)", "x=[true,false]", "s8[2]\n[1 0]\n"),
        ("x ** x", "x=[true,false]", "s8[2]\n[1 1]\n"),
        ("x % x", "x=[true,false]", "s8[2]\n[0 0]\n"),
        ("floor_divide(x, x)", "x=[true,false]", "s8[2]\n[1 0]\n"),
        ("x << x", "x=[true,false]", "s8[2]\n[2 0]\n"),
        ("real(x)", "x=s32:[-1,2]", "s32[2]\n[-1  2]\n"),
        ("imag(x)", "x=s32:[-1,2]", "s32[2]\n[0 0]\n"),
        ("conj(x)", "x=s32:[-1,2]", "s32[2]\n[-1  2]\n"),
        ("conj(x)", "x=f16:[-1,2]", "f16[2]\n[-1.  2.]\n"),
    ] {
        assert_eq!(of(expr, x), wanted, "{expr} {x}");
    }
    for expr in ["sign(x)", "-x", "x - x"] {
        assert!(numpy(expr, &["x=[true]"]).is_err(), "{expr}");
    }
}

/// A bare number is a Python float, which NumPy rounds to the type of the array.
#[test]
fn numbers_are_rounded_to_floats_as_by_numpy() {
    let of = |expr: &str, x: &str| numpy(expr, &[x]).unwrap();
    for (expr, x, wanted) in [
        ("x + 70000", "x=f16:[1.5]", "f16[1]\n[inf]\n"),
        ("x - 1e10", "x=f16:[1.5]", "f16[1]\n[-inf]\n"),
        ("x < 70000", "x=f16:[1.5]", "pred[1]\n[ True]\n"),
        ("x * 0 + 16777217", "x=[1]", "f32[1]\n[1.6777216e+07]\n"),
        ("x + 1e-50", "x=[0]", "f32[1]\n[0.]\n"),
    ] {
        assert_eq!(of(expr, x), wanted, "{expr} {x}");
    }
    let huge = format!("x + 1{}", "0".repeat(400));
    assert!(numpy(&huge, &["x=[1]"]).unwrap_err().contains("is too large for f32"));
    assert!(numpy("x + 70000f16", &["x=f16:[1]"]).unwrap_err().contains("is too large for f16"));
}

#[test]
fn integers_have_no_negative_powers_in_numpy() {
    for x in ["x=s32:[2,3]", "x=[true,false]"] {
        let error = numpy("x ** -1", &[x]).unwrap_err();
        assert_eq!(
            error,
            "error: pow: NumPy has no integer to the power -1\n  |\n  | x ** -1\n  |   ^^\n  = help: a power of floats is written `-1.0`\n"
        );
    }
    assert_eq!(numpy("x ** -1.0", &["x=s32:[2,4]"]).unwrap(), "f64[2]\n[0.5  0.25]\n");
    assert_eq!(numpy("x ** -1", &["x=[2,4]"]).unwrap(), "f32[2]\n[0.5  0.25]\n");
}

/// The differences that cli/README.md lists.
#[test]
fn what_differs_from_numpy_is_listed() {
    let readme = include_str!("../../README.md").split_whitespace().collect::<Vec<_>>().join(" ");
    let (_, listed) = readme.split_once("What differs from NumPy:").unwrap();
    let of = |expr: &str, operands: &[&str]| numpy(expr, operands);
    let half = Scratch::with("half.wgsl", "fn half(x: f32) -> f32 { return 0.5 * x; }");
    for (words, found, wanted) in [
        ("of bare numbers alone is F32", of("1 + 2", &[]), Ok("f32[]\n3.0\n")),
        ("`2i` is a C64", of("abs(2i)", &[]), Ok("f32[]\n2.0\n")),
        (
            "negative elements of an array of exponents",
            of("x ** y", &["x=s32:[1,2]", "y=s32:[-1,-1]"]),
            Ok("s32[2]\n[1 0]\n"),
        ),
        ("`p ** 2` of truth values is S64", of("p ** 2", &["p=[true]"]), Ok("s64[1]\n[1]\n")),
        (
            "`atan2` of complex numbers is taken",
            of("atan2(z, z)", &["z=c64:[1]"]),
            Ok("c64[1]\n[0.7853981+0.j]\n"),
        ),
        (
            "their powers are XLA's",
            of("z ** x", &["z=c64:[1+2i]", "x=[inf]"]),
            Ok("c64[1]\n[nan+nanj]\n"),
        ),
    ] {
        assert!(listed.contains(words), "the README does not list: {words}");
        assert_eq!(found.as_deref().map_err(String::as_str), wanted, "{words}");
    }
    for (words, refused) in [
        ("`reciprocal` of integers is refused", of("reciprocal(x)", &["x=s32:[1]"])),
        ("a complex F64 does not exist here", of("z + x", &["z=c64:[1i]", "x=f64:[1]"])),
        ("`conj` of truth values", of("conj(x)", &["x=[true]"])),
        ("complex numbers have no order", of("z < z", &["z=c64:[1]"])),
        ("complex numbers have no order", of("max(z, z)", &["z=c64:[1]"])),
        ("`pad` and `--fn` promote nothing", of("pad(x, 1.5, [1], [1], [0])", &["x=s32:[1]"])),
        ("`pad` and `--fn` promote nothing", of("half(x)", &["x=s32:[1]", "--fn", half.path()])),
    ] {
        assert!(listed.contains(words), "the README does not list: {words}");
        assert!(refused.is_err(), "{words}: {refused:?}");
    }
}
