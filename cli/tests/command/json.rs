//! `--json` prints results and errors as objects of JSON, each in a line.

use serde_json::{Value, json};

use crate::common::{Scratch, indim, with_stdin};

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
    // All elements, and not those that a print shows; a float has no more digits than it needs.
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
    // What is larger than memory is not printed whole.
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

#[test]
fn lines_of_a_batch_are_answered_in_json() {
    let input = "y = x + 1\ny + z\n\ny * y\n";
    let outcome = with_stdin(&["batch", "--json", "x=[1,2]"], input);
    let object = |name: Option<&str>, values: [f32; 2]| json!({"name": name, "element_type": "f32", "shape": [2], "values": values});
    assert_eq!(lines(&outcome.stdout), [object(Some("y"), [2.0, 3.0]), object(None, [4.0, 9.0])]);
    let errors = lines(&outcome.stderr);
    assert_eq!(
        errors,
        [
            json!({"error": "line 2: unknown name `z`", "help": "the operands are x, y; add `z=ARRAY` to the command", "at": {"in": "line 2", "start": 4, "end": 5}}),
            json!({"error": "lines that failed: 1 of 3"}),
        ]
    );
    assert_eq!(outcome.code, Some(1));
}
