//! Tests reductions in EXPR: NumPy's under `--numpy`, with its answers; the replacements that hints
//! name; and everyday programs, as a new user writes them.

use std::f64::consts::SQRT_2;

use serde_json::{Value, json};

use crate::common::{error, eval, with_stdin};

const ARRAYS: [&str; 5] = [
    "x=[[1.5,-2,3],[4,0,-6]]",
    "n=u8:[[250,10,3],[0,7,255]]",
    "p=pred:[[true,false,true],[true,true,true]]",
    "d=f64:[[[1,2],[3,4]],[[5,6],[7,9]]]",
    "v=[1,nan,4]",
];

/// Returns the answers of `indim batch --json` to these lines.
fn answers(lines: &[&str], options: &[&str], arrays: &[&str]) -> Vec<Value> {
    let outcome = with_stdin(&[&["batch", "--json"], options, arrays].concat(), &lines.join("\n"));
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let answers: Vec<Value> =
        outcome.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), lines.len());
    answers
}

/// Checks elements: floats to the seventh digit or so, others exactly.
fn assert_close(found: &Value, expected: &Value, label: &str) {
    let (found, expected) = (found.as_array().unwrap(), expected.as_array().unwrap());
    assert_eq!(found.len(), expected.len(), "{label}");
    for (found, expected) in found.iter().zip(expected) {
        match (found.as_f64(), expected.as_f64()) {
            (Some(found), Some(expected)) if found != expected => {
                let apart = (found - expected).abs();
                assert!(apart <= 2e-6 * expected.abs().max(1.0), "{label}: {found} {expected}");
            }
            (Some(_), Some(_)) => {}
            _ => assert_eq!(found, expected, "{label}"),
        }
    }
}

/// Checks the results of EXPRs: their types, shapes and elements.
fn assert_answers(cases: &[(&str, &str, &[usize], Value)], options: &[&str], arrays: &[&str]) {
    let lines: Vec<&str> = cases.iter().map(|case| case.0).collect();
    for (answer, (expr, of, shape, values)) in answers(&lines, options, arrays).iter().zip(cases) {
        assert_eq!(answer["element_type"], json!(of), "{expr}: {answer}");
        assert_eq!(answer["shape"], json!(shape), "{expr}");
        assert_close(&answer["values"], values, expr);
    }
}

