//! Tests `indim bench` with the least number of samples.
use crate::common::{Outcome, Scratch, error, indim, outcome, without_gpu};
use indim::wgpu::Features;
use indim_bench::Pattern;
use indim_testing::{contexts, not_tested};
use serde_json::Value;

const FIELDS: [&str; 12] = [
    "pattern",
    "adapter",
    "backend",
    "elements",
    "result_elements",
    "bytes",
    "median_ms",
    "gb_per_s",
    "copy_gb_per_s",
    "floor_ms",
    "type",
    "elements_per_s",
];

/// Measures only until there are some samples.
fn bench(args: &[&str]) -> Outcome {
    indim(&[&["bench", "--seconds", "0"], args].concat())
}

fn lines(file: &Scratch) -> Vec<Value> {
    let text = std::fs::read_to_string(file.path()).unwrap();
    assert!(text.is_empty() || text.ends_with('\n'));
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn number(line: &Value, field: &str) -> f64 {
    line[field].as_f64().unwrap_or_else(|| panic!("{field} in {line}"))
}

#[test]
fn a_line_of_json_says_what_was_measured() {
    let file = Scratch::new("lines.jsonl");
    let outcome = bench(&["same", "outer", "--elements", "65536", "--json", file.path()]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let text = std::fs::read_to_string(file.path()).unwrap();
    let lines = lines(&file);
    let patterns = ["same", "outer"];
    // Operands and result of (256,256) each; (256,1), (1,256) and (256,256).
    let bytes = [3 * 65_536 * 4, (256 + 256 + 65_536) * 4];
    assert_eq!(lines.len(), patterns.len());
    for (number_of_line, line) in lines.iter().enumerate() {
        let raw = text.lines().nth(number_of_line).unwrap();
        let places: Vec<usize> =
            FIELDS.iter().map(|field| raw.find(&format!("\"{field}\":")).unwrap()).collect();
        assert!(places.is_sorted(), "{raw}");
        assert_eq!(line.as_object().unwrap().len(), FIELDS.len());
        assert_eq!(line["pattern"], patterns[number_of_line]);
        assert_eq!(line["elements"], 65_536);
        assert_eq!(line["result_elements"], 65_536);
        assert_eq!(line["bytes"], bytes[number_of_line]);
        let rate = number(line, "bytes") / 1e6 / number(line, "median_ms");
        assert!((number(line, "gb_per_s") / rate - 1.0).abs() < 1e-9, "{line}");
        assert!(number(line, "floor_ms") > 0.0 && number(line, "copy_gb_per_s") > 0.0, "{line}");
        assert!(!line["adapter"].as_str().unwrap().is_empty());
        assert!(!line["backend"].as_str().unwrap().is_empty());
    }
}

#[test]
fn the_table_has_a_row_for_each_pattern_and_progress_goes_elsewhere() {
    let file = Scratch::new("table.jsonl");
    let args = ["row", "tanh", "small", "--elements", "8192", "--json", file.path()];
    let outcome = bench(&args);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let table: Vec<Vec<&str>> = outcome
        .stdout
        .lines()
        .filter(|line| line.starts_with('|'))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    assert_eq!(table[0][1..4], ["pattern", "of floor", "at most"]);
    let names: Vec<&str> = table[2..].iter().map(|row| row[1]).collect();
    assert_eq!(names, ["`row`", "`tanh`", "`small`"]);
    for (row, line) in table[2..].iter().zip(lines(&file)) {
        let ratio: f64 = row[2].parse().unwrap();
        let exact = number(&line, "median_ms") / number(&line, "floor_ms");
        assert!((ratio - exact).abs() < 0.0051, "{row:?} {line}");
    }
    assert_eq!(table[4][10], "wall", "latency is the host's");
    assert!(outcome.stdout.contains(lines(&file)[0]["adapter"].as_str().unwrap()));
    let progress: Vec<&str> = outcome.stderr.lines().map(|line| &line[..12]).collect();
    assert_eq!(progress, ["[ 1/3] row  ", "[ 2/3] tanh ", "[ 3/3] small"]);
}

/// Each floor's result is compared with ours before it is timed; sizes that are not multiples of a
/// tile test their edges.
#[test]
#[ignore = "long: in `.ci/run`"]
fn every_floor_computes_what_ours_does() {
    let outcome = bench(&["--elements", "70001"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let names: Vec<&str> = outcome
        .stdout
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split('`').next())
        .collect();
    let all: Vec<&str> = Pattern::ALL.iter().map(|pattern| pattern.name()).collect();
    assert_eq!(names, all);
    let compiled = outcome.stdout.lines().find(|line| line.starts_with("new_shapes")).unwrap();
    let count: u32 = compiled.split(' ').nth(2).unwrap().parse().unwrap();
    assert!((1..=4).contains(&count), "{compiled}");

    // The floors of these are our own workloads, and that of `new_shapes` is slow.
    let ours = ["adam_apart", "new_shapes"];
    let kernels: Vec<&str> = names.into_iter().filter(|name| !ours.contains(name)).collect();
    for floors in ["narrow", "gpu"] {
        let outcome = bench(&[&kernels[..], &["--elements", "70001", "--floors", floors]].concat());
        assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    }
}

/// Each type is measured in turns with f32, and `same` with a floor of the same additions.
#[test]
#[ignore = "long: in `.ci/run`"]
fn patterns_are_measured_in_other_types() {
    let file = Scratch::new("types.jsonl");
    let args = ["same", "--type", "all", "--elements", "70001", "--json", file.path()];
    let outcome = bench(&args);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let lines = lines(&file);
    let gpu = contexts::of_the_adapter();
    let has_int64 = gpu.device().features().contains(Features::SHADER_INT64);
    if !has_int64 {
        not_tested::on_this_adapter(&gpu, "no floor of 64-bit integers can be written for it");
    }
    let types: Vec<&str> = lines.iter().map(|line| line["type"].as_str().unwrap()).collect();
    assert!(types.starts_with(&["pred", "s4", "s8"]) && types.contains(&"bf16"), "{types:?}");
    for line in &lines {
        let elements = number(line, "result_elements");
        let rate = elements / number(line, "median_ms") * 1e3;
        assert!((number(line, "elements_per_s") / rate - 1.0).abs() < 1e-9, "{line}");
        let without = !has_int64 && (line["type"] == "s64" || line["type"] == "u64");
        assert!(without || number(line, "floor_ms") > 0.0, "{line}");
        assert_eq!(line["f32_ms"].is_null(), line["type"] == "f32", "{line}");
        let bytes = match line["type"].as_str().unwrap() {
            "u8" => 3.0,
            "bf16" => 6.0,
            "c64" => 24.0,
            _ => continue,
        };
        assert_eq!(number(line, "bytes"), bytes * elements, "{line}");
    }
    let heads = outcome.stdout.lines().find(|line| line.starts_with("| pattern")).unwrap();
    assert!(heads.contains("of f32") && heads.contains("10^9 elements/s"), "{heads}");
    assert!(outcome.stderr.contains("same u8"), "{}", outcome.stderr);

    let narrow = bench(&["same", "--type", "all", "--elements", "70001", "--floors", "narrow"]);
    assert_eq!(narrow.code, Some(0), "{}", narrow.stderr);
    let outcome = bench(&["row", "odd", "transposed", "--type", "u8", "--elements", "70001"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert_eq!(
        error(&["bench", "tanh", "--type", "s32"]),
        "error: tanh is measured in f32 only, not in s32\n"
    );
}

#[test]
fn times_can_be_the_wall_clocks() {
    let outcome = bench(&["same", "--elements", "4096", "--wall"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    assert!(outcome.stdout.contains("by the wall clock around a wait"), "{}", outcome.stdout);
    assert!(
        outcome
            .stdout
            .lines()
            .any(|line| line.starts_with("| `same`") && line.ends_with("wall  |"))
    );
}

#[test]
fn the_chart_is_an_svg_with_a_bar_for_each_pattern() {
    let file = Scratch::new("chart.svg");
    let outcome = bench(&["one", "inner3", "--elements", "4096", "--chart", file.path()]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
    let svg = std::fs::read_to_string(file.path()).unwrap();
    well_formed(&svg);
    assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
    assert_eq!(svg.matches("<rect class=\"bar").count(), 2);
    for part in [">one</text>", ">inner3</text>", "prefers-color-scheme: dark", "<title>"] {
        assert!(svg.contains(part), "no {part} in\n{svg}");
    }
}

/// Every element is closed, in order, and every `&` and `<` is escaped.
fn well_formed(xml: &str) {
    let mut open = Vec::new();
    let mut rest = xml;
    while let Some(at) = rest.find('<') {
        let text = &rest[..at];
        assert!(
            !text.contains('>') && text.matches('&').count() == text.matches(';').count()
                || open.last() == Some(&"style"),
            "{text}"
        );
        let end = at + rest[at..].find('>').expect("an end");
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        let name = tag.trim_matches('/').split_whitespace().next().unwrap();
        assert_eq!(tag.matches('"').count() % 2, 0, "{tag}");
        if tag.starts_with('/') {
            assert_eq!(open.pop(), Some(name));
        } else if !tag.ends_with('/') {
            open.push(name);
        }
    }
    assert!(open.is_empty() && rest.trim().is_empty(), "{open:?} {rest}");
}

/// No device has a buffer of 16 GiB.
#[test]
fn what_the_device_cannot_hold_is_said_and_the_rest_goes_on() {
    let file = Scratch::new("failed.jsonl");
    let args = ["same", "small", "--elements", "4294967295", "--json", file.path()];
    let Outcome { code, stdout, stderr } = bench(&args);
    assert_eq!(code, Some(1), "{stderr}");
    assert!(
        stderr.contains(
            "] same            error: shape [65600, 65472] of f32 takes 17179852800 bytes"
        ),
        "{stderr}"
    );
    assert!(stderr.ends_with("error: 1 of 2 patterns could not be measured: same\n"), "{stderr}");
    assert!(
        stdout.contains("\nsame could not be measured: shape [65600, 65472] of f32 takes"),
        "{stdout}"
    );
    assert!(stdout.contains("\n| `small`"), "{stdout}");
    let lines = lines(&file);
    assert_eq!((lines.len(), &lines[0]["pattern"]), (1, &Value::from("small")));
}

#[test]
fn an_unknown_pattern_is_an_error_with_the_known_ones() {
    let message = error(&["bench", "colum"]);
    assert!(
        message.starts_with(
            "error: no pattern is named `colum`\n  = help: did you mean `column`? the patterns are same, row, column, "
        ),
        "{message}"
    );
    assert!(error(&["bench", "same", "zzz"]).contains("`zzz`\n  = help: the patterns are same, "));
}

#[test]
fn what_cannot_be_done_is_refused_before_anything_is_measured() {
    for (args, code, part) in [
        (&["--elements", "12"][..], 2, "from 4096 to 4294967295"),
        (&["--elements", "many"], 2, "from 4096 to 4294967295"),
        (&["--seconds", "nan"], 2, "from 0 to 3600"),
        (&["--json", "/nowhere/lines.jsonl"], 1, "cannot write /nowhere/lines.jsonl: "),
        (&["--chart", "/nowhere/chart.svg"], 1, "cannot write /nowhere/chart.svg: "),
        (&["--adapter", "no such adapter"], 1, "no such adapter"),
    ] {
        let outcome = indim(&[&["bench", "small"], args].concat());
        assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(code), ""), "{args:?}");
        assert!(outcome.stderr.contains(part), "{}", outcome.stderr);
    }
    let outcome = outcome(without_gpu().args(["bench", "small"]));
    assert_eq!((outcome.code, outcome.stdout.as_str()), (Some(1), ""));
    assert!(outcome.stderr.starts_with("error: no GPU adapter"), "{}", outcome.stderr);
}

/// Overrides a choice of the plan.
#[test]
fn plans_can_be_changed() {
    for (change, said) in [
        ("wid=false", "did you mean `wide`?"),
        ("tile_rows=x", "tile_rows must be a whole number, true or false, not `x`"),
    ] {
        let outcome = bench(&["same", "--plan", change]);
        assert_eq!(outcome.code, Some(2));
        assert!(outcome.stderr.contains(said), "{}", outcome.stderr);
    }
    let changes = ["--plan", "wide=false", "--plan", "tile_rows=3", "--plan", "workgroup_size=32"];
    let outcome = bench(&[&["same", "row", "--elements", "65536"], &changes[..]].concat());
    assert_eq!(outcome.code, Some(0), "{}", outcome.stderr);
}
