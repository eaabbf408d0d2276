//! Tests `--json`: results and errors are JSON objects, one per line.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::Stdio;

use indim_testing::process;
use serde_json::{Value, json};

use crate::common::{Scratch, command, indim, with_stdin};

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn results_are_objects_with_all_elements() {
    let of = |args: &[&str]| {
        let outcome = indim(&[&["eval", "--json"], args].concat());
        assert_eq!((outcome.code, outcome.stderr.as_str()), (Some(0), ""), "{args:?}");
        lines(&outcome.stdout)
    };
    assert_eq!(
        of(&["x + in_dim(v, 1)", "x=[[1,2,3],[4,5,6]]", "v=[7,8,9]"]),
        [
            json!({"name": null, "element_type": "f32", "shape": [2, 3], "values": [8.0, 10.0, 12.0, 11.0, 13.0, 15.0]})
        ]
    );
    // Several results, by their names, and every kind of element.
    assert_eq!(
        of(&["a = x / 0", "b = x > 0", "c = complex(x, x)", "d = convert(x, s8)", "x=[1, -2, 0]"]),
        [
            json!({"name": "a", "element_type": "f32", "shape": [3], "values": ["Infinity", "-Infinity", "NaN"]}),
            json!({"name": "b", "element_type": "pred", "shape": [3], "values": [true, false, false]}),
            json!({"name": "c", "element_type": "c64", "shape": [3], "values": [[1.0, 1.0], [-2.0, -2.0], [0.0, 0.0]]}),
            json!({"name": "d", "element_type": "s8", "shape": [3], "values": [1, -2, 0]}),
        ]
    );
    // All elements, not only those that a print shows; a float has no more digits than it needs.
    let all = of(&["x / 10", "x=iota:5000"]);
    assert_eq!(all[0]["values"].as_array().unwrap().len(), 5000);
    assert_eq!(all[0]["values"][1].to_string(), "0.1");
    assert_eq!(of(&["x", "x=u64:[18446744073709551615]"])[0]["values"], json!([u64::MAX]));
    let empty = &of(&["slice(x, [1], [1], [1])", "x=[1,2]"])[0];
    assert_eq!((&empty["shape"], &empty["values"]), (&json!([0]), &json!([])));
}

#[test]
fn a_result_in_a_file_has_its_path() {
    let file = Scratch::with("out.npy", "");
    let outcome = indim(&["eval", "--json", "x * 2", "x=[1,2]", "-o", file.path()]);
    assert_eq!(
        lines(&outcome.stdout),
        [json!({"name": null, "element_type": "f32", "shape": [2], "path": file.path()})]
    );
    // Arrays larger than memory are not printed whole.
    let refused = indim(&["eval", "--json", "x", "x=iota:100000", "--max-memory", "64K"]);
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), ""));
    assert_eq!(
        lines(&refused.stderr),
        [json!({
            "error": "--json prints all elements of the result, but operands and results take more than --max-memory",
            "help": "write it by -o, or raise --max-memory",
        })]
    );
}

#[test]
fn errors_are_objects_with_their_place() {
    let outcome = indim(&["eval", "--json", "x + v", "x=[[1,2,3],[4,5,6]]", "v=[7,8,9]"]);
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), ""));
    let [error] = lines(&outcome.stderr).try_into().unwrap();
    assert!(error["error"].as_str().unwrap().contains("broadcast_dimensions is empty"), "{error}");
    assert_eq!(error["at"], json!({"in": "EXPR", "start": 2, "end": 3}));
    assert!(error["help"].as_str().unwrap().contains("in_dim"), "{error}");
}

/// Every line with an EXPR, even a failing one, has one object on the standard output, with its
/// number.
#[test]
fn lines_of_a_batch_are_answered_in_json() {
    let input = "y = x + 1\ny + z\n\n# a comment\nt = y; t * y\nx +\n";
    let outcome = with_stdin(&["batch", "--json", "x=[1,2]"], input);
    let object = |line: usize, name: Option<&str>, values: [f32; 2]| json!({"line": line, "name": name, "element_type": "f32", "shape": [2], "values": values});
    let unknown = json!({"line": 2, "error": "unknown name `z`", "help": "the operands are x, y; add `z=ARRAY` to the command", "at": {"in": "line 2", "start": 4, "end": 5}});
    let cut = json!({"line": 6, "error": "expected a value, but EXPR ends here", "at": {"in": "line 6", "start": 3, "end": 3}});
    assert_eq!(
        lines(&outcome.stdout),
        [
            object(1, Some("y"), [2.0, 3.0]),
            unknown.clone(),
            object(5, None, [4.0, 9.0]),
            cut.clone(),
        ]
    );
    assert_eq!(
        lines(&outcome.stderr),
        [unknown, cut, json!({"error": "lines that failed: 2 of 4"})]
    );
    assert_eq!(outcome.code, Some(1));
}

/// A process that sends one line at a time and reads only the standard output never blocks.
#[test]
fn a_reader_of_the_standard_output_pairs_every_line() {
    // Without an answer to each line it would wait for ever.
    process::at_once(pair_every_line);
}

fn pair_every_line() {
    let mut child = command()
        .args(["batch", "--json", "x=[1,2]"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let mut output = BufReader::new(child.stdout.take().unwrap());
    let too_long = "1+".repeat(600_000);
    let mut number = 0;
    for (text, is_right) in [
        ("x + 1", true),
        ("x + y", false),
        ("\n  \n# three lines without an EXPR\ny = x; x = y * 2", true),
        (")", false),
        (&too_long, false),
        ("x / v", false),
        ("x", true),
    ] {
        input.write_all(format!("{text}\n").as_bytes()).unwrap();
        number += text.lines().count();
        let mut answer = String::new();
        output.read_line(&mut answer).unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert_eq!(answer["line"], json!(number), "{answer}");
        assert_eq!(answer.get("values").is_some(), is_right, "{answer}");
        assert_eq!(answer.get("error").is_some(), !is_right, "{answer}");
    }
    drop(input);
    assert_eq!(child.wait().unwrap().code(), Some(1));
}