#[test]
fn arguments_by_name_are_numpys() {
    // The answers are NumPy 2.4's, and SciPy's formulas of the last kinds.
    let cases: &[(&str, &str, &[usize], Value)] = &[
        ("sum(x)", "f32", &[], json!([0.5])),
        ("sum(x, axis=0)", "f32", &[3], json!([5.5, -2.0, -3.0])),
        ("sum(x, axis=-1, keepdims=True)", "f32", &[2, 1], json!([2.5, -2.0])),
        ("sum(x, [0, 1], keepdims=true)", "f32", &[1, 1], json!([0.5])),
        ("sum(x, axis=[0, 1])", "f32", &[], json!([0.5])),
        ("sum(x, axis=None)", "f32", &[], json!([0.5])),
        ("sum(n)", "u64", &[], json!([525])),
        ("sum(n, 1, dtype=u8)", "u8", &[2], json!([7, 6])),
        ("sum(p, axis=0, dtype=f32)", "f32", &[3], json!([2.0, 1.0, 2.0])),
        ("prod(n, axis=-2)", "u64", &[3], json!([0, 70, 765])),
        ("prod(x, dtype=f64)", "f64", &[], json!([0.0])),
        ("mean(n, 0)", "f64", &[3], json!([125.0, 8.5, 129.0])),
        ("mean(n, axis=0, dtype=f32)", "f32", &[3], json!([125.0, 8.5, 129.0])),
        ("mean(x, axis=1, keepdims=false)", "f32", &[2], json!([0.833333, -0.666667])),
        ("var(x, axis=1, ddof=1)", "f32", &[2], json!([6.583333, 25.333334])),
        ("var(x, 1, ddof=0.5, keepdims=true)", "f32", &[2, 1], json!([5.266667, 20.266666])),
        ("var(d, axis=[0, -1], dtype=f32)", "f32", &[2], json!([4.25, 5.6875])),
        ("std(x, axis=0, ddof=1)", "f32", &[3], json!([1.767767, SQRT_2, 6.363961])),
        ("std(n)", "f64", &[], json!([116.722963])),
        ("max(x, axis=0)", "f32", &[3], json!([4.0, 0.0, 3.0])),
        ("max(x)", "f32", &[], json!([4.0])),
        ("max(x, axis=-1, keepdims=true)", "f32", &[2, 1], json!([3.0, 4.0])),
        ("amin(n, axis=1)", "u8", &[2], json!([3, 0])),
        ("min(x, 0.5)", "f32", &[2, 3], json!([0.5, -2.0, 0.5, 0.5, 0.0, -6.0])),
        ("any(x, axis=0)", "pred", &[3], json!([true, true, true])),
        ("all(x, axis=1, keepdims=true)", "pred", &[2, 1], json!([true, false])),
        ("argmax(x, axis=1)", "s64", &[2], json!([2, 0])),
        ("argmin(x, keepdims=true)", "s64", &[1, 1], json!([5])),
        ("count_nonzero(x, axis=0)", "s64", &[3], json!([2, 1, 2])),
        ("logsumexp(x, axis=1)", "f32", &[2], json!([3.206907, 4.018195])),
        (
            "x - mean(x, axis=1, keepdims=true)",
            "f32",
            &[2, 3],
            json!([0.666667, -2.833333, 2.166667, 4.666667, 0.666667, -5.333333]),
        ),
        (
            "(n - mean(n, axis=0)) / std(n, axis=0)",
            "f64",
            &[2, 3],
            json!([1.0, 1.0, -1.0, -1.0, -1.0, 1.0]),
        ),
        (
            "softmax(x, -1)",
            "f32",
            &[2, 3],
            json!([0.181426, 0.005479, 0.813095, 0.98197, 0.017985, 4.5e-05]),
        ),
        (
            "softmax(x, axis=-2)",
            "f32",
            &[2, 3],
            json!([0.075858, 0.119203, 0.999877, 0.924142, 0.880797, 0.000123]),
        ),
        (
            "log_softmax(x, axis=1)",
            "f32",
            &[2, 3],
            json!([-1.706907, -5.206907, -0.206907, -0.018195, -4.018195, -10.018194]),
        ),
        ("cumsum(x, -1)", "f32", &[2, 3], json!([1.5, -0.5, 2.5, 4.0, 4.0, -2.0])),
        ("cumsum(n, axis=0)", "u64", &[2, 3], json!([250, 10, 3, 250, 17, 258])),
        ("cumprod(p, axis=-1)", "s64", &[2, 3], json!([1, 0, 0, 1, 1, 1])),
    ];
    assert_answers(cases, &["--numpy"], &ARRAYS);
}

#[test]
fn wrong_arguments_by_name_are_pointed_at() {
    let refused = |expr: &str, options: &[&str]| {
        error(&[&["eval", expr, "x=[[1,2],[3,4]]"], options].concat())
    };
    for (expr, message, carets) in [
        ("sum(x, axes=1)", "sum takes no `axes`", "       ^^^^"),
        ("max(x, axis=0, ddof=1)", "max takes no `ddof`", "               ^^^^"),
        ("sum(x, 0, axis=0)", "`axis` is given twice", "          ^^^^"),
        ("sum(x, axis=0, axis=0)", "`axis` is given twice", "               ^^^^"),
        ("sum(axis=0, x)", "an argument by position stands behind one by name", "            ^"),
        ("sum(x, keepdims=2)", "expected true or false", "                ^"),
        ("std(x, ddof=x)", "expected a number, such as 1e-5", "            ^"),
        ("sum(x, dtype=float32)", "unknown element type `float32`", "             ^^^^^^^"),
        ("softmax(x, dim=1)", "softmax takes no `dim`", "           ^^^"),
        ("exp(x, out=x)", "exp takes no arguments by name", "       ^^^"),
    ] {
        let report = refused(expr, &["--numpy"]);
        assert!(report.starts_with(&format!("error: {message}\n")), "{expr}: {report}");
        assert_eq!(report.lines().nth(3), Some(format!("  | {carets}").as_str()), "{expr}");
    }
    let axis = refused("sum(x, axis=2)", &["--numpy"]);
    assert!(axis.contains("dimensions[0] is 2, but operand [2, 2] has rank 2"), "{axis}");
    let tuple = refused("sum(x, axis=(0, 1))", &["--numpy"]);
    assert!(
        tuple.ends_with("  = help: several dimensions or sizes are a list: `[0, 1]`\n"),
        "{tuple}"
    );
    assert!(refused("sum(x, dtype=float32)", &["--numpy"]).contains("help: write `f32`"));
    // Without the option, names are for statements alone, and axes count from the first.
    for expr in ["reduce_sum(x, axis=0)", "softmax(x, axis=1)"] {
        let report = refused(expr, &[]);
        assert!(
            report.contains("`--numpy` gives reductions NumPy's arguments, such as `axis`"),
            "{report}"
        );
    }
    assert!(refused("exp(x=x)", &[]).contains("help: write `==` to compare"));
    assert!(refused("softmax(x, -1)", &[]).contains("dimensions[0] is -1"));
}

/// The hints' replacements give NumPy's results along the first axis.
#[test]
fn replacements_of_numpys_functions_are_computed() {
    let one = |text: f64| json!([text]);
    for (call, expected) in [
        ("sum(v)", one(6.0)),
        ("prod(v)", one(-30.0)),
        ("amax(v)", one(5.0)),
        ("amin(v)", one(-2.0)),
        ("count_nonzero(v)", one(3.0)),
        ("std(v)", one(2.943_920_3)),
        ("norm(v)", one(6.164_414)),
        ("average(v)", one(2.0)),
        ("ptp(v)", one(7.0)),
        ("nansum(g)", one(5.0)),
        ("nanmean(g)", one(2.5)),
        ("nanmax(g)", one(4.0)),
        ("nanmin(g)", one(1.0)),
        ("vdot(v, w)", one(-1.0)),
        ("diff(five)", json!([1.0, 2.0, 3.0, 4.0])),
        ("matmul(x, y)", json!([9.0, 12.0, 15.0, 18.0, 27.0, 39.0, 51.0, 63.0])),
    ] {
        let arrays = ["v=[3,-2,5]", "g=[1,nan,4]", "w=[1,2,0]", "five=[0,1,3,6,10]"];
        let arrays = [&arrays[..], &["x=iota:2x3", "y=[[0,1,2,3],[3,4,5,6],[3,4,5,6]]"]].concat();
        let report = error(&[&["eval", call], &arrays[..]].concat());
        let (_, hint) = report.split_once("help: write `").unwrap_or_else(|| panic!("{report}"));
        let (instead, remark) = hint.split_once('`').unwrap();
        let by_numpy = ["sum", "prod", "amax", "amin", "count_nonzero", "std"];
        let name = call.split_once('(').unwrap().0;
        assert_eq!(remark.contains("--numpy"), by_numpy.contains(&name), "{report}");
        let found = &answers(&[instead], &[], &arrays)[0];
        assert_close(&found["values"], &expected, instead);
    }
    let truth = ["p=pred:[true,false]"];
    for (call, expected) in [("any(p)", true), ("all(p)", false)] {
        let report = error(&[&["eval", call], &truth[..]].concat());
        let instead = report.split('`').find(|part| part.starts_with("reduce_")).unwrap();
        assert_eq!(answers(&[instead], &[], &truth)[0]["values"], json!([expected]));
    }
}

#[test]
fn json_has_reduced_values() {
    let line = eval(&["--json", "m = mean(x, [1])", "argmax(x, 1)", "x=[[1,2,6],[4,5,6]]"]);
    let parsed: Vec<Value> = line.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        parsed,
        [
            json!({"name": "m", "element_type": "f32", "shape": [2], "values": [3.0, 5.0]}),
            json!({"name": null, "element_type": "s32", "shape": [2], "values": [2, 2]}),
        ]
    );
}

#[test]
fn a_batch_reduces_what_lines_before_made() {
    let lines = "s = reduce_sum(x, 1)\nreduce_max(s, 0)\nx / in_dim(s, 0)\n";
    let outcome = with_stdin(&["batch", "x=[[1,1],[2,6]]"], lines);
    assert_eq!(
        outcome.stdout,
        "s: f32[2]\n[2. 8.]\nf32[]\n8.0\nf32[2,2]\n[[0.5  0.5 ]\n [0.25 0.75]]\n"
    );
}

/// Returns a matrix as an operand.
fn matrix(name: &str, rows: &[[f64; 3]]) -> String {
    let rows: Vec<String> = rows.iter().map(|row| format!("{row:?}")).collect();
    format!("{name}=[{}]", rows.join(","))
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

fn deviation(values: &[f64]) -> f64 {
    let mean = mean(values);
    values.iter().map(|value| (value - mean).powi(2)).sum::<f64>().sqrt()
        / (values.len() as f64).sqrt()
}

fn distance(a: &[f64; 3], b: &[f64; 3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum()
}

const POINTS: [[f64; 3]; 4] =
    [[0.5, -1.0, 2.0], [3.0, 0.25, -0.5], [1.5, -2.0, 1.0], [2.5, 1.0, 0.0]];
const CENTRES: [[f64; 3]; 2] = [[0.0, -1.0, 1.0], [3.0, 1.0, 0.0]];

/// Checks what a program gives, as a new user writes it: with the command's own functions, or NumPy's.
fn assert_program(texts: &[(&str, &[&str])], arrays: &[String], expected: &[f64]) {
    let arrays: Vec<&str> = arrays.iter().map(String::as_str).collect();
    for (text, options) in texts {
        let found = &answers(&[text], options, &arrays)[0];
        assert_close(&found["values"], &json!(expected), text);
    }
}

#[test]
fn an_image_is_standardised() {
    let pixels: Vec<f64> = POINTS.concat();
    let expected: Vec<f64> =
        pixels.iter().map(|pixel| (pixel - mean(&pixels)) / deviation(&pixels)).collect();
    let own = "(x - mean(x, [0, 1])) / sqrt(var(x, [0, 1]))";
    let texts: [(&str, &[&str]); 2] = [(own, &[]), ("(x - mean(x)) / std(x)", &["--numpy"])];
    assert_program(&texts, &[matrix("x", &POINTS)], &expected);
}

#[test]
fn contrast_is_stretched() {
    let pixels: Vec<f64> = POINTS.concat();
    let (low, high) =
        pixels.iter().fold((0.0_f64, 0.0_f64), |(low, high), &x| (low.min(x), high.max(x)));
    let expected: Vec<f64> = pixels.iter().map(|pixel| (pixel - low) / (high - low)).collect();
    let own = "lo = reduce_min(x, [0, 1]); hi = reduce_max(x, [0, 1]); (x - lo) / (hi - lo)";
    let texts: [(&str, &[&str]); 2] =
        [(own, &[]), ("(x - min(x)) / (max(x) - min(x))", &["--numpy"])];
    assert_program(&texts, &[matrix("x", &POINTS)], &expected);
}

#[test]
fn a_batch_is_normalised() {
    let mut expected = Vec::new();
    for row in POINTS {
        for (column, value) in row.into_iter().enumerate() {
            let values: Vec<f64> = POINTS.iter().map(|row| row[column]).collect();
            let scale = (deviation(&values).powi(2) + 1e-5).sqrt();
            expected.push((value - mean(&values)) / scale * (column + 1) as f64 - 0.5);
        }
    }
    let own = "layer_norm(x, [0], 1e-5) * in_dim(g, 1) - 0.5";
    let numpys = "(x - mean(x, axis=0)) / sqrt(var(x, axis=0) + 1e-5) * g - 0.5";
    let texts: [(&str, &[&str]); 2] = [(own, &[]), (numpys, &["--numpy"])];
    assert_program(&texts, &[matrix("x", &POINTS), "g=[1,2,3]".to_owned()], &expected);
}

#[test]
fn cross_entropy_of_labels() {
    let labels = [2, 0, 1, 0];
    let losses: Vec<f64> = POINTS
        .iter()
        .zip(labels)
        .map(|(row, label)| row.iter().map(|x| x.exp()).sum::<f64>().ln() - row[label])
        .collect();
    let own = "-mean(reduce_sum(select(iota(s32, [4, 3], 1) == in_dim(y, 0), log_softmax(x, 1), 0), 1), 0)";
    let numpys = "-mean(sum(select(iota(s32, [4, 3], 1) == in_dim(y, 0), log_softmax(x, axis=-1), 0), axis=1))";
    let texts: [(&str, &[&str]); 2] = [(own, &[]), (numpys, &["--numpy"])];
    let arrays = [matrix("x", &POINTS), "y=s32:[2,0,1,0]".to_owned()];
    assert_program(&texts, &arrays, &[mean(&losses)]);
}

/// The nearest centre of each point.
fn nearest() -> Vec<usize> {
    let nearer = |point: &[f64; 3]| distance(point, &CENTRES[1]) < distance(point, &CENTRES[0]);
    POINTS.iter().map(|point| usize::from(nearer(point))).collect()
}

const SQUARES: &str = "reduce_sum((broadcast_in_dim(x, [4, 2, 3], [0, 2]) - broadcast_in_dim(c, [4, 2, 3], [1, 2])) ** 2, 2)";

#[test]
fn distances_and_the_nearest() {
    let arrays = [matrix("x", &POINTS), matrix("c", &CENTRES)];
    let distances: Vec<f64> = POINTS
        .iter()
        .flat_map(|point| CENTRES.iter().map(move |centre| distance(point, centre).sqrt()))
        .collect();
    assert_program(&[(&format!("sqrt({SQUARES})"), &[])], &arrays, &distances);
    let places: Vec<f64> = nearest().into_iter().map(|place| place as f64).collect();
    assert_program(&[(&format!("argmin({SQUARES}, 1)"), &[])], &arrays, &places);
}

#[test]
fn a_step_of_k_means() {
    let mut expected = Vec::new();
    for centre in 0..2 {
        let own: Vec<[f64; 3]> = POINTS
            .into_iter()
            .zip(nearest())
            .filter_map(|(point, place)| (place == centre).then_some(point))
            .collect();
        assert!(!own.is_empty());
        for column in 0..3 {
            expected.push(mean(&own.iter().map(|point| point[column]).collect::<Vec<_>>()));
        }
    }
    let text = format!(
        "a = argmin({SQUARES}, 1); h = convert(iota(s32, [4, 2], 1) == in_dim(a, 0), f32); reduce_sum(broadcast_in_dim(h, [4, 2, 3], [0, 1]) * broadcast_in_dim(x, [4, 2, 3], [0, 2]), 0) / in_dim(reduce_sum(h, 0), 0)"
    );
    assert_program(&[(&text, &[])], &[matrix("x", &POINTS), matrix("c", &CENTRES)], &expected);
}

#[test]
fn forces_between_bodies() {
    let mut expected = Vec::new();
    for body in &POINTS {
        for axis in 0..3 {
            let pull = |other: &[f64; 3]| {
                (other[axis] - body[axis]) / (distance(body, other) + 0.01).powf(1.5)
            };
            expected.push(POINTS.iter().map(pull).sum());
        }
    }
    let text = "d = broadcast_in_dim(x, [4, 4, 3], [1, 2]) - broadcast_in_dim(x, [4, 4, 3], [0, 2]); reduce_sum(d / in_dim((reduce_sum(d * d, 2) + 0.01) ** 1.5, 0, 1), 1)";
    assert_program(&[(text, &[])], &[matrix("x", &POINTS)], &expected);
}
